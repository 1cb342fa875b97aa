"""Addresses of a program's thread-local variables (Drepper, "ELF Handling For Thread-Local
Storage", 3; System V ABI of x86-64; ELF for the Arm 64-bit architecture, "Thread Local Storage").

Law: only the block of the program itself is at a fixed distance from the thread pointer, because
its own code relies on it. Only the dynamic linker's tables locate the block of a library: a target
that reads them is asked for the block, then one that knows variables for the address of a symbol in
it. What has a name is less certain: a file may have several variables of it.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Final

from dwarfgpu.arch.abi import Abi
from dwarfgpu.arch.registry import abi_of
from dwarfgpu.errors import IllFormed, Malformed, MissingContext, Unavailable, Unsupported
from dwarfgpu.machine.target import Target, ThreadBlocks, ThreadLocal, WaveId
from dwarfgpu.objfile.dynamic_segment import dynamic_tags
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import ET_EXEC, PT_TLS, Segment

_DT_FLAGS_1: Final = 0x6FFFFFFB
_DF_1_PIE: Final = 0x08000000
UNKNOWN_THREAD_POINTER: Final = "the thread pointer is unknown"


def tls_address(file: ObjectFile, offset: int, wave: WaveId, target: Target | None) -> int:
    """Return the address of an offset in a wave's thread-local block of a file.

    `Unsupported` for a library or another machine, `Unavailable` if the thread pointer is unknown
    or the file is not linked, `IllFormed` if the file has no such offset, `Malformed` if its
    sections contradict PT_TLS.
    """
    name = os.path.basename(file.path)
    if file.is_relocatable:
        raise Unavailable(f"{name} is not linked: thread-local variables have no place in it")
    abi, register = abi_of(file.machine), _pointing_register(file)
    segment = _segment(file)
    if segment is None:
        raise IllFormed(f"{name} has no thread-local storage (PT_TLS)")
    from dwarfgpu.objfile.lost_sections import contradicted_tls  # few questions are about threads

    contradiction = contradicted_tls(file)
    if contradiction is not None:
        raise contradiction
    if not 0 <= offset <= segment.memory_bytes:
        raise IllFormed(
            f"offset {offset:#x} is outside the {segment.memory_bytes:#x} bytes of thread-local "
            f"storage of {name}{_why_outside(segment, offset)}"
        )
    mask = (1 << 8 * file.address_bytes) - 1
    if not is_marked_as_program(file):
        block = _block_of_library(file, wave, target)
        if block is not None:
            return block + offset & mask
        raise Unsupported(
            f"thread-local storage of {name}: it is not marked as a program (ET_EXEC, DF_1_PIE), "
            "and the dynamic linker's tables do not say where the block of a library is"
        )
    pointer = _pointer(register, wave, target)
    return pointer + _displacement(file, segment, abi) + offset & mask


def thread_pointer(file: ObjectFile, wave: WaveId, target: Target | None) -> int:
    """Return the thread pointer of a wave, from which the code of a file counts. `Unsupported` on
    another machine, `Unavailable` if it is unknown."""
    return _pointer(_pointing_register(file), wave, target)


def has_thread_local_storage(file: ObjectFile) -> bool:
    """Return whether a file has a block in each thread."""
    return _segment(file) is not None


def _segment(file: ObjectFile) -> Segment | None:
    return next((segment for segment in file.segments if segment.type == PT_TLS), None)


def _pointing_register(file: ObjectFile) -> str:
    register = abi_of(file.machine).thread_pointer
    if register is None:
        raise Unsupported(f"thread-local storage of {file.machine}")
    return register


def _why_outside(segment: Segment, offset: int) -> str:
    """Return what a number is that should be an offset in thread-local storage; empty if that is
    unknown. In `.debug_addr` of split units it would be read as an address
    (`dwarfgpu.dwarf.split.thread_offsets`)."""
    is_address = segment.address <= offset < segment.address + segment.memory_bytes
    if not is_address:
        return ""
    return ": it is an address in that segment, not an offset"


def is_marked_as_program(file: ObjectFile) -> bool:
    """Return whether a file says that it is a program; one of before 2015 may be and not say it."""
    if file.type == ET_EXEC:
        return True
    return bool(dynamic_tags(file).get(_DT_FLAGS_1, 0) & _DF_1_PIE)


def _block_of_library(file: ObjectFile, wave: WaveId, target: Target | None) -> int | None:
    """Return the address of a library's block; None if the target does not know it."""
    unavailable = None
    if abi_of(file.machine).thread_control_bytes is None:
        try:
            block = _block_from_tables(file, wave, target)
        except Unavailable as error:
            block, unavailable = None, error
        if block is not None:
            return block
    block = _block_from_names(file, wave, target)
    if block is None and unavailable is not None:
        raise unavailable
    return block


def _block_from_names(file: ObjectFile, wave: WaveId, target: Target | None) -> int | None:
    """Return the address of a library's block, from a target that knows the address of a variable
    in it, of a name that no other symbol of the file has; None if it knows none."""
    if not isinstance(target, ThreadLocal):
        return None
    counts = Counter(symbol.name for symbol in file.symbols if symbol.section)
    for symbol in file.symbols:
        if symbol.kind == "thread_local" and symbol.section and counts[symbol.name] == 1:
            address = target.thread_local_address(wave, file.path, symbol.name)
            if address is not None:
                return address - symbol.address
    return None


def _block_from_tables(file: ObjectFile, wave: WaveId, target: Target | None) -> int | None:
    """Return the address of a library's block from the dynamic linker's tables; None if there are
    none."""
    if not isinstance(target, ThreadBlocks):
        return None
    pointer = thread_pointer(file, wave, target)
    try:
        return target.thread_local_block(wave, file.path, pointer)
    except Unavailable as error:
        name = os.path.basename(file.path)
        raise Unavailable(f"thread-local storage of {name}: {error.message}") from None


def _displacement(file: ObjectFile, segment: Segment, abi: Abi) -> int:
    """Return the distance from the thread pointer to the block, as linkers count it in the
    program's own code."""
    alignment = max(segment.alignment, 1)
    if alignment & alignment - 1:
        raise Malformed(f"{file.path}: PT_TLS is aligned to {alignment:#x} bytes")
    if abi.thread_control_bytes is not None:
        control = abi.thread_control_bytes
        return control + (segment.address - control) % alignment
    size_bytes = segment.memory_bytes
    return -size_bytes - (-segment.address - size_bytes) % alignment


def _pointer(name: str, wave: WaveId, target: Target | None) -> int:
    if target is None:
        raise MissingContext(f"the context has no machine to read {name}, the thread pointer")
    architecture = target.architecture_of(wave)
    register = architecture.register_named(name)
    if register is None:
        raise Unavailable(f"{architecture.name} has no {name}, which is the thread pointer")
    try:
        data = target.read_register(wave, register)
    except Unavailable as error:
        raise Unavailable(f"{UNKNOWN_THREAD_POINTER}: {error.message}")
    return int.from_bytes(data, architecture.endian)
