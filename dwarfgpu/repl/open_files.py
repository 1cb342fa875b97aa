"""Open the files of a debug session: code objects, states and core files.

Law: if a file cannot be read, nothing changes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.base.readable_files import open_to_read
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.run_control import RunsWaves
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.undo import recorded
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.options.integer_options import byte
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.options.opened_session import DispatchedFile, session_of, stopped_of
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.repl.opened_machine import Opened, OpenedMachine, SearchFolders
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.service.machine.open_machine import Stopped
from dwarfgpu.service.run.resumable_state import resumable_state
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core


@frozen(eq=False)
class FileOpener:
    """Opens files with the options of the command line."""

    args: argparse.Namespace
    folders: SearchFolders = SearchFolders()

    @classmethod
    def of(cls, args: argparse.Namespace) -> FileOpener:
        """Return an opener that searches in the folders that the options name."""
        folders = args.debug_dir
        directories = DEBUG_DIRECTORIES if folders is None else tuple(folders)
        return cls(args, SearchFolders(args.sysroot, directories))

    def searching(self, folders: SearchFolders) -> FileOpener:
        """Return an opener that searches elsewhere for files that it opens from now on: those that
        are open keep their debug files, as in GDB."""
        return FileOpener(self.args, folders)

    def opened(self) -> Opened:
        """Open what the options name; `UsageError` if it cannot be read."""
        args = self.args
        files = [args.file] if args.file else []
        stopped = _able_to_run(args, stopped_of(args, files))
        session = session_of(args, files, stopped)
        if stopped.has_started:  # `--pc` is only where the wave is first
            session = evolve(session, knows_loaded=True)
        session = recorded_session(focused(session))
        before = OpenedMachine(
            wave_names(session),
            state_path=args.state,
            removed_folder=Path(args.state).parent if _is_dispatched(args) else None,
            recorded=stopped.recorded,
            file_limits=file_limits_of(args),
            opener=self,
        )
        core = stopped.core
        return Opened(session, before if core is None else _with_core(before, session, core))

    def code_object(self, focus: Session, path: str | None) -> Opened:
        """Open the machine with another code object, and the same wave and lane.

        A program for a CPU has no lanes, and without a program the session has lanes of a default
        architecture: then the lane is the first of the new wave.
        """
        wave = str(focus.wave) if focus.target is not None else self.args.wave
        directories = list(self.folders.debug_directories)
        libraries = vars(self.args).get("library_debug_dir")
        if libraries is None:  # an empty list has no folders
            libraries = self.args.debug_dir
        opened = self._with(
            file=path, wave=wave, lane=None, debug_dir=directories, library_debug_dir=libraries
        ).opened()
        session = opened.session
        lane = focus.lane if focus.lane in lane_numbers(session) else None
        return evolve(opened, session=recorded_session(focused(session.focused(lane))))

    def state(self, path: str) -> Opened:
        """Open another state; `UsageError` if it cannot be read."""
        return self._with(
            state=path,
            core=None,
            wave=None,
            lane=None,
            pc=None,
            debug_dir=list(self.folders.debug_directories),
            library_debug_dir=None,
            sysroot=None,
            launched=None,
        ).opened()

    def core(self, focus: Session, path: str | None, *, wave: WaveId | None = None) -> Opened:
        """Open another core file, or close it; `UsageError` if it cannot be read."""
        if path is not None:
            path = os.path.expanduser(path)
            _require_core(path)
        file, target = self._program(focus, path)
        sysroot = None if path is None else self.folders.sysroot
        directories = list(self.folders.debug_directories)
        is_found = self.args.file is None  # the program, by the core file
        again = self._with(
            state=None,
            core=path,
            wave=None if wave is None else str(wave),
            lane=None,
            pc=None,
            file=file,
            target=target,
            debug_dir=directories if is_found else self.args.debug_dir,
            library_debug_dir=directories,
            sysroot=sysroot,
            launched=None,
        )
        if path is None and file is not None and focus.program is not None:
            # As in GDB, the program stays where it was loaded; other files are at their addresses.
            placed = again._with(load_address=f"{focus.program.load_address:#x}").opened()
            return evolve(placed, machine=evolve(placed.machine, opener=again))
        try:
            return again.opened()
        except UsageError:
            if path is None or file is None:
                raise
        warning = "core file may not match specified executable file."
        return evolve(again._with(file=None).opened(), warnings=(warning,))

    def resumable(self, focus: Session, core: Core) -> Session:
        """Return a session on the waves of the core file, which can run."""
        # Most core files are only looked at.
        from dwarfgpu.service.run.resumable_core import resumable_core

        fill = byte(getattr(self.args, "fill", None), "--fill")
        most_bytes = file_limits_of(self.args).state_bytes
        loaded = (*focus.code_objects, *focus.other_code_objects)
        machine = resumable_core(core, loaded, fill=fill, most_bytes=most_bytes)
        segments = tuple(segment for item in loaded for segment in item.loaded_segments())
        target = recorded(TargetWithCodeObjects(machine, segments, True))
        top = None if focus.top is None else evolve(focus.top, target=target)
        return evolve(focus, target=target, top=top)

    def keep_paths(self) -> None:
        """Make file names absolute, so that they stay valid after the working directory
        changes."""
        for name in ("file", "core", "state", "sysroot"):
            path = getattr(self.args, name, None)
            if path is not None:
                setattr(self.args, name, absolute_path(path))

    def _program(self, focus: Session, core: str | None) -> tuple[str | None, str | None]:
        """Return the file of the program, for a machine with or without a core file, and the target
        of a bundle. A core file of GPUs names its own code objects, in no bundle."""
        own = None if focus.program is None else focus.program.file.path
        if own is None or os.path.exists(own):
            return own, self.args.target
        if core is not None:
            return None, None
        dispatched: DispatchedFile | None = getattr(self.args, "dispatched", None)
        if dispatched is None:
            return self.args.file, self.args.target
        return dispatched.path, dispatched.target

    def _with(self, **changed: str | list[str] | None) -> FileOpener:
        return FileOpener(argparse.Namespace(**{**vars(self.args), **changed}), self.folders)


def _is_dispatched(args: argparse.Namespace) -> bool:
    """Return whether the state is that of `--dispatch`: the launch has no part in another machine,
    and is left out where one is opened."""
    return getattr(args, "launched", None) is not None


def _able_to_run(args: argparse.Namespace, stopped: Stopped) -> Stopped:
    """Return a machine that can run: a dispatch from its start, a saved GPU state from where it
    stopped."""
    launched, state = getattr(args, "launched", None), stopped.given_state
    is_of_gpu = stopped.architecture.machine == "AMDGPU" and stopped.has_started
    if state is None or not is_of_gpu:
        return stopped
    if launched is None:
        fill = byte(getattr(args, "fill", None), "--fill")
        most_bytes = file_limits_of(args).state_bytes
        machine = resumable_state(state, stopped.code_objects, fill, most_bytes=most_bytes)
        return evolve(stopped, machine=machine)
    from dwarfgpu.service.run.run_kernel import able_to_run  # most sessions run nothing

    return evolve(stopped, machine=able_to_run(launched, state, stopped.code_objects))


def _with_core(before: OpenedMachine, session: Session, core: Core) -> OpenedMachine:
    # The readers of its notes are loaded for a core file only.
    from dwarfgpu.service.core.core_summary import signal_record, thread_id

    threads = {wave: thread_id(session, wave, t) for wave, t in core.threads.items()}
    if core.gpu is not None:
        threads |= {wave: core.gpu.target_id(wave) for wave in core.gpu.waves}
    signals = {wave: signal_record(t) for wave, t in core.threads.items()}
    known_signals = {wave: signal for wave, signal in signals.items() if signal is not None}
    return evolve(before, core=core, threads=threads, signals=known_signals)


def _require_core(path: str) -> None:
    """Raise `UsageError` with GDB's wording for a file that is not a core file."""
    full = absolute_path(path)
    try:
        with open_to_read(path):
            pass
    except (OSError, ValueError) as error:  # a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{full}: {reason}.") from None
    if not is_core(path):
        raise UsageError(f'"{full}" is not a core dump: file format not recognized')


