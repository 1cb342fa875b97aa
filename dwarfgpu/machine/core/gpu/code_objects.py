"""Code objects that a process had loaded on its GPUs, from its runtime's list: `r_debug`
(`_amdgpu_r_debug`) and `link_map` as in `<link.h>`, with a URI in place of the name (AMDGPU usage,
"Loaded Code Object Path Uniform Resource Identifier (URI)").

Law: a file is used only if it is the loaded one: it agrees with all its read-only bytes in the
core. An unverifiable file is used only if the user names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from struct import Struct
from typing import Final
from urllib.parse import unquote_to_bytes

from dwarfgpu.arch.processors import PROCESSORS, may_run
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import DwarfGpuError, Malformed, Unavailable, Unsupported, UsageError
from dwarfgpu.machine.core.gpu.core_state_note import Agent
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.core.modules import LoadedFile, Where, path_in
from dwarfgpu.objfile.companions import Companions, shown_path
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PF_W, PT_LOAD
from dwarfgpu.objfile.file_architecture import processor_name
from dwarfgpu.objfile.file_bytes import FileBytes, map_file, part_of

R_DEBUG: Final = Struct("<i4xQQi4xQ")
"""`r_version`, `r_map`, `r_brk`, `r_state`, `r_ldbase`."""
LINK_MAP: Final = Struct("<5Q")
"""`l_addr`, `l_name`, `l_ld`, `l_next`, `l_prev`."""
MAX_URI_BYTES: Final = 4_096
_DESCRIPTOR_SUFFIX: Final = ".kd"
MAX_CODE_BYTES: Final = 1 << 20
"""Maximum size in bytes of a function that is decoded to find what was before the pc."""
_INSTRUCTION_BYTES: Final = 20
"""The size of the longest instruction."""
_CHECKED_BYTES: Final = 4_096
"""How many bytes of each segment are compared."""
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,22}")
_URI: Final = re.compile(r"(?P<scheme>file|memory)://(?P<path>[^#?]*)(?:[#?](?P<range>.*))?")


@frozen
class CodeObjectUri:
    """Where a code object was loaded from."""

    text: str
    path: bytes | None
    """The path of a file; None for memory of the process."""
    offset: int = 0
    """Bytes; of memory, its address."""
    size_bytes: int | None = None
    """None: up to the end of the file."""


@frozen
class LoadedUri:
    """An entry of the list."""

    uri: str
    load_address: int
    """How far above its own addresses the code object is."""


@frozen(eq=False)
class GpuModules:
    """The code objects of a core."""

    listed: tuple[LoadedUri, ...]
    files: tuple[LoadedFile, ...]
    missing: Mapping[LoadedUri, str] = field(factory=dict)
    """Why an entry of the list has no file."""
    notes: tuple[str, ...] = ()

    @property
    def missing_notes(self) -> list[str]:
        """Which entries of the list have no file, and why."""
        return [f"{entry.uri} is not used: {why}" for entry, why in self.missing.items()]


def parse_uri(text: str) -> CodeObjectUri:
    """Parse a URI of the runtime; `Malformed` for any other."""
    match = _URI.fullmatch(text)
    if match is None:
        raise Malformed(f"{shown_path(text)} is not a URI of a code object")
    parameters: dict[str, int] = {}
    for parameter in filter(None, (match["range"] or "").split("&")):
        name, _, number = parameter.partition("=")
        if name not in ("offset", "size") or not _NUMBER.fullmatch(number) or name in parameters:
            raise Malformed(f"{shown_path(text)}: offset and size are numbers, given once")
        parameters[name] = _c_number(text, number)
    if match["scheme"] == "file":
        path = unquote_to_bytes(match["path"].encode("utf-8", "surrogateescape"))
        return CodeObjectUri(text, path, parameters.get("offset", 0), parameters.get("size"))
    if parameters.keys() != {"offset", "size"}:
        raise Malformed(f"{shown_path(text)}: memory has an offset and a size")
    return CodeObjectUri(text, None, parameters["offset"], parameters["size"])


def _c_number(text: str, number: str) -> int:
    """Parse a number of C: decimal, 0x and hexadecimal, 0 and octal."""
    is_octal = len(number) > 1 and number[0] == "0" and number[1] not in "xX"
    try:
        return int(number, 8 if is_octal else 0)
    except ValueError:
        raise Malformed(f"{shown_path(text)}: {number} is not a C number") from None


def loaded_uris(
    memory: CoreMemory, r_debug: int, most: int = DEFAULT_FILE_LIMITS.code_objects
) -> tuple[list[LoadedUri], list[str]]:
    """Return the list of the runtime up to the first error, and its errors. `most`: how many code
    objects are read."""
    if not r_debug:
        return [], ["the runtime has no list of code objects (r_debug is 0)"]
    try:
        _, entry, _, state, _ = R_DEBUG.unpack(memory.read(r_debug, R_DEBUG.size))
    except Unavailable:
        return [], [
            f"the list of code objects is not in the core file: r_debug at {r_debug:#x}; give code "
            "objects with --file and --load-address"
        ]
    if state:
        return [], [f"the list of code objects was being changed (r_state {state})"]
    uris: list[LoadedUri] = []
    visited: set[int] = set()
    try:
        while entry and len(uris) < most:
            if entry in visited:
                return uris, [f"the list of code objects is circular: {entry:#x} occurs twice"]
            visited.add(entry)
            load_address, name, _, entry, _ = LINK_MAP.unpack(memory.read(entry, LINK_MAP.size))
            uris.append(LoadedUri(_text(memory, name), load_address))
    except Unavailable as error:
        return uris, [f"the list of code objects is incomplete: {error.message}"]
    if entry:
        listed = f"more than {most} code objects are listed: those after them are not read"
        return uris, [f"{listed} (--max-code-objects)"]
    return uris, []


def _text(memory: CoreMemory, address: int) -> str:
    text_bytes = memory.first_bytes(address, MAX_URI_BYTES)
    if not text_bytes:
        raise Unavailable(f"the URI at {address:#x} is not in the core file")
    data, end, _ = text_bytes.partition(b"\0")
    if not end:
        raise Unavailable(f"the URI at {address:#x} has no end")
    return data.decode("utf-8", "surrogateescape")


def gpu_modules(
    memory: CoreMemory, r_debug: int, where: Where, overrides: Mapping[str, str]
) -> GpuModules:
    """Return the code objects of the runtime's list whose files are available.

    `overrides`: maps a URI, or the path in it, to the file that the user names for it. `UsageError`
    if that is not the loaded one, or is not in the list."""
    listed, problems = loaded_uris(memory, r_debug, where.limits.code_objects)
    notes = [*problems]
    files: list[LoadedFile] = []
    missing: dict[LoadedUri, str] = {}
    unused = dict(overrides)
    mapped: Companions[bytes | FileBytes] = Companions()
    for entry in listed:
        try:
            uri = parse_uri(entry.uri)
            named = _override_of(uri, overrides)
            if named is not None:
                unused.pop(named[0], None)
                file = _checked_override(memory, named[1], entry.load_address, where, notes)
            else:
                file = _opened(memory, uri, where, mapped)
                why = why_not_loaded(memory, file, entry.load_address)
                if why is not None:
                    is_elsewhere = uri.path is not None and where.sysroot is not None
                    prefix = f"{shown_path(file.path)}: " if is_elsewhere else ""
                    raise Unavailable(f"{prefix}{why}")
        except UsageError as error:
            if _is_override(entry.uri, overrides):
                raise
            missing[entry] = error.message
        except DwarfGpuError as error:
            missing[entry] = error.message
        else:
            files.append(LoadedFile(entry.uri, file, entry.load_address))
    for uri_text in unused:
        why = "; ".join(["the core lists no such code object", *problems])
        raise UsageError(f"--code-object {uri_text}: {why}")
    return GpuModules(tuple(listed), tuple(files), missing, tuple(notes))


def contradicted_agents(agents: Iterable[Agent], gpu_files: GpuModules) -> Iterator[str]:
    """Yield a note about each GPU for which no code object is; none where one is missing, or its
    processor is unknown.

    `agents`: those that execute packets.
    """
    if gpu_files.missing or not gpu_files.files:
        return
    try:
        names = sorted({processor_name(file.file) for file in gpu_files.files})
    except DwarfGpuError:
        return
    for agent in agents:
        if agent.processor in PROCESSORS and not any(
            may_run(name, agent.processor) for name in names
        ):
            yield (
                f"GPU {agent.gpu_id}: the core file says that it is {agent.processor}, but all "
                f"code objects are for {', '.join(names)}: its waves are read as those of "
                f"{agent.processor}, which is wrong unless HSA_OVERRIDE_GFX_VERSION was set"
            )


def _is_override(uri: str, overrides: Mapping[str, str]) -> bool:
    return uri in overrides or any(uri.startswith(f"file://{path}") for path in overrides)


def _override_of(uri: CodeObjectUri, overrides: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the key and the file that the user names for a URI."""
    keys = [uri.text] if uri.path is None else [uri.text, uri.path.decode("utf-8", "replace")]
    return next(((key, overrides[key]) for key in keys if key in overrides), None)


