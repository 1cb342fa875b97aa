"""Each rule about entries, lists and headers: one file that breaks it, and one that keeps it."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.records import evolve
from dwarfgpu.check.file import verify
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.header import LNCT_LLVM_SOURCE
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import (
    ADDR,
    BASE_TYPE,
    CODE,
    COMPILE_UNIT,
    DATA1,
    DATA4,
    EXPRLOC,
    LABEL,
    POINTER,
    PROCEDURE,
    REF4,
    SDATA,
    SEC_OFFSET,
    STRING,
    SUBPROGRAM,
    VARIABLE,
    block,
    findings,
    fixture_verdict,
    info_file,
    one_entry,
    operations,
    rules,
    verdict_on,
    words,
)
from tests.dwarf.builder import (
    AMDGPU,
    FIXTURES,
    X86_64,
    Content,
    Shape,
    abbreviations,
    elf,
    read_fixture,
    unit,
)
from tests.dwarf.builder import abbreviations as table
from tests.dwarf.programs import IN_SPLIT_FILES
from tests.dwarf.test_line import PATH, Table
from tests.dwarf.test_line import table as name_table
from tests.work import calls_of

LANE = block(operations("regx v3; LLVM_push_lane; lit4; mul; LLVM_offset"))
PIECES = block(operations("regx s0; piece 4; regx s1; piece 4"))


def attribute(tag: int, number: int, value: int) -> bytes:
    return one_entry(tag, [(number, SDATA, bytes((value & 0x7F,)))])


def expression(tag: int, number: int, text: str) -> bytes:
    return one_entry(tag, [(number, EXPRLOC, block(operations(text)))])


def code(low: int, form: int, high: int) -> bytes:
    """A function with DW_AT_high_pc of that form."""
    data = bytes((high & 0x7F,)) if form == SDATA else words(high)
    return one_entry(SUBPROGRAM, [(dw.AT_LOW_PC, ADDR, words(low)), (dw.AT_HIGH_PC, form, data)])


def typed_object(size_bytes: int, location: bytes = PIECES, machine: int = AMDGPU) -> bytes:
    """A variable of a base type of that size, in two pieces of four bytes."""
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC), (dw.AT_TYPE, REF4))),
        Shape(BASE_TYPE, ((dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1))),
    ]
    head = 12 + 1
    variable = b"\x02" + location + words(head + 1 + len(location) + 4, size_bytes=4)
    entries = b"\x01" + variable + bytes((3, size_bytes, 5)) + b"\0"
    return info_file(shapes, entries, machine=machine)


def described(text: str) -> bytes:
    return block(operations(text))


def function_file(
    body: bytes, body_shape: Shape, lanes: int | None = None, loc: bytes = b""
) -> bytes:
    """A function `f` at [0x1000,0x1100) with one entry in it."""
    attributes: tuple[tuple[int, int], ...] = (
        (dw.AT_NAME, STRING), (dw.AT_LOW_PC, ADDR), (dw.AT_HIGH_PC, DATA4),
    )  # fmt: skip
    values = b"f\0" + words(0x1000) + words(0x100, size_bytes=4)
    if lanes is not None:
        attributes += ((dw.AT_LLVM_LANES, DATA1),)
        values += bytes((lanes,))
    shapes = [
        Shape(COMPILE_UNIT, ((dw.AT_LOW_PC, ADDR),), True),
        Shape(SUBPROGRAM, attributes, True),
        body_shape,
    ]
    entries = b"\x01" + words(0) + b"\x02" + values + b"\x03" + body + b"\0\0"
    return info_file(shapes, entries, {".debug_loclists": loc} if loc else None)


def with_lists(*address_sizes: int) -> bytes:
    """Variables with a list each, every list below a header of its own."""
    one, section, variables = b"\x07" + words(0x1040, 0x1080) + b"\x01\x50\0", b"", b""
    for size_bytes in address_sizes:
        head = struct.pack("<HBBI", 5, size_bytes, 0, 0)
        variables += b"\x03x\0" + words(len(section) + 12, size_bytes=4)
        section += words(len(head) + len(one), size_bytes=4) + head + one
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_LOCATION, SEC_OFFSET)))
    return function_file(variables[1:], shape, loc=section)


def lane_user(lanes: int | None) -> bytes:
    return function_file(LANE, Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)), lanes)


def listed(begin: int, end: int, address_size: int = 8) -> bytes:
    """A variable whose list has one entry, with DW_LLE_start_end."""
    one = b"\x07" + words(begin, end) + block(operations("regx s3")) + b"\0"
    head = struct.pack("<HBBI", 5, address_size, 0, 0)
    section = words(len(head) + len(one), size_bytes=4) + head + one
    shape = Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_LOCATION, SEC_OFFSET)))
    return function_file(b"x\0" + words(12, size_bytes=4), shape, loc=section)


def with_list(section: bytes) -> bytes:
    shape = Shape(VARIABLE, ((dw.AT_LOCATION, SEC_OFFSET),))
    head = struct.pack("<HBBI", 5, 8, 0, 0)
    whole = words(len(head) + len(section), size_bytes=4) + head + section
    return function_file(words(12, size_bytes=4), shape, loc=whole)


def sized_unit(address_size: int, line_address_size: int | None = None) -> bytes:
    """A unit with an address size, and perhaps a line table with one."""
    attributes: tuple[tuple[int, int], ...] = ()
    values, others = b"", {}
    if line_address_size is not None:
        attributes, values = ((dw.AT_STMT_LIST, SEC_OFFSET),), bytes(4)
        others = {".debug_line": Table(address_size=line_address_size).data()}
    return info_file(
        [Shape(COMPILE_UNIT, attributes)], b"\x01" + values, others, address_size=address_size
    )


TWO_FILES = name_table([(1, STRING)], [b"d\0"]) + name_table([(1, STRING)], [b"a\0", b"b\0"])
"""The directory, and files 0 and 1."""
OLD_FILES = b"\0a\0\0\0\0\0"
"""The same before DWARF 5, with file 1 alone."""


def rows_of(program: bytes, version: int = 5, names: bytes | None = None) -> bytes:
    """A unit whose line table has that program, by default with file 0 alone."""
    return with_lines(Table(program, version=version, names=names))


def lined(line_range: int, program: bytes = b"\x20\0\1\1") -> bytes:
    """A unit whose line table has a special opcode, and the end of a sequence."""
    table = Table(program, range=line_range, names=TWO_FILES).data()
    shape = Shape(COMPILE_UNIT, ((dw.AT_STMT_LIST, SEC_OFFSET),))
    return info_file([shape], b"\x01" + bytes(4), {".debug_line": table})


def entered(address: int) -> bytes:
    """A function of [0x1000,0x1100) that is entered at an address."""
    span = (dw.AT_LOW_PC, ADDR, words(0x1000)), (dw.AT_HIGH_PC, DATA4, words(0x100, size_bytes=4))
    return one_entry(SUBPROGRAM, [*span, (dw.AT_ENTRY_PC, ADDR, words(address))])


def named_by(directory: int, file: int, source: int) -> bytes:
    """A unit whose line table names a directory, a file and its embedded source by offsets in a
    section of 4 bytes."""
    parts = [(PATH, dw.FORM_LINE_STRP)]
    directories = name_table(parts, [words(directory, size_bytes=4)])
    parts.append((LNCT_LLVM_SOURCE, dw.FORM_LINE_STRP))
    made = Table(names=directories + name_table(parts, [words(file, source, size_bytes=4)]))
    shape = Shape(COMPILE_UNIT, ((dw.AT_STMT_LIST, SEC_OFFSET),))
    others = {".debug_line": made.data(), ".debug_line_str": b"a\0b\0"}
    return info_file([shape], b"\x01" + bytes(4), others)


def rows_at(*addresses: int, minimum: int = 1, most: int = 1, end: int = 0x1100) -> bytes:
    """A unit whose line table has a row at each address, in one sequence."""
    made = Table(minimum=minimum, most=most, names=TWO_FILES)
    program = b"".join(made.address(address) + b"\x01" for address in addresses)
    return with_lines(evolve(made, program=program + made.address(end) + b"\0\1\1"))


COUNTS = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
"""The operands of the standard opcodes (DWARF 5 6.2.5.2)."""


def with_opcodes(counts: bytes, opcode_base: int | None = None) -> bytes:
    """A unit whose line table has these standard_opcode_lengths, and no rows."""
    program = b"\0\1\1"
    made = Table(program, counts=tuple(counts), opcode_base=opcode_base, names=TWO_FILES)
    return with_lines(made)


def backwards(operations: int, begin: int = 0x1010) -> bytes:
    """A unit whose line table advances by operations of one byte, or back by a large number."""
    made = Table(names=TWO_FILES)
    advance = b"\x02" + encode_uleb(operations % 2**64)
    return with_lines(evolve(made, program=made.address(begin) + b"\1" + advance + b"\1\0\1\1"))


def near_the_end(program: bytes, before: int) -> bytes:
    """A unit whose line table has a row some bytes before the end of addresses, and then others."""
    made = Table(names=TWO_FILES)
    head = made.address(2**64 - before) + b"\x01"
    return with_lines(evolve(made, program=head + program + b"\1\0\1\1"))


SPECIAL = b"\xff"
"""The opcode that advances most: by 20 bytes, with the opcode_base 13 and line_range 12."""


def in_directory(number: int, version: int = 5, directories: int = 2) -> bytes:
    """A unit whose line table has directories, and two files, the second in one of them."""
    listed = directories * [b"d\0"]
    files = [b"f\0\0", b"g\0" + bytes((number,))]
    if version < 5:
        names = b"".join(listed) + b"\0" + b"".join(file + b"\0\0" for file in files) + b"\0"
    else:
        names = name_table([(1, STRING)], listed) + name_table([(1, STRING), (2, DATA1)], files)
    return with_lines(Table(version=version, names=names))


def operations_of(count: int) -> bytes:
    """A unit whose line table has a row at operation 2 of an instruction of four, and one at the
    next address or at operation 0 of the same."""
    made = Table(most=4, minimum=4, names=TWO_FILES)
    first = made.address(0x1010) + b"\x02\x02\x01"
    rest = made.address(0x1010 + 4 * count) + b"\x01\x02\x04\0\1\1"
    return with_lines(evolve(made, program=first + rest))


def with_lines(made: Table) -> bytes:
    shape = Shape(COMPILE_UNIT, ((dw.AT_STMT_LIST, SEC_OFFSET),))
    return info_file([shape], b"\x01" + bytes(4), {".debug_line": made.data()})


def rooted(tag: int, kind: int = 1, version: int = 5) -> bytes:
    """A unit whose first entry has a tag."""
    info = unit(b"\x01", version, kind=kind)
    return elf({".text": CODE, ".debug_info": info, ".debug_abbrev": table(Shape(tag))})


def behind_a_unit(info: bytes = b"", type_units: bytes = b"") -> bytes:
    """Units behind one with an entry, and type units."""
    sections = {".debug_info": unit(b"\x01") + info, ".debug_abbrev": table(Shape(COMPILE_UNIT))}
    return elf(sections | ({".debug_types": type_units} if type_units else {}))


def of_file(number: int) -> bytes:
    """A variable of a file, in a unit without a line table."""
    return one_entry(VARIABLE, [(dw.AT_DECL_FILE, DATA1, bytes((number,)))])


def aranges(address_size: int) -> bytes:
    head = struct.pack("<HIBB", 2, 0, address_size, 0)
    body = words(len(head) + 36, size_bytes=4) + head
    others = {".debug_aranges": body + bytes(36)}
    return info_file([Shape(COMPILE_UNIT)], b"\x01", others)


def addresses(size_bytes: int) -> bytes:
    shape = Shape(COMPILE_UNIT, ((dw.AT_ADDR_BASE, SEC_OFFSET),))
    section = words(4, size_bytes=4) + struct.pack("<HBB", 5, size_bytes, 0)
    return info_file([shape], b"\x01" + words(8, size_bytes=4), {".debug_addr": section})


def cut_unit(code: int) -> bytes:
    return info_file([Shape(COMPILE_UNIT, (), True)], bytes((1, code)))


def base_type(encoding: int, space: int = 1) -> bytes:
    return one_entry(
        BASE_TYPE,
        [
            (dw.AT_BYTE_SIZE, DATA1, b"\x08"),
            (dw.AT_ENCODING, DATA1, bytes((encoding,))),
            (dw.AT_LLVM_ADDRESS_SPACE, DATA1, bytes((space,))),
        ],
    )


def encoded(encoding: int) -> bytes:
    size = (dw.AT_BYTE_SIZE, DATA1, b"\x08")
    return one_entry(BASE_TYPE, [size, (dw.AT_ENCODING, DATA1, bytes((encoding,)))])


def in_byte_order(endianity: int) -> bytes:
    sizes = (dw.AT_BYTE_SIZE, DATA1, b"\x08"), (dw.AT_ENCODING, DATA1, b"\5")
    return one_entry(BASE_TYPE, [*sizes, (dw.AT_ENDIANITY, dw.FORM_SDATA, encode_sleb(endianity))])


def in_language(number: int) -> bytes:
    shape = Shape(COMPILE_UNIT, ((dw.AT_LANGUAGE, DATA4),))
    return info_file([shape], b"\x01" + words(number, size_bytes=4))


TABLE: list[tuple[str, str, bytes, bytes]] = [
    # rule, severity, a file that breaks it, one that keeps it
    ("stack-underflow", "error", expression(VARIABLE, dw.AT_LOCATION, "plus"),
     expression(PROCEDURE, dw.AT_LOCATION, "plus")),
    ("wrong-result", "error", expression(VARIABLE, dw.AT_UPPER_BOUND, "lit1; stack_value"),
     expression(VARIABLE, dw.AT_LOCATION, "lit1; stack_value")),
    ("stack-underflow", "error", expression(VARIABLE, dw.AT_LOCATION, "lit1; plus"),
     expression(0x0D, dw.AT_DATA_MEMBER_LOCATION, "lit1; plus")),
    ("no-object", "warning", expression(VARIABLE, dw.AT_LOCATION, "push_object_address"),
     expression(POINTER, dw.AT_DATA_LOCATION, "push_object_address")),
    ("no-object", "warning", expression(SUBPROGRAM, dw.AT_LLVM_LANE_PC, "push_object_address"),
     expression(PROCEDURE, dw.AT_LOCATION, "push_object_address")),
    ("fbreg-in-frame-base", "error", expression(SUBPROGRAM, dw.AT_FRAME_BASE, "fbreg 0"),
     expression(VARIABLE, dw.AT_LOCATION, "fbreg 0")),
    ("narrow-base-register", "error", expression(SUBPROGRAM, dw.AT_FRAME_BASE, "regx s33"),
     expression(SUBPROGRAM, dw.AT_FRAME_BASE, "regx pc")),
    ("vendor-attribute", "warning", attribute(LABEL, dw.AT_LLVM_LANES, 64),
     attribute(SUBPROGRAM, dw.AT_LLVM_LANES, 63)),
    ("vendor-attribute", "warning", expression(VARIABLE, dw.AT_LLVM_LANE_PC, "addr 0"),
     expression(SUBPROGRAM, dw.AT_LLVM_LANE_PC, "addr 0")),
    ("vendor-attribute", "warning", attribute(LABEL, dw.AT_LLVM_VECTOR_SIZE, 4),
     attribute(BASE_TYPE, dw.AT_LLVM_VECTOR_SIZE, 4)),
    ("vendor-attribute", "warning", attribute(VARIABLE, dw.AT_LLVM_ADDRESS_SPACE, 1),
     attribute(POINTER, dw.AT_LLVM_ADDRESS_SPACE, 1)),
    ("vendor-attribute", "warning", attribute(LABEL, dw.AT_LLVM_MEMORY_SPACE, 1),
     attribute(VARIABLE, dw.AT_LLVM_MEMORY_SPACE, 1)),
    ("vendor-attribute", "warning", base_type(5), base_type(1)),
    ("bad-lane-count", "error", attribute(SUBPROGRAM, dw.AT_LLVM_LANES, 0),
     attribute(SUBPROGRAM, dw.AT_LLVM_LANES, 1)),
    ("bad-lane-count", "error", attribute(SUBPROGRAM, dw.AT_LLVM_LANES, -1),
     attribute(SUBPROGRAM, dw.AT_LLVM_LANES, 32)),
    *(("unassigned-number", "warning", encoded(wrong), encoded(right))
      for wrong, right in ((0, 1), (0x20, 0x12), (0x7F, 0x80))),
    *(("unassigned-number", "warning", in_byte_order(wrong), in_byte_order(right))
      for wrong, right in ((3, 0), (0x3F, 1), (7, 2), (0x3F, 0x40), (0x100, 0xFF), (-1, 0x77))),
    ("unassigned-number", "warning", in_language(0), in_language(0x1D)),
    ("unassigned-number", "warning", in_language(0x7FFF), in_language(0x8001)),
    ("wrong-class", "error", expression(SUBPROGRAM, dw.AT_LLVM_LANES, "lit4"),
     attribute(SUBPROGRAM, dw.AT_LLVM_LANES, 4)),
    ("wrong-class", "error", attribute(SUBPROGRAM, dw.AT_LLVM_LANE_PC, 4),
     expression(SUBPROGRAM, dw.AT_LLVM_LANE_PC, "addr 0")),
    ("wrong-class", "error", expression(POINTER, dw.AT_LLVM_ADDRESS_SPACE, "lit5"),
     attribute(POINTER, dw.AT_LLVM_ADDRESS_SPACE, 5)),
    ("wrong-class", "error", expression(VARIABLE, dw.AT_LLVM_MEMORY_SPACE, "lit4"),
     attribute(VARIABLE, dw.AT_LLVM_MEMORY_SPACE, 4)),
    ("bad-vector-size", "error", attribute(BASE_TYPE, dw.AT_LLVM_VECTOR_SIZE, 0),
     attribute(BASE_TYPE, dw.AT_LLVM_VECTOR_SIZE, 1)),
    ("unknown-memory-space", "warning", attribute(VARIABLE, dw.AT_LLVM_MEMORY_SPACE, 5),
     attribute(VARIABLE, dw.AT_LLVM_MEMORY_SPACE, 4)),
    ("unknown-address-space", "error", attribute(POINTER, dw.AT_LLVM_ADDRESS_SPACE, 9),
     attribute(POINTER, dw.AT_LLVM_ADDRESS_SPACE, 5)),
    ("unknown-address-space", "error", base_type(1, space=7), base_type(1, space=6)),
    *(("unknown-address-space", "error", attribute(POINTER, dw.AT_ADDRESS_CLASS, 9), right)
      for right in (
          attribute(POINTER, dw.AT_ADDRESS_CLASS, 3),
          attribute(POINTER, dw.AT_ADDRESS_CLASS, 0),
          attribute(VARIABLE, dw.AT_ADDRESS_CLASS, 9),
          one_entry(POINTER, [(dw.AT_ADDRESS_CLASS, SDATA, b"\x09")], X86_64),
      )),
    ("lanes-missing", "warning", lane_user(None), lane_user(64)),
    ("pieces-exceed-type", "warning", typed_object(4), typed_object(8)),
    ("pieces-short-of-type", "warning", typed_object(16), typed_object(8)),
    ("outside-storage", "warning", typed_object(8, described("regx s0")),
     typed_object(4, described("regx s0"))),
    ("outside-storage", "warning", typed_object(4, described("regx s0; lit2; LLVM_offset")),
     typed_object(2, described("regx s0; lit2; LLVM_offset"))),
    ("outside-storage", "warning", typed_object(16, described("regx pc")),
     typed_object(8, described("regx pc"))),
    ("inverted-range", "error", listed(0x1080, 0x1040), listed(0x1040, 0x1080)),
    ("inverted-range", "error", code(0x1080, ADDR, 0x1040), code(0x1040, ADDR, 0x1080)),
    ("inverted-range", "error", code(0x1080, SDATA, -4), code(0x1080, SDATA, 0)),
    ("inverted-range", "error", code(0x1080, dw.FORM_DATA8, 2**64 - 0x107F),
     code(0x1080, dw.FORM_DATA8, 2**64 - 0x1080)),
    ("range-outside-function", "warning", listed(0x1080, 0x1104), listed(0x1080, 0x1100)),
    ("range-outside-function", "warning", listed(0x0FF0, 0x1010), listed(0x1000, 0x1010)),
    ("range-outside-function", "warning", entered(0x1100), entered(0x10FF)),
    ("range-outside-function", "warning", entered(0x0FFF), entered(0x1000)),
    ("ill-formed-list", "error", with_list(b"\x01" + encode_uleb(3) + b"\0"),
     with_list(b"\x04" + encode_uleb(0x1000) + encode_uleb(0x1010) + b"\x01\x30\0")),
    ("unreadable-list", "error", with_list(b"\x33"), with_list(b"\x05\x01\x30\0")),
    ("address-size", "error", sized_unit(4), sized_unit(8)),
    ("address-size", "error", sized_unit(8, line_address_size=4),
     sized_unit(8, line_address_size=8)),
    ("address-size", "error", aranges(4), aranges(8)),
    ("address-size", "error", addresses(4), addresses(8)),
    ("address-size", "error", listed(0x1040, 0x1080, address_size=4), listed(0x1040, 0x1080)),
    ("unreadable-unit", "error", cut_unit(7), cut_unit(0)),
    ("unreadable-line-table", "error", lined(0), lined(12)),
    ("unreadable-line-table", "error", lined(12, b"\x20\0\0\0\1\1"),
     # Padding around a sequence, not in it.
     lined(12, b"\0\0" + Table().address(0) + b"\x20\0\1\1\0\0")),
    ("unreadable-line-table", "error", lined(12, b"\0\3\4\2\0\x20\0\1\1"),
     lined(12, b"\0\3\4\x82\0\x20\0\1\1")),  # a discriminator shorter than its opcode says
    ("unreadable-line-table", "error", lined(12, b"\0\0\x20\0\1\1"),
     lined(12, b"\0\0" + Table().address(0) + b"\x20\0\1\1")),
    # Line 1 - 5, or 1 - 2 and then the special opcode that subtracts 3: only rows have lines.
    ("negative-line", "error", lined(12, b"\x03\x7b\x01\0\1\1"), lined(12, b"\x03\x7f\x01\0\1\1")),
    ("negative-line", "error", lined(12, b"\x03\x7e\x0d\0\1\1"),
     lined(12, b"\x03\x7b\x03\4\x01\0\1\1")),
    ("negative-line", "error", lined(12, b"\x03\xff\x7e\x01\0\1\1"),
     lined(12, b"\x03\x7b\0\1\1\x01\0\1\1")),  # the line of no row, and the next sequence
    ("wrong-line-table", "error", lined(12, b"\x03\xff\xff\xff\xff\x0f\x01\0\1\1"),
     lined(12, b"\x03\xfe\xff\xff\xff\x0f\x01\0\1\1")),  # line 2^32, 2^32 - 1
    # A number of 14,288 bits, more than Python writes as decimal digits, and 2 as long.
    ("unreadable-line-table", "error", lined(12, b"\x03" + b"\xff" * 2041 + b"\x01\x01\0\1\1"),
     lined(12, b"\x03\x82" + b"\x80" * 2040 + b"\0\x01\0\1\1")),
    ("unreadable-line-table", "error", lined(12, b"\x03" + b"\x80" * 2041 + b"\x41\x01\0\1\1"),
     lined(12, b"\x03" + b"\xff" * 2041 + b"\x7f\x01\0\1\1")),  # a negative one, and -1
    ("unreadable-line-table", "error", lined(12, b"\x04\x7f\x20\0\1\1"),
     lined(12, b"\x04\0\x20\0\1\1")),  # a file that the table does not have
    # Row by row in file 1, which is that of the first row.
    ("unreadable-line-table", "error", rows_of(b"\x20\0\1\1"),
     rows_of(b"\x04\0\x20\0\1\1")),
    ("unreadable-line-table", "error", rows_of(b"\x04\0\x20\0\1\1\x20\0\1\1"),
     rows_of(b"\x20\0\1\1", names=TWO_FILES)),
    ("unreadable-line-table", "error", rows_of(b"\x20\0\1\1", 4),
     rows_of(b"\x20\0\1\1", 4, OLD_FILES)),
    ("unreadable-line-table", "error", rows_of(b"\x04\0\x20\0\1\1", 4, OLD_FILES),
     rows_of(b"\x04\1\x20\0\1\1", 4, OLD_FILES)),  # file 0 before DWARF 5
    ("unreadable-line-table", "error", rows_of(b"\x04\2\x20\0\1\1", 4, OLD_FILES),
     rows_of(b"\0\6\3b\0\0\0\0\x04\2\x20\0\1\1", 4, OLD_FILES)),  # defined there
    ("unreadable-line-table", "error", lined(12, b"\x04\xff\1\x20\0\1\1"), lined(12, b"\0\0")),
    ("unreadable-line-table", "error", lined(12, b"\x20\0\1\1\x20"),
     lined(12, b"\x20\0\1\1\x03\1")),  # a row in no sequence
    *(("outside-table", "error", named_by(*wrong), named_by(*right))
      for wrong, right in (
          ((4, 0, 2), (3, 0, 2)), ((2, 4, 0), (2, 3, 0)), ((0, 2, 4), (0, 2, 3)),
      )),
    ("wrong-line-table", "error", rows_at(0x1010, 0x1020, 0x101F), rows_at(0x1010, 0x1020, 0x1020)),
    ("wrong-line-table", "error", rows_at(0x1010, end=0x1000), rows_at(0x1010, end=0x1010)),
    ("wrong-line-table", "error", rows_at(0x1020, 0x1010),
     rows_at(0, 8, 4, end=0)),  # code that the linker dropped
    ("wrong-line-table", "error", rows_at(0x1020, 0x1010),
     rows_at(2**64 - 1, 4)),  # the same: no code is at the highest address
    ("wrong-line-table", "error", backwards(-1), backwards(1)),
    ("wrong-line-table", "error", near_the_end(SPECIAL, 20), near_the_end(SPECIAL, 21)),
    ("wrong-line-table", "error", near_the_end(b"\x03\x3c" + 60 * SPECIAL, 1200),
     near_the_end(b"\x03\x3c" + 60 * SPECIAL, 1201)),
    ("wrong-line-table", "error", near_the_end(b"\x08\x08", 34), near_the_end(b"\x08\x08", 41)),
    ("wrong-line-table", "error", near_the_end(b"\x02\x7f", 127), near_the_end(b"\x02\x7f", 128)),
    ("wrong-line-table", "error", near_the_end(b"\x02\x80\x80\x04", 2**16),
     near_the_end(b"\x02\x80\x80\x04", 2**16 + 1)),
    ("wrong-line-table", "error", near_the_end(b"\x09\xff\xff", 65535),
     near_the_end(b"\x09\xff\xff", 65536)),
    ("wrong-line-table", "error", operations_of(0), operations_of(1)),
    ("wrong-line-table", "error", in_directory(2), in_directory(1)),
    ("wrong-line-table", "error", in_directory(3, 4), in_directory(2, 4)),
    ("wrong-line-table", "error", in_directory(1, 5, 0), in_directory(0, 5, 0)),
    ("wrong-line-table", "warning", rows_at(0x1010, minimum=0), rows_at(0x1010)),
    ("wrong-line-table", "warning", rows_at(0x1010, most=0), rows_at(0x1010)),
    ("wrong-line-table", "warning", with_opcodes(b"\1" + COUNTS[1:]), with_opcodes(COUNTS)),
    ("wrong-line-table", "warning", with_opcodes(COUNTS[:8] + b"\2"), with_opcodes(COUNTS[:9])),
    ("wrong-line-table", "warning", with_opcodes(b"", 0), with_opcodes(b"", 1)),
    ("wrong-line-table", "warning", with_lines(Table(names=TWO_FILES + b"x")),
     with_lines(Table(names=TWO_FILES))),
    ("wrong-line-table", "warning", with_lines(Table(version=4, names=OLD_FILES + bytes(2))),
     with_lines(Table(version=4, names=OLD_FILES))),
    ("wrong-unit", "error", rooted(VARIABLE), rooted(COMPILE_UNIT)),
    ("wrong-unit", "error", rooted(COMPILE_UNIT, kind=3), rooted(0x3C, kind=3)),
    ("wrong-unit", "error", rooted(0x3C), rooted(0x4100)),  # a vendor's
    ("wrong-unit", "error", rooted(0x41), rooted(0x3C, version=4)),
    ("wrong-unit", "error", behind_a_unit(unit(bytes(4))), behind_a_unit(unit(b"\1\0\0\0"))),
    ("wrong-unit", "error", behind_a_unit(unit(b"")), behind_a_unit(unit(b"\1"))),
    ("wrong-unit", "error", behind_a_unit(unit(bytes(9), 4)),
     behind_a_unit(unit(bytes(9), 4, 4))),  # a hole that gold has filled
    ("wrong-unit", "error", behind_a_unit(type_units=unit(bytes(17), 4)),
     behind_a_unit(type_units=unit(bytes(17), 4, 4))),
    ("outside-table", "error", of_file(5), of_file(0)),
    ("negative-line", "error", attribute(VARIABLE, dw.AT_DECL_LINE, -1),
     attribute(VARIABLE, dw.AT_DECL_LINE, 0)),
    ("negative-line", "error", attribute(VARIABLE, 0x39, -7), attribute(VARIABLE, 0x39, 7)),
    ("negative-line", "error", attribute(SUBPROGRAM, dw.AT_CALL_LINE, -1),
     one_entry(SUBPROGRAM, [(dw.AT_CALL_LINE, dw.FORM_DATA8, words(2**64 - 1))])),
    ("reserved-tag", "error", one_entry(0, []), one_entry(PROCEDURE, [])),
    ("reserved-tag", "warning", one_entry(0x3E, []), one_entry(0x3F, [])),
    ("reserved-tag", "warning", one_entry(0x0E, []), one_entry(0x4102, [])),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "severity", "broken", "kept"),
    TABLE,
    ids=[f"{n}-{row[0]}" for n, row in enumerate(TABLE)],
)
def test_a_rule_both_ways(rule: str, severity: str, broken: bytes, kept: bytes) -> None:
    assert rules(verdict_on(broken)) == [(severity, rule)]
    verdict = verdict_on(kept)
    assert rules(verdict) == []
    assert verdict.findings.skipped == []


def test_a_line_table_of_many_units_is_read_once() -> None:
    """Their programs are read once, for whatever unit."""
    table = Table(b"\x09\0\0" * 1000).data()
    shape = Shape(COMPILE_UNIT, ((dw.AT_STMT_LIST, SEC_OFFSET),))

    def work(count: int) -> int:
        sections = {
            ".debug_info": unit(b"\x01" + bytes(4)) * count,
            ".debug_abbrev": abbreviations(shape),
            ".debug_line": table,
        }
        return calls_of(lambda: verdict_on(elf(sections)))

    work(1)  # what is done once
    assert work(3) - work(2) < 1000 < work(1)


def test_a_finding_names_its_place() -> None:
    (result,) = findings(verdict_on(listed(0x1080, 0x1104)))
    place = result.position
    assert (place.section, place.kind, place.name) == (".debug_info", "variable", "x")
    assert (place.attribute, place.function) == ("DW_AT_location", "f")
    assert (place.span, result.section) == ((0x1080, 0x1104), "A.2.5.5")


@pytest.mark.parametrize("address_sizes", [(8, 4), (4, 8), (4, 4), (8, 4, 8, 4)])
def test_lists_with_other_addresses_are_one_finding(address_sizes: tuple[int, ...]) -> None:
    """Also where a list before them has those of the unit."""
    assert rules(verdict_on(with_lists(*address_sizes))) == [("error", "address-size")]
    assert rules(verdict_on(with_lists(*[8 for _ in address_sizes]))) == []


def test_lanes_are_missed_once_for_a_function() -> None:
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(SUBPROGRAM, (), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)),
    ]
    variables = 5 * (b"\x03" + LANE)
    data = info_file(shapes, b"\x01\x02" + variables + b"\x00\x02" + variables + b"\0\0")
    assert rules(verdict_on(data)) == 2 * [("warning", "lanes-missing")]
    outside = info_file(shapes, b"\x01" + variables + b"\0")
    assert rules(verdict_on(outside)) == []


def frame_users(*bases: str | None) -> bytes:
    """Functions with code, each with a frame base or without one, and with two variables in a block
    that need it, one by a piece."""
    code = (dw.AT_LOW_PC, ADDR), (dw.AT_HIGH_PC, DATA1)
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(SUBPROGRAM, (*code, (dw.AT_FRAME_BASE, EXPRLOC)), True),
        Shape(SUBPROGRAM, code, True),
        Shape(dw.TAG_LEXICAL_BLOCK, (), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)),
    ]
    entries = b"\x01"
    for start, base in enumerate(bases):
        entries += b"\x03" if base is None else b"\x02"
        entries += words(0x1000 + 0x40 * start) + b"\x20"
        entries += b"" if base is None else block(operations(base))
        entries += b"\x04\x05" + block(operations("fbreg 4"))
        entries += b"\x05" + block(operations("fbreg 8; piece 4; regx s3; piece 4")) + b"\0\0"
    return info_file(shapes, entries + b"\0")


def test_a_frame_base_is_needed_where_fbreg_is_used() -> None:
    base = "regx s32; deref_size 4; lit5; LLVM_form_aspace_address"
    assert rules(verdict_on(frame_users(base, base))) == []
    verdict = verdict_on(frame_users(base, None, base, None))
    assert rules(verdict) == 2 * [("error", "no-frame-base")]  # once for each function
    first = verdict.findings.kept[0]
    assert first.position.attribute == "DW_AT_location" and first.position.kind == "variable"
    assert verdict_on(frame_users(base, None)).expressions == 5  # each is counted


def test_a_frame_base_is_needed_by_lists_and_in_functions_with_code() -> None:
    framed = b"\x07" + words(0x1000, 0x1080) + block(operations("fbreg 4")) + b"\0"
    head = struct.pack("<HBBI", 5, 8, 0, 0)
    section = words(len(head) + len(framed), size_bytes=4) + head + framed
    shape = Shape(VARIABLE, ((dw.AT_LOCATION, SEC_OFFSET),))
    data = function_file(words(12, size_bytes=4), shape, loc=section)
    assert rules(verdict_on(data)) == [("error", "no-frame-base")]
    without_code = [
        Shape(COMPILE_UNIT, (), True),
        Shape(SUBPROGRAM, (), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)),
    ]
    entries = b"\x01\x02\x03" + block(operations("fbreg 4")) + b"\0\0"
    assert rules(verdict_on(info_file(without_code, entries))) == []


@pytest.mark.parametrize("end", [0x1000, 0x1004])
def test_expressions_of_empty_ranges_are_checked(end: int) -> None:
    """GCC writes many of them; nothing ever evaluates them."""
    entry = b"\x07" + words(0x1000, end) + block(b"\x22") + b"\0"
    head = struct.pack("<HBBI", 5, 8, 0, 0)
    section = words(len(head) + len(entry), size_bytes=4) + head + entry
    shape = Shape(VARIABLE, ((dw.AT_LOCATION, SEC_OFFSET),))
    verdict = verdict_on(function_file(words(12, size_bytes=4), shape, loc=section))
    assert rules(verdict) == [("error", "stack-underflow")]
    assert verdict.expressions == 1


def calling(number: int, address: int, tag: int = dw.TAG_CALL_SITE) -> bytes:
    """A function at [0x1000,0x1100) with a call site in it."""
    return function_file(words(address), Shape(tag, ((number, ADDR),)))


@pytest.mark.parametrize(
    ("number", "tag", "good", "bad"),
    [
        (0x7D, dw.TAG_CALL_SITE, (0x1001, 0x1100), (0x1000, 0x1101)),  # DW_AT_call_return_pc
        (0x81, dw.TAG_CALL_SITE, (0x1000, 0x10FF), (0xFFF, 0x1100)),  # DW_AT_call_pc
        (dw.AT_LOW_PC, 0x4109, (0x1001, 0x1100), (0x1000, 0x1200)),  # DW_TAG_GNU_call_site
    ],
)
def test_calls_are_in_their_functions(
    number: int, tag: int, good: tuple[int, ...], bad: tuple[int, ...]
) -> None:
    for address in good:
        assert rules(verdict_on(calling(number, address, tag))) == []
    for address in bad:
        verdict = verdict_on(calling(number, address, tag))
        assert rules(verdict) == [("warning", "call-outside-function")]
        (found,) = verdict.findings.kept
        assert f"{address:#x} is not of a call in the function, [0x1000,0x1100)" in found.message


def test_a_list_that_many_share_is_checked_once() -> None:
    shape = Shape(VARIABLE, ((dw.AT_LOCATION, SEC_OFFSET),))
    one = b"\x05" + block(operations("plus")) + b"\0"
    head = struct.pack("<HBBI", 5, 8, 0, 0)
    section = words(len(head) + len(one), size_bytes=4) + head + one
    entries = b"\x01" + 50 * (b"\x02" + words(12, size_bytes=4)) + b"\0"
    data = info_file([Shape(COMPILE_UNIT, (), True), shape], entries, {".debug_loclists": section})
    assert rules(verdict_on(data)) == [("error", "stack-underflow")]


def test_attribute_numbers_of_other_vendors_are_not_reported() -> None:
    """0x3e0a is DW_AT_LLVM_lanes only for AMD's compilers up to LLVM 18."""
    assert rules(verdict_on(attribute(LABEL, 0x3E0A, 64))) == []
    assert rules(verdict_on(attribute(LABEL, 0x3E0A, 64), "amd-direct")) == [
        ("warning", "vendor-attribute")
    ]


