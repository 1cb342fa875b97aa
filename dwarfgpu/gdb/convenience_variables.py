"""GDB's `$name`: values of its history and convenience variables, as values of the language."""

from __future__ import annotations

import re

import gdb

from dwarfgpu import language
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import from_bytes
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.gdb.machine.gdb_values import type_text, value_bytes
from dwarfgpu.gdb.machine.selected_thread import selected_thread
from dwarfgpu.gdb.same_types import is_same_type
from dwarfgpu.language import Typed, TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session

_REGISTER_TYPE = re.compile(r"(u?)int(8|16|32|64|128)_t")
"""Types of GDB's registers, which no program need have."""
_STANDARD_REGISTERS = ("pc", "sp", "fp", "ps")
"""Names that GDB has for registers of every machine."""


def convenience_variable(session: Session, name: str) -> TypedValue | None:
    """Return GDB's own `$name`; None for a register, or void.

    `Unsupported` for a value without bytes in GDB's Python: a structure. `UsageError`, in GDB's
    words, for a register of a program that is not being run.
    """
    is_register = session.architecture.register_named(name) is not None
    if is_register or name in _STANDARD_REGISTERS:
        if selected_thread() is None:
            raise UsageError("No registers.")
        return None  # GDB's would be those of the frame that is selected, not of the session's
    if _is_unknown(name):
        return None
    try:
        value = gdb.parse_and_eval(f"${name}")
    except gdb.error as error:
        raise UsageError(" ".join(str(error).split())) from None
    if value.type.code == gdb.TYPE_CODE_VOID:
        return None
    spelled = type_text(value.type)
    kind = _named_type(value.type, spelled, session)
    endian = session.architecture.endian
    try:
        data = value_bytes(value, endian)
    except (ValueError, gdb.error):
        raise Unsupported(f"GDB does not give the bytes of ${name}, a {spelled}") from None
    bits = Bits(from_bytes(data, 8 * len(data), endian), 8 * len(data))
    if kind is None:
        raise Unsupported(f"the type {spelled} of ${name} is unknown")
    if not is_same_type(value.type, kind.type):
        raise Unsupported(f"the type {spelled} of ${name} is not the one of that name here")
    return TypedValue(kind.type, bits=bits, unit=kind.unit, is_fixed=True)


def _is_unknown(name: str) -> bool:
    """Return whether GDB has neither a variable nor a register of a name: its expressions would
    make such a variable, which `show convenience` lists."""
    if not name.isidentifier():
        return False  # a value of the history
    try:
        if gdb.convenience_variable(name) is not None:
            return False
    except gdb.error:
        return False  # there is one, which has no value here
    if selected_thread() is None:
        return True
    try:
        gdb.selected_frame().read_register(name)
    except ValueError:  # an unknown name
        return True
    except gdb.error:
        return False
    return False


def _named_type(kind: gdb.Type, spelled: str, session: Session) -> Typed | None:
    """Return the type of dwarfgpu for GDB's, which GDB spells in some way: one of its registers, or
    one that the program or C has by that name."""
    match = _REGISTER_TYPE.fullmatch(spelled)
    if match is not None and kind.code == gdb.TYPE_CODE_INT:
        encoding = "unsigned" if match[1] else "signed"
        endian = session.architecture.endian
        base = BaseType(spelled, encoding, 8 * kind.sizeof, endian)
        return Typed(Base(base, is_range=True), None)  # GDB shows no characters
    try:
        return language.named_type(spelled, session)
    except UsageError:  # a type of GDB's own
        return None
