"""Line tables made by hand: every opcode, every version and format, what is malformed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.printable import name_text
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.line import file_table, line_lookup, operands
from dwarfgpu.dwarf.line import rows as line_rows
from dwarfgpu.dwarf.line.file_table import joined
from dwarfgpu.dwarf.line.header import read_line_header
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.line.line_table import LineTable
from dwarfgpu.dwarf.line.program import run_line_program
from dwarfgpu.dwarf.line.program_check import line_program_problem
from dwarfgpu.dwarf.line.rows import LineRow
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.objfile.elf import ObjectFile, open_object
from tests.dwarf.builder import FIXTURES, Shape, abbreviations, debug_info, elf, fixture, unit
from tests.work import assert_linear, at_most, calls_of

COUNTS = (0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, BLOCK = range(1, 8)
CONST_ADD_PC, FIXED_ADVANCE, PROLOGUE_END, EPILOGUE_BEGIN, SET_ISA = range(8, 13)
PATH, DIRECTORY, TIMESTAMP, SIZE, MD5, SOURCE, IS_MD5 = 1, 2, 3, 4, 5, 0x2001, 0x2002


def uleb(*values: int) -> bytes:
    return b"".join(map(encode_uleb, values))


@frozen
class Table:
    """A line table to be written; `names` are the bytes of the directory and file tables."""

    program: bytes = b""
    version: int = 5
    endian: Endian = "little"
    address_size: int = 8
    offset_size: int = 4
    minimum: int = 1
    most: int = 1
    default_is_stmt: int = 1
    base: int = -3
    range: int = 12
    opcode_base: int | None = None
    counts: tuple[int, ...] = COUNTS
    names: bytes | None = None

    def data(self) -> bytes:
        fields = bytes((self.minimum,))
        fields += bytes((self.most,)) if self.version >= 4 else b""
        opcode_base = len(self.counts) + 1 if self.opcode_base is None else self.opcode_base
        fields += bytes((self.default_is_stmt, self.base & 0xFF, self.range, opcode_base))
        fields += bytes(self.counts)
        names = self.names
        if names is None:
            names = b"\0\0" if self.version < 5 else table([(PATH, 8)], [b"d\0"]) * 2
        header = fields + names
        rest = self.version.to_bytes(2, self.endian)
        rest += bytes((self.address_size, 0)) if self.version >= 5 else b""
        rest += len(header).to_bytes(self.offset_size, self.endian) + header + self.program
        if self.offset_size == 8:
            return b"\xff\xff\xff\xff" + len(rest).to_bytes(8, self.endian) + rest
        return len(rest).to_bytes(4, self.endian) + rest

    def address(self, value: int) -> bytes:
        """DW_LNE_set_address."""
        return extended(2, value.to_bytes(self.address_size, self.endian))


def table(description: Sequence[tuple[int, int]], entries: Iterable[bytes]) -> bytes:
    """A directory or file table of DWARF 5."""
    bodies = list(entries)
    out = bytes((len(description),)) + b"".join(uleb(kind, form) for kind, form in description)
    return out + uleb(len(bodies)) + b"".join(bodies)


def extended(opcode: int, operands: bytes = b"") -> bytes:
    return b"\0" + uleb(1 + len(operands)) + bytes((opcode,)) + operands


END = extended(1)
LOAD = 0x10_0000
ROOT = Shape(
    dw.TAG_COMPILE_UNIT,
    (
        (dw.AT_LOW_PC, dw.FORM_ADDR),
        (dw.AT_HIGH_PC, dw.FORM_DATA4),
        (dw.AT_STMT_LIST, dw.FORM_SEC_OFFSET),
        (dw.AT_COMP_DIR, dw.FORM_STRING),
    ),
)


def info_of(
    made: Table,
    other_values: dict[str, bytes] | None = None,
    directory: bytes = b"/src",
    line_data: bytes | None = None,
    offset: int = 0,
    units: int = 1,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> DebugInfo:
    """A file with units of [0x1000, 0x2000), the first with the table at the offset, the others
    with those behind it."""
    form, endian = UnitFormat(made.address_size, made.offset_size), made.endian
    assert made.offset_size in (4, 8)
    data = b""
    for number in range(units):
        entries = b"\x01" + (0x1000).to_bytes(form.address_size, endian)
        table_at = offset + number * len(line_data or b"") // units
        entries += (0x1000).to_bytes(4, endian) + table_at.to_bytes(form.offset_size, endian)
        entries += directory + b"\0"
        data += unit(entries, 5, made.address_size, 4 if made.offset_size == 4 else 8, endian)
    sections = {
        ".debug_info": data,
        ".debug_abbrev": abbreviations(ROOT),
        ".debug_line": made.data() if line_data is None else line_data,
        **(other_values or {}),
    }
    file = ObjectFile("made.co", elf(sections, endian=endian), limits=limits)
    return DebugInfo.of(file, LOAD)


def table_of(
    made: Table,
    other_values: dict[str, bytes] | None = None,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> LineTable:
    result = info_of(made, other_values, limits=limits).units[0].line_table
    assert result is not None
    return result


def rows(made: Table) -> list[LineRow]:
    """The rows of a table that can be read, perhaps without an end."""
    result = table_of(made)
    assert not result.problems or "without a DW_LNE_end_sequence" in str(result.problems)
    return list(result.matrix.rows)


def row(address: int, number: int, **changes: int) -> LineRow:
    """A row with the other registers as they begin."""
    return LineRow(address, 1, number, 0, 0, 0, 0, 1)._replace(**changes)


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("offset_size", [4, 8])
@pytest.mark.parametrize("version", [2, 3, 4, 5])
@pytest.mark.parametrize("address_size", [4, 8])
def test_every_opcode(version: int, offset_size: int, endian: Endian, address_size: int) -> None:
    made = Table(b"", version, endian, address_size, offset_size, minimum=4)
    program = made.address(0x1000) + bytes((COPY,))
    program += bytes((13 + 12 * 2 + 3 + 5,))  # special: 2 operations, 5 lines
    program += bytes((ADVANCE_PC,)) + uleb(3) + bytes((ADVANCE_LINE,)) + encode_sleb(-4)
    program += bytes((SET_FILE,)) + uleb(200) + bytes((SET_COLUMN,)) + uleb(300)
    program += bytes((NEGATE, BLOCK, PROLOGUE_END, EPILOGUE_BEGIN, SET_ISA)) + uleb(5)
    program += extended(4, uleb(7)) + bytes((COPY, CONST_ADD_PC))
    program += bytes((FIXED_ADVANCE,)) + (0x101).to_bytes(2, endian) + bytes((NEGATE, COPY)) + END
    after = 0x1014 + 4 * ((255 - 13) // 12) + 0x101
    registers = {"file": 200, "column": 300, "isa": 5}
    assert rows(evolve(made, program=program)) == [
        row(0x1000, 1),
        row(0x1008, 6),
        row(0x1014, 2, discriminator=7, flags=0x02 | 0x08 | 0x10, **registers),
        row(after, 2, **registers),
        row(after, 2, flags=0x05, **registers),
    ]


def test_end_sequence_starts_over() -> None:
    made = Table(default_is_stmt=0)
    program = made.address(0x1000) + bytes((NEGATE, SET_FILE, 9, COPY)) + END + bytes((COPY,)) + END
    assert rows(evolve(made, program=program)) == [
        row(0x1000, 1, file=9),
        row(0x1000, 1, file=9, flags=5),
        row(0, 1, flags=0),
        row(0, 1, flags=4),
    ]


def test_unknown_opcodes_are_skipped_by_their_lengths() -> None:
    counts = (*COUNTS, 0, 3)
    program = b"\x0d" + b"\x0e" + uleb(1, 300, 2) + extended(0x80, b"abc") + b"\x01"
    program += extended(4, b"\x87\x80\0") + b"\x01"  # a known one may have a long operand
    assert rows(Table(program, counts=counts)) == [row(0, 1), row(0, 1, discriminator=7)]


def test_extended_opcodes_of_no_bytes_are_padding_behind_a_sequence() -> None:
    """The length counts the opcode itself (6.2.5.3)."""
    made, pad = Table(), b"\0\0"
    whole = made.address(0x1000) + bytes((COPY,)) + END
    assert rows(evolve(made, program=pad + whole + pad + pad + whole + pad)) == 2 * [
        row(0x1000, 1), row(0x1000, 1, flags=5)
    ]  # fmt: skip
    address = made.address(0x1000)
    for program in (whole + address + pad + b"\1" + END, whole + address + b"\1" + pad + END):
        result = table_of(evolve(made, program=program))
        assert "length 0 within a sequence" in str(result.problems[0])
        assert str(result.faults().problem) == str(result.problems[0])
        assert tuple(result.matrix.rows)[:2] == (row(0x1000, 1), row(0x1000, 1, flags=5))


def test_zeros_over_the_start_of_a_sequence() -> None:
    """What follows them has no address, and the rows are those of no code."""
    made, pad = Table(), b"\0\0"
    whole = made.address(0x1000) + bytes((COPY, ADVANCE_PC, 4)) + END
    left = 6 * pad + bytes((COPY,))  # a special opcode, or the last byte of the end of a sequence
    for rest in (END, whole, bytes((ADVANCE_PC, 4)) + whole):
        result = table_of(evolve(made, program=whole + left + rest))
        assert "rows without a DW_LNE_set_address follow zeros" in str(result.problems[0])
        assert str(result.faults().problem) == str(result.problems[0])
        assert result.line_at(0x1000) is not None
    assert not table_of(evolve(made, program=whole + 6 * pad + whole)).problems
    # Without zeros a program at 0 begins, as in a file that is not linked.
    assert not table_of(evolve(made, program=whole + bytes((COPY,)) + END)).problems


def test_a_line_below_0_is_a_problem() -> None:
    made = Table()
    program = made.address(0x1000) + bytes((COPY, ADVANCE_PC, 4, ADVANCE_LINE)) + encode_sleb(-4)
    program += bytes((COPY, ADVANCE_PC, 4, ADVANCE_LINE)) + encode_sleb(9) + bytes((COPY,)) + END
    result = table_of(evolve(made, program=program))
    assert result.line_at(0x1000) is not None
    with pytest.raises(IllFormed, match="has line 4294967293, which is -3 in 32 bits"):
        result.line_at(0x1004)


def test_opcodes_above_the_base_are_special() -> None:
    """With an opcode_base of 10 the opcodes 10 to 12 are special ones."""
    assert rows(Table(b"\x0a\x0b", counts=COUNTS[:9], base=1, range=4)) == [row(0, 2), row(0, 4)]
    assert rows(Table(b"\x01", opcode_base=0, counts=(), base=0, range=4)) == [row(0, 2)]


def test_operations_of_long_instructions() -> None:
    """VLIW: three operations in each instruction of 16 bytes (6.2.5.1)."""
    made = Table(minimum=16, most=3, base=0, range=1)
    program = made.address(0x1000) + bytes((13 + 1, 13 + 1, 13 + 1))
    program += bytes((ADVANCE_PC,)) + uleb(5) + bytes((COPY, CONST_ADD_PC, COPY))
    program += bytes((FIXED_ADVANCE, 1, 0, COPY))
    program += made.address(0x1800) + bytes((COPY,))
    last = 0x1020 + (2 + 242) // 3 * 16
    assert [(row.address, row.op_index) for row in rows(evolve(made, program=program))] == [
        (0x1000, 1),
        (0x1000, 2),
        (0x1010, 0),
        (0x1020, 2),
        (last, (2 + 242) % 3),
        (last + 1, 0),
        (0x1800, 0),
    ]


def test_numbers_wrap() -> None:
    made = Table(address_size=4)
    program = made.address(0xFFFFFFFF) + bytes((ADVANCE_PC,)) + uleb(2) + bytes((ADVANCE_LINE,))
    program += encode_sleb(-3) + bytes((COPY,))
    assert rows(evolve(made, program=program)) == [row(1, 2**32 - 2)]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (bytes((ADVANCE_PC,)), "is cut short"),
        (bytes((FIXED_ADVANCE, 1)), "2 bytes needed"),
        (bytes((SET_COLUMN,)) + uleb(2**32), "does not fit into 32 bits"),
        (bytes((ADVANCE_PC,)) + uleb(2**64), "has 65 bits"),
        (bytes((ADVANCE_LINE,)) + encode_sleb(2**64), "has 65 bits"),
        (bytes((ADVANCE_LINE,)) + encode_sleb(-(2**63) - 1), "has 65 bits"),
        (b"\0\x05\x02abc", "5 bytes needed"),
        (b"\0", "is cut short"),
        (extended(2, b"abc"), "an address of 3 bytes"),
        (extended(2, b"ab"), "an address of 2 bytes, and the header address_size 8"),
        (extended(3, b"\0"), "has no name"),
        (extended(3, b"ab"), "has no end"),
        (extended(4), "is cut short"),
        (extended(4, uleb(5) + b"\0"), "DW_LNE_set_discriminator has a length of 3, and needs 2"),
        (extended(4, uleb(2**32)), "does not fit into 32 bits"),
        (extended(1, b"\0"), "DW_LNE_end_sequence has a length of 2, and needs 1"),
        (extended(3, b"ab\0\0\0\0\1"), "DW_LNE_define_file has a length of 8, and needs 7"),
    ],
)
def test_rows_before_a_fault_are_kept(program: bytes, message: str) -> None:
    made = Table()
    good = made.address(0x1000) + bytes((COPY, 255)) + END
    result = table_of(evolve(made, program=good + program))
    (problem,) = result.problems
    assert isinstance(problem, Malformed) and message in str(problem)
    assert str(result.faults().problem) == str(problem)
    assert len(result.matrix.rows) == 3
    assert result.line_at(0x1000) is not None
    with pytest.raises(
        Malformed, match="made.co: .debug_line table 0x0: line program opcode at 0x"
    ):
        result.line_at(0x5000)


@pytest.mark.parametrize("size_bytes", [4, 7, 9])
def test_before_dwarf_5_an_address_has_the_size_of_the_unit(size_bytes: int) -> None:
    made = Table(version=4)
    program = extended(2, bytes(size_bytes)) + bytes((COPY,)) + END
    (problem,) = table_of(evolve(made, program=program)).problems
    assert f"an address of {size_bytes} bytes, and the unit address_size 8" in str(problem)
    assert not table_of(evolve(made, program=made.address(0) + bytes((COPY,)) + END)).problems


def test_rows_before_the_limit_are_kept() -> None:
    """A byte of a program may be a row, which takes thirty bytes of memory."""
    limits = FileLimits(line_rows=7)
    made = Table()
    good = made.address(0x1000) + bytes((COPY, 255)) + END
    assert table_of(evolve(made, program=good), limits=limits).problems == ()
    result = table_of(evolve(made, program=good + bytes((255,)) * 9 + END), limits=limits)
    (problem,) = result.problems
    assert isinstance(problem, LimitExceeded) and "more than 7 rows in a line" in str(problem)
    assert "--max-line-rows" in str(problem)
    assert len(result.matrix.rows) == 5
    assert result.line_at(0x1000) is not None
    with pytest.raises(LimitExceeded, match="more than 7 rows"):
        result.line_at(0x5000)


def test_a_program_without_rows_is_bounded_too() -> None:
    limits = FileLimits(line_rows=5)
    result = table_of(Table(bytes((NEGATE,)) * 31), limits=limits)
    with pytest.raises(LimitExceeded, match=r"program of 31 bytes: more than 30.*--max-line-rows"):
        result.line_at(0x1000)


_UNKNOWN = b"\0\1\x80"
_LONG_DISCRIMINATOR = b"\0\3\4\x81\0"


_SKIPPED = (*COUNTS, *(0, 1) * 5)
_WITHOUT_ROWS = (
    bytes((NEGATE,)),
    bytes((ADVANCE_LINE, 1)),
    bytes((ADVANCE_LINE, *(0x80,) * 14, 0)),
    bytes((ADVANCE_LINE, *(0xFF,) * 30, 0x7F)),
    bytes((ADVANCE_PC, *(0x80,) * 14, 0)),
    bytes((FIXED_ADVANCE, 0, 0)),
    bytes((len(COUNTS) + 1,)),  # opcodes without a meaning
    bytes((len(COUNTS) + 2, 1)),
    _UNKNOWN,
    _LONG_DISCRIMINATOR,
    extended(2, bytes(8)),
)


def many_tables(made: Table, units: int, line_rows: int) -> list[LineTable]:
    """The tables of units that have equal ones."""
    limits = FileLimits(line_rows=line_rows)
    info = info_of(made, line_data=made.data() * units, units=units, limits=limits)
    return [one.line_table for one in info.units if one.line_table is not None]


@pytest.mark.parametrize("opcode", _WITHOUT_ROWS, ids=bytes.hex)
@pytest.mark.parametrize(
    "problem_of",
    [lambda table: table.matrix.problem, lambda table: table.faults().problem],
    ids=["rows", "check"],
)
def test_the_programs_of_a_file_share_their_steps(
    problem_of: Callable[[LineTable], DwarfGpuError | None], opcode: bytes
) -> None:
    """Each byte is a step at least, so that 14 tables have more than there are."""
    program = START + bytes((COPY,)) + opcode * (400 // len(opcode)) + END
    tables = many_tables(Table(program, names=FILES, counts=_SKIPPED), 14, 300)
    problems = [problem_of(table) for table in tables]
    refused = [isinstance(problem, LimitExceeded) for problem in problems]
    assert refused == sorted(refused) and not refused[0] and refused[-1], refused
    assert not any(problems[: refused.index(True)])
    said = str(problems[-1])
    assert "programs of .debug_line take more than 4800 steps to read (--max-line-rows)" in said
    again = [problem_of(table) for table in tables]
    assert list(map(str, again)) == list(map(str, problems))  # what is read again costs nothing


def test_the_check_runs_no_program_without_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has tens of thousands of tables, and only what follows the last sequence is run."""
    monkeypatch.setattr("dwarfgpu.dwarf.line.program_check.run_line_program", None)
    assert table_of(Table(START + bytes((COPY, 255)) + END, names=FILES)).faults().problem is None


