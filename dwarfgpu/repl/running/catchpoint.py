"""A catchpoint, as `info breakpoints` lists it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from dwarfgpu.base.records import define, field
from dwarfgpu.machine.topology import model_of
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

Event: TypeAlias = Literal["fault", "dispatch", "workgroup"]


@define(eq=False)
class Catchpoint(Breakpoint):
    """An event that stops the machine: a fault of a wave, the begin of a dispatch or workgroup."""

    event: Event = field(kw_only=True)
    entries: tuple[int, ...] = field(default=(), kw_only=True)
    """The first instructions of the kernels where it may happen."""
    position: tuple[int, ...] = field(default=(), kw_only=True)
    """The only workgroup that is caught, as far as its coordinates are given."""
    begun: set[int] = field(factory=set, kw_only=True)
    """Dispatches or workgroups with a wave that was at its first instruction in this run."""

    @property
    def addresses(self) -> tuple[int, ...]:
        return self.entries

    @property
    def type(self) -> str:
        return "catchpoint"

    @property
    def kind(self) -> str:
        return "Temporary catchpoint" if self.is_temporary else "Catchpoint"

    @property
    def text(self) -> str:
        """`workgroup 1,0`."""
        numbers = ",".join(map(str, self.position))
        return f"{self.event} {numbers}".strip()

    def is_about(self, session: Session) -> bool:
        """Return whether the wave in focus, at its first instruction, begins what is caught."""
        machine = model_of(session.target)
        group = None if machine is None else machine.workgroup_of(session.wave)
        if self.event == "fault":
            return True
        if group is None:
            return False
        number = group.id if self.event == "workgroup" else group.dispatch
        if number is None or number in self.begun:
            return False
        self.begun.add(number)
        return not self.position or (group.position or ())[: len(self.position)] == self.position

    def row(self) -> str:
        return f"{'':18} {self.text}"

    @property
    def location_record(self) -> JsonObject:
        return {"what": self.text, "catch-type": self.event}
