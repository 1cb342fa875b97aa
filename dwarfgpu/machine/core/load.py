"""Open the core of a process: its threads, its waves, its memory, and the loaded files.

Law: the GPUs may have a core file of their own; where both files contain an address, theirs is
read. A missing or inconsistent part gives one note; the rest is still shown.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Final

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import integer
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import Malformed, Unavailable, UnreadableFile, UsageError
from dwarfgpu.machine.core.core_target import CoreTarget
from dwarfgpu.machine.core.gpu.code_objects import (
    GpuModules,
    contradicted_agents,
    function_code,
    gpu_modules,
    kernel_name,
    why_not_loaded,
)
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.stop_reasons import Fault, faults, first_stopped
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.link_map import link_maps
from dwarfgpu.machine.core.memory import (
    CoreMemory,
    core_protection,
    core_ranges,
    cut_short,
    damage_notes,
    shift_of_pipe,
    unmapped_reason,
)
from dwarfgpu.machine.core.modules import LoadedFile, MissingLibrary, Modules, Where, modules
from dwarfgpu.machine.core.notes import CoreDump, CoreThread, read_core
from dwarfgpu.machine.core.process_target import ProcessTarget
from dwarfgpu.machine.sparse_memory import UNMAPPED
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.thread_blocks import ThreadBlocks
from dwarfgpu.objfile.container import open_object as open_code_object
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import PT_NOTE
from dwarfgpu.objfile.elf_structures import PF_W, PT_LOAD
from dwarfgpu.objfile.file_bytes import map_file
from dwarfgpu.objfile.file_kinds import LONGEST_MAGIC_BYTES, compressed_by

DEFAULT_PROCESSOR: Final = "gfx942"
"""Processor of a core whose note lists no known GPU."""
_GAP_BYTES: Final = 128 << 20
"""Size of the gap below a stack, where Linux maps nothing."""


@frozen(eq=False, slots=False)
class Core:
    """A loaded core."""

    dump: CoreDump
    """The dump of the threads, unless the core is of GPUs only."""
    target: CoreTarget | GpuTarget | ProcessTarget
    files: tuple[LoadedFile, ...]
    """The loaded files, the program first."""
    notes: tuple[str, ...]
    """Missing and mismatched parts; one line each."""
    threads: Mapping[WaveId, CoreThread] = field(factory=dict)
    """Keyed by GDB's numbers; the first is the one that failed."""
    gpu: GpuTarget | None = None
    """The waves, numbered after the threads."""
    gpu_modules: GpuModules | None = None
    gpu_dump: CoreDump | None = None
    """The dump of the GPUs, if they have a core file of their own."""
    missing: tuple[MissingLibrary, ...] = ()
    """The libraries of the threads that have no file among `files`."""

    @property
    def dumps(self) -> tuple[CoreDump, ...]:
        """The files of the core."""
        return (self.dump,) if self.gpu_dump is None else (self.dump, self.gpu_dump)

    @property
    def numbers(self) -> tuple[WaveId, ...]:
        """The numbers of every thread and wave."""
        return (*self.threads, *(() if self.gpu is None else self.gpu.waves))

    @property
    def architecture(self) -> Architecture:
        """The architecture of the initial focus; for a core without threads and waves, of the first
        GPU that is known."""
        if not self.numbers:
            agents = () if self.gpu is None else self.gpu.gpu.state.agents
            names = (agent.processor for agent in agents if agent.processor in PROCESSORS)
            return amdgpu(next(names, DEFAULT_PROCESSOR))
        return self.architecture_of(self.focus)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The waves that failed."""
        return () if self.gpu is None else tuple(faults(self.gpu.gpu))

    @cached_property
    def focus(self) -> WaveId:
        """The initial focus: a wave that failed, else the first thread; without threads a wave that
        stopped by itself.

        `UsageError` for a core without threads and waves.
        """
        if self.faults:
            return self.faults[0].number
        if self.gpu is not None and not self.threads:
            stopped = first_stopped(self.gpu.gpu)
            if stopped is not None:
                return stopped
        if not self.numbers:
            notes = self.notes if self.gpu is None else self.gpu.gpu.notes
            why = notes[-1] if notes else "no wave was executing"
            kind = UnreadableFile if self.gpu and not self.gpu.gpu.is_complete else UsageError
            raise kind(f"{self.dump.file.path} has no waves: {why}")
        return self.numbers[0]

    @names_wrong_arguments
    def is_wave(self, number: WaveId) -> bool:
        """Return whether a number is that of a GPU wave."""
        return self.gpu is not None and number in self.gpu.waves

    @names_wrong_arguments
    def target_id(self, number: WaveId) -> str:
        """Return ROCgdb's name of a wave, or the number of a thread."""
        is_wave = self.gpu is not None and self.is_wave(number)
        return self.gpu.target_id(number) if self.gpu and is_wave else f"Thread {number}"

    @names_wrong_arguments
    def architecture_of(self, number: WaveId) -> Architecture:
        """Return the architecture of a thread or a wave."""
        return self.target.architecture_of(number)

    @names_wrong_arguments
    def pc_of(self, number: WaveId) -> int | None:
        """Return where a thread or a wave stopped; None if the core does not have it."""
        arch = self.architecture_of(number)
        counter = arch.register(arch.program_counter or 0)
        try:
            return int.from_bytes(self.target.read_register(number, counter), arch.endian)
        except Unavailable:
            return None


