"""Code that a linker dropped (`--gc-sections`) is no error, and covers no code of the file: its
addresses are 0, or count from the beginning of the dropped section (gold)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.scope_entries import covered
from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHF_WRITE
from tests.check.made import (
    ADDR,
    COMPILE_UNIT,
    DATA4,
    SEC_OFFSET,
    STRING,
    SUBPROGRAM,
    VARIABLE,
    findings,
    info_file,
    opened,
    verdict_on,
    words,
)
from tests.cli.command import run
from tests.dwarf.builder import Content, Shape
from tests.work import assert_linear

CODE = ((dw.AT_LOW_PC, ADDR), (dw.AT_HIGH_PC, DATA4))
RANGES = (dw.AT_RANGES, SEC_OFFSET)
NAME = (dw.AT_NAME, STRING)
SHAPES = [
    Shape(COMPILE_UNIT, ((dw.AT_LOW_PC, ADDR), RANGES), True),
    Shape(SUBPROGRAM, (NAME, *CODE), True),
    Shape(SUBPROGRAM, (NAME, RANGES), True),
    Shape(dw.TAG_LEXICAL_BLOCK, (RANGES,), True),
    Shape(dw.TAG_CALL_SITE, ((0x7D, ADDR),)),
    Shape(COMPILE_UNIT, (), True),
    Shape(COMPILE_UNIT, CODE, True),
]
"""Of units, functions and what is in them, from 1 on."""


class Lists:
    """Range lists of DWARF 4."""

    def __init__(self) -> None:
        self.data = b""

    def add(self, *bounds: int) -> bytes:
        offset = len(self.data)
        self.data += words(*bounds, 0, 0)
        return words(offset, size_bytes=4)


def unit(ranges: bytes, *inside: bytes) -> bytes:
    return b"\1" + words(0) + ranges + b"".join(inside) + b"\0"


def function(begin: int, size_bytes: int, *inside: bytes, name: bytes = b"f") -> bytes:
    own = b"\2" + name + b"\0" + words(begin) + words(size_bytes, size_bytes=4)
    return own + b"".join(inside) + b"\0"


def in_ranges(ranges: bytes, *inside: bytes) -> bytes:
    return b"\3g\0" + ranges + b"".join(inside) + b"\0"


def block(ranges: bytes, *inside: bytes) -> bytes:
    return b"\4" + ranges + b"".join(inside) + b"\0"


def call(address: int) -> bytes:
    return b"\5" + words(address)


def faults(entries: bytes, lists: Lists) -> list[str]:
    data = info_file(SHAPES, entries, {".debug_ranges": lists.data}, version=4)
    return [f"{one.rule}: {one.message}" for one in findings(verdict_on(data))]


@pytest.mark.parametrize("size_bytes", [0x40, 0x1200], ids=["small", "larger than 0x1000"])
def test_a_dropped_function_of_two_parts(size_bytes: int) -> None:
    lists = Lists()
    both = lists.add(0, size_bytes, 0, 0x10)
    # As of gold; the parts of the block overlap, as both count from 0.
    inner = lists.add(3, size_bytes - 4, 8, 0x10)
    beside = lists.add(0x20, size_bytes - 8)
    whole = lists.add(0, size_bytes, 0, 0x10, 0x1000, 0x1040)
    dropped = in_ranges(both, block(inner, call(0), block(beside), block(inner)), block(beside))
    assert faults(unit(whole, dropped, function(0x1000, 0x40)), lists) == []


def test_the_same_faults_in_code_of_the_file() -> None:
    lists = Lists()
    both = lists.add(0x1000, 0x1040, 0x1080, 0x1090)
    overlapping, beyond = lists.add(0x1003, 0x1010, 0x1008, 0x103D), lists.add(0x1080, 0x1094)
    first, second = lists.add(0x1020, 0x1030), lists.add(0x1028, 0x1034)
    inside = block(overlapping), block(beyond), call(0), block(first), block(second)
    found = faults(unit(lists.add(0x1000, 0x1100), in_ranges(both, *inside)), lists)
    assert sorted(one.partition(":")[0] for one in found) == [
        "call-outside-function", "ill-formed-list", "overlapping-code", "overlapping-code",
        "range-outside-parent",
    ]  # fmt: skip


def test_the_help_for_ranges_that_overlap(tmp_path: Path) -> None:
    """It was about the other causes of the rule alone."""
    lists, path = Lists(), tmp_path / "made"
    entries = unit(lists.add(0x1000, 0x1010, 0x1008, 0x1020), function(0x1000, 8))
    path.write_bytes(info_file(SHAPES, entries, {".debug_ranges": lists.data}, version=4))
    [help_line] = [line for line in run("check", path).lines if line.startswith("  help: ")]
    assert help_line.startswith("  help: where ranges overlap, list the addresses that they share")


@pytest.mark.parametrize(("begin", "is_damage"), [(0x40, False), (0xE0, True), (0x200, True)])
def test_functions_behind_the_first_of_a_dropped_section(begin: int, is_damage: bool) -> None:
    """gold leaves how far they are from the beginning of the section, which the unit names."""
    lists = Lists()
    entries = unit(lists.add(0, 0x100, 0x1000, 0x1040), function(begin, 0x40), function(0x1000, 8))
    found = faults(entries, lists)
    message = f"[{begin:#x},{begin + 0x40:#x}) is not within the code of the unit, [0x1000,0x1040)"
    assert found == ([f"range-outside-parent: {message}"] if is_damage else [])


@pytest.mark.parametrize(
    ("bounds", "rules"),
    [
        ((0, 0xE, 0x10, 0x11, 0x10, 0x21), []),
        ((0x10, 0x11, 0x10, 0x21), ["ill-formed-list"]),
        ((0, 0xE, 0x1010, 0x1011, 0x1010, 0x1021), ["ill-formed-list"]),
        ((0, 0xE, 0x4010, 0x4011, 0x4010, 0x4021), ["ill-formed-list"]),
    ],
    ids=["dropped", "none at 0", "in code", "in memory that is written"],
)
def test_code_behind_the_first_functions_of_dropped_sections(
    bounds: tuple[int, ...], rules: list[str]
) -> None:
    """As gold leaves virtual thunks of two classes; embedded programs may copy functions to where
    they write."""
    lists = Lists()
    entries = unit(lists.add(*bounds, 0x1000, 0x1008), function(0x1000, 8))
    memory = Content(bytes(0x40), flags=SHF_ALLOC | SHF_WRITE, address=0x4000)
    others: dict[str, bytes | Content] = {".debug_ranges": lists.data, ".data": memory}
    data = info_file(SHAPES, entries, others, version=4)
    assert [one.rule for one in findings(verdict_on(data))] == rules


def test_an_index_of_code_behind_the_first_function_of_a_dropped_section() -> None:
    """It may begin in the numbers of a section of the file, and end behind it."""
    lists = Lists()
    entries = unit(lists.add(0, 0xE, 0x10, 0x21, 0x1000, 0x1040), function(0x1000, 8))
    rows = words(0x10, 0x11, 0x1000, 0x40, 0, 0)
    head = b"\2\0" + bytes(4) + b"\x08\0" + bytes(4)
    others: dict[str, bytes | Content] = {
        ".debug_ranges": lists.data,
        ".debug_aranges": words(len(head + rows), size_bytes=4) + head + rows,
        ".note": Content(bytes(0x10), flags=SHF_ALLOC, address=0x8),
    }
    assert findings(verdict_on(info_file(SHAPES, entries, others, version=4))) == []


def test_a_unit_that_the_linker_dropped() -> None:
    lists = Lists()
    own = b"\7" + words(0) + words(0x1200, size_bytes=4)
    entries = own + function(0x40, 0x1000) + function(0x1040, 0x40) + b"\0"
    assert faults(entries, lists) == []
    data = info_file(SHAPES, entries, version=4)
    code_object = opened(data)
    assert code_object.scopes.chain_at(0x1050) == ()


def test_functions_of_a_unit_without_addresses_are_compared() -> None:
    entries = b"\6" + function(0x1000, 0x40) + function(0x1020, 0x40) + b"\0"
    [found] = faults(entries, Lists())
    assert found.startswith("overlapping-code: [0x1020,0x1040) is also the code of the entry")


def test_a_dropped_function_has_no_code_of_the_file() -> None:
    """The last function that has an address is the one that commands name."""
    lists = Lists()
    dropped = in_ranges(lists.add(0, 0x1200, 0, 0x10))
    whole = lists.add(0x1000, 0x1040, 0, 0x1200, 0, 0x10)
    entries = unit(whole, function(0x1000, 0x40, name=b"live"), dropped)
    code_object = opened(info_file(SHAPES, entries, {".debug_ranges": lists.data}, version=4))
    assert [die.name for die in code_object.scopes.chain_at(0x1010)] == ["live"]


@pytest.mark.parametrize(
    ("base", "offset"), [(0, 0), ((1 << 64) - 1, 0), (0x1000, 0), (0, 0x1000), (0, 0x3000)]
)
def test_a_base_address_in_dropped_code(base: int, offset: int) -> None:
    """Offsets from 0 that are addresses of code are no offsets in code that was dropped."""
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(SUBPROGRAM, (NAME, RANGES))]
    bounds = (encode_uleb(offset + number) for number in (0x08, 0x20, 0x30, 0x40))
    pairs = b"\4%b%b\4%b%b" % (*bounds,)
    table = b"\5" + words(base) + pairs + b"\0"
    header = words(len(table) + 8, size_bytes=4) + b"\5\0\x08\0" + bytes(4)
    entries = b"\1\2f\0" + words(len(header), size_bytes=4) + b"\0"
    data = info_file(shapes, entries, {".debug_rnglists": header + table})
    [unit_of] = opened(data).info.units
    [die] = unit_of.root.children()
    spans = [(span.begin, span.end) for span in covered(die)]
    assert spans == ([(0x1008, 0x1020), (0x1030, 0x1040)] if base + offset == 0x1000 else [])
    assert findings(verdict_on(data)) == []


@pytest.mark.parametrize("is_damage", [False, True])
def test_zeros_before_the_location_list_of_dropped_code(is_damage: bool) -> None:
    """In DWARF 4, GCC writes views before a list, and each address in dropped code is 0."""
    located = ((dw.AT_LOCATION, SEC_OFFSET), (dw.AT_GNU_LOCVIEWS, SEC_OFFSET))
    shapes = [Shape(COMPILE_UNIT, ((dw.AT_LOW_PC, ADDR),), True), Shape(VARIABLE, located)]
    views = bytes(2 * 100)
    entry = words(0, 0) + b"\1\0\x50"
    lists = bytes(len(entry) * 100 + 16) if is_damage else entry * 100 + words(0, 0)
    entries = b"\1" + words(0) + b"\2" + words(len(views), 0, size_bytes=4) + b"\0"
    data = info_file(shapes, entries, {".debug_loc": views + lists}, version=4)
    expected = ["unreadable-list"] if is_damage else []
    assert [one.rule for one in findings(verdict_on(data))] == expected


SOURCE = """
#include <stdlib.h>
#include <stdio.h>
volatile int s;
__attribute__((cold, noinline)) void bad(int a) { printf("%d", a); abort(); }
int other(int);
int main(int c, char **v) { if (c > 9) bad(c); return other(c); }
int unused(int a) {
    for (int i = 0; i < 9; i++) {
        int b = a + i * s;
        if (__builtin_expect(b == i, 0)) { int z = b * i; bad(z + i); }
        a ^= b;
        LARGE
    }
    return a;
}
"""
OTHER = (
    "extern volatile int s; int other(int a) { for (int i = 0; i < a; i++) s ^= i; return a; }\n"
)
STEP = "{{ int q{0} = a * {0} + s; a ^= q{0}; if (__builtin_expect(a == {0}, 0)) bad(q{0}); }}"


@pytest.mark.parametrize("steps", [0, 150])
@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("linker", ["bfd", "gold", "lld-19"])
def test_compiled_functions_that_a_linker_dropped(
    linker: str, version: int, steps: int, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    compiler, name = tool("gcc"), linker.partition("-")[0]
    (tmp_path / f"ld.{name}").symlink_to(tool(f"ld.{linker}"))
    (tmp_path / "a.c").write_text(SOURCE.replace("LARGE", "".join(map(STEP.format, range(steps)))))
    (tmp_path / "b.c").write_text(OTHER)
    options = ["-g", f"-gdwarf-{version}", "-O2", "-ffunction-sections", "-fPIE", "-pie"]
    link = [f"-B{tmp_path}/", f"-fuse-ld={name}", "-Wl,--gc-sections", "a.c", "b.c", "-o", "a"]
    command = [compiler, *options, *link]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    done = run("check", tmp_path / "a")
    assert done.status == 0 and done.lines[-1].startswith("0 errors, 0 warnings"), done.out
    for function_name in ("bad", "main", "other"):
        command = ["debug", f"{tmp_path / 'a'}", "-batch", "-ex", f"info scope *{function_name}"]
        shown = run(*command).out
        assert "Symbol q" not in shown and f"Scope for *{function_name}:" in shown


HOT_AND_COLD = """
#include <stdlib.h>
__attribute__((cold, noinline)) int cold(int a) { if (a > 3) abort(); return a * 2; }
int hot(int a) { if (__builtin_expect(a > 100, 0)) return cold(a) + 1; return a; }
int main(int argc, char **argv) { return hot(argc); }
"""


@pytest.mark.parametrize("linker", ["bfd", "gold"])
def test_the_hot_part_of_a_function_alone_is_dropped(
    linker: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Its calls are inlined; the cold part is in a section with what is used."""
    compiler = tool("gcc")
    (tmp_path / f"ld.{linker}").symlink_to(tool(f"ld.{linker}"))
    (tmp_path / "a.c").write_text(HOT_AND_COLD)
    link = [f"-B{tmp_path}/", f"-fuse-ld={linker}", "-Wl,--gc-sections", "a.c", "-o", "a"]
    command = [compiler, "-g", "-O2", *link]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    done = run("check", tmp_path / "a")
    assert done.status == 0 and done.lines[-1].startswith("0 errors, 0 warnings"), done.out


