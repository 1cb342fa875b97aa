"""Relocations of debug sections, against llvm-dwarfdump and by hand."""

from __future__ import annotations

import contextlib
import random
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_structures import SHT_SYMTAB, Section
from dwarfgpu.objfile.relocate import SHT_RELA, relocated_data, relocated_where_known
from dwarfgpu.objfile.symbols import Symbol, SymbolTable
from tests.cli.command import run as command
from tests.dwarf.builder import (
    AMDGPU,
    X86_64,
    Content,
    Shape,
    abbreviations,
    elf,
    overlapping,
    unit,
)
from tests.objfile.build import C, run
from tests.work import calls_of

Tool = Callable[[str], str]
_LOW = re.compile(r"DW_AT_low_pc\t\((0x[0-9a-f]+)\)")
_NAME = re.compile(r'DW_AT_(?:linkage_)?name\t\("(.*)"\)')


def _compile(clang: str, folder: Path, target: str, version: int) -> Path:
    source, path = folder / "a.c", folder / "a.o"
    source.write_text(C)
    options = (f"--target={target}", f"-gdwarf-{version}", "-O1", "-ffreestanding", "-c")
    run(clang, *options, source, "-o", path)
    return path


TARGETS = ["x86_64-linux-gnu", "aarch64-linux-gnu", "i386-linux-gnu", "aarch64_be-linux-gnu"]
OTHER_TARGETS = [("riscv64-linux-gnu", 5), ("mips64el-linux-gnuabi64", 4), ("s390x-linux-gnu", 5)]


@pytest.mark.parametrize(
    ("target", "version"), [*((name, n) for name in TARGETS for n in (4, 5)), *OTHER_TARGETS]
)
def test_names_and_addresses_as_llvm_reads_them(
    tool: Tool, tmp_path: Path, target: str, version: int
) -> None:
    path = _compile(tool("clang-19"), tmp_path, target, version)
    _compare(tool("llvm-dwarfdump-19"), path)


@pytest.mark.parametrize("version", [4, 5])
def test_an_object_for_a_gpu(tool: Tool, tmp_path: Path, repository: Path, version: int) -> None:
    path = tmp_path / "k.o"
    run(tool("clang-19"), "--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-x", "cl", "-cl-std=CL2.0",
        "-nogpulib", f"-gdwarf-{version}", "-O0", "-c", repository / "fixtures/opencl/kernels.cl",
        "-o", path)  # fmt: skip
    _compare(tool("llvm-dwarfdump-19"), path)


def _compare(dwarfdump: str, path: Path) -> None:
    theirs = run(dwarfdump, "--debug-info", path)
    info = DebugInfo.of(open_object(path))
    assert info.problems == () and info.units
    names: list[str] = []
    addresses: list[int] = []
    for one in info.units:
        for index in range(len(one.tree.offsets)):
            die = one.die(index)
            for attribute in (dw.AT_NAME, dw.AT_LINKAGE_NAME):
                name = die.string(attribute)
                names += [] if name is None else [name]
            low = die.address(dw.AT_LOW_PC)
            addresses += [] if low is None else [low]
    assert sorted(names) == sorted(_NAME.findall(theirs))
    assert sorted(addresses) == sorted(int(match, 16) for match in _LOW.findall(theirs))
    assert len(set(names)) > 5


def made(
    relocations: bytes,
    data: bytes = bytes(16),
    machine: int = X86_64,
    kind: int = 4,
    abbreviated: bytes = b"",
    limits: FileLimits = DEFAULT_FILE_LIMITS,
    name: str = ".debug_info",
    **others: bytes,
) -> ObjectFile:
    """An object with relocations of its section 1, which has that name, by symbol 1, which is
    0x1122334455667788."""
    symbols = bytes(24) + struct.pack("<IBBHQQ", 0, 0, 0, 1, 0x1122334455667788, 0x30)
    sections: dict[str, bytes | Content] = {
        name: Content(data),
        ".symtab": Content(symbols, 2, link=3),
        ".strtab": Content(b"\0", 3),
        f".rela{name}": Content(relocations, kind, link=2),
        ".debug_abbrev": abbreviated,
        **{f".{other}": contents for other, contents in others.items()},
    }
    raw = bytearray(elf(sections, machine, type=1))
    # sh_info, which the builder leaves 0, names the section that is relocated.
    table = int.from_bytes(raw[40:48], "little") + 4 * 64
    raw[table + 44 : table + 48] = (1).to_bytes(4, "little")
    return ObjectFile("made.o", bytes(raw), limits)


