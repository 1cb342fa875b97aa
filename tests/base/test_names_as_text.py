"""The texts of names of files, which no terminal shows as they are, and their bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwarfgpu.base.escaped_names import cut_mark
from dwarfgpu.base.printable import (
    LONGEST_NAME_BYTES,
    is_cut,
    name_beginning,
    name_bytes,
    name_text,
    printable,
    text_bytes,
)
from dwarfgpu.errors import LimitExceeded

PARTS = st.sampled_from(
    [b"'", b"\\", b"x", b"0", b"5c", b"u", b"200d", b"U0010ffff", b"n", b"\1", b"\n", b"\xff",
     b"\xed",
     *(text.encode() for text in ("ä", "\x80", "\xad", "\u200d", "\u2028", "\U000e0001"))]
)  # fmt: skip
LONG = b"v" * (LONGEST_NAME_BYTES + 1)


@given(st.lists(PARTS, max_size=10).map(b"".join) | st.binary(max_size=10))
def test_the_text_of_a_name_has_all_its_bytes(name: bytes) -> None:
    text = printable(name)
    assert text.isprintable()
    assert name_bytes(text) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"a\1b", r"a\x01b"),
        (rb"a\x01b", r"a\x5cx01b"),
        (b"a\xffb", r"a\xffb"),
        ("a\u200db".encode(), r"a\u200db"),
        ("ä\n".encode(), r"ä\x0a"),
        (rb"Box<'\xff', u'\u1234'>", r"Box<'\xff', u'\u1234'>"),
        (b"''\1'", r"\x27\x27\x01'"),
        (rb"C:\new\table\Users", r"C:\new\table\Users"),
    ],
)
def test_escapes(name: bytes, text: str) -> None:
    assert printable(name) == text


@pytest.mark.parametrize("text", [r"a\ud800", r"a\U00110000", "\ud800", r"\x", "a\\"])
def test_what_a_user_writes_has_bytes(text: str) -> None:
    assert name_bytes(text)


def test_escapes_are_no_part_of_other_texts() -> None:
    assert text_bytes(r"a\x01b") == rb"a\x01b"


def test_names_that_are_cut_have_texts_of_their_own() -> None:
    names = LONG, LONG + b"v", b"v" * LONGEST_NAME_BYTES + b"..."
    texts = set(map(name_text, names))
    assert len(texts) == 3
    assert all(map(is_cut, texts))
    assert not is_cut(name_text(LONG[:-1]))
    assert {name_beginning(text) for text in texts} == {LONG[:-1]}
    for text in texts:
        with pytest.raises(LimitExceeded, match="more than 16384 bytes"):
            name_bytes(text)


@pytest.mark.parametrize("before", [b"v" * 5000, b"\1" * 8000, "\U0001f600".encode() * 4080])
def test_whole_names_may_end_like_those_that_are_cut(before: bytes) -> None:
    mark = cut_mark(LONG)
    whole = before + mark.encode()
    text = name_text(whole)
    assert text.endswith(mark)
    assert not is_cut(text)
    assert name_bytes(text) == whole
    cut = name_text(whole + LONG)
    assert is_cut(cut)
    assert name_beginning(cut) == (whole + LONG)[:LONGEST_NAME_BYTES]