THUNKS = """
struct A { virtual ~A(); virtual int f(int); int a = 1; };
struct B : virtual A { int f(int) override; int b = 2; };
struct C : virtual A { int f(int) override; int c = 2; };
A::~A() {} int A::f(int x) { return x; }
int B::f(int x) { return x + b; }
int C::f(int x) { return x - c; }
int main(int c, char **) { return c; }
"""


@pytest.mark.parametrize("version", [4, 5])
def test_virtual_thunks_of_dropped_classes(
    version: int, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """They were compared with each other, and looked for in the index."""
    compiler = tool("g++")
    (tmp_path / "ld.gold").symlink_to(tool("ld.gold"))
    (tmp_path / "a.cpp").write_text(THUNKS)
    options = [f"-gdwarf-{version}", "-O2", "-ffunction-sections"]
    link = [f"-B{tmp_path}/", "-fuse-ld=gold", "-Wl,--gc-sections,--gdb-index", "a.cpp", "-o", "a"]
    command = [compiler, *options, *link]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    done = run("check", tmp_path / "a")
    assert done.status == 0 and done.lines[-1].startswith("0 errors, 0 warnings"), done.out


AT_0 = """\
 .text
 .globl _start
_start: nop
end:
 .section .debug_abbrev,"",@progbits
 .byte 1, 0x11, 1, 3, 8, 0x13, 0xb, 0x11, 1, 0x12, 1, 0, 0
 .byte 2, 0x2e, 0, 3, 8, 0x11, 1, 0x12, 1, 0, 0, 0
 .section .debug_info,"",@progbits
 .long 2f-1f
1: .value 3
 .long .debug_abbrev
 .byte 8
 .byte 1
 .asciz "a.c"
 .byte 12
 .quad 0, 0x7fffffff
 .byte 2
 .asciz "_start"
 .quad _start, end
 .byte 0
2:
"""


def test_a_damaged_unit_at_0_has_its_functions(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """All of them were taken for dropped, although their symbols have their addresses."""
    source, program = tmp_path / "a.s", tmp_path / "a"
    source.write_text(AT_0)
    words_of = [tool("gcc"), "-nostdlib", "-static", "-Wl,--build-id=none", source, "-o", program]
    subprocess.run(words_of, check=True, timeout=60)
    done = run("debug", program, "--batch", "-ex", "info address _start")
    assert 'Symbol "_start" is a function at address 0x' in done.out


def test_functions_are_compared_with_the_code_that_is_kept_by_address() -> None:
    """40,000 functions and ranges took 43 s."""

    def work(count: int) -> Callable[[], object]:
        lists = Lists()
        kept = [bound for n in range(count) for bound in (0x1000 + 2 * n, 0x1001 + 2 * n)]
        whole = lists.add(0, 1 << 40, *kept)
        inside = [function(0x1000 + 2 * count + 16 * n, 8) for n in range(count)]
        entries = unit(whole, *inside)
        data = info_file(SHAPES, entries, {".debug_ranges": lists.data}, version=4)
        [unit_of] = opened(data).info.units
        functions = [*unit_of.root.children()]
        assert covered(functions[0]) == ()
        return lambda: [covered(one) for one in functions]

    assert_linear(work, 100)


def test_a_function_whose_ranges_cannot_be_read_is_not_dropped() -> None:
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(SUBPROGRAM, (NAME, RANGES))]
    table = b"\4\x08\x20\0"
    header = words(len(table) + 8, size_bytes=4) + b"\5\0\x08\0" + bytes(4)
    entries = b"\1\2f\0" + words(len(header), size_bytes=4) + b"\0"
    [found] = findings(verdict_on(info_file(shapes, entries, {".debug_rnglists": header + table})))
    assert (
        found.rule == "ill-formed-list" and "offsets, but neither it nor its unit" in found.message
    )
