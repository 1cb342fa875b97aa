"""A watchpoint, as `info breakpoints` lists it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.machine.run_control import Halt, Watch
from dwarfgpu.machine.target import MemoryAddress, RegisterOffset
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.service.value.watched_object import Watched
from dwarfgpu.session.frame_identity import FrameIdentity
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

_TYPES: Final = {"write": "hw watchpoint", "read": "read watchpoint", "access": "acc watchpoint"}
_KINDS: Final = {
    "write": "Hardware watchpoint",
    "read": "Hardware read watchpoint",
    "access": "Hardware access (read/write) watchpoint",
}
_KEYS: Final = {"write": "wpt", "read": "hw-rwpt", "access": "hw-awpt"}
"""The names of GDB's machine interface."""
REASONS: Final = {
    "write": "watchpoint-trigger",
    "read": "read-watchpoint-trigger",
    "access": "access-watchpoint-trigger",
}


@frozen(eq=False)
class ConditionNames:
    """What the names of a condition are."""

    session: Session
    """Where it was set."""
    variables: tuple[Variable, ...]
    block: Die | None
    """The innermost block of them; None for static ones."""


@define(eq=False)
class Watchpoint(Breakpoint):
    """An object whose accesses stop the machine."""

    watch: Watch = field(kw_only=True)
    """What the machine watches."""
    watched: Watched = field(kw_only=True)
    """The object when it was last looked at."""
    text: str = field(kw_only=True)
    """Its value then."""
    expression: str | None = field(default=None, kw_only=True)
    """The expression, evaluated again when anything changes that it depends on; None: the object is
    watched where it was."""
    session: Session = field(kw_only=True)
    """Where it was set: its wave and lane."""
    of_function: Die | None = field(default=None, kw_only=True)
    """The function of that frame, which may be inlined."""
    frame: FrameIdentity | None = field(default=None, kw_only=True)
    """The frame in which it is evaluated; None: the innermost one."""
    is_in_registers: bool = field(default=False, kw_only=True)
    block: Die | None = field(default=None, kw_only=True)
    """The innermost block of its local variables; None without any."""
    condition_names: ConditionNames | None = field(default=None, kw_only=True)
    """None for a condition without variables."""
    writes: int | None = field(default=None, kw_only=True)
    """How often something had been written at the prompt when the object was last looked at before
    the program ran; None if that is not known."""

    @property
    def lane_of_value(self) -> int | None:
        """The lane that has the value; None for memory and registers that several lanes share."""
        is_of_lane = any(
            self.frame is not None and start.register.register_class == "vector"
            if isinstance(start, RegisterOffset)
            else start.where.lane is not None
            for start in self._starts
        )
        return self.session.lane if is_of_lane else None

    @property
    def _starts(self) -> tuple[RegisterOffset | MemoryAddress, ...]:
        """Where the object is, or else what its value is computed from."""
        return tuple(item.start for item in self.watched.object_bytes or self.watched.bytes)

    @property
    def is_of_wave(self) -> bool:
        """Whether only the wave where it was set can change the value: that of its registers or
        private memory, or of a local variable that is not anywhere yet."""
        if not self._starts:
            return self.frame is not None
        return any(
            isinstance(start, RegisterOffset) or start.where.space.scope in ("wave", "lane")
            for start in self._starts
        )

    def lanes_of(self, halt: Halt) -> tuple[int, ...]:
        """Return the lane that has the value, or else those that accessed the object; none if that
        is unknown."""
        lane = self.lane_of_value
        if lane is not None:
            return (lane,)
        return dict(zip(halt.watchpoints, halt.watch_lanes, strict=False)).get(self.number, ())

    @property
    def type(self) -> str:
        return "watchpoint" if self.is_in_registers else _TYPES[self.watch.kind]

    @property
    def kind(self) -> str:
        return "Watchpoint" if self.is_in_registers else _KINDS[self.watch.kind]

    @property
    def reason(self) -> str:
        """Why it stops the program, as GDB's machine interface has it."""
        return REASONS[self.watch.kind]

    @property
    def named(self) -> JsonObject:
        """The watchpoint as GDB's machine interface names it."""
        return {_KEYS[self.watch.kind]: {"number": self.number, "exp": self.typed}}

    def row(self) -> str:
        return f"{'':18} {self.typed}"

    def details(self) -> Iterator[str]:
        if self.lane_of_value is not None:
            yield f"\tin lane {self.lane_of_value} of thread {self.session.wave}"
        elif self.is_of_wave and self.session.architecture.is_simt:
            yield f"\tin thread {self.session.wave}"
        yield from super().details()

    @property
    def location_record(self) -> JsonObject:
        return {"what": self.typed}
