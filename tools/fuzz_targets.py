"""What coverage-guided fuzzing gives bytes to, for `tools/fuzz_coverage.py` and the tests.

Law: a target takes any bytes and raises nothing; an error of dwarfgpu is an answer, of one line.

A target whose input is several files or sections takes them in one text, between `SEPARATOR`s:
a mutation in one of them moves nothing in the others, as it would in an ELF file.
"""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.npy import parse_npy
from dwarfgpu.cfi.eh_frame_hdr import read_search_table
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde
from dwarfgpu.cfi.search_differences import each_search_difference
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import instruction_text, row_text
from dwarfgpu.check.file import verify
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.index.gdb_index import read_gdb_index
from dwarfgpu.dwarf.line.cubin_lines import cubin_lines
from dwarfgpu.dwarf.names.demangle import demangled, demangled_name
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.bundle import entries_of, is_bundle, read_bundles
from dwarfgpu.objfile.collection.ar import thin_names
from dwarfgpu.objfile.collection.archive import packed_files
from dwarfgpu.objfile.collection.members import is_archive
from dwarfgpu.objfile.cuda_code import read_cuda_code
from dwarfgpu.objfile.cuda_fatbin import read_fatbins
from dwarfgpu.objfile.cuda_target import cuda_target
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import build_id, readable_notes
from dwarfgpu.objfile.file_kinds import FATBIN_MAGIC
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.metadata import metadata_v2, metadata_v3
from dwarfgpu.objfile.ptx_allocation import PtxRegisters
from dwarfgpu.objfile.separate_debug import debug_link
from dwarfgpu.objfile.supplementary import supplementary_link
from tests.dwarf.builder import elf
from tests.objfile import archives
from tools import make_bundle
from tools.fuzz_files import asked_of_code, attempt

FIXTURES: Final = Path(__file__).resolve().parent.parent / "fixtures"
SEPARATOR: Final = b"\xfe--\xfe"
DEBUG_SECTIONS: Final = (
    ".debug_info",
    ".debug_abbrev",
    ".debug_str",
    ".debug_line",
    ".debug_line_str",
    ".debug_str_offsets",
    ".debug_addr",
    ".debug_loclists",
    ".debug_rnglists",
    ".debug_loc",
    ".debug_ranges",
    ".debug_aranges",
    ".debug_names",
    ".debug_types",
    ".gdb_index",
)
"""The parts of an input of `dwarf`."""
MAX_SEED_BYTES: Final = 8_000
_MAX_SHOWN: Final = 200
"""Entries, rows and registers that are asked for of one input."""


def object_file(data: bytes) -> Counter[str]:
    """An ELF file: headers, sections, symbols, notes, metadata, links, relocations."""
    outcomes: Counter[str] = Counter()
    try:
        file = ObjectFile("fuzzed", data)
    except DwarfGpuError as error:
        return Counter({error.kind: 1})
    questions: list[Callable[[], object]] = [
        lambda: file.symbols,
        lambda: file.symbol_before(0x1000),
        lambda: file.symbols_named("kernel"),
        lambda: file.segments,
        lambda: readable_notes(file),
        lambda: build_id(file),
        lambda: debug_link(file),
        lambda: supplementary_link(file),
        lambda: read_gpu_code(file),
        lambda: entries_of(file),
        lambda: file.is_code(0x1000),
        lambda: [file.data_of(section) for section in file.sections[:_MAX_SHOWN]],
        lambda: [
            segment.read(0, min(segment.size_bytes, 64))
            for segment in islice(
                CodeObject.of(file, debug_directories=()).loaded_segments(), _MAX_SHOWN
            )
        ],
    ]
    for question in questions:
        attempt(outcomes, question)
    return outcomes


def bundle(data: bytes) -> Counter[str]:
    """Bundles of code objects, plain and compressed."""
    outcomes: Counter[str] = Counter()

    def entries() -> object:
        bundles = read_bundles(data, "fuzzed") if is_bundle(data[:64]) else ()
        return [(item.kind, item.triple, item.target) for item in bundles]

    attempt(outcomes, entries)
    return outcomes


def cubin(data: bytes) -> Counter[str]:
    """Cubins and CUDA's fat binaries: kernels, registers of PTX, lines, compressed entries."""
    outcomes: Counter[str] = Counter()
    limits = FileLimits(inflated_bytes=1 << 20)
    if data.startswith(FATBIN_MAGIC):
        attempt(outcomes, lambda: [one.data[:] for one in read_fatbins(data, "fuzzed", limits)])
        return outcomes
    try:
        file = ObjectFile("fuzzed", data, limits)
    except DwarfGpuError as error:
        return Counter({error.kind: 1})
    questions: list[Callable[[], object]] = [
        lambda: cuda_target(file),
        lambda: read_cuda_code(file),
        lambda: cubin_lines(file),
        lambda: PtxRegisters(file).ranges("%r1", 0, 0x1000),
        lambda: file.symbol_before(0x100),
    ]
    for question in questions:
        attempt(outcomes, question)
    return outcomes