@pytest.mark.parametrize("end", [END, b""], ids=["ended", "unended"])
def test_the_check_of_a_file_counts_rows_that_it_makes(end: bytes) -> None:
    """Those without an end, and those that may be of no file."""
    names = table([(PATH, 8)], [b"d\0"]) * 2 if end else FILES
    made = Table(START + bytes((SET_FILE, 0)) + bytes((COPY,)) * 170 + end, names=names)
    problems = [table.faults().problem for table in many_tables(made, 12, 300)]
    refused = [isinstance(problem, LimitExceeded) for problem in problems]
    assert refused == [False] * 3 + [True] * 9  # a step for each byte, and then six for each row


def test_no_rows_are_read_for_the_name_of_a_file() -> None:
    """A program may define a file where it has the name: its opcodes are skipped at once."""
    opcodes = bytes((COPY, SET_COLUMN, 3, 0x4B)) + extended(4, b"\7") + bytes((0x09, 1, 0))
    for padding in (b"", extended(3, b"y.c\0" + uleb(0, 0, 0))):
        start = START + extended(0x80, b"x.c\0") + padding
        few, many = (table_of(Table(start + opcodes * n + END, names=FILES)) for n in (1, 3_000))
        assert not few.files_named("x.c")
        with at_most(500):
            assert not many.files_named("x.c")


