"""The source lines and inlined functions of instructions."""

from __future__ import annotations

from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.service.code.code_origins import CodeOrigins
from tests.dwarf.test_coverage import (
    ABSTRACT,
    BASE,
    HEADER_BYTES,
    INLINED,
    INT,
    LINKED,
    ROOT,
    code,
    scopes,
    word,
)


def test_a_call_inlined_into_a_function_that_has_only_a_symbol() -> None:
    abstract = bytes((ABSTRACT,)) + b"f\0\0"
    at = word(HEADER_BYTES + len(ROOT + INT))
    inlined = bytes((INLINED,)) + at + code(BASE, 0x10) + b"\0\0"
    thunk = bytes((LINKED,)) + b"_ZTv0_n24_N1V1fEi\0" + code(BASE, 0x20) + inlined + b"\0"
    found = scopes(abstract + thunk)
    origins = CodeOrigins(found, LineLookup(found))
    assert origins.at(BASE).inlined == ("f", "_ZTv0_n24_N1V1fEi")
    assert origins.at(BASE + 0x10).inlined == ("_ZTv0_n24_N1V1fEi",)
