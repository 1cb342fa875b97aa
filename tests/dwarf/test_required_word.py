"""Functions that are not read for a word of a pattern: none of them has it in its name."""

from __future__ import annotations

import pytest

from dwarfgpu.base.regexp import regexp
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from tests.dwarf.builder import X86_64, Shape, abbreviations, debug_info, elf, unit
from tools.bombs.elf import NAME, PLACE, START, TEXT, TYPE, word

MANGLED = {
    "_Z1fB5cxx11v": "f[abi:cxx11]()",
    "_ZZ1fiEd_NKUlvE_clEv": "f(int)::{default arg#1}::{lambda()#1}::operator()() const",
    "_Z1gDF16b": "g(std::bfloat16_t)",
    "_Z1gDB7_": "g(_BitInt(7))",
    "_Z1gPDxFvvE": "g(void (*)() transaction_safe)",
    "_Z1gDv4_f": "g(float __vector(4))",
    "_ZThn8_N1A1fEv": "non-virtual thunk to A::f()",
    "_ZN2ns5helloEmz": "ns::hello(unsigned long, ...)",
    "_Z1hSs": "h(std::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
    "label": "a(Foo)",
}


def program() -> bytes:
    """A function for each name, those named `a` with a parameter of class `Foo`."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_SUBPROGRAM, (NAME, (dw.AT_LINKAGE_NAME, dw.FORM_STRING), *PLACE)),
        Shape(dw.TAG_SUBPROGRAM, (NAME, (dw.AT_LINKAGE_NAME, dw.FORM_STRING), *PLACE), True),
        Shape(dw.TAG_CLASS_TYPE, (NAME,)),
        Shape(dw.TAG_FORMAL_PARAMETER, (TYPE,)),
    )
    entries = b"\1\4\4Foo\0"
    for number, name in enumerate(MANGLED):
        linked = name.encode() + b"\0" + word(START + 4 * number, 8) + word(4)
        if name.startswith("_Z"):
            entries += b"\2f\0" + linked
        else:
            entries += b"\3a\0" + linked + b"\5" + word(12 + 2) + b"\0"
    sections = {".debug_info": unit(entries + b"\0"), ".debug_abbrev": abbreviations(*shapes)}
    return elf({**sections, **TEXT}, X86_64)


def test_all_functions_have_their_names() -> None:
    names = [symbol.name for symbol in listed_symbols(debug_info(program()), "functions")]
    assert sorted(names) == sorted(MANGLED.values())


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_a_word_is_found_in_every_name_that_has_it(length: int) -> None:
    """Whether it is in the mangled name, or demanglers write it."""
    info, names = debug_info(program()), MANGLED.values()
    parts = {name[at : at + length] for name in names for at in range(len(name) - length + 1)}
    for part in sorted(filter(str.isidentifier, parts)):
        listed = [symbol.name for symbol in listed_symbols(info, "functions", regexp(part))]
        assert sorted(listed) == sorted(name for name in names if part in name), part
