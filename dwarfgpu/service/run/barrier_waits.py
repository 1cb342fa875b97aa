"""Show where waves wait at an unmet barrier (a deadlock), with source lines: text and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup, SourceLine
from dwarfgpu.errors import DwarfGpuError, plural
from dwarfgpu.machine.run_control import WavesAtBarrier


@frozen
class BarrierPosition:
    """Waves of workgroups at one program location, some of them waiting at a barrier."""

    waves: tuple[int, ...]
    state: str
    pc: int
    source: SourceLine | None

    @property
    def record(self) -> dict[str, Json]:
        """The members of its object of JSON."""
        return {
            "waves": list[Json](self.waves),
            "state": self.state,
            "pc": self.pc,
            "source": None if self.source is None else self.source.with_path,
        }


def barrier_positions(
    barriers: Iterable[WavesAtBarrier], code_objects: Iterable[CodeObject]
) -> tuple[BarrierPosition, ...]:
    """Return the waiting waves with their source lines."""
    objects = tuple(code_objects)
    return tuple(
        BarrierPosition(waiting.waves, waiting.state, waiting.pc, source_of(objects, waiting.pc))
        for waiting in barriers
    )


def barrier_lines(positions: Iterable[BarrierPosition]) -> Iterator[str]:
    """Yield `wave 2: waits, has not signalled, run/deadlock.hip:12:5`, for each location."""
    from dwarfgpu.view.number_runs import runs_text  # most runs have no deadlock

    for position in positions:
        where = f"{position.pc:#x}" if position.source is None else str(position.source)
        waves = f"{plural(len(position.waves), 'wave')} {runs_text(position.waves)}"
        yield f"{waves}: {position.state}, {where}"


def source_of(code_objects: Iterable[CodeObject], pc: int) -> SourceLine | None:
    """Return the source line of an instruction; None if no line table contains it."""
    for code_object in code_objects:
        try:
            line = LineLookup(code_object.scopes).line_of(pc)
        except DwarfGpuError:
            continue
        if line is not None:
            return line
    return None
