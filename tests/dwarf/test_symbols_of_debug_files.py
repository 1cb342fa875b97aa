"""Symbols that only a debug file has, and those of assembler code, which have no type."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_text
from dwarfgpu.dwarf.scope.symbols_by_name import untyped_symbol
from dwarfgpu.service.code.disassembly import Disassembly
from tests.repl.side_by_side import answers, build

SOURCE = """
static int quiet(int n) { return n * 3; }
int main(int argc, char **argv) { return quiet(argc) + (argv == 0); }
"""


def test_symbols_come_from_the_debug_file_too(tool: Callable[[str], str], tmp_path: Path) -> None:
    program, debug = tmp_path / "program", tmp_path / "program.debug"
    (tmp_path / "a.c").write_text(SOURCE)
    objcopy = tool("objcopy")
    for command in (
        [tool("gcc"), "-g", "-O0", str(tmp_path / "a.c"), "-o", str(program)],
        [objcopy, "--only-keep-debug", str(program), str(debug)],
        [objcopy, "--strip-all", f"--add-gnu-debuglink={debug}", str(program)],
    ):
        subprocess.run(command, check=True, cwd=tmp_path, timeout=120)
    code_object = CodeObject.open(program, 0x10000)
    known = untyped_symbol([code_object], "quiet")
    assert known is not None and known.is_code
    assert symbol_text([code_object], known.address + 4) == "quiet+4"
    assert symbol_text([CodeObject.open(debug, 0)], known.address - 0x10000) == "quiet"


LABELS = """
__asm__(".text\\n"
        "bare: .long 0, 0\\n"
        ".Lhidden: .long 0, 0\\n"
        ".type whole, %function\\n"
        "whole: .long 0\\n"
        "inside: .long 0\\n"
        ".size whole, 8\\n"
        "behind: .long 0, 0\\n"
        ".pushsection .data\\n"
        "table: .long 0, 0\\n"
        ".popsection\\n");
"""


def test_labels_of_assembler_code_name_addresses(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As in GDB: unless a function with a size covers the address, and in code only."""
    (tmp_path / "a.c").write_text(LABELS + "int main(void) { return 0; }\n")
    command = [tool("gcc"), "-g", "-O0", "a.c", "-o", "program"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=120)
    code_object = CodeObject.open(tmp_path / "program", 0x10000)
    labels = {symbol.name: symbol.address + 0x10000 for symbol in code_object.file.symbols}
    bare, data = labels["bare"], labels["table"]
    got = [symbol_text([code_object], bare + offset) for offset in range(0, 32, 4)]
    assert got == [
        "bare", "bare+4", "bare+8", "bare+12", "whole", "whole+4", "behind", "behind+4",
    ]  # fmt: skip
    assert symbol_text([code_object], data + 4) is None


SIZED = """
__attribute__((noinline)) static int first(int n) { return n + 1; }
__asm__(".text\\n.globl sized\\nsized: nop\\nnop\\nret\\n.size sized, 3\\n");
__attribute__((noinline)) static int second(int n) { return n * 3; }
int main(int argc, char **argv) { return first(argc) + second(argc); }
"""


@pytest.mark.parametrize("is_described", [True, False])
def test_behind_the_end_of_a_label_with_a_size_are_functions_without_symbols(
    tool: Callable[[str], str], tmp_path: Path, is_described: bool
) -> None:
    """As behind that of a function: no symbol before the label is meant. Without debugging
    information, GDB has none, either."""
    removed = ["--strip-symbol=first", "--strip-symbol=second", "a", "b"]
    commands = [
        [tool("gcc"), "-g", "-O1", "-fno-toplevel-reorder", "-o", "a", "a.c"],
        [tool("objcopy"), *([] if is_described else ["-g"]), *removed],
    ]
    build(tmp_path, {"a.c": SIZED}, commands)
    symbols = {symbol.name: symbol for symbol in CodeObject.open(tmp_path / "a", 0).file.symbols}
    begin, end = symbols["first"].address, symbols["main"].address
    assert begin < symbols["sized"].address < symbols["second"].address < end
    asked = [f"{word} {pc}" for pc in range(begin, end) for word in ("output/a", "info symbol")]
    files = [str(tmp_path / "b")]
    shown = answers(None, files, asked)
    assert shown == answers(tool("gdb"), files, asked)
    assert any("<second" in text for text in shown) == is_described


DOLLARS = r"""
__asm__(".text\n"
        "_start: .long 0\n"
        ".type $s4main3fooyyF, %function\n"
        "$s4main3fooyyF: .long 0, 0\n"
        ".size $s4main3fooyyF, 8\n"
        "bare: .long 0\n"
        "$d: .long 0\n"
        "$x.7: .long 0\n"
        "$Lhidden: .long 0\n"
        "$shown: .long 0\n");
"""


@pytest.mark.parametrize("is_arm", [False, True])
def test_names_that_begin_with_a_dollar(
    is_arm: bool, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Swift's functions have them; `$d` marks data for Arm, and GDB passes `$L` over."""
    (tmp_path / "a.c").write_text(DOLLARS)
    subprocess.run([tool("gcc"), "-c", "a.c"], check=True, cwd=tmp_path, timeout=120)
    path = tmp_path / "a.o"
    data = bytearray(path.read_bytes())
    data[18:20] = (183 if is_arm else 62).to_bytes(2, sys.byteorder)  # EM_AARCH64, EM_X86_64
    path.write_bytes(data)
    code_object = CodeObject.open(path)
    names = ["_start", "$s4main3fooyyF", "$s4main3fooyyF+4", "bare"]
    names += ["bare+4", "bare+8", "bare+12"] if is_arm else ["$d", "$x.7", "$x.7+4"]
    assert [symbol_text([code_object], 4 * index) for index in range(8)] == [*names, "$shown"]
    code = Disassembly(code_object)
    ranges = {code_range.symbol for code_range in code.ranges if code_range.symbol}
    assert ranges >= {"_start", "$s4main3fooyyF", "bare", "$shown"}
    assert ranges.isdisjoint({"$d", "$x.7"}) == is_arm
    assert [untyped_symbol([code_object], name) is None for name in ("$d", "$shown")] == [
        is_arm,
        False,
    ]
