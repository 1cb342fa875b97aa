"""A variable whose data the linker dropped has no location (`--gc-sections`)."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_of_variable
from dwarfgpu.dwarf.scope.thread_statics import why_not_known
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import Ambiguous
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, X86_64, Content, Shape, debug_info, file_of
from tests.repl.repl_shell import opened, output_of, program_shell
from tests.work import assert_linear, calls_of

DATA = Content(bytes(16), flags=3, address=0x1000)
TEXT = Content(bytes(32), flags=6, address=0x2000)
AT_ZERO = Content(bytes(16), flags=3, address=0)
UNLOADED = Content(bytes(16), address=0)
NAME, EXPRESSION, CLASS = (dw.AT_NAME, 0x08), (dw.AT_LOCATION, 0x18), (dw.AT_ADDRESS_CLASS, 0x0B)
SPACE = (dw.AT_LLVM_MEMORY_SPACE, 0x0B)


def address(number: int) -> bytes:
    return b"\x03" + number.to_bytes(8, "little")


def variable(
    code: bytes, section: Content = DATA, extra: tuple[int, int] | None = None, type: int = 3
) -> Variable:
    attributes = (NAME, EXPRESSION) + ((extra,) if extra else ())
    shapes = (Shape(dw.TAG_COMPILE_UNIT, has_children=True), Shape(dw.TAG_VARIABLE, attributes))
    entry = b"\2x\0" + encode_uleb(len(code)) + code + (b"\3" if extra else b"")
    content = file_of(b"\1" + entry + b"\0", shapes, {".data": section}, machine=X86_64)
    if type != 3:
        content = content[:16] + type.to_bytes(2, "little") + content[18:]
    [unit] = debug_info(content).units
    [die] = unit.root.children()
    return Variable("x", die, "global")


@pytest.mark.parametrize(
    "code",
    [address(0), address(2**64 - 1), address(2**64 - 2), address(0) + b"\x23\x08"],
    ids=["zero", "-1", "-2", "part of merged variables"],
)
def test_dropped(code: bytes) -> None:
    dropped = variable(code)
    assert dropped.location is None
    assert "the linker dropped it (no allocated section has the address" in (
        dropped.why_without_location
    )


@pytest.mark.parametrize(
    ("code", "section", "extra", "type"),
    [
        (address(0x1000), DATA, None, 3),
        (address(0x9000), DATA, None, 3),  # not what linkers leave
        (address(0), AT_ZERO, None, 3),
        (address(0), UNLOADED, None, 3),  # without any allocated section nothing is known
        (address(0), DATA, None, 1),  # not linked yet
        (address(0) + b"\xe0", DATA, None, 3),  # DW_OP_GNU_push_tls_address
        (address(0) + b"\x9b", DATA, None, 3),  # DW_OP_form_tls_address
        (address(0) + b"\x33\x16\x18", DATA, None, 3),  # LDS: DW_OP_lit3, swap, xderef
        (address(0), DATA, CLASS, 3),
        (address(0), DATA, SPACE, 3),
        (b"\x0e" + bytes(8), DATA, None, 3),
        (b"", DATA, None, 3),
        (b"\x03\0", DATA, None, 3),  # the evaluation reports it
        (b"\xa1\0", DATA, None, 3),
    ],
)
def test_not_dropped(
    code: bytes, section: Content, extra: tuple[int, int] | None, type: int
) -> None:
    kept = variable(code, section, extra, type)
    assert kept.location is not None
    assert kept.why_dropped is None


PROGRAM = FIXTURES / "core" / "containers.x86_64.libcxx"
CORE = FIXTURES / "core" / "containers.x86_64.libcxx.core"
WHY = "the linker dropped it (no allocated section has the address 0x0 of its DW_AT_location)"


def test_each_command_says_so() -> None:
    name = "std::__1::in_place"
    read = run("eval", CORE, "--file", PROGRAM, name)
    assert (read.out, read.status) == ("", 1)
    assert WHY in read.error
    assert f"  optimized out: {WHY}" in run("where", PROGRAM, name).lines
    explained = run("explain", CORE, "--file", PROGRAM, name)
    assert WHY in explained.lines
    assert "the compiler" not in explained.out


def test_info_address() -> None:
    shell = program_shell(opened("core/containers.x86_64.libcxx"))
    text = output_of(shell, "info address std::__1::in_place")
    assert text == f'Symbol "std::__1::in_place" is optimized out: {WHY}.\n'


def test_a_static_variable_of_that_name_is_another_one() -> None:
    """An external variable without a location is at the local symbol to which the linker made its
    hidden one; of a variable that was dropped there is none."""
    names = b"\0x\0"
    row = struct.pack("<IBBHQQ", 1, 0x01, 0, 3, 0x1000, 4)  # STB_LOCAL, STT_OBJECT
    symbols = Content(bytes(24) + row, type=2, link=5, entry_bytes=24)
    sections = {".data": DATA, ".symtab": symbols, ".strtab": Content(names, type=3)}
    attributes = (NAME, (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT))
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, has_children=True),
        Shape(dw.TAG_VARIABLE, (*attributes, EXPRESSION)),
        Shape(dw.TAG_VARIABLE, attributes),
    )
    entries = b"\1\2x\0\x09" + address(0) + b"\3x\0\0"
    info = debug_info(file_of(entries, shapes, sections, machine=X86_64))
    code_object = CodeObject.of(info.object)
    [unit] = code_object.info.units
    found = [
        symbol_of_variable((code_object,), Variable("x", die, "global"))
        for die in unit.root.children()
    ]
    assert [symbol and symbol.address for symbol in found] == [None, 0x1000]


def thread_local_statics(*sources: str, code: int = 0, symbol: str = "x") -> bytes:
    """A file of AArch64 with a unit a.c that describes static variables x and y without locations,
    and a thread-local symbol of each source file and a mark of its code, 16 bytes each. `code`:
    where that of the unit is."""
    strings = ["", symbol, "$x", *sources]
    names = "\0".join(strings).encode() + b"\0"
    rows = b""
    for number in range(len(sources)):
        source = len("\0".join(strings[: 3 + number])) + 1
        rows += struct.pack("<IBBHQQ", source, 0x04, 0, 0xFFF1, 0, 0)  # STT_FILE
        rows += struct.pack("<IBBHQQ", 1, 0x06, 0, 3, 4 * number, 4)  # STB_LOCAL, STT_TLS
        mark = 2 + len(symbol)
        rows += struct.pack("<IBBHQQ", mark, 0, 0, 4, 0x2000 + 16 * number, 0)  # STT_NOTYPE
    symbols = Content(bytes(24) + rows, type=2, link=6, entry_bytes=24)
    sections = {".data": DATA, ".text": TEXT, ".symtab": symbols, ".strtab": Content(names, type=3)}
    unit = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA1))
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, (NAME, *unit), has_children=True),
        Shape(dw.TAG_VARIABLE, (NAME,)),
    )
    root = b"\1d/a.c\0" + struct.pack("<QB", code, 16 if code else 0)
    return file_of(root + b"\2x\0\2y\0\0", shapes, sections, machine=183)


def symbols_of_statics(*sources: str, code: int = 0, symbol: str = "x") -> list[int | None]:
    made = thread_local_statics(*sources, code=code, symbol=symbol)
    file = CodeObject.of(debug_info(made).object)
    [unit] = file.info.units
    variables = (Variable(die.name or "", die, "global") for die in unit.root.children())
    symbols = [symbol_of_variable((file,), variable) for variable in variables]
    assert all(symbol is None or symbol.thread_local_in is file.file for symbol in symbols)
    return [symbol and symbol.address for symbol in symbols]


def test_static_thread_local_variables_without_a_location() -> None:
    """gcc for AArch64 gives them none: their symbols follow that of their source file."""
    assert symbols_of_statics("a.c") == [0, None]
    assert symbols_of_statics("b.c", "a.c") == [4, None]
    assert symbols_of_statics() == [None, None]


def test_of_source_files_of_one_name_one_has_symbols_of_the_code_of_the_unit() -> None:
    assert symbols_of_statics("a.c", "a.c", code=0x2000) == [0, None]
    assert symbols_of_statics("a.c", "a.c", code=0x2010) == [4, None]


SEVERAL = "not one source file alone is called a.c and has its code"
UNNAMED = "the symbol table does not name its source file a.c"


@pytest.mark.parametrize(
    ("sources", "code", "symbol", "why"),
    [
        (("b.c",), 0, "x", UNNAMED),
        (("a.c", "a.c"), 0, "x", SEVERAL),
        (("a.c", "a.c"), 0x3000, "x", SEVERAL),
        (("a.c",), 0x3000, "x", SEVERAL),  # that of gcc's LTO has no name
        (("", "a.c"), 0x2000, "x", SEVERAL),
        (("",), 0x2000, "x", UNNAMED),
        (("",), 0x2000, "x.lto_priv.0", UNNAMED),
    ],
)
def test_which_source_file_a_thread_local_symbol_is_of_may_be_unknown(
    sources: tuple[str, ...], code: int, symbol: str, why: str
) -> None:
    with pytest.raises(Ambiguous, match=f"which thread-local variable it is, is not known: {why}"):
        symbols_of_statics(*sources, code=code, symbol=symbol)


def test_where_says_which_symbol_an_undescribed_variable_has(tmp_path: Path) -> None:
    (tmp_path / "made").write_bytes(thread_local_statics("b.c", "a.c"))
    said = run("where", "--file", tmp_path / "made", "x", "y").out
    assert "  no location: its symbol is at offset 0x4 in thread-local storage\n" in said
    assert "  optimized out: it has neither DW_AT_location nor DW_AT_const_value\n" in said


STATICS = """\
int f(int x) { static __thread int inner = 11; inner += x; return inner; }
int g(int x) { int gone = x; return f(x); }
int main(void) { return g(1); }
"""


@pytest.mark.parametrize("options", [(), ("-flto",)])
def test_static_thread_local_variables_of_functions_are_not_known(
    options: tuple[str, ...], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """No compiler for AArch64 describes where they are, and a symbol does not name its function."""
    (tmp_path / "t.c").write_text(STATICS)
    given = ["-g", "-O1", "-fno-inline", *options, "t.c", "-o", "t"]
    compiler = tool("aarch64-linux-gnu-gcc")
    subprocess.run([compiler, *given], cwd=tmp_path, check=True, timeout=60)
    why = "inner has no location, and whether it is the thread-local variable inner.0 is not known"
    said = run("where", "--file", tmp_path / "t", "inner").out
    assert why in said and "optimized out" not in said
    [start] = {int(pc, 16) for pc in re.findall(r"\[(0x[0-9a-f]+),", said.splitlines()[1])}
    done = run("eval", tmp_path / "t", "--pc", hex(start), "inner")
    assert why in done.error
    made = [variable for variable in variables_of(tmp_path / "t") if variable.name == "gone"]
    assert {why_not_known(evolve(variable, kind="local")) for variable in made} == {None}


LINKED_TOGETHER = {
    "a.c": "static __thread int here = 5, mine[2] = {1, 2}, again = 3;\n"
    "int f(int i) { here += i; mine[i & 1] += i; again += i; return here + mine[0] + again; }\n",
    "b.c": "static __thread int here = 7, other = 9, gone = 1;\n"
    "int g(int i) { here += i; other += i; return here + other; }\n",
    "c.c": "static __thread int again = 4;\nint h(int i) { return again += i; }\n",
    "main.c": "int f(int), g(int), h(int);\n"
    "int main(int c, char **v) { return f(c) + g(c) + h(c); }\n",
}
"""`here` is in two files, and `again`, too, but only one of them is described."""
REFUSED = -1
"""Instead of the address of a variable whose symbol is not known."""


@pytest.mark.parametrize("link", [(), ("-flto-partition=1to1",)])
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("options_of_c", [(), ("-flto",)])
def test_thread_local_variables_of_files_that_were_optimized_at_link_time(
    options_of_c: tuple[str, ...],
    level: str,
    link: tuple[str, ...],
    tmp_path: Path,
    tool: Callable[[str], str],
) -> None:
    """Their source files have no symbol: the only symbol of a name is that of the variable, where
    the unit that is written at link time says that it remains. The symbols that the linker made
    local, those of the functions, follow one of a file without a name, too."""
    linked_together(tmp_path, tool("aarch64-linux-gnu-gcc"), level, options_of_c, link)
    located = located_in(tmp_path / "t")
    file = CodeObject.open(tmp_path / "t").file
    for name in ("mine", "other", "gone"):
        remaining = file.symbols_named(name, f"{name}.lto_priv.")
        assert located[name] == ([symbol.address for symbol in remaining] or [None])
    assert located["here"] == [REFUSED, REFUSED]
    assert located["again"] == [REFUSED]


@pytest.mark.parametrize("options_of_c", [(), ("-flto",)])
def test_thread_local_variables_that_several_partitions_share(
    options_of_c: tuple[str, ...], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gcc makes their symbols hidden global ones. Without local symbols, there may have been more
    of a name."""
    gcc = tool("aarch64-linux-gnu-gcc")
    linked_together(tmp_path, gcc, "-O0", options_of_c, ("-flto-partition=max",))
    located = located_in(tmp_path / "t")
    file = CodeObject.open(tmp_path / "t").file
    for name in ("mine", "other"):
        [symbol] = file.symbols_named(f"{name}.lto_priv.0")
        assert symbol.is_hidden and located[name] == [symbol.address]
    assert located["here"] == [REFUSED, REFUSED]
    assert located["again"] == [REFUSED]
    linked_together(tmp_path, gcc, "-O0", options_of_c, ("-flto-partition=max", "-Wl,-x"))
    located = located_in(tmp_path / "t")
    assert located["mine"] == located["other"] == located["again"] == [REFUSED]