def test_programs_that_are_searched_for_the_name_of_a_file_count() -> None:
    made = Table(START + extended(0x80, b"x.c\0") + bytes((COPY,)) * 97 + END, names=FILES)
    evolved = evolve(made, program=made.program + extended(3, b"x.c\0" + uleb(0, 0, 0)))
    tables = many_tables(evolved, 14, 110)
    found = [bool(table.files_named("x.c")) for table in tables]
    assert found == [True] * 11 + [False] * 3  # 164 steps each, with those of the file


@pytest.mark.parametrize("base", [1, 3, 4, 9, 10, 13, 14, 17])
def test_opcodes_before_a_file_that_is_defined_are_skipped_by_their_lengths(base: int) -> None:
    """Those of a header with fewer standard opcodes, or more, and of each length."""
    counts = (0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 2, 3, 0)
    opcodes = [bytes((opcode,)) for opcode in range(base, 256)]
    for opcode in range(1, base):
        opcodes.append(bytes((opcode,)) + (b"\3\0" if opcode == 9 else b"\3" * counts[opcode - 1]))
        if counts[opcode - 1] and opcode != 9:
            opcodes.append(bytes((opcode,)) + (b"\x80" * 20 + b"\0") * counts[opcode - 1])
    opcodes += [extended(kind, b"\3" * size) for kind in (0x80, 0x05) for size in range(40)]
    opcodes += [extended(0x80, b"\3" * 200), b"\0\x83\x80\0\x80\3\3", b"\0\0"]
    one = extended(3, b"x.c\0" + uleb(0, 0, 0))
    made = Table(counts=counts[: base - 1])
    for opcode_bytes in opcodes:
        result = table_of(evolve(made, program=one + opcode_bytes + one))
        assert len(result.files_named("x.c")) == 2, opcode_bytes


def test_tables_with_rows_are_read_whatever_their_number() -> None:
    """As RISC-V, which advances by fixed numbers, and functions in sections of their own."""
    made = Table(names=FILES)
    sequence = made.address(0x1000) + b"\5\1\3\1" + bytes((COPY, 0x09, 4, 0, COPY)) + END
    for table in many_tables(evolve(made, program=sequence * 10), 90, 60):
        assert table.problems == ()
    for table in many_tables(evolve(made, program=sequence * 10), 9, 400):
        assert table.faults().problem is None


def test_sequences_count_more_than_their_rows() -> None:
    """An index has each of them."""
    made = Table()
    one = made.address(0x1000) + bytes((COPY, 255)) + END
    few, many = (
        table_of(evolve(made, program=one * count), limits=FileLimits(line_rows=10))
        for count in (2, 3)
    )
    assert not few.problems
    assert isinstance(many.problems[0], LimitExceeded) and len(many.matrix.sequences) == 2