def rela(offset: int, number: int, addend: int = 0, symbol: int = 1) -> bytes:
    return struct.pack("<QQq", offset, symbol << 32 | number, addend)


@pytest.mark.parametrize(
    ("machine", "number", "addend", "expected"),
    [
        (X86_64, 0, 9, "0000000000000000"),
        (X86_64, 1, 1, "8977665544332211"),
        (X86_64, 10, -8, "8077665500000000"),
        (X86_64, 2, 0, "8477665500000000"),  # less the place, 4
        (X86_64, 24, 0, "8477665544332211"),
        (X86_64, 12, 0, "8877000000000000"),
        (X86_64, 32, 1, "3100000000000000"),  # the size of the symbol
        (AMDGPU, 1, 0, "8877665500000000"),
        (AMDGPU, 2, 0, "4433221100000000"),
        (AMDGPU, 3, 0, "8877665544332211"),
        (AMDGPU, 5, 0, "8477665544332211"),
        (AMDGPU, 11, 0, "4433221100000000"),
        (183, 257, 0, "8877665544332211"),
        (183, 261, 0, "8477665500000000"),
        (43, 23, 1, "8977665500000000"),  # R_SPARC_UA32, as readelf numbers it
        (43, 54, 0, "8877665544332211"),
        (21, 26, 0, "8477665500000000"),  # R_PPC64_REL32
        (21, 78, 0x8000, "8877665544332211"),  # R_PPC64_DTPREL64
        (22, 22, 0, "8877665544332211"),
        (40, 2, 0, "8877665500000000"),
        (243, 9, 0x800, "8877665544332211"),  # R_RISCV_TLS_DTPREL64
        (243, 57, 0, "8477665500000000"),
        (258, 109, 0, "8477665544332211"),
    ],
)
def test_calculations(machine: int, number: int, addend: int, expected: str) -> None:
    file = made(rela(4, number, addend), machine=machine)
    assert relocated_data(file, ".debug_info") == bytes(4) + bytes.fromhex(expected) + bytes(4)


def test_the_types_of_64_bit_mips() -> None:
    """A word for the symbol, and a byte for each type, the first of them last."""
    table = rela(0, 1, symbol=2 << 24) + rela(8, 1, symbol=18 << 24)  # R_MIPS_32, R_MIPS_64
    data = relocated_data(made(table, machine=8), ".debug_info")
    assert data.hex() == "88776655000000008877665544332211"
    table = rela(0, 1, symbol=2 << 24 | 18 << 16)
    with pytest.raises(Unsupported, match="relocation type 4610 of MIPS is unknown"):
        relocated_data(made(table, machine=8), ".debug_info")


def test_sections_that_gnu_tools_compressed() -> None:
    """The relocations are of the decompressed bytes, and groups have sections of both names: GNU as
    compresses only those that become smaller."""
    packed = b"ZLIB" + (96).to_bytes(8, "big") + zlib.compress(bytes(96))
    sections = {
        ".debug_info": Content(bytes(8)),
        ".symtab": Content(bytes(24) + struct.pack("<IBBHQQ", 0, 3, 0, 5, 0, 0), 2, link=3),
        ".strtab": Content(b"\0", 3),
        ".rela.zdebug_info": Content(rela(80, 1, 7), 4, link=2),
        ".zdebug_info": Content(packed),
    }
    raw = bytearray(elf(sections, X86_64, type=1))
    table = int.from_bytes(raw[40:48], "little") + 4 * 64
    raw[table + 44 : table + 48] = (5).to_bytes(4, "little")
    file = ObjectFile("made.o", bytes(raw))
    data = relocated_data(file, ".debug_info")
    # The symbol is the second section, which begins after the first.
    assert data == bytes(8 + 80) + (8 + 7).to_bytes(8, "little") + bytes(8)
    assert [file.unpacked_bytes(section) for section in file.sections_named(".debug_info")] == [
        8,
        96,
    ]


