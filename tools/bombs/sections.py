"""Bombs of the other debug sections: lines, lists, strings, addresses, indexes, frames."""

from __future__ import annotations

import struct
from functools import partial

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, unit
from tests.dwarf.builder import elf as elf_file
from tools.bombs.elf import (
    CODE_BYTES,
    FIRST,
    HERE,
    INT,
    MAIN,
    NAME,
    OF_INT,
    OF_MAIN,
    OF_UNIT,
    PLACE,
    START,
    TEXT,
    TYPE,
    UNIT,
    program,
    sized,
    units,
    word,
)
from tools.bombs.model import Bomb, Files

STANDARD_LENGTHS = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
MORE_LENGTHS = STANDARD_LENGTHS + bytes(242)
"""With opcodes that have neither a meaning nor operands, and no special opcodes but one."""
SET_ADDRESS = b"\0\x09\2" + word(START, 8)
END_SEQUENCE = b"\2\x10\0\1\1"
LINES = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME, (dw.AT_STMT_LIST, dw.FORM_SEC_OFFSET)), True)


def line_table(names: bytes, code: bytes, lengths: bytes = STANDARD_LENGTHS) -> bytes:
    """Its lists of folders and files, its opcodes."""
    tail = b"\1\1\1\xfb\x0e" + bytes((len(lengths) + 1,)) + lengths + names
    return sized(b"\5\0\x08\0" + sized(tail) + code)


def line_program(names: bytes, code: bytes) -> Files:
    """A program whose unit has one line table."""
    line = line_table(names, code)
    entries = unit(b"\1" + HERE + b"f0.c\0" + word(0) + OF_MAIN + b"\0\0")
    return {"bomb": units(entries, LINES, MAIN, others={".debug_line": line})}


def listed(paths: list[bytes], *columns: tuple[int, int]) -> bytes:
    """A list of the version 5: the path, and columns of a content and a form each."""
    formats = [(1, dw.FORM_STRING), *columns]
    head = bytes((len(formats),)) + b"".join(encode_uleb(n) for pair in formats for n in pair)
    return head + encode_uleb(len(paths)) + b"".join(paths)


FOLDER = listed([b"/d\0"])
ONE_FILE = listed([b"f0.c\0\0"], (2, 0x0B))


def files(count: int) -> Files:
    names = [b"f%d.c\0\0" % number for number in range(count)]
    rows = b"".join(b"\4" + encode_uleb(number) + b"\x4b" for number in range(count))
    return line_program(FOLDER + listed(names, (2, 0x0B)), SET_ADDRESS + rows + END_SEQUENCE)


