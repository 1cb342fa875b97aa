"""Bombs of relocatable files, and of files that name or describe others."""

from __future__ import annotations

import struct
import zlib
from random import Random
from typing import Final

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import AMDGPU, X86_64, Content, Shape, abbreviations, elf, unit
from tests.objfile import archives
from tools.bombs.elf import (
    INT,
    MAIN,
    NAME,
    OF_INT,
    OF_MAIN,
    START,
    UNIT,
    packed,
    program,
    sized,
    units,
    word,
)
from tools.bombs.model import Bomb, Files, Hollow
from tools.bombs.sections import CIE, fde

_I386: Final = 3
_RISCV: Final = 243
_RELOCATABLE: Final = 1
_R_X86_64_64: Final = 1
_R_386_32: Final = 1
_R_RISCV_SET_ULEB128: Final = 60
_R_X86_64_RELATIVE: Final = 8
_R_386_RELATIVE: Final = 8
_SHT_RELA: Final = 4
_SHT_RELR: Final = 19
_VARIABLE: Final = Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOW_PC, dw.FORM_ADDR)))
_ROOT: Final = b"\1" + bytes(12) + b"u\0"
"""The values of `UNIT`, not relocated."""
_ROOT_ADDRESS: Final = 13
"""Where its address is in a unit."""
_CODE: Final = b"\x90\xc3"
_IN_REGISTER: Final = Shape(dw.TAG_FORMAL_PARAMETER, (NAME, (dw.AT_LOCATION, dw.FORM_EXPRLOC)))
_ONLY_ROOT: Final = unit(_ROOT + b"\0")
_TEXT: Final = Content(bytes(0x1000), flags=6, address=START)


def _rela(offset: int, symbol: int = 1, kind: int = _R_X86_64_64, addend: int = 0) -> bytes:
    return struct.pack("<QQq", offset, symbol << 32 | kind, addend)


def _object(info: list[bytes], tables: list[tuple[int, bytes]], *shapes: Shape,
            machine: int = X86_64) -> bytes:  # fmt: skip
    """A relocatable file: its sections `.debug_info`, and tables that relocate one of them each."""
    code_symbol = struct.pack("<IBBHQQ", 0, 3, 0, 1, 0, 0)
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(0x1000), flags=6),
        ".debug_abbrev": abbreviations(*shapes),
        ".symtab": Content(bytes(24) + code_symbol, type=2, link=4, entry_bytes=24),
        ".strtab": Content(b"\0", type=3),
        ".debug_info": info[0],
    }
    sections |= {f".debug_{number}": data for number, data in enumerate(info[1:])}
    first_table = len(sections) + 1
    for number, (_, rows) in enumerate(tables):
        sections[f".rela{number}"] = Content(rows, type=_SHT_RELA, link=3, entry_bytes=24)
    data = bytearray(elf(sections, machine, 0, type=_RELOCATABLE))
    (headers_at,) = struct.unpack_from("<Q", data, 40)
    (name_of_info,) = struct.unpack_from("<I", data, headers_at + 64 * 5)
    for number in range(1, len(info)):
        struct.pack_into("<I", data, headers_at + 64 * (5 + number), name_of_info)
    for number, (relocated, _) in enumerate(tables):
        sh_info_at = headers_at + 64 * (first_table + number) + 44
        struct.pack_into("<I", data, sh_info_at, 5 + relocated)
    return bytes(data)


def relocations(count: int) -> Files:
    """Each of the address of a variable."""
    first = 12 + len(_ROOT) + 3
    rows = b"".join(_rela(first + 11 * number, addend=number) for number in range(count))
    info = unit(_ROOT + (b"\2x\0" + bytes(8)) * count + b"\0")
    return {"bomb": _object([info], [(0, rows)], UNIT, _VARIABLE)}


