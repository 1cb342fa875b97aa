"""The stopped machine that a script gives by keywords, and a session that looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, TypedDict

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.json_reader import Field, Json
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS, as_loaded, code_ranges, name_of
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import InconsistentContext, UsageError
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.language.presented_session import Session
from dwarfgpu.machine.code_object_memory import ImageTarget
from dwarfgpu.machine.state.load import add_memory, set_part, set_register
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target

Contents: TypeAlias = int | bytes | Sequence[int | None]
"""What a register has: a number, its bytes, or a number for each lane, None where it is unknown."""


class Machine(TypedDict, total=False):
    """What is known of the stopped machine; everything else is unknown."""

    pc: int
    """The program location, as loaded."""
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
    architecture: Architecture
    """For a file whose machine dwarfgpu does not know."""


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
    architecture: Architecture | None = None,
) -> Session:
    """What looks at an entry of a code object, in the function of the entry.

    `UsageError` for registers that the architecture does not have, numbers that do not fit, and
    two machines; `InconsistentContext` for a program location where the entry is not in scope.
    """
    arch = architecture or code.info.architecture
    if arch is None and target is not None:
        arch = target.architecture_of(wave)
    if arch is None:
        raise UsageError(
            f"{code.name} is for {code.file.machine}, whose registers dwarfgpu does not know: "
            "give its registers with architecture="
        )
    if target is None:
        is_running = not (pc is None and registers is None and memory is None)
        state = _state(arch, wave, pc, registers or {}, memory or {})
        target = ImageTarget(state, tuple(code.images()), is_running)
    elif registers or memory:
        raise UsageError("target= is a machine, and registers= and memory= are one: give either")
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
    )


def _function_at(entry: Die, pc: int | None) -> Subprogram | None:
    """The function of an entry, for a frame whose program location is unknown."""
    function = None
    for scope in scopes_around(entry):
        if pc is not None and scope.tag in FUNCTIONS | BLOCKS:
            spans = as_loaded(scope.unit, code_ranges(scope))
            if spans and not any(span.covers(pc) for span in spans):
                shown = name_of(scope) or f"the block at {scope.offset:#x}"
                where = " ".join(f"[{span.begin:#x},{span.end:#x})" for span in spans[:4])
                raise InconsistentContext(
                    f"pc {pc:#x} and the DIE at {entry.offset:#x} disagree: {shown} is at {where}"
                    + (f" and {len(spans) - 4} more ranges" if len(spans) > 4 else "")
                )
        if scope.tag == dw.TAG_SUBPROGRAM:
            function = Subprogram(scope)
    return function if pc is None else None


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
    counter = arch.register_named("pc")
    if pc is not None and counter is not None:
        # A.2.5.1: the program location of the top frame is the program counter.
        set_register(state, wave, counter, Field("pc", "value", pc))
    for key, contents in registers.items():
        _set(state, wave, key, contents)
    for address, data in memory.items():
        place: dict[str, Json] = {"address": address, "bytes": bytes(data).hex()}
        add_memory(state, Field(f"memory[{address:#x}]", "", place), wave)
    return state


def _set(state: StateTarget, wave: int, key: str | int, contents: Contents) -> None:
    arch = state.architecture
    value: Json
    if isinstance(contents, bytes):
        value = {"bytes": contents.hex()}
    else:
        value = contents if isinstance(contents, int) else list(contents)
    field = Field(f"registers[{key!r}]", "value", value)
    part = arch.part_named(key) if isinstance(key, str) else None
    if part is not None:
        set_part(state, wave, part, field)
        return
    register = arch.register_named(key) if isinstance(key, str) else arch.registers.get(key)
    if register is None:
        hint = did_you_mean(key, arch.by_name) if isinstance(key, str) else ""
        raise UsageError(f"registers[{key!r}]: {arch.name} has no such register.{hint}")
    set_register(state, wave, register, field)