def wide_files(count: int) -> Files:
    """Files of two hundred columns that mean nothing."""
    paths = [b"f\0" + bytes(200)] * (count // 200)
    return line_program(FOLDER + listed(paths, *[(0x2001, 0x0B)] * 200), b"")


def claimed_files(count: int) -> Files:
    """As many files as a number can say, which have no bytes each."""
    return line_program(FOLDER + b"\1\1\x19" + encode_uleb(count), b"")


def long_directory(count: int) -> Files:
    """Files of one directory, whose name is twice as long as they are many."""
    folder = listed([b"/" + b"d" * (2 * count) + b"\0"])
    return line_program(folder + listed([b"f%d.c\0\0" % n for n in range(count)], (2, 0x0B)), b"")


def rows(count: int) -> Files:
    code = SET_ADDRESS + b"\x4b" * count + END_SEQUENCE
    return line_program(FOLDER + ONE_FILE, code)


def opcode_tables(
    opcode: bytes,
    count: int,
    lengths: bytes = STANDARD_LENGTHS,
    start: bytes = SET_ADDRESS,
    end: bytes = END_SEQUENCE,
) -> Files:
    """Four units with tables that repeat an opcode."""
    table = line_table(FOLDER + ONE_FILE, start + opcode * (count // 4) + end, lengths)
    entries = b"".join(
        unit(b"\1" + HERE + b"f0.c\0" + word(number * len(table)) + OF_MAIN + b"\0\0")
        for number in range(4)
    )
    return {"bomb": units(entries, LINES, MAIN, others={".debug_line": table * 4})}


def sequences(count: int) -> Files:
    return line_program(FOLDER + ONE_FILE, (SET_ADDRESS + b"\x4b" + END_SEQUENCE) * count)


def nested_sequences(count: int) -> Files:
    """A sequence of all code, and others that begin in it and end soon."""
    whole = SET_ADDRESS + b"\1\2" + encode_uleb(CODE_BYTES) + b"\0\1\1"
    one = b"\0\x09\2" + word(START + 1, 8) + b"\1\2\1\0\1\1"
    return line_program(FOLDER + ONE_FILE, whole + one * count)


def empty_lines(count: int) -> Files:
    """Lines where code of another file begins at the same address, so that GDB drops them."""
    code = b"".join(b"\3\1\4\0\1\4\1\1" for _ in range(count))
    files = listed([b"f0.c\0\0", b"f1.c\0\0"], (2, 0x0B))
    return line_program(FOLDER + files, SET_ADDRESS + code + b"\2\1\0\1\1")


def shared_table(count: int) -> Files:
    """Units that share one line table, which grows with them."""
    line = line_table(FOLDER + ONE_FILE, SET_ADDRESS + b"\x4b" * count + END_SEQUENCE)
    one = unit(b"\1" + HERE + b"f0.c\0" + word(0) + b"\0")
    return {"bomb": units(one * count, LINES, MAIN, others={".debug_line": line})}


_DECLARED = ((dw.AT_DECL_FILE, dw.FORM_DATA1), (dw.AT_DECL_LINE, dw.FORM_DATA4))
_FUNCTION = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE, *_DECLARED))
_OBJECT = Shape(dw.TAG_VARIABLE, (NAME, *_DECLARED))


def _named_files(info: bytes, count: int) -> Files:
    """Units with one line table, whose files have one name."""
    names = FOLDER + listed([b"f0.c\0\0"] * count, (2, 0x0B))
    line = line_table(names, SET_ADDRESS + b"\x4b" + END_SEQUENCE)
    return {"bomb": units(info, LINES, _FUNCTION, _OBJECT, others={".debug_line": line})}


def _function(number: int) -> bytes:
    return b"\2f\0" + struct.pack("<QIBI", START + number % 2_000, 4, 0, number + 1)


def files_of_one_name(count: int) -> Files:
    """With as many variables and functions of one name each."""
    entries = b"".join(_function(number) + b"\3x\0\0" + word(number + 1) for number in range(count))
    return _named_files(unit(b"\1" + HERE + b"f0.c\0" + word(0) + entries + b"\0"), count)


def units_with_files(count: int) -> Files:
    """With a function of one name each."""
    root = b"\1" + HERE + b"f0.c\0" + word(0)
    info = b"".join(unit(root + _function(number) + b"\0") for number in range(count))
    return _named_files(info, count)


def header_tables(count: int) -> Files:
    """Units with tables of 200 rows of one header each."""
    names = FOLDER + listed([b"f0.c\0\0", b"h.h\0\0"], (2, 0x0B))
    table = line_table(names, SET_ADDRESS + b"\4\1" + b"\x4b" * 200 + END_SEQUENCE)
    entries = b"".join(
        unit(b"\1" + HERE + b"f0.c\0" + word(number * len(table)) + OF_MAIN + b"\0\0")
        for number in range(count // 200)
    )
    others = {".debug_line": table * (count // 200)}
    return {"bomb": units(entries, LINES, MAIN, others=others)}


def one_string(count: int) -> Files:
    """A name that begins in a long string, in which a text comes 1,900 times."""
    named = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP),))
    strings = {".debug_str": b"\0" + b"z" * count + b" qword" * 1_900 + b"\0"}
    return {"bomb": program(OF_MAIN + b"\3" + word(1) + b"\0", MAIN, named, others=strings)}


def zeros(offset: int, count: int) -> Files:
    """A name at an offset, and a constant of zeros."""
    named = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP),))
    constant = Shape(dw.TAG_VARIABLE, ((dw.AT_CONST_VALUE, dw.FORM_BLOCK4),))
    entries = b"\4" + sized(bytes(count)) + OF_MAIN + b"\3" + word(offset) + b"\0"
    strings = {".debug_str": b"\0".rjust(offset, b"z")[:offset] + b"qword\0"}
    return {"bomb": program(entries, MAIN, named, constant, others=strings)}