def linked_together(
    folder: Path, gcc: str, level: str, options_of_c: tuple[str, ...], link: tuple[str, ...]
) -> None:
    for name, text in LINKED_TOGETHER.items():
        (folder / name).write_text(text)
        options = options_of_c if name == "c.c" else ("-g", "-flto")
        command = [gcc, level, *options, "-c", name]
        subprocess.run(command, cwd=folder, check=True, timeout=60)
    command = [gcc, "-g", level, "-flto", *link, "a.o", "b.o", "c.o", "main.o", "-o", "t"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)


def located_in(path: Path) -> dict[str, list[int | None]]:
    """The addresses of the static variables of each name: None for one that was dropped."""
    file = CodeObject.open(path)
    located: dict[str, list[int | None]] = {}
    sources = (unit.root for unit in file.info.units if unit.root.name in LINKED_TOGETHER)
    for die in (die for source in sources for die in source.children((dw.TAG_VARIABLE,))):
        variable = Variable(die.name or "", die, "global")
        try:
            symbol = symbol_of_variable((file,), variable)
            located_at = None if symbol is None else symbol.address
        except Ambiguous:
            located_at = REFUSED
        located.setdefault(variable.name, []).append(located_at)
    return located


AUTOMATIC = """\
__thread int x = 5;
int h(int a) { static __thread int kept = 1; return kept += a + x; }
int f(int a) { int x = a + 1, kept = a; return h(0); }
int main(void) { return f(1); }
"""