@names_wrong_arguments
def load_core(
    path: Path | str,
    program: Path | str | None = None,
    *,
    sysroot: Path | str | None = None,
    load_address: int | None = None,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
    gpu_core: Path | str | None = None,
    code_objects: Mapping[str, Path | str] | None = None,
) -> Core:
    """Open a core file and the files that it maps.

    `program` is the executable, if it is not at the core's path; for a core of GPUs only it is a
    code object. `sysroot` is the folder of the libraries; `load_address` is that of the program if
    nothing determines it. `gpu_core` is the core file of the GPUs, if they have one of their own;
    `code_objects` maps URIs of code objects to files. `UsageError` if it is not a core, or the
    program did not run; `Malformed` without threads or waves; `Unsupported` for an unsupported
    machine.
    """
    dump = read_core(_opened(path, limits))
    gpu_dump = None if gpu_core is None else read_core(_opened(gpu_core, limits))
    if gpu_dump is not None:
        _check_halves(dump, gpu_dump)
    if not dump.threads and dump.gpu is None:
        raise next(iter(dump.problems), Malformed(f"{path} {_why_no_threads(dump.file)}"))
    if load_address is not None:
        load_address = integer("load_address", load_address)
    where = Where(_name_of(program), _name_of(sysroot), load_address, limits)
    named = {uri: os.path.join("", file) for uri, file in (code_objects or {}).items()}
    return _Loader(dump, gpu_dump, where, named).core()


def _name_of(path: Path | str | None) -> str | None:
    """Return the text of a path; a `TypeError` for one that is not text."""
    return None if path is None else os.path.join("", path)


def _why_no_threads(file: ObjectFile) -> str:
    """Return what a core file without threads and GPUs lacks."""
    if not file.segments:
        return "has no threads: it has no program headers (e_phnum is 0)"
    if not any(segment.type == PT_NOTE for segment in file.segments):
        return "has no threads: it has no notes (PT_NOTE)"
    return "has no threads: none of its notes is of a thread (NT_PRSTATUS)"


def _opened(path: Path | str, limits: FileLimits) -> ObjectFile:
    """Return a core file, decompressed if it is compressed."""
    path = os.fspath(path)  # that of an `os.DirEntry`, too
    data = map_file(path)
    if compressed_by(bytes(data[:LONGEST_MAGIC_BYTES])) is not None:
        from dwarfgpu.objfile.compressed_file import decompressed  # few files are compressed

        data = decompressed(str(path), data, limits)
    return ObjectFile(str(path), data, limits)


def _check_halves(dump: CoreDump, gpu_dump: CoreDump) -> None:
    """Raise `UsageError` unless the first core is of threads only, and the second of GPUs only."""
    if gpu_dump.gpu is None:
        raise UsageError(f"--gpu-core {gpu_dump.file.path} has no GPUs (NT_AMDGPU_CORE_STATE)")
    if gpu_dump.threads:
        raise UsageError(f"--gpu-core {gpu_dump.file.path} has threads, too: give it with --core")
    if not dump.threads:
        raise UsageError(f"--core {dump.file.path} has no threads: it is of GPUs only")
    if dump.gpu is not None:
        raise UsageError(f"--core {dump.file.path} has GPUs, too: leave out --gpu-core")


