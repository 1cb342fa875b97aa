"""The names of functions in frames."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf.names.demangle import demangled_name
from dwarfgpu.dwarf.names.functions import name_in_frames
from tests.language.sessions import demo


@pytest.mark.parametrize("program", ["types.gcc.O0.v5", "types.clang.O0.v5", "meanings.gcc.O0.v5"])
def test_names_in_frames(program: str) -> None:
    """As the symbols of the same functions tell them."""
    session = demo(program)
    (code_object,) = session.code_objects
    different, compared = [], 0
    for symbol in code_object.file.symbols:
        expected = demangled_name(symbol.name)
        if symbol.kind != "function" or expected is None:
            continue
        found = code_object.scopes.subprogram_at(symbol.address)
        if found is not None:
            compared += 1
            ours = name_in_frames(found.die)
            if ours != expected:
                different.append((ours, expected))
    assert different == [] and compared > 10