def test_automatic_variables_are_not_those_of_symbols_for_others(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A variable of a file has its own entry, and clang names the function of a static one."""
    (tmp_path / "t.c").write_text(AUTOMATIC)
    compiler = [tool("clang-19"), "--target=aarch64-linux-gnu", "-g", "-O1", "-fno-inline"]
    linker = tool("aarch64-linux-gnu-gcc")
    for command in ([*compiler, "-c", "t.c", "-o", "t.o"], [linker, "t.o", "-o", "t"]):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    of_x, of_kept = (run("where", "--file", tmp_path / "t", name).out for name in ("x", "kept"))
    assert of_x.count(" t.c:3  optimized out\n") == of_kept.count(" t.c:3  optimized out\n") == 1
    why = "kept has no location, and whether it is the thread-local variable h.kept is not known"
    assert f" t.c:2  {why}\n" in of_kept and "not known" not in of_x


INLINED = """\
static inline int f(int n) { static __thread int kept = 9; return kept += n; }
static inline int g(int n) { static int gone = 9; return n; }
int k(int n) { return f(n) + g(n) + f(3); }
int main(void) { return k(1); }
"""


def test_thread_local_variables_of_inlined_functions_are_not_known(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """clang puts them into a function without a name."""
    (tmp_path / "t.c").write_text(INLINED)
    compiler = [tool("clang-19"), "--target=aarch64-linux-gnu", "-g", "-O2"]
    linker = tool("aarch64-linux-gnu-gcc")
    for command in ([*compiler, "-c", "t.c", "-o", "t.o"], [linker, "t.o", "-o", "t"]):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    why = "kept has no location, and whether it is the thread-local variable f.kept is not known"
    said = run("where", "--file", tmp_path / "t", "kept", "gone").out
    assert f"  {why}\n" in said and said.count("not known") == 1
    assert why in run("eval", tmp_path / "t", "f::kept").error


THREAD_LOCAL = """\
#include <stdlib.h>
__thread int gone = 1, kept = 2; static __thread int sgone = 3, skept = 4;
int f(void) { static __thread int count = 9; return ++count + skept++; }
int main(void) { kept++; f(); %s abort(); }
"""


def variables_of(path: Path) -> list[Variable]:
    """The variables of a file, at whatever depth they are."""
    entries = [unit.root for unit in CodeObject.open(path).info.units]
    for die in entries:
        entries += die.children()
    variables = (die for die in entries if die.tag == dw.TAG_VARIABLE)
    return [Variable(die.name or "", die, "global") for die in variables]


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("uses", ["", "gone++; sgone++;"])
def test_thread_local_data_that_the_linker_dropped(
    compiler: str, uses: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Its offset is 0 then, where another variable is (GDB shows the bytes of that)."""
    (tmp_path / "t.c").write_text(THREAD_LOCAL % uses)
    given = ["-g", "-fdata-sections", "-Wl,--gc-sections", "t.c", "-o", "t"]
    subprocess.run([tool(compiler), *given], cwd=tmp_path, check=True, timeout=60)
    variables = variables_of(tmp_path / "t")
    locations = {v.name: (v.location is not None, v.why_dropped) for v in variables}
    assert locations["kept"] == locations["skept"] == locations["count"] == (True, None)
    for name in ("gone", "sgone"):
        if uses:
            assert locations[name] == (True, None)
        elif name in locations:  # clang does not describe static variables without uses
            is_located, why = locations[name]
            assert not is_located and why is not None and "thread-local storage has kept" in why


def test_members_of_thread_local_common_blocks(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The block alone has a symbol."""
    text = "common /blk/ a, b\ninteger :: a, b\n!$omp threadprivate(/blk/)\na = b\nend\n"
    (tmp_path / "t.f90").write_text(text)
    given = ["-g", "-fopenmp", "t.f90", "-o", "t"]
    subprocess.run([tool("gfortran"), *given], cwd=tmp_path, check=True, timeout=60)
    variables = variables_of(tmp_path / "t")
    located = {v.name: v.location is not None for v in variables if v.name in ("a", "b")}
    assert located == {"a": True, "b": True}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize("name", ["mine", "zähler"])
def test_a_static_variable_of_a_function_has_a_mangled_symbol(
    name: str, compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Its entry has no linkage name."""
    (tmp_path / "t.cc").write_text(
        f"int lane() {{ static thread_local int {name} = 7; return ++{name}; }}\n"
        "int main() { return lane(); }\n"
    )
    given = ["-g", "-O0", "t.cc", "-o", "t"]
    subprocess.run([tool(compiler), *given], cwd=tmp_path, check=True, timeout=60)
    [mine] = [v for v in variables_of(tmp_path / "t") if v.name == name]
    assert mine.location is not None and mine.why_dropped is None


def of_thread(names: list[str], symbols: list[str]) -> list[Variable]:
    """Variables at the beginning of the thread-local storage, where the symbols are."""
    rows, strings = [bytes(24)], b"\0"
    for symbol in symbols:
        rows.append(struct.pack("<IBBHQQ", len(strings), 0x16, 0, 3, 0, 4))  # STB_GLOBAL, STT_TLS
        strings += symbol.encode() + b"\0"
    table = Content(b"".join(rows), type=2, link=5, entry_bytes=24)
    sections = {".data": DATA, ".symtab": table, ".strtab": Content(strings, type=3)}
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, has_children=True),
        Shape(dw.TAG_VARIABLE, (NAME, EXPRESSION)),
    )
    location = b"\x0a\x0e" + bytes(8) + b"\xe0"
    entries = b"".join(b"\2" + name.encode() + b"\0" + location for name in names)
    info = debug_info(file_of(b"\1" + entries + b"\0", shapes, sections, machine=X86_64))
    dies = info.units[0].root.children()
    return [Variable(name, die, "global") for name, die in zip(names, dies, strict=True)]


