"""Core files of `fixtures/core/deep.c` with a stack of any depth, written by hand."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import FIXTURES
from tests.machine.cores import Load, auxiliary, core, status

DEEP = FIXTURES / "core/deep.x86_64.O2"
STACK_END = 0x7FFF_FFFF_0000
FRAME_BYTES = 16
CALL, FAULT = b"\xe8", bytes.fromhex("8b042510000000")
FIRST = 7
"""What `main` passes as `first`."""


def deep_core(
    path: Path,
    depth: int,
    *,
    lost_bytes: int = 0,
    wild_pc: int | None = None,
    loads: Iterable[Load] = (),
) -> tuple[object, ...]:
    """Write a core file with `depth` calls of `down` by `down`; gives its command line options.

    Frame 0 is `down (n=0, first=7 + depth)`, frame `depth` is `down (n=depth, first=7)`, then come
    `main (count=depth)` and `_start`. `lost_bytes` of the stack, from its pointer on, are not in
    the core, as where the stack has no room for the innermost frame. `wild_pc`: the innermost
    `down` has called what is there. `loads`: more segments.
    """
    program = ObjectFile(str(DEEP), DEEP.read_bytes())
    within, from_main, from_start = (
        after(program, name, CALL) + 4 for name in ("down", "main", "_start")
    )
    padding = bytes(FRAME_BYTES - 8)
    stack = (padding + struct.pack("<Q", within)) * depth + padding
    stack += struct.pack("<QQQQ", from_main, 0, from_start, depth)
    if wild_pc is not None:
        stack = struct.pack("<Q", within) + stack
    top, pc = STACK_END - len(stack), after(program, "down", FAULT) - len(FAULT)
    pc = pc if wild_pc is None else wild_pc
    # In the order of the kernel: rbx, rsi, rip, cs, eflags, rsp, ss; rdi, which is 14, is 0.
    registers = {5: depth, 13: FIRST + depth, 16: pc, 17: 0x33, 18: 0x202, 19: top, 20: 0x2B}
    general = struct.pack("<27Q", *(registers.get(number, 0) for number in range(27)))
    notes = [status(100, general), auxiliary(entry=after(program, "_start", b""))]
    path.write_bytes(core(notes, [Load(top + lost_bytes, stack[lost_bytes:]), *loads]))
    return "--core", path, "--file", DEEP


def after(program: ObjectFile, name: str, code: bytes) -> int:
    """The address after the first such bytes of a function."""
    (symbol,) = program.symbols_named(name)
    body = program.bytes_of(symbol, symbol.size_bytes)
    assert body is not None
    return symbol.address + body.index(code) + len(code)