def relocations_of_a_field(count: int) -> Files:
    """All of one field, in ten tables."""
    rows = _rela(_ROOT_ADDRESS) * (count // 10)
    return {"bomb": _object([_ONLY_ROOT], [(0, rows)] * 10, UNIT)}


def packed_relocations(count: int) -> Files:
    """All of one field of a 32-bit file, whose addends are in the section, compressed."""
    info = unit(_ROOT[:9] + _ROOT[13:] + b"\0", address_size=4)
    rows = struct.pack("<II", _ROOT_ADDRESS, 1 << 8 | _R_386_32) * count
    # Bytes that cannot be compressed are behind them, so that the ratio is allowed.
    noise = Random(1).randbytes(len(rows) // 60)
    table = struct.pack("<III", 1, len(rows), 4) + zlib.compress(rows, 9) + noise
    code_symbol = struct.pack("<IIIBBH", 0, 0, 0, 3, 0, 1)
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(0x1000), flags=6),
        ".debug_abbrev": abbreviations(UNIT),
        ".symtab": Content(bytes(16) + code_symbol, type=2, link=4, entry_bytes=16),
        ".strtab": Content(b"\0", type=3),
        ".debug_info": info,
        ".rel.debug_info": Content(table, 9, flags=0x800, link=3, entry_bytes=8),
    }
    data = bytearray(elf(sections, _I386, 0, bits=32, type=_RELOCATABLE))
    (headers_at,) = struct.unpack_from("<I", data, 32)
    struct.pack_into("<I", data, headers_at + 40 * 6 + 28, 5)  # sh_info
    return {"bomb": bytes(data)}


def relocations_of_symbols(count: int) -> Files:
    """Each of a symbol that another file defines, of code too."""
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x10, 0, 0, 0, 0) * count
    tables = [
        b"".join(_rela(begin + 8 * number, symbol=1 + number) for number in range(count))
        for begin in (0, len(_ONLY_ROOT))
    ]
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(8 * count), flags=6),
        ".debug_abbrev": abbreviations(UNIT),
        ".symtab": Content(symbols, type=2, link=4, entry_bytes=24),
        ".strtab": Content(b"\0x\0", type=3),
        ".debug_info": _ONLY_ROOT + bytes(8 * count),
        ".rela.text": Content(tables[0], _SHT_RELA, link=3, entry_bytes=24),
        ".rela.debug_info": Content(tables[1], _SHT_RELA, link=3, entry_bytes=24),
    }
    data = bytearray(elf(sections, X86_64, 0, type=_RELOCATABLE))
    (headers_at,) = struct.unpack_from("<Q", data, 40)
    for table, relocated in ((6, 1), (7, 5)):
        struct.pack_into("<I", data, headers_at + 64 * table + 44, relocated)
    return {"bomb": bytes(data)}


