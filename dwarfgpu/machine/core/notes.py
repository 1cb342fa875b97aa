"""All notes of a core file: threads with their registers, and their process (Linux,
`fs/binfmt_elf.c`; core(5)). `gpu/core_state_note` decodes the note about GPUs.

Law: an unreadable note becomes a problem of the core; the others are still read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from struct import iter_unpack
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    Malformed,
    Unsupported,
    UsageError,
    counted,
)
from dwarfgpu.machine.core.gpu.core_state_note import CoreState, read_core_state
from dwarfgpu.machine.core.register_layouts import (
    FXSAVE_BYTES,
    LAYOUTS,
    NT_386_TLS,
    NT_ARM_PAC_MASK,
    NT_ARM_TLS,
    NT_FPREGSET,
    NT_PRSTATUS,
    NT_PRXFPREG,
    NT_X86_XSAVE_LAYOUT,
    NT_X86_XSTATE,
    Layout,
    check_floating_bytes,
    extended_registers,
    has_layout,
    lacking_registers,
    legacy_area,
    system_registers,
)
from dwarfgpu.machine.core.signals import SignalInfo, signal_info
from dwarfgpu.machine.core.thread_registers import RegisterNotes, ThreadRegisters
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import Note, each_readable_note
from dwarfgpu.objfile.file_architecture import architecture_of
from dwarfgpu.objfile.file_kinds import ET_CORE

NT_PRPSINFO: Final = 3
NT_AUXV: Final = 6
MAX_PROBLEMS: Final = 1_000
"""Problems of notes that are kept."""
MAX_AUXILIARY: Final = 1_000
"""Entries of the auxiliary vector; Linux has some fifty."""
NT_AMDGPU_CORE_STATE: Final = 33
NT_FILE: Final = 0x46494C45
NT_SIGINFO: Final = 0x53494749
AT_PHDR: Final = 3
AT_ENTRY: Final = 9
AT_EXECFN: Final = 31
AT_SYSINFO_EHDR: Final = 33
_NAME_BYTES: Final = 16
_NAMES: Final = {
    ("CORE", 4): "NT_TASKSTRUCT",
    ("CORE", 18): "NT_LWPSTATUS",
    ("LINUX", 0x201): "NT_386_IOPERM",
    ("LINUX", 0x204): "NT_X86_SHSTK",
    ("LINUX", 0x402): "NT_ARM_HW_BREAK",
    ("LINUX", 0x403): "NT_ARM_HW_WATCH",
    ("LINUX", 0x404): "NT_ARM_SYSTEM_CALL",
    ("LINUX", 0x405): "NT_ARM_SVE",
    ("LINUX", 0x407): "NT_ARM_PACA_KEYS",
    ("LINUX", 0x408): "NT_ARM_PACG_KEYS",
    ("LINUX", 0x409): "NT_ARM_TAGGED_ADDR_CTRL",
    ("LINUX", 0x40A): "NT_ARM_PAC_ENABLED_KEYS",
    ("LINUX", 0x40B): "NT_ARM_SSVE",
    ("LINUX", 0x40C): "NT_ARM_ZA",
    ("LINUX", 0x40D): "NT_ARM_ZT",
    ("LINUX", 0x40E): "NT_ARM_FPMR",
    ("GDB", 0xFF000000): "NT_GDB_TDESC",
}
"""Notes that are known but not read."""


@frozen
class CoreThread:
    """A thread as it stopped."""

    lwp: int
    """The kernel's thread id."""
    signal: int
    """The number of the signal that stopped it; 0 for none."""
    registers: Mapping[str, bytes] = field(repr=False)
    """Name to its bytes, in the order of the target; there may be more bytes than it has."""
    why: SignalInfo | None = None
    siginfo: bytes = field(default=b"", repr=False)
    """The `siginfo_t` that `why` is from; empty where the thread has none."""
    lacking: frozenset[str] = field(default=frozenset(), repr=False)
    """The registers of the architecture that the processor of the thread does not have."""


@frozen
class CoreProcess:
    """NT_PRPSINFO."""

    pid: int
    name: str
    """Name of the program file, at most 15 bytes."""
    command: str
    """The beginning of the command line, at most 79 bytes."""


@frozen
class MappedFile:
    """A part of a file in memory (NT_FILE)."""

    start: int
    end: int
    offset: int
    """In the file, in bytes."""
    path: str