@pytest.mark.parametrize(
    ("data", "dialect", "expected"),
    [
        (attribute(SUBPROGRAM, dw.AT_LLVM_ITERATIONS, 0), "amd-provisional",
         [("error", "bad-iteration-count")]),
        (attribute(SUBPROGRAM, dw.AT_LLVM_ITERATIONS, 1), "amd-provisional", []),
        (attribute(SUBPROGRAM, dw.AT_LLVM_ITERATIONS, 0), "amd", []),
        (attribute(LABEL, dw.AT_LLVM_ITERATIONS, 1), "amd-provisional",
         [("warning", "vendor-attribute")]),
        (expression(SUBPROGRAM, dw.AT_LLVM_ACTIVE_LANE, "plus"), "amd-provisional",
         [("error", "stack-underflow")]),
        (expression(LABEL, 0x3E08, "addr 0"), "amd-direct-16", [("warning", "vendor-attribute")]),
        (expression(LABEL, 0x3E08, "addr 0"), "amd-direct", []),
        (attribute(SUBPROGRAM, dw.AT_LLVM_ACTIVE_LANE, 1), "amd-provisional",
         [("error", "wrong-class")]),
        (attribute(SUBPROGRAM, dw.AT_LLVM_ACTIVE_LANE, 1), "amd", []),
        (one_entry(SUBPROGRAM, [(dw.AT_LLVM_ITERATIONS, STRING, b"1\0")]), "amd-provisional",
         [("error", "wrong-class")]),
    ],
)  # fmt: skip
def test_attributes_without_a_number_of_today(
    data: bytes, dialect: str, expected: list[tuple[str, str]]
) -> None:
    assert rules(verdict_on(data, dialect)) == expected


