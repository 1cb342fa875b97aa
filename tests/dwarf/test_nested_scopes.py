"""Scopes in one another: which are at an address, and the work that many of them are."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope import nested_scopes
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.errors import Malformed
from tests.dwarf.builder import Shape, debug_info, file_of
from tests.work import assert_linear

_CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_NAME = (dw.AT_NAME, dw.FORM_STRING)
_ORIGIN = (dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF4)
_LISTED = ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),)
_START, _SIZE = 0x1000, 0x100000
_SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, _CODE, True),
    Shape(dw.TAG_SUBPROGRAM, (_NAME, *_CODE), True),
    Shape(dw.TAG_LEXICAL_BLOCK, _CODE, True),
    Shape(dw.TAG_LEXICAL_BLOCK, _LISTED, True),
    Shape(dw.TAG_LEXICAL_BLOCK, (), True),
    Shape(dw.TAG_SUBPROGRAM, ((dw.AT_INLINE, dw.FORM_DATA1), _NAME)),
    Shape(dw.TAG_INLINED_SUBROUTINE, (_ORIGIN, *_CODE), True),
    Shape(dw.TAG_VARIABLE, (_NAME,)),
    Shape(dw.TAG_FORMAL_PARAMETER, (_NAME,)),
    Shape(dw.TAG_STRUCTURE_TYPE, (_NAME,)),
)
_BLOCK, _OF_LIST, _WITHOUT_CODE, _INLINED, _VARIABLE = b"\3", b"\4", b"\5", b"\7", b"\x08"
_PARAMETER, _STRUCTURE = b"\x09p\0", b"\x0as\0"
_ABSTRACT = b"\6\1inl\0"


def _code(begin: int, size: int) -> bytes:
    return struct.pack("<QI", _START + begin, size)


_BEFORE = b"\1" + _code(0, _SIZE) + _ABSTRACT + b"\2f\0" + _code(0, _SIZE)
_ORIGIN_AT = 12 + 1 + 12


def _scopes(inside: bytes, lists: bytes = b"") -> Scopes:
    """The scopes of a function with some entries."""
    return Scopes(
        debug_info(file_of(_BEFORE + inside + b"\0\0", _SHAPES, {".debug_rnglists": lists}))
    )


def _inlined(begin: int, size: int) -> bytes:
    return _INLINED + struct.pack("<I", _ORIGIN_AT) + _code(begin, size)


def _random_entries(chance: Random, depth: int) -> bytes:
    """Blocks and inlined calls that may overlap and need not be in what is around them."""
    out = b""
    for _ in range(chance.randrange(4)):
        begin, size = chance.randrange(100), chance.randrange(25)
        inner = _random_entries(chance, depth - 1) if depth else b""
        match chance.randrange(6):
            case 0:
                out += (
                    _OF_LIST
                    + struct.pack("<I", chance.choice((0, 0, _SECOND, _SECOND, _BEYOND)))
                    + inner
                )
            case 1:
                out += _WITHOUT_CODE + inner
            case 2:
                out += _inlined(begin, size) + inner
            case _:
                out += _BLOCK + _code(begin, size) + inner
        out += b"\0"
    return out


_SPANS = [b"\7" + struct.pack("<Q", _START + at) + b"\x14" for at in (3, 40)]
_LISTS, _SECOND, _BEYOND = b"".join(_SPANS) + b"\0", len(_SPANS[0]), 0xFF
"""Two ranges of code, and what is behind the section; the second range is a list, too."""


def _answer(scopes: Scopes, pc: int) -> object:
    try:
        return [die.offset for die in scopes.chain_at(pc)]
    except Malformed as error:
        return str(error)


@pytest.mark.parametrize("variables", [0, 600])
@pytest.mark.parametrize("most", [3, 10_000])
def test_an_index_has_the_scopes_that_are_found_one_by_one(
    variables: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside many entries, where some cannot be read, and where it has only some ranges."""
    chance = Random(1)
    depths = set()
    for _ in range(25):
        entries = _random_entries(chance, 4) + (_VARIABLE + b"v\0") * variables
        pcs = [*range(_START, _START + 128)]
        chance.shuffle(pcs)
        one_by_one = _scopes(entries, _LISTS)
        expected = {pc: _answer(one_by_one, pc) for pc in pcs}
        depths |= {len(answer) if isinstance(answer, list) else 0 for answer in expected.values()}
        with monkeypatch.context() as patched:
            patched.setattr(nested_scopes, "_FEW_STEPS", most)
            patched.setattr(nested_scopes, "_MOST_PASSES", -10_000)
            patched.setattr(nested_scopes, "_MOST_RANGES", 0)
            indexed = _scopes(entries, _LISTS)
            assert {pc: _answer(indexed, pc) for pc in pcs} == expected
    assert depths >= {0, 1, 2, 3, 4}


