"""A variable of a library is where the dynamic linker binds its name (System V ABI, "Shared Object
Dependencies" and DT_SYMBOLIC)."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.symbols_by_name import interposed_address
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.dynamic_relocations import PT_INTERP, linker_slots
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.service.explain import explain_variable
from dwarfgpu.session.linker_binding import bound_address
from dwarfgpu.session.session import Session

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or platform.machine() != "x86_64", reason="needs gcc on x86-64"
)
FIRST, SECOND, THIRD = 0x10_0000, 0x20_0000, 0x30_0000


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
    return interposed_address(objects, meaning)


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
    text = 'int shared = 2; const char interpreter[] %s = "/lib/ld.so";'
    files = [library(tmp_path, name, "int shared = 7;") for name in ("first", "second")]
    in_section = '__attribute__((section(".interp")))'
    last = library(tmp_path, "last", text % in_section, *options)
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
    if written is not None:
        memory = Memory(session.architecture.address_space(0))
        word = addresses[written].to_bytes(8, "little")
        assert isinstance(session.target, StateTarget)
        session.target.set_memory(memory, THIRD + slot, word)
    expected = None if bound_to is None else addresses[bound_to]
    assert bound_address(session, variables["version"]) == expected


def test_only_the_program_has_copies_of_what_a_library_does_not_use(tmp_path: Path) -> None:
    """No word says where the name is bound: dlsym(3) finds the definition of the library."""
    program = library(tmp_path, "program", "int version;")
    files = [program, *(library(tmp_path, name, PLUGIN) for name in ("plugin", "last"))]
    session, variables = process(files)
    assert bound_address(session, variables["named"]) is None
    copying = library(tmp_path, "copying", "int named;")
    session, variables = process([copying, *files[1:]])
    [symbol] = open_object(copying).symbols_named("named")
    assert bound_address(session, variables["named"]) == symbol.address + FIRST


def process(files: list[str]) -> tuple[Session, dict[str, Variable]]:
    """A process of three files, and the variables of the last one."""
    bases = (FIRST, SECOND, THIRD)
    objects = [CodeObject.open(path, base) for path, base in zip(files, bases, strict=True)]
    architecture, info = objects[0].info.architecture, objects[-1].info
    assert architecture is not None
    session = Session(architecture, tuple(objects), StateTarget(architecture))
    lookup = NameLookup((info,), info.units[0])
    variables = {name: lookup.of(name)[0] for name in ("version", "named")}
    return session, {k: v for k, v in variables.items() if isinstance(v, Variable)}
