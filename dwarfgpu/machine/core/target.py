"""A core file: the threads of a process as they stopped, and its memory (`docs/core-files.md`).

Law: what is given or written goes over the core; the core file itself is never changed.
A wave is a thread by GDB's number, from 1 on in the order of the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.base.lazy_attrs import define, frozen
from dwarfgpu.errors import (
    Malformed,
    OutOfRange,
    Unavailable,
    Unsupported,
    WhollyUnavailable,
)
from dwarfgpu.machine.core.memory import CoreMemory, core_ranges, cut_short
from dwarfgpu.machine.core.modules import LoadedFile, Where, modules
from dwarfgpu.machine.core.notes import CoreDump, CoreThread, read_core
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import PF_W, PT_LOAD, open_object
from dwarfgpu.objfile.file_limits import DEFAULT_LIMITS, FileLimits

_GAP_BYTES: Final = 128 << 20
"""Below a stack, where Linux maps nothing."""


@define(eq=False)
class CoreTarget:
    """The threads and the memory of a core, below what is given or written."""

    threads: Mapping[WaveId, CoreThread]
    memory: CoreMemory
    given: StateTarget
    """Over the core."""

    @property
    def stop(self) -> int:
        return self.given.stop

    def architecture_of(self, wave: WaveId) -> Architecture:
        self._thread(wave)
        return self.given.architecture

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self.given.apertures

    def _thread(self, wave: WaveId) -> CoreThread:
        if wave not in self.threads:
            raise Unavailable(f"thread {wave} is not in the core file")
        return self.threads[wave]

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        thread, whole = self._thread(wave), (register.size_bits + 7) // 8
        end = whole if size_bytes is None else offset_bytes + size_bytes
        if not 0 <= offset_bytes <= end <= whole:
            raise OutOfRange(f"bytes {offset_bytes} to {end} of register {register}")
        if register.name in self.given.waves[wave]:
            return self.given.read_register(wave, register, offset_bytes, size_bytes)
        if register.name not in thread.registers:
            raise WhollyUnavailable(f"register {register} of thread {wave} is not in the core file")
        return thread.registers[register.name][offset_bytes:end]

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        """Registers and memory that the user gives (`dwarfgpu.machine.target.Extensible`)."""
        lacking = self._thread(wave).lacking
        return register.name in lacking and register.name not in self.given.waves[wave]

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        thread, whole = self._thread(wave), (register.size_bits + 7) // 8
        if not 0 <= offset_bytes <= whole - len(data):
            raise OutOfRange(f"bytes {offset_bytes} to {offset_bytes + len(data)} of {register}")
        if register.name not in self.given.waves[wave] and register.name in thread.registers:
            self.given.set_register(wave, register, thread.registers[register.name][:whole])
        self.given.set_register(wave, register, data, offset_bytes)

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register that was given unknown."""
        self.given.forget_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        given = self.given.known_memory(where, address, size_bytes)
        if not given:
            return self.memory.read(address, size_bytes)
        parts: list[bytes] = []
        done = 0
        for offset, data in [*given, (size_bytes, b"")]:
            parts += [self.memory.read(address + done, offset - done), data]
            done = offset + len(data)
        return b"".join(parts)

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """What is known of a range that cannot be read whole: offsets in it, and bytes.

        What comes later goes over what came before.
        """
        given = self.given.known_memory(where, address, size_bytes)
        return self.memory.known(address, size_bytes) + given

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        self.read_memory(where, address, len(data))  # all or nothing
        written = self.given.without_memory()
        written.set_memory(where, address, data)
        self.given.replace_memory(written)


@frozen(eq=False)
class Core:
    """A loaded core file."""

    dump: CoreDump
    architecture: Architecture
    target: CoreTarget
    files: tuple[LoadedFile, ...]
    """What is loaded, the program first."""
    notes: tuple[str, ...]
    """What is missing or does not match; one line each."""

    @property
    def threads(self) -> Mapping[WaveId, CoreThread]:
        """By GDB's numbers; the first is the one that failed."""
        return self.target.threads

    def pc_of(self, wave: WaveId) -> int:
        """Where a thread stopped."""
        counter = self.architecture.register(self.architecture.program_counter or 0)
        data = self.target.read_register(wave, counter)
        return int.from_bytes(data, self.architecture.endian)


def load_core(
    path: Path | str,
    program: Path | str | None = None,
    *,
    sysroot: str | None = None,
    load_address: int | None = None,
    limits: FileLimits = DEFAULT_LIMITS,
) -> Core:
    """The core of a file, and the files that were mapped.

    `program` is what ran, where it is not where the core says; `sysroot` the folder that has the
    libraries; `load_address` is that of the program where nothing tells it. `UsageError` for no
    core, or a program that did not run; `Malformed` for one without threads; `Unsupported` for a
    machine that is not read.
    """
    dump = read_core(open_object(path, limits))
    arch = dump.architecture
    if arch is None:
        raise Unsupported(f"{path}: the waves of a core dump of AMD GPUs")
    if not dump.threads:
        raise next(iter(dump.problems), Malformed(f"{path} has no threads"))
    threads = dict(enumerate(dump.threads, 1))
    given = StateTarget(arch)
    for wave in threads:
        given.add_wave(wave)
    held = core_ranges(dump.file)
    memory = CoreMemory(held)
    where = Where(None if program is None else str(program), sysroot, load_address, limits)
    found = modules(dump, memory, where)
    notes = [*found.notes, *(str(each) for each in dump.problems)]
    cut = cut_short(dump.file)
    if cut is not None:
        notes.insert(0, cut)
    if dump.gpu is not None:
        notes.append("the waves of AMD GPUs in the core file are not read (NT_AMDGPU_CORE_STATE)")
    ranges = found.ranges
    if ranges and not _holds_changes(dump, memory):
        ranges = ()
        notes.append("no stack is in the core file: what else it leaves out may have been changed")
    target = CoreTarget(threads, CoreMemory(held, ranges), given)
    return Core(dump, arch, target, found.files, tuple(notes))


def _holds_changes(dump: CoreDump, memory: CoreMemory) -> bool:
    """Whether what the core leaves out of mapped files is as in the files.

    Linux dumps all private memory that was changed, or none of it (core(5), coredump_filter); the
    stacks are such memory. The pointer of a stack that has overflowed is below its memory.
    """
    assert dump.architecture is not None
    arch = dump.architecture
    name = arch.register(arch.stack_pointer or 0).name
    pointers = (int.from_bytes(each.registers[name], arch.endian) for each in dump.threads)
    return any(memory.known(_in_stack(dump, each), 1) for each in pointers)


def _in_stack(dump: CoreDump, pointer: int) -> int:
    """An address of the stack: what a stack pointer has, or the first one of the memory near above
    it that can be written and is of no file."""
    files = {each.start for each in dump.mapped}
    segments = sorted(dump.file.segments, key=lambda each: each.address)
    for each in segments:
        is_memory = each.type == PT_LOAD and each.flags & PF_W and each.address not in files
        if is_memory and each.address + each.memory_bytes > pointer:
            return max(each.address, pointer) if each.address - pointer < _GAP_BYTES else pointer
    return pointer