@pytest.mark.parametrize("option", ["zlib-gnu", "zlib"])
@pytest.mark.parametrize("version", [4, 5])
def test_compressed_objects(tool: Tool, tmp_path: Path, option: str, version: int) -> None:
    """GCC's objects are read as when they are not compressed."""
    source = tmp_path / "a.c"
    source.write_text(C)
    texts = []
    for options in ((), (f"-Wa,--compress-debug-sections={option}",)):
        path = tmp_path / "a.o"
        run(tool("gcc"), f"-gdwarf-{version}", "-O1", "-c", *options, source, "-o", path)
        file = open_object(path)
        texts.append([relocated_data(file, f".debug_{name}") for name in ("info", "line", "loc")])
        assert any(map(file.is_compressed, file.sections)) == bool(options)
    assert texts[0] == texts[1] and texts[0][0]


@pytest.mark.parametrize(
    ("machine", "types", "before", "expected"),
    [
        (243, ((35, 3), (39, 0)), "05000000", "08000000"),  # ADD32, SUB32: 5 + 3
        (243, ((39, 0), (35, 3)), "05000000", "08000000"),
        (243, ((34, 3), (38, 0)), "ffff0000", "02000000"),
        (243, ((54, 3), (37, 0)), "77000000", "03000000"),  # SET8, SUB8
        (243, ((53, 3), (52, 0)), "40ffffff", "43ffffff"),  # SET6, SUB6: DW_CFA_advance_loc
        (243, ((60, 3), (61, 0)), "8080007f", "8380007f"),  # SET_ULEB128, SUB_ULEB128
        (243, ((51, 0), (56, 3)), "00000000", "8b776655"),  # RELAX, SET32
        (258, ((50, 3), (55, 0)), "05000000", "08000000"),
        (258, ((105, 3), (106, 0)), "7effffff", "41ffffff"),  # ADD6, SUB6
        (258, ((49, 3), (54, 0)), "000000ff", "030000ff"),  # ADD24, SUB24
        (258, ((107, 3), (108, 0)), "85010000", "88010000"),
    ],
)
def test_several_relocations_of_one_field(
    machine: int, types: tuple[tuple[int, int], ...], before: str, expected: str
) -> None:
    """Types with an addend, all of one symbol."""
    table = b"".join(rela(0, number, addend) for number, addend in types)
    file = made(table, bytes.fromhex(before) + bytes(12), machine)
    assert relocated_data(file, ".debug_info")[:4].hex() == expected


def test_a_number_that_does_not_fit() -> None:
    table = rela(0, 60, 0x80) + rela(0, 61)
    with pytest.raises(Malformed, match=r"\+0x0: 128 does not fit a ULEB128 number of 1 byte"):
        relocated_data(made(table, machine=243), ".debug_info")
    with pytest.raises(Malformed, match=r"relocates \.debug_info\+0x0"):
        relocated_data(made(table, b"\xff" * 16, 243), ".debug_info")


def test_a_number_of_the_whole_section_is_not_read() -> None:
    """Else each relocation would read all of it."""
    padded = b"\x80" * 15 + b"\0" * 17
    assert relocated_data(made(rela(0, 60, 3), padded, 243), ".debug_info")[:2] == b"\x8b\xef"
    with pytest.raises(Malformed, match=r"\+0x0: a ULEB128 number of more than 16 bytes"):
        relocated_data(made(rela(0, 60, 3), b"\x80" * 16 + b"\0" * 16, 243), ".debug_info")


def test_an_addend_in_the_section() -> None:
    data = (0x10).to_bytes(4, "little") + bytes(12)
    file = made(struct.pack("<QQ", 0, 1 << 32 | 10), data, kind=9)
    assert relocated_data(file, ".debug_info")[:4].hex() == "98776655"