def test_the_rows_that_a_question_for_a_line_reads_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each table is small, and many have a header. An answer from some of them would look whole."""
    made = Table(START + special(1, 0) + bytes((ADVANCE_PC, 4)) + END, names=FILES)
    monkeypatch.setattr(line_lookup, "_TABLE_ROWS", 1)
    data, limits = made.data(), FileLimits(line_rows=10)
    few, many = (
        LineLookup(Scopes(info_of(made, line_data=data * count, units=count, limits=limits)))
        for count in (3, 4)
    )
    assert len(list(few.tables_with("a.c"))) == 3
    for question in (many.pcs_of, many.spans_of, many.next_line):
        with pytest.raises(
            LimitExceeded, match=r"name a\.c have more than 10 rows.*--max-line-rows"
        ):
            question("a.c", 1)
        assert not question("other.c", 1)


def test_files_that_a_program_defines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operands, "MAX_NAMES", 2)
    one = extended(3, b"a.c\0" + uleb(0, 0, 0))
    assert not table_of(Table(one * 2)).problems
    result = table_of(Table(one * 3))
    for problem in (result.matrix.problem, result.faults().problem):
        assert isinstance(problem, LimitExceeded) and "more than 2 files" in str(problem)


def test_tables_that_were_not_asked_for_last_are_not_kept() -> None:
    """All tables of a large file have more rows than memory has room for."""
    made = Table()
    one = evolve(made, program=made.address(0x1000) + bytes((COPY,) * 3) + END).data()
    info = info_of(made, line_data=one * 2, units=2, limits=FileLimits(line_rows=6))
    tables = [unit_.line_table for unit_ in info.units]
    assert None not in tables
    first, second = (table.matrix for table in tables if table is not None)
    assert first.rows[0] == second.rows[0] and first is not second
    assert tables[0] is not None and tables[0].matrix is not first
    assert tables[0].matrix is tables[0].matrix
    assert not tables[0].problems


@pytest.mark.parametrize(
    ("opcode", "name"), [(13, "special opcode 0xd"), (CONST_ADD_PC, "DW_LNS_const_add_pc")]
)
def test_a_line_range_of_zero(opcode: int, name: str) -> None:
    result = table_of(Table(bytes((COPY, opcode)), range=0))
    (problem,) = result.problems
    assert str(problem).endswith(f": {name} where line_range is 0")
    assert str(result.faults().problem) == str(problem)
    assert len(result.matrix.rows) == 1


# Headers and names


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (Table(version=1).data(), Unsupported, "line table of version 1"),
        (Table(version=6).data(), Unsupported, "line table of version 6"),
        (b"\xff\xff\xff\x7f", Malformed, "reaches beyond the section"),
        (b"\xf3\xff\xff\xff", Malformed, "is reserved"),
        (b"\x03\0\0\0\x05\0\x08", Malformed, "needed|none remains"),
        (b"\x08\0\0\0\x05\0\x08\0\x07\0\0\0", Malformed, "header length 0x7"),
        (b"\x08\0\0\0\x05\0\x03\0\x00\0\0\0", Malformed, "address size 3"),
        (b"\x08\0\0\0\x05\0\x08\2\x00\0\0\0", Unsupported, "segment selectors of 2 bytes"),
        (Table(address_size=4).data(), IllFormed, "address_size 4 of .debug_line and"),
    ],
)
def test_bad_headers(data: bytes, kind: type[DwarfGpuError], message: str) -> None:
    info = info_of(Table(), line_data=data)
    with pytest.raises(kind, match=message) as caught:
        _ = info.units[0].line_table
    assert str(caught.value).startswith("made.co: .debug_line table 0x0: ")
    with pytest.raises(kind):
        LineLookup(Scopes(info)).pcs_of("a.c", 1)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        # entries without bytes cost nothing, so that there could be any number
        (b"\x01" + uleb(PATH, dw.FORM_FLAG_PRESENT) + uleb(5), "has no bytes"),
        (table([], []) + b"\0" + uleb(5), "5 names without a path (DW_LNCT_path)"),
        (table([(SIZE, dw.FORM_UDATA)], [uleb(3)]), "1 name without a path (DW_LNCT_path)"),
        (table([], []) + b"\0" + uleb(2**60), "in a name table"),
        (table([(PATH, 8)], [b"a\0"]) + b"\x01" + uleb(PATH, 8) + uleb(3) + b"a\0", "has no end"),
        (b"\x01" + uleb(PATH, 0x7F) + uleb(1), "form 0x7f is unknown"),
        (b"\x01" + uleb(PATH, dw.FORM_IMPLICIT_CONST) + uleb(1) + b"\0", "implicit_const"),
        (table([(PATH, 8), (MD5, 8)], [b"a\0a\0"]), "is not a number"),
        (table([(PATH, 8), (SIZE, dw.FORM_UDATA)], [b"a\0" + uleb(2**64)]), "number of 65 bits"),
        (b"", "none remains"),
    ],
)  # fmt: skip
def test_a_bad_name_table_costs_names_only(names: bytes, message: str) -> None:
    made = Table(names=names)
    result = table_of(evolve(made, program=made.address(0x1000) + bytes((SET_FILE, 9, COPY)) + END))
    (problem,) = result.problems
    assert message in str(problem)
    assert len(result.matrix.rows) == 2
    with pytest.raises(DwarfGpuError, match="made.co: .debug_line table 0x0: "):
        result.file(9)


def test_names_before_dwarf_5() -> None:
    """Directory 0 is that of the compilation, files are counted from 1, more may be defined."""
    names = b"inc\0/abs\0\0" + b"a.c\0" + uleb(0, 0, 0) + b"b.h\0" + uleb(1, 77, 88)
    names += b"c.h\0" + uleb(2, 0, 0) + b"/d.h\0" + uleb(1, 0, 0) + b"e.h\0" + uleb(3, 0, 0) + b"\0"
    program = extended(3, b"made.h\0" + uleb(1, 0, 0))
    result = table_of(Table(program, 4, names=names))
    assert [(file.number, file.path) for file in result.files if file.number != 5] == [
        (1, "/src/a.c"),
        (2, "/src/inc/b.h"),
        (3, "/abs/c.h"),
        (4, "/d.h"),
        (6, "/src/inc/made.h"),
    ]
    assert (result.file(2).entry.modified, result.file(2).entry.size_bytes) == (77, 88)
    assert (result.file(1).entry.modified, result.file(1).entry.size_bytes) == (None, None)
    assert [file.number for file in result.files_named("inc/made.h")] == [6]
    for number in (0, 7):
        with pytest.raises(IllFormed, match=f"no file {number}, only 1 to 6"):
            result.file(number)
    with pytest.raises(IllFormed, match="no directory 3"):
        _ = result.file(5).path


DIGEST = bytes(range(16))


def test_names_of_dwarf_5() -> None:
    directories = table([(PATH, 8)], [b"/build\0", b"inc\0", b"/abs\0"])
    description = [
        (PATH, dw.FORM_LINE_STRP), (DIRECTORY, dw.FORM_DATA1), (MD5, dw.FORM_DATA16),
        (IS_MD5, dw.FORM_UDATA), (SOURCE, dw.FORM_STRP), (TIMESTAMP, dw.FORM_BLOCK),
        (SIZE, dw.FORM_UDATA), (0x2ABC, dw.FORM_STRING), (0x3FFF, dw.FORM_DATA2),
    ]  # fmt: skip
    strings = b"\0\n\0int x;\n\0"
    lines = b"a.c\0b.h\0c.h\0"

    def entry(path: int, directory: int, is_md5: int, source: int) -> bytes:
        fixed = path.to_bytes(4, "little") + bytes((directory,)) + DIGEST + bytes((is_md5,))
        return (
            fixed + source.to_bytes(4, "little") + b"\x02\x01\x02" + b"\x63" + b"vendor\0\x34\x12"
        )

    files = table(description, [entry(0, 0, 1, 3), entry(4, 1, 0, 0), entry(8, 2, 1, 1)])
    result = table_of(
        Table(names=directories + files), {".debug_line_str": lines, ".debug_str": strings}
    )
    assert not result.problems
    assert [(file.number, file.path, file.md5, file.source) for file in result.files] == [
        (0, "/build/a.c", DIGEST, "int x;\n"),
        (1, "/build/inc/b.h", None, None),  # DW_LNCT_LLVM_is_MD5 is 0; no source
        (2, "/abs/c.h", DIGEST, ""),  # an empty file
    ]
    entry_0 = result.file(0).entry
    assert (entry_0.modified, entry_0.size_bytes) == (0x0201, 0x63)
    # an unknown code is kept by its number
    assert [(number, value.raw) for number, value in entry_0.other_values] == [
        (0x2ABC, b"vendor"),
        (0x3FFF, 0x1234),
    ]


def test_md5_in_big_endian_files_has_its_bytes_in_order() -> None:
    names = table([(PATH, 8)], [b"/d\0"]) + table(
        [(PATH, 8), (MD5, dw.FORM_DATA16)], [b"a.c\0" + DIGEST]
    )
    assert table_of(Table(names=names, endian="big")).file(0).md5 == DIGEST


@pytest.mark.parametrize(
    ("compilation", "own", "expected"),
    [
        (b"/src", b"/src", "/src/inc/a.c"),
        (b".", b".", "inc/a.c"),
        (b"/src", b".", "/src/inc/a.c"),
        (b"/src", b"sub", "/src/sub/inc/a.c"),
        (b"", b"/src", "/src/inc/a.c"),
        (b"sub", b"sub", "sub/inc/a.c"),
        (b"C:\\src", b"C:\\src", "C:\\src/inc/a.c"),
    ],
)
def test_directories_are_relative_to_that_of_the_compilation(
    compilation: bytes, own: bytes, expected: str
) -> None:
    names = table([(PATH, 8)], [own + b"\0", b"inc\0"])
    names += table([(PATH, 8), (DIRECTORY, dw.FORM_UDATA)], [b"a.c\0\x01"])
    result = info_of(Table(names=names), directory=compilation).units[0].line_table
    assert result is not None
    assert result.file(0).path == expected
    for wish in ("a.c", "inc/a.c", "./inc//a.c", expected):
        assert [file.number for file in result.files_named(wish)] == [0]
    for wish in ("c", "nc/a.c", "other/a.c", "/inc/a.c", "a.c/", ""):
        assert not result.files_named(wish) or wish == "a.c/"


@pytest.mark.parametrize(
    ("directory", "name", "expected"),
    [
        ("", "a", "a"),
        ("/", "a", "/a"),
        ("d/./", "a", "d/a"),
        ("d", "../a", "d/../a"),
        ("d", "", "d"),
    ],
)
def test_joined(directory: str, name: str, expected: str) -> None:
    assert joined(directory, name) == expected


def test_very_long_folders_are_cut_where_names_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The primary file has the name in the unit, whose folder is cut as well."""
    own, other = b"/" + b"d" * 200_000, b"/" + b"e" * 200_000
    names = table([(PATH, 8)], [own + b"\0", other + b"\0"])
    names += table([(PATH, 8), (DIRECTORY, dw.FORM_UDATA)], [b"a.c\0\0", b"b.h\0\1"])
    result = info_of(Table(names=names), directory=own).units[0].line_table
    assert result is not None
    monkeypatch.setattr(CompilationUnit, "primary_file", "a.c")
    assert result.file(0).shown_name == "a.c"
    assert result.file(1).shown_name == f"{name_text(other)}/b.h"
    assert len(result.file(1).path) == 200_005