@pytest.mark.parametrize("scope", [lambda n, size: _BLOCK + _code(n, size), _inlined])
@pytest.mark.parametrize("is_deepest", [True, False])
def test_scopes_in_one_another_are_not_gone_through_for_each_location(
    scope: Callable[[int, int], bytes], is_deepest: bool
) -> None:
    """Each wave is at another one: all in the innermost scope, or each in another scope."""

    def asked(count: int) -> Callable[[], object]:
        entries = b"".join(scope(n, _SIZE - 2 * n) for n in range(count)) + b"\0" * count
        scopes = _scopes(entries)
        pcs = [_START + (count if is_deepest else 0) + n * 7919 % count for n in range(count)]

        def ask() -> None:
            for pc in pcs:
                around = scopes.subprograms_at(pc)
                assert around.lanes is None
                assert not around.has(dw.AT_LLVM_LANE_PC)
                assert around.describing(dw.AT_FRAME_BASE) is None
                assert not scopes.is_large_at(pc)

        return ask

    assert_linear(asked, 300)


@pytest.mark.parametrize("scope", [lambda n, size: _BLOCK + _code(n, size), _inlined])
@pytest.mark.parametrize("name", ["p", "nothing", "own0"])
def test_a_name_is_looked_for_once_in_scopes_in_one_another(
    scope: Callable[[int, int], bytes], name: str
) -> None:
    """By waves that are each in another scope, each with a variable of its own."""

    def asked(count: int) -> Callable[[], object]:
        inside = (scope(n, _SIZE - 2 * n) + _VARIABLE + b"own%d\0" % n for n in range(count))
        scopes = _scopes(_PARAMETER + b"".join(inside) + b"\0" * count)
        pcs = [_START + n * 7919 % count for n in range(count)]
        is_known = name != "nothing"

        def ask() -> None:
            assert [pc for pc in pcs if (scopes.variable_at(pc, name) is None) is is_known] == []

        return ask

    assert_linear(asked, 200)


def test_parameters_are_not_looked_for_in_each_of_blocks_in_one_another() -> None:
    """Each frame of a stack lists those of its function."""

    def asked(count: int) -> Callable[[], object]:
        inside = b"".join(_BLOCK + _code(n, _SIZE - 2 * n) for n in range(count))
        scopes = _scopes(_PARAMETER + inside + b"\0" * count)
        pcs = [_START + n * 7919 % count for n in range(count)]

        def ask() -> None:
            for pc in pcs:
                assert [variable.name for variable in scopes.parameters_at(pc)] == ["p"]

        return ask

    assert_linear(asked, 200)


def test_a_name_that_one_lookup_does_not_have_may_be_another_ones() -> None:
    """A tag of C is a name of its own kind, and a scope further in may have the name."""
    inside = _BLOCK + _code(0, 32) + _VARIABLE + b"s\0" + _BLOCK + _code(0, 16) + b"\0\0"
    scopes = _scopes(_BLOCK + _code(0, 64) + _STRUCTURE + inside + b"\0")
    places = (0, 20, 40)
    names = [scopes.meanings_at(_START + at) for at in places]
    for _ in range(2):
        ordinary_ones = [lookup.of("s") for lookup in names]
        assert [len(meanings) for meanings in ordinary_ones] == [1, 1, 0]
        tags = [lookup.of("s", lambda die: die.tag == dw.TAG_STRUCTURE_TYPE) for lookup in names]
        assert [len(meanings) for meanings in tags] == [1, 1, 1]


def test_variables_are_read_once_in_the_innermost_of_scopes_in_one_another() -> None:
    """Each wave is at another location of it: with inlined calls around it, thousands of them."""

    def asked(count: int) -> Callable[[], object]:
        inside = b"".join(_inlined(n, _SIZE - 2 * n) for n in range(count))
        scopes = _scopes(_PARAMETER + inside + _VARIABLE + b"v\0" + b"\0" * count)

        def ask() -> None:
            for pc in range(_START + count, _START + 2 * count):
                assert [variable.name for variable in scopes.locals_at(pc)] == ["v", "p"]
                assert [variable.name for variable in scopes.parameters_at(pc)] == ["p"]

        return ask

    assert_linear(asked, 200)
