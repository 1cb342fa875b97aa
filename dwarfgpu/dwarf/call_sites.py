"""Calls: what they tell of the values on entry to the function called (DWARF 5 3.4).

Law: only what the callee cannot have changed is told. A function that calls itself by a tail call
has entries that its caller does not describe.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import frozen

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.lookup import Scopes
from dwarfgpu.expr.context import ExprLoc

TAG_GNU_CALL_SITE: Final = 0x4109
TAG_GNU_CALL_SITE_PARAMETER: Final = 0x410A
AT_CALL_RETURN_PC: Final = 0x7D
AT_CALL_VALUE: Final = 0x7E
AT_CALL_ORIGIN: Final = 0x7F
AT_CALL_TAIL_CALL: Final = 0x82
AT_GNU_CALL_SITE_VALUE: Final = 0x2111
AT_GNU_TAIL_CALL: Final = 0x2115
CALL_SITES: Final = frozenset({dw.TAG_CALL_SITE, TAG_GNU_CALL_SITE})
PARAMETERS: Final = frozenset({dw.TAG_CALL_SITE_PARAMETER, TAG_GNU_CALL_SITE_PARAMETER})


@frozen
class CallSite:
    """One call; GCC's entries of before DWARF 5 are read too."""

    die: Die

    @property
    def return_address(self) -> int | None:
        """The address of the file after the call."""
        is_gnu = self.die.tag == TAG_GNU_CALL_SITE
        return self.die.address(dw.AT_LOW_PC if is_gnu else AT_CALL_RETURN_PC)

    @property
    def callee(self) -> Die | None:
        """The function that is called, or its declaration; None for a call through a pointer."""
        is_gnu = self.die.tag == TAG_GNU_CALL_SITE
        return self.die.reference(dw.AT_ABSTRACT_ORIGIN if is_gnu else AT_CALL_ORIGIN)

    @property
    def is_tail_call(self) -> bool:
        return self.die.flag(AT_CALL_TAIL_CALL) or self.die.flag(AT_GNU_TAIL_CALL)

    def value(self, place: bytes) -> ExprLoc | None:
        """What computes, in the caller, the parameter that is passed in a place."""
        for child in self.die.children():
            if child.tag in PARAMETERS and child.expression(dw.AT_LOCATION) == place:
                is_gnu = child.tag == TAG_GNU_CALL_SITE_PARAMETER
                value = child.expression(AT_GNU_CALL_SITE_VALUE if is_gnu else AT_CALL_VALUE)
                return None if value is None else ExprLoc(value, child.unit)
        return None


def call_sites(function: Die) -> Iterator[CallSite]:
    """Every call of a function, those of blocks and inlined functions in it included."""
    unit = function.unit
    index = unit.tree.find(function.offset)
    if index is None:
        return
    for inner in range(index + 1, unit.tree.ends[index]):
        if unit.tree.abbreviations[inner].tag in CALL_SITES:
            yield CallSite(unit.die(inner))


def call_before(scopes: Scopes, return_pc: int) -> CallSite | None:
    """The call that returns to a program location, as loaded."""
    subprogram = scopes.subprogram_at(return_pc - 1)
    if subprogram is None:
        return None
    address = scopes.info.in_file(return_pc)
    found = (each for each in call_sites(subprogram.die) if each.return_address == address)
    return next(found, None)


def is_same_function(one: Die, other: Die) -> bool:
    """Whether two entries describe one function: by their origin, across units by name."""
    first, second = list(one.origins())[-1], list(other.origins())[-1]
    return first == second or (first.unit is not second.unit and first.name == second.name)


def may_tail_call_itself(function: Die) -> bool:
    """Whether tail calls, as far as the unit describes them, lead from a function to itself."""
    pending, seen = [function], {function}
    while pending:
        for call in call_sites(pending.pop()):
            if not call.is_tail_call:
                continue
            callee = call.callee
            if callee is None or is_same_function(callee, function):
                return True  # through a pointer, it may be the function itself
            if callee not in seen:
                seen.add(callee)
                pending.append(callee)
    return False
