"""Registers of extensions that the processor of a core file does not have: what GDB says of them.

The cores are the fixture's with a smaller NT_X86_XSTATE, as systems write it on processors without
AVX-512, without AVX, and without XSAVE. The answers of GDB 13 are recorded here.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.gdb_sessions import FIXTURES, answers
from tests.repl.test_gdb_sessions import gdb_version

NT_X86_XSTATE, NT_X86_XSAVE_LAYOUT, UNUSED = 0x202, 0x205, 0x7FFF
XCR0_AT, XSTATE_BV_AT = 464, 512
AREAS = {"avx": (832, 7), "sse": (576, 3), "none": (0, 0)}
"""Processor to the size of its XSAVE area, and XCR0."""
VOID = ("k0", "k7", "zmm0", "zmm31", "xmm16", "xmm31", "ymm16", "ymm31", "zmm0h", "r16", "r31")
"""Of AVX-512 and APX, which none of the processors has."""
VOID_WITHOUT_AVX = ("ymm0", "ymm15", "ymm0h")
ANSWERS = {
    "p $k0 + 1": "Argument to arithmetic operation not a number or boolean.",
    "p sizeof($k0)": "= 1",
    "whatis $k0": "type = void",
    "ptype $zmm0": "type = void",
    "output $k0": "void",
    "p $_isvoid($xmm16)": "= 1",
    "info registers k0": "Invalid register `k0'",
    "info registers zmm0": "Invalid register `zmm0'",
    "info registers xmm31": "Invalid register `xmm31'",
    # A name that means nothing is a variable of the debugger.
    "set $k0 = 5": "",
    "p $k0 + 2": "= 7",
}
VECTORS = {"avx": "ymm", "sse": "xmm", "none": "xmm"}


def core(folder: Path, processor: str) -> Path:
    """The core of the fixtures as a lesser processor would have it."""
    data = bytearray((FIXTURES / "core/crash.x86_64.O0.core").read_bytes())
    size_bytes, enabled = AREAS[processor]
    [notes] = [segment for segment in segments(data) if segment[0] == 4]
    at, end = notes[1], notes[1] + notes[2]
    while at < end:
        name_bytes, content_bytes, kind = struct.unpack_from("<III", data, at)
        content = at + 12 + (name_bytes + 3 & ~3)
        following = content + (content_bytes + 3 & ~3)
        if kind == NT_X86_XSAVE_LAYOUT or (kind == NT_X86_XSTATE and not size_bytes):
            struct.pack_into("<I", data, at + 8, UNUSED)
        elif kind == NT_X86_XSTATE:
            struct.pack_into("<I", data, at + 4, size_bytes)
            struct.pack_into("<Q", data, content + XCR0_AT, enabled)
            [in_use] = struct.unpack_from("<Q", data, content + XSTATE_BV_AT)
            struct.pack_into("<Q", data, content + XSTATE_BV_AT, in_use & enabled)
            rest = content + size_bytes
            struct.pack_into("<III8s", data, rest, 6, following - rest - 20, UNUSED, b"LINUX")
        at = following
    path = folder / f"{processor}.core"
    path.write_bytes(data)
    return path


def segments(data: bytearray) -> list[tuple[int, int, int]]:
    """Type, offset and size of each segment of a 64-bit core."""
    [table] = struct.unpack_from("<Q", data, 32)
    [count] = struct.unpack_from("<H", data, 56)
    rows = [struct.unpack_from("<IIQQQQ", data, table + 56 * n) for n in range(count)]
    return [(row[0], row[2], row[5]) for row in rows]


def said(program: list[str], commands: list[str]) -> list[str]:
    """The answer to each command, without the numbers of values and without our notes."""
    result = answers(program, commands)
    return [re.sub(r"^note: .*\n|^\$\d+ ", "", item, flags=re.M).strip() for item in result]


def ours(path: Path, commands: list[str]) -> list[str]:
    words = ["core/crash.x86_64.O0", "--core", str(path), "--sysroot", "core", "--batch"]
    return said([sys.executable, "-m", "dwarfgpu", "debug", *words], commands)


def gdbs(path: Path, commands: list[str]) -> list[str]:
    words = ["-iex", "set sysroot core", "-iex", "set debuginfod enabled off", "-batch"]
    return said(["gdb", "-q", "-nx", *words, "core/crash.x86_64.O0", str(path)], commands)


def expected(processor: str) -> dict[str, str]:
    """What GDB 13 says to each command."""
    lacking = VOID if processor == "avx" else VOID + VOID_WITHOUT_AVX
    return (
        {f"p ${name}": "= void" for name in lacking}
        | {f"info registers {name}": f"Invalid register `{name}'" for name in lacking}
        | ANSWERS
    )


@pytest.mark.parametrize("processor", AREAS)
@pytest.mark.parametrize("debugger", [ours, gdbs])
def test_the_answers_for_each_processor(
    tmp_path: Path, processor: str, debugger: Callable[[Path, list[str]], list[str]]
) -> None:
    if debugger is gdbs and not gdb_version().startswith("13."):
        pytest.skip("needs GDB 13, whose answers are recorded")
    known = expected(processor)
    output = debugger(core(tmp_path, processor), [*known])
    assert dict(zip(known, output, strict=True)) == known


@pytest.mark.parametrize("processor", AREAS)
@pytest.mark.parametrize("debugger", [ours, gdbs])
def test_groups_are_without_them(
    tmp_path: Path, processor: str, debugger: Callable[[Path, list[str]], list[str]]
) -> None:
    if debugger is gdbs and not gdb_version().startswith("13."):
        pytest.skip("needs GDB 13, whose answers are recorded")
    commands = ["info registers", "info registers vector"]
    output = debugger(core(tmp_path, processor), commands)
    general, vectors = ([line.split()[0] for line in item.splitlines()] for item in output)
    assert general[0] == "rax" and general[-1] == "gs" and len(general) == 24
    assert [name for name in vectors if name != "mxcsr"] == [
        f"{VECTORS[processor]}{n}" for n in range(16)
    ]


def test_on_the_command_line_the_reason_is_named(tmp_path: Path) -> None:
    done = run(
        "eval", "$k0", "--core", core(tmp_path, "avx"), "--file", FIXTURES / "core/crash.x86_64.O0"
    )  # fmt: skip
    assert done.error == '"$k0": the processor of thread 1 has no such register'


def test_a_register_that_is_given_exists(tmp_path: Path) -> None:
    done = run("eval", "$k0", "--core", core(tmp_path, "avx"), "--reg", "k0=7")
    assert done.out == "$k0 = 7\n", done


def test_completion_does_not_offer_them(tmp_path: Path) -> None:
    [result] = ours(core(tmp_path, "avx"), ["complete p $k"])
    assert result == ""


def test_the_symbol_of_a_register_may_have_blanks() -> None:
    """As GDB 13 shows the program counter in a member function that is `const`."""
    words = ["--arch", "x86_64", "--pc", "geo::Shape::area", "--reg", "rip=0x4011d2"]
    program = FIXTURES / "core/shapes.x86_64.O0"
    done = run("debug", "--batch", "-q", program, *words, "-ex", "info registers rip")
    assert done.lines == [
        "rip            0x4011d2            0x4011d2 <geo::Shape::area() const+8>"
    ]