def test_lanes_of_an_inlined_call_are_lanes() -> None:
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(SUBPROGRAM, (), True),
        Shape(dw.TAG_INLINED_SUBROUTINE, ((dw.AT_LLVM_LANES, DATA1),), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)),
    ]
    data = info_file(shapes, b"\x01\x02\x03\x40\x04" + LANE + b"\0\0\0")
    assert rules(verdict_on(data)) == []


def test_pieces_of_a_dynamic_or_unknown_type_are_not_counted() -> None:
    assert rules(verdict_on(one_entry(VARIABLE, [(dw.AT_LOCATION, EXPRLOC, PIECES)]))) == []


def test_a_vector_register_of_upstream_clang_has_the_bits_of_a_lane() -> None:
    for size_bytes, rule in (4, []), (8, [("warning", "outside-storage")]):
        data = typed_object(size_bytes, described("regx v0"))
        assert rules(verdict_on(data, "upstream-clang")) == rule
        assert rules(verdict_on(data, "amd")) == []


def test_registers_of_cpus_may_go_on_in_the_next_one() -> None:
    data = typed_object(16, block(b"\x50"), X86_64)  # DW_OP_reg0
    assert rules(verdict_on(data)) == []


def test_an_entry_of_dropped_code_is_outside_nothing() -> None:
    assert rules(verdict_on(listed(2**64 - 1, 2**64 - 1))) == []


