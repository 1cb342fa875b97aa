"""Registers of the wave in focus, with GDB's types."""

from __future__ import annotations

from functools import partial
from typing import Final, TypeAlias

from dwarfgpu.arch.model import Architecture, PseudoRegister, RegisterInfo, RegisterPart
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Pointer, Struct, Type, without_typedefs
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.expr.context import Context
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.machine_variables import ROLES, frame_pointer, lacks, pseudo_location
from dwarfgpu.language.register_types import register_type
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Register
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.values import FormatOptions, format_value

_COLUMN = 15
_NATURAL_COLUMN = 35
NOT_SAVED: Final = "<not saved>"
_CLASSES: Final = ("all", "general", "scalar", "vector", "system", "trap")
"""Groups of a GPU's registers, in the order of precedence of abbreviations."""

AnyRegister: TypeAlias = RegisterInfo | RegisterPart | PseudoRegister


@frozen(eq=False)
class RegisterValue:
    """A register and its contents."""

    session: Session
    register: AnyRegister
    type: Type
    bits: Bits
    name: str
    """The name as typed."""

    @property
    def is_known(self) -> bool:
        """Whether any bit is."""
        return self.bits.unknown.bit_count() < self.bits.size_bits

    def text(self, options: FormatOptions) -> str:
        """Return the value as `print $reg` shows it."""
        architecture = self.session.architecture
        return format_value(
            self.bits,
            self.type,
            options,
            endian=architecture.endian,
            architecture=architecture,
            symbolize=symbolizer(self.session, options),
        )

    @property
    def is_lost(self) -> bool:
        """Whether a frame further in has written over it without keeping it."""
        return self.bits.undefined.bit_count() == self.bits.size_bits and bool(self.session.level)

    def line(self, options: FormatOptions) -> str:
        """Return the line of `info registers`: the name, the value in hexadecimal, and naturally
        unless it is a vector."""
        head = f"{self.name:<{_COLUMN - 1}} "
        if self.is_lost:
            return head + NOT_SAVED
        is_float = isinstance(self.type, Base) and self.type.base.encoding == "float"
        if is_float and self.bits.is_complete:
            digits = (self.bits.size_bits + 3) // 4
            head += self.text(options)
            return f"{head:<{_NATURAL_COLUMN - 1}} (raw {self.bits.value:#0{digits + 2}x})"
        head += self.text(evolve(options, letter="x"))
        has_flags = isinstance(self.register, RegisterInfo) and bool(self.register.flags)
        if _is_vector(self.type) or not self.is_known or not (self.bits.is_complete or has_flags):
            return head
        # GDB leaves the type of a pointer out here; the symbol after the address may have blanks.
        natural = self.text(options)
        if natural.startswith("("):
            natural = natural[_end_of_cast(natural) :].lstrip()
        return f"{head:<{_NATURAL_COLUMN - 1}} {natural}"

    @property
    def record(self) -> JsonObject:
        """The value with the keys of GDB's machine interface: in hexadecimal, and by its type."""
        number = self.register.number if isinstance(self.register, RegisterInfo) else None
        raw = self.text(FormatOptions(letter="x"))
        natural = self.text(FormatOptions())
        return {"number": number, "name": self.name, "value": raw, "natural": natural}