def recorded_session(session: Session) -> Session:
    """Return the session on a machine that records writes."""
    target = session.target
    if isinstance(target, StateTarget):
        target = TargetWithCodeObjects(target, (), True)
    return (
        evolve(session, target=recorded(target))
        if isinstance(target, TargetWithCodeObjects)
        else session
    )


def wave_names(session: Session, known: Mapping[WaveId, str] | None = None) -> dict[WaveId, str]:
    """Return ROCgdb's names of the waves of a state that ran; for threads of a CPU, their numbers.

    `known`: names of waves of the machine, which running it does not change.
    """
    known = known or {}
    target = session.target
    machine = target.behind if isinstance(target, TargetWithCodeObjects) else target
    has_started = not isinstance(target, TargetWithCodeObjects) or target.has_started
    if not isinstance(machine, StateTarget):
        if not isinstance(machine, RunsWaves):
            return {}
        return {wave: machine.target_id(wave) for wave in machine.waves}
    if not has_started:
        return {}
    if not session.architecture.is_simt:
        return {wave: f"Thread {wave}" for wave in machine.waves}
    return {wave: known.get(wave) or machine.target_id(wave) for wave in machine.waves}


def focused(session: Session) -> Session:
    """Return the session with a lane in focus: by default the first active one.

    `UsageError` for a lane that the wave does not have.
    """
    lane = session.initial_lane() if session.lane is None else session.lane
    numbers = lane_numbers(session)
    if session.lane is not None and session.lane not in numbers:
        if not session.architecture.is_simt:
            from dwarfgpu.service.lanes.lane_choice import no_lanes  # most requests are right

            raise UsageError(no_lanes(session))
        raise UsageError(f"--lane {lane}: the wave has {len(numbers) or 'no'} lanes")
    return evolve(session, lane=lane, has_frames=True)
