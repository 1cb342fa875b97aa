"""Where waves are and why they stopped: one row per wave, or per group of similar waves.

Law: a place is looked up once per program location, however many waves are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.machine.core.gpu.stop_reasons import FAULTS
from dwarfgpu.machine.state.load import WaveState
from dwarfgpu.machine.target import Target
from dwarfgpu.machine.topology import Machine, Wave
from dwarfgpu.service.machine.open_machine import Stopped
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.machine.core.gpu.faulty_access import FaultyAccess
    from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
    from dwarfgpu.machine.core.load import Core

MAX_GROUPS = 24
"""Lines of a summary: what follows is on few waves, or on waves that did nothing wrong."""
_MAX_NUMBERS = 8
"""Ranges of numbers that a group shows."""


@frozen
class WavePosition:
    """Function and line of a program location, where debugging information has them."""

    function: str | None = None
    line: str | None = None
    """`saxpy.hip:17`."""


def position_text(pc: int | None, position: WavePosition) -> str:
    """Return a program location in words."""
    if pc is None:
        return "<no program location>"
    at = f" at {position.line}" if position.line else ""
    call = f"{position.function or '??'} (){at}"
    return call if at else f"{pc:#018x} in {call}"


@frozen
class WaveRow:
    """The facts about a wave."""

    wave: WaveState
    architecture: Architecture
    target_id: str
    active: int | None
    """Lanes of the execution mask that have a work-item; code for whole waves sets others, too."""
    used: int | None
    """Lanes that have a work-item."""
    position: WavePosition
    stop_reasons: tuple[str, ...]
    kernel: str | None
    is_faulty: bool = False
    access: FaultyAccess | None = None
    """The access at which it failed; None if it failed for another reason, or not at all."""

    @property
    def lanes(self) -> str:
        """`62/64`, as ROCgdb counts them."""
        return "/".join("?" if count is None else str(count) for count in (self.active, self.used))

    @property
    def where(self) -> str:
        """`saxpy () at saxpy.hip:17`, `0x00007f0000501000 in ?? ()` where there is no line."""
        return position_text(self.wave.pc, self.position)

    @property
    def frame(self) -> str:
        """The frame as in ROCgdb: the program location, the function, the line."""
        if self.wave.pc is None:
            return self.where
        at = f" at {self.position.line}" if self.position.line else ""
        return f"{self.wave.pc:#018x} in {self.position.function or '??'} (){at}"


class WavePositions:
    """The places of program locations in code objects."""

    def __init__(self, code_objects: Iterable[CodeObject]) -> None:
        self._code_objects = tuple(code_objects)
        self._lines: dict[CodeObject, LineLookup] = {}
        self._positions: dict[int, WavePosition] = {}

    def at(self, pc: int | None) -> WavePosition:
        """Return the place of a program location; without function and line if none is known."""
        if pc is None:
            return WavePosition()
        if pc not in self._positions:
            self._positions[pc] = self._position(pc)
        return self._positions[pc]

    def _position(self, pc: int) -> WavePosition:
        for code_object in self._code_objects:
            if not code_object.covers(pc):
                continue
            try:
                names = code_object.scopes.functions_at(pc)
                function = names[0] if names else None
            except DwarfGpuError:
                function = None
            try:
                lines = self._lines.setdefault(code_object, LineLookup(code_object.scopes))
                position = lines.line_of(pc)
                line = None if position is None else f"{position.file.name}:{position.line}"
                return WavePosition(function, line)
            except DwarfGpuError:
                return WavePosition(function)
        return WavePosition()


def wave_row(
    target: Target,
    machine: Machine,
    wave: WaveState,
    positions: WavePositions,
    *,
    is_faulty: bool = False,
    access: FaultyAccess | None = None,
) -> WaveRow:
    """Return the facts about one wave of a machine."""
    number, arch = wave.wave, target.architecture_of(wave.wave)
    used = machine.used_lanes(number)
    used = arch.lane_count if used is None else used
    active, register = None, arch.register_named("exec")
    if register is not None:
        try:
            mask = int.from_bytes(target.read_register(number, register), arch.endian)
            active = (mask & (1 << used) - 1).bit_count()
        except Unavailable:
            active = None
    wave_model, dispatch = machine.waves.get(number), machine.dispatch_of(number)
    return WaveRow(
        wave,
        arch,
        machine.target_id(number) if arch.is_simt else f"Thread {number}",
        active,
        used,
        positions.at(wave.pc),
        () if wave_model is None else wave_model.stop_reasons,
        None if dispatch is None else dispatch.kernel,
        is_faulty,
        access,
    )


@frozen
class WaveGroup:
    """Waves at one place that stopped for the same reasons."""

    kernel: str | None
    where: str
    stop_reasons: tuple[str, ...]
    is_faulty: bool
    numbers: tuple[int, ...]

    @property
    def text(self) -> str:
        """`1 wave in saxpy () at saxpy.hip:19: memory_violation, thread 7`."""
        count = len(self.numbers)
        waves = "1 wave" if count == 1 else f"{count} waves"
        kernel = f" of {self.kernel}" if self.kernel and self.kernel not in self.where else ""
        reasons = f": {', '.join(self.stop_reasons)}" if self.stop_reasons else ""
        threads = "thread" if count == 1 else "threads"
        return f"{waves}{kernel} in {self.where}{reasons}, {threads} {ranges(self.numbers)}"

    @property
    def record(self) -> JsonObject:
        """The group in the JSON of `waves` and of `info`."""
        return {
            "kernel": self.kernel,
            "where": self.where,
            "stop_reasons": [*self.stop_reasons],
            "is_faulty": self.is_faulty,
            "count": len(self.numbers),
            "waves": ranges(self.numbers),
        }


def wave_groups(rows: Iterable[WaveRow]) -> list[WaveGroup]:
    """Return the groups of waves: failed ones first, then by size."""
    return _groups(
        ((row.kernel, row.where, row.stop_reasons, row.is_faulty), row.wave.wave) for row in rows
    )


GroupKey: TypeAlias = tuple[str | None, str, tuple[str, ...], bool]
"""Kernel, place, stop reasons, and whether the waves failed."""


def _groups(numbers: Iterable[tuple[GroupKey, int]]) -> list[WaveGroup]:
    by_group: dict[GroupKey, list[int]] = {}
    for key, number in numbers:
        by_group.setdefault(key, []).append(number)
    groups = [WaveGroup(*key, tuple(waves)) for key, waves in by_group.items()]
    return sorted(groups, key=lambda group: (not group.is_faulty, -len(group.numbers)))


def ranges(numbers: Sequence[int]) -> str:
    """Return `1-3,7` for ascending numbers, as short as possible."""
    out: list[list[int]] = []
    for number in numbers:
        if out and out[-1][1] + 1 == number:
            out[-1][1] = number
        else:
            out.append([number, number])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in out]
    if len(words) > _MAX_NUMBERS:
        words = [*words[: _MAX_NUMBERS - 1], "…", words[-1]]
    return ",".join(words)


def is_faulty(wave: Wave | None) -> bool:
    """Return whether a wave was stopped because it failed."""
    return wave is not None and not FAULTS.isdisjoint(wave.stop_reasons)


@frozen(eq=False)
class CoreWaves:
    """The waves of a core file; a row is made on demand."""

    core: Core
    gpu: GpuTarget
    positions: WavePositions

    def rows(self) -> list[WaveRow]:
        """Return a row for each wave."""
        failed = {fault.number for fault in self.core.faults}
        return [
            wave_row(
                self.gpu,
                self.gpu.model,
                WaveState(number, self.gpu.gpu.pc(wave)),
                self.positions,
                is_faulty=number in failed,
                access=self.gpu.faulty_access(number) if number in failed else None,
            )
            for number, wave in self.gpu.waves.items()
        ]

    def groups(self) -> list[WaveGroup]:
        """Return the groups of the rows, without registers and names of each wave."""
        return _groups(self._keys())

    def _keys(self) -> Iterator[tuple[GroupKey, int]]:
        failed = {fault.number for fault in self.core.faults}
        machine, gpu, where = self.gpu.model, self.gpu.gpu, dict[int | None, str]()
        for number, wave in gpu.waves.items():
            pc, dispatch = gpu.pc(wave), machine.dispatch_of(number)
            if pc not in where:
                where[pc] = position_text(pc, self.positions.at(pc))
            kernel = None if dispatch is None else dispatch.kernel
            reasons = machine.waves[number].stop_reasons
            yield (kernel, where[pc], reasons, number in failed), number

    def group_lines(self) -> Iterator[str]:
        """Yield a line for each group, failed waves first, and one for all remaining groups."""
        groups = self.groups()
        for group in groups[:MAX_GROUPS]:
            yield group.text
        omitted = groups[MAX_GROUPS:]
        if omitted:
            waves = sum(len(group.numbers) for group in omitted)
            yield f"{waves} more waves at {len(omitted)} other places; waves --all lists every wave"

    def heading(self) -> str:
        """Return `3073 waves on gfx942, 1 faulty`."""
        names = (wave.architecture.name for wave in self.gpu.waves.values())
        return _heading(Counter(names), len(self.core.faults))


def waves_in_core(stopped: Stopped) -> CoreWaves:
    """Return the waves of a core file; `UsageError` for one that has only threads."""
    core = stopped.core
    if core is None or core.gpu is None:
        raise UsageError("the core file has no waves of GPUs; `dwarfgpu info` lists its threads")
    return CoreWaves(core, core.gpu, WavePositions(stopped.code_objects))


def _heading(counts: Counter[str], failed: int) -> str:
    words = (
        f"{count} {'wave' if count == 1 else 'waves'} on {name}" for name, count in counts.items()
    )
    return f"{', '.join(words) or 'no waves'}, {failed or 'none'} faulty"
