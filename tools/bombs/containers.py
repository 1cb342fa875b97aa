"""Bombs of object files and what contains them: ELF, compression, bundles, metadata, code."""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from random import Random

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.objfile.file_kinds import BUNDLE_MAGIC, FATBIN_MAGIC
from tests.dwarf.builder import X86_64, Content, Shape, elf
from tests.machine.cores import core, status
from tools.bombs.elf import NAME, block, program
from tools.bombs.model import Bomb, Files

GPU = "hipv4-amdgcn-amd-amdhsa--gfx942"
CODE = 0x1000
_KERNEL = b"\x82\xa5.name\xa1k\xa7.symbol\xa4k.kd"
"""Of the metadata: a name and a descriptor."""


def sections(count: int) -> Files:
    """Sections that all are the whole file."""
    count = min(count, 60_000)
    return {"bomb": elf({f".debug_{number}": b"" for number in range(count)}, X86_64)}


def packed_sections(count: int) -> Files:
    """Compressed sections of a megabyte each in full size, which the limit lets through."""
    data = bytes(2_048 * count)
    body = struct.pack("<IIQQ", 1, 0, len(data), 1) + zlib.compress(data, 9)
    names = (".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_loclists",
             ".debug_rnglists", ".debug_addr", ".debug_frame", ".debug_aranges", ".debug_names",
             ".debug_line_str", ".debug_str_offsets", ".debug_types")  # fmt: skip
    chosen = [*names, *(f".debug_x{number}" for number in range(count))]
    return {"bomb": elf({name: Content(body, flags=0x800) for name in chosen}, X86_64)}


def symbol_table(symbols: bytes, names: bytes, code_bytes: int, machine: int = 224) -> bytes:
    sections: Mapping[str, bytes | Content] = {
        ".text": Content(bytes(code_bytes), flags=6, address=CODE),
        ".symtab": Content(symbols, type=2, link=3, entry_bytes=24),
        ".strtab": Content(names, type=3),
    }
    return elf(sections, machine)


def symbol(name: int, address: int, size_bytes: int, kind: int = 0x12, section: int = 1) -> bytes:
    return struct.pack("<IBBHQQ", name, kind, 0, section, address, size_bytes)


def symbols(count: int) -> Files:
    """Functions inside one another, of one name."""
    rows = b"".join(symbol(1, CODE + n, 4 * count - 2 * n) for n in range(count))
    return {"bomb": symbol_table(bytes(24) + rows, b"\0f\0", 4 * count)}


def symbols_of_one_name(count: int) -> Files:
    """Functions beside one another, of one name."""
    rows = b"".join(symbol(1, CODE + n, 1) for n in range(count))
    return {"bomb": symbol_table(bytes(24) + rows, b"\0f\0", count, 62)}