def archive(data: bytes) -> Counter[str]:
    """Archives and packages: the files in them, down to the bytes."""
    outcomes: Counter[str] = Counter()
    limits = FileLimits(inflated_bytes=1 << 24)

    def files() -> object:
        if not is_archive(data):
            return []
        result = packed_files(data, "fuzzed", limits)
        return [(file.name, file.head(64), len(file.contents(limits))) for file in result]

    attempt(outcomes, files)
    attempt(outcomes, lambda: list(thin_names(data, "fuzzed")) if data[:2] == b"!<" else [])
    return outcomes


def dwarf(data: bytes) -> Counter[str]:
    """Debug sections of an AMD GPU: everything that is asked of a program, and the check."""
    return _of_sections(data, 224)


def dwarf_x86(data: bytes) -> Counter[str]:
    """Debug sections of a CPU's program."""
    return _of_sections(data, 62)


def _of_sections(data: bytes, machine: int) -> Counter[str]:
    parts = dict(zip(DEBUG_SECTIONS, data.split(SEPARATOR), strict=False))
    made = elf({name: part for name, part in parts.items() if part}, machine)
    code = CodeObject.of(ObjectFile("fuzzed", made), debug_directories=())
    outcomes = asked_of_code(code)
    attempt(outcomes, lambda: [str(finding.message) for finding in verify(code).findings.kept])
    return outcomes


def frames(data: bytes) -> Counter[str]:
    """Call frame information, its table and its text, as of a GPU and as of a CPU."""
    outcomes: Counter[str] = Counter()
    section, table = (*data.split(SEPARATOR), b"", b"")[:2]
    for name, kind in (("gfx942", ".debug_frame"), ("x86_64", ".eh_frame")):
        attempt(outcomes, partial(_ask_frames, section, table, name, kind))
    return outcomes


def _ask_frames(data: bytes, table: bytes, name: str, kind: str) -> None:
    arch = architecture(name)
    search = None
    if kind == ".eh_frame" and table:
        search = read_search_table(table, 0x100, 8, arch.endian)
    section = FrameSection(
        ".eh_frame" if kind == ".eh_frame" else ".debug_frame",
        data,
        section_address=0x1000,
        architecture=arch,
        search=search,
    )
    for entry in section.entries[:_MAX_SHOWN]:
        match entry:
            case BrokenEntry():
                assert "\n" not in str(entry.error)
            case Cie() | Fde():
                for instruction in entry.program.instructions[:_MAX_SHOWN]:
                    instruction_text(instruction, entry.program.format)
        if isinstance(entry, Fde):
            for row in entry.table().rows[:_MAX_SHOWN]:
                row_text(row, arch)
    for pc in range(0, 0x200, 0x11):
        section.find(pc)
    for _ in each_search_difference(section):
        pass


def state(data: bytes) -> Counter[str]:
    """A state file with its arrays: `JSON`, then each array."""
    outcomes: Counter[str] = Counter()
    document, *arrays = data.split(SEPARATOR)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "state.json"
        path.write_bytes(document)
        for number, array in enumerate(arrays[:4]):
            (Path(name) / f"{number}.npy").write_bytes(array)

        def ask() -> None:
            result = load_state(path)
            memory = Memory(result.architecture.address_space(0))
            for wave in result.waves[:4]:
                for register in list(result.architecture.registers.values())[:_MAX_SHOWN]:
                    attempt(outcomes, partial(result.target.read_register, wave.wave, register))
            for address in (0, 0x1000, 0x7F0000003C80):
                attempt(outcomes, partial(result.target.read_memory, memory, address, 16))

        attempt(outcomes, ask)
    return outcomes


def core(data: bytes) -> Counter[str]:
    """A core file; no file of the machine is read for it."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "core"
        path.write_bytes(data)

        def ask() -> None:
            result = load_core(path, sysroot=name)
            for number in result.numbers[:4]:
                pc = result.pc_of(number) or 0
                memory = Memory(result.architecture_of(number).address_space(0))
                attempt(outcomes, partial(result.target.known_memory, memory, pc, 64))

        attempt(outcomes, ask)
    return outcomes


def npy(data: bytes) -> Counter[str]:
    """An array of NumPy's format."""
    outcomes: Counter[str] = Counter()

    def ask() -> None:
        array = parse_npy(data, "fuzzed")
        if array.shape and array.shape[0]:
            array.row(0)

    attempt(outcomes, ask)
    return outcomes


def metadata(data: bytes) -> Counter[str]:
    """A code object's metadata, of both encodings: MessagePack and YAML."""
    outcomes: Counter[str] = Counter()
    attempt(outcomes, lambda: metadata_v3(data))
    attempt(outcomes, lambda: metadata_v2(data))
    return outcomes


def names(data: bytes) -> Counter[str]:
    """Mangled names, and the index of names that GDB writes."""
    outcomes: Counter[str] = Counter()
    for line in data[:2000].splitlines():
        text = line.decode("latin-1")
        attempt(outcomes, partial(demangled, text))
        attempt(outcomes, partial(demangled_name, text))

    def index() -> None:
        table = read_gdb_index(data)
        list(islice(table.names(), _MAX_SHOWN))
        list(islice(table.addresses, _MAX_SHOWN))
        _ = table.units, table.type_units
        list(islice(table.owners(b"main"), _MAX_SHOWN))

    attempt(outcomes, index)
    return outcomes


