"""The loaded files and their addresses, from the mapped files of a core (NT_FILE) and its auxiliary
vector.

Law: a file is accepted as the mapped one only if its build ID is that in the core's own copy of the
first page; without a build ID, if the page is the same, but for what `strip` changes, which is
noted. Everything else is reported.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.readable_files import beneath, is_regular
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    Malformed,
    Unavailable,
    UsageError,
    counted,
)
from dwarfgpu.machine.core.link_map import library_names
from dwarfgpu.machine.core.memory import CoreMemory, Range, mapped_range
from dwarfgpu.machine.core.notes import AT_ENTRY, AT_EXECFN, AT_SYSINFO_EHDR, CoreDump, MappedFile
from dwarfgpu.machine.core.stripped_page import is_stripped
from dwarfgpu.machine.core.unwritten_pages import bss_spans, unwritten_pages
from dwarfgpu.objfile.companions import Companions, shown_path
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_notes import NT_GNU_BUILD_ID, PT_NOTE, build_id, notes_in, readable_notes
from dwarfgpu.objfile.elf_structures import PF_W, PF_X, PT_LOAD, Segment
from dwarfgpu.objfile.file_kinds import ELF_MAGIC

IS_NOT_USED: Final = " is not used: "
"""In a note, between a file and the reason."""
_PAGE_BYTES: Final = 4096
_NO_SEGMENT: Final = "the core file has no segment of it, but of everything that is only read"
_MOST_LOADED: Final = 256
"""Segments of a file: each is compared with each part of the file in memory."""
_LEAST_SOUGHT: Final = 1 << 14
_NAME_BYTES: Final = 32
"""A name is gone through, and each of its folders is looked up."""
_OF_OBJECT: Final = 16
"""How many other files an ELF file in memory counts as: its headers are compared."""
_MOST_CONTINUED: Final = 1 << 12
"""How many parts from the beginning of an ELF file on are compared with its headers before."""
_DELETED: Final = " (deleted)"
_MAX_NOTE_BYTES: Final = 1 << 16
_MAX_VDSO_BYTES: Final = 1 << 20
_UNSOUGHT: Final = "more files were mapped than are looked for"
_OMITTED: Final = "the core file leaves it out, and "
_NOT_CHECKED: Final = "the core file does not hold its first page, so that it cannot be checked"
_OVERWRITTEN: Final = "its first page in the core file is not that of an ELF file"


@frozen(eq=False)
class LoadedFile:
    """A file as loaded."""

    name: str
    """As the core names it."""
    file: ObjectFile
    load_address: int
    is_program: bool = False
    """Whether it is the program, not a library."""


@frozen(eq=False)
class MissingLibrary:
    """A library that a process has loaded, and whose file is missing or is another one now."""

    path: str
    """By which the process loaded it, or else from where it was mapped."""
    why: str
    """Why no file is used."""
    position: int
    """How many of the loaded files precede it in the order of `Modules.files`."""


@frozen(eq=False)
class Modules:
    """The loaded files."""

    files: tuple[LoadedFile, ...]
    """The program first, then libraries in the order of the dynamic linker's list, which is that in
    which symbols are looked up, then others by address."""
    ranges: tuple[Range, ...]
    """The memory that files hold or would hold, and the zeros of their .bss."""
    notes: tuple[str, ...]
    """Missing and mismatched parts; one line each."""
    missing: tuple[MissingLibrary, ...] = ()
    """In the same order as `files`."""
    advice: str | None = None
    """Which options would give the files that are not used; None without any."""


@frozen
class Where:
    """Where files are looked for."""

    program: str | None = None
    """The program, instead of where the core says it was."""
    sysroot: str | None = None
    """The folder with all other files, at their paths or by their names."""
    load_address: int | None = None
    """The load address of the program, if nothing else determines it."""
    limits: FileLimits = DEFAULT_FILE_LIMITS
    """Limits of each file."""


@frozen(eq=False)
class _Module:
    """The parts of one file in memory."""

    path: str
    parts: tuple[MappedFile, ...]
    memory: CoreMemory
    has_code: bool
    """Whether a part of it is executable."""
    may_have_code: tuple[MappedFile, ...]
    """The parts that are executable, or that the core has no segment of."""

    @cached_property
    def page(self) -> bytes | None:
        """Its first page in the core; None if the core does not have it."""
        return _page(self.memory, self.parts[0])

    @cached_property
    def header(self) -> ObjectFile | None:
        """The ELF headers in that page."""
        if self.page is None or self.page[:4] != ELF_MAGIC:
            return None
        try:
            header = ObjectFile(shown_path(self.path), self.page)
            return header if header.segments else None
        except DwarfGpuError:
            return None

    @property
    def is_loaded(self) -> bool:
        """Whether it may be an ELF file: a file of data has another beginning."""
        first = self.parts[0]
        if first.offset:
            return True
        return self.beginning in (b"", ELF_MAGIC) or _page(self.memory, first) is None

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes of its memory in the core; empty if the core does not have them."""
        first = self.parts[0]
        return self.memory.first_bytes(first.start, min(len(ELF_MAGIC), first.end - first.start))

    def has(self, address: int | None) -> bool:
        return address is not None and any(e.start <= address < e.end for e in self.parts)