def test_names_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line table may have 100,000 names, and a command asks for several of them."""
    [unit] = fixture("x86_64/demo.gcc.O0.v5").units
    table, read = unit.line_table, list[object]()
    assert table is not None
    text = LineTable.text

    def counted(table: LineTable, attribute: Attribute | None, *, to_open: bool = False) -> str:
        read.append(attribute)
        return text(table, attribute, to_open=to_open)

    monkeypatch.setattr(LineTable, "text", counted)
    assert table.files_named("demo.c")
    read.clear()
    assert not table.files_named("none.c")
    assert read == []


def units_with(made: Table, others: dict[str, bytes], *bases: int) -> list[LineTable]:
    """The tables of units in `/0`, `/1` …, which have a base of indexes of strings each, and share
    one."""
    shape = Shape(
        dw.TAG_COMPILE_UNIT,
        (
            (dw.AT_STMT_LIST, dw.FORM_SEC_OFFSET),
            (dw.AT_COMP_DIR, dw.FORM_STRING),
            (dw.AT_STR_OFFSETS_BASE, dw.FORM_SEC_OFFSET),
        ),
    )
    info = b"".join(
        unit(b"\1" + bytes(4) + b"/%d\0" % number + base.to_bytes(4, "little"))
        for number, base in enumerate(bases)
    )
    sections = {
        ".debug_info": info,
        ".debug_abbrev": abbreviations(shape),
        ".debug_line": made.data(),
        **others,
    }
    tables = [item.line_table for item in debug_info(elf(sections)).units]
    return [item for item in tables if item is not None]


def test_units_of_one_table_read_its_names_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """But a path may denote a file for one of them only."""
    names = b"\0" + b"a.c\0\0\0\0" * 500 + b"\0"
    tables = units_with(Table(version=4, names=names), {}, *[0] * 500)
    read = list[Attribute]()
    string_of = CompilationUnit.string_of

    def counted(unit: CompilationUnit, attribute: Attribute) -> bytes:
        read.append(attribute)
        return string_of(unit, attribute)

    monkeypatch.setattr(CompilationUnit, "string_of", counted)
    with at_most(200_000):
        for _ in range(3):
            assert all(item.has_file("a.c") for item in tables)
            assert not any(item.has_file("b.c") for item in tables)
    assert [item for item in tables[:20] if item.has_file("/7/a.c")] == [tables[7]]
    assert len([attribute for attribute in read if attribute.raw == b"a.c"]) == 1


def test_many_questions_for_a_file_of_many_with_its_name() -> None:
    names = b"\0" + b"a.c\0\0\0\0" * 500 + b"\0"
    [asked] = units_with(Table(version=4, names=names), {}, 0)
    with at_most(30_000):
        for _ in range(1_000):
            assert asked.has_file("a.c") and not asked.has_file("b/a.c")


def test_units_of_one_table_may_have_other_names_by_index() -> None:
    names = table([(PATH, dw.FORM_STRX1)], [b"\0"]) + table([(PATH, dw.FORM_STRX1)], [b"\1"])
    strings = {".debug_str": b"d\0e\0a.c\0b.c\0"}
    offsets = b"".join(
        (12).to_bytes(4, "little") + b"\5\0\0\0" + bytes([first, 0, 0, 0, second, 0, 0, 0])
        for first, second in ((0, 4), (2, 8))
    )
    tables = units_with(Table(names=names), {**strings, ".debug_str_offsets": offsets}, 8, 24)
    assert [item.file(0).path for item in tables] == ["/0/d/a.c", "/1/e/b.c"]
    assert [item.has_file("e/b.c") for item in tables] == [False, True]


def test_names_that_cannot_be_printed_are_escaped() -> None:
    names = table([(PATH, 8)], [b"/d\0"]) + table([(PATH, 8)], [b"\x1b[2J\xff\n\0"])
    assert table_of(Table(names=names)).file(0).name == "\\x1b[2J\\xff\\x0a"


# Lookups


FILES = table([(PATH, 8)], [b"/src\0"]) + table([(PATH, 8)], [b"a.c\0", b"b.c\0"])


def lines_of(program: bytes, made: Table | None = None) -> LineLookup:
    base = made or Table(names=FILES, base=0, range=10)
    return LineLookup(Scopes(info_of(evolve(base, program=program))))


def special(lines: int, operations: int) -> bytes:
    """With a line_base of 0 and a line_range of 10."""
    return bytes((13 + operations * 10 + lines,))


START = Table().address(0x1000) + bytes((SET_FILE, 0))


def numbers(lines: LineLookup, *addresses: int) -> list[int | None]:
    result = [lines.line_of(LOAD + address) for address in addresses]
    return [item and item.line for item in result]


def test_line_of() -> None:
    program = START + special(4, 0) + special(1, 4) + special(0, 4) + special(2, 4)
    program += bytes((ADVANCE_PC, 8)) + END
    lines = lines_of(program)
    assert numbers(lines, 0xFFF, 0x1000, 0x1003, 0x1004, 0x100B, 0x100C, 0x1013, 0x1014) == [
        None, 5, 5, 6, 6, 8, 8, None,
    ]  # fmt: skip
    line = lines.line_of(LOAD + 0x100D)
    assert line is not None
    assert (str(line), line.span) == ("/src/a.c:8", Range(LOAD + 0x100C, LOAD + 0x1014))
    assert lines.pcs_of("a.c", 6) == (LOAD + 0x1004, LOAD + 0x1008)
    assert lines.pcs_of("a.c", 7) == lines.pcs_of("b.c", 6) == ()


def test_of_rows_at_one_address_the_last_statement_counts() -> None:
    program = START + special(1, 0) + special(1, 0) + bytes((NEGATE,)) + special(1, 0)
    lines = lines_of(program + bytes((ADVANCE_PC, 4)) + END)
    assert numbers(lines, 0x1000, 0x1003) == [3, 3]
    assert lines.pcs_of("a.c", 2) == lines.pcs_of("a.c", 3) == (LOAD + 0x1000,)
    assert lines.pcs_of("a.c", 4) == ()


def test_where_lines_begin_as_gdb_shows_them() -> None:
    """A row that goes on with the line before it begins none after a discriminator; nor does one
    that is not a statement."""
    split = extended(4, uleb(1))
    program = START + special(4, 0) + special(0, 4) + split + special(0, 4) + special(0, 4)
    program += special(1, 4) + bytes((NEGATE,)) + special(0, 4) + split + special(1, 4)
    lines = lines_of(program + bytes((ADVANCE_PC, 4)) + END)
    begin = [pc for pc in range(0xFF8, 0x1020) if lines.begins_at(LOAD + pc)]
    assert begin == [0x1000, 0x1004, 0x1010]
    assert lines.pcs_of("a.c", 5) == (LOAD + 0x1000, LOAD + 0x1004)
    assert numbers(lines, 0x1008, 0x100C) == [5, 5]


def test_a_statement_that_goes_on_with_a_line_is_dropped_as_by_gdb() -> None:
    """The row before it is not a statement, and counts as the first of the line."""
    split, not_a_statement = extended(4, uleb(1)), bytes((NEGATE,))
    program = START + not_a_statement + split + special(4, 0) + not_a_statement + split
    program += special(0, 4) + special(1, 4)
    lines = lines_of(program + bytes((ADVANCE_PC, 4)) + END)
    assert lines.pcs_of("a.c", 5) == ()
    assert lines.pcs_of("a.c", 6) == (LOAD + 0x1008,)
    assert lines.next_line("a.c", 4) == 6


def test_a_statement_of_another_line_ends_before_rows_that_gdb_drops() -> None:
    """At 0x1000 the statement of line 5 hides the row of line 6, which rows with discriminators
    continue: their code is of line 6."""
    split, next_line = extended(4, uleb(1)), bytes((ADVANCE_LINE,)) + encode_sleb(1)
    program = START + special(4, 0) + bytes((NEGATE,)) + split + next_line + special(0, 0)
    program += split + special(0, 4) + bytes((NEGATE,)) + split + special(0, 4) + special(1, 4)
    lines = lines_of(program + bytes((ADVANCE_PC, 4)) + END)
    (unit_,) = lines.info.units
    assert unit_.line_table is not None
    steps = unit_.line_table.gdb_steps
    found = [steps.at(address) for address in (0x1000, 0x1004, 0x1008, 0x100C)]
    assert [step and (step[0].address, step[0].line, step[1]) for step in found] == [
        (0x1000, 5, 0x1004), (0x1004, 6, 0x100C), (0x1004, 6, 0x100C), (0x100C, 7, 0x1010),
    ]  # fmt: skip
    assert lines.pcs_of("a.c", 6) == ()


def test_a_statement_that_gdb_drops_gives_way_to_a_row_of_another_line() -> None:
    """At 0x1004 a statement with a discriminator continues line 5, and line 6 follows without one;
    alone at 0x1008, such a statement keeps its line."""
    split, not_a_statement = extended(4, uleb(1)), bytes((NEGATE,))
    program = START + special(4, 0) + split + special(0, 4) + not_a_statement + special(1, 0)
    program += special(0, 4) + not_a_statement + split + special(0, 0)
    lines = lines_of(program + bytes((ADVANCE_PC, 4)) + END)
    assert numbers(lines, 0x1000, 0x1004, 0x1007, 0x1008) == [5, 6, 6, 6]
    (unit_,) = lines.info.units
    assert unit_.line_table is not None
    step = unit_.line_table.gdb_steps.at(0x1004)
    assert step is not None and step[0].line == 6


def read_table(program: bytes) -> LineTable:
    """The table of a program with its rows, which were read."""
    (unit_,) = lines_of(program).info.units
    table = unit_.line_table
    assert table is not None and table.matrix.problem is None
    return table


@pytest.mark.parametrize("is_split", [True, False])
def test_statements_of_one_line_at_one_address_are_gone_through_once(is_split: bool) -> None:
    """A row of another line follows, which is no statement; it is asked for by each byte."""
    split = extended(4, uleb(1)) if is_split else b""

    def work(count: int) -> Callable[[], object]:
        program = START + special(4, 0) + split + special(0, 0) * count
        program += bytes((NEGATE,)) + special(1, 0) + bytes((ADVANCE_PC,)) + uleb(count) + END
        table = read_table(program)
        return lambda: [table.line_at(0x1000 + number) for number in range(count)]

    assert_linear(work, 300)


@pytest.mark.parametrize("is_split", [True, False])
def test_rows_that_no_statement_is_among_are_gone_through_once(is_split: bool) -> None:
    """Those of one address, asked for by each byte; then those of one line, which GDB may drop."""
    split = extended(4, uleb(1)) if is_split else b""

    def of_one_address(count: int) -> Callable[[], object]:
        program = START + bytes((NEGATE,)) + special(0, 0) * count
        table = read_table(program + bytes((ADVANCE_PC,)) + uleb(count) + END)
        return lambda: [table.line_at(0x1000 + number) for number in range(count)]

    def of_one_line(count: int) -> Callable[[], object]:
        program = START + split + special(4, 0) + special(0, 1) * count
        table = read_table(program + bytes((ADVANCE_PC, 1)) + END)
        return lambda: [table.begins_line(0x1000 + number) for number in range(count)]

    assert_linear(of_one_address, 300)
    assert_linear(of_one_line, 300)


@pytest.mark.parametrize("neighbours", [0, 3, 32])
def test_the_rows_that_gdb_drops(monkeypatch: pytest.MonkeyPatch, neighbours: int) -> None:
    """They continue the line of the row before them, and one of those up to them, from the first
    of the line on, has a discriminator: looked for from there, and from the start of the rows."""
    monkeypatch.setattr(line_rows, "_NEIGHBOURS", neighbours)
    rng = Random(neighbours)
    split, both = extended(4, uleb(1)), [(0, False), (0, False), (0, True), (1, False), (1, True)]
    chosen = [(4, False), *rng.choices(both, k=200)]
    program = START + b"".join(split * is_split + special(lines, 1) for lines, is_split in chosen)
    table = read_table(program + bytes((ADVANCE_PC, 1)) + END)
    expected, is_distinguished = [], False
    for lines, is_split in chosen:
        is_distinguished = is_split or (is_distinguished and not lines)
        expected.append(is_distinguished and not lines)
    dropped = [table._read.is_dropped_by_gdb(0, position) for position in range(len(chosen))]
    assert dropped == expected and 20 < sum(expected) < 180


def test_a_row_without_code_before_another_file_is_dropped_as_by_gdb() -> None:
    """At 0x1000 a.c:5 has none; at 0x1004 a row of b.c that is not a statement leaves a.c's."""
    program = START + special(4, 0) + bytes((SET_FILE, 1)) + special(1, 0)
    program += bytes((SET_FILE, 0)) + special(1, 4)
    program += bytes((NEGATE, SET_FILE, 1)) + special(1, 0) + bytes((NEGATE,))
    lines = lines_of(program + bytes((ADVANCE_PC, 4)) + END)
    assert lines.pcs_of("a.c", 5) == ()
    assert lines.pcs_of("b.c", 6) == (LOAD + 0x1000,)
    assert lines.pcs_of("a.c", 7) == (LOAD + 0x1004,)


