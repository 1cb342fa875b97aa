"""Mutated files of programs whose debug information is in several, and mutated core files: for
`tools/fuzz.py --files`.

Law: each question to a broken program gets an answer or one of dwarfgpu's errors, of one line, and
soon.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from unittest.mock import patch

from dwarfgpu.base.index_cache import INDEX_CACHE
from dwarfgpu.cli.main import main
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.index import cached_names
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.global_variables import global_named, globals_of
from dwarfgpu.dwarf.scope.imports import imported_units, units_with_names
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Struct
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.file.file_report import report_on
from dwarfgpu.service.file.file_report_json import report_json
from dwarfgpu.terminal.progress import Progress

SPLIT = Path(__file__).resolve().parent.parent / "fixtures/split"
CORES = SPLIT.parent / "core"
_LEFT_OUT = (".cpp", ".h")
_BYTES = (0, 1, 0x7F, 0x80, 0xFF)


def one_round(seed: int) -> Counter[str]:
    """Mutate the files of one program and ask for everything; outcomes by kind.

    Raises whatever dwarfgpu should not have raised.
    """
    if seed % 4 == 0:
        return core_round(seed)
    rng = Random(seed)
    kind = rng.choice(sorted(path.name for path in SPLIT.iterdir() if path.is_dir()))
    with tempfile.TemporaryDirectory() as folder:
        files = [
            Path(shutil.copyfile(path, Path(folder, path.name)))
            for path in sorted((SPLIT / kind).iterdir())
            if path.suffix not in _LEFT_OUT
        ]
        main = rng.choice([file for file in files if file.suffix != ".debug"])
        # A package is looked at first; without it the split files are.
        if rng.random() < 0.5:
            for item in files:
                if item.suffix == ".dwp" and item != main:
                    item.unlink()
        left = [file for file in files if file.exists()]
        for item in rng.sample(left, rng.choice((1, 1, min(2, len(left))))):
            item.write_bytes(mutated_file(rng, item.read_bytes()))
        try:
            outcomes = asked(main, Path(folder))
        except Exception as error:
            error.add_note(f"program {kind}, seed {seed}")
            raise
    return outcomes


def mutated_file(rng: Random, data: bytes) -> bytes:
    """The file cut short, or with bytes of its debug sections changed."""
    if rng.random() < 0.15:
        return data[: rng.randrange(len(data))]
    sections = [
        section
        for section in ObjectFile("made", data).sections
        if section.size_bytes and (section.name.startswith((".debug_", ".gnu_debugaltlink")))
    ]
    out = bytearray(data)
    for _ in range(rng.choice((1, 2, 5, 20))):
        if rng.random() < 0.05 or not sections:
            at = rng.randrange(len(out))
        else:
            section = rng.choice(sections)
            at = section.offset + rng.randrange(section.size_bytes)
        flipped = out[at] ^ 1 << rng.randrange(8)
        out[at] = rng.choice((flipped, rng.choice(_BYTES), rng.randrange(256)))
    return bytes(out)


def asked(path: Path, folder: Path) -> Counter[str]:
    """All questions, and what came of them."""
    outcomes: Counter[str] = Counter()
    attempt(outcomes, lambda: report_json(report_on(str(path), None, (folder,))))
    try:
        code = CodeObject.open(path, debug_directories=(folder,))
    except (DwarfGpuError, UsageError) as error:
        return outcomes + Counter({error.kind: 1})
    return outcomes + asked_of_code(code)


def asked_of_code(code: CodeObject) -> Counter[str]:
    """The questions to an object file that is open."""
    outcomes: Counter[str] = Counter()
    try:
        units = list(code.info.units)
        starts = [symbol.address for symbol in code.file.symbols if symbol.kind == "function"]
    except DwarfGpuError as error:
        return Counter({error.kind: 1})
    for question in _of_program(code, starts):
        attempt(outcomes, question)
    for unit in units:
        for question in _of_unit(code, unit):
            attempt(outcomes, question)
    for unit in units_with_names(code.info):
        attempt(outcomes, lambda unit=unit: _ask_entries(unit, outcomes))
    return outcomes


def attempt(outcomes: Counter[str], question: Callable[[], object]) -> None:
    """Ask, and count what comes of it; raises what is not an error of dwarfgpu."""
    try:
        question()
        outcomes["answer"] += 1
    except DwarfGpuError as error:
        assert str(error) and "\n" not in str(error), "not one line"
        outcomes[error.kind] += 1


def _of_program(code: CodeObject, starts: list[int]) -> Iterator[Callable[[], object]]:
    yield lambda: code.info.problems
    for name in ("baseline", "corner", "geo::scale", "launches", "nothing"):
        yield lambda name=name: global_named(code.info, name)
    for pc in (at + step for at in starts for step in (0, 5, 0x40)):
        yield lambda pc=pc: LineLookup(code.scopes).line_of(pc)
        yield lambda pc=pc: code.scopes.functions_at(pc)
        yield lambda pc=pc: [
            (type_name(variable.type), size_bytes(variable.type), variable.location)
            for variable in code.scopes.variables_at(pc)
        ]


def _of_unit(code: CodeObject, unit: CompilationUnit) -> Iterator[Callable[[], object]]:
    yield lambda: unit.full
    yield lambda: unit.full.dialect
    yield lambda: unit.full.line_table and unit.full.line_table.files
    yield lambda: list(imported_units(unit.full))
    yield lambda: list(globals_of(unit.full))


def _ask_entries(unit: CompilationUnit, outcomes: Counter[str]) -> None:
    for index in range(len(unit.tree.offsets)):
        die = unit.die(index)
        attempt(outcomes, lambda die=die: list(die.attributes()))
        attempt(outcomes, lambda die=die: die.name)
        attempt(outcomes, lambda die=die: unit.location_attribute(die))
        attempt(
            outcomes,
            lambda die=die: die.has(dw.AT_RANGES) and unit.lists.ranges_of(die.attribute(0x55)),
        )

        def members(die: object = die) -> object:
            kind = types_of(unit).build(die)  # type: ignore[arg-type]
            return kind.members if isinstance(kind, Struct) else kind

        attempt(outcomes, members)


CORE_QUESTIONS = (
    ("info",),
    ("bt", "--all-threads", "--limit", "30"),
    ("eval",),
    ("eval", "--frame", "2"),
    ("eval", "--thread", "2", "-e", "call_frame_cfa; deref"),
    ("explain", "sum"),
)


def core_round(seed: int) -> Counter[str]:
    """Mutate a core file, or its program, and ask the commands for everything; their statuses."""
    rng = Random(seed)
    programs = sorted(path.stem for path in CORES.glob("*.core"))
    # A large program makes a round long, and says little more about its core.
    weights = [(CORES / name).stat().st_size ** -0.5 for name in programs]
    [program] = rng.choices(programs, weights)
    outcomes: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as name,
        tempfile.TemporaryDirectory() as cache,
        # Files of every size are in an index of its own, as large ones are in the user's.
        patch.object(INDEX_CACHE, "folder", Path(cache, "dwarfgpu", "index")),
        patch.object(INDEX_CACHE, "later", {}),
        patch.object(cached_names, "MIN_BYTES", 1),
    ):
        folder = Path(name)
        core, file = folder / "core", folder / program
        core.write_bytes((CORES / f"{program}.core").read_bytes())
        file.write_bytes((CORES / program).read_bytes())
        if rng.random() < 0.15:
            file.write_bytes(mutated_file(rng, file.read_bytes()))
        core.write_bytes(mutated_core(rng, core.read_bytes()))
        # The C library of this machine is not part of it: a root without files hides it.
        where = rng.choice((("--file", str(file), "--sysroot", name), ("--sysroot", name)))
        for command, *more in CORE_QUESTIONS:
            out, err = io.StringIO(), io.StringIO()
            try:
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    status = main([command, "--core", str(core), *where, *more])
                    INDEX_CACHE.finish(Progress(err))  # as the program does after each answer
            except Exception as error:
                error.add_note(f"{command} of {program}, seed {seed}")
                raise
            lines = err.getvalue().splitlines()
            assert all(line.startswith(("dwarfgpu: ", "note: ")) for line in lines), lines
            outcomes[f"{command} {status}"] += 1
    return outcomes


def mutated_core(rng: Random, data: bytes) -> bytes:
    """The core cut short, or with its headers, notes, registers or memory changed."""
    if rng.random() < 0.1:
        return data[: rng.randrange(len(data))]
    out = bytearray(data)
    notes, count = struct.unpack_from("<Q", data, 72)[0], struct.unpack_from("<H", data, 56)[0]
    table = 64 + 56 * count
    areas = ((0, 64), (64, table), (notes, notes + 4096), (notes, notes + 400), (0, len(out)))
    for _ in range(rng.choice((1, 1, 3, 10, 40))):
        begin, end = rng.choice(areas)
        at = rng.randrange(begin, min(end, len(out)))
        if rng.random() < 0.2 and at + 8 <= len(out):
            wide = rng.choice((0, 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1, rng.getrandbits(64)))
            struct.pack_into("<Q", out, at - at % 8, wide)
        else:
            out[at] = rng.choice((out[at] ^ 1 << rng.randrange(8), *_BYTES))
    return bytes(out)
