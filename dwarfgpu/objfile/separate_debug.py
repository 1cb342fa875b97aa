"""Separate debug files (GDB documentation, "Separate Debug Files").

A stripped file names it by `.gnu_debuglink`, a file name with a checksum of the whole file, or by
the build ID that both have. Law: a file that does not match is not used. A checksum takes a reading
of the whole file, which may be a hole: for a very large one, the build ID decides.

`companions` finds the other files: split units (`dwarfgpu/dwarf/split/`) and supplementary files.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.printable import short_name
from dwarfgpu.base.readable_files import is_regular
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    InconsistentContext,
    Malformed,
    shortened,
)
from dwarfgpu.objfile.companions import joined_below, shown_path
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_notes import SHT_NOTE, build_id
from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHT_NOBITS
from dwarfgpu.objfile.file_bytes import map_file

if TYPE_CHECKING:
    from pathlib import Path

MINI_DEBUG_INFO: Final = ".gnu_debugdata"
"""The section with the symbols of a stripped file (`dwarfgpu.objfile.mini_debug_info`)."""
_STEP_BYTES: Final = 1 << 20
_MAX_SUMMED_BYTES: Final = 1 << 31
"""Maximum size in bytes of a file whose checksum is made."""


@frozen
class DebugLink:
    """What `.gnu_debuglink` says."""

    name: str
    """A file name without folders."""
    crc: int
    """CRC-32 of the file."""


def debug_link(file: ObjectFile) -> DebugLink | None:
    """Return the `.gnu_debuglink` of a file; None without one, `Malformed` for a broken one."""
    data = file.section_data(".gnu_debuglink")
    if not data:
        return None
    end = data.find(b"\0")
    crc_at = end + 1 + -(end + 1) % 4
    name = data[:end].decode("utf-8", "surrogateescape")
    if end < 1 or len(data) < crc_at + 4:
        raise Malformed(f"{file.path}: .gnu_debuglink has no file name and checksum")
    if "/" in name or name in (".", ".."):
        shown = shortened(shown_path(name))
        raise Malformed(f"{file.path}: .gnu_debuglink has {shown}, not the name of a file alone")
    return DebugLink(name, int.from_bytes(data[crc_at : crc_at + 4], file.endian))


def has_debug_info(file: ObjectFile) -> bool:
    """Return whether the file has DWARF of its own."""
    return file.has_section(".debug_info")


def is_debug_file(file: ObjectFile) -> bool:
    """Return whether a file has no contents of the sections it loads, as after
    `objcopy --only-keep-debug` or `eu-strip -f`, which leave the notes alone."""
    loaded = [item for item in file.sections if item.flags & SHF_ALLOC and item.type != SHT_NOTE]
    return bool(loaded) and all(item.type == SHT_NOBITS for item in loaded)


def without_code(file: ObjectFile, name: str) -> str:
    """Return that a file has no code, with the reason if it is a separate debug file."""
    if not is_debug_file(file):
        return f"{name} has no code"
    return f"{name} has debugging information only: its code is in the file that it describes"


def find_debug_file(
    file: ObjectFile,
    directories: Iterable[str | Path] = DEBUG_DIRECTORIES,
    unusable: list[str] | None = None,
) -> ObjectFile | None:
    """Find the separate debug file of a file as GDB does; None if none matches.

    First `.build-id/ab/cdef….debug` under each directory; then the linked name beside the file, in
    `.debug` beside it, and under each directory at the path of the file. `unusable` receives why
    each file there is not the right one: it is from another build, as its checksum or the build IDs
    of both say, or too large for a checksum without build IDs. `Malformed` if the file itself has a
    broken link or build ID.
    """
    from pathlib import Path  # most files have their debug information themselves

    roots = [Path(directory) for directory in directories]
    reasons: list[str] = [] if unusable is None else unusable
    id = build_id(file)
    if id is not None:
        for path in by_build_id(id, roots):
            opened = _opened(path, file, reasons)
            if opened is None:
                continue
            try:
                its_id = build_id(opened)
            except Malformed as error:
                reasons.append(str(error))
                continue
            if its_id == id:
                return opened
            its = "no build ID" if its_id is None else f"the build ID {short_name(its_id.hex())}"
            reasons.append(f"{shown_path(str(path))} has {its}")
    link = debug_link(file)
    if link is None:
        return None
    for path in _by_link(link, Path(file.path), roots):
        opened = _opened(path, file, reasons)
        if opened is None:
            continue
        shown = shown_path(str(path))
        is_summed = opened.size_bytes <= _MAX_SUMMED_BYTES
        crc = _crc(path) if is_summed else link.crc
        if crc != link.crc:
            reasons.append(f"{shown} has the checksum {crc:#010x}, not {link.crc:#010x}")
            continue
        its_id = build_id(opened)
        if (id is None or its_id is None) and not is_summed:
            reasons.append(
                f"{shown} has {opened.size_bytes} bytes: a checksum is made of at most "
                f"{_MAX_SUMMED_BYTES}; link both files with --build-id"
            )
        elif id is None or its_id is None or id == its_id:
            return opened
        else:
            reasons.append(
                f"{shown} is from another build: build ID {short_name(its_id.hex())}, not "
                f"{short_name(id.hex())}"
            )
    return None


def why_unusable(file: ObjectFile, reasons: list[str]) -> InconsistentContext | None:
    """Return the error of a search that found files, but not the right one; None if it found
    none."""
    if not reasons:
        return None
    why = "; ".join(dict.fromkeys(reasons))
    return InconsistentContext(f"the debug file of {file.path} cannot be used: {why}")


def by_build_id(id: bytes, roots: list[Path]) -> Iterator[Path]:
    """Return where a file of a build ID may be under each directory."""
    text = id.hex()
    for root in roots:
        yield root / ".build-id" / text[:2] / f"{text[2:]}.debug"


def _by_link(link: DebugLink, path: Path, roots: list[Path]) -> Iterator[Path]:
    from pathlib import Path

    folder = path.parent
    yield folder / link.name
    yield folder / ".debug" / link.name
    for root in roots:
        try:
            inside = folder.resolve().relative_to("/")
        except (OSError, ValueError, RuntimeError):
            continue
        yield Path(joined_below(str(root), f"{inside}/{link.name}"))


def _opened(path: Path, file: ObjectFile, reasons: list[str]) -> ObjectFile | None:
    """Return a file that is not the one whose debug file is looked for; None, and the reason, if
    it cannot be read."""
    if not is_regular(path) or not _is_other(path, file):
        return None
    try:
        return open_object(path, file.limits)
    except DwarfGpuError as error:
        reasons.append(str(error))
    return None


def _is_other(path: Path, file: ObjectFile) -> bool:
    try:
        return not path.samefile(file.path)
    except OSError:
        return True


def _crc(path: Path) -> int:
    data = map_file(path)
    crc = 0
    for start in range(0, len(data), _STEP_BYTES):
        crc = zlib.crc32(data[start : start + _STEP_BYTES], crc)
    return crc
