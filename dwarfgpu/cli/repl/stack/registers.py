"""Registers of the wave in focus, with the types that GDB gives them."""

from __future__ import annotations

from functools import partial
from typing import Final, TypeAlias

from dwarfgpu.arch.model import PseudoRegister, RegisterInfo, RegisterPart
from dwarfgpu.cli.repl.stack.focus import symbol_at
from dwarfgpu.dwarf.types import Array, Base, Type
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.context import Context
from dwarfgpu.language.machine import pseudo_location, register_type
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Register
from dwarfgpu.nouns import frozen
from dwarfgpu.session import Session
from dwarfgpu.view.plain import Record
from dwarfgpu.view.values import FormatOptions, format_value

_COLUMN = 15
_GENERAL: Final = (
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip", "eflags", "cs", "ss", "ds", "es", "fs", "gs", "fs_base", "gs_base",
)  # fmt: skip
"""Of x86-64, in GDB's order."""
_NATURAL_COLUMN = 35

AnyRegister: TypeAlias = RegisterInfo | RegisterPart | PseudoRegister


@frozen(eq=False)
class RegisterValue:
    """A register and what is known of its contents."""

    session: Session
    register: AnyRegister
    type: Type
    bits: Bits

    @property
    def is_known(self) -> bool:
        """Whether any bit is."""
        return self.bits.unknown.bit_count() < self.bits.size_bits

    def text(self, options: FormatOptions) -> str:
        """As `print $reg`."""
        architecture = self.session.architecture
        return format_value(
            self.bits,
            self.type,
            options,
            endian=architecture.endian,
            architecture=architecture,
            symbolize=partial(symbol_at, self.session),
        )

    @property
    def line(self) -> str:
        """As `info registers`: the name, in hexadecimal, and naturally unless it is a vector."""
        raw = self.text(FormatOptions(letter="x"))
        head = f"{self.register.name:<{_COLUMN - 1}} {raw}"
        has_flags = isinstance(self.register, RegisterInfo) and bool(self.register.flags)
        if isinstance(self.type, Array) or not (self.bits.is_complete or has_flags):
            return head
        if not self.is_known:
            return head
        # GDB leaves the type of a pointer out here.
        natural = self.text(FormatOptions()).rpartition(") ")[2]
        return f"{head:<{_NATURAL_COLUMN - 1}} {natural}"

    @property
    def record(self) -> Record:
        """With the keys of GDB's machine interface: in hexadecimal, and by its type."""
        number = getattr(self.register, "number", None)
        raw = self.text(FormatOptions(letter="x"))
        natural = self.text(FormatOptions())
        return {"number": number, "name": self.register.name, "value": raw, "natural": natural}


def register_named(session: Session, name: str) -> AnyRegister:
    """The register of a name, with or without `$`; `UsageError` in GDB's words."""
    architecture = session.architecture
    found: AnyRegister | None = architecture.register_named(name)
    found = found or architecture.part_named(name) or architecture.pseudo_named(name)
    if found is None:
        if name.lower() == "$pc" or name.lower() == "pc":
            return RegisterInfo("pc", None, session.architecture.address_type)
        raise UsageError(f"Invalid register `{name.removeprefix('$')}'")
    return found


def read_register(session: Session, register: AnyRegister) -> RegisterValue:
    """What the frame in focus has in a register; the program location is the session's."""
    if isinstance(register, PseudoRegister):
        bits = _contents(session, pseudo_location(session, register), register.type.bit_size)
        return RegisterValue(session, register, Base(register.type, is_range=True), bits)
    if isinstance(register, RegisterPart):
        whole = read_register(session, register.register).bits
        endian = session.architecture.endian
        bits = whole.slice(8 * register.offset_bytes, register.type.bit_size, endian)
        return RegisterValue(session, register, Base(register.type, is_range=True), bits)
    outer = session.physical_frame if session.level else None
    if outer is not None and (register.name == "pc" or register.number is not None):
        known = register.name != "pc" and register.number is not None
        bits = outer.contents(register.number or 0) if known else Bits(outer.pc, register.size_bits)
    elif register.name == "pc" and session.pc is not None:
        bits = Bits(session.pc, register.size_bits)
    else:
        place = SingleLocation(Register(register, session.wave))
        bits = _contents(session, Location((place,), session.stop), register.size_bits)
    return RegisterValue(session, register, register_type(register), bits)


def _contents(session: Session, location: Location, size_bits: int) -> Bits:
    """What the wave has there, also where the program location is in no code."""
    context = Context(architecture=session.architecture, wave=session.wave, target=session.target)
    return context.access.read(location, size_bits)


def registers(session: Session, word: str | None = None) -> list[RegisterInfo]:
    """Those of a class (`vector`), or `all`; without a word those that GDB shows without being
    asked for more. In order."""
    arch = session.architecture
    known = [*arch.registers.values(), *arch.other_registers]
    # pc_32 is the low half of pc, in its own number.
    known = [each for each in known if each.name != "pc_32"]
    if word is None and arch.machine == "X86_64":
        return [arch.by_name[name] for name in _GENERAL]
    return [each for each in known if word in (None, "all") or word in each.classes]
