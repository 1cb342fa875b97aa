"""A printer of Go's strings, which have a length and no NUL at their end."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.types.types import Pointer, strip
from dwarfgpu.errors import Malformed
from dwarfgpu.view.printers import common
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import Collection, Printed, Printer


def _string(value: Object) -> Printed:
    """Return the characters of `string`, as the compiler of Go describes it."""
    members = value.members()
    if [name for name, _ in members] != ["str", "len"]:
        raise UnexpectedLayout("not a string of Go")
    (_, first), (_, count) = members
    pointer = strip(first.type)
    if not isinstance(pointer, Pointer) or pointer.own_name != "*uint8":
        raise UnexpectedLayout("not a string of Go")
    if count.number < 0:
        raise Malformed(f"the length of the string is {count.number}")
    return common.string(first.target(), count.number)


GO: Final = Collection("Go", (Printer("string", "string", _string),))
