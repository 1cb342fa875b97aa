"""Numbers that are looked for in the bytes of units: all of them, and in few passes."""

from __future__ import annotations

from random import Random
from typing import Literal, SupportsIndex

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.index import string_index
from dwarfgpu.dwarf.index.string_index import StringIndex
from tests.dwarf.builder import Shape, abbreviations, debug_info, elf, fixture, unit
from tests.work import at_most

Endian = Literal["little", "big"]
SIZES = (4, 8)


def blocks_of(numbers: set[int]) -> dict[int, set[int]]:
    blocks: dict[int, set[int]] = {}
    for number in numbers:
        blocks.setdefault(number >> 8, set()).add(number & 0xFF)
    return blocks


def positions(data: bytes, blocks: dict[int, set[int]], size: int, endian: Endian) -> set[int]:
    """Where the finders find one."""
    out: set[int] = set()
    for find in string_index._finders(blocks, size, endian):
        at = find(data, 0)
        while at >= 0:
            out.add(at)
            at = find(data, at + 1)
    return out


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 3, 9, 60])
def test_every_position_of_every_number(size: int, endian: Endian, count: int) -> None:
    """Also those that begin within another one, or within bytes that are nearly one."""
    rng = Random(count * size)
    for _ in range(40):
        # Few values of a byte, special ones of patterns among them: nearly all overlap.
        values = rng.sample([0, 1, 2, *b"]^-\\[\n.", 0xFF], 3)
        numbers = {
            int.from_bytes(bytes([0, *rng.choices(values, k=3)]), "big") for _ in range(count)
        }
        data = bytes(rng.choices([0, *values], k=400)) + b"".join(
            number.to_bytes(size, endian) for number in numbers
        )
        expected = {
            at
            for at in range(len(data) - size + 1)
            if int.from_bytes(data[at : at + size], endian) in numbers
        }
        assert positions(data, blocks_of(numbers), size, endian) == expected


@pytest.mark.parametrize(("count", "passes"), [(1, 1), (4, 4), (5, 1), (200, 1)])
def test_many_numbers_take_one_pass(count: int, passes: int) -> None:
    blocks = blocks_of({number << 8 | 7 for number in range(1, count + 1)})
    assert len(list(string_index._finders(blocks, 4, "little"))) == passes


def test_blocks_of_spans() -> None:
    """They may overlap, be in one another and have gaps between them."""
    rng = Random(1)
    for _ in range(200):
        firsts = [rng.randrange(3_000) for _ in range(rng.randrange(8))]
        spans = [(first, first + rng.randrange(700)) for first in firsts]
        numbers = {number for first, last in spans for number in range(first, last + 1)}
        expected = blocks_of(numbers)
        assert string_index._blocks(spans, len(expected)) == expected
        if expected:
            assert string_index._blocks(spans, len(expected) - 1) is None


@pytest.mark.parametrize("size_bytes", [40_000, 4_000_000])
def test_spans_of_one_long_string_are_gone_through_once(size_bytes: int) -> None:
    """And no further than as many blocks as are looked for."""
    spans = [(1, size_bytes + 6 * number) for number in range(1_900)]
    with at_most(30_000):
        blocks = string_index._blocks(spans, 250)
    assert (blocks is None) == (size_bytes > 40_000)


class Strings(bytes):
    """A section that counts the bytes in which the beginning of a string is looked for."""

    searched_bytes = 0

    def rfind(self, *arguments: int | bytes | SupportsIndex) -> int:  # type: ignore[override]
        text, begin, end = arguments
        assert isinstance(text, bytes) and isinstance(begin, int) and isinstance(end, int)
        self.searched_bytes += end - begin
        return super().rfind(text, begin, end)


@pytest.mark.parametrize("is_beginning", [False, True])
def test_the_bytes_of_one_long_string_are_gone_through_once(
    is_beginning: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = fixture("x86_64/demo.gcc.O0.v5")
    data = Strings(b"ab\0\0x" + b"z" * 5_000 + b" ab cab" * 500 + b"\0ab\0c ab\0")
    monkeypatch.setattr(
        info.sections, "section", lambda name: data if name == string_index.STRINGS[0] else b""
    )
    spans = StringIndex(info.sections, lambda: info.units)._spans_with(
        b"ab", is_beginning=is_beginning
    )
    hits = [at for at in range(len(data)) if data.startswith(b"ab", at)]
    assert spans == [
        (
            at
            if is_beginning and data[at - 1 : at] == b"c"
            else bytes(data).rfind(b"\0", 0, at) + 1,
            at,
        )
        for at in hits
    ]
    assert data.searched_bytes <= len(data)


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("blocks", [[0], [1, 0x100, 0x102, 0x200, 0x201]])
def test_bytes_that_are_nearly_a_number_count_as_one_after_many(
    endian: Endian, blocks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The units that may mention a name are at least those that do."""
    monkeypatch.setattr(string_index, "_MAX_MISSES", 100)
    wanted = blocks_of({block << 8 | 7 for block in blocks})
    nearly = (0 if blocks == [0] else 7).to_bytes(4, endian)  # each byte is one of those wanted
    number = (blocks[-1] << 8 | 7).to_bytes(4, endian)
    for count in (10, 10_000):
        (find,) = string_index._finders(wanted, 4, endian)
        with at_most(1_000):
            at = find(nearly * count + number, 0)
        assert at == 40 if count == 10 else 40 < at <= 4 * 101


def test_a_search_does_not_go_through_all_units() -> None:
    """But through their bytes."""
    root = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRING),))
    units = unit(b"\1a\0") * 5_000 + unit(b"\1b\0")
    info = debug_info(elf({".debug_info": units, ".debug_abbrev": abbreviations(root)}))
    info.strings.units(b"no such name\0")
    with at_most(1_000):
        for number in range(20):
            assert info.strings.units(b"%d\0" % number) == ()
        assert info.strings.units(b"b\0") == info.units[-1:]
