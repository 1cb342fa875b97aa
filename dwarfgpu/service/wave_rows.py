"""Where waves are and why they stopped: a row for each, and groups of those that are alike.

Law: a place is found once for a program location, however many waves are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.source_lines import Lines
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.machine.core.gpu.faults import FAULTS, faults
from dwarfgpu.machine.state.load import WaveState
from dwarfgpu.machine.target import Target
from dwarfgpu.machine.topology import Machine, Wave
from dwarfgpu.service.open_machine import Stopped

_MOST_NUMBERS = 8
"""Ranges of numbers that a group shows."""


@frozen
class WavePlace:
    """Function and line of a program location, where debugging information has them."""

    function: str | None = None
    line: str | None = None
    """`saxpy.hip:17`."""


@frozen
class WaveRow:
    """What is known of a wave."""

    wave: WaveState
    architecture: Architecture
    target_id: str
    active: int | None
    """Lanes of the execution mask that have a work-item; code for whole waves sets others, too."""
    used: int | None
    """Lanes that have a work-item."""
    place: WavePlace
    stop_reasons: tuple[str, ...]
    kernel: str | None
    is_faulty: bool = False

    @property
    def lanes(self) -> str:
        """`62/64`, as ROCgdb counts them."""
        return "/".join("?" if each is None else str(each) for each in (self.active, self.used))

    @property
    def where(self) -> str:
        """`saxpy () at saxpy.hip:17`, `0x00007f0000501000 in ?? ()` where there is no line."""
        if self.wave.pc is None:
            return "<no program location>"
        at = f" at {self.place.line}" if self.place.line else ""
        call = f"{self.place.function or '??'} (){at}"
        return call if at else f"{self.wave.pc:#018x} in {call}"

    @property
    def frame(self) -> str:
        """As ROCgdb: the program location, the function, the line."""
        if self.wave.pc is None:
            return self.where
        at = f" at {self.place.line}" if self.place.line else ""
        return f"{self.wave.pc:#018x} in {self.place.function or '??'} (){at}"


class WavePlaces:
    """The places of program locations in code objects."""

    def __init__(self, code_objects: Iterable[CodeObject]) -> None:
        self._code_objects = tuple(code_objects)
        self._lines: dict[CodeObject, Lines] = {}
        self._found: dict[int, WavePlace] = {}

    def at(self, pc: int | None) -> WavePlace:
        """The place of a program location; one without function and line where none is known."""
        if pc is None:
            return WavePlace()
        if pc not in self._found:
            self._found[pc] = self._place(pc)
        return self._found[pc]

    def _place(self, pc: int) -> WavePlace:
        for each in self._code_objects:
            if not each.covers(pc):
                continue
            try:
                names = each.scopes.functions_at(pc)
                function = names[0] if names else None
            except DwarfGpuError:
                function = None
            try:
                lines = self._lines.setdefault(each, Lines(each.scopes))
                found = lines.line_of(pc)
                line = None if found is None else f"{found.file.name}:{found.line}"
                return WavePlace(function, line)
            except DwarfGpuError:
                return WavePlace(function)
        return WavePlace()


def wave_row(
    target: Target,
    machine: Machine,
    wave: WaveState,
    places: WavePlaces,
    *,
    is_faulty: bool = False,
) -> WaveRow:
    """What is known of one wave of a machine."""
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
    known, dispatch = machine.waves.get(number), machine.dispatch_of(number)
    return WaveRow(
        wave,
        arch,
        machine.target_id(number) if arch.is_simt else f"Thread {number}",
        active,
        used,
        places.at(wave.pc),
        () if known is None else known.stop_reasons,
        None if dispatch is None else dispatch.kernel,
        is_faulty,
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


def wave_groups(rows: Iterable[WaveRow]) -> list[WaveGroup]:
    """The groups of waves: those that failed first, then by how many they are."""
    found: dict[tuple[str | None, str, tuple[str, ...], bool], list[int]] = {}
    for row in rows:
        key = row.kernel, row.where, row.stop_reasons, row.is_faulty
        found.setdefault(key, []).append(row.wave.wave)
    groups = [WaveGroup(*key, tuple(numbers)) for key, numbers in found.items()]
    return sorted(groups, key=lambda each: (not each.is_faulty, -len(each.numbers)))


def ranges(numbers: Sequence[int]) -> str:
    """`1-3,7`: ascending numbers, as few words as there can be."""
    out: list[list[int]] = []
    for number in numbers:
        if out and out[-1][1] + 1 == number:
            out[-1][1] = number
        else:
            out.append([number, number])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in out]
    if len(words) > _MOST_NUMBERS:
        words = [*words[: _MOST_NUMBERS - 1], "…", words[-1]]
    return ",".join(words)


def is_faulty(wave: Wave | None) -> bool:
    """Whether a wave was stopped because it failed."""
    return wave is not None and not FAULTS.isdisjoint(wave.stop_reasons)


@frozen
class CoreWaves:
    """The waves of a core file."""

    rows: list[WaveRow]
    machine: Machine
    notes: tuple[str, ...]


def waves_in_core(stopped: Stopped) -> CoreWaves:
    """The waves of a core; `UsageError` for one of threads alone."""
    core = stopped.core
    if core is None or core.gpu is None:
        raise UsageError("the core file has no waves of GPUs; `dwarfgpu info` lists its threads")
    failed = {fault.number for fault in faults(core.gpu.gpu)}
    machine, places = core.gpu.model, WavePlaces(stopped.code_objects)
    rows = [
        wave_row(
            core.gpu,
            machine,
            WaveState(number, core.pc_of(number)),
            places,
            is_faulty=number in failed,
        )
        for number in core.gpu.waves
    ]
    return CoreWaves(rows, machine, core.notes)


def waves_heading(rows: Sequence[WaveRow]) -> str:
    """`3073 waves on gfx942, 1 faulty`."""
    counts = Counter(row.architecture.name for row in rows)
    words = (
        f"{count} {'wave' if count == 1 else 'waves'} on {name}" for name, count in counts.items()
    )
    shown = ", ".join(words) or "no waves"
    failed = sum(row.is_faulty for row in rows)
    return f"{shown}, {failed or 'none'} faulty"