def test_what_cannot_be_read_costs_only_itself() -> None:
    good = one_entry(VARIABLE, [(dw.AT_LOCATION, EXPRLOC, block(operations("plus")))])
    assert rules(verdict_on(good)) == [("error", "stack-underflow")]
    body = b"\x01\x02" + block(operations("plus")) + b"\0"
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),))]
    broken, other = unit(b"\x01\x09"), unit(body)
    data = elf({".debug_info": broken + other, ".debug_abbrev": table(*shapes)})
    assert rules(verdict_on(data)) == [("error", "unreadable-unit"), ("error", "stack-underflow")]


def test_an_unknown_machine_is_checked_for_what_holds_on_all() -> None:
    data = one_entry(VARIABLE, [(dw.AT_LOCATION, EXPRLOC, b"\x01\x22")], machine=1234)
    assert rules(verdict_on(data)) == [("error", "stack-underflow")]
    cpu = one_entry(VARIABLE, [(dw.AT_LOCATION, EXPRLOC, b"\x02\x90\xff")], machine=X86_64)
    assert rules(verdict_on(cpu)) == [("error", "cut-short")]


@pytest.mark.parametrize("name", ["hip/data.gfx942.O2.v5.co", "hip/data.gfx1100.O2.v5.co"])
def test_clangs_vector_registers_in_computations_are_not_findings(name: str) -> None:
    verdict = fixture_verdict(name)
    assert ("warning", "wide-base-register") not in rules(verdict)
    assert ("warning", "wide-base-register") in rules(fixture_verdict(name, "amd"))
    assert ("error", "mixed-types") in rules(verdict)
    assert ("warning", "empty-fde") not in rules(verdict)  # there are kernels alone


