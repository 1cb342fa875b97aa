"""Names in the code of a library that was loaded later, such as a plugin, mean its own definitions
(dlopen(3), RTLD_LOCAL); those of the program and of what it needs are in the order of loading."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.functions_by_name import function_symbols
from dwarfgpu.dwarf.scope.symbols_by_name import (
    demangled_symbol,
    symbol_of_variable,
    untyped_symbol,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.errors import Malformed, Unsupported
from dwarfgpu.language.evaluator import source_type
from dwarfgpu.objfile.dynamic_segment import DT_VERSYM
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHF_COMPRESSED, SHT_NOBITS
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_name import why_unknown

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or platform.machine() != "x86_64", reason="needs gcc on x86-64"
)
HELPER = "char state[%d]; static char own[%d]; int helper(void) { return own[0] + state[0]; }\n"
USER = "extern char state[]; int helper(void); int use%d(void) { return helper() + state[0]; }\n"
NAMES = ("program", "linked", "plugin", "needed", "other")
"""In the order of loading: the program and its library, then two plugins; one needs a library."""


def built(folder: Path) -> tuple[CodeObject, ...]:
    needs = {"program": ["linked"], "plugin": ["needed"]}
    for number, name in reversed([*enumerate(NAMES, 1)]):
        (folder / f"{name}_helper.c").write_text(HELPER % (number, number))
        (folder / f"{name}.c").write_text(USER % number)
        libraries = [f"./lib{library}.so" for library in needs.get(name, ())]
        command = ["gcc", "-g", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,./lib{name}.so"]
        command += ["-Wl,--no-as-needed", "-o", f"lib{name}.so"]
        command += [f"{name}.c", f"{name}_helper.c", *libraries]
        subprocess.run(command, cwd=folder, check=True)
    return tuple(
        CodeObject.open(str(folder / f"lib{name}.so"), number << 20)
        for number, name in enumerate(NAMES, 1)
    )


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("program", "program linked plugin needed other"),
        ("linked", "program linked plugin needed other"),
        ("plugin", "plugin needed program linked other"),
        ("needed", "needed program linked plugin other"),
        ("other", "other program linked plugin needed"),
    ],
)
def test_order(tmp_path: Path, name: str, order: str) -> None:
    objects = built(tmp_path)
    number = NAMES.index(name) + 1
    [symbol] = objects[number - 1].file.symbols_named(f"use{number}")
    architecture = objects[0].info.architecture
    assert architecture is not None
    session = Session(architecture, objects, pc=symbol.address + (number << 20))
    names = [NAMES[objects.index(item)] for item in session.objects_with("state")]
    assert names == order.split()
    searched_first = NAMES.index(names[0]) + 1
    for text in ("state", "own"):
        array = source_type(text, session).type
        assert array is not None and size_bits(array) == 8 * searched_first, text


def test_a_copy_in_another_namespace_was_not_loaded_with_the_program(tmp_path: Path) -> None:
    objects = built(tmp_path)
    copy = CodeObject.open(str(tmp_path / "liblinked.so"), 9 << 20)
    [symbol] = copy.file.symbols_named("use2")
    architecture = copy.info.architecture
    assert architecture is not None
    session = Session(architecture, (*objects, copy), pc=symbol.address + (9 << 20))
    assert session.objects_with("state")[0] is copy


@pytest.mark.parametrize("is_stripped", [False, True])
@pytest.mark.parametrize("order", ["old = 1, new = 2", "new = 2, old = 1"])
def test_the_default_version_of_a_symbol_is_meant(
    tmp_path: Path, order: str, is_stripped: bool
) -> None:
    """In a stripped file, the names have no version: they are in a table of their own."""
    (tmp_path / "user.c").write_text("extern int data; int *use(void) { return &data; }\n")
    symbols = '__asm__(".symver old,data@V1"); __asm__(".symver new,data@@V2");'
    (tmp_path / "library.c").write_text(f"int {order}; {symbols}")
    (tmp_path / "map").write_text("V1 { global: data; };\nV2 { global: data; local: *; } V1;\n")
    common = ["gcc", "-shared", "-fPIC", "-nostdlib"]
    command = [*common, "-Wl,--version-script=map", "-o", "library.so", "library.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    [new] = CodeObject.open(str(tmp_path / "library.so"), 0).file.symbols_named("new")
    if is_stripped:
        subprocess.run(["strip", "library.so"], cwd=tmp_path, check=True)
    subprocess.run([*common, "-g", "-o", "user.so", "user.c"], cwd=tmp_path, check=True)
    user, library = (
        CodeObject.open(str(tmp_path / f"{name}.so"), base)
        for name, base in (("user", 1 << 20), ("library", 2 << 20))
    )
    variables = [die for die in user.info.units[0].root.children() if die.name == "data"]
    symbol = symbol_of_variable((user, library), Variable("data", variables[0], "global"))
    assert symbol is not None and symbol.address == new.address + (2 << 20)
    assert untyped_symbol((user, library), "data") == symbol
    exported = library.file.exported_object("data")
    assert exported is not None and exported.address == new.address


OUTSIDE, COMPRESSED, SHORT = (24, 1 << 40), (8, SHF_COMPRESSED), (32, 2)
"""Where a section header has an offset, flags and a size, and what is wrong there."""
UNLINKED, UNFILLED = (40, 99), (4, SHT_NOBITS)


def _damaged(folder: Path, damage: tuple[int, int], *, is_loaded: bool) -> Path:
    """Return a stripped library of versions, the header of their section damaged; `is_loaded`: the
    dynamic segment says where they are."""
    symbols = '__asm__(".symver old,data@V1"); __asm__(".symver new,data@@V2");'
    symbols += '__asm__(".symver first,fn@V1"); __asm__(".symver second,fn@@V2");'
    functions = "int first(void) { return 1; } int second(void) { return 2; }"
    (folder / "library.c").write_text(f"int old = 1, new = 2, plain = 7; {functions} {symbols}")
    versions = "V1 { global: data; plain; fn; };\nV2 { global: data; fn; } V1;\n"
    (folder / "map").write_text(versions)
    command = ["gcc", "-shared", "-fPIC", "-nostdlib", "-s", "-Wl,--version-script=map"]
    subprocess.run([*command, "-o", "a.so", "library.c"], cwd=folder, check=True)
    data = bytearray((folder / "a.so").read_bytes())
    if not is_loaded:
        tag = DT_VERSYM.to_bytes(8, "little")
        assert data.count(tag) == 1
        data = data.replace(tag, (0x70000001).to_bytes(8, "little"))
    headers = int.from_bytes(data[40:48], "little")
    section = ObjectFile("", bytes(data)).sections_by_name[".gnu.version"]
    place, (offset, number) = headers + 64 * section.index, damage
    size_bytes = 4 if damage in (UNLINKED, UNFILLED) else 8
    start = place + offset
    data[start : start + size_bytes] = number.to_bytes(size_bytes, "little")
    (folder / "a.so").write_bytes(data)
    return folder / "a.so"


@pytest.mark.parametrize("damage", [OUTSIDE, COMPRESSED, SHORT])
def test_names_without_versions_need_no_table_of_versions(
    tmp_path: Path, damage: tuple[int, int]
) -> None:
    """A damaged one only takes names between whose symbols it chooses."""
    path = _damaged(tmp_path, damage, is_loaded=False)
    library = CodeObject.open(str(path), 0)
    assert untyped_symbol([library], "plain") is not None
    for choose in (library.file.exported_object, lambda name: untyped_symbol([library], name)):
        with pytest.raises((Malformed, Unsupported), match=r"\.gnu\.version"):
            choose("data")
    assert len(library.file.symbols_named("data")) == len(function_symbols(library, "fn")) == 2


@pytest.mark.parametrize("damage", [OUTSIDE, COMPRESSED, SHORT, UNLINKED, UNFILLED])
def test_versions_are_those_of_the_dynamic_linker(tmp_path: Path, damage: tuple[int, int]) -> None:
    """It reads no sections (DT_VERSYM)."""
    path = _damaged(tmp_path, damage, is_loaded=True)
    library = CodeObject.open(str(path), 0)
    symbols = library.file.symbols_named("data")
    [new] = [symbol for symbol in symbols if not symbol.is_old_version]
    assert library.file.bytes_of(new, 4) == bytes([2, 0, 0, 0])
    named = untyped_symbol([library], "data")
    assert named is not None and named.address == new.address


@pytest.mark.parametrize("options", [("-no-pie",), ("-pie", "-fPIE")])
def test_the_copy_in_a_program_is_meant(tmp_path: Path, options: tuple[str, ...]) -> None:
    """The static linker names it by its version, as if that were an old one: `_ZN1n1xE@V1`."""
    (tmp_path / "library.cpp").write_text("namespace n { int x = 5; }\n")
    (tmp_path / "map").write_text("V1 { global: _ZN1n1xE; local: *; };\n")
    (tmp_path / "program.cpp").write_text(
        "namespace n { extern int x; }\nint main() { return n::x++; }\n"
    )
    common = ["g++", "-shared", "-fPIC", "-Wl,--version-script=map"]
    command = [*common, "-o", "library.so", "library.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    command = ["g++", *options, "-o", "program", "program.cpp", "./library.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = CodeObject.open(str(tmp_path / "program"), 0)
    library = CodeObject.open(str(tmp_path / "library.so"), 9 << 20)
    [copy] = program.file.symbols_named("_ZN1n1xE@V1")
    for symbol in (
        untyped_symbol((program, library), "_ZN1n1xE"),
        demangled_symbol((program, library), "n::x"),
    ):
        assert symbol is not None and symbol.address == copy.address


def test_a_hint_names_the_file_with_a_variable(tmp_path: Path) -> None:
    objects = built(tmp_path)
    architecture = objects[0].info.architecture
    assert architecture is not None
    (tmp_path / "local.c").write_text("int with_local(int i) { int inner = i; return inner; }\n")
    command = ["gcc", "-g", "-shared", "-fPIC", "-nostdlib", "-o", "liblocal.so", "local.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = CodeObject.open(str(tmp_path / "liblocal.so"), 9 << 20)
    [symbol] = objects[0].file.symbols_named("use1")
    session = Session(architecture, (*objects, library), pc=symbol.address + (1 << 20))
    path = library.file.path
    assert why_unknown(session, "inner") == (
        f" It is in scope elsewhere: where {path} inner lists addresses"
    )


def test_an_object_and_a_function_of_one_name_have_a_note(tmp_path: Path) -> None:
    """Each is of its file: the first one is taken, whatever the other is."""
    texts = {
        "object": "static int third = 3; int *first(void) { return &third; }\n",
        "function": "static int third(int i) { return i; } int (*all[])(int) = {third};\n",
        "here": "int here(void) { return 1; }\n",
    }
    command = ["gcc", "-g", "-shared", "-fPIC", "-nostdlib"]
    for name, text in texts.items():
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run([*command, "-o", f"lib{name}.so", f"{name}.c"], cwd=tmp_path, check=True)
    objects = tuple(
        CodeObject.open(str(tmp_path / f"lib{name}.so"), number << 20)
        for number, name in enumerate(texts, 1)
    )
    architecture = objects[0].info.architecture
    assert architecture is not None
    [here] = objects[2].file.symbols_named("here")
    for loaded in (objects, (objects[1], objects[0], objects[2])):
        session = Session(architecture, loaded, pc=here.address + (3 << 20))
        lookup = session.meanings("third")
        lookup.of("third")
        assert list(lookup.remarks) == [
            f"third is that of {[*texts][objects.index(loaded[0])]}.c: "
            f"{[*texts][objects.index(loaded[1])]}.c has another one"
        ]
