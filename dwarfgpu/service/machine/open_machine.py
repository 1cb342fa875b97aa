"""The stopped machine of the command line: a state file, a core file, or options only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import with_loaded_memory
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.loaded_state import WaveState, wave_named
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import PartlyKnown, WaveId

if TYPE_CHECKING:
    from pathlib import Path

    from dwarfgpu.machine.core.load import Core
    from dwarfgpu.objfile.elf import ObjectFile


NO_WAVES: Final = "the core file has no waves of GPUs; `dwarfgpu info` lists its threads"
"""The error of a command that needs waves."""


def require_architecture(code_objects: Sequence[CodeObject], architecture: Architecture) -> None:
    """Raise `UsageError` if the first code object is not for the machine of a state; one that is
    unreadable may be."""
    try:
        of_file = code_objects[0].info.architecture if code_objects else None
    except Malformed:
        return
    if of_file is not None and of_file.name != architecture.name:
        raise UsageError(
            f"{code_objects[0].name} is for {of_file.name}, but the state is of {architecture.name}"
        )


@frozen(eq=False)
class Stopped:
    """The stopped machine."""

    architecture: Architecture
    """The architecture of the initial focus."""
    machine: PartlyKnown
    given_state: StateTarget | None
    """The target of a state, to which options may add; None for a core."""
    waves: tuple[WaveState, ...]
    """The waves of a state; a core has only their numbers (`wave`, `all_waves`)."""
    code_objects: tuple[CodeObject, ...]
    has_started: bool
    """Whether it is a program that ran."""
    notes: tuple[str, ...] = ()
    """Notes for the user."""
    core: Core | None = None
    recorded: Mapping[ObjectFile, str] = field(factory=dict)
    """The SHA-256 that a state has of its code objects: what the machine belongs to, also where a
    file had changed when it was opened."""

    def target(self) -> TargetWithCodeObjects:
        """Return the machine, completed by what the code objects load."""
        return with_loaded_memory(self.machine, self.code_objects, has_started=self.has_started)

    def given_of(self, number: WaveId) -> StateTarget:
        """Return the contents that options add to a wave or thread."""
        if self.core is not None:
            return self.core.target.given_of(number)
        assert self.given_state is not None
        return self.given_state

    def architecture_of(self, number: WaveId) -> Architecture:
        """Return the architecture of a wave or thread: those of a core may differ."""
        return self.architecture if self.core is None else self.core.architecture_of(number)

    def all_waves(self) -> tuple[WaveState, ...]:
        """Return every wave; the threads of a core without waves."""
        if self.core is None:
            return self.waves
        gpu = self.core.gpu
        numbers = gpu.waves if gpu is not None and gpu.waves else self.core.threads
        return tuple(WaveState(number, self.core.pc_of(number)) for number in numbers)

    def wave(self, lwp: int | None, option: str | None = None) -> WaveState:
        """Return the wave with a number; a thread also by its LWP. By default it is the first of a
        state that stopped for some of its lanes, or else the first.

        `UsageError`, which names the option that gave the number, for a number that none has.
        """
        core = self.core
        if core is None:
            return wave_named(self.waves, lwp, self.given_state, option)
        focus = core.focus  # complains about a core without waves, whichever is asked for
        number = focus if lwp is None else lwp
        if number not in core.threads and not core.is_wave(number):
            numbers = (
                thread for thread, known_thread in core.threads.items() if known_thread.lwp == lwp
            )
            number = next(numbers, 0)
        if not number:
            last = core.numbers[-1]
            kind = "thread" if core.threads else "wave"
            valid = f"only {kind} 1" if last == 1 else f"{kind}s 1 to {last}"
            raise UsageError(
                f"{option or f'--{kind}'} {lwp}: the core has no such {kind}; it has {valid}"
            )
        return WaveState(number, core.pc_of(number))


def stopped_in_core(
    path: str,
    program: str | None,
    *,
    sysroot: str | None,
    load_address: int | None,
    dialect: str | None,
    strict: bool,
    debug_directories: tuple[str | Path, ...],
    library_debug_directories: tuple[str | Path, ...] | None = None,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
    gpu_core: str | None = None,
    gpu_files: Mapping[str, str] | None = None,
) -> Stopped:
    """Open the process of a core file; errors are those of
    `dwarfgpu.machine.core.load.load_core`.

    `debug_directories`: where debug files are; `library_debug_directories`: those of files that the
    core names, if others than that of `program`.
    """
    # Imported here, as by others who meet a core: most commands never do.
    from dwarfgpu.machine.core.load import load_core

    core = load_core(
        path,
        program,
        sysroot=sysroot,
        load_address=load_address,
        limits=limits,
        gpu_core=gpu_core,
        code_objects=gpu_files,
    )
    code_objects: list[CodeObject] = []
    of_libraries = (
        debug_directories if library_debug_directories is None else library_debug_directories
    )
    for file in core.files:
        is_named = file.is_program and program is not None
        # A core of GPUs alone has no program: the file that the user gives is the first one.
        is_given = program is not None and not core.threads and file is core.files[0]
        code_objects.append(
            CodeObject.of(
                file.file,
                file.load_address,
                dialect,
                strict=strict,
                debug_directories=debug_directories if is_named else of_libraries,
                loaded_files=code_objects,
                is_library=not (file.is_program or is_given),
            )
        )
    return Stopped(
        core.architecture,
        core.target,
        None,
        (),
        tuple(code_objects),
        has_started=True,
        notes=core.notes,
        core=core,
    )