def test_by_the_letter_clang_has_more_mistakes() -> None:
    literal = set(rules(fixture_verdict("opencl/kernels.gfx942.O2.v5.co", "amd")))
    assert {
        ("error", "narrow-base-register"), ("warning", "upstream-address-space"),
    } <= literal  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "asm/locations.gfx942.v4.co",
        "asm/locations.gfx942.v5.co",
        "asm/wave32.gfx1100.v5.co",
        "asm/legacy.gfx942.v5.co",
        "x86_64/demo.gcc.O2.v5",
        "x86_64/demo.gcc.O0.v4",
        "x86_64/demo.clang.O0.v5",
    ],
)
def test_what_is_well_formed_has_no_findings(name: str) -> None:
    verdict = fixture_verdict(name)
    assert rules(verdict) == []
    assert verdict.expressions and not verdict.findings.skipped


def test_clang_leaves_out_the_last_pieces() -> None:
    (result,) = findings(fixture_verdict("x86_64/demo.clang.O2.v5"))
    assert result.rule == "pieces-short-of-type"
    assert result.excerpt is not None and result.excerpt.marked is None


@pytest.mark.parametrize("name", ["gcc5", "types-gcc4", "types-gcc5", "dwz4", "dwz5"])
def test_split_units_are_checked_with_their_skeletons(name: str) -> None:
    verdict = fixture_verdict(f"split/{name}/prog")
    assert (rules(verdict), verdict.findings.skipped) == ([], [])
    assert verdict.expressions == 44