def _checked_override(
    memory: CoreMemory, path: str, load_address: int, where: Where, notes: list[str]
) -> ObjectFile:
    file = open_object(path, None, where.limits)
    why = why_not_loaded(memory, file, load_address)
    if why == NOT_CHECKED:
        notes.append(f"{shown_path(path)} is accepted unchecked: {why}")
    elif why is not None:
        raise UsageError(f"{path} is not the code object that was loaded: {why}")
    return file


def _opened(
    memory: CoreMemory,
    uri: CodeObjectUri,
    where: Where,
    mapped: Companions[bytes | FileBytes],
) -> ObjectFile:
    """Return the code object of a URI; `Unavailable` with the reason if it is not available.

    `mapped`: the files of the URIs before it.
    """
    name = shown_path(uri.text)
    if uri.path is None:
        assert uri.size_bytes is not None
        try:
            return ObjectFile(name, memory.window(uri.offset, uri.size_bytes), where.limits)
        except Unavailable as error:
            raise Unavailable(f"not in the core file: {error.message}") from None
        except UsageError:
            raise Unavailable("the core file has no ELF file there") from None
    path = path_in(where.sysroot, uri.path.decode("utf-8", "surrogateescape"))
    data = mapped.read(path, partial(map_file, path))
    size = len(data) - uri.offset if uri.size_bytes is None else uri.size_bytes
    if size < 0 or uri.offset + size > len(data):
        raise Unavailable(f"{shown_path(path)} has no {size} bytes at {uri.offset:#x}")
    name = path if size == len(data) else f"{path}#offset={uri.offset}&size={size}"
    try:
        return ObjectFile(name, part_of(data, uri.offset, size), where.limits)
    except UsageError:
        raise Unavailable(f"{shown_path(path)} has no ELF file at {uri.offset:#x}") from None


