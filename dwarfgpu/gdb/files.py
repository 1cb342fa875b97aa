"""The files that GDB has loaded, as code objects."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING
from urllib.parse import unquote

import gdb

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.readable_files import open_to_read
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.tail_call_frame import Jumps
from dwarfgpu.dwarf.calls.gpu_callers import kernel_in
from dwarfgpu.dwarf.calls.tail_calls import CallChains
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.gdb.limit_settings import file_limits
from dwarfgpu.gdb.machine.gdb_target import GdbTarget, selected_wave
from dwarfgpu.gdb.machine.gdb_values import path_of
from dwarfgpu.gdb.machine.loaded_sections import LoadedSection, bias_of, loaded_sections
from dwarfgpu.machine.dynamic_linker import Words, dynamic_section, link_maps
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_structures import SHF_EXECINSTR, SHT_NOBITS

if TYPE_CHECKING:
    from dwarfgpu.machine.thread_blocks import ThreadBlocks

_VDSO = "system-supplied DSO at "
"""How GDB calls the code that the kernel gives every process: it is not in any file."""
_HEADERS = {32: "32xI10xHH2x", 64: "40xQ10xHH2x"}
"""By the bits of an address: in its ELF header, where the section headers are, their size and
number. They end the file."""
_BUILD_ID = ".note.gnu.build-id"
_MAX_VDSO_BYTES = 1 << 20
_URI = re.compile(
    r"(?P<kind>file|memory)://(?P<path>[^#]*)"
    r"(?:#offset=(?P<offset>(?:0x)?[0-9a-fA-F]+)&size=(?P<size>(?:0x)?[0-9a-fA-F]+))?"
)
"""How ROCgdb calls a code object: `file:///path#offset=8192&size=13192`."""
_MAX_EMBEDDED_BYTES = 1 << 32


@frozen(eq=False)
class _Opened:
    """An opened file."""

    versions: dict[str, tuple[int, ...]]
    """By path; while these and the load address stay, no file need be read again."""
    stop: int
    """The stop of the last check."""
    file: ObjectFile
    """With the symbols: that of the code object, or its debug file."""
    code_object: CodeObject


@frozen(eq=False)
class _OtherFiles:
    """The loaded files, which may define a class that one of them only declares."""

    files: LoadedFiles
    path: str
    """Of the file with the declaration."""

    def __iter__(self) -> Iterator[CodeObject]:
        """Yield the files; the caller takes them all if none defines the class."""
        yield from self.files.readable()
        self.files.note_undefined(self.path)


class LoadedFiles:
    """The files that GDB has loaded, opened on demand."""

    def __init__(self, target: GdbTarget) -> None:
        self._target = target
        target.thread_blocks = self.thread_blocks
        self._opened: dict[str, _Opened] = {}
        self._sections: tuple[int, list[LoadedSection], list[int]] | None = None
        self._in_load_order: tuple[int, tuple[CodeObject, ...]] | None = None
        self._listed: tuple[object, dict[int, int]] = None, {}
        """What `_link_maps` returns, and for which contents."""
        self._chained_at: int | None = None
        self._chained: tuple[CodeObject, ...] = ()
        self._chains = CallChains(())
        self._jumps: dict[tuple[int, int], Jumps] = {}
        """Keyed by program location and return address, while the files stay the same."""
        self._undefined: set[str] = set()
        """Files that declare classes that no file defines: one that is loaded later may."""
        self._read_by_gdb: dict[tuple[object, str], tuple[int, ...]] = {}
        """The version of each file that GDB has read, by program space and path."""
        for space in gdb.progspaces():
            for objfile in space.objfiles():
                self._note_version(objfile)
        gdb.events.new_objfile.connect(self._note_loaded)

    def forget(self) -> None:
        """Forget all files: they are opened again."""
        self._opened.clear()
        self._sections = self._chained_at = self._in_load_order = None
        self._chained, self._chains = (), CallChains(())
        self._jumps.clear()

    def note_undefined(self, path: str) -> None:
        """Note that a file declares a class that no loaded file defines."""
        self._undefined.add(path)

    def _note_loaded(self, event: gdb.NewObjFileEvent) -> None:
        """Note a file that GDB reads: it may define classes that others declare."""
        self._note_version(event.new_objfile)
        for path in self._undefined:
            self._opened.pop(path, None)
        self._undefined.clear()

    def _note_version(self, objfile: gdb.Objfile) -> None:
        """Note which version of a file GDB reads."""
        path = path_of(objfile)
        if path is not None:
            with suppress(UsageError):  # it is in memory only, or on another machine
                self._read_by_gdb[objfile.progspace, path] = _version(path)

    def at(self, address: int) -> CodeObject | None:
        """Return the code object with an address of the program; None if no file has it.

        `UsageError` or `Malformed` if it is unreadable or is not the loaded file.
        """
        section = next(self._sections_with(address), None)
        path = None if section is None else _path(section)
        if section is None or path is None:
            return None
        stop = self._target.stop
        opened = self._opened.get(path)
        if opened is None or opened.stop != stop or opened.file.limits != file_limits():
            opened = self._opened[path] = self._renewed(path, section, opened)
        return opened.code_object

    def named(self, objfile: gdb.Objfile) -> CodeObject | None:
        """Return the code object of a file that GDB has read; errors are those of `at`."""
        name = path_of(objfile.owner or objfile)
        for section in self._loaded_sections()[0]:
            if _path(section) == name:
                return self.at(section.begin)
        return None

    def row_at(self, location: int) -> FrameRow | None:
        """Return the row of call frame information for a location
        (`dwarfgpu.cfi.call_stack.Loaded`)."""
        code_object = self.at(location)
        return None if code_object is None else code_object.info.call_frames.row_at(location)

    def file_text(self, location: int) -> str:
        """Return the text of a location for a message."""
        code_object = self.at(location)
        return ", which is not in any file" if code_object is None else f" in {code_object.name}"

    def why_incomplete(self, location: int) -> DwarfGpuError | None:
        """Return why a location may have a row nevertheless
        (`dwarfgpu.cfi.call_stack.Loaded`)."""
        code_object = self.at(location)
        return None if code_object is None else code_object.info.call_frames.why_incomplete()

    def kernel_at(self, location: int) -> str | None:
        """Return the GPU kernel at a location (`dwarfgpu.cfi.call_stack.Loaded`)."""
        code_object = self.at(location)
        return None if code_object is None else kernel_in(code_object, location)

    def between(self, location: int, return_pc: int) -> Jumps:
        """Return the tail calls between two frames (`dwarfgpu.cfi.tail_call_frame.TailCalls`)."""
        if self._chained_at != self._target.stop:
            self._chained_at = self._target.stop
            objects = tuple(self.readable())
            if objects != self._chained:
                self._chained, self._chains = objects, CallChains(objects)
                self._jumps.clear()
        key = location, return_pc
        if key not in self._jumps:
            self._jumps[key] = self._chains.between(location, return_pc)
        return self._jumps[key]

    def readable(self) -> Iterator[CodeObject]:
        """Yield every file that can be read, in the order of their addresses."""
        paths: set[str | None] = set()
        objects: set[CodeObject] = set()
        for section in self._loaded_sections()[0]:
            if section.path in paths:
                continue
            paths.add(section.path)
            try:
                code_object = self.at(section.begin)
            except DwarfGpuError:
                continue  # it is reported on access to it
            if code_object is not None and code_object not in objects:
                objects.add(code_object)
                yield code_object

    def in_load_order(self) -> tuple[CodeObject, ...]:
        """Return every file that can be read, found once at a stop: the program first, then
        libraries in the order of the dynamic linker's list, which is that in which symbols are
        looked up, then others by address."""
        if self._in_load_order is None or self._in_load_order[0] != self._target.stop:
            sections = self._loaded_sections()[0]
            begin = next((section.begin for section in sections if section.path is None), None)
            program = None
            with suppress(DwarfGpuError):  # it is reported on access to it
                program = None if begin is None else self.at(begin)
            objects = tuple(item for item in self.readable() if item is not program)
            if program is not None:
                objects = (program, *self._listed_first(program, objects))
            self._in_load_order = self._target.stop, objects
        return self._in_load_order[1]

    def _listed_first(
        self, program: CodeObject, libraries: tuple[CodeObject, ...]
    ) -> list[CodeObject]:
        """Return libraries in the order of the dynamic linker's list, then the others, with the
        kernel's code: it is in the list, but symbols are not looked up in it."""
        positions = {section: number for number, section in enumerate(self._link_maps(program))}

        def position(library: CodeObject) -> int:
            section = dynamic_section(library)
            if section is None or library.file.path.startswith(_VDSO):
                return len(positions)
            return positions.get(section, len(positions))

        return sorted(libraries, key=position)

    def _link_maps(self, program: CodeObject) -> dict[int, int]:
        """Return the address of the `struct link_map` of the program and of each library, by the
        address of its dynamic section; in the order of the dynamic linker's list, which is
        read once while nothing changes."""
        version = self._target.contents_version
        if self._listed[0] != version:
            self._listed = version, {}
            section, file = dynamic_section(program), program.file
            words = Words(self._read, file.endian, file.address_bytes)
            with suppress(UsageError):  # the selected thread runs
                entries = () if section is None else link_maps(words, section)
                self._listed = version, {entry.dynamic_section: entry.address for entry in entries}
        return self._listed[1]

    def _read(self, address: int, size_bytes: int) -> bytes:
        where = Memory(self._target.architecture_of(selected_wave() or 0).address_space(0))
        return self._target.read_memory(where, address, size_bytes)

    def thread_blocks(self) -> ThreadBlocks | None:
        """Return where the dynamic linker put thread-local storage; None without a program."""
        from dwarfgpu.machine.thread_blocks import ThreadBlocks  # few questions are about threads

        files = self.in_load_order()
        if not files:
            return None
        program = files[0]
        file = program.file
        maps = partial(self._link_maps, program)
        return ThreadBlocks(self._read, file.endian, 8 * file.address_bytes, files, maps)

    def _sections_with(self, address: int) -> Iterator[LoadedSection]:
        """Yield the sections that GDB has at an address: several if files have the same place, as a
        stripped program and its debug file, the last one first."""
        sections, begins = self._loaded_sections()
        index = bisect_right(begins, address) - 1
        while index >= 0 and sections[index].begin <= address < sections[index].end:
            yield sections[index]
            index -= 1

    def _loaded_sections(self) -> tuple[list[LoadedSection], list[int]]:
        """Return the sections loaded at this stop, and their start addresses."""
        if self._sections is None or self._sections[0] != self._target.stop:
            sections = loaded_sections()
            self._sections = self._target.stop, sections, [section.begin for section in sections]
        return self._sections[1:]

    def _renewed(self, path: str, section: LoadedSection, opened: _Opened | None) -> _Opened:
        """Return the current file; the one already read, if it has not changed."""
        version, limits = _version(path), file_limits()
        if opened is not None and (opened.versions[path], opened.file.limits) != (version, limits):
            opened = None
        file = self._file(path, limits) if opened is None else opened.file
        bias = bias_of(file, section)
        if not self._has_loaded_build(file, bias):
            self._require_version(path, version)
        stripped = self._stripped_of(file, section)
        versions = {path: version}
        if stripped is not None:
            versions[stripped] = _version(stripped)
        if opened is not None and (opened.code_object.load_address, opened.versions) == (
            bias,
            versions,
        ):
            return _Opened(versions, self._target.stop, file, opened.code_object)
        if path.startswith(_VDSO):
            info = DebugInfo.of(file, bias, loaded=file)
            code_object = CodeObject(file, info, Scopes(info), bias)
        else:
            folders = str(gdb.parameter("debug-file-directory") or "").split(":")
            code_object = CodeObject.of(
                file if stripped is None else self._file(stripped, limits),
                bias,
                debug_directories=list(filter(None, folders)),
                loaded_files=_OtherFiles(self, path),
                debug_file=None if stripped is None else file,
            )
        return _Opened(versions, self._target.stop, file, code_object)

    def _stripped_of(self, file: ObjectFile, section: LoadedSection) -> str | None:
        """Return the path of the program with the contents of a debug file that GDB was given
        (`add-symbol-file`, `symbol-file`); None for a file with its own ones."""
        if not any(
            code.flags & SHF_EXECINSTR and code.type == SHT_NOBITS for code in file.sections
        ):
            return None
        for other in self._sections_with(section.begin):
            if (other.name, other.end) == (section.name, section.end) and (
                (path := _path(other)) != file.path
            ):
                return path
        return None

    def _has_loaded_build(self, file: ObjectFile, bias: int) -> bool:
        """Return whether the loaded program has the build ID of the file; False if there is none.

        `UsageError` for a file that was built anew, with sections of the same sizes, since the
        program that runs was loaded: GDB has the symbols of the old one.
        """
        note = file.sections_by_name.get(_BUILD_ID)
        if note is None:
            return False
        machine = self._target.architecture_of(selected_wave() or 0)
        address = bias + note.address
        where = Memory(machine.address_space(0))
        try:
            loaded = self._target.read_memory(where, address, note.size_bytes)
        except Unavailable:  # a core file need not have it
            return False
        if loaded != file.data_of(note):
            raise UsageError(
                f"{file.path} is not the file that GDB has at {address:#x}: its build ID differs"
            )
        return True

    def _require_version(self, path: str, version: tuple[int, ...]) -> None:
        """Raise `UsageError` for a file that was written since GDB read it."""
        if self._read_by_gdb.get((gdb.current_progspace(), path), version) != version:
            raise UsageError(
                f"{path} is not the file that GDB has read: it has been written since, and no "
                "build ID says that it is the same program; `file` reads it again"
            )

    def _file(self, path: str, limits: FileLimits) -> ObjectFile:
        uri = _URI.fullmatch(path)
        if uri is not None:
            return self._embedded(path, uri, limits)
        if not path.startswith(_VDSO):
            return open_object(path, limits)
        address = int(path.removeprefix(_VDSO), 16)
        machine = self._target.architecture_of(selected_wave() or 0)
        where = Memory(machine.address_space(0))
        byte_order = "<" if machine.endian == "little" else ">"
        header = Struct(byte_order + _HEADERS[where.space.address_bits])
        data = self._target.read_memory(where, address, header.size)
        offset, entry_bytes, count = header.unpack(data)
        size_bytes = min(offset + entry_bytes * count, _MAX_VDSO_BYTES)
        return ObjectFile(path, self._target.read_memory(where, address, size_bytes), limits)

    def _embedded(self, path: str, uri: re.Match[str], limits: FileLimits) -> ObjectFile:
        """Return the code object of a GPU that ROCgdb names by where it is in a file, or in
        memory."""
        offset, size_bytes = (int(number or "0", 0) for number in uri.group("offset", "size"))
        if uri["kind"] == "memory":
            if not 0 < size_bytes <= _MAX_EMBEDDED_BYTES:
                raise UsageError(f"{path} is not a code object: it has {size_bytes} bytes")
            where = Memory(self._target.architecture_of(selected_wave() or 0).address_space(0))
            return ObjectFile(path, self._target.read_memory(where, offset, size_bytes), limits)
        name = unquote(uri["path"])
        if not size_bytes:
            return open_object(name, limits)
        try:
            with open_to_read(name) as file:
                file.seek(offset)
                data = file.read(min(size_bytes, _MAX_EMBEDDED_BYTES))
        except OSError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror}") from None
        return ObjectFile(path, data, limits)


def _path(section: LoadedSection) -> str | None:
    """Return the path of the file with a section; None if GDB has no program."""
    path = section.path or path_of(gdb.current_progspace())
    return None if path is None else path.removeprefix("target:")


def _version(path: str) -> tuple[int, ...]:
    """Return the time and size of a file; `UsageError` if there is none."""
    uri = _URI.fullmatch(path)
    if path.startswith(_VDSO) or (uri is not None and uri["kind"] == "memory"):
        return ()
    try:
        state = Path(path if uri is None else unquote(uri["path"])).stat()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    return state.st_mtime_ns, state.st_size