@pytest.mark.parametrize("name", IN_SPLIT_FILES)
def test_the_type_units_of_a_package_are_checked_with_its_skeletons(name: str) -> None:
    """Two skeletons, and what `llvm-dwarfdump --debug-cu-index --debug-tu-index` lists: 2 and 3."""
    assert fixture_verdict(f"split/{name}/prog").units == 2 + 2 + 3


def test_a_finding_in_a_split_file_names_the_file() -> None:
    (result,) = findings(fixture_verdict("split/named/prog"))
    assert result.rule == "pieces-short-of-type"
    assert (result.position.section, result.position.unit) == (".debug_info.dwo", "../b.cpp")
    assert result.position.file is not None and result.position.file.endswith("b.dwo")


def test_gcc_writes_ranges_of_length_minus_1_into_split_files() -> None:
    """In DWARF 4; the entry ends a byte before it begins."""
    (result,) = findings(fixture_verdict("split/gcc4/prog"))
    assert (result.rule, result.position.span) == (
        "range-outside-function",
        (0x2000FC, 0x1002000FB),
    )
    assert result.message.endswith("its length is -1 as a signed number")


def test_bounds_of_a_generic_subrange_begin_with_the_dimension() -> None:
    """DWARF 5 5.13: GCC's Fortran writes `push_object_address, over, …`."""
    assert findings(fixture_verdict("fortran/shapes.gcc.O0.v5")) == []


