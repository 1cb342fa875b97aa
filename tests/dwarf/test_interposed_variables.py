"""A variable of a library is where the dynamic linker binds its name (System V ABI, "Shared Object
Dependencies" and DT_SYMBOLIC)."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.symbols_by_name import interposable, interposing, kind_of_symbol
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.dynamic_relocations import PT_INTERP, linker_slots
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.service.explain import explain_variable
from dwarfgpu.service.symbol.symbol_description import symbol_description
from dwarfgpu.session.linker_binding import bound_symbol
from dwarfgpu.session.session import Session

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or platform.machine() != "x86_64", reason="needs gcc on x86-64"
)
FIRST, SECOND, THIRD = 0x10_0000, 0x20_0000, 0x30_0000


INTERPRETER = 'const char interpreter[] __attribute__((section(".interp"))) = "/lib/ld.so";'
"""What a program has."""


def library(folder: Path, name: str, text: str, *options: str) -> str:
    source, path = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(text)
    command = ["gcc", "-g", "-shared", "-fPIC", "-nostdlib", *options, "-o", path, source]
    subprocess.run(command, check=True)
    return str(path)


def bound(files: list[str], name: str) -> int | None:
    """Where the variable of the last of three loaded files is, if it is not in that file."""
    bases = (FIRST, SECOND, THIRD)
    objects = [CodeObject.open(path, base) for path, base in zip(files, bases, strict=True)]
    info = objects[-1].info
    [meaning] = NameLookup((info,), info.units[0]).of(name)
    assert isinstance(meaning, Variable)
    kind = kind_of_symbol(meaning)
    definition = None if kind is None else interposable(objects, meaning, kind)
    is_asked = definition is not None and not definition.binds_itself
    first = interposing(objects, definition) if definition is not None and is_asked else None
    return None if first is None else first.address


DEFINES = (
    "int own = 1; %s int shared = 2; static int hidden = 3; int *use(void) { return &hidden; }"
)


@pytest.mark.parametrize(
    ("visibility", "options", "is_bound_elsewhere"),
    [
        ("default", (), True),
        ("default", ("-Wl,-Bsymbolic",), False),
        ("protected", (), False),
        ("hidden", (), False),
        ("default", ("-gdwarf-5", "-gsplit-dwarf"), True),
        ("default", ("-gdwarf-4", "-gsplit-dwarf"), True),  # DW_OP_GNU_addr_index
        ("hidden", ("-gsplit-dwarf",), False),
    ],
)
def test_shared(
    tmp_path: Path, visibility: str, options: tuple[str, ...], is_bound_elsewhere: bool
) -> None:
    first = library(tmp_path, "first", "int other; static int shared;")
    second = library(tmp_path, "second", "int shared = 7; int hidden = 8;")
    attribute = f'__attribute__((visibility("{visibility}")))'
    last = library(tmp_path, "last", DEFINES % attribute, *options)
    files = [first, second, last]
    [symbol] = open_object(second).symbols_named("shared")
    assert bound(files, "shared") == (symbol.address + SECOND if is_bound_elsewhere else None)
    assert bound(files, "own") is None
    assert bound(files, "hidden") is None


@pytest.mark.parametrize(("options", "is_library"), [(("-Wl,-soname,last.so",), True), ((), False)])
def test_a_library_that_can_be_run(
    tmp_path: Path, options: tuple[str, ...], is_library: bool
) -> None:
    """libc.so.6 has an interpreter, as a program has."""
    files = [library(tmp_path, name, "int shared = 7;") for name in ("first", "second")]
    last = library(tmp_path, "last", f"int shared = 2; {INTERPRETER}", *options)
    assert any(segment.type == PT_INTERP for segment in open_object(last).segments)
    [symbol] = open_object(files[0]).symbols_named("shared")
    assert bound([*files, last], "shared") == (symbol.address + FIRST if is_library else None)


def test_explain_names_the_definition_that_is_used(tmp_path: Path) -> None:
    files = [library(tmp_path, name, "int shared = 7;") for name in ("first", "second")]
    objects = tuple(
        CodeObject.open(path, base) for path, base in zip(files, (FIRST, SECOND), strict=True)
    )
    session = Session(objects[0].info.architecture, objects)
    [symbol] = open_object(files[0]).symbols_named("shared")
    info = objects[1].info
    [variable] = NameLookup((info,), info.units[0]).of("shared")
    assert isinstance(variable, Variable)
    assert explain_variable(session, variable).verdict[-1] == (
        f"the dynamic linker binds shared to the definition at {symbol.address + FIRST:#x}: "
        "that of second.so is not used"
    )
    [variable] = NameLookup((objects[0].info,)).of("shared")
    assert isinstance(variable, Variable)
    assert "linker" not in " ".join(explain_variable(session, variable).verdict)


PLUGIN = "int version = 1; int use(void) { return version; } int named = 2;"


@pytest.mark.parametrize(
    ("written", "bound_to"),
    [
        ("own", None),  # dlopen(3) with RTLD_LOCAL, dlmopen(3), RTLD_DEEPBIND
        ("other", "plugin"),
        ("elsewhere", "elsewhere"),  # in a file that is missing here
        (None, "plugin"),  # the word is unknown: the order of the list decides
        ("0", "plugin"),  # the linker has not written it
    ],
)
def test_the_global_offset_table_of_a_process_decides(
    tmp_path: Path, written: str | None, bound_to: str | None
) -> None:
    program = library(tmp_path, "program", "int other;")
    files = [program, *(library(tmp_path, name, PLUGIN) for name in ("plugin", "last"))]
    session, variables = process(files)
    [symbol] = open_object(files[1]).symbols_named("version")
    addresses = {
        "own": symbol.address + THIRD, "other": symbol.address + SECOND,
        "plugin": symbol.address + SECOND, "elsewhere": 0x70_0000, "0": 0,
    }  # fmt: skip
    [slot] = linker_slots(open_object(files[2]))["version"]
    assert slot.kind == "address"
    if written is not None:
        memory = Memory(session.architecture.address_space(0))
        word = addresses[written].to_bytes(8, "little")
        assert isinstance(session.target, StateTarget)
        session.target.set_memory(memory, THIRD + slot.address, word)
    expected = None if bound_to is None else addresses[bound_to]
    assert address(session, variables["version"]) == expected


def test_only_the_program_has_copies_of_what_a_library_does_not_use(tmp_path: Path) -> None:
    """No word says where the name is bound: dlsym(3) finds the definition of the library."""
    program = library(tmp_path, "program", "int version;")
    files = [program, *(library(tmp_path, name, PLUGIN) for name in ("plugin", "last"))]
    session, variables = process(files)
    assert address(session, variables["named"]) is None
    first = library(tmp_path, "first", "int named;")  # the program is missing
    session, variables = process([first, *files[1:]])
    assert address(session, variables["named"]) is None
    copying = library(tmp_path, "copying", f"int named; {INTERPRETER}")
    session, variables = process([copying, *files[1:]])
    [symbol] = open_object(copying).symbols_named("named")
    assert address(session, variables["named"]) == symbol.address + FIRST


THREAD_LOCAL = "__thread int before[%d] = {1}, version = 2; int *use(void) { return &version; }"
POINTER, BLOCKS = 0x40_0000, {1: 0x41_0000, 2: 0x42_0000, 3: 0x43_0000}
"""The thread pointer, and the blocks of the modules."""


class Thread(StateTarget):
    """A thread whose blocks are known."""

    paths: Sequence[str] = ()
    modules: Sequence[int | None] = (1, 2, 3)

    def thread_local_block(self, wave: int, path: str, thread_pointer: int) -> int | None:
        assert thread_pointer == POINTER
        return BLOCKS[self.paths.index(path) + 1]

    def thread_local_module(self, path: str) -> int | None:
        return self.modules[self.paths.index(path)]


def of_thread(folder: Path, words: Callable[[list[int]], list[int]], *options: str) -> Session:
    """A process whose files define the same thread-local variable, at different offsets. `words`:
    what the linker wrote for it in the last one, by the offsets of it in the files."""
    files = [
        library(folder, name, THREAD_LOCAL % size, *options)
        for size, name in enumerate(("program", "second", "last"), 1)
    ]
    session, _ = process(files, Thread)
    target = session.target
    assert isinstance(target, Thread)
    target.paths = files
    target.add_wave(0)
    architecture = session.architecture
    size_bytes = architecture.address_bits // 8
    pointing = "fs_base" if size_bytes == 8 else "gs_base"
    target.set_register(0, architecture.by_name[pointing], POINTER.to_bytes(size_bytes, "little"))
    offsets = []
    for file in files:
        symbol = open_object(file).exported_object("version", "thread_local")
        assert symbol is not None
        offsets.append(symbol.address)
    slots = linker_slots(open_object(files[2]))["version"]
    for slot in slots:
        for index, word in enumerate(words(offsets)):
            data = (word & (1 << 8 * size_bytes) - 1).to_bytes(size_bytes, "little")
            memory = Memory(architecture.address_space(0))
            target.set_memory(memory, THIRD + slot.address + index * size_bytes, data)
    return evolve(session, wave=0)


def bound_in(session: Session) -> str | None:
    """The file in whose storage the variable of the last file is; None: in its own."""
    info = session.code_objects[-1].info
    [variable] = NameLookup((info,), info.units[0]).of("version")
    assert isinstance(variable, Variable)
    symbol = bound_symbol(session, variable)
    if symbol is None:
        return None
    assert symbol.thread_local_in is not None
    own = symbol.thread_local_in.exported_object("version", "thread_local")
    assert own is not None and symbol.address == own.address
    number = [file.file for file in session.code_objects].index(symbol.thread_local_in)
    location = session.at_symbol(variable)
    assert location is not None
    assert location.single_locations[0].byte_address == BLOCKS[number + 1] + own.address
    return Path(symbol.thread_local_in.path).stem


TARGET = 0x50_0000
"""Where a descriptor points."""
GENERAL, INITIAL, DESCRIPTOR = "global-dynamic", "initial-exec", "gnu2"
OPTIONS = {
    GENERAL: ("-ftls-model=global-dynamic", "-mtls-dialect=gnu"),
    INITIAL: ("-ftls-model=initial-exec",),
    DESCRIPTOR: ("-mtls-dialect=gnu2",),
}


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("model", [GENERAL, INITIAL, DESCRIPTOR])
@pytest.mark.parametrize(
    ("module", "bound_to"), [(1, "program"), (2, "second"), (3, None), (0, "program")]
)
def test_what_the_linker_wrote_for_a_thread_local_variable_decides(
    tmp_path: Path, bits: int, model: str, module: int, bound_to: str | None
) -> None:
    """Module 0: the linker has not written it, and the order of the list decides."""

    def words(offsets: list[int]) -> list[int]:
        if not module:
            return [0, 0]
        offset = offsets[module - 1]
        distance = BLOCKS[module] + offset - POINTER
        return {GENERAL: [module, offset], INITIAL: [distance], DESCRIPTOR: [TARGET, distance]}[
            model
        ]

    if bits == 32:
        try:
            library(tmp_path, "narrow", "int other;", "-m32")
        except subprocess.CalledProcessError:
            pytest.skip("gcc makes no libraries of 32 bits")
    session = of_thread(tmp_path, words, f"-m{bits}", *OPTIONS[model])
    assert bound_in(session) == bound_to


def test_a_descriptor_of_a_library_that_was_loaded_later(tmp_path: Path) -> None:
    """Its second word is the address of the number of the module and the offset."""
    session = of_thread(tmp_path, lambda offsets: [0x1234, TARGET], *OPTIONS[DESCRIPTOR])
    assert isinstance(session.target, StateTarget)
    memory = Memory(session.architecture.address_space(0))
    symbol = session.code_objects[1].file.exported_object("version", "thread_local")
    assert symbol is not None
    words = (2).to_bytes(8, "little") + symbol.address.to_bytes(8, "little")
    session.target.set_memory(memory, TARGET, words)
    assert bound_in(session) == "second"


@pytest.mark.parametrize(
    ("modules", "module", "bound_to"),
    [
        ((1, 2, None), 3, None),  # only the offset of the last file is that of the word
        ((None, None, None), 1, "program"),  # a program has number 1
        ((None, None, None), 2, "second"),
        ((1, 3, 2), 2, "program"),  # no file has that number and that offset
    ],
)
def test_modules_without_a_number(
    tmp_path: Path, modules: Sequence[int | None], module: int, bound_to: str | None
) -> None:
    session = of_thread(tmp_path, lambda offsets: [module, offsets[module - 1]], *OPTIONS[GENERAL])
    assert isinstance(session.target, Thread)
    session.target.modules = modules
    assert bound_in(session) == bound_to


def test_explain_names_the_storage_that_has_the_variable(tmp_path: Path) -> None:
    session = of_thread(tmp_path, lambda offsets: [1, offsets[0]], *OPTIONS[GENERAL])
    info = session.code_objects[2].info
    [variable] = NameLookup((info,), info.units[0]).of("version")
    assert isinstance(variable, Variable)
    assert explain_variable(session, variable).verdict[-1] == (
        "the dynamic linker binds version to the definition at offset 0x4 in the thread-local "
        "storage of program.so: that of last.so is not used"
    )
    assert symbol_description(session, variable) == (
        "a thread-local variable at offset 0x4 in the thread-local storage for "
        f"`{tmp_path}/program.so'"
    )


def address(session: Session, variable: Variable) -> int | None:
    symbol = bound_symbol(session, variable)
    return None if symbol is None else symbol.address


def process(
    files: list[str], kind: type[StateTarget] = StateTarget
) -> tuple[Session, dict[str, Variable]]:
    """A process of three files, and the variables of the last one."""
    bases = (FIRST, SECOND, THIRD)
    objects = [CodeObject.open(path, base) for path, base in zip(files, bases, strict=True)]
    architecture, info = objects[0].info.architecture, objects[-1].info
    assert architecture is not None
    session = Session(architecture, tuple(objects), kind(architecture))
    lookup = NameLookup((info,), info.units[0])
    variables = {name: found[0] for name in ("version", "named") if (found := lookup.of(name))}
    return session, {k: v for k, v in variables.items() if isinstance(v, Variable)}
