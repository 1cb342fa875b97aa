"""Addresses of registers, and of parts of them, in operands that are not evaluated, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = "int main(void) { register long x = 3; __builtin_trap(); return x; }\n"


def test_a_register_has_no_address(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-Og", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    names = ["$pc", "$sp", "$rax", "$al", "$eflags", "$xmm3.v4_float", "$ymm0"]
    commands = [f"whatis &{name}" for name in names]
    commands += ["ptype &$pc", "p sizeof(&$pc)", "whatis *&$pc", "p &$pc"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert all("not located in memory" in text for text in ours)


def test_a_vector_register_has_the_name_of_its_whole_width(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB takes its number for ymm where there is AVX; `info address` knows no processor."""
    source = """\
__attribute__((noinline)) double f(double d, float s)
{ double e = d + s; __asm__ volatile ("" : "+x"(e)); __builtin_trap(); return e; }
int main(void) { return f(1, 2); }
"""
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-Og", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = ["p &d", "p &s", "p &e", "whatis &d", "info address d", "x &s"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "in register $" in ours[0]


def test_a_part_of_what_is_in_registers_has_no_address(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Nor has an element behind a pointer in one, where GDB does not read the pointer."""
    source = """\
typedef struct { long a; long b; } W;
typedef struct { int x, y; } P;
int arr[4] = {1, 2, 3, 4};
int *in_memory = arr;
__attribute__((noinline)) long f(W w, int *p, P s, P *ps, int **pp)
{ if (w.a != 77) __builtin_trap(); return w.b + p[1] + s.y + ps->x + **pp; }
int main(int argc, char **argv)
{ W w = { argc, 5 }; P s = { 3, argc }; return f(w, arr, s, &s, &in_memory); }
"""
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-Og", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    refused = ["w.a", "w.b", "(w.a)", "s.x", "p[1]", "ps[0].x", "ps[0].y", "pp[0]", "pp[0][0]"]
    names = [
        *refused,
        "w",
        "p",
        "s",
        "*p",
        "*(p + 1)",
        "ps->x",
        "in_memory[1]",
        "(*pp)[1]",
        "arr[1]",
    ]
    commands = [f"whatis &{name}" for name in names]
    commands += ["ptype &w.a", "p sizeof(&w.a)", "whatis *&w.a", "p &w.a", "p &p[1]", "whatis p[1]"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert all("not located in memory" in text for text in ours[: len(refused)])


def test_a_vector_register_without_a_number_in_gdb_is_named_by_its_object(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB 13 has `Unable to access DWARF register number 68`."""
    if "avx512vl" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("the processor has no xmm16")
    source = """\
int main(void) { register double e __asm__("xmm17") = 1; __asm__ volatile ("" : "+v"(e));
  __builtin_trap(); __asm__ volatile ("" :: "v"(e)); return 0; }
"""
    make = [tool("gcc"), "-g", "-O0", "-mavx512f", "-mavx512vl", "-o", "a", "a.c"]
    build(tmp_path, {"a.c": source}, [make])
    address, described, value = answers(
        None, with_core(tool, tmp_path), ["p &e", "info address e", "p e"]
    )
    assert address.endswith('"e" which is in register $xmm17\n')
    assert described.endswith('Symbol "e" is a variable in $xmm17.\n')
    assert value.endswith("= 1\n")
