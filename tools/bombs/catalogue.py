"""All structural bombs."""

from __future__ import annotations

from typing import Final

from tools.bombs import archives, containers, entries, machines, sections

BOMBS: Final = (
    *entries.BOMBS,
    *sections.BOMBS,
    *machines.BOMBS,
    *containers.BOMBS,
    *archives.BOMBS,
)
