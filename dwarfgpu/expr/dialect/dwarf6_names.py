"""DWARF 6 names and numbers, as far as its texts are public: `data/dwarf6.json`.

Law: a number that no public text gives is None. `provisional` is the number that dwarfgpu uses in
its place after DW_OP_LLVM_user, in the dialect `dwarf6-provisional` alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from dwarfgpu.base.records import frozen

DATA: Final = Path(__file__).parent / "data" / "dwarf6.json"


@frozen
class Issue:
    """A proposal to the DWARF committee."""

    number: str
    """That of dwarfstd.org; where it has none yet, of the draft in ccoutant/dwarf-locations."""
    title: str
    state: str
    """`approved`, `submitted`, `in progress` or `superseded`."""
    text: str
    """Where it was read."""


@frozen
class StandardName:
    """An operation or an attribute of DWARF 6."""

    name: str
    """With DW_OP_ or DW_AT_."""
    issue: Issue
    difference: str
    """From the AMD text's operation, or from that of DWARF 5."""
    number: int | None = None
    final: bool = False
    """Whether the number cannot change any more."""
    section: str = ""
    """Of the draft of DWARF 6."""
    provisional: int | None = None
    was: str | None = None
    """The name in DWARF 5, which stays valid."""
    also: str | None = None
    """Another name of it in DWARF 6, under which it is disassembled."""
    llvm: str | None = None
    """What it succeeds in the AMD text."""
    prefix: bool = False
    """Whether it begins an encoding of two numbers."""

    @property
    def bare(self) -> str:
        """The name without its prefix."""
        return self.name.removeprefix("DW_OP_").removeprefix("DW_AT_")

    @property
    def spec(self) -> str:
        """Section and issue that define it, for errors."""
        return f"DWARF 6 {self.section} (issue {self.issue.number})"


@frozen
class Names:
    """All of the file."""

    as_of: str
    issues: tuple[Issue, ...]
    operations: Mapping[str, StandardName]
    """By name without prefix."""
    attributes: tuple[StandardName, ...]
    without_successor: Mapping[str, str]
    """Names of the AMD text, and why DWARF 6 has none in their place."""


@lru_cache(maxsize=1)
def names() -> Names:
    """Read the file, once."""
    document = json.loads(DATA.read_text(encoding="utf-8"))
    issues = {number: Issue(number, **fields) for number, fields in document["issues"].items()}

    def standard_name(entry: dict[str, Any]) -> StandardName:
        fields = dict(entry)
        for key in ("number", "provisional"):
            fields[key] = int(fields[key], 16) if fields.get(key) else None
        fields["issue"] = issues[fields["issue"]]
        return StandardName(**fields)

    operations = [standard_name(entry) for entry in document["operations"]]
    return Names(
        document["as_of"],
        tuple(issues.values()),
        {operation.bare: operation for operation in operations},
        tuple(standard_name(entry) for entry in document["attributes"]),
        document["without_successor"],
    )
