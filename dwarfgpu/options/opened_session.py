"""The evaluation context on the command line: options to a session."""

from __future__ import annotations

import argparse
import os
from collections.abc import Set
from functools import partial
from os.path import dirname
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture, with_lanes
from dwarfgpu.base.printable import on_one_line
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject, has_end
from dwarfgpu.dwarf.loaded_code import split_by_machine
from dwarfgpu.errors import (
    DwarfGpuError,
    InconsistentContext,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.dialect.dialect import vgpr_contents
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.machine.state.loaded_state import State, WaveState
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.objfile.companions import Companions
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.separate_debug import is_debug_file
from dwarfgpu.options import program_location
from dwarfgpu.options.context_options import DEFAULT_ARCHITECTURE
from dwarfgpu.options.core_options import require_core
from dwarfgpu.options.file_options import require_end
from dwarfgpu.options.given_contents import (
    explicit_address,
    place_scratch,
    set_memories,
    set_registers,
)
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.integer_options import lane_number, natural, wave_number
from dwarfgpu.options.limit_options import VARIABLE_STEPS, file_limits_of, limits_of
from dwarfgpu.service.lanes.lane_count import check_lanes, checked_lanes
from dwarfgpu.service.machine.open_machine import Stopped, require_architecture
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from pathlib import Path


@frozen
class DispatchedFile:
    """The file of a `--dispatch`, whose state is in a folder that is removed at the end."""

    path: str
    target: str | None


def stopped_of(args: argparse.Namespace, files: list[str]) -> Stopped:
    """Return the machine that the options describe."""
    if args.core is None:
        require_core(args)
        return _of_state(args, files)
    if args.state is not None:
        raise UsageError("give --core or --state, not both")
    from dwarfgpu.options.opened_core import opened_core  # most machines are states

    stopped = opened_core(args, files[0] if files else None, strict=args.strict)
    if args.arch is not None and architecture(args.arch).name != stopped.architecture.name:
        raise UsageError(f"--arch {args.arch}, but the core is of {stopped.architecture.name}")
    return stopped


def _of_state(args: argparse.Namespace, files: list[str]) -> Stopped:
    state = None
    if args.state:
        from dwarfgpu.machine.state.load import load_state  # object files alone need none

        state = load_state(args.state, file_limits_of(args))
    with opening():
        code_objects = _code_objects(args, files, state)
        arch = _architecture(args, state, code_objects)
    if state is not None:
        target, notes, recorded = state.target, state.notes, dict[ObjectFile, str]()
        if any(listed.digest is not None for listed in state.code_objects):
            # Only for saved states.
            from dwarfgpu.service.machine.state_code_objects import changed_since, recorded_digests

            recorded = recorded_digests(state, code_objects)
            notes += tuple(changed_since(state, code_objects))
        return Stopped(
            arch, target, target, state.waves, code_objects, True, notes=notes, recorded=recorded
        )
    target, wave = StateTarget(arch), wave_number(args.wave, args.wave_option) or 0
    target.add_wave(wave)
    return Stopped(arch, target, target, (WaveState(wave, None),), code_objects, False)


def sessions_of_waves(args: argparse.Namespace, files: list[str]) -> list[Session]:
    """Yield a session for each wave of the state; `UsageError` with options that apply to one
    wave."""
    if args.state is None and args.core is None:
        raise UsageError("--wave all: only a state has waves; give --state FILE")
    for option in ("reg", "mem", "pc", "frame", "cfa", "frame_base", "scratch_base"):
        if getattr(args, option):
            name = option.replace("_", "-")
            raise UsageError(f"--{name} applies to one wave: it cannot be combined with --wave all")
    stopped = stopped_of(args, files)
    waves = stopped.all_waves()
    args.wave = str(waves[0].wave) if stopped.core is not None and waves else None
    first = session_of(args, files, stopped)
    sessions = [
        evolve(
            first.of_wave(wave.wave, wave.pc),
            given_cfa=None if wave.cfa is None else ExplicitAddress(0, wave.cfa),
        )
        for wave in waves
    ]
    if args.lane is not None:
        return sessions
    is_core = args.core is not None
    return [
        session.focused(session.initial_lane())
        if is_core or session.faulty_lane() is not None
        else session
        for session in sessions
    ]


def session_of(
    args: argparse.Namespace, files: list[str], stopped: Stopped | None = None
) -> Session:
    """Return the session that the options describe; with the lane `all`, it has no lane."""
    given_lanes, quirks = natural(args.lanes, "--lanes"), frozenset(args.quirk)
    if given_lanes is not None:
        checked_lanes(given_lanes)
    vgpr_contents(quirks)  # raises for both
    stopped = stopped or stopped_of(args, files)
    lane = None if args.lane == "all" else lane_number(args.lane)
    option = args.wave_option
    wave, code_objects = stopped.wave(wave_number(args.wave, option), option), stopped.code_objects
    arch = stopped.architecture_of(wave.wave)
    is_size_known = stopped.has_started or bool(stopped.code_objects) or args.arch is not None
    if is_size_known or given_lanes is None:
        check_lanes(given_lanes, lane, arch)
    own, of_other_machines = code_objects, tuple[CodeObject, ...]()
    if stopped.core is not None:
        own, of_other_machines = split_by_machine(code_objects, arch)
    target = stopped.target()
    session = Session(
        arch,
        own,
        target,
        wave=wave.wave,
        lane=lane,
        iteration=natural(args.iteration, "--iteration"),
        pc=wave.pc,
        is_pc_forced=args.force_pc,
        given_lanes=given_lanes,
        given_cfa=ExplicitAddress(0, wave.cfa) if wave.cfa is not None else None,
        strict=args.strict,
        is_mangled=args.mangled,
        quirks=quirks,
        is_heuristic=args.heuristic,
        limits=limits_of(args, VARIABLE_STEPS),
        notes=(
            *stopped.notes,
            *(note for code_object in code_objects for note in code_object.opening_notes),
        ),
        knows_loaded=stopped.core is not None or args.pc is None,
        other_code_objects=of_other_machines,
    )
    session = _at_program_location(args.pc, session)
    if stopped.core is not None and wave.pc is not None and session.pc != wave.pc:
        note = (
            f"--pc: the thread is at {wave.pc:#x}: its registers are those of there; --frame N "
            "selects a caller's"
        )
        session = evolve(session, notes=(*session.notes, note))
    _require_code_object(args, session)
    if args.lane is not None and (stopped.has_started or stopped.code_objects):
        _require_lanes(session)
    explicit = stopped.given_of(session.wave)
    place_scratch(args, explicit, session.wave)
    set_registers(args, target, explicit, session.wave, session.pc)
    set_memories(args, explicit, session.wave, session.lane)
    session = evolve(
        session,
        given_cfa=explicit_address(args.cfa, "--cfa", arch) or session.given_cfa,
        given_frame_base=explicit_address(args.frame_base, "--frame-base", arch),
    )
    if args.pc is not None and not args.force_pc:
        _check_location(session)
    number = natural(args.frame, "--frame")
    if not number:
        return session
    from dwarfgpu.session.stack_frames import selected  # no other option needs call frames

    return selected(session, number)


def in_first_lane(args: argparse.Namespace, session: Session) -> Session:
    """Return the session in the lane of `in_initial_lane`, or for the demo in its first active one;
    unless a lane is given."""
    if args.lane is not None or not session.architecture.is_simt:
        return session
    if args.demo:
        return session.focused(session.initial_lane())
    return in_initial_lane(session, is_core=args.core is not None)


def in_initial_lane(session: Session, *, is_core: bool) -> Session:
    """Return the session of a wave in the first lane for which it stopped, with a note.

    In a core file without one, the first active lane is in focus, as in ROCgdb. A state that has
    none leaves the session without a lane: it is a description, which need not be of a stop.
    """
    stopped = session.faulty_lane()
    if stopped is None and not is_core:
        return session
    focused = session.focused(session.initial_lane())
    from dwarfgpu.service.frame.focus import thread_and_lane  # few machines need its words

    which = "lane that failed" if is_core else "lane for which it stopped"
    if stopped is None or focused.lane != stopped:
        which = "active lane"
    note = f"{thread_and_lane(focused)}: the first {which}; --lane chooses another one"
    return evolve(focused, notes=(*focused.notes, f"thread {note}"))


def _at_program_location(text: str | None, session: Session) -> Session:
    """Return the session at the code location that `--pc` names, with a note where that is one of
    several."""
    if text is None:
        return session
    if program_location.is_number(text):
        return evolve(session, pc=program_location.address(session.code_objects, text, "--pc"))
    location = program_location.program_location(session, text, "--pc")
    return evolve(session, pc=location.pc, notes=(*session.notes, *location.notes))


def _check_location(session: Session) -> None:
    """Check that the given program location is that of the given lane (A.2.5.1)."""
    try:
        lane_pc = session.frame.lane_location(session.lane).pc
    except DwarfGpuError:
        return  # the answer reports it
    if lane_pc is not None and lane_pc != session.pc:
        raise InconsistentContext(
            f"--pc {session.pc:#x} and lane {session.lane}, which is at {lane_pc:#x}, disagree: "
            "--force-pc assumes that the lane is at --pc; --lane all shows each lane at its own "
            "location"
        )


def _require_lanes(session: Session) -> None:
    """Raise `UsageError` for a lane of a thread that has none: a CPU's, unless `--lanes` or the
    subprogram (DW_AT_LLVM_lanes) has several."""
    if session.architecture.is_simt or session.given_lanes is not None:
        return
    try:
        count, _ = session.lane_count()
    except DwarfGpuError:
        return  # the answer reports it
    if count == 1:
        from dwarfgpu.service.lanes.lane_choice import no_lanes  # most requests are right

        raise UsageError(no_lanes(session))


def _code_objects(
    args: argparse.Namespace, files: list[str], state: State | None
) -> tuple[CodeObject, ...]:
    load_address = natural(args.load_address, "--load-address")
    named: list[tuple[str | Path, int]] = [(file, load_address or 0) for file in files]
    if load_address is not None and not files:
        if state is None or len(state.code_objects) != 1:
            raise UsageError("--load-address: give the code object with --file")
        named = [(state.code_objects[0].path, load_address)]
    if state is not None:
        if load_address is None:
            named = [(path, _address_in(state, path)) for path, _ in named]
        paths = {resolved(path) for path, _ in named}
        named += [
            (code_object.path, code_object.load_address)
            for code_object in state.code_objects
            if resolved(code_object.path) not in paths
            and not (files and len(state.code_objects) == 1)
        ]
        _require_existing(state, {resolved(path) for path, _ in named})
    limits = file_limits_of(args)
    opened: Companions[ObjectFile] = Companions()  # a state may load a file thousands of times
    listed: list[CodeObject] = []
    for path, address in named:
        file, target = _source_of(args, path)
        code_object = CodeObject.of(
            opened.read(str(path), partial(open_object, file, target, limits)),
            address,
            args.dialect,
            strict=args.strict,
            debug_directories=(DEBUG_DIRECTORIES if args.debug_dir is None else args.debug_dir),
            loaded_files=listed,
        )
        listed.append(code_object)
    code_objects = _with_debug_files_first(listed)
    if load_address is not None or state is not None:
        _require_end(code_objects, None if load_address is not None else state)
    if state is not None and len(state.code_objects) > 1:
        from dwarfgpu.service.machine.state_code_objects import require_apart  # most have one

        require_apart(args.state, state, code_objects)
    return code_objects


def _source_of(args: argparse.Namespace, path: str | Path) -> tuple[str | Path, str | None]:
    """Return the file to open for one that a state names, and the target of it: where the state of
    `--dispatch` has a copy, answers name what was given."""
    dispatched: DispatchedFile | None = vars(args).get("dispatched")
    if dispatched is None or args.state is None or dirname(path) != dirname(args.state):
        return path, args.target
    return dispatched.path, dispatched.target


def _with_debug_files_first(code_objects: list[CodeObject]) -> tuple[CodeObject, ...]:
    """Return each debug file before the program at its address, whose code it describes; both are
    where the first of them was."""
    first: dict[int, int] = {}
    for index, one in enumerate(code_objects):
        first.setdefault(one.load_address, index)
    return tuple(
        sorted(code_objects, key=lambda one: (first[one.load_address], not is_debug_file(one.file)))
    )


def _address_in(state: State, path: str | Path) -> int:
    """Return where a state has loaded a file: one that it names, or the same as its only one."""
    for listed in state.code_objects:
        if resolved(listed.path) == resolved(path):
            return listed.load_address
    from dwarfgpu.service.machine.state_code_objects import address_of_same  # mostly it is listed

    return address_of_same(state, path)


def _require_code_object(args: argparse.Namespace, session: Session) -> None:
    """Raise `UsageError` if the wave of a state is not in the code object of the command line, but
    in another one that the state names."""
    own = session.code_objects
    if args.state is None or args.file is None or args.load_address is not None or len(own) != 1:
        return
    if session.pc is None or args.pc is not None or own[0].covers(session.pc):
        return
    from dwarfgpu.machine.state.load import load_state
    from dwarfgpu.service.machine.state_code_objects import in_another_code_object

    named = load_state(args.state, file_limits_of(args)).code_objects
    is_dispatch = vars(args).get("launched") is not None  # its file is a temporary one
    error = in_another_code_object(
        session.pc,
        own,
        args.file,
        "the dispatch" if is_dispatch else args.state,
        named,
        "--demo" if args.demo else args.file,
    )
    if error is not None:
        alternative = ", or give --load-address" if os.path.exists(named[0].path) else ""
        raise UsageError(f"{error.message}{alternative}")


def _require_existing(state: State, opened: Set[Path]) -> None:
    """Raise `UsageError` for a code object that a state names and that is missing."""
    for listed in state.code_objects:
        if (
            listed.path_field is None
            or resolved(listed.path) not in opened
            or os.path.exists(listed.path)
        ):
            continue
        advice = "; --file FILE gives it" if len(state.code_objects) == 1 else ""
        raise UsageError(
            f"{listed.path_field.source}: {listed.path_field.path}: there is no file "
            f"{on_one_line(str(listed.path))}: correct the path, which is relative to the folder "
            f"of the state, or put the file there{advice}"
        )


def _require_end(code_objects: tuple[CodeObject, ...], state: State | None) -> None:
    """Raise `UsageError` for a load address from which a code object would exceed 64 bits; the
    option, or that of a state."""
    for code_object in code_objects:
        if has_end(code_object):
            continue
        if state is not None:
            from dwarfgpu.service.machine.state_code_objects import require_end_in_state

            require_end_in_state(code_object, state)
        require_end(code_object)


def _require_addresses(file: ObjectFile, arch: Architecture) -> None:
    """Raise `UsageError` for a file whose addresses have another size than the architecture's, as
    those of the x32 ABI: types such as `long` have other sizes there, too."""
    bits = 8 * file.address_bytes
    if bits != arch.address_bits:
        raise UsageError(
            f"{file.path} is for {file.machine} with {bits}-bit addresses, which is not supported"
        )


def _architecture(
    args: argparse.Namespace, state: State | None, code_objects: tuple[CodeObject, ...]
) -> Architecture:
    if state is None:
        of_file = code_objects[0].info.architecture if code_objects else None
    else:
        arch = state.architecture
        if args.arch is not None and architecture(args.arch).name != arch.name:
            raise UsageError(f"--arch {args.arch}, but the state is of {arch.name}")
        require_architecture(code_objects, arch)
        return arch
    if args.arch is not None:
        arch = with_lanes(args.arch, None if code_objects else natural(args.lanes, "--lanes"))
        return of_file if of_file is not None and of_file.name == arch.name else arch
    if of_file is not None:
        _require_addresses(code_objects[0].file, of_file)
    if of_file is not None or not code_objects:
        return of_file or architecture(DEFAULT_ARCHITECTURE)
    from dwarfgpu.objfile.file_architecture import architecture_of  # raises the reason

    try:
        return architecture_of(code_objects[0].file)
    except Unsupported as error:
        raise UsageError(f"{error.message}; --arch names one to take in its place") from None
