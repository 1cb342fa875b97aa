"""`dwarfgpu info` on a core file: what ran, why it stopped, its threads, what was loaded."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import evolve

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.core.gpu.note import CoreState
from dwarfgpu.machine.core.memory import cut_short, memory_sizes
from dwarfgpu.machine.core.notes import CoreDump, read_core
from dwarfgpu.machine.core.target import Core
from dwarfgpu.machine.target import WaveId
from dwarfgpu.objfile.companions import shown_path
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.service.core_summary import core_lines, core_record
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.frame_line import frame_record, frame_text
from dwarfgpu.service.open_machine import Stopped, stopped_in_core
from dwarfgpu.session.backtrace import stack_frames
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject, Plain

SCHEMA: Final = "dwarfgpu-info-core-1"


def info_core(args: argparse.Namespace, path: str, directories: tuple[str | Path, ...]) -> int:
    """Print the report on a core; 1 where a part of it could not be read.

    The errors are those of `dwarfgpu.machine.core.target.load_core`.
    """
    with opening():
        dump = read_core(open_object(path, file_limits_of(args)))
    if dump.architecture is None:
        return _print_gpus(args, dump)
    with opening():
        stopped = stopped_in_core(
            path,
            args.file,
            sysroot=args.sysroot,
            load_address=None,
            dialect=args.dialect,
            strict=False,
            debug_directories=directories,
            limits=file_limits_of(args),
        )
    core, wave = stopped.core, stopped.waves[0]
    assert core is not None
    session = Session(
        stopped.architecture,
        stopped.code_objects,
        stopped.target(),
        wave=wave.wave,
        pc=wave.pc,
        knows_loaded=True,
    )
    lines = {wave: _innermost(session, core, wave) for wave in core.threads}
    if args.json:
        print(json.dumps({"schema": SCHEMA, **_record(core, stopped, lines)}))
    else:
        name = core.architecture.name
        process = "" if dump.process is None else f", process {dump.process.pid}"
        for text in (
            f"{dump.file.path}: core file of {name}{process}",
            *core_lines(core),
            "threads:",
            *(
                f"{'*' if wave == session.wave else ' '} {wave:<4} LWP {thread.lwp:<8} "
                f"{lines[wave][0]}"
                for wave, thread in core.threads.items()
            ),
            *_loaded(stopped, core),
            *_memory(dump),
            *_rest(dump),
            *(f"note: {each}" for each in core.notes),
        ):
            print(one_line(text))
    return 1 if core.notes else 0


def _print_gpus(args: argparse.Namespace, dump: CoreDump) -> int:
    """The report on a core of AMD GPUs alone, whose waves are not read."""
    if args.json:
        told: JsonObject = {"core": None, "architecture": None, "threads": [], "files": []}
        print(json.dumps({"schema": SCHEMA, **told, **_contents(dump)}))
    else:
        for text in (f"{dump.file.path}: core file of AMD GPUs", *_memory(dump), *_rest(dump)):
            print(one_line(text))
        cut = cut_short(dump.file)
        for problem in (*([] if cut is None else [cut]), *_problems(dump)):
            print(one_line(f"problem: {problem}"))
    return 1


def _innermost(session: Session, core: Core, wave: WaveId) -> tuple[str, JsonObject | None]:
    """Where a thread is, as `info threads` of GDB tells it."""
    try:
        of_thread = evolve(session, wave=wave, pc=core.pc_of(wave))
        frame = next(stack_frames(of_thread))
        record = frame_record(frame, with_arguments=True)
    except DwarfGpuError as error:
        return f"<error: {error_line(error)}>", None
    return frame_text(frame, record).partition(" ")[2].lstrip(), record


def _loaded(stopped: Stopped, core: Core) -> Iterator[str]:
    yield "loaded:"
    for each, code in zip(core.files, stopped.code_objects, strict=True):
        described = "" if code.info.units else ", no debug information"
        program = " (the program)" if each.is_program else ""
        yield f"  {each.load_address:#018x} {shown_path(each.file.path)}{program}{described}"


def _memory(dump: CoreDump) -> Iterator[str]:
    sizes = memory_sizes(dump.file)
    missing = f", {sizes.missing} missing" if sizes.missing else ""
    yield f"memory: {sizes.held} bytes in the core file, {sizes.left_out} left out{missing}"


def _rest(dump: CoreDump) -> Iterator[str]:
    if dump.gpu is not None:
        yield _gpu(dump.gpu)
    if dump.unread:
        yield f"notes that are not read: {', '.join(dump.unread)}"


def _gpu(gpu: CoreState) -> str:
    agents = ", ".join(each.processor for each in gpu.agents) or "none"
    count = len(gpu.queues)
    queues = "1 queue" if count == 1 else f"{count} queues"
    return f"AMD GPUs: {agents}; {queues}, whose waves are not read (NT_AMDGPU_CORE_STATE)"


def _problems(dump: CoreDump) -> list[Plain]:
    return [error_line(each) for each in dump.problems]


def _contents(dump: CoreDump) -> JsonObject:
    sizes, cut, gpu = memory_sizes(dump.file), cut_short(dump.file), dump.gpu
    agents: list[Plain] = [] if gpu is None else [each.processor for each in gpu.agents]
    return {
        "problems": [*([] if cut is None else [cut]), *_problems(dump)],
        "memory": {
            "held_bytes": sizes.held,
            "left_out_bytes": sizes.left_out,
            "missing_bytes": sizes.missing,
        },
        "unread_notes": [*dump.unread],
        "gpu": None if gpu is None else {"agents": agents, "queues": len(gpu.queues)},
    }


def _record(
    core: Core, stopped: Stopped, lines: dict[WaveId, tuple[str, JsonObject | None]]
) -> JsonObject:
    files: list[Plain] = [
        {
            "path": each.file.path,
            "load_address": f"{each.load_address:#x}",
            "is_program": each.is_program,
            "has_debug_info": bool(code.info.units),
        }
        for each, code in zip(core.files, stopped.code_objects, strict=True)
    ]
    threads: list[Plain] = [
        {
            "thread": wave,
            "lwp": thread.lwp,
            "signal": thread.signal or None,
            "pc": f"{core.pc_of(wave):#x}",
            "frame": lines[wave][1],
        }
        for wave, thread in core.threads.items()
    ]
    told: JsonObject = {"core": core_record(core), "architecture": core.architecture.name}
    return {
        **told,
        "threads": threads,
        "files": files,
        **_contents(core.dump),
    }