def test_without_its_skeleton_a_split_unit_has_no_addresses() -> None:
    verdict = fixture_verdict("split/gcc5/a.dwo")
    assert rules(verdict) == []
    assert verdict.expressions and verdict.findings.skips == 1
    assert "use the file that names it" in verdict.findings.skipped[0]


def test_a_missing_split_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "prog"
    path.write_bytes(read_fixture("split/clang5/prog"))
    verdict = verify(CodeObject.open(path))
    assert rules(verdict) == [] and verdict.findings.skips == 2
    assert all("a.dwo" in why or "b.dwo" in why for why in verdict.findings.skipped)


def test_what_a_machine_has_loaded_is_checked_as_the_file() -> None:
    path = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    loaded = verify(CodeObject.open(path, 0x7F0000000000)).findings.kept
    assert loaded == verify(CodeObject.open(path)).findings.kept
    assert "range-outside-function" not in {finding.rule for finding in loaded}


DWARF_5, DWARF_4_TYPE = b"\5\0\1\x08" + bytes(4), b"\4\0" + bytes(4) + b"\x08" + bytes(12)
"""Headers behind their lengths."""


@pytest.mark.parametrize(
    ("section", "kind", "at", "message"),
    [
        (".debug_info", DWARF_5, 0, "length 0xff reaches beyond the section"),
        (".debug_info", DWARF_5, 7, "address size 255"),
        (".debug_types", DWARF_4_TYPE, 0, "length 0xff reaches beyond the section"),
        (".debug_types", DWARF_4_TYPE, 10, "address size 255"),
    ],
)
def test_a_header_that_cannot_be_read_is_where_it_is(
    section: str, kind: bytes, at: int, message: str
) -> None:
    first = words(len(kind) + 1, size_bytes=4) + kind + b"\1"
    second = bytearray(first)
    second[at] = 0xFF
    others: dict[str, bytes | Content] = {section: first + bytes(second)}
    verdict = verdict_on(info_file([Shape(COMPILE_UNIT, ())], b"\x01", others))
    (found,) = (one for one in findings(verdict) if one.rule == "unreadable-unit")
    position = found.position
    assert message in found.message
    assert (position.section, position.offset, position.kind) == (section, len(first), "unit")