TARGETS: Final[dict[str, Callable[[bytes], Counter[str]]]] = {
    item.__name__: item
    for item in (
        object_file, bundle, cubin, archive, dwarf, dwarf_x86, frames, state, core, npy, metadata,
        names,
    )
}  # fmt: skip
"""By name: what `tools/fuzz_coverage.py` takes."""


def seeds(target: str) -> Iterator[bytes]:
    """Valid inputs of a target, made of small fixtures."""
    match target:
        case "object_file":
            yield from (file.read_bytes() for file in _small("*.co", "*.o"))
        case "bundle":
            yield from _bundles()
        case "cubin":
            for pattern in ("*.lineinfo.cubin", "*.lz4.fatbin"):
                yield from (path.read_bytes() for path in (FIXTURES / "nvidia").glob(pattern))
        case "archive":
            files = {"a.o": b"\x7fELF", "a_name_that_is_long.o": bytes(9)}
            yield archives.ar(files)
            yield archives.bsd_ar(files)
            yield archives.ar(files, magic=b"!<thin>\n")
            yield from (archives.deb(files, kind) for kind in ("", "gz", "xz"))
            yield archives.zipped(files)
        case "dwarf" | "dwarf_x86":
            is_gpu = target == "dwarf"
            for path in _small("*.co", "*.o", "prog", "*.so"):
                file = ObjectFile(path.name, path.read_bytes())
                if (file.machine == "AMDGPU") == is_gpu and file.has_section(".debug_info"):
                    parts = (_section(file, name) for name in DEBUG_SECTIONS)
                    yield SEPARATOR.join(parts).rstrip(SEPARATOR)
        case "frames":
            for path in _small("*.co", "*.o", "*.so"):
                file = ObjectFile(path.name, path.read_bytes())
                for name in (".debug_frame", ".eh_frame"):
                    if file.has_section(name):
                        yield _section(file, name) + SEPARATOR + _section(file, ".eh_frame_hdr")
        case "state":
            yield from (item.read_bytes() for item in _small("states/*.json"))
        case "core":
            yield from (path.read_bytes() for path in (FIXTURES / "core").glob("crash.*.O2.core"))
        case "npy":
            yield from (path.read_bytes() for path in FIXTURES.glob("states/*.npy"))
        case "metadata":
            yield from _metadata()
        case "names":
            yield from _names()


def mutated(rng: Random, data: bytes) -> bytes:
    """Changed in one to eight places: bytes, numbers, parts left out, moved or doubled."""
    out = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at, size = rng.randrange(len(out)), rng.choice((1, 2, 4, 8, 30))
        match rng.randrange(6):
            case 0:
                out[at] ^= 1 << rng.randrange(8)
            case 1:
                out[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            case 2:
                out[at : at + size] = rng.choice((bytes(size), b"\xff" * size))
            case 3 if len(out) > size:
                del out[at : at + size]
            case 4:
                out[at:at] = out[at : at + size]
            case _:
                here = rng.randrange(len(out))
                out[at : at + size] = out[here : here + size]
    return bytes(out)


def _small(*patterns: str) -> Iterator[Path]:
    for pattern in patterns:
        for path in sorted(FIXTURES.rglob(pattern)):
            if path.stat().st_size <= MAX_SEED_BYTES:
                yield path


def _section(file: ObjectFile, name: str) -> bytes:
    return bytes(file.section_data(name)) if file.has_section(name) else b""


def _bundles() -> Iterator[bytes]:
    ids = (b"host-x86_64-unknown-linux-gnu--", b"hipv4-amdgcn-amd-amdhsa--gfx942:xnack+")
    plain = make_bundle.bundle([(id, b"\x7fELF" + id) for id in ids])
    packed = zlib.compress(plain)
    yield plain
    yield b"CCOB" + struct.pack("<HHII", 1, 0, len(plain), 0) + bytes(8) + packed
    yield b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(packed), len(plain), 0) + packed


def _metadata() -> Iterator[bytes]:
    for path in _small("*.co"):
        file = ObjectFile(path.name, path.read_bytes())
        for note in readable_notes(file)[0]:
            if note.owner in ("AMDGPU", "AMD"):
                yield note.content


def _names() -> Iterator[bytes]:
    symbols: set[str] = set()
    for path in _small("*.co", "*.o", "*.so"):
        result = ObjectFile(path.name, path.read_bytes()).symbols
        symbols.update(item.name for item in result if item.name.startswith("_Z"))
    yield "\n".join(sorted(symbols)).encode()
    for path in sorted((FIXTURES / "index").iterdir()):
        data = path.read_bytes()
        if data.startswith(b"\x7fELF") and len(data) < 100_000:
            file = ObjectFile(path.name, data)
            if file.has_section(".gdb_index"):
                yield _section(file, ".gdb_index")