def modules(dump: CoreDump, memory: CoreMemory, where: Where) -> Modules:
    """Return the loaded modules, with their current files.

    `UsageError` if the given program is not the one that ran, or nothing determines where it was
    loaded.
    """
    entry = dump.auxiliary.get(AT_ENTRY)
    names = library_names(dump, memory)
    loads = tuple(segment for segment in dump.file.segments if segment.type == PT_LOAD)
    starts = {segment.address for segment in loads}
    undescribed = {part for part in dump.mapped if part.start not in starts}
    reader = _Reader(dump.file, memory, where, names, undescribed)
    modules = list(_modules(dump.mapped, memory, loads))
    # A file has the name by which it was loaded, also if it was mapped a second time to be read.
    for module in sorted(modules, key=lambda module: not reader.is_listed(module)):
        reader.add(module, is_program=module.has(entry))
    reader.note_unsought()
    reader.refuse_lost_segments()
    if not any(module.has(entry) for module in modules):
        reader.add_program(entry, dump)
    reader.add_vdso(dump.auxiliary.get(AT_SYSINFO_EHDR))
    order = _listed_order(modules, names)
    last = len(names)
    positions = {file: order.get(module, last) for file, module in reader.module_of.items()}
    files = sorted(reader.files, key=lambda file: (not file.is_program, positions.get(file, last)))
    zeros = unwritten_pages(dump.file, dump.mapped, reader.bss)
    keys = [-1 if file.is_program else positions.get(file, last) for file in files]
    unused = [(order.get(module, last), module) for module in reader.missing]
    missing = [
        MissingLibrary(reader.name_of(module), reader.missing[module], bisect_left(keys, position))
        for position, module in sorted(unused, key=lambda item: item[0])
    ]
    ranges, notes = (*reader.ranges, *zeros), tuple(reader.notes)
    return Modules(tuple(files), ranges, notes, tuple(missing), reader.advice())


def _listed_order(modules: Sequence[_Module], names: Iterable[int]) -> dict[_Module, int]:
    """Return the positions of modules in the list of the dynamic linker, by the addresses of their
    dynamic sections. A path does not identify a library: a process may load one twice (dlmopen)."""
    parts = [(part.start, part.end, n) for n, one in enumerate(modules) for part in one.parts]
    parts.sort()
    starts = [start for start, _, _ in parts]
    order: dict[_Module, int] = {}
    for position, dynamic_section in enumerate(names):
        index = bisect_right(starts, dynamic_section) - 1
        if index >= 0 and dynamic_section < parts[index][1]:
            order[modules[parts[index][2]]] = position
    return order


