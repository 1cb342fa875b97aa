"""Bombs of programs whose debug information is in other files."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.machine.cores import Load, core, mapped_files, status
from tools.bombs import containers
from tools.bombs.elf import HEADER_BYTES, MAIN, NAME, OF_MAIN, OF_UNIT, START, TEXT, UNIT, word
from tools.bombs.machines import DEMO, state
from tools.bombs.model import Bomb, Files

ASK: Final = ("info bomb", "where --all bomb", "check bomb", "debug bomb <<< print x")
SPLIT_UNITS: Final = 20_000
_ID: Final = bytes(range(20))
"""The build ID of a supplementary file."""


def _skeletons(names: list[bytes]) -> bytes:
    """A program of skeletons that name split files."""
    shape = Shape(dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING),))
    info = (
        unit(word(number, 8) + b"\1" + name + b"\0", kind=dw.UT_SKELETON)
        for number, name in enumerate(names, 1 << 32)
    )
    sections = {".debug_info": b"".join(info), ".debug_abbrev": abbreviations(shape), **TEXT}
    return elf(sections, X86_64)


def skeletons(count: int) -> Files:
    """They name files that do not exist."""
    return {"bomb": _skeletons([b"f%d.dwo" % number for number in range(count)])}


def _split_file(count: int) -> bytes:
    shape = Shape(dw.TAG_COMPILE_UNIT)
    info = (unit(word(number, 8) + b"\1", kind=dw.UT_SPLIT_COMPILE) for number in range(count))
    sections = {".debug_info.dwo": b"".join(info), ".debug_abbrev.dwo": abbreviations(shape)}
    return elf(sections, X86_64)


def spellings(count: int) -> Files:
    """They name one file, of many units, in as many ways."""
    names = [b"./" * number + b"f.dwo" for number in range(count)]
    return {"bomb": _skeletons(names), "f.dwo": _split_file(SPLIT_UNITS)}


def unreadable(count: int) -> Files:
    """They name one file, which is not an ELF file."""
    return {"bomb": _skeletons([b"f.dwo"] * count), "f.dwo": b"x" * (1 << 20)}


LOADED_FUNCTIONS: Final = 20_000
NEST: Final = 0x1690
"""A program location in the kernel of `DEMO`."""


def loaded_often(count: int) -> Files:
    """A state that loads one file at as many addresses, and writes its name in as many ways."""
    listed = [
        {"path": "./" * (number % 100) + "f.co", "load_address": number << 24}
        for number in range(count)
    ]
    return {
        "bomb": state(waves=[{"pc": START}], code_objects=listed),
        "f.co": containers.symbols(LOADED_FUNCTIONS)["bomb"],
    }


def waves_and_files(count: int) -> Files:
    """A state of code objects, and of eight times as many waves whose pc is in none of them."""
    listed = [{"path": "f.co", "load_address": number << 24} for number in range(count)]
    waves = [{"pc": START + (1 << 47)}] * (8 * count)
    return {
        "bomb": state(waves=waves, code_objects=listed),
        "f.co": containers.symbols(20)["bomb"],
    }


def waves_in_files(count: int) -> Files:
    """A state of files, and of a wave in each."""
    listed = [{"path": f"{number}.co", "load_address": number << 24} for number in range(count)]
    waves = [{"pc": (number << 24) + NEST} for number in range(count)]
    files = {f"{number}.co": DEMO for number in range(count)}
    return {"bomb": state(waves=waves, code_objects=listed), **files}


def mapped_often(count: int) -> Files:
    """A core file of a process that mapped one file, whose name is written in many ways."""
    library = bytearray(core([], [Load(0, b"")] * 4))
    library[16] = 3  # ET_DYN
    page = bytes(library).ljust(4096, b"\0")
    places = [(number + 1) << 20 for number in range(count)]
    paths = ["/" + "./" * (number % 100) + "f.so" for number in range(count)]
    files = mapped_files(
        *((at, at + 4096, 0, name) for at, name in zip(places, paths, strict=True))
    )
    data = bytearray(core([status(1, bytes(216)), files], [Load(at, b"") for at in places]))
    for number in range(count):  # one page of the file is in all of them
        row = 64 + 56 * (number + 1)
        struct.pack_into("<Q", data, row + 8, len(data))
        struct.pack_into("<QQ", data, row + 32, 4096, 4096)
    return {"bomb": bytes(data) + page, "f.so": page.ljust(900_000, b"\0")}


def mapped_once(count: int) -> Files:
    """A core file of a process that mapped many files, which do not exist, and without segments."""
    places = [(number + 1) << 20 for number in range(count)]
    files = mapped_files(*((at, at + 4096, 0, f"/nosuch/{at >> 20}") for at in places))
    return {"bomb": core([status(1, bytes(216)), files], [])}


def lost_stacks(count: int) -> Files:
    """A core file of threads whose stack pointers lead nowhere, and of twelve times as many
    segments, the first with a file."""
    library = bytearray(core([], [Load(0, b"")]))
    library[16] = 3  # ET_DYN
    page = bytes(library).ljust(4096, b"\0")
    registers = bytearray(27 * 8)
    struct.pack_into("<Q", registers, 8 * 19, 1 << 62)
    loads = [Load(0x10000, page), *(Load((number + 2) << 20, b"", 4096) for number in range(count))]
    loads += [Load((number + 2) << 40, b"", 4096) for number in range(min(11 * count, 50_000))]
    threads = [status(1, bytes(registers))] * count
    file = mapped_files((0x10000, 0x11000, 0, "/f.so"))
    return {"bomb": core([*threads, file], loads), "f.so": page}


def _imports(units_with_imports: Iterable[bytes], supplementary: Iterable[bytes]) -> Files:
    """A program whose units import those of a supplementary file. `units_with_imports`: where in
    that file, of each unit."""
    shapes = UNIT, MAIN, Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, dw.FORM_GNU_REF_ALT),))
    info = (unit(OF_UNIT + OF_MAIN + b"\0" + imports + b"\0") for imports in units_with_imports)
    sections = {
        ".debug_info": b"".join(info),
        ".debug_abbrev": abbreviations(*shapes),
        ".gnu_debugaltlink": b"sup\0" + _ID,
        **TEXT,
    }
    partial = Shape(dw.TAG_PARTIAL_UNIT, (), True), Shape(dw.TAG_VARIABLE, (NAME,))
    header = word(4) + word(len(_ID)) + word(3)
    others = {
        ".debug_info": b"".join(supplementary),
        ".debug_abbrev": abbreviations(*partial),
        ".note.gnu.build-id": Content(header + b"GNU\0" + _ID, 7),
    }
    return {"bomb": elf(sections, X86_64), "sup": elf(others, X86_64)}


def imports_of_the_same(count: int) -> Files:
    """Units that each import the same 25 units of a supplementary file."""
    partial = [unit(b"\1\2x%02d\0\0" % number) for number in range(25)]
    places = accumulate(map(len, partial), initial=HEADER_BYTES)
    imports = b"".join(b"\3" + word(at) for at, _ in zip(places, partial, strict=False))
    return _imports([imports] * count, partial)


def imports_of_nothing(count: int) -> Files:
    """Imports of what is no unit."""
    imports = b"".join(b"\3" + word(number + 1 << 8) for number in range(count))
    return _imports([imports], [unit(b"\1\0")])


BOMBS: Final = (
    Bomb("skeletons", "split files", "{} that do not exist", skeletons, 50_000, ASK, small=25),
    Bomb("spellings", "split files", "{} ways to write the name of one of 20,000 units",
         spellings, 1_500, ASK, small=15),
    Bomb("unreadable-split-file", "split files", "a damaged one that {} units name", unreadable,
         50_000, ASK, small=25),
    Bomb("same-imports", "supplementary file", "{} units that each import 25 of its units",
         imports_of_the_same, 20_000, (*ASK, "where bomb x", "eval --file bomb x",
         "debug bomb <<< list x", "debug bomb <<< break x", "debug bomb <<< info variables x",
         "debug bomb <<< print 'nosuch.c'::x"), small=15),
    Bomb("wrong-imports", "supplementary file", "{} imports of what is no unit of it",
         imports_of_nothing, 3_900_000, (*ASK, "debug bomb <<< list x"), says="--max-dies"),
    Bomb("mapped-often", "core file", "a file of 900,000 bytes, mapped {} times", mapped_often,
         2_000, ("bt --core bomb --sysroot .", "info bomb",
                 "debug --core bomb --sysroot . <<< info sharedlibrary"),
         small=25),
    Bomb("missing-files", "core file", "{} files that do not exist", mapped_once, 260_000,
         ("bt --core bomb", "info bomb", "debug --core bomb <<< info sharedlibrary",
          "debug --core bomb <<< info proc mappings"), says="--max-mapped-files"),
    Bomb("lost-stacks", "core file", "{} threads whose stack pointers lead nowhere", lost_stacks,
         5_000, ("bt --core bomb --sysroot .", "info bomb"), small=15),
    Bomb("loaded-often", "state file", "a file of 20,000 functions, loaded {} times", loaded_often,
         2_000, ("bt --state bomb", "waves --state bomb", "debug --state bomb <<< print nosuch"),
         small=50),
    Bomb("waves-and-files", "state file", "{} code objects, and eight times as many waves",
         waves_and_files, 1_000, ("waves --state bomb", "debug --state bomb <<< info threads"),
         small=7),
    Bomb("waves-in-files", "state file", "{} files, and a wave in each", waves_in_files, 800,
         ("waves --state bomb", "eval --state bomb --wave all nosuch",
          "debug --state bomb <<< info threads"), small=12),
)  # fmt: skip
