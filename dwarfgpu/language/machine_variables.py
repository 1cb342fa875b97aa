"""The machine's `$name` values: registers, the program location, lanes."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import PseudoRegister, RegisterInfo
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf.thread_local import UNKNOWN_THREAD_POINTER
from dwarfgpu.dwarf.types.types import Base, Pointer
from dwarfgpu.errors import DwarfGpuError, MissingContext, UsageError
from dwarfgpu.expr.context import require
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.register_types import register_type
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.wave_variables import WAVE_VARIABLES, wave_variable
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.target import Extensible, Named
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import UNDEFINED, Implicit, Part, Register
from dwarfgpu.session.session import Session

ROLES: Final = {"pc": ("rip", "eip"), "sp": ("rsp", "esp"), "fp": ("rbp", "ebp", "x29")}
"""GDB's names of registers that every architecture has, by their names in the architecture."""
_LANES: Final = ("_lane", "_lane_count")
_THREADS: Final = ("_thread", "_gthread")
"""GDB's names of the number of the thread in focus: here one program has all."""


def machine_value(session: Session, numbers: Numbers, name: str) -> TypedValue | None:
    """Return the value of a name, without its first `$`; None if it is unknown."""
    architecture = session.architecture
    if name == "_lane" and session.lane is not None:
        return _integer(numbers, session.lane)
    if name == "_lane_count":
        return _integer(numbers, used_lanes(session))
    if name in _THREADS and session.target is not None:
        return _integer(numbers, session.wave)
    if name == "pc" and session.pc is not None and not session.frame.level:
        kind = register_type(RegisterInfo("pc", None, architecture.address_type))
        counter = architecture.program_counter
        register = None if counter is None else architecture.register(counter)
        location = None if register is None else _location(session, register)
        return TypedValue(kind, location, bits=Bits(session.pc, architecture.address_bits))
    if name == "fp" and not session.has_ended:
        base = frame_pointer(session)
        if base is not None:
            kind = Pointer(None, size_bytes=architecture.address_bits // 8)
            return TypedValue(kind, bits=base)
    pseudo = architecture.pseudo_named(name)
    # d0 of AArch64 is a part of v0, whatever operations call that.
    register = None if pseudo is not None else _register(session, name)
    part = architecture.part_named(name)
    if session.has_ended and (register or pseudo or part):
        raise UsageError("No registers.")
    if lacks(session, register or pseudo):
        return None
    if register is not None and part is None:  # AArch64's w0 is half of a register, in no operation
        value = TypedValue(register_type(register), _location(session, register), is_register=True)
        if _has_no_value_yet(session, register):
            return evolve(value, error=UsageError("No registers."))
        return value
    if part is not None:
        location = _location(session, part.register).displaced(8 * part.offset_bytes)
        kind = Base(part.type, is_range=True)  # a byte is not a character
        value = TypedValue(kind, location, is_register=True)
        is_missing = _has_no_value_yet(session, part.register)
        return evolve(value, error=UsageError("No registers.")) if is_missing else value
    if pseudo is not None:
        location = pseudo_location(session, pseudo)
        return TypedValue(register_type(pseudo), location, is_register=True)
    wave = wave_variable(session, name)
    if wave is not None:
        return wave
    if name in ROLES:
        if name != "pc" and session.pc is not None and not session.has_ended:
            raise UsageError(f"Standard register ``${name}'' is not available for this target")
        raise UsageError("No registers.")
    if is_decimal(name.removeprefix("$")):
        raise UsageError(f"History has not yet reached ${name.removeprefix('$')}.")
    return None


def frame_pointer(session: Session) -> Bits | None:
    """Return what GDB calls `$fp`, the base address of the frame; None where it is not known."""
    # Few ask for it, and it imports the unwinder.
    from dwarfgpu.language.frame_base_address import frame_base_address

    base = frame_base_address(session)
    return None if base is None else Bits(base, session.architecture.address_bits)


def unknown_name_error(session: Session, name: str) -> DwarfGpuError:
    """Return why a name that can only be the machine's is unknown, with a suggestion."""
    architecture = session.architecture
    if name == "_lane" and architecture.is_simt:
        try:
            require(session.lane, "lane")
        except DwarfGpuError as error:
            return error
    if name in _THREADS:
        return MissingContext(f'"${name}": the context has no thread')
    if name in WAVE_VARIABLES:
        return UsageError(f'"${name}": the dispatch of wave {session.wave} is unknown')
    if not name.strip("$0123456789"):
        return UsageError(
            f'"${name}" is a value of the value history, which dwarfgpu does not have'
        )
    if lacks(session, architecture.pseudo_named(name) or architecture.register_named(name)):
        return UsageError(f'"${name}": the processor of thread {session.wave} has no such register')
    readable = [
        *architecture.by_name,
        *architecture.register_parts,
        *architecture.pseudo_registers,
        *ROLES,
        *_THREADS,
        *((*_LANES, *WAVE_VARIABLES) if architecture.is_simt else ()),
    ]
    advice = did_you_mean(name, readable, "$")
    if not advice:  # a name that is cut short: `$_workitem`
        longer = next((item for item in readable if item.startswith(f"{name}_")), None)
        advice = "" if longer is None else f' Did you mean "${longer}"?'
    if not advice and name[:1] == "_":
        advice = " GDB's convenience variables have values at the prompt: dwarfgpu debug."
    return UsageError(f'"${name}" is not a register of {architecture.name}.{advice}')


def lacks(session: Session, register: RegisterInfo | PseudoRegister | None) -> bool:
    """Return whether the processor lacks a register, or a part of a pseudo register.

    As in GDB, a program that has not started has no registers of extensions, such as ymm and k0.
    """
    target = session.target
    if register is None or not isinstance(target, Extensible):
        return False
    if isinstance(register, RegisterInfo):
        parts = [register]
    else:
        parts = [part for part, _, _ in register.pieces]
    if _is_not_started(session):
        from dwarfgpu.machine.core.register_layouts import lacking_registers  # few programs

        extensions = lacking_registers(None)  # no other architecture has registers of these names
        return any(part.name in extensions and _has_no_value_yet(session, part) for part in parts)
    return any(target.lacks_register(session.wave, part) for part in parts)


def lane_count(session: Session) -> int:
    """Return the number of lanes of the wave; 0 if it has ended, and without lanes in the
    architecture.

    By default, if the function does not specify it, that of the architecture.
    """
    if not session.architecture.is_simt or session.has_ended:
        return 0
    try:
        return session.lane_count()[0]
    except DwarfGpuError:
        return session.architecture.lane_count


def used_lanes(session: Session) -> int:
    """Return the number of lanes with a work-item; all if unknown."""
    used = session.target.used_lanes(session.wave) if isinstance(session.target, Named) else None
    return lane_count(session) if used is None else used


def without_thread(session: Session, error: DwarfGpuError) -> DwarfGpuError:
    """Return the error of an evaluation; where it needs the thread of a program that has not
    started, in words that say so."""
    if not error.message.startswith(UNKNOWN_THREAD_POINTER) or not _is_not_started(session):
        return error
    return UsageError(
        "Cannot find thread-local storage: a thread of a process or core file has it, and there is "
        "none"
    )


def _is_not_started(session: Session) -> bool:
    target = session.target
    if not isinstance(target, TargetWithCodeObjects):
        return False
    return not target.has_started and session.pc is None


def _has_no_value_yet(session: Session, register: RegisterInfo) -> bool:
    """Return whether a register is used in a program that has not started, and was not set."""
    target = session.target
    if target is None or not _is_not_started(session):
        return False
    try:
        target.read_register(session.wave, register)
    except DwarfGpuError:
        return not session.architecture.is_simt
    return False


def _integer(numbers: Numbers, value: int) -> TypedValue:
    number = numbers.integer(value)
    return TypedValue(number.type, bits=numbers.bits(number))


def _location(session: Session, register: RegisterInfo) -> Location:
    """Return where the frame in focus has a register."""
    frame = session.frame
    if frame.level and register.number is not None:
        return evolve(frame, cfi_only=True).register(register.number)
    if frame.level and (physical := session.physical_frame) is not None:
        return physical.unnumbered(register)
    return Location((SingleLocation(Register(register, session.wave)),), session.stop)


def pseudo_location(session: Session, pseudo: PseudoRegister) -> Location:
    """Return where the frame in focus has the bits of a pseudo register; the zeros above them are a
    value.

    In outer frames, a piece without a DWARF number is undefined once a piece before it was saved or
    lost.
    """
    parts: list[Part] = []
    remaining = pseudo.type.bit_size
    is_lost = False
    undefined = Location((SingleLocation(UNDEFINED),), session.stop)
    for register, first_bit, size_bits in pseudo.pieces:
        if is_lost and register.number is None:
            location = undefined
        else:
            location = _location(session, register).displaced(first_bit)
        own = SingleLocation(Register(register, session.wave), first_bit)
        is_lost |= location.single_locations != (own,)
        parts.append(Part(location, size_bits))
        remaining -= size_bits
    if remaining:
        parts.append(Part(Location((SingleLocation(Implicit(0, remaining)),)), remaining))
    return composite(parts)


def _register(session: Session, name: str) -> RegisterInfo | None:
    """Return the register of a name, or of a role that GDB has a name for."""
    named = session.architecture.register_named
    if not name.strip("$"):
        return None
    for role in (name, *ROLES.get(name, ())):
        register = named(role)
        if register is not None:
            return register
    return None