def _modules(
    mapped: Iterable[MappedFile], memory: CoreMemory, loads: Iterable[Segment]
) -> Iterator[_Module]:
    """Yield the parts that belong together: of one path, from one beginning of the file on."""
    is_code = {segment.address: bool(segment.flags & PF_X) for segment in loads}

    def module(path: str, parts: Sequence[MappedFile]) -> _Module:
        has_code = any(is_code.get(part.start, False) for part in parts)
        may_have_code = tuple(part for part in parts if is_code.get(part.start, True))
        return _Module(path, tuple(parts), memory, has_code, may_have_code)

    by_path: dict[str, list[MappedFile]] = {}
    for mapping in mapped:
        by_path.setdefault(mapping.path, []).append(mapping)
    continued_left = _MOST_CONTINUED
    for path, parts in by_path.items():
        first = 0
        for index, part in enumerate(parts):
            if not index or part.offset:
                continue
            page = _page(memory, parts[first]) if continued_left else None
            if page is not None and page.startswith(ELF_MAGIC):
                continued_left -= 1
                if _continues(part, parts[first], page):
                    continue
            yield module(path, parts[first:index])
            first = index
        yield module(path, parts[first:])


def _page(memory: CoreMemory, part: MappedFile) -> bytes | None:
    if part.offset:
        return None
    try:
        return memory.read(part.start, min(_PAGE_BYTES, part.end - part.start))
    except Unavailable:
        return None


def _first_page(file: ObjectFile, page: bytes) -> bytes:
    """Return the beginning of a file, as long as a page."""
    return file.file_bytes(0, min(len(page), file.size_bytes), "page")


def _continues(part: MappedFile, first: MappedFile, page: bytes) -> bool:
    """Return whether a part from the file's beginning on is a later segment of a file mapped
    before."""
    try:
        header = ObjectFile("page", page)
        begin = _load_address(header, (first,))
        return begin is not None and begin == _load_address(header, (part,), begin)
    except DwarfGpuError:
        return False


def _load_address(
    header: ObjectFile | None, parts: Iterable[MappedFile], expected: int | None = None
) -> int | None:
    """Return the load bias of a mapped file; None if its segments do not determine it.

    The parts of a segment are mapped by pages: its address and its offset differ by the same
    amount.
    """
    for part in parts:
        for segment in () if header is None else header.segments:
            if segment.type != PT_LOAD or not _covers(segment, part.offset):
                continue
            bias = part.start - part.offset - segment.address + segment.offset
            if expected in (None, bias):
                return bias
    return None


def _covers(segment: Segment, offset: int) -> bool:
    first = segment.offset - segment.offset % _PAGE_BYTES
    return first <= offset < segment.offset + segment.file_bytes


def _is_mapped(segment: Segment, load_address: int, part: MappedFile) -> bool:
    """Return whether a part has bytes of a segment, at the address of the segment."""
    begin = load_address + segment.address
    return (
        part.start - part.offset == begin - segment.offset
        and part.start < begin + segment.file_bytes
        and begin < part.end
    )


def _contradicts(file: ObjectFile, load_address: int, part: MappedFile) -> bool:
    """Return whether a part is not of whole pages, or begins in a page of segments of a loaded file
    but not at the offset of one of them."""
    if part.start % _PAGE_BYTES or part.offset % _PAGE_BYTES:
        return True
    shift = part.start - part.offset - load_address
    shifts = [
        segment.address - segment.offset
        for segment in file.segments
        if segment.type == PT_LOAD and _is_in_page(segment, part.start - load_address)
    ]
    return bool(shifts) and shift not in shifts


def _is_in_page(segment: Segment, address: int) -> bool:
    """Return whether a segment has bytes of the file in the page at an address."""
    first = segment.address - segment.address % _PAGE_BYTES
    return first <= address < segment.address + segment.file_bytes


def _comparable(file: ObjectFile) -> ObjectFile:
    """Return a file; `LimitExceeded` if it has too many segments to compare."""
    count = sum(segment.type == PT_LOAD for segment in file.segments)
    if count > _MOST_LOADED:
        raise LimitExceeded(f"it has {count} segments to load, at most {_MOST_LOADED} are compared")
    return file


def path_in(sysroot: str | None, path: str) -> str:
    """Return where a file of the process is now: beneath the folder of its libraries, at its path
    or by its name. `UsageError` for one that cannot be read like a file."""
    if sysroot is not None:
        inside = beneath(sysroot, path)
        path = inside if os.path.exists(inside) else beneath(sysroot, os.path.basename(path))
    if os.path.isfile(path) and not is_regular(path):  # one of the kernel, which may wait
        raise UsageError(f"{path} cannot be read: it is not a regular file")
    return path