@pytest.mark.parametrize(
    ("symbol", "is_dropped"),
    [
        ("other", True),
        ("lost", False),
        ("lost.1", False),
        ("lost@@V", False),
        ("lost2", True),
        ("_ZN1a4lostE", False),
        ("_ZN2a14lostE", False),  # the digit before it is that of another name
        ("_ZN5lost2E", True),
        ("_ZN4los", True),
        ("ZN1a4lostE", True),
        ("_0000000004lost", False),
    ],
)
@pytest.mark.parametrize("aliases", [0, 40])
def test_a_symbol_at_the_beginning_may_be_of_the_variable(
    symbol: str, is_dropped: bool, aliases: int
) -> None:
    symbols = [*(f"alias{number}" for number in range(aliases)), symbol]
    [lost] = of_thread(["lost"], symbols)
    assert (lost.why_dropped is not None) == is_dropped


@pytest.mark.parametrize(
    ("symbol", "is_dropped"),
    [
        ("zähler.1", False),
        ("_ZZ4mainE7zähler", False),
        ("_ZN2éé7zählerE", False),
        ("_D1d1Z7zähleri", False),
        ("_ZZ4mainE6zähler", True),
        ("_ZZ4mainE8zähler1", True),
        ("_ZZ4mainE7zaehler", True),
    ],
)
def test_mangled_names_count_bytes(symbol: str, is_dropped: bool) -> None:
    [counter] = of_thread(["zähler"], [symbol])
    assert (counter.why_dropped is not None) == is_dropped