class _Loader:
    """Opens the parts of a core; each part has notes about what is missing."""

    def __init__(
        self,
        dump: CoreDump,
        gpu_dump: CoreDump | None,
        where: Where,
        code_objects: Mapping[str, str],
    ) -> None:
        self._dump = dump
        self._gpu_dump = gpu_dump
        self._where = where
        self._code_objects = code_objects
        self._threads = dict(enumerate(dump.threads, 1))

    def core(self) -> Core:
        dumps = [self._dump] if self._gpu_dump is None else [self._gpu_dump, self._dump]
        shift, notes = self._shift()
        host_ranges = [
            core_ranges(dump.file, shift if dump.gpu is not None else 0) for dump in dumps
        ]
        unmapped = self._unmapped(CoreMemory(*host_ranges))
        memory = CoreMemory(*host_ranges, unmapped=unmapped)
        for dump in dumps:
            of_dump = shift if dump.gpu is not None else 0
            cut = cut_short(dump.file, of_dump)
            notes += [*filter(None, [cut]), *damage_notes(dump.file, of_dump)]
        host = self._host(memory)
        notes += () if host is None else host.notes
        if host is not None and host.advice is not None:
            notes.append(host.advice)
        for dump in dumps:
            notes += [str(problem) for problem in dump.problems]
        ranges = () if host is None else host.ranges
        if ranges and not _has_modified_memory(self._dump, memory):
            ranges = ()
            notes.append(
                "the core file contains no stack: other memory that it omits may have been modified"
            )
        memory = CoreMemory(*host_ranges, ranges, unmapped=unmapped)
        waves = self._waves(memory)
        files = () if host is None else host.files
        gpu = loaded = None
        if waves is not None:
            loaded = self._gpu_modules(waves, memory, host is None)
            notes += [*waves.notes, *_notes_of(loaded)]
            notes += contradicted_agents(waves.busy_agents, loaded)
            files += loaded.files
            named = partial(kernel_name, loaded.files)
            code = partial(function_code, loaded.files, memory)
            gpu = GpuTarget(waves, memory, named, code)
        if self._code_objects and gpu is None:
            raise UsageError("--code-object is for the GPUs of a core file, which has none")
        target = self._target(memory, gpu, () if host is None else host.files)
        return Core(
            self._dump,
            target,
            files,
            tuple(dict.fromkeys(notes)),
            self._threads,
            gpu,
            loaded,
            self._gpu_dump,
            () if host is None else host.missing,
        )

    def _shift(self) -> tuple[int, list[str]]:
        """Return how many bytes earlier in the file than its headers say the memory is, mostly 0,
        and a note about it.

        A core of GPUs that was written to a pipe is such a file. Its save areas decide: they are
        damaged at the offsets of the headers, and whole at the earlier ones.
        """
        dump = self._gpu_dump or self._dump
        shift = shift_of_pipe(dump.file)
        if dump.gpu is None or not shift:
            return 0, []
        limit = self._where.limits.waves
        unshifted, shifted = (
            GpuWaves(dump.gpu, CoreMemory(core_ranges(dump.file, bytes_before)), 1, limit)
            for bytes_before in (0, shift)
        )
        if not unshifted.damaged_areas or shifted.damaged_areas or not shifted.waves:
            return 0, []
        note = (
            f"{dump.file.path}: its memory is {shift} bytes before the offsets in its headers, as "
            "in a core file that was written to a pipe"
        )
        return shift, [note]

    def _unmapped(self, memory: CoreMemory) -> str:
        """Return why memory that no file describes is unknown.

        A core of GPUs that contains the runtime's `r_debug`, which is in host memory, contains host
        memory.
        """
        reasons = [unmapped_reason(dump.file) for dump in (self._gpu_dump, self._dump) if dump]
        cut = [reason for reason in reasons if reason != UNMAPPED]
        if cut:
            return cut[0]
        if self._gpu_dump is not None:
            return "neither core file has it"
        state = self._dump.gpu
        has_host_memory = state is not None and memory.known(state.runtime.r_debug, 4)
        if self._threads or has_host_memory:
            return UNMAPPED
        return (
            "nothing is mapped there, its writer left it out, or it is in the core file of the "
            "process: give --core PROCESS --gpu-core FILE"
        )

    def _host(self, memory: CoreMemory) -> Modules | None:
        if self._dump.architecture is None or not self._threads:
            return None
        return modules(self._dump, memory, self._where)

    def _waves(self, memory: CoreMemory) -> GpuWaves | None:
        state = (self._gpu_dump or self._dump).gpu
        if state is None:
            return None
        return GpuWaves(state, memory, len(self._threads) + 1, self._where.limits.waves)

    def _gpu_modules(self, waves: GpuWaves, memory: CoreMemory, is_alone: bool) -> GpuModules:
        where = self._where
        address = waves.state.runtime.r_debug
        gpu_files = gpu_modules(memory, address, where, self._code_objects)
        if is_alone and where.program is not None:
            return self._with_given_file(memory, gpu_files, where.program)
        return gpu_files

    def _with_given_file(self, memory: CoreMemory, gpu_files: GpuModules, path: str) -> GpuModules:
        """Return the code objects, one of them replaced by the file that the user gives."""
        file = open_code_object(path, None, self._where.limits)
        address = self._where.load_address
        if address is not None:
            why = why_not_loaded(memory, file, address)
            entries = [entry for entry in gpu_files.listed if entry.load_address == address]
        else:
            checked = [
                (entry, why_not_loaded(memory, file, entry.load_address))
                for entry in gpu_files.listed
            ]
            entries = [entry for entry, why in checked if why is None]
            why = None if entries else next((why for _, why in checked if why), "none is listed")
            if not entries:
                raise UsageError(
                    f"{path} is not a code object of the core: {why}; give its address with "
                    f"--load-address"
                )
            address = entries[0].load_address
        other_files = [file for file in gpu_files.files if file.load_address != address]
        name = entries[0].uri if entries else path
        loaded = LoadedFile(name, file, address)
        notes = () if why is None else (f"{path} is accepted unchecked: {why}",)
        missing = {entry: why for entry, why in gpu_files.missing.items() if entry not in entries}
        return GpuModules(
            gpu_files.listed, (loaded, *other_files), missing, (*gpu_files.notes, *notes)
        )

    def _target(
        self, memory: CoreMemory, gpu: GpuTarget | None, files: Sequence[LoadedFile]
    ) -> CoreTarget | GpuTarget | ProcessTarget:
        arch = self._dump.architecture
        if arch is None or not self._threads:
            assert gpu is not None
            return gpu
        target = StateTarget(arch)
        for number in self._threads:
            target.add_wave(number)
        maps = partial(link_maps, self._dump, memory)
        blocks = ThreadBlocks(memory.read, arch.endian, arch.address_bits, files, maps)
        host = CoreTarget(self._threads, memory, target, blocks, core_protection(self._dump.file))
        if gpu is None:
            return host
        gpu.share_global_memory(target)
        return ProcessTarget(host, gpu)


