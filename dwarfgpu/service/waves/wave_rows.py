"""Where waves are and why they stopped: one row per wave, or per group of similar waves.

Law: the frame at a program location is found once, however many waves are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.loaded_code import split_by_machine
from dwarfgpu.dwarf.names.demangle import demangled_function, demangled_name, shown_symbol
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.machine.core.gpu.stop_reasons import FAULTS
from dwarfgpu.machine.state.loaded_state import WaveState
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Machine, Wave
from dwarfgpu.service.machine.open_machine import NO_WAVES, Stopped
from dwarfgpu.service.waves.wave_frames import LaneCounts, lane_counts, wave_frame
from dwarfgpu.session.session import Session
from dwarfgpu.session.unreadable_frames import UnreadableFrames
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.machine.core.gpu.faulty_access import FaultyAccess
    from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
    from dwarfgpu.machine.core.load import Core

MAX_GROUPS = 24
"""Lines of a summary: what follows is on few waves, or on waves that did nothing wrong."""
_MAX_NUMBERS = 8
"""Ranges of numbers that a group shows."""
_STYLE: Final = FrameStyle(arguments="presence")
"""Values of arguments are those of one wave."""
_ADDRESS: Final = pattern(r"^0x[0-9a-f]+ in ")


@frozen
class WaveRow:
    """The facts about a wave."""

    wave: WaveState
    architecture: Architecture
    target_id: str
    lanes: LaneCounts
    position: WavePosition
    stop_reasons: tuple[str, ...]
    kernel: str | None
    is_faulty: bool = False
    access: FaultyAccess | None = None
    """The access at which it failed; None if it failed for another reason, or not at all."""


@frozen
class WavePosition:
    """Where waves with the same program location are."""

    address: str
    """What the frame begins with: `0x… in `, or nothing."""
    words: str
    """The rest of the frame, which positions share."""
    function: str | None = None
    line: str | None = None
    """`saxpy.hip:17`."""

    @property
    def frame(self) -> str:
        """The innermost frame as in `info threads`, with `...` for all arguments."""
        return self.address + self.words

    @property
    def where_words(self) -> FrameWords:
        """The frame without its address, where it has a source line."""
        return "" if self.line is not None else self.address, self.words


FrameWords: TypeAlias = tuple[str, str]
"""The two parts of the text of a frame."""


class WavePositions:
    """The positions of the waves of a machine, by program location. A long name is kept once."""

    def __init__(self, session: Session, unreadable: UnreadableFrames) -> None:
        """What cannot be read of the frames is added to `unreadable`."""
        self._session = session
        self._positions: dict[int | None, WavePosition] = {}
        self._texts: dict[str, str] = {}
        self._unreadable = unreadable

    def at(self, wave: WaveId, pc: int | None) -> WavePosition:
        """Return where a wave is; only lanes with locations of their own need one lookup each."""
        if pc in self._positions:
            return self._positions[pc]
        session = self._session.of_wave(wave, pc)
        frame, record = wave_frame(session, _STYLE, unreadable=self._unreadable)
        function = line = None
        if record is not None:
            name = record["func"]
            function = None if name is None else self._kept(str(name))
            line = None if record["file"] is None else f"{record['file']}:{record['line']}"
        address = "" if (match := _ADDRESS.match(frame)) is None else match[0]
        words = self._kept(frame[len(address) :])
        position = WavePosition(address, words, function, line)
        if not session.focused_frame.has_lane_pc:
            self._positions[pc] = position
        return position

    def _kept(self, text: str) -> str:
        """Return the text that other positions have, too."""
        return self._texts.setdefault(text, text)


def wave_row(
    session: Session,
    machine: Machine,
    positions: WavePositions,
    *,
    is_faulty: bool = False,
    access: FaultyAccess | None = None,
) -> WaveRow:
    """Return the facts about the wave in focus."""
    number, pc = session.wave, session.pc
    wave, dispatch = machine.waves.get(number), machine.dispatch_of(number)
    is_simt = session.architecture.is_simt
    return WaveRow(
        WaveState(number, pc),
        session.architecture,
        machine.target_id(number) if is_simt else f"Thread {number}",
        lane_counts(session),
        positions.at(number, pc),
        () if wave is None else wave.stop_reasons,
        None if dispatch is None else dispatch.kernel,
        is_faulty,
        access,
    )


@frozen
class WaveGroup:
    """Waves at one program location that stopped for the same reasons."""

    kernel: str | None
    where_words: FrameWords
    stop_reasons: tuple[str, ...]
    is_faulty: bool
    numbers: tuple[int, ...]

    @property
    def where(self) -> str:
        """Where they are: `saxpy () at saxpy.hip:19`."""
        return "".join(self.where_words)

    @property
    def text(self) -> str:
        """`1 wave in saxpy () at saxpy.hip:19: memory_violation, thread 7`."""
        count = len(self.numbers)
        waves = "1 wave" if count == 1 else f"{count} waves"
        name = None if self.kernel is None else demangled_name(self.kernel) or self.kernel
        is_there = name is None or f" {name} (" in f" {self.where}"
        kernel = "" if is_there else f" of {shown_symbol(self.kernel or '')}"
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
        (
            (row.kernel, row.position.where_words, row.stop_reasons, row.is_faulty),
            row.wave.wave,
        )
        for row in rows
    )


GroupKey: TypeAlias = tuple[str | None, FrameWords, tuple[str, ...], bool]
"""Kernel, frame, stop reasons, and whether the waves failed."""


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


def is_kernel(symbol: str | None, text: str) -> bool:
    """Return whether a text names the kernel: by its symbol, by name, or with parameters."""
    if symbol is None or text == symbol:
        return symbol is not None
    names = demangled_name(symbol), demangled_function(symbol), shown_symbol(symbol)
    return text.replace(" ", "") in {name.replace(" ", "") for name in names if name is not None}


def is_faulty(wave: Wave | None) -> bool:
    """Return whether a wave was stopped because it failed."""
    return wave is not None and not FAULTS.isdisjoint(wave.stop_reasons)


@frozen(eq=False)
class CoreWaves:
    """The waves of a core file; a row is made on demand."""

    core: Core
    gpu: GpuTarget
    session: Session | None
    """The first wave; None if there is none."""
    unreadable: UnreadableFrames = field(factory=UnreadableFrames, init=False, repr=False)
    """What cannot be read of the frames of the rows and groups that were made."""

    def rows(self) -> list[WaveRow]:
        """Return a row for each wave."""
        session = self.session
        if session is None:
            return []
        failed = {fault.number for fault in self.core.faults}
        positions = WavePositions(session, self.unreadable)
        return [
            wave_row(
                session.of_wave(number, self.gpu.gpu.pc(wave)),
                self.gpu.model,
                positions,
                is_faulty=number in failed,
                access=self.gpu.faulty_access(number) if number in failed else None,
            )
            for number, wave in self.gpu.waves.items()
        ]

    def groups(self) -> list[WaveGroup]:
        """Return the groups of the rows, without registers and names of each wave."""
        return _groups(self._keys())

    def _keys(self) -> Iterator[tuple[GroupKey, int]]:
        if self.session is None:
            return
        failed = {fault.number for fault in self.core.faults}
        machine, gpu = self.gpu.model, self.gpu.gpu
        positions = WavePositions(self.session, self.unreadable)
        for number, wave in gpu.waves.items():
            dispatch = machine.dispatch_of(number)
            kernel = None if dispatch is None else dispatch.kernel
            where = positions.at(number, gpu.pc(wave)).where_words
            reasons = machine.waves[number].stop_reasons
            yield (kernel, where, reasons, number in failed), number

    def group_lines(self) -> Iterator[str]:
        """Yield a line for each group, failed waves first, and one for all remaining groups."""
        groups = self.groups()
        for group in groups[:MAX_GROUPS]:
            yield group.text
        omitted = groups[MAX_GROUPS:]
        if omitted:
            waves = sum(len(group.numbers) for group in omitted)
            locations = counted(len(omitted), "other location")
            yield f"{waves} more waves at {locations}; waves --all lists every wave"

    def heading(self) -> str:
        """Return `3073 waves on gfx942, 1 faulty`, also whether not all are read."""
        if not self.gpu.gpu.is_complete and not self.gpu.waves:
            return "no waves are read; see the notes"
        unread = "" if self.gpu.gpu.is_complete else "; not all waves are read"
        names = (wave.architecture.name for wave in self.gpu.waves.values())
        return f"{_heading(Counter(names), len(self.core.faults))}{unread}"


def waves_in_core(stopped: Stopped) -> CoreWaves:
    """Return the waves of a core file; `UsageError` for one that has only threads."""
    core = stopped.core
    if core is None or core.gpu is None:
        raise UsageError(NO_WAVES)
    first = next(iter(core.gpu.waves), None)
    return CoreWaves(core, core.gpu, None if first is None else session_of_core(stopped, first))


def session_of_core(stopped: Stopped, number: WaveId) -> Session:
    """Return the session at a wave or thread of a core file."""
    core = stopped.core
    assert core is not None
    arch = core.architecture_of(number)
    own, of_other_machines = split_by_machine(stopped.code_objects, arch)
    return Session(
        arch,
        own,
        stopped.target(),
        wave=number,
        pc=core.pc_of(number),
        knows_loaded=True,
        other_code_objects=of_other_machines,
    )


def _heading(counts: Counter[str], failed: int) -> str:
    words = (
        f"{count} {'wave' if count == 1 else 'waves'} on {name}" for name, count in counts.items()
    )
    return f"{', '.join(words) or 'no waves'}, {failed or 'none'} faulty"