def pairs(count: int) -> Files:
    """Bytes behind the abbreviations, like the attribute of an entry with a name in another
    unit."""
    pair = bytes((dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF_ADDR))
    table = abbreviations(UNIT, MAIN) + pair * count
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others={".debug_abbrev": table})}


def shared_abbreviations(count: int) -> Files:
    """Units that share a table, which grows with them; each declares a function and a variable of
    one name."""
    declared = (NAME, (dw.AT_DECLARATION, dw.FORM_FLAG_PRESENT))
    shapes = [Shape(dw.TAG_SUBPROGRAM, declared), Shape(dw.TAG_VARIABLE, declared)]
    others = [shapes[number % 2] for number in range(count)]
    one = unit(OF_UNIT + OF_MAIN + b"\0" + b"\3qword\0\4qword\0" + b"\0")
    return {"bomb": units(one * count, UNIT, MAIN, *shapes, *others)}


def without_code(count: int) -> Files:
    """Units that describe one function, and none its code."""
    function = Shape(dw.TAG_SUBPROGRAM, (NAME,))
    one = unit(OF_UNIT + OF_MAIN + b"\0" + b"\3qword\0" + b"\0")
    return {"bomb": units(one * count, UNIT, MAIN, function)}


VARIABLE = Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOCATION, dw.FORM_SEC_OFFSET)))


def location_lists(count: int) -> Files:
    """Variables whose lists begin one after the other in the same bytes."""
    entries = b"".join(b"\3x\0" + word(2 * number) for number in range(count))
    lists = {".debug_loclists": b"\5\0" * count + b"\0"}
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, VARIABLE, others=lists)}


def long_location_list(count: int) -> Files:
    """One list, whose entries all describe the same byte."""
    entry = b"\x08" + word(START, 8) + b"\1" + b"\1\x30"
    lists = {".debug_loclists": entry * count + b"\0"}
    return {"bomb": program(OF_MAIN + b"\3x\0" + word(0) + b"\0", MAIN, VARIABLE, others=lists)}


def shared_location_list(count: int) -> Files:
    """Variables and parameters that share one list, whose entries are in no order."""
    attributes = (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_SEC_OFFSET))
    parameter, variable = (
        Shape(tag, attributes) for tag in (dw.TAG_FORMAL_PARAMETER, dw.TAG_VARIABLE)
    )
    listed = word(FIRST + len(OF_MAIN)) + word(0)
    entries = b"".join(
        b"\3p%d\0" % number + listed + b"\4v%d\0" % number + listed for number in range(count // 2)
    )
    lists = b"".join(
        b"\x08" + word(START + number * 2039 % 4095, 8) + b"\1\1" + bytes((0x50 + number % 16,))
        for number in range(4 * count)
    )
    data = OF_MAIN + b"\5" + OF_INT + entries + b"\0"
    others = {".debug_loclists": lists + b"\0"}
    return {"bomb": program(data, MAIN, parameter, variable, INT, others=others)}


def range_lists(count: int) -> Files:
    """Units whose range lists begin one after the other in the same bytes."""
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, 1), (dw.AT_RANGES, dw.FORM_SEC_OFFSET)))
    data = b"".join(unit(b"\1" + bytes(8) + word(3 * number)) for number in range(count))
    return {"bomb": units(data, shape, others={".debug_rnglists": b"\4\0\1" * count + b"\0"})}


def indexed_lists(count: int, *, of_ranges: bool) -> Files:
    """Entries that each have a list of their own, by index, of the same code."""
    base, section = (0x74, ".debug_rnglists") if of_ranges else (0x8C, ".debug_loclists")
    shape = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME, (base, dw.FORM_SEC_OFFSET)), True)
    entry = (
        Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, 0x23),))
        if of_ranges
        else Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOCATION, 0x22)))
    )
    one = (b"\7" if of_ranges else b"\x08") + word(START, 8) + b"\1"
    one += b"\0" if of_ranges else b"\1\x50\0"  # DW_OP_reg0
    offsets = b"".join(word(4 * count + number * len(one)) for number in range(count))
    name = b"" if of_ranges else b"x\0"
    entries = b"".join(b"\3" + name + encode_uleb(number) for number in range(count))
    data = unit(b"\1" + HERE + b"u\0" + word(12) + OF_MAIN + entries + b"\0\0")
    others = {section: sized(b"\5\0\x08\0" + word(count) + offsets + one * count)}
    return {"bomb": units(data, shape, MAIN, entry, others=others)}