def _notes_of(gpu_files: GpuModules) -> Iterator[str]:
    """Yield what is missing of the code objects of the GPUs, and what to do."""
    if gpu_files.listed or not gpu_files.files:
        yield from gpu_files.notes
    yield from gpu_files.missing_notes
    if gpu_files.missing:
        yield "--code-object URI=FILE names a file for a code object"


def _has_modified_memory(dump: CoreDump, memory: CoreMemory) -> bool:
    """Return whether the core has modified memory; what it omits of files is then unmodified.

    Linux dumps all modified private memory, or none of it (core(5), coredump_filter); the stacks
    are such memory. After an overflow the stack pointer is below the memory of the stack.
    """
    assert dump.architecture is not None
    arch = dump.architecture
    name = arch.register(arch.stack_pointer or 0).name
    pointers = (int.from_bytes(thread.registers[name], arch.endian) for thread in dump.threads)
    return any(memory.known(address, 1) for address in _in_stacks(dump, pointers))


def _in_stacks(dump: CoreDump, pointers: Iterable[int]) -> Iterator[int]:
    """Yield an address of the stack of each stack pointer: that, or the first address of the next
    memory above it that is writable and anonymous."""
    files = {mapping.start for mapping in dump.mapped}
    stacks = sorted(
        (segment.address, segment.address + segment.memory_bytes)
        for segment in dump.file.segments
        if segment.type == PT_LOAD and segment.flags & PF_W and segment.address not in files
    )
    reached = list(accumulate((end for _, end in stacks), max))  # some may lie inside others
    for pointer in pointers:
        index = bisect_right(reached, pointer)
        if index < len(stacks) and stacks[index][0] - pointer < _GAP_BYTES:
            yield max(stacks[index][0], pointer)
        else:
            yield pointer