def symbols_of_one_address(count: int) -> Files:
    """Functions at one address, of two names."""
    rows = (symbol(1, CODE, 1) + symbol(3, CODE, 1)) * (count // 2)
    return {"bomb": symbol_table(bytes(24) + rows, b"\0f\0g\0", 16, 62)}


def plt_entries(count: int) -> Files:
    """A procedure linkage table, and a relocation for each of its words; all of one function."""
    plt, words = 0x10_0000, 0x8000_0000 - 0x1000
    jumps = (struct.pack("<HiQH", 0x25FF, words - plt - 6 - 8 * n, 0, 0) for n in range(count))
    slots = (struct.pack("<QQq", words + 8 * n, 1 << 32 | 7, 0) for n in range(count))
    table: Mapping[str, bytes | Content] = {
        ".text": Content(bytes(16), flags=6, address=CODE),
        ".dynsym": Content(bytes(24) + symbol(1, CODE, 16), type=11, link=3, entry_bytes=24),
        ".dynstr": Content(b"\0f\0", type=3),
        ".rela.plt": Content(b"".join(slots), type=4, flags=2, link=2, entry_bytes=24),
        ".plt": Content(b"".join(jumps), flags=6, address=plt, entry_bytes=16),
    }
    return {"bomb": elf(table, X86_64)}


def mangled_symbols(count: int) -> Files:
    """Functions of a class, which only the symbol table has."""
    names = [b"_ZN2ns1C8m%07dEi\0" % number for number in range(count)]
    size = len(names[0]) if names else 0
    rows = b"".join(symbol(1 + size * n, CODE + n, 1) for n in range(count))
    return {"bomb": symbol_table(bytes(24) + rows, b"\0" + b"".join(names), count, 62)}


def doubled_symbols(count: int) -> Files:
    """Functions of one name, whose parameters are templates of two of the one before: too long to
    be written."""
    types = "1AIiiES_IS_S_ES_IS0_S0_E" + "".join(
        f"S_I{2 * _substitution(number)}E" for number in range(2, 55)
    )
    names = [f"_Z1f{types}A{number + 1}_i".encode() + b"\0" for number in range(count)]
    starts = [1]
    for name in names:
        starts.append(starts[-1] + len(name))
    rows = b"".join(symbol(starts[number], CODE + number, 1) for number in range(count))
    return {"bomb": symbol_table(bytes(24) + rows, b"\0" + b"".join(names), count, 62)}


def _substitution(number: int) -> str:
    """The name of a type that was read before (Itanium C++ ABI, 5.1.10)."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    high, low = divmod(number, 36)
    return f"S{digits[high] if high else ''}{digits[low]}_"


def spelled_symbols(count: int) -> Files:
    """Functions with short mangled names, in which each substitution is longer than the last."""
    tail = b"PFviiiEPFvS0_S0_S0_EPFvS2_S2_S2_ES4_S4_"
    names = [b"_Z8f%07d%b\0" % (number, tail) for number in range(count)]
    size = len(names[0]) if names else 0
    rows = b"".join(symbol(1 + size * n, CODE + n, 1) for n in range(count))
    return {"bomb": symbol_table(bytes(24) + rows, b"\0" + b"".join(names), count, 62)}


def thread_symbols(count: int) -> Files:
    """Symbols at the beginning of thread-local storage, where one variable is: names of 10,000
    characters, in which every three digits may be the length of what follows."""
    digits = bytes(0x31 + byte % 9 for byte in range(256))
    text = bytearray(Random(1).randbytes(count).translate(digits))
    text[3::4] = b"a" * len(text[3::4])
    names = [b"_%b\0" % text[begin : begin + 10_000] for begin in range(0, count, 10_000)]
    rows = b"".join(symbol(1 + 10_002 * n, 0, 4, 0x16) for n in range(len(names)))  # STT_TLS
    others = {
        ".symtab": Content(bytes(24) + rows, type=2, link=5, entry_bytes=24),
        ".strtab": Content(b"\0" + b"".join(names), type=3),
    }
    location = block(b"\x0e" + bytes(8) + b"\xe0")  # DW_OP_const8u 0, in thread-local storage
    variable = Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOCATION, dw.FORM_EXPRLOC)))
    return {"bomb": program(b"\2x\0" + location, variable, others=others)}


def long_symbol_names(count: int) -> Files:
    """Functions whose names overlap: each is the rest of one long string."""
    rows = b"".join(symbol(1 + n, CODE + 4 * n, 4) for n in range(count))
    return {"bomb": symbol_table(bytes(24) + rows, b"\0" + b"f" * (8 * count) + b"\0", 4 * count)}


def mangled(count: int) -> Files:
    """Names whose arguments refer to those before: twice as long with each."""
    digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    last = [b"S%c_" % digits[number % 36] for number in range(count)]
    text = b"\0_Z1f1B" + b"".join(b"1AI%s%sE" % (name, name) for name in last) + b"\0"
    return {"bomb": symbol_table(bytes(24) + symbol(1, CODE, 4), text, 64)}


def nested_mangled(count: int) -> Files:
    """A name of pointers to pointers."""
    text = b"\0_Z1f" + b"P" * count + b"i\0"
    return {"bomb": symbol_table(bytes(24) + symbol(1, CODE, 4), text, 64)}


def nested_templates(count: int) -> Files:
    text = b"\0_Z1f" + b"1AI" * count + b"i" + b"E" * count + b"\0"
    return {"bomb": symbol_table(bytes(24) + symbol(1, CODE, 4), text, 64)}


def bundle(entries: list[tuple[bytes, int, int]], body: bytes) -> bytes:
    """An uncompressed bundle: the id, offset and size of each."""
    table = b"".join(struct.pack("<QQQ", at, size, len(id)) + id for id, at, size in entries)
    return BUNDLE_MAGIC + struct.pack("<Q", len(entries)) + table + body


def bundle_entries(count: int) -> Files:
    """Code objects that all are the same bytes."""
    code = elf({".text": Content(bytes(64), flags=6, address=CODE)})
    at = len(BUNDLE_MAGIC) + 8 + count * (24 + len(GPU))
    return {"bomb": bundle([(GPU.encode(), at, len(code))] * count, code)}


def compressed_bundle(data: bytes, size_bytes: int | None = None) -> bytes:
    body = zlib.compress(data, 9)
    size = len(data) if size_bytes is None else size_bytes
    hash = hashlib.md5(data, usedforsecurity=False).digest()[:8]
    return b"CCOB" + struct.pack("<HHII", 2, 0, 24 + len(body), size) + hash + body


def inflated_bundle(count: int) -> Files:
    return {"bomb": compressed_bundle(bytes(count))}


def empty_bundles(count: int) -> Files:
    return {"bomb": compressed_bundle(b"") * count}


def fat_bundles(count: int) -> Files:
    """Compressed bundles in a host's program, which inflate to nearly a megabyte each."""
    one = compressed_bundle(BUNDLE_MAGIC + bytes((1 << 20) - 64))
    data = b"".join(one.ljust(-(-len(one) // 4096) * 4096, b"\0") for _ in range(count))
    return {"bomb": elf({".hip_fatbin": Content(data, flags=2, address=CODE)}, X86_64)}


def fatbin(entries: list[tuple[int, bytes, int]]) -> bytes:
    """Of flags, contents, and size when decompressed."""
    out = b""
    for flags, data, size_bytes in entries:
        out += struct.pack("<HHIQIIII", 2, 0x101, 64, len(data), len(data), 0, 0, 75)
        out += struct.pack("<QQQQ", 0, flags, 0, size_bytes) + data
    return FATBIN_MAGIC + struct.pack("<HHQ", 1, 16, len(out)) + out


def fatbin_entries(count: int) -> Files:
    """Entries of nothing."""
    one = fatbin([(0, b"", 0)])[16:]
    return {"bomb": FATBIN_MAGIC + struct.pack("<HHQ", 1, 16, count * len(one)) + count * one}


def fatbin_cubins(count: int) -> Files:
    """Cubins without code, all for the same GPUs."""
    return {"bomb": fatbin([(0, elf({".text": b""}, 190, 75), 0)] * count)}


def inflated_fatbin(size_bytes: int) -> Files:
    """A byte, and matches of all the others."""
    more = size_bytes - 20
    block = b"\x1f\0\x01\0" + b"\xff" * (more // 255) + bytes((more % 255,)) + b"\0"
    return {"bomb": fatbin([(0x2000, block, size_bytes)])}


def gzip_core(count: int) -> Files:
    return {"bomb": gzip.compress(core([status(1, bytes(27 * 8))]) + bytes(count))}


def metadata(content: bytes, owner: bytes = b"AMDGPU", type: int = 32) -> Files:
    return _with_notes(_note(content, owner, type))


def _note(content: bytes, owner: bytes = b"AMDGPU", type: int = 32) -> bytes:
    note = struct.pack("<III", len(owner) + 1, len(content), type)
    note += owner + bytes(4 - len(owner) % 4) + content
    return note.ljust(-(-len(note) // 4) * 4, b"\0")


def _with_notes(notes: bytes) -> Files:
    text = Content(bytes(64), flags=6, address=CODE)
    return {"bomb": elf({".note": Content(notes, type=7, flags=2, address=0x500), ".text": text})}


def notes_of_versions(count: int) -> Files:
    """Notes that cannot be joined: each is of another version."""
    version = b"\x81\xaeamdhsa.version\x92\1\xce"
    notes = (_note(version + struct.pack(">I", number)) for number in range(count))
    return _with_notes(b"".join(notes))


def notes_of_a_kernel(count: int) -> Files:
    """Notes that all have one kernel."""
    return _with_notes(_note(b"\x81\xaeamdhsa.kernels\x91" + _KERNEL) * count)


def notes_of_kernels(count: int) -> Files:
    """Twenty notes that have the same kernels."""
    kernels = b"".join(
        b"\x82\xa5.name\xa7k%06d\xa7.symbol\xaak%06d.kd" % (number, number)
        for number in range(count)
    )
    note = _note(b"\x81\xaeamdhsa.kernels\xdd" + struct.pack(">I", count) + kernels)
    return _with_notes(note * 20)


def nested_metadata(count: int) -> Files:
    return metadata(b"\x91" * count + b"\xc0")


def claimed_metadata(count: int) -> Files:
    """An array that says how many elements it has."""
    return metadata(b"\x81\xaeamdhsa.kernels\xdd" + struct.pack(">I", min(count, 0xFFFFFFFF)))


def described_kernels(count: int) -> Files:
    """Kernels of one name and descriptor."""
    return metadata(b"\x81\xaeamdhsa.kernels\xdd" + struct.pack(">I", count) + _KERNEL * count)


def yaml_kernels(count: int) -> Files:
    """Kernels in the metadata of code object V2."""
    text = b"---\nVersion: [1, 0]\nKernels:\n" + b"  - Name: k\n    SymbolName: k@kd\n" * count
    return metadata(text + b"...\n", owner=b"AMD", type=10)


def kernel_arguments(count: int) -> Files:
    argument = b"\x83\xa7.offset\x00\xa5.size\x04\xab.value_kind\xa8by_value"
    kernel = b"\x83\xa5.name\xa1k\xa7.symbol\xa4k.kd\xa5.args\xdd" + struct.pack(">I", count)
    return metadata(b"\x81\xaeamdhsa.kernels\x91" + kernel + argument * count)


def long_names(count: int) -> Files:
    """A kernel with long names and texts."""
    long = b"\xdb" + struct.pack(">I", count) + b"n" * count
    argument = b"\x84\xa7.offset\x00\xa5.size\x04\xa5.name" + long + b"\xab.value_kind\xa8by_value"
    kernel = b"\x84\xa5.name" + long + b"\xa7.symbol" + long + b"\xa9.language" + long
    return metadata(b"\x81\xaeamdhsa.kernels\x91" + kernel + b"\xa5.args\x91" + argument)


def code(data: bytes, rows: bytes = b"", names: bytes = b"\0") -> Files:
    table: Mapping[str, bytes | Content] = {
        ".text": Content(data, flags=6, address=CODE),
        ".symtab": Content(bytes(24) + rows, type=2, link=3, entry_bytes=24),
        ".strtab": Content(names, type=3),
    }
    return {"bomb": elf(table)}


def branches(count: int) -> Files:
    """Branches over one instruction, of one function."""
    return code(struct.pack("<I", 0xBF820001) * count, symbol(1, CODE, 4 * count), b"\0f\0")


def far_branches(count: int) -> Files:
    """Branches to the first instruction and its neighbours."""
    words = b"".join(struct.pack("<HH", -(n // 2) & 0xFFFF, 0xBF82) for n in range(count))
    return code(words, symbol(1, CODE, 4 * count), b"\0f\0")


def labels(count: int) -> Files:
    """A function for each instruction."""
    rows = b"".join(symbol(1, CODE + 4 * n, 4) for n in range(count))
    return code(struct.pack("<I", 0xBF820001) * count, rows, b"\0f\0")


def named_functions(count: int) -> Files:
    """A function for each instruction, each with a name of its own."""
    names = b"".join(b"s%07d\0" % number for number in range(count))
    rows = b"".join(symbol(1 + 9 * n, CODE + 4 * n, 4) for n in range(count))
    return code(struct.pack("<I", 0xBF800000) * count, rows, b"\0" + names)


def no_instructions(count: int) -> Files:
    return code(b"\xff" * (4 * count), symbol(1, CODE, 4 * count), b"\0f\0")


def kernels_of_code(count: int) -> Files:
    """Kernels with descriptors, each at an instruction of its own."""
    rows, names = b"", b"\0"
    for number in range(count):
        rows += symbol(len(names), CODE + 4 * number, 4)
        names += b"k%d\0" % number
        rows += symbol(len(names), 0x800000 + 64 * number, 64, kind=0x11, section=4)
        names += b"k%d.kd\0" % number
    descriptors = b"".join(
        struct.pack("<3IIq", 0, 0, 0, 0, CODE + 4 * n - 0x800000 - 64 * n).ljust(64, b"\0")
        for n in range(count)
    )
    table: Mapping[str, bytes | Content] = {
        ".text": Content(struct.pack("<I", 0xBF810000) * count, flags=6, address=CODE),
        ".symtab": Content(bytes(24) + rows, type=2, link=3, entry_bytes=24),
        ".strtab": Content(names, type=3),
        ".rodata": Content(descriptors, flags=2, address=0x800000),
    }
    return {"bomb": elf(table)}


def quick_cases(count: int) -> Files:
    """A suite of cases that each add two numbers."""
    rows = [
        {
            "name": f"case{number}", "source": "made", "bytes_hex": "313222", "address_size": 8,
            "endian": "little", "state": {}, "machine": "EM_AMDGPU",
            "expected": {"kind": "value", "value": 3},
        }
        for number in range(count)
    ]  # fmt: skip
    return {"bomb": json.dumps({"format": "dwarfgpu-conformance-1", "cases": rows}).encode()}


def cases(count: int) -> Files:
    """A suite of conformance cases that loop until their limit ends."""
    rows = [
        {
            "name": f"case{number}", "source": "made", "bytes_hex": "33132ffbff", "address_size": 8,
            "endian": "little", "state": {}, "machine": "EM_AMDGPU",
            "expected": {"kind": "error", "class": "LimitExceeded"},
        }
        for number in range(count)
    ]  # fmt: skip
    return {"bomb": json.dumps({"format": "dwarfgpu-conformance-1", "cases": rows}).encode()}


OPEN = ("info bomb", "check bomb", "where --all bomb", "debug bomb <<< info functions; print x")
NOTED = (
    "info bomb",
    "info --json bomb",
    "dispatch bomb --grid 64 --workgroup 64",
    "disas bomb",
)
CODE_OF = (
    "disas bomb",
    "disas --arrows always bomb",
    "disas bomb f",
    "info bomb",
    "disas bomb --json",
)
BOMBS = (
    Bomb("sections", "ELF", "{} sections", sections, 60_000, OPEN),
    Bomb("packed-sections", "compression", "{} compressed sections, and the known ones",
         packed_sections, 500, OPEN, small=4),
    Bomb("symbols", ".symtab", "{} functions inside one another, of one name", symbols, 60_000,
         (*OPEN, "debug bomb <<< info symbol 0x1100; list f; break f")),
    Bomb("symbol-namesakes", ".symtab", "{} functions of one name", symbols_of_one_name, 1_000_000,
         ("debug bomb <<< break f", "debug bomb <<< info line f", "debug bomb <<< print f",
          "debug bomb <<< info scope f", "debug bomb <<< disassemble f"), small=25,
         says="--max-namesakes"),
    Bomb("same-addresses", ".symtab", "{} functions at one address", symbols_of_one_address,
         2_000_000, ("debug bomb <<< info line *0x1000", "debug bomb <<< x/2i 0x1000",
                     "debug bomb <<< info symbol 0x1000", "debug bomb <<< info functions f"),
         says="--max-searched-names"),
    Bomb("plt-entries", "program", "{} entries of a procedure linkage table", plt_entries,
         3_000_000, ("debug bomb <<< info functions f", "debug bomb <<< x/2i 0x100000",
                     "debug bomb <<< info line *0x100010"), says="--max-relocations"),
    Bomb("mangled-symbols", ".symtab", "{} functions of a class", mangled_symbols, 1_000_000,
         ("debug bomb <<< info functions [x-z]q", "debug bomb <<< break nosuch",
          "debug bomb <<< break m0000005", "debug bomb <<< complete break m",
          "debug bomb <<< info symbol 0x1010"), says="--max-searched-names"),
    Bomb("spelled-symbols", ".symtab", "{} functions with long spellings of short names",
         spelled_symbols, 130_000, ("debug bomb <<< info functions q",),
         says="--max-searched-names"),
    Bomb("doubled-symbols", ".symtab", "{} functions of one name whose parameters are too long",
         doubled_symbols, 20_000, ("debug bomb <<< break f", "debug bomb <<< break A",
                                   "debug bomb <<< info functions q"),
         small=10, says="--max-searched-names"),
    Bomb("symbol-names", ".symtab", "{} functions whose names overlap", long_symbol_names, 20_000,
         OPEN, small=100),
    Bomb("thread-symbols", ".symtab",
         "{} characters of the symbols at the beginning of thread-local storage", thread_symbols,
         40_000_000, ("where bomb x", "eval --file bomb x", *OPEN), small=100_000),
    Bomb("mangled", ".symtab", "a name of {} templates, each of two of the one before", mangled,
         10_000, (*OPEN, "disas bomb"), small=20),
    Bomb("pointers", ".symtab", "a name of {} pointers to one another", nested_mangled, 100_000,
         (*OPEN, "disas bomb")),
    Bomb("templates", ".symtab", "a name of {} templates in one another", nested_templates,
         100_000, (*OPEN, "disas bomb")),
    Bomb("bundle-entries", "offload bundle", "{} code objects of the same bytes", bundle_entries,
         50_000, ("info bomb", "info bomb --target gfx942", "disas bomb --target gfx942")),
    Bomb("inflated-bundle", "offload bundle", "a compressed bundle of {} bytes", inflated_bundle,
         300_000_000, ("info bomb", "check bomb"), small=1 << 21, says="--max-inflated"),
    Bomb("empty-bundles", "offload bundle", "{} compressed bundles of nothing", empty_bundles,
         60_000, ("info bomb",)),
    Bomb("fat-bundles", "offload bundle", "{} compressed bundles of a megabyte in a program",
         fat_bundles, 1_000, ("info bomb", "info bomb --target gfx942"), small=2),
    Bomb("fatbin-entries", "fat binary", "{} entries of CUDA without contents", fatbin_entries,
         65_000, ("info bomb", "disas bomb --target sm_75")),
    Bomb("fatbin-cubins", "fat binary", "{} cubins for one GPU", fatbin_cubins, 10_000,
         ("info bomb", "check bomb", "where --all bomb", "disas bomb --target sm_75"), small=25),
    Bomb("inflated-fatbin", "fat binary", "a cubin that LZ4 packed, of {} bytes", inflated_fatbin,
         300_000_000, ("info bomb", "check bomb"), small=1 << 21, says="--max-inflated"),
    Bomb("gzip", "core file", "a core file of {} bytes, packed by gzip", gzip_core, 300_000_000,
         ("info bomb", "bt --core bomb"), small=1 << 21, says="--max-inflated"),
    Bomb("nested-metadata", "metadata", "{} arrays in one another", nested_metadata, 500_000,
         ("info bomb", "dispatch bomb --grid 64 --workgroup 64")),
    Bomb("claimed-metadata", "metadata", "an array that says it has {} elements",
         claimed_metadata, 0xFFFFFFFF, ("info bomb", "dispatch bomb --grid 64 --workgroup 64")),
    Bomb("kernels", "metadata", "{} kernels of one name", described_kernels, 50_000,
         ("info bomb", "info --json bomb", "dispatch bomb --grid 64 --workgroup 64", "disas bomb")),
    Bomb("small-kernels", "metadata", "{} kernels of a name alone", described_kernels, 120_000,
         ("info bomb", "info --json bomb")),
    Bomb("yaml-kernels", "metadata", "{} kernels of code object V2", yaml_kernels, 120_000,
         ("info bomb", "info --json bomb")),
    Bomb("yaml-values", "metadata", "{} kernels of code object V2, more than are read",
         yaml_kernels, 390_000, ("info bomb", "info --json bomb"), says="--max-metadata-values"),
    Bomb("arguments", "metadata", "a kernel of {} arguments", kernel_arguments, 1_500_000,
         ("info bomb", "dispatch bomb --grid 64 --workgroup 64"), says="--max-metadata-values"),
    Bomb("long-texts", "metadata", "a kernel whose names have {} characters each", long_names,
         2_000_000, ("info bomb", "dispatch bomb --grid 64 --workgroup 64", "disas bomb")),
    Bomb("metadata-notes", "metadata", "{} notes of a version of their own", notes_of_versions,
         500_000, NOTED, says="--max-metadata-values"),
    Bomb("kernel-notes", "metadata", "{} notes of one kernel", notes_of_a_kernel, 500_000, NOTED,
         says="--max-metadata-values"),
    Bomb("large-notes", "metadata", "20 notes of the same {} kernels", notes_of_kernels, 6_000,
         NOTED),
    Bomb("branches", "code", "{} branches over one instruction", branches, 20_000, CODE_OF),
    Bomb("far-branches", "code", "{} branches to one another's neighbours", far_branches, 20_000,
         CODE_OF),
    Bomb("labels", "code", "{} functions of one instruction", labels, 20_000, CODE_OF),
    Bomb("named-functions", "code", "{} functions of one instruction, each with a name of its own",
         named_functions, 1_000_000,
         ("disas bomb s0000005", "disas bomb 0x1010", "debug bomb <<< x/2i 0x1010", "check bomb",
          "info bomb")),
    Bomb("no-instructions", "code", "{} words that are not an instruction", no_instructions,
         200_000, CODE_OF),
    Bomb("kernel-code", "code", "{} kernels of one instruction", kernels_of_code, 5_000, CODE_OF,
         small=30),
    Bomb("cases", "conformance suite", "{} cases that loop for ever", cases, 1_000,
         ("conformance bomb",), small=5),
    Bomb("quick-cases", "conformance suite", "{} cases that add two numbers", quick_cases, 50_000,
         ("conformance bomb",), small=5),
)  # fmt: skip