NOT_CHECKED: Final = "the core file has none of its read-only memory, so that it cannot be checked"


def why_not_loaded(memory: CoreMemory, file: ObjectFile, load_address: int) -> str | None:
    """Return why a file is not the one loaded at an address; None if it is."""
    if file.machine != "AMDGPU":
        return f"it is for {file.machine}, not for an AMD GPU"
    checked = 0
    for address, data in _read_only(file):
        for offset, known_bytes in memory.known(load_address + address, len(data)):
            if known_bytes != data[offset : offset + len(known_bytes)]:
                return f"the memory at {load_address + address:#x} has other bytes"
            checked += len(known_bytes)
    return None if checked else NOT_CHECKED


def _read_only(file: ObjectFile) -> Iterator[tuple[int, bytes]]:
    """Yield the address in the file and the first bytes of each read-only segment."""
    for segment in file.segments:
        if segment.type != PT_LOAD or segment.flags & PF_W or not segment.file_bytes:
            continue
        count = min(segment.file_bytes, _CHECKED_BYTES)
        try:
            yield segment.address, file.file_bytes(segment.offset, count, "segment")
        except Malformed as error:
            raise Unsupported(f"{shown_path(file.path)}: {error.message}") from None


def kernel_name(files: Iterable[LoadedFile], descriptor: int) -> str | None:
    """Return the name of the kernel with a descriptor at an address; None if no file has it."""
    for file in files:
        symbol = file.file.symbol_before(descriptor - file.load_address)
        if symbol is not None and symbol.address + file.load_address == descriptor:
            return symbol.name.removesuffix(_DESCRIPTOR_SUFFIX)
    return None


def function_code(
    files: Iterable[LoadedFile], memory: CoreMemory, address: int
) -> tuple[int, bytes]:
    """Return the address and the code of the function that contains an address; the code is from
    the file if the core's memory lacks it. Without a function: the address, and the code there."""
    begin, end = address, address + _INSTRUCTION_BYTES
    for file in files:
        symbol = file.file.symbol_before(address - file.load_address)
        if symbol is None or not _is_loaded(file, address):
            continue
        start = symbol.address + file.load_address
        if address - start < MAX_CODE_BYTES:
            begin, end = start, max(end, start + min(symbol.size_bytes, MAX_CODE_BYTES))
        return begin, memory.first_bytes(begin, end - begin) or _of_file(file, begin, end)
    return begin, memory.first_bytes(begin, end - begin)


def _is_loaded(file: LoadedFile, address: int) -> bool:
    offset = address - file.load_address
    segments = (segment for segment in file.file.segments if segment.type == PT_LOAD)
    return any(
        segment.address <= offset < segment.address + segment.file_bytes for segment in segments
    )


def _of_file(file: LoadedFile, begin: int, end: int) -> bytes:
    offset, size = begin - file.load_address, end - begin
    for segment in file.file.segments:
        inside = offset - segment.address
        if segment.type == PT_LOAD and 0 <= inside < segment.file_bytes:
            count = min(size, segment.file_bytes - inside)
            return bytes(file.file.file_bytes(segment.offset + inside, count, "code"))
    return b""
