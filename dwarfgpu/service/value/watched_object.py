"""A watched object: the location of its bytes, and its value at a later stop.

Law: an expression is watched as GDB's software watchpoints do: whatever it reads, and where a
location list gives another place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final, cast

from dwarfgpu import language
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import define, evolve, field, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import Unavailable, UndefinedBits, UsageError
from dwarfgpu.expr.context import LocList
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.run_control import WatchedBytes
from dwarfgpu.machine.target import MemoryAddress, PartlyKnown, RegisterId, RegisterOffset, WaveId
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.value.suspended_frame import FRAME_REGISTERS, FrameRegisters
from dwarfgpu.session.session import Session
from dwarfgpu.view.values import FormatOptions

_END: Final = 1 << 64
_REGISTER: Final = re.compile(r"\$(\w+)")


@define(eq=False)
class _NotedReads(TargetWithCodeObjects):
    """A machine that notes what is read, or cannot be read because nothing has written it."""

    reads: list[WatchedBytes] = field(factory=list)
    frame_registers: dict[tuple[str, int, int], bytes] = field(factory=dict)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        count = (register.size_bits + 7) // 8 - offset_bytes if size_bytes is None else size_bytes
        self.reads.append(WatchedBytes(RegisterOffset(wave, register, offset_bytes), count))
        data = super().read_register(wave, register, offset_bytes, size_bytes)
        if register.name in FRAME_REGISTERS:
            self.frame_registers[register.name, offset_bytes, count] = data
        return data

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        self.reads.append(WatchedBytes(MemoryAddress(where, address), size_bytes))
        return super().read_memory(where, address, size_bytes)


@frozen(eq=False)
class Watched:
    """An object in the machine."""

    value: TypedValue
    """The value when it was last read, or why there was none."""
    object_bytes: tuple[WatchedBytes, ...]
    """The bytes of the object; empty for a computed value."""
    bytes: tuple[WatchedBytes, ...]
    """The same bytes, and those that determine its location: pointers, the frame base."""
    code: tuple[int, int] | None
    """Start and end of the code in which this location is valid; None: everywhere."""
    variables: tuple[Variable, ...]
    """Variables of the expression; without a value, those up to the one that has none."""
    frame_registers: FrameRegisters
    """By which they were found in the innermost frame."""

    @property
    def is_optimized_out(self) -> bool:
        """Whether the expression has no value at this program location."""
        return isinstance(self.value.error, UndefinedBits)

    def now(self, session: Session) -> TypedValue:
        """Return the current contents of the watched object."""
        location = self.value.location
        if location is None:
            return self.value
        moved = evolve(_unread(self.value), location=evolve(location, stop=session.stop))
        return ObjectAccess(session).read(moved)


def _unread(value: TypedValue) -> TypedValue:
    """Return the type and location of a value, without contents."""
    return TypedValue(
        value.type, value.location, bit_size=value.bit_size, unit=value.unit, around=value.around
    )


def text_of(value: TypedValue, session: Session, options: FormatOptions) -> str:
    """Return the text of a watched value."""
    if isinstance(value.error, Unavailable):
        return "<unavailable>"
    if isinstance(value.error, UndefinedBits):
        return "<optimized out>"
    return language.format(value, session, options)


def watched(session: Session, text: str, options: Options, *, is_location: bool = False) -> Watched:
    """Return the object of an expression, which may have no value at this program location: a
    location list gives a local variable one elsewhere, or a pointer in it is not written yet.

    `is_location`: the object is where `&` of the expression leads: behind a reference.

    Raises `UsageError` with GDB's wording for a constant, and the error of a value that never
    comes.
    """
    target = session.target
    if target is None:
        raise UsageError(f"Cannot watch constant value `{text}'.")
    used: list[Variable] = []
    if isinstance(target, TargetWithCodeObjects):
        noted = _NotedReads(target.behind, target.loaded_segments, target.has_started)
    else:
        noted = _NotedReads(cast(PartlyKnown, target), (), True)  # which only reads
    noting = evolve(session, target=noted)
    options = evolve(options, looked_at=lambda variable, _: used.append(variable))
    value = _read(text, noting, options, is_referred=is_location)
    named = frozenset(_REGISTER.findall(text))
    before = tuple(part for part in noted.reads if _decides(part, named))
    own: tuple[WatchedBytes, ...] = ()
    if value.location is None and "pc" in named:  # its value is that of the stop
        noted.reads.clear()
        ObjectAccess(noting).read(_unread(_read("$pc", noting, options)))
        before += tuple(noted.reads)
    if value.location is not None:
        noted.reads.clear()
        value = ObjectAccess(noting).read(_unread(value))
        own = tuple(noted.reads)
    watched_bytes = tuple(dict.fromkeys((*own, *before)))
    code = code_between_bounds(session.pc, used)
    kept = {} if session.level else noted.frame_registers
    item = Watched(value, own, watched_bytes, code, tuple(used), kept)
    has_location_list = code is not None and any(variable.kind != "global" for variable in used)
    # It comes when the object, or the pointer or index that leads to it, is written.
    is_unwritten = isinstance(value.error, Unavailable) and (
        value.location is not None or bool(before)
    )
    is_missing = isinstance(value.error, Unavailable | UndefinedBits)
    if value.error is not None and not is_unwritten and not (is_missing and has_location_list):
        raise value.error
    if not watched_bytes and not has_location_list:
        raise UsageError(f"Cannot watch constant value `{text}'.")
    return item


def _read(
    text: str, session: Session, options: Options, *, is_referred: bool = False
) -> TypedValue:
    """Return the value of an expression, or why it has none at this program location; with
    `is_referred`, of a reference the object to which it refers, not read."""
    try:
        value = language.evaluate(text, session, options)
        return ObjectAccess(session).referred(value) if is_referred else value
    except (Unavailable, UndefinedBits) as error:
        return TypedValue(None, error=error)


def _decides(part: WatchedBytes, named: frozenset[str]) -> bool:
    """Return whether what is read may be a pointer, an index or an operand: not the stack and frame
    pointers, by which variables are found, and a register of its own kind only where the expression
    names it."""
    if isinstance(part.start, MemoryAddress):
        return True
    name = part.start.register.name
    if name in named:
        return True
    return name[:1] in "sva" and is_decimal(name[1:]) and name not in FRAME_REGISTERS


def code_between_bounds(pc: int | None, variables: Iterable[Variable]) -> tuple[int, int] | None:
    """Return the code around a program location without a bound of a location list of the
    variables; None: all code."""
    locations = (variable.location for variable in variables)
    entries = [entry for item in locations if isinstance(item, LocList) for entry in item.entries]
    bounds = {bound for entry in entries for bound in (entry.begin, entry.end)} - {None}
    if pc is None or not bounds:
        return None
    ordered = sorted(bound for bound in bounds if bound is not None)
    index = bisect_right(ordered, pc)
    begin = ordered[index - 1] if index else 0
    return begin, ordered[index] if index < len(ordered) else _END
