"""The types of what `--json` prints. A module of its own, because every command reports errors."""

from __future__ import annotations

from typing import TypeAlias

Plain: TypeAlias = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
"""What `json.dumps` accepts."""
JsonObject: TypeAlias = dict[str, Plain]