@pytest.mark.parametrize(
    ("relocations", "error", "message"),
    [
        (rela(13, 10), Malformed, r"\.rela\.debug_info relocates \.debug_info\+0xd"),
        (rela(0, 10, symbol=2), Malformed, "names symbol 2 of 2"),
        (
            rela(0, 200),
            Unsupported,
            r"\.rela\.debug_info: relocation type 200 of X86_64 is unknown",
        ),
        (
            rela(2, 25),
            Unsupported,
            r"\.rela\.debug_info: R_X86_64_GOTOFF64 at \.debug_info\+0x2 has no value before",
        ),
    ],
)
def test_relocations_that_cannot_be_applied(
    relocations: bytes, error: type[DwarfGpuError], message: str
) -> None:
    with pytest.raises(error, match=message):
        relocated_data(made(relocations), ".debug_info")


SITE = 0x49
VALUE, SIZE, COUNT = 0x7E, dw.AT_BYTE_SIZE, dw.AT_COUNT
SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRING),), True),
    Shape(SITE, ((SIZE, dw.FORM_DATA8), (VALUE, dw.FORM_EXPRLOC), (COUNT, dw.FORM_DATA1))),
)
IN_SIZE = 12 + 4 + 1
IN_VALUE = IN_SIZE + 8 + 1
"""Where the expression of the first parameter begins: DW_OP_addr, and DW_OP_stack_value."""


def parameters(*relocations: bytes, machine: int = X86_64) -> DebugInfo:
    """Two call site parameters in a unit."""
    one = b"\2" + (7).to_bytes(8, "little") + b"\x0a\3" + bytes(8) + b"\x9f\5"
    data = unit(b"\1ab\0" + one * 2 + b"\0")
    return DebugInfo.of(
        made(b"".join(relocations), data, machine, abbreviated=abbreviations(*SHAPES))
    )


@pytest.mark.parametrize(
    ("machine", "number", "message"),
    [
        (X86_64, 25, f"R_X86_64_GOTOFF64 at .debug_info+{IN_VALUE + 1:#x} has no value before a"),
        (X86_64, 31, f"R_X86_64_PLTOFF64 at .debug_info+{IN_VALUE + 1:#x} has no value before a"),
        (X86_64, 200, "relocation type 200 of X86_64 is unknown"),
        (243, 18, "relocation type 18 of RISCV is unknown"),
    ],
)
def test_only_the_expression_of_an_unknown_relocation_is_unknown(
    machine: int, number: int, message: str
) -> None:
    """x86-64 psABI: GOTOFF64 is S + A - GOT, and objects have no GOT."""
    info = parameters(rela(IN_VALUE + 1, number), machine=machine)
    [unit_of] = info.units
    first, second = unit_of.root.children()
    assert (first.integer(SIZE), first.integer(COUNT)) == (7, 5)
    with pytest.raises(Unsupported, match=re.escape(message)):
        first.expression(VALUE)
    assert second.expression(VALUE) == b"\3" + bytes(8) + b"\x9f"
    assert info.problems == ()


@pytest.mark.parametrize(
    ("offset", "number"), [(IN_SIZE, 25), (IN_VALUE - 1, 25), (IN_VALUE + 6, 200)],
    ids=["in a number", "in the size of the expression", "may reach behind the expression"],
)  # fmt: skip
def test_a_unit_with_an_unknown_number_cannot_be_read(offset: int, number: int) -> None:
    [unit_of] = parameters(rela(offset, number)).units
    for _ in range(2):
        with pytest.raises(Unsupported, match="R_X86_64_GOTOFF64 at|relocation type 200"):
            _ = unit_of.root


def test_sizes_of_unknown_fields() -> None:
    """Of GOTPC32 it has 4 bytes, which end where the expression does."""
    [unit_of] = parameters(rela(IN_VALUE + 6, 26)).units
    first, _ = unit_of.root.children()
    assert first.integer(COUNT) == 5


def test_units_with_an_unknown_header_are_not_read() -> None:
    with pytest.raises(Unsupported, match="R_X86_64_GOTOFF64 at"):
        _ = parameters(rela(0, 25)).units


def addresses(*relocations: bytes) -> CompilationUnit:
    """A unit with three addresses by index."""
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET),))
    file = made(
        b"".join(relocations),
        bytes((28, 0, 0, 0, 5, 0, 8, 0)) + bytes(24),
        abbreviated=abbreviations(shape),
        name=".debug_addr",
        debug_info=unit(b"\1" + (8).to_bytes(4, "little")),
    )
    [only] = DebugInfo.of(file).units
    return only


