"""Code that only the debugging information names, and padding, which nothing names."""

from __future__ import annotations

import json
import platform
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.session.stack_frames import symbol_name
from tests.cli.command import FIXTURES, run
from tests.language.sessions import program as started

_SYMTAB = 2
_SYMBOL_BYTES = 24


def without_symbol(data: bytes, name: bytes) -> bytes:
    """An ELF file without one symbol of its symbol table, as compilers leave out local ones."""
    (sections,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, sections + 64 * at) for at in range(count)]
    (table,) = (row for row in rows if row[1] == _SYMTAB)
    out, names = bytearray(data), rows[table[6]][4]
    for at in range(table[4], table[4] + table[5], _SYMBOL_BYTES):
        begin = names + struct.unpack_from("<I", data, at)[0]
        if data[begin : data.index(b"\0", begin)] == name:
            out[at : at + _SYMBOL_BYTES] = bytes(_SYMBOL_BYTES)
    assert out != data
    return bytes(out)


def test_a_function_without_a_symbol_has_the_name_of_its_entry(tmp_path: Path) -> None:
    """As in GDB 13; the symbol before it is that of a lambda."""
    program = tmp_path / "program"
    data = (FIXTURES / "core/shapes.x86_64.O0").read_bytes()
    program.write_bytes(without_symbol(data, b"_Z5crashPN3geo5ShapeEi"))
    commands = ("p crash", "p/a crash+4", "x/2i crash", "disas crash,+2", "disas 0x401057")
    done = run("debug", program, "--batch", *(word for one in commands for word in ("-ex", one)))
    lines = [re.split(":\t", line)[0] for line in done.out.splitlines()]
    assert lines[:9] == [
        "$1 = {int (geo::Shape *, int)} 0x401056 <crash(geo::Shape*, int)>",
        "$2 = 0x40105a <crash(geo::Shape*, int)+4>",
        "   0x401056 <crash(geo::Shape*, int)>",
        "   0x401057 <crash(geo::Shape*, int)+1>",
        "Dump of assembler code from 0x401056 to 0x401058:",
        "   0x0000000000401056 <crash(geo::Shape*, int)+0>",
        "   0x0000000000401057 <crash(geo::Shape*, int)+1>",
        "End of assembler dump.",
        "Dump of assembler code for function crash(geo::Shape*, int):",
    ]
    assert lines[9] == "   0x0000000000401056 <+0>"
    assert lines[-2:] == ["   0x0000000000401195 <+319>", "End of assembler dump."]


def test_a_plus_in_the_name_of_a_frame_is_no_offset(tmp_path: Path) -> None:
    """As in GDB 13, `bt` shows the whole demangled symbol, `operator+` with its parameters."""
    program, name = tmp_path / "program", b"_Z5crashPN3geo5ShapeEi"
    plus = b"_ZplPN3geo5ShapeERK1Ai"
    assert len(plus) == len(name)
    program.write_bytes((FIXTURES / "core/shapes.x86_64.O0").read_bytes().replace(name, plus))
    assert symbol_name(started(program), 0x40105A) == "operator+(geo::Shape*, A const&, int)"


def test_padding_has_no_name() -> None:
    """As in GDB 13."""
    done = run(
        *("debug", FIXTURES / "x86_64/demo.gcc.O2.v5", "--batch", "-ex", "disas 0x11c0,+0x12")
    )
    assert [line.partition(":\t")[0] for line in done.out.splitlines()[1:-1]] == [
        "   0x00000000000011c0 <twice+0>",
        "   0x00000000000011c3 <twice+3>",
        "   0x00000000000011c4",
        "   0x00000000000011cf",
        "   0x00000000000011d0 <factorial+0>",
    ]


def test_info_frame_names_the_symbol_at_the_pc(tmp_path: Path) -> None:
    """As in GDB 13: after a call that ends a function, the pc is in no symbol; a backtrace names
    that of the call."""
    program = tmp_path / "program"
    data = (FIXTURES / "x86_64/demo.gcc.O2.v5").read_bytes()
    program.write_bytes(data.replace(b".debug_", b".xebug_"))
    machine = ("--pc", "0x11d0", "--reg", "rsp=0x7000", "--mem", f"0x7000=c411{bytes(70).hex()}")
    done = run("debug", program, *machine, "--batch", "-ex", "frame 1", "-ex", "info frame")
    assert done.lines[0].endswith(" in twice ()")
    assert done.lines[2].startswith(" rip = 0x11c4; saved rip = ")


