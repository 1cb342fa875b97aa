"""Types of damaged files: an error of ours or a text, nothing else."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from dwarfgpu import language
from dwarfgpu.dwarf.types.class_parts import Declarations, Method
from dwarfgpu.dwarf.types.types import Function, Struct
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.view.type_text import type_text
from tests.language.sessions import FIXTURES, program, text

PROGRAMS = {
    "rust/shapes.rustc.O0": "shapes::NUMBER shapes::PLACE shapes::SOME shapes::PLAIN",
    "x86_64/types.gcc.O0.v5": "point holder *shape *square *parts wrapped pointer_to_function",
    "x86_64/types.clang.O0.v5": "holder *shape *square *parts lambda pointer_to_template",
}


@pytest.mark.parametrize("seed", range(40))
def test_damaged_types(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    name = draw.choice(list(PROGRAMS))
    data = bytearray((FIXTURES / name).read_bytes())
    expected = (".debug_info", ".debug_abbrev", ".debug_str")
    sections = [
        section for section in open_object(FIXTURES / name).sections if section.name in expected
    ]
    for _ in range(draw.randint(1, 12)):
        section = draw.choice(sections)
        data[section.offset + draw.randrange(section.size_bytes)] = draw.randrange(256)
    path = tmp_path / "damaged"
    path.write_bytes(data)
    try:
        session = program(path)
    except DwarfGpuError:
        return
    for expression in PROGRAMS[name].split():
        assert text(session, expression)
        try:
            kind = language.type_of(expression, session).type
            assert type_text(kind, cplusplus=True)
            assert type_text(kind, style="ada") and type_text(kind, style="fortran")
        except DwarfGpuError:
            pass


def test_a_structure_without_a_name_in_its_own_function() -> None:
    takes = Function(None, (lambda: kind,))
    method = Method("f", takes, written=(lambda: kind,))
    kind = Struct("struct", None, 4, declared=Declarations(methods=(method,)))
    expected = "struct {\n  public:\n    static void f(struct {...});\n}"
    assert type_text(kind, cplusplus=True) == expected


def test_structures_without_names_in_one_another_are_cut() -> None:
    kind = Struct("struct", None, 4)
    for _ in range(3_000):
        method = Method("f", Function(None, ()), written=(partial(identity, kind),))
        kind = Struct("struct", None, 4, declared=Declarations(methods=(method,)))
    text = type_text(kind, cplusplus=True)
    assert text.count("static void f(") == 40 and text.count("struct {...}") == 1


def identity(kind: Struct) -> Struct:
    return kind
