"""A report on a core file: the program, why it stopped, threads, waves, loaded files, memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import counted
from dwarfgpu.machine.core.gpu.core_state_note import CoreState
from dwarfgpu.machine.core.load import Core
from dwarfgpu.machine.core.memory import MemorySizes, cut_short, memory_sizes
from dwarfgpu.machine.target import WaveId
from dwarfgpu.objfile.companions import shown_path
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.service.core.core_summary import core_lines, core_record
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.machine.open_machine import Stopped
from dwarfgpu.service.waves.wave_frames import wave_frame
from dwarfgpu.service.waves.wave_rows import (
    CoreWaves,
    session_of_core,
    waves_in_core,
)
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject, Plain

_MOST_THREADS: Final = 100
"""Threads that the text lists, with the one in focus: a person reads no more."""


def _kind(core: Core) -> str:
    """Return `core file of x86_64, process 4711, with AMD GPUs`."""
    process = core.dump.process
    number = "" if process is None else f", process {process.pid}"
    if not core.threads:
        return f"core file of AMD GPUs{number}"
    gpus = "" if core.gpu is None else ", with AMD GPUs"
    return f"core file of {core.architecture.name}{number}{gpus}"


def _wave_lines(waves: CoreWaves | None) -> Iterator[str]:
    if waves is None:
        return
    yield f"waves: {waves.heading()}"
    for line in waves.group_lines():
        yield f"  {line}"


def _loaded(stopped: Stopped, core: Core) -> Iterator[str]:
    of_gpus = () if core.gpu_modules is None else core.gpu_modules.files
    loaded = zip(core.files, stopped.code_objects, strict=True)
    host_files = [(file, code) for file, code in loaded if file not in of_gpus]
    if host_files or core.gpu is None:
        yield "loaded:"
    for file, code in host_files:
        described = "" if code.info.has_units else ", no debug information"
        program = " (the program)" if file.is_program else ""
        yield f"  {file.load_address:#018x} {shown_path(file.file.path)}{program}{described}"


def _loaded_for_gpus(stopped: Stopped, core: Core) -> Iterator[str]:
    """Yield the code objects of the runtime's list, and why one has no file."""
    if core.gpu_modules is None:
        return
    yield "loaded for the GPUs:"
    codes = dict(zip(core.files, stopped.code_objects, strict=True))
    for module in core.gpu_modules.files:
        code = codes[module]
        kernels = len(read_gpu_code(module.file).kernels)
        plural = "kernel" if kernels == 1 else "kernels"
        described = f"{kernels} {plural}, {_debug_information(code)}"
        yield f"  {module.load_address:#018x} {shown_path(module.file.path)}: {described}"
    for entry, why in core.gpu_modules.missing.items():
        yield f"  {entry.load_address:#018x} {shown_path(entry.uri)} is not used: {why}"
    if not core.gpu_modules.listed and not core.gpu_modules.files:
        yield "  the core file has no list of them"


def _debug_information(code: CodeObject) -> str:
    """Return `DWARF 5, dialect amd`."""
    if not code.info.has_units:
        return "no debug information"
    if not code.info.units:
        return "no unit that can be read"
    first = code.info.units[0]
    return f"DWARF {first.format.version}, dialect {first.dialect.name}"


def _sizes(core: Core) -> MemorySizes:
    """Return the sizes for all files of the core."""
    sizes = [memory_sizes(dump.file) for dump in core.dumps]
    return MemorySizes(
        sum(size.present for size in sizes),
        sum(size.omitted for size in sizes),
        sum(size.missing for size in sizes),
    )


def _memory(core: Core) -> Iterator[str]:
    sizes, files = _sizes(core), "files" if len(core.dumps) > 1 else "file"
    missing = f", {sizes.missing} missing" if sizes.missing else ""
    yield f"memory: {sizes.present} bytes in the core {files}, {sizes.omitted} omitted{missing}"


def _rest(core: Core) -> Iterator[str]:
    if core.gpu is not None:
        yield _gpu(core.gpu.gpu.state)
    unread = [note for dump in core.dumps for note in dump.unread]
    if unread:
        yield f"notes that are not read: {', '.join(unread)}"


