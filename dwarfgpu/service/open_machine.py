"""The stopped machine of the command line: a state file, a core file, or nothing but options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.lazy_attrs import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.image import ImageTarget, Machine
from dwarfgpu.machine.state.load import WaveState, wave_named
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.objfile.file_limits import DEFAULT_LIMITS, FileLimits

if TYPE_CHECKING:
    from dwarfgpu.machine.core.target import Core


@frozen(eq=False)
class Stopped:
    """What is looked at."""

    architecture: Architecture
    machine: Machine
    given: StateTarget
    """Of the machine, what options may add to."""
    waves: tuple[WaveState, ...]
    code_objects: tuple[CodeObject, ...]
    has_started: bool
    """Whether it is a program that ran."""
    notes: tuple[str, ...] = ()
    """What the user should know of it."""
    core: Core | None = None

    def target(self) -> ImageTarget:
        """The machine, completed by what the code objects load."""
        images = (image for each in self.code_objects for image in each.images())
        return ImageTarget(self.machine, tuple(images), self.has_started)

    def wave(self, wanted: int | None) -> WaveState:
        """The wave of a number, the first by default; a thread also by the kernel's number."""
        if self.core is None:
            return wave_named(self.waves, wanted)
        threads = self.core.threads
        number = 1 if wanted is None else wanted
        if number not in threads:
            found = (wave for wave, thread in threads.items() if thread.lwp == wanted)
            number = next(found, 0)
        if number not in threads:
            known = "1" if len(threads) == 1 else f"1 to {len(threads)}"
            raise UsageError(f"--thread {wanted}: the core has no such thread; it has {known}")
        return self.waves[number - 1]


def stopped_in_core(
    path: str,
    program: str | None,
    *,
    sysroot: str | None,
    load_address: int | None,
    dialect: str | None,
    strict: bool,
    debug_directories: tuple[str | Path, ...],
    limits: FileLimits = DEFAULT_LIMITS,
) -> Stopped:
    """The process of a core file; errors as from `dwarfgpu.machine.core.target.load_core`."""
    # Imported here, as by others who meet a core: most commands never do.
    from dwarfgpu.machine.core.target import load_core

    core = load_core(path, program, sysroot=sysroot, load_address=load_address, limits=limits)
    code_objects = tuple(
        CodeObject.of(
            each.file,
            each.load_address,
            dialect,
            strict=strict,
            debug_directories=debug_directories,
        )
        for each in core.files
    )
    waves = tuple(WaveState(wave, core.pc_of(wave)) for wave in core.threads)
    return Stopped(
        core.architecture,
        core.target,
        core.target.given,
        waves,
        code_objects,
        has_started=True,
        notes=core.notes,
        core=core,
    )