def named_registers(session: Session, word: str) -> list[RegisterValue]:
    """Return the register, or those of the group, of a word with or without `$`; `UsageError` with
    GDB's wording."""
    name = word.removeprefix("$")
    if not name:
        raise UsageError("Missing register name")
    architecture = session.architecture
    base = frame_pointer(session) if name == "fp" else None
    if base is not None:
        pointer = RegisterInfo(name, None, architecture.address_type)
        kind = Pointer(None, size_bytes=architecture.address_bits // 8)
        return [RegisterValue(session, pointer, kind, base, name)]
    register: AnyRegister | None = architecture.part_named(name)
    register = register or architecture.pseudo_named(name) or architecture.register_named(name)
    if not isinstance(register, RegisterPart) and lacks(session, register):
        raise UsageError(f"Invalid register `{name}'")
    if register is not None:
        return [read_register(session, register)]
    role = next(filter(None, map(architecture.register_named, ROLES.get(name, ()))), None)
    if name == "pc":
        role = RegisterInfo("pc", None, architecture.address_type)
    if role is not None:
        return [evolve(read_register(session, role), name=name)]
    group = next((group for group in groups_of(architecture) if group.startswith(name)), None)
    if group is None:
        raise UsageError(f"Invalid register `{name}'")
    return [listed_register(session, register) for register in registers(session, group)]


def listed_register(session: Session, register: AnyRegister) -> RegisterValue:
    """Return the same as `read_register`; a register that is unknown in the frame costs a list
    nothing but its contents."""
    try:
        return read_register(session, register)
    except Unavailable as error:
        whole = register.register if isinstance(register, RegisterPart) else register
        kind = register_type(whole)
        size = size_bits(kind) or 0
        unknown = Bits(0, size, unavailable=(1 << size) - 1, reasons=(str(error),))
        return RegisterValue(session, whole, kind, unknown, register.name)


def read_register(session: Session, register: AnyRegister) -> RegisterValue:
    """Return the contents of a register in the frame in focus; the program location is the
    session's. `Unavailable` where the unwinder does not know it."""
    if isinstance(register, PseudoRegister):
        bits = _contents(session, pseudo_location(session, register), register.type.bit_size)
        return RegisterValue(session, register, register_type(register), bits, register.name)
    if isinstance(register, RegisterPart):
        register_bits = read_register(session, register.register).bits
        endian, part = session.architecture.endian, Base(register.type, is_range=True)
        bits = register_bits.slice(8 * register.offset_bytes, register.type.bit_size, endian)
        return RegisterValue(session, register, part, bits, register.name)
    outer = session.physical_frame if session.level else None
    if outer is not None and (register.name == "pc" or register.number is not None):
        has_rule = register.name != "pc" and register.number is not None
        bits = (
            outer.contents(register.number or 0) if has_rule else Bits(outer.pc, register.size_bits)
        )
    elif register.name == "pc" and session.pc is not None:
        bits = Bits(session.pc, register.size_bits)
    elif outer is not None:
        bits = _contents(session, outer.unnumbered(register), register.size_bits)
    else:
        single = SingleLocation(Register(register, session.wave))
        bits = _contents(session, Location((single,), session.stop), register.size_bits)
    kind = register_type(register)
    bits = bits.slice(0, size_bits(kind) or bits.size_bits, session.architecture.endian)
    return RegisterValue(session, register, kind, bits, register.name)


def _contents(session: Session, location: Location, size_bits: int) -> Bits:
    """Return what the wave has there, also where the program location is in no code."""
    context = Context(architecture=session.architecture, wave=session.wave, target=session.target)
    return context.access.read(location, size_bits)


def groups_of(architecture: Architecture) -> tuple[str, ...]:
    """Return the groups of registers, in the order of precedence of abbreviations."""
    groups = architecture.register_groups
    return _CLASSES if groups is None else groups.names


def registers(session: Session, group: str | None = None) -> list[AnyRegister]:
    """Return the registers of a group (`vector`), or `all`; without a group those that GDB shows by
    default. In order."""
    arch = session.architecture
    if arch.register_groups is not None:
        return [
            arch.part_named(name) or arch.pseudo_named(name) or arch.by_name[name]
            for name in arch.register_groups.members(group or "general", partial(_has, session))
        ]
    candidates = [*arch.registers.values(), *arch.other_registers]
    # pc_32 is the low half of pc, in its own number.
    candidates = [register for register in candidates if register.name != "pc_32"]
    return [
        register for register in candidates if group in (None, "all") or group in register.classes
    ]


def _has(session: Session, name: str) -> bool:
    """Return whether the processor of the wave has such a register with known contents."""
    register = session.architecture.by_name[name]
    if lacks(session, register):
        return False
    single = SingleLocation(Register(register, session.wave))
    size_bits = register.size_bits
    return _contents(session, Location((single,), session.stop), size_bits).is_complete


def _is_vector(kind: Type | None) -> bool:
    """Return whether a type is a vector to GDB: an array, or a union with one."""
    if isinstance(kind, Struct):
        return any(_is_vector(member.type) for member in kind.members)
    return isinstance(without_typedefs(kind), Array)


def _end_of_cast(text: str) -> int:
    """Return where the parentheses at the beginning of a text end."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index + 1
    return 0