class _Reader:
    """The modules read so far."""

    def __init__(
        self,
        core: ObjectFile,
        memory: CoreMemory,
        where: Where,
        names: Mapping[int, str],
        undescribed: Set[MappedFile] = frozenset(),
    ) -> None:
        """`names`: by their dynamic sections, those by which the process loaded its libraries;
        `undescribed`: the mapped files without a segment in the core."""
        self._core = core
        self._memory = memory
        self._names = names
        self._sections = sorted(names)
        self._where = where
        self._undescribed = undescribed
        self._writable_undescribed: list[MappedFile] = []
        self._read: Companions[ObjectFile] = Companions()
        self.files: list[LoadedFile] = []
        self.module_of: dict[LoadedFile, _Module] = {}
        self.ranges: list[Range] = []
        self.bss: list[list[tuple[int, int]]] = []
        """For each loaded file, where its .bss begins and ends, without the file's last page."""
        self.notes: list[str] = []
        self.missing: dict[_Module, str] = {}
        """Why no file is used, for each library without one."""
        self._lacks_program = False
        self._lacks_others = False
        self._most_sought = max(_LEAST_SOUGHT, where.limits.mapped_files // 4)
        self._sought = 0
        self._unsought = 0

    def add(self, module: _Module, *, is_program: bool) -> None:
        """Add a module of the core."""
        if not module.is_loaded and not is_program:
            self._mark_unreadable(
                module, f"it is of {shown_path(module.path)}, which has no build ID"
            )
            return
        program = self._where.program if is_program else None
        if program is None and not self._is_sought(module):
            self._unsought += 1
            self._mark_unreadable(module, _UNSOUGHT)
            if module.has_code or self.is_listed(module):
                self.missing[module] = _UNSOUGHT
            return
        try:
            if program is not None:
                file = _comparable(self._opened_program(program))
            else:
                file = self._opened_of(module)
            why = self._why_not(module, file, is_given=program is not None)
        except DwarfGpuError as error:
            if program is not None:
                raise
            file, why = None, error.message
        if file is None or why is not None:
            if program is not None:
                raise UsageError(f"{program} is not the program that ran: {why}")
            self._mark_unreadable(module, f"{shown_path(module.path)}{IS_NOT_USED}{why}")
            if module.page is not None or module.has_code or self.is_listed(module):
                self._note_unused(module, module.path, str(why), is_program=is_program)
            return
        load_address = _load_address(module.header or file, module.parts)
        if load_address is None:
            why = "none of its segments is at its mapping"
            self._note_unused(module, file.path, why, is_program=is_program)
            return
        writable = [segment for segment in file.segments if segment.flags & PF_W]
        # What a process mapped of a file to read it is at any offset.
        is_image = is_program or self.is_listed(module) or module.has_code
        bss = list(bss_spans(file, load_address, module.parts))
        for part in module.parts:
            if is_image and _contradicts(file, load_address, part):
                said = f"at {part.offset:#x} of {file.path}, as NT_FILE says"
                why = f"it is not read {said}: the program headers contradict that"
                self.ranges.append(Range(part.start, part.end, None, 0, f"{_OMITTED}{why}"))
                self.notes.append(f"memory from {part.start:#x} on: {why}")
                bss = []  # the load address may be wrong, too
                continue
            self.ranges += mapped_range(part.start, part.end, part.offset, file)
            if part in self._undescribed:
                is_lost = any(_is_mapped(segment, load_address, part) for segment in writable)
                self._writable_undescribed += [part] if is_lost else []
        if not is_program and self._is_only_read(module, file, load_address):
            return
        self._note_doubt(module, file)
        self.bss.append(bss)
        loaded = LoadedFile(module.path, file, load_address, is_program)
        self.files.append(loaded)
        self.module_of[loaded] = module

    def _is_sought(self, module: _Module) -> bool:
        """Return whether the file of a module is looked for, and count it if it is."""
        length = len(module.path) + len(self._name_of(module) or "")
        first = module.parts[0]
        is_object = not first.offset and bool(module.beginning)
        cost = (_OF_OBJECT if is_object else 1) + length // _NAME_BYTES
        if self._sought + cost > self._most_sought:
            return False
        self._sought += cost
        return True

    def note_unsought(self) -> None:
        """Note how many files are not looked for."""
        if self._unsought:
            files = counted(self._unsought, "mapped file")
            verb = "is" if self._unsought == 1 else "are"
            self.notes.append(
                f"{files} {verb} not used: {_UNSOUGHT}, at most {self._most_sought}, where "
                "ELF files and those with long names count as several (--max-mapped-files)"
            )

    def _note_unused(self, module: _Module, path: str, why: str, *, is_program: bool) -> None:
        """Note that a module has no file."""
        self.notes.append(f"{shown_path(path)}{IS_NOT_USED}{why}")
        if is_program:
            self._lacks_program = True
            return
        self._lacks_others = True
        if module.has_code or self.is_listed(module):
            self.missing[module] = why

    def advice(self) -> str | None:
        """Return which options would give the files that are not used; None without any, and where
        the options are given."""
        of_program = "FILE names the program" if self._lacks_program else None
        if not self._lacks_others or self._where.sysroot is not None:
            return of_program
        if of_program is None:
            return "--sysroot DIR names the root folder of the libraries"
        return f"{of_program}, and --sysroot DIR the root folder of its libraries"

    def name_of(self, module: _Module) -> str:
        """Return the path by which the process loaded a library, or else that of its mapping."""
        return self._name_of(module) or module.path

    def refuse_lost_segments(self) -> None:
        """Mark writable parts of files as unknown, where the core has a segment of all that is only
        read: Linux describes all mappings, GDB's gcore those that may have been modified."""
        if len(self._writable_undescribed) == len(self._undescribed):
            self.ranges[:0] = [
                Range(e.start, e.end, None, 0, _NO_SEGMENT) for e in self._writable_undescribed
            ]

    def is_listed(self, module: _Module) -> bool:
        """Return whether a module is in the dynamic linker's list."""
        return self._listed_section(module) is not None

    def _is_only_read(self, module: _Module, file: ObjectFile, load_address: int) -> bool:
        """Return whether the process mapped a file to read it, and did not load it, as debuggers do
        and programs that write their own backtraces: it is in no list, and its code cannot run."""
        code = [
            segment
            for segment in file.segments
            if segment.type == PT_LOAD and segment.flags & PF_X and segment.file_bytes
        ]
        return (
            bool(code)
            and not self.is_listed(module)
            and not any(
                _is_mapped(segment, load_address, part)
                for segment in code
                for part in module.may_have_code
            )
        )

    def _mark_unreadable(self, module: _Module, why: str) -> None:
        """Mark its memory as unknown, except for the contents of the core."""
        self.ranges += [
            Range(part.start, part.end, None, 0, f"{_OMITTED}{why}") for part in module.parts
        ]

    def _opened_of(self, module: _Module) -> ObjectFile:
        """Open a module by the name that the process used, as GDB does; links are not resolved."""
        name = self._name_of(module)
        if name is not None:
            try:
                file = self._opened(name)
                if self._why_not(module, file, is_given=False) is None:
                    return file
            except DwarfGpuError:
                pass  # it is where the file was mapped from
        return self._opened(module.path)

    def _name_of(self, module: _Module) -> str | None:
        """Return the absolute name of the library whose dynamic section is in a module."""
        section = self._listed_section(module)
        name = "" if section is None else self._names[section]
        return name if name.startswith("/") else None

    def _listed_section(self, module: _Module) -> int | None:
        """Return the dynamic section of the list that is in a module."""
        for part in module.parts if self._sections else ():
            index = bisect_left(self._sections, part.start)
            if index < len(self._sections) and self._sections[index] < part.end:
                return self._sections[index]
        return None

    def _opened(self, path: str) -> ObjectFile:
        """Return the file of a path in the core; also where a file was put in the place of a
        deleted one."""
        path = path_in(self._where.sysroot, path.removesuffix(_DELETED))
        return self._read.read(path, lambda: _comparable(open_object(path, self._where.limits)))

    def _opened_program(self, path: str) -> ObjectFile:
        """Return the given program; `UsageError` if it is for another machine than the core."""
        file = open_object(path, self._where.limits)
        if file.machine != self._core.machine or file.endian != self._core.endian:
            raise UsageError(
                f"{path} is not for the machine of {self._core.path}: it is for {file.machine}, "
                f"{file.endian}-endian, not {self._core.machine}, {self._core.endian}-endian"
            )
        return file

    def _why_not(self, module: _Module, file: ObjectFile, *, is_given: bool) -> str | None:
        """Return why a file is not the mapped one; None if it is."""
        header, page = module.header, module.page
        if header is None or page is None:
            why = _NOT_CHECKED if module.is_loaded else _OVERWRITTEN
            if is_given:
                self.notes.append(f"{file.path} is accepted unchecked: {why}")
                return None
            return why
        if file.machine != header.machine:
            return f"it is for {file.machine}, what was mapped is for {header.machine}"
        ran, running_id = self._build_id(module, header), build_id(file)
        if ran != running_id:
            ids = [
                f"build ID {build.hex()}" if build else "no build ID" for build in (running_id, ran)
            ]
            problem = None if running_id else readable_notes(file)[1]
            why = "" if problem is None else f" ({problem.kind}: {problem})"
            return f"it has {ids[0]}{why}, what was mapped has {ids[1]}"
        if ran is None and not is_stripped(_first_page(file, page), page, header):
            return "it has no build ID, and its first page differs from the mapped one"
        return None

    def _note_doubt(self, module: _Module, file: ObjectFile) -> None:
        """Note that a used file differs from the mapped one in its table of sections."""
        page = module.page
        if module.header is None or page is None or build_id(file) is not None:
            return
        if _first_page(file, page) != page:
            self.notes.append(
                f"{file.path} is taken for what ran before its sections changed, as by strip: "
                "it has no build ID, and its first page is the same but for their table"
            )

    def _build_id(self, module: _Module, header: ObjectFile) -> bytes | None:
        """Return the build ID in the core's copy of a file."""
        load_address = _load_address(header, module.parts)
        for segment in header.segments:
            if segment.type != PT_NOTE or load_address is None:
                continue
            size_bytes = min(segment.file_bytes, _MAX_NOTE_BYTES)
            try:
                data = self._memory.read(load_address + segment.address, size_bytes)
                for note in notes_in(data, header.endian):
                    if (note.owner, note.type) == ("GNU", NT_GNU_BUILD_ID) and note.content:
                        return note.content
            except (Unavailable, Malformed):
                continue
        return None

    def add_program(self, entry: int | None, dump: CoreDump) -> None:
        """Add the program if the core does not have its path."""
        program = self._where.program
        if program is None:
            called = self._text(dump.auxiliary.get(AT_EXECFN))
            named = "" if called is None else f" ({shown_path(called)})"
            self.notes.append(
                f"the core file does not say where the program{named} is: give it with --file"
            )
            return
        file = self._opened_program(program)
        load_address = self._where.load_address
        if load_address is None and entry is not None:
            load_address = entry - file.entry
        if load_address is None:
            raise UsageError(f"{dump.file.path} does not say where {program} was loaded")
        if load_address % _PAGE_BYTES:
            raise UsageError(f"{program} is not the program that ran: it begins elsewhere")
        self.files.append(LoadedFile(program, file, load_address, is_program=True))
        self.notes.append(f"{program} is accepted unchecked: {_NOT_CHECKED}")

    def _text(self, address: int | None) -> str | None:
        """Return the string at an address; None if it is unknown."""
        if address is None:
            return None
        text, end, _ = self._memory.first_bytes(address, _PAGE_BYTES).partition(b"\0")
        return text.decode("utf-8", "surrogateescape") if end else None

    def add_vdso(self, address: int | None) -> None:
        """Add the library that the kernel maps into every process: it is only in memory."""
        if address is None:
            return
        image = self._memory.first_bytes(address, _MAX_VDSO_BYTES)
        if image[:4] != ELF_MAGIC:
            return
        try:
            file = ObjectFile("[vdso]", image, self._where.limits)
            first = next((item for item in file.segments if item.type == PT_LOAD), None)
            if first is None:
                raise Malformed("none of its segments is loaded")
            file.sections  # noqa: B018  # every question about a loaded file reads them
        except DwarfGpuError as error:
            self.notes.append(f"the vDSO at {address:#x} cannot be read: {error.message}")
            return
        self.files.append(LoadedFile("[vdso]", file, address + first.offset - first.address))