def test_a_frame_is_found_by_the_symbol_of_its_function(tmp_path: Path) -> None:
    """As in GDB 13: the code of the function has no debugging information."""
    program = tmp_path / "program"
    data = (FIXTURES / "core/shapes.x86_64.O0").read_bytes()
    program.write_bytes(data.replace(b".debug_", b".xebug_"))
    core = FIXTURES / "core/shapes.x86_64.O0.core"
    names = ("main", "crash", "geo::Square::area")
    done = run("debug", program, core, "--batch", *(f"-ex=frame function {name}" for name in names))
    assert [line for line in done.out.splitlines() if line.startswith("#")][1:] == [
        "#3  0x00000000004011c7 in main ()",
        "#0  0x000000000040118b in crash(geo::Shape*, int) ()",
    ]
    assert done.err.splitlines()[-1:] == ['Function "geo::Square::area" not defined.']


def test_instructions_before_the_end_of_memory_are_shown() -> None:
    """As in GDB 13, also what `$_` is, and where another `x` continues."""
    program = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    commands = ("p $_", "x/3i 0x1bb8", "x/i", "p $_", "x/i 0x1bbc", "p $_", "display/2i 0x1bbc")
    done = run("debug", program, "--batch", *(f"-ex={command}" for command in commands))
    assert done.err.splitlines() == [
        "Cannot access memory at address 0x1bc0",
        "Cannot access memory at address 0x1bc1",
    ]
    assert [line.strip() for line in done.out.replace("\t", " ").splitlines()] == [
        "$1 = void",
        "0x1bb8: s_nop 0",
        "0x1bbc: s_nop 0",
        "0x1bc0:    0x1bc1: $2 = void",
        "0x1bbc: s_nop 0",
        "$3 = (int8_t *) 0x1bbc",
        "1: x/2i 0x1bbc",
        "0x1bbc: s_nop 0",
        "0x1bc0: <error: Cannot access memory at address 0x1bc0>",
    ]


def test_another_x_after_one_with_nothing_before() -> None:
    """As in GDB 13: it begins where the first one ended."""
    program = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    done = run("debug", program, "--batch", "-ex=x/-3i nest", "-ex=x/i")
    assert [line.split()[0] for line in done.lines] == ["No", "0x1600"]


SWIFT = """
    .globl _start
    .type _start, @function
_start: nop
    .type $s4main3fooyyF, @function
$s4main3fooyyF: nop
    nop
    .size $s4main3fooyyF, 2
$d: .byte 0
"""


def test_names_that_begin_with_a_dollar(tool: Callable[[str], str], tmp_path: Path) -> None:
    """As in GDB 13: a symbol is meant where no convenience variable has the name."""
    if platform.machine() != "x86_64":
        pytest.skip("needs gcc for x86-64")
    source, program = tmp_path / "a.s", tmp_path / "a"
    source.write_text(SWIFT)
    words = [tool("gcc"), "-nostdlib", "-static", "-Wl,-Ttext=0x401000", source, "-o", program]
    subprocess.run(words, check=True, timeout=60)
    name = "$s4main3fooyyF"
    commands = (f"p {name}", f"p {name} + 1", f"break {name}", f"info symbol {name}",
                "info scope $no", "p $no")  # fmt: skip
    done = run("debug", program, "--batch", *(f"-ex={command}" for command in commands))
    assert done.lines == [
        f"$1 = {{<text variable, no debug info>}} 0x401001 <{name}>",
        f"$2 = (<text variable, no debug info> *) 0x401002 <{name}+1>",
        "Breakpoint 1 at 0x401001",
        f"{name} in section .text",
        "$3 = void",
    ]
    assert 'Undefined convenience variable or function "$no" not defined.' in done.err
    listed = run("debug", program, "--batch", "-ex=info functions").out
    assert name in listed and "$d" in listed


def test_code_in_a_part_of_a_page(tmp_path: Path) -> None:
    """What memory has of it is shown, however little."""
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0}],
        "memory": [{"address": "0x500000", "bytes": "00007ebf" * 3}],
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(state))
    done = run("debug", "--state", path, "--batch", "-ex=x/9i 0x500000", "-ex=x/i 0x500008")
    assert [line.split(":")[0].strip() for line in done.lines] == [
        "0x500000", "0x500004", "0x500008", "0x50000c",
    ]  # fmt: skip
    assert done.err.splitlines() == ["Cannot access memory at address 0x50000c"]


def test_marks_of_code_are_no_names() -> None:
    """Convenience variables have their names, as in GDB."""
    program = FIXTURES / "core/crash.aarch64.O0"
    commands = ("set var $x = 1", "p $x", "p $d", "break $d")
    done = run("debug", program, "--batch", *(f"-ex={command}" for command in commands))
    assert done.lines[:2] == ["$1 = 1", "$2 = void"]
    assert 'Undefined convenience variable or function "$d" not defined.' in done.err