def test_code_without_a_line() -> None:
    program = START + special(1, 0) + bytes((ADVANCE_LINE,)) + encode_sleb(-2) + special(0, 4)
    lines = lines_of(program + special(7, 4) + bytes((ADVANCE_PC, 4)) + END)
    assert numbers(lines, 0x1000, 0x1004, 0x1008) == [2, None, 7]


def test_sequences_in_any_order_that_overlap() -> None:
    def sequence(begin: int, size_bytes: int, number: int) -> bytes:
        out = Table().address(begin) + bytes((SET_FILE, 0)) + special(number, 0)
        return out + bytes((ADVANCE_PC,)) + uleb(size_bytes) + END

    program = sequence(0x1800, 0x10, 1) + sequence(0x1000, 0x900, 2) + sequence(0x1400, 0x10, 3)
    lines = lines_of(program + sequence(0x1300, 0, 4))
    assert numbers(lines, 0x1000, 0x1300, 0x1400, 0x1410, 0x1800, 0x1810, 0x18FF, 0x1900) == [
        3, 3, 4, 3, 2, 3, 3, None,
    ]  # fmt: skip


def test_addresses_that_do_not_grow_are_put_in_order() -> None:
    program = Table().address(0x1008) + bytes((SET_FILE, 0)) + special(1, 0)
    program += Table().address(0x1000) + special(1, 0) + Table().address(0x1010) + END
    assert numbers(lines_of(program), 0x1000, 0x1007, 0x1008, 0x100F, 0x1010) == [3, 3, 2, 2, None]