def old_range_lists(count: int) -> Files:
    """Units of DWARF 4 whose range lists are the ends of one list, and none of whose code is
    there."""
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, 1), (dw.AT_RANGES, dw.FORM_SEC_OFFSET)))
    head = struct.pack("<HIB", 4, 0, 8)
    data = b"".join(sized(head + b"\1" + bytes(8) + word(16 * n)) for n in range(count))
    lists = struct.pack("<QQ", 1, 2) * count + bytes(16)
    return {"bomb": units(data, shape, others={".debug_ranges": lists})}


def blocks_with_ranges(count: int) -> Files:
    """Blocks that share a list of as many ranges."""
    block = Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),))
    lists = {".debug_rnglists": b"\7" + word(START, 8) + b"\1"}
    lists[".debug_rnglists"] = lists[".debug_rnglists"] * count + b"\0"
    entries = OF_MAIN + b"\3\0\0\0\0" * count + b"\0"
    return {"bomb": program(entries, MAIN, block, others=lists)}


def aranges(count: int) -> Files:
    """Sets of addresses for one unit."""
    one = sized(b"\2\0" + word(0) + b"\x08\0" + bytes(4) + word(START, 8) + word(1, 8) + bytes(16))
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others={".debug_aranges": one * count})}


def string_offsets(count: int) -> Files:
    """Variables named through offsets that all lead to one long string."""
    others = {
        ".debug_str_offsets": sized(b"\5\0\0\0" + bytes(4 * count)),
        ".debug_str": b"A" * (20 * count) + b"\0",
    }
    shape = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME, (0x72, dw.FORM_SEC_OFFSET)), True)
    variable = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, 0x1A),))  # DW_FORM_strx
    data = b"\1" + HERE + b"u\0" + word(8) + OF_MAIN + b"\0"
    data += b"".join(b"\3" + encode_uleb(number) for number in range(count)) + b"\0"
    return {"bomb": units(unit(data), shape, MAIN, variable, others=others)}


def addresses(count: int) -> Files:
    """Functions at addresses by index, beyond those that there are."""
    shape = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME, (0x73, dw.FORM_SEC_OFFSET)), True)
    function = Shape(dw.TAG_SUBPROGRAM, (NAME, (dw.AT_LOW_PC, 0x1B), (dw.AT_HIGH_PC, 6)))
    data = b"\1" + HERE + b"u\0" + word(8) + OF_MAIN + b"\0"
    data += b"".join(b"\3f\0" + encode_uleb(n * n) + word(1) for n in range(count)) + b"\0"
    others = {".debug_addr": sized(b"\5\0\x08\0" + bytes(8 * count))}
    return {"bomb": units(unit(data), shape, MAIN, function, others=others)}


def debug_names(count: int) -> Files:
    """An index whose only bucket has all names, of one hash."""
    counts = (1, 0, 0, 1, count, 8, 0)
    head = b"\5\0\0\0" + b"".join(map(word, counts))
    tables = word(0) + word(1) + word(0x0002B5E0) * count + bytes(4 * count) + bytes(4 * count)
    index = sized(head + tables + b"\1\x34\0\0\0\0\0\0" + b"\1\0")
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others={".debug_names": index})}


def gdb_index(count: int) -> Files:
    """An index whose names all have the same list of units, which is as long as they are many."""
    slots = 1 << (count - 1).bit_length()
    start = 24
    pool = start + 8 * slots
    head = struct.pack("<6I", 8, start, start, start, start, pool)
    vector = word(count) + bytes(4 * count)
    table = struct.pack("<II", len(vector), 0) * slots
    others = {".gdb_index": head + table + vector + b"x\0"}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


# Call frame information

CIE = sized(b"\xff" * 4 + b"\4\0\x08\0\1\x7c\x10" + b"\x0c\7\x08\0\0")


def fde(code: bytes, start: int = START, size_bytes: int = 1 << 32) -> bytes:
    return sized(word(0) + word(start, 8) + word(size_bytes, 8) + code)


def frames(*entries: bytes, common: bytes = CIE) -> Files:
    return {"bomb": elf_file({".debug_frame": common + b"".join(entries), **TEXT}, X86_64)}