@pytest.mark.parametrize(("offset", "unknown"), [(16, {1}), (12, {0, 1}), (24, {2})])
def test_only_the_addresses_with_an_unknown_relocation_are_unknown(
    offset: int, unknown: set[int]
) -> None:
    one = addresses(rela(8, 1), rela(offset, 25))
    for _ in range(2):
        for index in range(3):
            if index in unknown:
                message = rf"R_X86_64_GOTOFF64 at \.debug_addr\+{offset:#x} has no value before a"
                with pytest.raises(Unsupported, match=message):
                    one.address(index)
            else:
                assert one.address(index) == (0 if index else 0x1122334455667788)


def test_addresses_with_an_unknown_header_are_not_read() -> None:
    one = addresses(rela(0, 25))
    with pytest.raises(Unsupported, match="R_X86_64_GOTOFF64 at"):
        one.address(1)


@pytest.mark.parametrize("version", ["4", "5"])
def test_the_addresses_that_gcc_writes_for_a_large_program(
    version: str, tool: Tool, tmp_path: Path
) -> None:
    """No address of the object was readable."""
    source, path = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text(
        "#include <setjmp.h>\njmp_buf jb; extern void e(void); int gl = 5;\n"
        "int f(int n) { if (setjmp(jb)) return n; e(); return 0; }\n"
        "void g(void) { longjmp(jb, 3); }\n"
    )
    options = (f"-gdwarf-{version}", "-gsplit-dwarf", "-g", "-O2", "-mcmodel=large")
    run(tool("gcc"), *options, "-c", source, "-o", path)
    assert command("eval", "--file", path, "gl").out == "gl = 5\n"
    assert "f: " in command("where", "--all", path).out
    done = command("check", path)
    assert done.status == 0 and "0 errors, 0 warnings" in done.out
    if "R_X86_64_GOTOFF64" in run("readelf", "-rW", path).partition(".rela.debug_addr")[2]:
        assert "not checked: " in done.out and "R_X86_64_GOTOFF64 at .debug_addr+0x" in done.out


def test_the_value_of_a_call_that_gcc_writes_for_a_large_program(
    tool: Tool, tmp_path: Path
) -> None:
    """The object was unreadable."""
    source, path = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text(
        "#include <setjmp.h>\njmp_buf jb; extern void e(void);\n"
        "int f(int n) { if (setjmp(jb)) return n; e(); return 0; }\n"
        "void g(void) { longjmp(jb, 3); }\n"
    )
    run(tool("gcc"), "-g", "-O2", "-mcmodel=large", "-c", source, "-o", path)
    done = command("check", path)
    assert done.status == 0 and "0 errors, 0 warnings" in done.out
    assert "no unit was checked" not in done.out
    if "R_X86_64_GOTOFF64" in run("readelf", "-rW", path).partition(".rela.debug_info")[2]:
        assert "not checked: " in done.out and "R_X86_64_GOTOFF64 at .debug_info+0x" in done.out


def test_other_machines_and_other_files() -> None:
    with pytest.raises(Unsupported, match="relocations of machine 999"):
        relocated_data(made(rela(0, 1), machine=999), ".debug_info")
    with pytest.raises(Unsupported, match="relocation type 18 of RISCV is unknown"):
        relocated_data(made(rela(0, 18), machine=243), ".debug_info")
    loaded = ObjectFile("made.so", elf({".debug_info": b"abc"}))
    assert relocated_data(loaded, ".debug_info") == b"abc"
    assert relocated_data(loaded, ".debug_line") == b""


def test_mutated_tables() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    for _ in range(300):
        table = bytearray(rela(0, 10) + rela(8, 1) + rela(4, 2))
        for _ in range(source.randint(1, 5)):
            table[source.randrange(len(table))] = source.randrange(256)
        with contextlib.suppress(DwarfGpuError):
            assert len(relocated_data(made(bytes(table)), ".debug_info")) == 16