def test_a_section_that_the_file_does_not_have_is_an_error() -> None:
    """`readelf --debug-dump=info` fails for it, too: the file was cut short."""
    data = info_file([Shape(COMPILE_UNIT, ())], b"\x01")
    verdict = verdict_on(_with_section_size(data, ".debug_info", len(data)))
    assert rules(verdict) == [("error", "unreadable-unit")]


def _with_section_size(data: bytes, name: str, size_bytes: int) -> bytes:
    """Return a file of 64 bits whose header gives a section another size."""
    headers, out = int.from_bytes(data[0x28:0x30], "little"), bytearray(data)
    count, names_index = struct.unpack_from("<HH", data, 0x3C)
    names = int.from_bytes(data[headers + 64 * names_index + 24 :][:8], "little")
    for at in range(headers, headers + 64 * count, 64):
        start = names + int.from_bytes(data[at : at + 4], "little")
        if data[start : data.index(b"\0", start)] == name.encode():
            struct.pack_into("<Q", out, at + 32, size_bytes)
    return bytes(out)


@pytest.mark.parametrize("damage", [b"\0\x09\0", b"\0\x09\x02\x1c\x90"])
def test_rows_of_no_code(damage: bytes) -> None:
    """Every function was without lines, and nothing said why: DW_LNE_set_address was overwritten,
    or its address."""
    data = bytearray(read_fixture("core/crash.x86_64.O0"))
    assert "wrong-line-table" not in {rule for _, rule in rules(verdict_on(bytes(data)))}
    lines = ObjectFile("", bytes(data)).sections_by_name[".debug_line"]
    at = data.index(b"\0\x09\x02", lines.offset, lines.offset + lines.size_bytes)
    data[at : at + len(damage)] = damage
    assert ("error", "wrong-line-table") in rules(verdict_on(bytes(data)))


def test_rows_of_one_function_that_are_of_no_code(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """With -ffunction-sections each function has a sequence."""
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(
        "int f(int a) { return a + 1; }\nint main(void) { return f(2); }\n"
        "void without_code(void) { __builtin_unreachable(); }\n"
    )
    command = [tool("gcc"), "-g", "-O2", "-ffunction-sections", source]
    unlinked = tmp_path / "a.o"
    subprocess.run([*command, "-c", "-o", unlinked], check=True, timeout=60)
    assert rules(verdict_on(unlinked.read_bytes())) == []
    subprocess.run([*command, "-o", program], check=True, timeout=60)
    data = bytearray(program.read_bytes())
    assert rules(verdict_on(bytes(data))) == []
    lines = ObjectFile("", bytes(data)).sections_by_name[".debug_line"]
    at = data.index(b"\0\x09\x02", lines.offset, lines.offset + lines.size_bytes)
    data[at + 6] = 0x77
    assert rules(verdict_on(bytes(data))) == [("error", "wrong-line-table")]


def test_rows_of_a_section_that_objcopy_removed(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The unit still lists its code, as the table does."""
    source, program, copied = tmp_path / "a.c", tmp_path / "a", tmp_path / "b"
    source.write_text(
        '__attribute__((section(".boot"))) int boot(int a) { return a * 3; }\n'
        "int main(void) { return boot(2); }\n"
    )
    place = "-Wl,--section-start=.boot=0x900000"
    command = [tool("gcc"), "-g", "-no-pie", place, source, "-o", program]
    subprocess.run(command, check=True, timeout=60)
    subprocess.run([tool("objcopy"), "-R", ".boot", program, copied], check=True, timeout=60)
    assert "wrong-line-table" not in {rule for _, rule in rules(verdict_on(copied.read_bytes()))}


@pytest.mark.parametrize("word", ["sequence", "address", "header_length", "instruction"])
def test_the_help_about_line_tables_is_of_each_of_its_mistakes(word: str) -> None:
    """One text is shown below a directory that is missing, and an opcode_base of 0."""
    advice = RULES["wrong-line-table"].advice
    assert advice is not None and word not in advice


def test_files_of_a_table_that_cannot_be_read_are_no_findings() -> None:
    """The form of the names of files is unknown: that is the only finding."""
    names = name_table([(1, STRING)], [b"d\0"]) + name_table([(1, 0x7F)], [b"a\0", b"b\0"])
    shapes = [
        Shape(COMPILE_UNIT, ((dw.AT_STMT_LIST, SEC_OFFSET),), True),
        Shape(VARIABLE, ((dw.AT_DECL_FILE, DATA1),)),
    ]
    entries = b"\x01" + bytes(4) + b"\2\0\2\1\2\5\0"
    table = Table(b"\0\1\1", names=names).data()
    verdict = verdict_on(info_file(shapes, entries, {".debug_line": table}))
    assert rules(verdict) == [("error", "unreadable-line-table")]


def test_an_expression_in_an_attribute_of_another_class_is_one_finding() -> None:
    """Its bytes are no operations that anything reads."""
    data = one_entry(VARIABLE, [(dw.AT_DECL_LINE, EXPRLOC, block(b"\x01\x02"))])
    (found,) = findings(verdict_on(data))
    assert found.rule == "wrong-class"
    assert found.message == "DW_AT_decl_line is not a constant but of class exprloc"
