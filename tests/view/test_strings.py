"""Strings as GDB prints them in a locale of UTF-8, and in others."""

from __future__ import annotations

import pytest

from dwarfgpu.view.strings import CharacterKind, quoted_string


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"caf\xc3\xa9 \xe2\x82\xac\0", '"café €"'),
        (b"x\xc3(\xff\xe2\x82z\0", r'"x\303(\377\342\202z"'),
        (b"ab\xc3", r'"ab", <incomplete sequence \303>'),
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
    told = quoted_string(data, kind, "little", elements=200, repeats=10, utf8=True, sevenbit=True)
    assert told == shown


def test_without_utf8() -> None:
    shown = quoted_string(b"\xc3\xa9", CharacterKind(1), "little", elements=200, repeats=10)
    assert shown == r'"\303\251"'
