"""The ranges of a variable's scope, and the lanes whose pc is in each."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.coverage.coverage import Coverage
from dwarfgpu.session.session import Session
from dwarfgpu.view.coverage_text import Line, SourceLines, coverage_lines
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.lane_position import lanes_by_pc
from dwarfgpu.view.number_runs import runs_text


@frozen(eq=False)
class ScopeRange:
    """A range of code, what describes the variable in it, and who is there."""

    line: Line
    is_current: bool
    """Whether the lane in focus is there."""
    lanes: tuple[int, ...]
    """The lanes of the frame that are there; none where the architecture has none."""
    source: SourceLines
    """The source lines of the variable's unit."""

    @property
    def who(self) -> str:
        """`lanes 0-8 are here`; empty for none."""
        if not self.lanes:
            return ""
        text = runs_text([*self.lanes])
        return f"lane {text} is here" if len(self.lanes) == 1 else f"lanes {text} are here"

    @property
    def record(self) -> JsonObject:
        """An element of the member `ranges` of the prompt's `where`."""
        span = self.line.span
        begin, end = (None, None) if span is None else (f"{span.begin:#x}", f"{span.end:#x}")
        files = [] if span is None else self.source.of(span)
        source: list[Plain] = [{"file": file, "lines": [*lines]} for file, lines in files]
        return {
            "begin": begin,
            "end": end,
            "lines": self.line.lines,
            "described": self.line.description,
            "current": self.is_current,
            "source": source,
            "lanes": [*self.lanes],
        }


def scope_ranges(
    session: Session, coverage: Coverage, *, with_operations: bool = False
) -> Iterator[ScopeRange]:
    """Yield the ranges of a scope in order of addresses."""
    source, every_line = (SourceLines(coverage.variable.unit) for _ in range(2))
    lanes = lanes_by_pc(session)
    here = None if session.is_absent else session.program_location
    lines = coverage_lines(coverage, session.architecture, source, with_operations=with_operations)
    for line in lines:
        span = line.span
        if span is None:
            yield ScopeRange(line, False, (), every_line)
            continue
        there = sorted(lane for pc in lanes if span.covers(pc) for lane in lanes[pc])
        is_current = here is not None and span.covers(here)
        yield ScopeRange(line, is_current, tuple(there), every_line)
