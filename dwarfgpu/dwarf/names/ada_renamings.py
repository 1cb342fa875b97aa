"""Renamings of Ada (Ada 2012 8.5) that gnat says in the name of a variable without an object, as
its `exp_dbug.ads` has it: `far___XR_p___XEXAXS2XRa` is `far` for `p.all (2).a`,
`q___XRP_pk__inner___XE` the package `q` for `pk.inner`.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.fortran_ada import RENAMES

_RENAMING: Final = pattern(r".+?___XR(?P<kind>[EP]?)_(?P<renamed>.+?)___XE(?P<selections>.*)")
_SELECTION: Final = pattern(
    r"X(?:(?P<all>A)|(?P<bound>[LS])(?:(?P<number>[0-9]+)(?P<minus>m?)|(?P<name>[^X]+))"
    r"|R(?P<component>[^X]+))"
)


@frozen
class Subscript:
    """A subscript, or a bound of a slice: a number, or the name of a variable."""

    text: str
    is_first_of_slice: bool = False
    """Whether the next one is the upper bound of the slice."""


@frozen
class Renaming:
    """What is renamed."""

    renamed: str
    """The name in the file."""
    selections: tuple[str | Subscript, ...] = ()
    """What follows it: components, `all` for what an access value designates, subscripts."""
    is_package: bool = False


def renaming_of(name: str) -> Renaming | None:
    """Return the renaming that a name in the file says; None for any other name."""
    if RENAMES not in name:
        return None
    match = _RENAMING.fullmatch(name)
    if match is None:
        return None
    selections: list[str | Subscript] = []
    position = 0
    while position < len(match["selections"]):
        part = _SELECTION.match(match["selections"], position)
        if part is None:
            return None
        position = part.end()
        if part["all"] or part["component"]:
            selections.append("all" if part["all"] else part["component"])
        else:
            number = f"{'-' if part['minus'] else ''}{part['number']}"
            selections.append(Subscript(part["name"] or number, part["bound"] == "L"))
    return Renaming(match["renamed"], tuple(selections), match["kind"] == "P")