def _gpu(gpu: CoreState) -> str:
    agents = ", ".join(agent.processor for agent in gpu.agents) or "none"
    count = len(gpu.queues)
    return f"AMD GPUs: {agents}; {'1 queue' if count == 1 else f'{count} queues'}"


def _contents(core: Core) -> JsonObject:
    sizes = _sizes(core)
    cuts = [cut_short(dump.file) for dump in core.dumps]
    problems = [error_line(problem) for dump in core.dumps for problem in dump.problems]
    gpu = None if core.gpu is None else core.gpu.gpu.state
    agents: list[Plain] = [] if gpu is None else [agent.processor for agent in gpu.agents]
    return {
        "problems": [*filter(None, cuts), *problems],
        "memory": {
            "held_bytes": sizes.present,
            "omitted_bytes": sizes.omitted,
            "missing_bytes": sizes.missing,
        },
        "unread_notes": [note for dump in core.dumps for note in dump.unread],
        "gpu": None if gpu is None else {"agents": agents, "queues": len(gpu.queues)},
    }


def _record(
    core: Core,
    stopped: Stopped,
    threads: list[Plain],
    waves: CoreWaves | None,
) -> JsonObject:
    files: list[Plain] = [
        {
            "path": file.file.path,
            "load_address": f"{file.load_address:#x}",
            "is_program": file.is_program,
            "has_debug_info": code.info.has_units,
        }
        for file, code in zip(core.files, stopped.code_objects, strict=True)
    ]
    groups: list[Plain] = [group.record for group in (() if waves is None else waves.groups())]
    return {
        "core": core_record(core),
        "architecture": core.architecture.name if core.threads else None,
        "threads": threads,
        "waves": groups,
        "files": files,
        **_contents(core),
    }


def _hexadecimal(address: int | None) -> str | None:
    return None if address is None else f"{address:#x}"


@frozen(eq=False)
class CoreReport:
    """The report of `dwarfgpu info` on a core file."""

    core: Core
    stopped: Stopped
    waves: CoreWaves | None
    session: Session | None
    """Of the first thread; None if there is none."""

    def _innermost_frame(self, thread: WaveId) -> tuple[str, JsonObject | None]:
        """Return where a thread is: its innermost frame as text, and as a record."""
        assert self.session is not None
        return wave_frame(self.session.of_wave(thread, self.core.pc_of(thread)))

    def _thread_lines(self) -> Iterator[str]:
        core = self.core
        listed = list(islice(core.threads, _MOST_THREADS))
        if core.focus in core.threads and core.focus not in listed:
            listed.append(core.focus)
        for number in listed:
            mark = "*" if number == core.focus else " "
            lwp = core.threads[number].lwp
            yield f"{mark} {number:<4} LWP {lwp:<8} {self._innermost_frame(number)[0]}"
        if remaining := len(core.threads) - len(listed):
            yield f"  and {counted(remaining, 'more thread')}: see --json"

    def lines(self) -> Iterator[str]:
        """Yield the report as text."""
        core = self.core
        missing_notes = [] if core.gpu_modules is None else core.gpu_modules.missing_notes
        yield f"{core.dump.file.path}: {_kind(core)}"
        yield from core_lines(core)
        if core.threads:
            yield "threads:"
            yield from self._thread_lines()
        yield from _wave_lines(self.waves)
        yield from _loaded(self.stopped, core)
        yield from _loaded_for_gpus(self.stopped, core)
        yield from _memory(core)
        yield from _rest(core)
        yield from (f"note: {note}" for note in core.notes if note not in missing_notes)

    @property
    def record(self) -> JsonObject:
        """The object of `info --json`, without its schema."""
        threads: list[Plain] = [
            {
                "thread": number,
                "lwp": thread.lwp,
                "signal": thread.signal or None,
                "pc": _hexadecimal(self.core.pc_of(number)),
                "frame": self._innermost_frame(number)[1],
            }
            for number, thread in self.core.threads.items()
        ]
        return _record(self.core, self.stopped, threads, self.waves)


def core_report(stopped: Stopped) -> CoreReport:
    """Return the report on the core file that a machine is of."""
    core = stopped.core
    assert core is not None
    waves = None if core.gpu is None else waves_in_core(stopped)
    session = session_of_core(stopped, core.numbers[0]) if core.threads else None
    return CoreReport(core, stopped, waves, session)
