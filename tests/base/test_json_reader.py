"""Strict JSON: which integers are read, and that every complaint is one `UsageError`."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from dwarfgpu.base import json_reader
from dwarfgpu.base.json_reader import MAX_BYTES, MAX_VALUES, Field, Json, read_at_most
from dwarfgpu.errors import UsageError
from tests.work import at_most

MEBIBYTE = 1 << 20


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7),
        (-1, -1),
        ("7", 7),
        ("-7", -7),
        ("0x1F", 31),
        ("0b101", 5),
        ("0o17", 15),
        (2**128 - 1, 2**128 - 1),
    ],
)
def test_integers(value: Json, expected: int) -> None:
    assert Field("file", "n", value).integer() == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1.0,
        "",
        "x",
        "1_0",
        "0x_1",
        "\u0663",  # an Arabic digit
        "\u00a07",  # a space beyond ASCII
        "010",
        "9" * 5000,
        2**128,
        -(2**128),
        "0x" + "f" * 6000,
        [[]],
    ],
)
def test_no_integers(value: Json) -> None:
    with pytest.raises(UsageError, match="file: n: expected an integer") as raised:
        Field("file", "n", value).integer()
    assert len(str(raised.value)) < 150


def test_a_value_that_is_too_wide_is_reported() -> None:
    with pytest.raises(UsageError, match="an integer of at most 128 bits"):
        Field("file", "n", 2**128).integer()


def test_integers_up_to_the_given_maximum() -> None:
    assert Field("file", "n", 2**200).integer(0, 2**256 - 1) == 2**200


def test_nesting_that_is_just_readable_is_complained_of() -> None:
    for depth in range(900, 1000):
        try:
            field = json_reader.parse("[" * depth + "]" * depth, "file")
        except UsageError:
            continue
        assert "expected an integer" in str(field.expected("an integer"))


def test_a_member_given_twice_is_found_in_linear_time() -> None:
    members = ", ".join(f'"m{number}": 0' for number in [*range(200_000), 199_999])
    with pytest.raises(UsageError, match="'m199999' is given twice"):
        json_reader.parse(f"{{{members}}}", "made")


class Endless(io.RawIOBase):
    """A device that never ends, and counts what is read of it."""

    count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self.count += len(buffer)
        return len(buffer)


def test_little_is_read_of_a_device_without_end() -> None:
    device = Endless()
    with pytest.raises(UsageError, match="more than 64 MiB"):
        read_at_most(cast(BinaryIO, device), 1 << 30, "device")
    assert device.count <= MAX_BYTES + (1 << 20)


def test_nothing_is_read_of_a_file_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with path.open("rb") as file:
        with pytest.raises(UsageError, match="more than"):
            read_at_most(file, MAX_BYTES, path)
        assert file.tell() == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "made: arrays or objects are nested too deep"),
        ("1" * 5_000, "made: a number has more digits than are read"),
        (
            '{"a": 1, "a": 2}',
            "made: not JSON that can be read: member 'a' is given twice in one object",
        ),
    ],
)
def test_the_words_are_not_those_of_python(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        json_reader.parse(text, "made")
    assert str(raised.value) == message


def test_a_document_of_too_many_values_is_refused_before_they_are_made() -> None:
    text = "[" + "{}," * (MAX_VALUES // 2 + 1) + "{}]"
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="more than 2000000 values; long data"):
            json_reader.parse(text, "made")
        assert tracemalloc.get_traced_memory()[1] < 1 << 16
    finally:
        tracemalloc.stop()


def test_one_wide_character_makes_a_text_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "MAX_TEXT_BYTES", 1 << 20)
    letters = "x" * 300_000
    assert json_reader.parse(f'"{letters}"', "made").value == letters
    with pytest.raises(UsageError, match="made: more than 1 MiB as text in memory"):
        json_reader.parse(f'"{letters}\U0001f600"', "made")


@pytest.mark.parametrize(
    ("text", "data", "known_bits"),
    [
        ("0a0B", "0a0b", "ffff"),
        ("0a??0b????", "0a000b0000", "ff00ff0000"),
        (" ?? %1?0?1?0? 7f??\n", "00887f00", "00aaff00"),
    ],
)
def test_bytes_with_gaps(text: str, data: str, known_bits: str) -> None:
    expected = bytes.fromhex(data), bytes.fromhex(known_bits)
    read = Field("file", "b", text).hexadecimal_with_gaps(len(expected[0]), "register r")
    assert read == expected


@pytest.mark.parametrize("text", ["0??0", "???", "?", "0a ?? 0", "??x0", "?? %1", "?? %0000??112"])
def test_half_bytes_with_gaps(text: str) -> None:
    with pytest.raises(UsageError, match="b: expected bytes in hex, two digits each, or "):
        Field("file", "b", text).hexadecimal_with_gaps(4, "register r")


@pytest.mark.parametrize("end", ["ab" * MEBIBYTE, "?? " * MEBIBYTE, "%????0000 " * MEBIBYTE])
def test_bytes_with_gaps_beyond_their_size_are_not_read(end: str) -> None:
    """Neither words nor bytes are made of them."""
    given = Field("file", "b", f"?? {end}")
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="b: expected 4 bytes for register r, not"):
            given.hexadecimal_with_gaps(4, "register r")
        assert tracemalloc.get_traced_memory()[1] < 32 * MEBIBYTE
    finally:
        tracemalloc.stop()


def test_bytes_with_gaps_are_read_in_runs() -> None:
    given = Field("file", "b", "ab" * 100_000 + "??" * 100_000)
    given.hexadecimal_with_gaps(200_000, "register r")  # what is done once
    with at_most(60):
        data, known_bits = given.hexadecimal_with_gaps(200_000, "register r")
    assert data == b"\xab" * 100_000 + bytes(100_000)
    assert known_bits == b"\xff" * 100_000 + bytes(100_000)