def test_tables_that_overlap_cost_no_more_than_the_file() -> None:
    contents: dict[str, bytes | Content] = {".debug_info": bytes(64)}
    contents |= {f".rela{n}": Content(bytes(240), SHT_RELA) for n in range(30)}
    data = bytearray(overlapping(elf(contents, X86_64, type=1), ".rela"))
    (table,) = struct.unpack_from("<Q", data, 40)
    for index in range(2, 32):
        struct.pack_into("<I", data, table + 64 * index + 44, 1)  # sh_info: .debug_info
    with pytest.raises(LimitExceeded, match=r"30 relocation tables of \.debug_info overlap"):
        relocated_data(ObjectFile("made", bytes(data)), ".debug_info")


def test_relocations_make_no_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of an object of 66,000 functions, each in a section, have 330,000 of them."""
    made_for: list[int] = []
    symbol = SymbolTable.symbol

    def counted(table: SymbolTable, number: int) -> Symbol:
        made_for.append(number)
        return symbol(table, number)

    monkeypatch.setattr(SymbolTable, "symbol", counted)
    monkeypatch.setattr(SymbolTable, "symbols", property(lambda _: pytest.fail("all are read")))
    rows = b"".join(rela(8 * number, 1, number) for number in range(100))
    last = rela(800, 32)
    data = relocated_data(made(rows + last, bytes(808)), ".debug_info")
    first = 0x1122334455667788
    assert struct.unpack("<101Q", data) == (*range(first, first + 100), 0x30)
    assert made_for == [1]  # for its size


@pytest.mark.parametrize(
    ("machine", "number", "needed"),
    [
        (X86_64, 1, 17),  # R_X86_64_64
        (X86_64, 2, 17),  # R_X86_64_PC32
        (X86_64, 32, 47),  # R_X86_64_SIZE32
        (X86_64, 25, 167),  # R_X86_64_GOTOFF64
        (X86_64, 200, 167),
        (243, 35, 47),  # R_RISCV_ADD32
        (243, 60, 167),  # R_RISCV_SET_ULEB128
    ],
)
def test_relocations_are_counted(machine: int, number: int, needed: int) -> None:
    """10 of one symbol and type, which are counted as several where they take more."""
    table = rela(0, number) * 10

    def read(limit: int) -> bytes:
        file = made(table, machine=machine, limits=FileLimits(relocations=limit))
        for _ in range(2):  # a table that is read again counts once
            data, _ = relocated_where_known(file, ".debug_info")
        return data

    assert len(read(needed)) == 16
    with pytest.raises(LimitExceeded) as caught:
        read(needed - 1)
    assert str(caught.value) == (
        f".rela.debug_info of made.o has relocations that count as {needed}: more than "
        f"{needed - 1} (--max-relocations)"
    )


def test_most_relocations_are_three_calls() -> None:
    """To look up the symbol, and to read and write the field."""
    rows = struct.pack("<QQ", 0, 1 << 32 | 1)

    def read(count: int) -> Callable[[], object]:
        return lambda: relocated_data(made(rows * count, kind=9), ".debug_info")

    few, many = calls_of(read(10)), calls_of(read(1010))
    assert many - few <= 3 * 1000


def test_each_table_may_name_symbols_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of each symbol table is added once, not again for each of the next tables."""
    added: list[int] = []
    unpacked_bytes = ObjectFile.unpacked_bytes

    def counted(file: ObjectFile, section: Section) -> int:
        added.append(section.index)
        return unpacked_bytes(file, section)

    count = 40
    contents: dict[str, bytes | Content] = {".debug_info": bytes(64)}
    contents |= {f".symtab{n}": Content(bytes(24), SHT_SYMTAB) for n in range(count)}
    contents |= {
        f".rela{n}": Content(rela(0, 10, symbol=0), SHT_RELA, link=2 + n) for n in range(count)
    }
    data = bytearray(elf(contents, X86_64, type=1))
    (table,) = struct.unpack_from("<Q", data, 40)
    for index in range(2 + count, 2 + 2 * count):
        struct.pack_into("<I", data, table + 64 * index + 44, 1)  # sh_info: .debug_info
    monkeypatch.setattr(ObjectFile, "unpacked_bytes", counted)
    assert len(relocated_data(ObjectFile("made", bytes(data)), ".debug_info")) == 64
    assert len(added) <= 5 * count
