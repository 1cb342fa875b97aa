"""Which range, unit or subprogram covers an address, of very many."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope import covered_code
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.cover_index import CoverIndex
from tests.dwarf.builder import X86_64, Shape, abbreviations, debug_info, elf, unit
from tests.work import assert_linear
from tools.bombs.elf import NAME, PLACE, START, word

LAST = (1 << 64) - 1


@pytest.mark.parametrize("seed", range(20))
def test_the_last_range_is_found(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        begins = [random.randrange(30) for _ in range(random.randrange(12))]
        ranges = [(begin, begin + random.randrange(12), random.randrange(5)) for begin in begins]
        index = CoverIndex(ranges)
        for address in range(-1, 45):
            covering = [owner for begin, end, owner in ranges if begin <= address < end]
            assert index.last_at(address) == (covering[-1] if covering else None)


def test_ranges_up_to_the_last_address() -> None:
    index = CoverIndex([(1, LAST + 1, 7), (LAST, LAST + 1, 8)])
    assert [index.last_at(address) for address in (0, 1, LAST)] == [None, 7, 8]


def _units(count: int) -> Scopes:
    """Units of 4 bytes of code each, those of odd numbers without addresses of their own, and one
    behind them for all of it; each has two functions."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, PLACE, True),
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE)),
    )

    def one(begin: int, size_bytes: int, *, has_own: bool) -> bytes:
        whole = word(begin, 8) + word(size_bytes)
        head = b"\1" + whole if has_own else b"\2"
        inner = word(begin + 1, 8) + word(1)
        return unit(head + b"\3f\0" + whole + b"\3g\0" + inner + b"\0")

    units = [one(START + 4 * n, 4, has_own=n % 2 == 0) for n in range(count)]
    units.append(one(START, 4 * count + 4, has_own=True))
    sections = {".debug_info": b"".join(units), ".debug_abbrev": abbreviations(*shapes)}
    return Scopes(debug_info(elf(sections, X86_64)))


@pytest.mark.parametrize("few_steps", [0, 10_000])
def test_the_first_unit_and_the_last_subprogram_are_found(
    few_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However they are found."""
    monkeypatch.setattr(covered_code, "_FEW_STEPS", few_steps)
    monkeypatch.setattr(covered_code, "_MOST_PASSES", 0)
    scopes = _units(6)
    offsets = [one.offset for one in scopes.info.units]
    for address in (START - 1, *range(START, START + 30), START - 1):
        number = (address - START) // 4
        found = scopes.linked_unit_at(address)
        if not 0 <= number < 7:
            assert found is None
            continue
        assert found is not None and found.offset == offsets[number]
        function = scopes.subprogram_at(address)
        assert function is not None
        assert function.name == ("g" if address % 4 == 1 and number < 6 else "f")


def test_units_are_not_gone_through_for_each_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are the subprograms of a unit."""
    monkeypatch.setattr(covered_code, "_FEW_STEPS", 0)

    def asked(count: int) -> Callable[[], None]:
        scopes = _units(count)

        def ask() -> None:
            for number in range(count):
                assert scopes.subprogram_at(START + 4 * number) is not None

        return ask

    assert_linear(asked, 100)
