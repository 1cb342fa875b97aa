"""The stopped machine that a script gives by keywords, and a session that looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias, TypedDict

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.arguments import WrongValue, integer, wrong_type
from dwarfgpu.base.json_reader import Field, Json
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS, as_loaded, code_ranges, name_of
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import InconsistentContext, Unavailable, UsageError, shown
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.language.presented_session import Session
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.load_contents import add_memory, set_part, set_register
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target

Contents: TypeAlias = int | bytes | Sequence[int | None]
"""What a register has: a number, its bytes, or a number for each lane, None where it is unknown."""


class Machine(TypedDict, total=False):
    """What is known of the stopped machine; everything else is unknown."""

    pc: int | None
    """The program location, as loaded; None if it is unknown, as without it."""
    registers: Mapping[str | int, Contents]
    """By name or DWARF number."""
    memory: Mapping[int, bytes]
    """Of the program, by address. Without `pc`, `registers` and `memory` it is what the file loads;
    with them, read-only memory alone is."""
    target: Target
    """A machine in place of `registers` and `memory`."""
    wave: int
    """A wave or thread of `target`; 0 by default."""
    lane: int
    cfa: int
    """The canonical frame address, where call frame information does not give it."""
    frame_base: int
    """DW_AT_frame_base, likewise."""
    quirks: frozenset[str]
    """As those of `Session`: what vector registers hold where upstream clang does not say it."""
    architecture: Architecture
    """For a file whose machine is not supported."""


def _lane(arch: Architecture, lane: object) -> int:
    """Return the number of a lane; `WrongValue` for one that a wave or a thread does not have."""
    if arch.is_simt:
        return integer("lane", lane, 0, arch.lane_count - 1)
    number = integer("lane", lane)
    if number:  # a `Session` has 0 for a whole thread
        raise WrongValue(f"lane {shown(number)}: a thread of {arch.name} has no lanes")
    return number


def session_of(
    entry: Die,
    code: CodeObject,
    *,
    pc: int | None = None,
    registers: Mapping[str | int, Contents] | None = None,
    memory: Mapping[int, bytes] | None = None,
    target: Target | None = None,
    wave: int = 0,
    lane: int | None = None,
    cfa: int | None = None,
    frame_base: int | None = None,
    quirks: frozenset[str] = frozenset(),
    architecture: Architecture | None = None,
) -> Session:
    """Return a session for an entry of a code object, in the function of the entry.

    `UsageError` for a keyword of the wrong type, registers that the architecture does not have,
    numbers that do not fit, and two machines; `InconsistentContext` for a program location where
    the entry is not in scope.
    """
    if architecture is not None and not isinstance(architecture, Architecture):
        raise wrong_type("architecture", architecture, "an Architecture")
    if target is not None and not isinstance(target, Target):
        raise wrong_type("target", target, "a Target")
    wave = integer("wave", wave, 0)
    arch = architecture or code.info.architecture
    if arch is None and target is not None:
        arch = target.architecture_of(wave)
    if arch is None:
        raise UsageError(
            f"{code.name} is for {code.file.machine}, whose registers are unknown: "
            "give its registers with architecture="
        )
    pc, cfa = _address(arch, "pc", pc), _address(arch, "cfa", cfa)
    frame_base = _address(arch, "frame_base", frame_base)
    if lane is not None:
        lane = _lane(arch, lane)
    for name, contents in ("registers", registers), ("memory", memory):
        if contents is not None and not isinstance(contents, Mapping):
            raise wrong_type(name, contents, "a dict")
    if target is None:
        is_running = not (pc is None and registers is None and memory is None)
        state = _state(arch, wave, pc, registers or {}, memory or {})
        target = TargetWithCodeObjects(state, tuple(code.loaded_segments()), is_running)
    elif registers or memory:
        raise UsageError("target= is a machine, and registers= and memory= are one: give either")
    notes = () if pc is None else _notes_on_location(target, wave, pc)
    return Session(
        arch,
        (code,),
        target,
        wave=wave,
        lane=lane,
        pc=pc,
        given_cfa=None if cfa is None else ExplicitAddress(0, cfa),
        given_frame_base=None if frame_base is None else ExplicitAddress(0, frame_base),
        function=_function_at(entry, pc),
        quirks=quirks,
        notes=notes,
    )


def _notes_on_location(target: Target, wave: int, pc: int) -> tuple[str, ...]:
    """Return a note for a program location at which the thread of a machine did not stop, as that
    of a caller."""
    arch = target.architecture_of(wave)
    if arch.program_counter is None:
        return ()
    try:
        counter = target.read_register(wave, arch.register(arch.program_counter))
    except Unavailable:
        return ()
    stopped = int.from_bytes(counter, arch.endian)
    if stopped == pc:
        return ()
    return (
        f"pc={pc:#x}: the thread is at {stopped:#x}: its registers are those of there; the "
        "sessions of dwarfgpu.stack_frames read in its callers",
    )


def address_of(arch: Architecture, name: str, address: int) -> int:
    """Return an address that a script gives; `UsageError` where the architecture has none such."""
    return integer(name, address, 0, (1 << arch.address_bits) - 1)


def _address(arch: Architecture, name: str, address: int | None) -> int | None:
    return None if address is None else address_of(arch, name, address)


def _function_at(entry: Die, pc: int | None) -> Subprogram | None:
    """Return the function of an entry, for a frame whose program location is unknown.

    It is the innermost: a function that is defined in another one, as a lambda, has its own frame
    and its own code.
    """
    for scope in scopes_around(entry):
        if pc is not None and scope.tag in FUNCTIONS | BLOCKS:
            spans = as_loaded(scope.unit, code_ranges(scope))
            if spans and not any(span.covers(pc) for span in spans):
                block = name_of(scope) or f"the block at {scope.offset:#x}"
                where = " ".join(f"[{span.begin:#x},{span.end:#x})" for span in spans[:4])
                raise InconsistentContext(
                    f"pc {pc:#x} and the DIE at {entry.offset:#x} disagree: {block} is at {where}"
                    + (f" and {len(spans) - 4} more ranges" if len(spans) > 4 else "")
                )
        if scope.tag == dw.TAG_SUBPROGRAM:
            return Subprogram(scope) if pc is None else None
    return None


def scopes_around(entry: Die) -> Iterator[Die]:
    """Yield the entry and the scopes around it, the innermost first."""
    scope: Die | None = entry
    while scope is not None:
        yield scope
        scope = scope.parent()


def _state(
    arch: Architecture,
    wave: int,
    pc: int | None,
    registers: Mapping[str | int, Contents],
    memory: Mapping[int, bytes],
) -> StateTarget:
    state = StateTarget(arch)
    state.add_wave(wave)
    if pc is not None and arch.program_counter is not None:
        # A.2.5.1: the program location of the top frame is the program counter.
        counter = arch.register(arch.program_counter)
        set_register(state, wave, counter, Field("pc", "value", pc))
    for key, contents in registers.items():
        _set(state, wave, key, contents)
    for key, data in memory.items():
        address = address_of(arch, "address in memory", key)
        if not isinstance(data, bytes | bytearray | memoryview):  # bytes(7) would be seven zeros
            raise wrong_type(f"memory[{address:#x}]", data, "bytes")
        record: dict[str, Json] = {"address": address, "bytes": bytes(data).hex()}
        add_memory(state, Field(f"memory[{address:#x}]", "", record), wave)
    return state


def _set(state: StateTarget, wave: int, key: object, contents: object) -> None:
    arch = state.architecture
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise wrong_type("registers", key, "names and DWARF numbers as keys")
    name = f"registers[{key!r}]" if isinstance(key, str) else f"registers[{shown(key)}]"
    field = Field(name, "value", _json_of(name, contents))
    part = arch.part_named(key) if isinstance(key, str) else None
    if part is not None:
        set_part(state, state, wave, part, field)
        return
    register = arch.register_named(key) if isinstance(key, str) else arch.registers.get(key)
    if register is None:
        hint = did_you_mean(key, arch.by_name) if isinstance(key, str) else ""
        raise UsageError(f"{name}: {arch.name} has no such register.{hint}")
    set_register(state, wave, register, field)


def _json_of(name: str, contents: object) -> Json:
    """Return the contents of a register as state files have them."""
    if isinstance(contents, bytes | bytearray | memoryview):
        return {"bytes": contents.hex()}
    if isinstance(contents, Iterable) and not isinstance(contents, str | Mapping | Set):
        return [
            None if number is None else integer(f"{name}[{lane}]", number)
            for lane, number in enumerate(contents)
        ]
    expected = "an integer, bytes or a list with an integer or None for each lane"
    return integer(name, contents, expected=expected)