def instructions(count: int) -> Files:
    return frames(fde(b"\x0e\x10" * (count // 2)))


def row_instructions(count: int) -> Files:
    return frames(fde(b"\x41\x0e\x10" * (count // 3)))


def remembered(count: int) -> Files:
    return frames(fde(b"\x0a" * count + b"\x0b" * count))


def rules_of_rows(count: int) -> Files:
    """Rows that each have one rule more than the one before."""
    code = b"".join(b"\5" + encode_uleb(number) + b"\1\x41" for number in range(count))
    return frames(fde(code))


def rule_operations(count: int) -> Files:
    """A rule whose operations do nothing."""
    return frames(fde(b"\x0f" + encode_uleb(count) + b"\x96" * count))


def many_fdes(count: int) -> Files:
    return frames(*[fde(b"\x41\x0e\x10", START, 16)] * count)


def different_fdes(count: int) -> Files:
    """FDEs with instructions of their own each."""
    codes = (b"\x41\x0e" + encode_uleb(number) + b"\x41\x83\2" for number in range(count))
    return frames(*[fde(code, START + 16 * number, 16) for number, code in enumerate(codes)])


def initial_rules(count: int) -> Files:
    """Rules of registers that the machine does not have, in a CIE."""
    code = b"\x0c\7\x08" + b"".join(b"\5" + encode_uleb(n) + b"\1" for n in range(200, 200 + count))
    cie = sized(b"\xff" * 4 + b"\4\0\x08\0\1\x7c\x10" + code)
    return frames(fde(b"\x41\x0e\x10"), common=cie)


def overlapping_rules(count: int) -> Files:
    """Rules of registers that the machine does not have, each saved a byte above the one before."""
    code = b"\x0c\7\x08" + b"".join(
        b"\5" + encode_uleb(200 + number) + encode_uleb(number) for number in range(count)
    )
    return frames(fde(b"\x41\x0e\x10"), common=sized(b"\xff" * 4 + b"\4\0\x08\0\1\1\x10" + code))


def initial_instructions(count: int) -> Files:
    """FDEs of a CIE whose last instruction cannot be performed."""
    code = b"\x0c\7\x08" + b"\x0e\x10" * 6 * count + b"\x0b"
    cie = sized(b"\xff" * 4 + b"\4\0\x08\0\1\x7c\x10" + code)
    return frames(*[fde(b"\x41\x0e\x10", START, 16)] * count, common=cie)


def inherited_rules(count: int) -> Files:
    """FDEs of a CIE with as many rules, which are one line."""
    rules = b"".join(b"\7" + encode_uleb(n) for n in range(200, 200 + count))
    cie = sized(b"\xff" * 4 + b"\4\0\x08\0\1\x7c\x10" + b"\x0c\7\x08" + rules)
    codes = (b"\x41\x0e" + encode_uleb(number) for number in range(count))
    return frames(*[fde(code, START, 16) for code in codes], common=cie)


def many_cies(count: int) -> Files:
    return frames(*[CIE] * count)


def different_cies(count: int) -> Files:
    """CIEs with rules of their own each, and an FDE behind each."""
    entries, at = list[bytes](), len(CIE)
    for number in range(count):
        cie = sized(b"\xff" * 4 + b"\4\0\x08\0\1\x7c\x10\x0c\7" + encode_uleb(number) + b"\0\0")
        code = word(at) + word(START + 16 * number, 8) + word(16, 8) + b"\x41\x0e\x10"
        entries.append(cie + sized(code))
        at += len(entries[-1])
    return frames(*entries)


def empty_entries(count: int) -> Files:
    """Entries of 64 bits without any bytes."""
    return frames(*[b"\xff" * 4 + bytes(8)] * count)


def lost_cies(count: int) -> Files:
    """FDEs without a CIE."""
    return frames(*[sized(word(3) + word(START, 8) + word(16, 8))] * count)


def leb128_ranges(count: int) -> Files:
    """FDEs whose ranges are LEB128 numbers."""
    entries = [sized(b"\0\0\0\0\1zR\0\1\x78\x10\1\1\x0c\7\x08\x90\1")]
    at = len(entries[0])
    for number in range(count):
        code = encode_uleb(START + 16 * number) + b"\x10\0\x41\x0e\x10"
        entries.append(sized(word(at + 4) + code))
        at += len(entries[-1])
    frames = Content(b"".join(entries), flags=2, address=0x8000)
    return {"bomb": elf_file({".eh_frame": frames, **TEXT}, X86_64)}


def search_table(count: int) -> Files:
    """Pairs that all lead to one FDE, in falling order."""
    cie = sized(b"\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1" + bytes(2))
    frame_at, table_at = 0x8000, 0x4000
    at = len(cie)
    body = word(at + 4) + struct.pack("<iI", START - (frame_at + at + 8), 16) + b"\0" + bytes(3)
    data = cie + sized(body) + word(0)
    pairs = b"".join(
        struct.pack("<ii", START - table_at - number, frame_at + at - table_at)
        for number in range(count)
    )
    table = b"\1\x1b\3\x3b" + struct.pack("<iI", frame_at - table_at - 4, count) + pairs
    sections = {
        ".eh_frame": Content(data, flags=2, address=frame_at),
        ".eh_frame_hdr": Content(table, flags=2, address=table_at),
    }
    return {"bomb": elf_file({**sections, **TEXT}, X86_64)}


WHERE = ("where --all bomb", "check bomb", "debug bomb <<< print x")
IN_FILE = (
    "debug bomb <<< list f0.c:x",
    "debug bomb <<< list f0.c:f",
    "debug bomb <<< break f0.c:f",
    "debug bomb <<< info line f0.c:f",
    "disas bomb f0.c:f",
    "debug bomb <<< print 'f0.c'::x",
    "debug bomb <<< print 'none.h'::x",
)
STEPS = "more than 48000000 steps to read.*--max-line-rows"
OF_LINES = (
    "debug bomb <<< info line *0x1000",
    "debug bomb <<< disassemble /s 0x1000,0x1002",
    "debug bomb <<< info sources",
    "eval bomb --pc f0.c:2 lit1",
)
LIST = (
    "info bomb",
    "check bomb",
    "debug bomb <<< list main",
    "debug bomb <<< info line f0.c:3",
    "debug bomb <<< break f0.c:2",
)
MANY_FRAMES = ("frames bomb --pc 0x1000", "check bomb")
FRAMES = ("frames bomb", "frames bomb --json", *MANY_FRAMES)
QWORD = (
    "where bomb qword",
    "debug bomb <<< print qword",
    "debug bomb <<< info variables qword",
    "debug bomb <<< list qword",
    "debug bomb <<< break qword",
)
BOMBS = (
    Bomb("files", ".debug_line", "a table of {} files", files, 100_000, LIST, cpu_seconds=3.0),
    Bomb("wide-files", ".debug_line", "files of 200 columns, {} in all", wide_files, 2_000_000,
         LIST),
    Bomb("claimed-files", ".debug_line", "{} files of no bytes", claimed_files, 1 << 40, LIST),
    Bomb("long-directory", ".debug_line", "{} files of a directory with a name twice as long",
         long_directory, 20_000, (*LIST, "debug bomb <<< info sources", "info --lines bomb")),
    Bomb("rows", ".debug_line", "{} rows", rows, 2_990_000, LIST),
    Bomb("most-rows", ".debug_line", "{} rows, more than are read", rows, 5_000_000, LIST,
         says="more than 3000000 rows.*--max-line-rows"),
    Bomb("header-tables", ".debug_line", "tables that have {} rows of one header", header_tables,
         5_000_000, (*LIST, "debug bomb <<< break h.h:5", "debug bomb <<< list h.h:5",
                      "eval bomb --pc h.h:5 lit1", "disas bomb h.h:5",
                      "debug bomb <<< print 'h.h'::x", "debug bomb <<< print 'none.h'::main"),
         says="have more than 3000000 rows.*--max-line-rows", small=400),
    Bomb("unknown-opcodes", ".debug_line", "four tables with {} opcodes that have no meaning",
         partial(opcode_tables, b"\0\1\x80"), 12_000_000,
         (*LIST, "eval bomb --pc f0.c:2 lit1"), says=STEPS),
    Bomb("discriminators", ".debug_line", "four tables with {} discriminators",
         partial(opcode_tables, b"\0\3\4\x81\0"), 12_000_000,
         (*LIST, "eval bomb --pc f0.c:2 lit1"), says=STEPS),
    Bomb("padded-numbers", ".debug_line", "four tables with {} numbers of 15 bytes, all zeros",
         partial(opcode_tables, b"\3" + b"\x80" * 14 + b"\0"), 4_400_000,
         (*LIST, *OF_LINES), says=STEPS),
    Bomb("fixed-advances", ".debug_line", "four tables with {} advances by a fixed number",
         partial(opcode_tables, b"\x09\0\0"), 23_900_000, (*LIST, *OF_LINES), says=STEPS),
    Bomb("no-operands", ".debug_line", "four tables with {} unknown opcodes of one byte",
         partial(opcode_tables, b"\x20", lengths=MORE_LENGTHS), 70_000_000,
         (*LIST, *OF_LINES), says=STEPS),
    Bomb("defined-files", ".debug_line", "four tables that define {} files",
         partial(opcode_tables, b"\0\6\3a\0\0\0\0"), 760_000, LIST),
    Bomb("unended-rows", ".debug_line", "four tables with {} rows and no end of a sequence",
         partial(opcode_tables, b"\x4b", end=b""), 11_900_000, (*LIST, *OF_LINES),
         says=STEPS),
    Bomb("inner-names", ".debug_line", "four tables with {} rows behind the name of a file",
         partial(opcode_tables, b"\x4b", start=b"\0\5\x80x.c\0" + SET_ADDRESS), 11_900_000,
         (*LIST, "debug bomb <<< break x.c:2", "debug bomb <<< info line x.c:2")),
    Bomb("sequences", ".debug_line", "{} sequences of the same code", sequences, 700_000, LIST),
    Bomb("nested-sequences", ".debug_line", "{} sequences inside another one", nested_sequences,
         500_000, (*LIST, "disas bomb"), small=250),
    Bomb("empty-lines", ".debug_line", "{} lines without code of their own", empty_lines, 1_400_000,
         LIST),
    Bomb("shared-table", ".debug_line", "{} units with one table of as many rows", shared_table,
         20_000, LIST),
    Bomb("one-name", ".debug_line", "{} files of one name, and as many functions and variables",
         files_of_one_name, 20_000, IN_FILE, small=25),
    Bomb("shared-names", ".debug_line", "{} files of one name, in the table of as many units",
         units_with_files, 10_000, IN_FILE, small=25),
    Bomb("one-string", ".debug_str", "a string of {} bytes, with one word 1,900 times", one_string,
         40_000_000, (*WHERE, *QWORD)),
    Bomb("zeros", ".debug_info", "a constant of {} zeros, as in the offset of a name",
         partial(zeros, 0), 30_000_000, QWORD),
    Bomb("nearly-zeros", ".debug_info", "a constant of {} zeros, nearly the offset of a name",
         partial(zeros, 250), 30_000_000, QWORD),
    Bomb("abbreviation-bytes", ".debug_abbrev", "{} pairs like a name's in another unit", pairs,
         15_000_000, QWORD),
    Bomb("shared-abbreviations", ".debug_abbrev", "{} units, and as many abbreviations for all",
         shared_abbreviations, 5_000, QWORD, small=15),
    Bomb("without-code", ".debug_info", "{} units with one function, whose code none of them has",
         without_code, 5_000, QWORD, small=30),
    Bomb("location-lists", ".debug_loclists", "{} lists that overlap", location_lists, 30_000,
         WHERE, small=120, says="its parts overlap"),
    Bomb("location-list", ".debug_loclists", "a list of {} entries for one byte",
         long_location_list, 100_000, WHERE),
    Bomb("own-location-lists", ".debug_loclists", "{} variables with a list of their own",
         lambda count: indexed_lists(count, of_ranges=False), 1_000_000,
         ("check bomb", "debug --pc 0x1000 bomb <<< info locals",
          "debug bomb <<< info scope main", "debug bomb <<< print x", "debug bomb <<< break x"),
         says="--max-dies", small=25),
    Bomb("own-range-lists", ".debug_rnglists", "{} blocks with a list of their own",
         lambda count: indexed_lists(count, of_ranges=True), 1_000_000,
         (*WHERE, "debug --pc 0x1000 bomb <<< info locals"), says="--max-dies"),
    Bomb("shared-list", ".debug_loclists", "{} variables with one list of 4 ranges for each",
         shared_location_list, 9_000,
         (*WHERE, "debug --pc 0x1000 bomb <<< info locals", "debug --pc 0x1000 bomb <<< info args",
          "eval --file bomb --pc 0x1000 v1"), cpu_seconds=3.0, small=100),
    Bomb("range-lists", ".debug_rnglists", "{} lists that overlap", range_lists, 30_000,
         (*WHERE, "debug --pc 0x1000 bomb <<< print x")),
    Bomb("old-range-lists", ".debug_ranges", "{} lists that overlap, for code that is elsewhere",
         old_range_lists, 10_000, (*WHERE, "disas bomb"), small=100),
    Bomb("blocks", ".debug_rnglists", "{} blocks that share a list of as many ranges",
         blocks_with_ranges, 30_000, (*WHERE, "debug --pc 0x1000 bomb <<< print x")),
    Bomb("aranges", ".debug_aranges", "{} sets for one unit", aranges, 50_000,
         (*WHERE, "debug --pc 0x1000 bomb <<< print x")),
    Bomb("string-offsets", ".debug_str_offsets", "{} offsets of one long string", string_offsets,
         50_000, WHERE),
    Bomb("addresses", ".debug_addr", "{} addresses by index, most of them beyond the end",
         addresses, 50_000, (*WHERE, "debug --pc 0x1000 bomb <<< print x")),
    Bomb("debug-names", ".debug_names", "a bucket of {} names with one hash", debug_names, 100_000,
         WHERE),
    Bomb("gdb-index", ".gdb_index", "{} names with one list of as many units", gdb_index, 50_000,
         WHERE),
    Bomb("instructions", ".debug_frame", "an FDE of {} bytes of instructions", instructions,
         2_000_000, FRAMES, cpu_seconds=3.0, says="--max-cfa-instructions"),
    Bomb("frame-rows", ".debug_frame", "an FDE of {} bytes of rows", row_instructions, 3_000_000,
         FRAMES, cpu_seconds=3.0, says="--max-cfa-instructions"),
    Bomb("remembered", ".debug_frame", "{} remembered states", remembered, 500_000, FRAMES),
    Bomb("rules", ".debug_frame", "{} rows of as many rules", rules_of_rows, 20_000, FRAMES,
         small=6),
    Bomb("rule-operations", ".debug_frame", "a rule of {} operations", rule_operations, 2_000_000,
         FRAMES),
    Bomb("fdes", ".debug_frame", "{} FDEs of the same code", many_fdes, 2_000_000, MANY_FRAMES),
    Bomb("different-fdes", ".debug_frame", "{} FDEs with instructions of their own",
         different_fdes, 300_000, MANY_FRAMES, says="--max-frame-rules"),
    Bomb("initial-rules", ".debug_frame", "a CIE of {} rules of unknown registers", initial_rules,
         20_000, FRAMES),
    Bomb("overlapping-rules", ".debug_frame", "a CIE of {} rules, each a byte above another",
         overlapping_rules, 20_000, FRAMES),
    Bomb("initial-instructions", ".debug_frame", "{} FDEs of a CIE of 6 instructions for each",
         initial_instructions, 10_000, FRAMES, says="no state was remembered", small=25),
    Bomb("inherited-rules", ".debug_frame", "{} FDEs that inherit as many rules", inherited_rules,
         20_000, FRAMES, says="--max-frame-rules", small=6),
    Bomb("cies", ".debug_frame", "{} CIEs", many_cies, 1_500_000, MANY_FRAMES,
         says="--max-frame-entries"),
    Bomb("different-cies", ".debug_frame", "{} CIEs with rules and an FDE of their own",
         different_cies, 200_000, MANY_FRAMES, says="--max-frame-rules"),
    Bomb("empty-entries", ".debug_frame", "{} entries of 64 bits without bytes", empty_entries,
         1_500_000, MANY_FRAMES, says="--max-frame-rules"),
    Bomb("lost-cies", ".debug_frame", "{} FDEs without a CIE", lost_cies, 2_000_000, MANY_FRAMES,
         says="--max-frame-rules"),
    Bomb("leb128-ranges", ".eh_frame", "{} FDEs whose ranges are LEB128 numbers", leb128_ranges,
         2_000_000, MANY_FRAMES, says="--max-frame-entries"),
    Bomb("search-table", ".eh_frame_hdr", "{} pairs in falling order", search_table, 50_000,
         FRAMES),
)  # fmt: skip