@pytest.mark.parametrize("begin", [0, 2**64 - 1, 2**64 - 2])
def test_dropped_code_has_no_lines(begin: int) -> None:
    """Linkers leave such an address; the rows stay in the matrix."""
    program = Table().address(begin) + special(1, 0) + bytes((ADVANCE_PC,)) + uleb(0x1800) + END
    lines = lines_of(program)
    assert numbers(lines, 0x1000) == [None]
    (unit_,) = lines.info.units
    assert unit_.line_table is not None and len(unit_.line_table.matrix.rows) == 2


def test_a_sequence_without_an_end_has_no_lines_and_says_so() -> None:
    unended = START + special(1, 0) + special(1, 4)
    lines = lines_of(START + special(1, 0) + bytes((ADVANCE_PC, 4)) + END + unended)
    assert numbers(lines, 0x1003) == [2]
    with pytest.raises(Malformed, match="2 rows without a DW_LNE_end_sequence describe no code"):
        lines.line_of(LOAD + 0x1004)


def test_a_unit_without_a_table() -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 0x06)))
    entries = b"\x01" + (0x1000).to_bytes(8, "little") + b"\0\x01\0\0"
    sections = {".debug_info": unit(entries), ".debug_abbrev": abbreviations(shape)}
    lines = LineLookup(Scopes(debug_info(elf(sections))))
    assert lines.line_of(0x1000) is None
    assert lines.pcs_of("a.c", 1) == ()
    assert not list(lines.files())


def test_programs_are_read_once_and_only_where_they_can_matter() -> None:
    made = Table(START + bytes((COPY,)) + bytes((ADVANCE_PC, 4)) + END, names=FILES)
    lines = LineLookup(Scopes(info_of(made)))
    (unit_,) = lines.info.units
    assert lines.pcs_of("other.c", 1) == ()
    assert unit_.line_table is not None and "matrix" not in vars(unit_.line_table)
    assert lines.pcs_of("a.c", 99) == ()
    assert unit_.line_table.matrix is unit_.line_table.matrix


def test_the_embedded_source_of_a_fixture() -> None:
    lines = LineLookup(Scopes(fixture("hip/nest.gfx942.O2.v5.src.co", LOAD)))
    pc, *_ = lines.pcs_of("nest.hip", 13)
    line = lines.line_of(pc)
    assert line is not None and line.file.source is not None
    assert line.file.source.splitlines()[line.line - 1].strip() == "r += in[t + 1];"
    assert line.file.source == (Path(__file__).parents[2] / "fixtures/hip/nest.hip").read_text(
        encoding="utf-8"
    )
    assert str(line) == "hip/nest.hip:13:10"


# Hostile input


def test_overlapping_tables_are_limited() -> None:
    """A section of tables that are each the rest of the section would take quadratic time."""
    count = 40
    prefix = evolve(Table(), program=b"").data()[4:]
    data = b""
    for index in range(count):
        rest = (count - index) * (4 + len(prefix)) - 4
        data += rest.to_bytes(4, "little") + prefix
    starts = [index * (4 + len(prefix)) for index in range(count)]
    entries = [
        b"\x01" + bytes(8) + bytes(4) + start.to_bytes(4, "little") + b"/\0" for start in starts
    ]
    sections = {
        ".debug_info": b"".join(map(unit, entries)),
        ".debug_abbrev": abbreviations(ROOT),
        ".debug_line": data,
    }
    info = debug_info(elf(sections))
    with pytest.raises(LimitExceeded, match="line tables overlap"):
        for item in info.units:
            assert item.line_table is not None
            _ = item.line_table.matrix


def test_one_long_name_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_table, "MAX_NAME_BYTES", 1000)
    names = table([(PATH, dw.FORM_LINE_STRP)], [bytes(4)])
    names += table([(PATH, dw.FORM_LINE_STRP)], [n.to_bytes(4, "little") for n in range(20)])
    result = table_of(Table(names=names), {".debug_line_str": b"x" * 100 + b"\0"})
    with pytest.raises(LimitExceeded, match="made.co: .debug_line table 0x0: names of more than"):
        result.files_named("x")