RUST = "_ZN22_$LT$t..S$u20$as$u20$T$GT$1f5COUNT17h0123456789abcdefE"


@pytest.mark.parametrize(
    ("symbol", "is_dropped"),
    [
        (RUST, False),
        (f"{RUST}.llvm.1", False),
        (RUST.replace("17h01", "17h02"), True),
        ("_ZN22_$LT$t", True),
    ],
)
def test_names_of_rust_have_dots(symbol: str, is_dropped: bool) -> None:
    [counter] = of_thread([RUST], [symbol])
    assert (counter.why_dropped is not None) == is_dropped


@pytest.mark.parametrize(
    "symbol",
    ["", "_ZZ2\u200d\u200dvE7zähler", f"_Z{'a' * (1 << 14)}4lost"],
    ids=["none", "escaped", "cut"],
)
def test_a_symbol_that_is_not_as_in_the_file_may_be_of_any_variable(symbol: str) -> None:
    for variable in of_thread(["lost", "zähler"], [symbol]):
        assert variable.why_dropped is None


def test_without_a_symbol_at_the_beginning_nothing_is_known() -> None:
    [lost] = of_thread(["lost"], [])
    assert lost.why_dropped is None


def test_variables_are_not_compared_with_each_symbol_at_the_beginning() -> None:
    def work(count: int) -> Callable[[], object]:
        symbols = [f"_ZN1a{len(str(number)) + 1}s{number}E" for number in range(count)]
        variables = of_thread([f"v{number}" for number in range(count)], symbols)
        return lambda: [variable.why_dropped for variable in variables]

    assert_linear(work, 40)


def test_symbols_of_many_characters_are_not_compared() -> None:
    """They may be of any variable."""

    def lost(count: int) -> Variable:
        lengths = "".join(f"{number % 900 + 100}a" for number in range(100))
        [variable] = of_thread(["lost"], [f"_{number}x{lengths}" for number in range(count)])
        return variable

    assert lost(100).why_dropped is not None
    many = lost(200)
    assert calls_of(lambda: many.why_dropped) < 20_000
    assert many.why_dropped is None
