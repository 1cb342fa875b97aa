"""Trace each instruction of a run, with its source line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup, SourceLine
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.code.source_text import SourceText

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.execution.observers import Observer
    from dwarfgpu.machine.simulated.execution.trace import TraceEntry


@frozen(eq=False)
class TracedInstruction:
    """An instruction that was executed."""

    entry: TraceEntry
    source_line: SourceLine | None
    """If it differs from that of the wave's previous instruction."""
    source: str | None
    """The text of that line; None where the file is missing."""


class Observed(Protocol):
    """A machine that runs, or several of them."""

    @property
    def observers(self) -> tuple[Observer, ...]: ...

    def observe(self, *observers: Observer) -> None: ...


class RunTrace:
    """What traces a machine."""

    def __init__(
        self,
        code_objects: Iterable[CodeObject],
        show: Callable[[TracedInstruction], None],
        most: int | None = None,
        wave: int | None = None,
    ) -> None:
        """`most`: the number of instructions to trace; `wave`: trace this one alone."""
        listed = list(code_objects)
        self._lines = [LineLookup(code_object.scopes) for code_object in listed]
        limits = listed[0].file.limits if listed else DEFAULT_FILE_LIMITS
        self._texts = SourceText(limits)
        self._show, self._most, self._wave = show, most, wave
        self._last_lines: dict[int, tuple[str, int]] = {}
        """The file and the line of each wave's last instruction."""
        self._machines: list[tuple[Observed, tuple[Observer, ...]]] = []
        """Each with its other observers."""
        self.count = 0

    @property
    def notes(self) -> list[str]:
        """Why the texts of source lines may be missing that there are."""
        return self._texts.notes

    def attach(self, machine: Observed) -> None:
        """Trace a machine from now on."""
        from dwarfgpu.machine.simulated.execution.trace import Trace  # it imports NumPy

        self._machines.append((machine, machine.observers))
        machine.observe(*machine.observers, Trace(self._traced, self._wave))

    def _traced(self, entry: TraceEntry) -> None:
        self.count += 1
        if self.count == self._most:
            for machine, observers in self._machines:
                machine.observe(*observers)  # the rest runs at full speed
        line = self._line(entry.pc)
        key = None if line is None else (line.file.path, line.line)
        if line is None or self._last_lines.get(entry.wave) == key:
            self._show(TracedInstruction(entry, None, None))
        else:
            self._show(TracedInstruction(entry, line, self._texts.line(line)))
        if key is not None:
            self._last_lines[entry.wave] = key

    def _line(self, pc: int) -> SourceLine | None:
        for lines in self._lines:
            try:
                line = lines.line_of(pc)
            except DwarfGpuError:
                continue
            if line is not None:
                return line
        return None