@pytest.mark.parametrize("is_same", [False, True])  # equal paths are as much work
def test_one_long_directory_of_many_files(monkeypatch: pytest.MonkeyPatch, is_same: bool) -> None:
    """Each path has the directory: no more of them are made than a table may have names."""
    monkeypatch.setattr(line_lookup, "MAX_NAME_BYTES", 50_000)
    made: list[int] = []
    path_of = file_table.FileTable.path_of

    def counted(table: file_table.FileTable, file: file_table.SourceFile) -> str:
        path = path_of(table, file)
        made.append(len(path))
        return path

    monkeypatch.setattr(file_table.FileTable, "path_of", counted)
    names = table([(PATH, dw.FORM_STRING)], [b"/" + b"d" * 4_999 + b"\0"])
    files = [b"%d.c\0" % (0 if is_same else number) for number in range(100)]
    lines = LineLookup(Scopes(info_of(Table(names=names + table([(PATH, dw.FORM_STRING)], files)))))
    with pytest.raises(LimitExceeded, match="debug_line table 0x0: paths of files of more than"):
        lines.files_by_path()
    assert sum(made) < 60_000


def test_one_path_of_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of many units name the same headers: a path counts once."""
    monkeypatch.setattr(line_lookup, "MAX_NAME_BYTES", 1_000)
    names = table([(PATH, dw.FORM_STRING)], [b"/include\0"])
    names += table([(PATH, dw.FORM_STRING)], [b"a.h\0"] * 500)
    lines = LineLookup(Scopes(info_of(Table(names=names))))
    assert [*lines.files_by_path()] == ["/include/a.h"]


def use(info: DebugInfo) -> None:
    """Everything that a table offers; each step may fail with an error of ours."""
    lines = LineLookup(Scopes(info))
    for pc in (LOAD + 0x1000, LOAD + 0x1010, LOAD):
        attempt(lambda pc=pc: str(lines.line_of(pc)))
    attempt(lambda: lines.pcs_of("a.c", 3))
    for parsed_unit in info.units:
        try:
            result = parsed_unit.line_table
        except DwarfGpuError as error:
            assert str(error) and "\n" not in str(error)
            continue
        if result is not None:
            for problem in result.problems:
                assert str(problem)
            assert len(result.matrix.rows) <= result.header.end - result.header.offset
            for file in result.files[:50]:
                attempt(lambda file=file: (file.path, file.source, file.md5))


def attempt(step: object) -> None:
    assert callable(step)
    try:
        step()
    except DwarfGpuError as error:
        assert str(error) and "\n" not in str(error)


@pytest.mark.parametrize("version", [2, 4, 5])
def test_hostile_tables(version: int) -> None:
    rng = Random(version)
    names = FILES if version == 5 else b"d\0\0a.c\0\x01\0\0\0"
    program = START + special(4, 0) + special(1, 4) + bytes((CONST_ADD_PC, SET_COLUMN, 9, COPY))
    program += extended(3, b"a.c\0\x01\x02\x03") + extended(4, b"\x05") + bytes((COPY,)) + END
    good = Table(program, version, names=names).data()
    for _ in range(800):
        data = bytearray(good)
        for _ in range(rng.randrange(1, 5)):
            data[rng.randrange(len(data))] = rng.choice(
                (0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256))
            )
        cut = rng.randrange(len(data)) if rng.random() < 0.2 else len(data)
        use(info_of(Table(), line_data=bytes(data[:cut])))


def test_hostile_fixtures() -> None:
    """Bytes of `.debug_line` of real files changed in place."""
    rng = Random(11)
    for name in ("hip/nest.gfx942.O2.v5.src.co", "opencl/kernels.gfx942.O2.v4.co"):
        for _ in range(60):
            info = fixture(name, LOAD)
            data = bytearray(info.section(".debug_line"))
            for _ in range(rng.randrange(1, 9)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            info.sections._data[".debug_line"] = bytes(data)
            use(info)


def test_random_programs_cost_no_more_than_their_bytes() -> None:
    rng = Random(7)
    for _ in range(100):
        made = Table(
            rng.randbytes(rng.randrange(400)),
            minimum=rng.randrange(256),
            most=rng.randrange(256),
            base=rng.randrange(256),
            range=rng.randrange(256),
            default_is_stmt=rng.randrange(2),
        )
        use(info_of(made))
        header = read_line_header(made.data(), 0, UnitFormat())
        assert header.maximum_operations >= 1


def test_answers_of_a_table_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It never changes; few answers are kept, and errors are not."""
    [unit, *_] = DebugInfo.of(open_object(FIXTURES / "x86_64/demo.gcc.O2.v5")).units
    table = unit.line_table
    assert table is not None
    addresses = [row.address for row in table.matrix.rows][:6]
    searched: list[int] = []
    row_at = LineTable._row_at

    def counted(self: LineTable, address: int) -> object:
        searched.append(address)
        return row_at(self, address)

    monkeypatch.setattr(LineTable, "_row_at", counted)
    first, second = dict.fromkeys(addresses[:1] + addresses[-1:])
    expected = row_at(table, first)
    for _ in range(3):
        assert table.line_at(first) == expected
        assert table.begins_line(first) == table._begins_line(first)
    assert searched == [first]
    table._rows_at = KeptAnswers(1)
    table.line_at(second)
    table.line_at(first)
    assert searched == [first, second, first] and list(table._rows_at) == [first]
    file = table.file(1)
    assert file.path == joined(file.directory, file.name) == table._paths[1]


@pytest.mark.parametrize("seed", range(4))
def test_reading_a_program_finds_the_problem_of_running_it(seed: int) -> None:
    """`check` performs only what can fail."""
    rng = Random(seed)
    failed = 0
    for _ in range(500):
        words = (
            b"\0\2\4",
            b"\0\3\4",
            b"\0\1\1",
            b"\1",
            b"\2",
            b"\5\x90",
            b"\3\x90\1",
            b"\x08",
            b"\x20",
            b"\xff",
            b"\0",
        )
        program = b"".join(
            rng.choice((*words, bytes([rng.randrange(256)]))) for _ in range(rng.randrange(30))
        )
        program += END if rng.randrange(2) else b""
        data = Table(program, range=rng.choice((0, 12, 14))).data()
        header = read_line_header(data, 0, UnitFormat(8, 4, 5, "little"))
        bases = (header.opcode_base, 0, 1, 3, 10, 200)
        counts = tuple(rng.randrange(3) for _ in range(256))
        header = evolve(header, opcode_base=rng.choice(bases), operand_counts=counts)
        problem, expected = (
            line_program_problem(header, data),
            run_line_program(header, data).problem,
        )
        assert repr(problem) == repr(expected)
        assert problem is None or expected is None or problem.context == expected.context
        failed += problem is not None
    assert 100 < failed < 450


def every_opcode() -> Iterator[bytes]:
    """Each standard, extended and special opcode, with small operands."""
    for opcode in range(1, 256):
        count = COUNTS[opcode - 1] if opcode <= len(COUNTS) else 0
        yield bytes((opcode, *(0,) * (2 if opcode == FIXED_ADVANCE else count)))
    operands = {1: b"", 2: bytes(8), 3: b"a.c\0\0\0\0", 4: b"\1"}
    for kind in range(1, 256):
        yield extended(kind, operands.get(kind, b"\1"))


@pytest.mark.parametrize("part", range(5))
def test_each_opcode_takes_linear_work(part: int) -> None:
    """Before each of many rows, and without a row in between."""

    def work(repeated: bytes, count: int) -> int:
        made = Table(START + repeated * count + END, counts=COUNTS, names=FILES)
        table = table_of(made)

        def read() -> None:
            with contextlib.suppress(DwarfGpuError):
                table.line_at(0x1000)
            with contextlib.suppress(DwarfGpuError):
                table.faults()

        return calls_of(read)

    for opcode in [*every_opcode()][part::5]:
        for repeated in (opcode, opcode + bytes((COPY,))):
            few, many = work(repeated, 40), work(repeated, 160)
            assert many <= 5 * few, (opcode, few, many)
            assert many <= 100 * 160, (opcode, many)
