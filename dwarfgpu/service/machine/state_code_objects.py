"""A code object of the command line in place of the one that a state names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dwarfgpu.base.file_digests import FileDigests
from dwarfgpu.base.printable import on_one_line
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject, has_end
from dwarfgpu.errors import DwarfGpuError, UsageError, counted, shortened
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.machine.state.loaded_state import State, StateCodeObject
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import build_id
from dwarfgpu.objfile.separate_debug import is_debug_file
from dwarfgpu.session.focused_frame import not_in_code

_COMPARED_BYTES = 1 << 16
"""Read at a time from segments that overlap."""
_MOST_COMPARED_BYTES = 1 << 26
"""Zeros behind the end of a file can be any number."""


@frozen
class _Part:
    """A segment of a code object in memory."""

    start: int
    end: int
    of: CodeObject
    segment: LoadedSegment

    def data(self, address: int, size_bytes: int) -> bytes | None:
        """Return bytes of the segment; None where the file does not determine them."""
        try:
            return self.segment.read(address - self.start, size_bytes)
        except DwarfGpuError:
            return None


def require_end_in_state(code_object: CodeObject, state: State) -> None:
    """Raise `UsageError` for the load address in a state from which a code object would exceed 64
    bits."""
    if has_end(code_object):
        return
    path = resolved(code_object.file.path)
    for listed in state.code_objects:
        if listed.address_field is not None and resolved(listed.path) == path:
            expected = f"an address where {code_object.name} ends within 64 bits"
            raise listed.address_field.expected(expected)


def require_apart(path: str, state: State, code_objects: Sequence[CodeObject]) -> None:
    """Raise `UsageError` if two code objects of a state give the same byte different contents:
    questions about its address would have two answers. `path`: of the state.

    Code objects that are not at the state's addresses are the command line's, which may be
    instead of them. A program and its separate debug file, at one address, are the same bytes.
    """
    if len(state.code_objects) < 2:
        return
    real = _real_paths(state, code_objects)
    listed = {(real[str(item.path)], item.load_address) for item in state.code_objects}
    own = [item for item in code_objects if (real[item.file.path], item.load_address) in listed]
    parts = sorted(
        (
            _Part(segment.address, segment.address + segment.size_bytes, item, segment)
            for item in own
            for segment in item.loaded_segments()
        ),
        key=lambda part: (part.start, part.end),
    )
    if not parts:
        return
    last = parts[0]  # that which ends last: what overlaps another one has the same bytes as it
    for part in parts:
        if part.start < last.end and not _is_same(last.of, part.of):
            difference = _difference(last, part)
            if difference is not None:
                subject = f"{path}: code_objects: {_overlap(last.of, part.of)}"
                advice = "a load_address is missing or wrong"
                raise UsageError(on_one_line(f"{subject}: they {difference}; {advice}"))
        last = max(last, part, key=lambda item: item.end)


def _real_paths(state: State, code_objects: Iterable[CodeObject]) -> dict[str, Path]:
    """Return the `resolved` paths of a state and of open files, by their names: a file may be
    loaded thousands of times."""
    listed = (str(item.path) for item in state.code_objects)
    names = dict.fromkeys((*listed, *(item.file.path for item in code_objects)))
    return {name: resolved(name) for name in names}


def _is_same(first: CodeObject, second: CodeObject) -> bool:
    """Return whether two code objects are the same bytes in memory: of one file, of one program by
    the linker's build ID, or where one is a debug file, which does not have the bytes."""
    if first.load_address != second.load_address:
        return False
    if first.file is second.file:
        return True
    id = build_id(first.file)
    if id is not None and id == build_id(second.file):
        return True
    return is_debug_file(first.file) or is_debug_file(second.file)


def _overlap(first: CodeObject, second: CodeObject) -> str:
    has_names = first.name != second.name
    texts = [
        f"{item.name if has_names else item.file.path}, loaded at {item.load_address:#x},"
        for item in (first, second)
    ]
    return f"{texts[0]} and {texts[1]} overlap"