@frozen(eq=False)
class CoreDump:
    """The notes of a core file."""

    file: ObjectFile
    architecture: Architecture | None
    """None if the core is of GPUs only."""
    threads: tuple[CoreThread, ...] = ()
    """In file order, by which GDB numbers them; the first is the one that failed."""
    process: CoreProcess | None = None
    auxiliary: Mapping[int, int] = field(factory=dict)
    """The auxiliary vector, with AT_NULL where the file has it."""
    mapped: tuple[MappedFile, ...] = ()
    """Sorted by address."""
    gpu: CoreState | None = None
    unread: tuple[str, ...] = ()
    """Notes that are known, or not, and not read."""
    problems: tuple[DwarfGpuError, ...] = ()


def read_core(file: ObjectFile) -> CoreDump:
    """Read the notes of a core file.

    `UsageError` if it is not a core, `Unsupported` for a machine with unsupported cores.
    """
    if file.type != ET_CORE:
        raise UsageError(f"{file.path} is not a core file")
    architecture = None if file.machine == "AMDGPU" else _architecture(file)
    reader = _Notes(file, architecture)
    for note in each_readable_note(file, reader.problems):
        reader.add(note)
    return reader.dump()


def _architecture(file: ObjectFile) -> Architecture:
    architecture = architecture_of(file)
    layout = LAYOUTS.get(architecture.name)
    if layout is None or file.address_bytes != layout.word_bytes:
        expected = f"{8 * file.address_bytes}-bit {architecture.name}"
        raise Unsupported(
            f"{file.path} is a core file of {expected}; x86_64, i386 and aarch64 are read"
        )
    return architecture


