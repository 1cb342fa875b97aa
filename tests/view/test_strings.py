"""Strings as GDB prints them in a locale of UTF-8, and in others."""

from __future__ import annotations

import json
import random

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base
from dwarfgpu.model.object import Bits
from dwarfgpu.view.strings import CharacterKind, quoted_string
from dwarfgpu.view.values import FormatOptions, format_value
from tests.repl.test_gdb_sessions import gdb_version
from tests.view.gdb_strings import LOCALES, RECORDED, Case, answers_of_gdb, listed, random_cases
from tests.work import calls_of


@pytest.mark.parametrize(
    ("data", "elements", "repeats", "whole", "cut"),
    [  # as GDB 13 and 16 show them
        (b"aabbbbbbcd", 1, 2, '"aa"...', '"a"...'),
        (
            b"aabbbbbbcd",
            3,
            2,
            "\"aa\", 'b' <repeats 6 times>...",
            "\"aa\", 'b' <repeats 6 times>...",
        ),
        (b"aabbbbbbcd", 3, 10, '"aabbbbbb"...', '"aab"...'),
        (b"aabbbbbbcd", 8, 10, '"aabbbbbb"...', '"aabbbbbb"...'),
        (b"aaabbb" + b"c" * 12 + b"ef", 5, 10, '"aaabbb"...', '"aaabb"...'),
        ("aéééébc".encode(), 3, 10, '"aéééé"...', '"aéé"...'),
    ],
)
def test_equal_characters_at_the_limit(
    data: bytes, elements: int, repeats: int, whole: str, cut: str
) -> None:
    for cut_runs, shown in ((False, whole), (True, cut)):
        text = quoted_string(
            data, CharacterKind(1), "little",
            elements=elements, repeats=repeats, cut_runs=cut_runs, utf8=True,
        )  # fmt: skip
        assert text == shown


@pytest.mark.parametrize("data", [b"ab\1\2" * 20_000, b"\1" * 80_000, b"aaab" * 20_000])
@pytest.mark.parametrize("repeats", [2, 200_000])
def test_what_a_text_is_cut_to_is_not_made(data: bytes, repeats: int) -> None:
    """The work is that of the text, whose beginning is the same."""
    kind = Array(Base(BaseType("char", "signed_char", 8)), (len(data),))
    bits = Bits(int.from_bytes(data, "little"), 8 * len(data))
    options = FormatOptions(elements=200_000, repeats=repeats, characters=1_000)
    whole = format_value(bits, kind, evolve(options, characters=1_000_000))
    texts: list[str] = []
    calls = calls_of(lambda: texts.append(format_value(bits, kind, options)))
    assert texts == [whole if len(whole) <= 1_000 else whole[:1_000] + "..."]
    assert calls < 20_000


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"caf\xc3\xa9 \xe2\x82\xac\0", '"café €"'),
        (b"x\xc3(\xff\xe2\x82z\0", r'"x\303(\377\342\202z"'),
        (b"ab\xc3", r'"a", <incomplete sequence \303>'),
        (b"\xf0\x9f\x98", r"<incomplete sequence \360\237\230>"),
        (b"\xf0\x9f\x98\x80\0", '"😀"'),
        (b"\xed\xa0\x80|\xf4\x90\x80\x80|\xc0\x80", r'"\355\240\200|\364\220\200\200|\300\200"'),
        (b"\xc2\x85\xc2\x9b[1m", r'"\302\205\302\233[1m"'),  # they drive terminals
        (b"\xc2\xa0", '"\xa0"'),
        (b"\xc3\xa9" * 12 + b"xy\0", "'é' <repeats 12 times>, \"xy\""),
        (b"q" + b"\xff" * 12, '"q", \'\\377\' <repeats 12 times>'),
    ],
)  # fmt: skip
def test_utf8(data: bytes, shown: str) -> None:
    kind = CharacterKind(1)
    assert quoted_string(data, kind, "little", elements=200, repeats=10, utf8=True) == shown


def test_elements_are_characters() -> None:
    data, kind = b"caf\xc3\xa9\xc3\xa8\0", CharacterKind(1)
    shown = quoted_string(data, kind, "little", elements=4, repeats=10, utf8=True)
    assert shown == '"café"...'


@pytest.mark.parametrize(
    ("data", "kind", "shown"),
    [
        (b"caf\xc3\xa9\0", CharacterKind(1), r'"caf\303\251"'),
        (b"\xe9\0\xac\x20", CharacterKind(2, "u"), r'u"\351\x20ac"'),
    ],
)
def test_sevenbit(data: bytes, kind: CharacterKind, shown: str) -> None:
    text = quoted_string(data, kind, "little", elements=200, repeats=10, utf8=True, sevenbit=True)
    assert text == shown


def test_without_utf8() -> None:
    shown = quoted_string(b"\xc3\xa9", CharacterKind(1), "little", elements=200, repeats=10)
    assert shown == r'"\303\251"'


@pytest.mark.parametrize("locale", LOCALES)
def test_recorded_strings_of_gdb(locale: str) -> None:
    rows = json.loads(RECORDED.read_text("utf-8"))
    cases = [Case(width, bytes.fromhex(data), elements) for width, data, elements, *_ in rows]
    known = [row[3 + LOCALES.index(locale)] for row in rows]
    assert len(cases) > 90
    assert [(case, case.ours(locale)) for case in cases] == [*zip(cases, known, strict=True)]


@pytest.mark.parametrize("locale", LOCALES)
def test_the_strings_of_this_gdb(locale: str) -> None:
    """The recorded ones, and random ones."""
    if not gdb_version().startswith("13."):
        pytest.skip("needs GDB 13, whose answers are recorded")
    seed = random.SystemRandom().randrange(1 << 32)
    cases = [*listed(), *random_cases(2000, seed)]
    known = answers_of_gdb(cases, locale)
    result = [case.ours(locale) for case in cases]
    different = [row for row in zip(cases, known, result, strict=True) if row[1] != row[2]]
    assert different == [], f"seed {seed}"