def _difference(first: _Part, second: _Part) -> str | None:
    """Return where two segments that overlap have different bytes, or may have them; None if they
    have the same."""
    end = min(first.end, second.end)
    most = min(end, second.start + _MOST_COMPARED_BYTES)
    for address in range(second.start, most, _COMPARED_BYTES):
        size_bytes = min(_COMPARED_BYTES, most - address)
        first_bytes, second_bytes = (
            first.data(address, size_bytes),
            second.data(address, size_bytes),
        )
        if first_bytes == second_bytes:
            continue
        if first_bytes is None or second_bytes is None:
            return f"cannot be compared at {address:#x}"
        pairs = enumerate(zip(first_bytes, second_bytes, strict=True))
        offset = next(offset for offset, (one, other) in pairs if one != other)
        return f"have different bytes at {address + offset:#x}"
    return f"cannot be compared beyond {most:#x}" if most < end else None


def address_of_same(state: State, path: str | Path) -> int:
    """Return where the only code object of a state is loaded, if a file is the same, or the state's
    is missing; 0 for another file."""
    if len(state.code_objects) != 1:
        return 0
    import filecmp  # few requests name another file than the state

    [listed] = state.code_objects
    try:
        is_same = not os.path.exists(listed.path) or filecmp.cmp(path, listed.path, shallow=False)
    except OSError:
        return 0  # opening it says why
    return listed.load_address if is_same else 0


def recorded_digests(state: State, code_objects: Iterable[CodeObject]) -> dict[ObjectFile, str]:
    """Return the SHA-256 that a state has of files that are open."""
    code_objects = tuple(code_objects)
    real = _real_paths(state, code_objects)
    saved = {real[str(item.path)]: item.digest for item in state.code_objects}
    digests = {item.file: saved.get(real[item.file.path]) for item in code_objects}
    return {file: digest for file, digest in digests.items() if digest is not None}


def changed_since(state: State, code_objects: Sequence[CodeObject]) -> Iterator[str]:
    """Yield a note on each file that has other contents than when the state was saved, and one on
    those that were not read."""
    recorded, digests = recorded_digests(state, code_objects), FileDigests()
    real = _real_paths(state, code_objects)
    names = {real[item.file.path]: item for item in code_objects}  # each path once
    for path, item in names.items():
        digest = recorded.get(item.file)
        if digest is not None and digests.of(path) not in (digest, None):
            yield (
                f"{item.name} has changed since the state was saved: functions, lines and "
                "variables may be wrong"
            )
    if digests.beyond:
        yield (
            f"{counted(digests.beyond, 'code object')} may have changed since the state was "
            "saved: together with those that were compared, more bytes than are read for this"
        )


def require_waves_inside(state: State, path: str, file: str, own: Sequence[CodeObject]) -> None:
    """Raise `UsageError` if a wave is not in the code object of the command line, but in another
    one that the state names."""
    for wave in state.waves:
        if wave.pc is not None and not own[0].covers(wave.pc):
            error = in_another_code_object(wave.pc, own, file, path, state.code_objects, file)
            if error is not None:
                raise error


def in_another_code_object(
    pc: int,
    own: Sequence[CodeObject],
    file: str,
    state: str,
    named: Sequence[StateCodeObject],
    typed: str,
) -> UsageError | None:
    """Return the error about a wave that is not in the code object `file` of the command line, but
    in the only one that the state names; None where the state names no other.

    `typed`: what the user wrote for the file.
    """
    if len(named) != 1 or resolved(named[0].path) == resolved(file):
        return None
    advice = f"leave out {shortened(typed)}" if os.path.exists(named[0].path) else "give that file"
    return UsageError(
        f"{not_in_code(pc, own)}; {state} names {named[0].path.name}, loaded at "
        f"{named[0].load_address:#x}: {advice}"
    )