class _Notes:
    """The notes read so far."""

    def __init__(self, file: ObjectFile, architecture: Architecture | None) -> None:
        self.core_dump = CoreDump(file, architecture)
        self.layout: Layout | None = None if architecture is None else LAYOUTS[architecture.name]
        self.problems: list[DwarfGpuError] = []
        self._said: set[str] = set()
        """What they say."""
        self._dropped = 0
        """Problems that are not among them."""
        self._threads: list[CoreThread] = []
        self._registers: list[ThreadRegisters] = []
        self._shared = None if self.layout is None else RegisterNotes(file, self.layout)
        self._unread: dict[str, None] = {}
        self._is_in_thread = False
        self._has_unnamed = False
        self._status_signal = 0
        """`pr_info.si_signo` of the last NT_PRSTATUS; only kernels, not debuggers, write it."""

    def add(self, note: Note) -> None:
        reader = _READERS.get((note.owner, note.type))
        if reader is None or (self.layout is None and note.type != NT_AMDGPU_CORE_STATE):
            self._leave_out(note)
            return
        try:
            reader(self, note)
        except (LimitExceeded, Malformed, Unsupported) as error:
            self._keep(error)

    def _keep(self, error: DwarfGpuError) -> None:
        """Add a problem, unless another one says the same; those beyond the maximum are counted."""
        error.context = error.context or self.core_dump.file.path
        text = str(error)
        if text in self._said:
            return
        if len(self._said) == MAX_PROBLEMS:
            self._dropped += 1
            return
        self._said.add(text)
        self.problems.append(error.with_traceback(None))

    def _leave_out(self, note: Note) -> None:
        """Record that a note is not read. Behind a damaged one other bytes look like notes; zeros
        alone may be padding."""
        is_lost = bool(note.type) and not note.owner
        if note.owner.isascii() and note.owner.isprintable() and not is_lost:
            name = _NAMES.get((note.owner, note.type), f"{note.owner} note {note.type:#x}")
            self._unread[name] = None
        elif not self._has_unnamed:
            self._has_unnamed = True
            problem = f"the owner of the note at {note.offset:#x} is no name: it, or a note before"
            error = Malformed(f"{problem} it, is damaged, and threads may be missing")
            self._keep(error)

    def _belongs_to_thread(self, name: str, is_repeated: bool) -> bool:
        """Return whether a note is of the thread whose NT_PRSTATUS is before it.

        `Malformed` for the first one that shows that an NT_PRSTATUS is damaged: there was none, or
        the thread has such a note already.
        """
        is_in_thread, self._is_in_thread = self._is_in_thread, False
        if is_in_thread and not is_repeated:
            self._is_in_thread = True
            return True
        is_first = is_in_thread or (not self._threads and not self.problems)
        if is_first and not self._has_unnamed:
            raise Malformed(
                f"{name} belongs to no thread: an NT_PRSTATUS before it is damaged, and its thread "
                "is missing"
            )
        return False

    def _check_thread_ids(self) -> None:
        """Find the threads without an ID; the idle threads of a kernel's own core have no process
        (NT_PRPSINFO)."""
        process = self.core_dump.process
        for number, thread in enumerate(self._threads, 1):
            if process is not None and process.pid and not thread.lwp:
                error = Malformed(f"NT_PRSTATUS of thread {number} has no thread ID: pr_pid is 0")
                self._keep(error)

    def _check_first_signal(self) -> None:
        """Find that the thread that failed has no signal, and the others have that of its
        NT_SIGINFO: kernels and debuggers write the same `pr_cursig` for all."""
        first = self._threads[0] if self._threads else None
        if first is None or first.signal or first.why is None or not first.why.number:
            return
        number = first.why.number
        if any(thread.signal == number for thread in self._threads):
            error = Malformed(
                f"the signals contradict: pr_cursig of the first NT_PRSTATUS is 0, si_signo of its "
                f"NT_SIGINFO and pr_cursig of another thread are {number}: no signal is taken to "
                "have stopped it"
            )
            self._keep(error)

    def dump(self) -> CoreDump:
        self._check_extended()
        self._check_first_signal()
        self._check_thread_ids()
        if self._dropped:
            error = Malformed(
                f"{counted(self._dropped, 'other problem')} of its notes are not listed"
            )
            error.context = self.core_dump.file.path
            self.problems.append(error)
        return evolve(
            self.core_dump,
            threads=tuple(self._threads),
            unread=tuple(self._unread),
            problems=tuple(self.problems),
        )

    @property
    def _word_bytes(self) -> int:
        return self.core_dump.file.address_bytes

    def _reader(self, data: bytes) -> Reader:
        return Reader(data, self.core_dump.file.endian)

    def status(self, note: Note) -> None:
        """Read `struct elf_prstatus`: the notes after it belong to this thread."""
        assert self.layout is not None and self._shared is not None
        self._is_in_thread = False
        data = note.content
        if len(data) != self.layout.status_bytes:
            raise Malformed(f"NT_PRSTATUS has {len(data)} bytes, not {self.layout.status_bytes}")
        endian = self.core_dump.file.endian
        lwp_at = self.layout.lwp_at
        signal, lwp = (
            int.from_bytes(data[offset:end], endian)
            for offset, end in ((12, 14), (lwp_at, lwp_at + 4))
        )
        registers = ThreadRegisters(self._shared, note.offset)
        # aarch64 has no extensions that a processor may lack.
        lacking = lacking_registers(None) if self.layout.is_x86 else frozenset()
        self._threads.append(CoreThread(lwp, signal, registers, lacking=lacking))
        self._status_signal = int.from_bytes(data[:4], endian)
        self._registers.append(registers)
        self._is_in_thread = True

    def floating(self, note: Note) -> None:
        assert self.layout is not None
        if self._is_in_thread:
            check_floating_bytes(note.content, self.layout)
        is_repeated = self._is_in_thread and self._registers[-1].floating_at is not None
        if self._belongs_to_thread("NT_FPREGSET", is_repeated):
            self._registers[-1].floating_at = note.offset

    def fxsave(self, note: Note) -> None:
        """Read NT_PRXFPREG, which i386 alone has."""
        if len(note.content) != FXSAVE_BYTES:
            raise Malformed(f"NT_PRXFPREG has {len(note.content)} bytes, not {FXSAVE_BYTES}")
        if self._is_in_thread:
            self._registers[-1].fxsave_at = note.offset

    def segments(self, note: Note) -> None:
        """Read NT_386_TLS: where the segments for thread-local storage begin."""
        if self._is_in_thread and self._word_bytes == 4:
            self._registers[-1].segments = note.offset, len(note.content)

    def extended(self, note: Note) -> None:
        """Read XCR0; the layout of the other contents may come after the threads."""
        is_repeated = self._is_in_thread and self._registers[-1].extended is not None
        if self._belongs_to_thread("NT_X86_XSTATE", is_repeated):
            self._registers[-1].extended = note.offset, len(note.content)
            if self.layout is not None and self.layout.is_x86:
                lacking = lacking_registers(note.content)
                self._threads[-1] = evolve(self._threads[-1], lacking=lacking)

    def _check_extended(self) -> None:
        """Find the threads whose NT_X86_XSTATE cannot be read."""
        for registers in self._registers:
            if registers.extended is None or self._shared is None:
                continue
            data, layout = self._shared.read(*registers.extended), self._shared.xsave_layout
            try:
                extended_registers(data, layout)
                if self._word_bytes == 4:
                    legacy_area(data)
            except Malformed as error:
                self._keep(error)
                registers.extended = None
            if not has_layout(data, layout):
                self._unread["NT_X86_XSTATE (without a layout)"] = None

    def xsave_layout(self, note: Note) -> None:
        assert self._shared is not None
        self._shared.xsave_layout = note.content

    def system(self, note: Note) -> None:
        if self._is_in_thread:
            system_registers(note.type, note.content)  # whether it can be read
            self._registers[-1].system_at += ((note.type, note.offset),)

    def signal(self, note: Note) -> None:
        if self._is_in_thread and self._threads[-1].why is None:
            why = signal_info(self._reader(note.content), self._word_bytes)
            self._threads[-1] = evolve(self._threads[-1], why=why, siginfo=note.content)
            self._check_signal(self._threads[-1].signal, why.number)

    def _check_signal(self, signal: int, number: int) -> None:
        """Raise `Malformed` if the three signals of a thread differ that a kernel writes from one
        (`fill_prstatus`). GDB's `gcore` leaves the first 0, and the others may then differ: it was
        stopped by SIGSTOP, or another thread received the signal."""
        if self._status_signal and not self._status_signal == signal == number:
            raise Malformed(
                f"the signals of LWP {self._threads[-1].lwp} contradict: pr_cursig of NT_PRSTATUS "
                f"is {signal}, its pr_info.si_signo {self._status_signal}, si_signo of NT_SIGINFO "
                f"{number}: pr_cursig is believed, and $_siginfo is as in NT_SIGINFO"
            )

    def process(self, note: Note) -> None:
        """Read `struct elf_prpsinfo`."""
        assert self.layout is not None
        data, layout = note.content, self.layout
        if len(data) != layout.process_bytes:
            raise Malformed(f"NT_PRPSINFO has {len(data)} bytes, not {layout.process_bytes}")
        pid = int.from_bytes(data[layout.pid_at : layout.pid_at + 4], self.core_dump.file.endian)
        command_at = layout.name_at + _NAME_BYTES
        name, command = _text(data[layout.name_at : command_at]), _text(data[command_at:])
        self.core_dump = evolve(self.core_dump, process=CoreProcess(pid, name, command.rstrip()))

    def auxiliary(self, note: Note) -> None:
        reader, word_bytes = self._reader(note.content), self._word_bytes
        vector: dict[int, int] = {}
        count = 0
        while reader.remaining_bytes >= 2 * word_bytes:
            count += 1
            if count > MAX_AUXILIARY:
                raise LimitExceeded(f"the auxiliary vector has more than {MAX_AUXILIARY} entries")
            key, value = reader.unsigned(word_bytes), reader.unsigned(word_bytes)
            vector.setdefault(key, value)
            if not key:
                break
        self.core_dump = evolve(self.core_dump, auxiliary=vector)

    def mapped(self, note: Note) -> None:
        most = self.core_dump.file.limits.mapped_files
        files = tuple(_mapped(self._reader(note.content), most, self._word_bytes))
        self.core_dump = evolve(self.core_dump, mapped=files)

    def gpu(self, note: Note) -> None:
        state = read_core_state(self._reader(note.content))
        self.core_dump = evolve(self.core_dump, gpu=state)