def _loaded(table: Content, machine: int = X86_64, bits: int = 64) -> bytes:
    """A program whose data a table of dynamic relocations changes."""
    place = struct.pack("<QI" if bits == 64 else "<II", START, 0x1000)
    sections: dict[str, bytes | Content] = {
        ".text": _TEXT,
        ".data": Content(bytes(0x1000), flags=3, address=2 * START),
        ".debug_info": unit(b"\1" + place + b"u\0\0", address_size=bits // 8),
        ".debug_abbrev": abbreviations(UNIT),
        ".relocations": table,
    }
    data = bytearray(elf(sections, machine, bits=bits))
    segment = struct.Struct("<IIQQQQQQ" if bits == 64 else "<IIIIIIII")
    end = len(data)
    for section in ObjectFile("bomb", bytes(data)).sections[1:3]:
        row = (section.offset, section.address, section.address, 0x1000, 0x1000)
        data += segment.pack(1, 6, *row, 1) if bits == 64 else segment.pack(1, *row, 6, 1)
    struct.pack_into("<Q" if bits == 64 else "<I", data, 32 if bits == 64 else 28, end)
    struct.pack_into("<HH", data, 54 if bits == 64 else 42, segment.size, 2)
    return bytes(data)


def dynamic_relocations(count: int) -> Files:
    """Of all words from the data on, in an order of no use."""
    step = next(step for step in (1_000_003, 1_000_033) if count % step)
    rows = b"".join(
        struct.pack("<QQq", 2 * START + 8 * (number * step % count), _R_X86_64_RELATIVE, number)
        for number in range(count)
    )
    return {"bomb": _loaded(Content(rows, _SHT_RELA, 2, address=0x8000, entry_bytes=24))}


def dynamic_relocations_of_a_word(count: int) -> Files:
    """All of one word of a 32-bit program."""
    rows = struct.pack("<II", 2 * START, _R_386_RELATIVE) * count
    table = Content(rows, 9, 2, address=0x8000, entry_bytes=8)
    return {"bomb": _loaded(table, _I386, 32)}


def bitmaps(count: int) -> Files:
    """Relative relocations, 63 in each word; a hole behind them allows as many."""
    words = word(2 * START, 8) + b"\xff" * 8 * (count // 63)
    table = Content(words, _SHT_RELR, 2, address=0x8000, entry_bytes=8)
    return {"bomb": Hollow(_loaded(table), 16 * count)}


def relocations_of_a_number(count: int) -> Files:
    """All of one LEB128 number, which is as long as they are many."""
    row = _rela(len(_ONLY_ROOT), kind=_R_RISCV_SET_ULEB128)
    info = _ONLY_ROOT + b"\xff" * count + b"\0"
    return {"bomb": _object([info], [(0, row * count)], UNIT, machine=_RISCV)}


def sections_of_a_name(count: int) -> Files:
    """Each with a unit and a table of relocations."""
    tables = [(number, _rela(_ROOT_ADDRESS)) for number in range(count)]
    return {"bomb": _object([_ONLY_ROOT] * count, tables, UNIT)}


def functions_in_sections(count: int) -> Files:
    """As `-ffunction-sections` makes them: each in a section, to which its entry, a range and its
    call frame information are relocated."""
    info, ranges, frames = bytearray(), bytearray(), bytearray(CIE)
    tables = bytearray(), bytearray(), bytearray()
    symbols, symbol_names = bytearray(24), bytearray(b"\0")
    for number in range(count):
        name, symbol = b"f%d\0" % number, number + 1
        symbols += struct.pack("<IBBHQQ", len(symbol_names), 18, 0, symbol, 0, len(_CODE))
        symbol_names += name
        tables[0].extend(_rela(12 + len(_ROOT) + len(info) + 1 + len(name), symbol))
        info += b"\2" + name + struct.pack("<QI", 0, len(_CODE)) + b"\3x\0\1\x55\0"
        tables[1].extend(_rela(16 + len(ranges), symbol))
        ranges += struct.pack("<QQ", 0, len(_CODE))
        tables[2].extend(_rela(len(frames) + 8, symbol))
        frames += fde(b"", 0, len(_CODE))
    after_size = struct.pack("<HIBBI", 2, 0, 8, 0, 0)
    relocated = {
        ".debug_info": unit(_ROOT + bytes(info) + b"\0"),
        ".debug_aranges": sized(after_size + bytes(ranges) + bytes(16)),
        ".debug_frame": bytes(frames),
    }
    code = {f".text.f{number}": Content(_CODE, flags=6) for number in range(count)}
    sections: dict[str, bytes | Content] = {
        **code,
        **relocated,
        ".debug_abbrev": abbreviations(UNIT, MAIN, _IN_REGISTER),
        ".symtab": Content(bytes(symbols), type=2, link=count + 6, entry_bytes=24),
        ".strtab": Content(bytes(symbol_names), type=3),
    }
    for name, rows in zip(relocated, tables, strict=True):
        sections[f".rela{name}"] = Content(bytes(rows), _SHT_RELA, link=count + 5, entry_bytes=24)
    data = bytearray(elf(sections, X86_64, 0, type=_RELOCATABLE))
    (headers_at,) = struct.unpack_from("<Q", data, 40)
    for number in range(3):
        sh_info_at = headers_at + 64 * (count + 7 + number) + 44
        struct.pack_into("<I", data, sh_info_at, count + 1 + number)
    return {"bomb": bytes(data)}


def packed_members(count: int) -> Files:
    """Each with a section that unpacks to as many bytes, which may be a megabyte at any ratio."""
    info = packed(unit(_ROOT + b"\2" * count + b"\0"))
    shapes = abbreviations(UNIT, Shape(dw.TAG_LEXICAL_BLOCK))
    one = elf({".debug_info": info, ".debug_abbrev": shapes}, X86_64)
    return {"bomb": archives.ar([(f"f{number}", one) for number in range(20)])}


LISTED_VARIABLES = 10_000
"""Of the unit that many indexes list."""


def claimed_pairs(count: int) -> Files:
    """A table of FDEs that says how many it has."""
    table = b"\1\x1b\4\x3b" + struct.pack("<iQ", 0x4000 - 4, count) + bytes(80)
    frames = Content(word(0), flags=2, address=0x8000)
    search = Content(table, flags=2, address=0x4000)
    return {"bomb": elf({".text": _TEXT, ".eh_frame": frames, ".eh_frame_hdr": search}, X86_64)}


def _indexed(*indexes: bytes) -> Files:
    others = {".debug_names": b"".join(indexes)}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


def _index(counts: tuple[int, ...], tables: bytes = b"") -> bytes:
    """Of units, types in the file, types elsewhere, buckets, names, bytes of abbreviations, 0."""
    return sized(b"\5\0\0\0" + b"".join(map(word, counts)) + tables)


def claimed_names(count: int) -> Files:
    return _indexed(_index((count, count, 0, count, count, 8, 0), bytes(1000)))


def name_indexes(count: int) -> Files:
    """Indexes of one unit without names."""
    return _indexed(_index((1, 0, 0, 0, 0, 0, 0), word(0)) * count)


def listed_often(count: int) -> Files:
    """Indexes of one unit with 10,000 variables, without names."""
    indexes = _index((1, 0, 0, 0, 0, 0, 0), word(0)) * count
    variable = Shape(dw.TAG_VARIABLE, (NAME,))
    entries = OF_MAIN + b"\3v\0" * LISTED_VARIABLES + b"\0"
    return {"bomb": program(entries, MAIN, variable, others={".debug_names": indexes})}


def long_index_name(count: int) -> Files:
    """Indexes of one name, all of them a name of a megabyte."""
    indexes = _index((1, 0, 0, 0, 1, 1, 0), word(0) * 3 + b"\0\0") * count
    others = {".debug_names": indexes, ".debug_str": b"m" * 1_000_000 + b"\0"}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


def empty_names(count: int) -> Files:
    """An index of names without letters and entries."""
    index = _index((1, 0, 0, 0, count, 1, 0), word(0) * (1 + 2 * count) + b"\0\0")
    others = {".debug_names": index, ".debug_str": b"\0"}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


def names_without_hashes(count: int) -> Files:
    """An index without hashes, of names that are all `x` and have no entries."""
    index = _index((1, 0, 0, 0, count, 1, 0), word(0) * (1 + 2 * count) + b"\0\0")
    others = {".debug_names": index, ".debug_str": b"x\0"}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


def names_of_one_hash(count: int) -> Files:
    """An index of names with the hash of `x` and without entries: all are another name."""
    tables = word(0) + word(1) + word(_hashed(b"x")) * count + word(1) * 2 * count + b"\0\0"
    index = _index((1, 0, 0, 1, count, 1, 0), tables)
    others = {".debug_names": index, ".debug_str": b"\0y\0x\0"}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


def _hashed(name: bytes) -> int:
    hashed = 5381
    for letter in name:
        hashed = (hashed * 33 + letter) & 0xFFFFFFFF
    return hashed


def named_variables(count: int) -> Files:
    """One name, of as many entries, all of them the variable `x` of another function."""
    kinds = b"\1\x34\3\x13\0\0\0"  # DW_IDX_die_offset, DW_FORM_ref4
    local = Shape(dw.TAG_VARIABLE, (NAME,))
    x_at = word(12 + len(b"\1") + 12 + len(b"u\0") + len(OF_MAIN))
    tables = word(0) + word(1) + word(_hashed(b"x")) + word(0) + word(0) + kinds
    index = _index((1, 0, 0, 1, 1, len(kinds), 0), tables + (b"\1" + x_at) * count + b"\0")
    others = {".debug_names": index, ".debug_str": b"x\0"}
    return {"bomb": program(OF_MAIN + b"\3x\0\0", MAIN, local, others=others)}


def named_entries(count: int) -> Files:
    """One name, of as many entries, all of them the function `main`."""
    hashed = _hashed(b"main")
    kinds = b"\1\x2e\3\x13\0\0\0"  # DW_IDX_die_offset, DW_FORM_ref4
    main_at = word(12 + len(b"\1") + 12 + len(b"u\0"))
    tables = word(0) + word(1) + word(hashed) + word(0) + word(0) + kinds
    entries = (b"\1" + main_at) * count + b"\0"
    index = _index((1, 0, 0, 1, 1, len(kinds), 0), tables + entries)
    others = {".debug_names": index, ".debug_str": b"main\0"}
    return {"bomb": program(OF_MAIN + b"\0", MAIN, others=others)}


def package_rows(count: int) -> Files:
    """Rows of a package's index, whose units are one unit with tables of their own."""
    slots = 1 << (3 * count // 2).bit_length()
    signatures = [0] * slots
    signatures[1 : count + 1] = range(1, count + 1)
    columns = (1, 3, 4)  # DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_LINE
    one, shapes = unit(b"\1"), abbreviations(Shape(dw.TAG_COMPILE_UNIT))
    index = struct.pack("<HHIII", 5, 0, len(columns), count, slots)
    index += struct.pack(f"<{slots}Q", *signatures) + struct.pack(f"<{slots}I", *signatures)
    index += struct.pack("<3I", *columns)
    index += b"".join(struct.pack("<3I", 0, 0, number) for number in range(count))
    index += struct.pack("<3I", len(one), len(shapes), 1) * count
    sections: dict[str, bytes | Content] = {
        ".debug_cu_index": index,
        ".debug_info.dwo": one,
        ".debug_abbrev.dwo": shapes,
        ".debug_line.dwo": bytes(count),
    }
    return {"bomb": elf(sections, X86_64)}


def _noted(notes: bytes) -> Files:
    note = Content(notes, type=7, flags=2, address=0x500)
    return {"bomb": elf({".text": _TEXT, ".note": note}, X86_64)}


def sections_of_notes(data: bytes, count: int, machine: int = X86_64) -> Files:
    """Sections of the same bytes, more than the ELF header can count."""
    made = bytearray(elf({".note": Content(data, type=7)}, machine))
    (headers_at,) = struct.unpack_from("<Q", made, 40)
    made += made[headers_at + 64 : headers_at + 128] * (count - 1)
    struct.pack_into("<H", made, 60, 0)  # e_shnum
    struct.pack_into("<Q", made, headers_at + 32, count + 2)
    return {"bomb": bytes(made)}


def unreadable_notes(count: int) -> Files:
    return sections_of_notes(b"\x90" * 12, count)


def metadata_sections(count: int) -> Files:
    """Each of them has an empty map."""
    note = struct.pack("<III", 7, 1, 32) + b"AMDGPU\0\0" + b"\x80\0\0\0"
    return sections_of_notes(note, count, AMDGPU)


def file_notes(count: int) -> Files:
    return _noted((struct.pack("<III", 4, 0, 3) + b"GNU\0") * count)


def long_build_id(count: int) -> Files:
    return _noted(struct.pack("<III", 4, count, 3) + b"GNU\0" + bytes(count))


def properties(count: int) -> Files:
    """The flags of one kind, again and again."""
    one = struct.pack("<III", 0xC0000002, 4, 3) + bytes(4)
    return _noted(struct.pack("<III", 4, len(one) * count, 5) + b"GNU\0" + one * count)


def linked_circle(size_bytes: int) -> Files:
    """Two stripped files that name each other as their debug files."""

    def stripped(name: bytes, checksum: int) -> bytes:
        padded = (name + b"\0").ljust(-(-(len(name) + 1) // 4) * 4, b"\0")
        return elf({".text": _TEXT, ".gnu_debuglink": padded + word(checksum)}, X86_64)

    other = stripped(b"bomb", 0) + bytes(size_bytes)
    return {"other": other, "bomb": stripped(b"other", zlib.crc32(other))}


def macros(count: int) -> Files:
    """Definitions, and then as many imports of the table that has them."""
    shape = Shape(dw.TAG_COMPILE_UNIT, (NAME, (0x79, dw.FORM_SEC_OFFSET)), True)  # DW_AT_macros
    table = b"\5\0\0" + b"\1\1A\0" * count + (b"\7" + word(0)) * count + b"\0"
    data = unit(b"\1u\0" + word(0) + b"\2" + OF_INT + b"\0")
    return {"bomb": units(data, shape, INT, others={".debug_macro": table})}


def abbreviations_of_names(count: int) -> Files:
    """An index with as many kinds of entries."""
    kinds = b"".join(encode_uleb(code) + b"\x2e\3\x13\0\0" for code in range(1, count + 1)) + b"\0"
    tables = word(0) + word(1) + word(0) + word(0) + word(0) + kinds + b"\0"
    return _indexed(_index((1, 0, 0, 1, 1, len(kinds), 0), tables))


ASK: Final = ("info bomb", "where --all bomb", "check bomb", "debug bomb <<< print x")
NAMES: Final = (*ASK, "debug bomb <<< break main", "where bomb main", "eval --file bomb x")
LOADED: Final = ("info bomb", "check bomb", "debug bomb <<< x/4xw 0x2000")
FILES: Final = (*ASK, "bt --core bomb")
NOTES: Final = ("info bomb", "check bomb", "where --all bomb", "debug bomb <<< info files")
BOMBS: Final = (
    Bomb("relocations", "object file", "{} relocations, each of a variable's address", relocations,
         500_000, ("info bomb", "check bomb", "debug bomb <<< print x", "where bomb x")),
    Bomb("field-relocations", "object file", "{} relocations of one field",
         relocations_of_a_field, 1_000_000, ASK),
    Bomb("packed-relocations", "object file", "{} compressed relocations of one field",
         packed_relocations, 20_000_000, ASK, says="--max-relocations"),
    Bomb("most-relocations", "object file", "{} compressed relocations of one field",
         packed_relocations, 16_000_000, ASK),
    Bomb("symbol-relocations", "object file",
         "{} relocations, each of another symbol of another file, in two sections",
         relocations_of_symbols, 600_000, (*ASK, "debug bomb <<< x/4xw 0"),
         says="--max-relocations"),
    Bomb("dynamic-relocations", "program", "{} dynamic relocations, not in order",
         dynamic_relocations, 8_000_000, LOADED),
    Bomb("word-relocations", "program", "{} dynamic relocations of one word",
         dynamic_relocations_of_a_word, 9_000_000, LOADED, says="--max-relocations"),
    Bomb("bitmap-relocations", "program", "{} relative relocations in bitmaps, and a hole",
         bitmaps, 24_000_000, LOADED),
    Bomb("number-relocations", "object file", "{} relocations of a LEB128 number as long",
         relocations_of_a_number, 500_000, ASK, says="more than 16 bytes"),
    Bomb("info-sections", "object file", "{} sections of one name, each with relocations",
         sections_of_a_name, 20_000, ASK, small=25),
    Bomb("function-sections", "object file", "{} functions, each in a section of its own",
         functions_in_sections, 60_000,
         ("info bomb", "where bomb x --pc f9", "check bomb", "frames bomb --pc f9",
          "debug bomb <<< print x")),
    Bomb("packed-members", "ar archive", "20 members with {} compressed entries each",
         packed_members, 1_000_000, ("info bomb", "check bomb"), says="--max-inflated-ratio"),
    Bomb("claimed-pairs", ".eh_frame_hdr", "a table that says it has {} pairs", claimed_pairs,
         1 << 40, ("frames bomb", "frames bomb --pc 0x1000", "check bomb")),
    Bomb("claimed-names", ".debug_names", "an index that says it has {} names", claimed_names,
         0xFFFFFFFF, NAMES, small=0xFFFF),
    Bomb("name-indexes", ".debug_names", "{} indexes of one unit", name_indexes, 1_000_000, NAMES,
         says="--max-units"),
    Bomb("listed-often", ".debug_names", "{} indexes of one unit of 10,000 entries", listed_often,
         20_000, NAMES, says="--max-dies"),
    Bomb("long-index-name", ".debug_names", "{} indexes of one name of a megabyte",
         long_index_name, 5_000, NAMES, says="--max-searched-names", small=1),
    Bomb("empty-names", ".debug_names", "an index with {} names without letters", empty_names,
         5_000_000, NAMES, says="--max-searched-names"),
    Bomb("same-names", ".debug_names", "an index without hashes of {} names, all of them `x`",
         names_without_hashes, 2_000_000, NAMES, says="--max-searched-names"),
    Bomb("same-hashes", ".debug_names", "an index of {} names, all of them of one hash",
         names_of_one_hash, 5_000_000, NAMES),
    Bomb("same-variables", ".debug_names", "{} entries of one name, all of them one variable",
         named_variables, 2_000_000, NAMES, says="more than 1000000 entries"),
    Bomb("name-kinds", ".debug_names", "an index with {} abbreviations", abbreviations_of_names,
         200_000, NAMES),
    Bomb("name-entries", ".debug_names", "{} entries of one name", named_entries, 200_000, NAMES),
    Bomb("macros", ".debug_macro", "{} macros, and a circle of as many imports", macros, 500_000,
         ASK),
    Bomb("package-rows", ".debug_cu_index", "{} rows of one unit", package_rows, 250_000,
         ("info bomb", "where --all bomb", "check bomb"), says="--max-units", small=25),
    Bomb("file-notes", "ELF notes", "{} build IDs of no bytes", file_notes, 1_000_000, FILES),
    Bomb("unreadable-notes", "ELF notes", "{} sections of notes that are unreadable",
         unreadable_notes, 524_000, NOTES),
    Bomb("metadata-sections", "ELF notes", "{} sections of notes, each with metadata",
         metadata_sections, 524_000, NOTES, says="more than 65536 sections of notes"),
    Bomb("build-id", "ELF notes", "a build ID of {} bytes", long_build_id, 1_000_000, FILES),
    Bomb("properties", "ELF notes", "{} properties of one kind", properties, 1_000_000, FILES),
    Bomb("debug-links", ".gnu_debuglink", "two files that name each other, one of {} bytes",
         linked_circle, 10_000_000, FILES),
)  # fmt: skip