_READERS: Final[dict[tuple[str, int], Callable[[_Notes, Note], None]]] = {
    ("CORE", NT_PRSTATUS): _Notes.status,
    ("CORE", NT_FPREGSET): _Notes.floating,
    ("CORE", NT_PRPSINFO): _Notes.process,
    ("CORE", NT_SIGINFO): _Notes.signal,
    ("CORE", NT_AUXV): _Notes.auxiliary,
    ("CORE", NT_FILE): _Notes.mapped,
    ("LINUX", NT_PRXFPREG): _Notes.fxsave,
    ("LINUX", NT_386_TLS): _Notes.segments,
    ("LINUX", NT_X86_XSTATE): _Notes.extended,
    ("LINUX", NT_X86_XSAVE_LAYOUT): _Notes.xsave_layout,
    ("LINUX", NT_ARM_TLS): _Notes.system,
    ("LINUX", NT_ARM_PAC_MASK): _Notes.system,
    ("AMDGPU", NT_AMDGPU_CORE_STATE): _Notes.gpu,
}


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode("utf-8", "replace")


def _mapped(reader: Reader, most: int, word_bytes: int) -> Iterator[MappedFile]:
    """Yield the entries of NT_FILE, by address: count, page size, ranges, and behind them the
    names."""
    count, page_bytes = reader.unsigned(word_bytes), reader.unsigned(word_bytes)
    if count * (3 * word_bytes + 1) > reader.remaining_bytes:
        raise Malformed(f"NT_FILE has no room for its {count} entries")
    if count > most:
        raise LimitExceeded(
            f"NT_FILE has {count} entries, at most {most} are read", "--max-mapped-files"
        )
    order = "<" if reader.endian == "little" else ">"
    ranges = reader.take(3 * word_bytes * count)
    mappings = []
    for start, end, page in iter_unpack(f"{order}3{'Q' if word_bytes == 8 else 'I'}", ranges):
        path = reader.string().decode("utf-8", "surrogateescape")
        if start < end:
            mappings.append(MappedFile(start, end, page * page_bytes, path))
    return iter(sorted(mappings, key=lambda mapping: mapping.start))
