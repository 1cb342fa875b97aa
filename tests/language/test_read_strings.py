"""Strings that functions of the debugger read."""

from __future__ import annotations

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.language import Options, TypedValue, evaluate
from dwarfgpu.language.read_strings import up_to_nul
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session
from tests.language.sessions import demo, text
from tests.work import calls_of


@pytest.mark.parametrize(
    ("data", "width", "expected"),
    [
        (b"ab\0c\0", 1, b"ab"),
        (b"\0", 1, b""),
        (b"ab", 1, b"ab"),
        (b"", 1, b""),
        (b"a\0\0b\0\0c\0", 2, b"a\0\0b"),  # the first zeros are of two units
        (b"a\0\0bc\0", 2, b"a\0\0bc\0"),
        (b"a\0\0\0\0\0b\0\0\0\0\0", 4, b"a\0\0\0\0\0b\0"),
        (b"ab\0", 2, b"ab\0"),
    ],
)
def test_a_string_ends_with_a_unit_of_zeros(data: bytes, width: int, expected: bytes) -> None:
    assert up_to_nul(data, width) == expected


def test_characters_are_not_looked_at_one_by_one() -> None:
    def work(count: int) -> int:
        return calls_of(lambda: up_to_nul(b"a" * count, 1))

    assert work(10_000) == work(10)


def test_the_strings_of_an_expression_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 8)
    size = 1 << 16
    char = Base(BaseType("char", "signed_char", 8))
    text = Bits(int.from_bytes(b"a" * size, "little"), 8 * size)
    options = Options({"x": TypedValue(Array(char, (size,)), bits=text)}.get)
    equal = evaluate("$_streq($x, $x)", demo(), options)
    assert equal.bits is not None and equal.bits.value == 1
    with pytest.raises(LimitExceeded, match="each 16 KiB of an object counted as one"):
        evaluate("$_streq($x, $x) + $_strlen($x)", demo(), options)


def _with_text(data: bytes) -> Session:
    """Return a session whose memory has some bytes 4 bytes after the address 0x100000."""
    session = demo()
    machine = StateTarget(session.architecture)
    machine.add_wave(0)
    machine.set_memory(Memory(session.architecture.address_space(0), 0), 0x10_0004, data)
    return evolve(session, target=machine)


def test_a_string_in_memory_is_read_in_blocks() -> None:
    """One of 9,990 characters took 0.14 s."""
    length = "$_strlen((char *) 0x100004)"
    assert text(_with_text(b"a" * 9_990 + b"\0"), length) == "9990"
    short, long = (
        calls_of(lambda: text(_with_text(b"a" * count + b"\0"), length))  # noqa: B023
        for count in (10, 9_990)
    )
    assert long < short + 9_990 * 8, (short, long)


@pytest.mark.parametrize("count", [1, 59, 60, 61, 100])
def test_a_string_may_end_where_memory_does(count: int) -> None:
    length = "$_strlen((char *) 0x100004)"
    session = _with_text(b"a" * (count - 1) + b"\0")
    assert text(session, length) == str(count - 1)
    shown = text(_with_text(b"a" * count), length)
    assert shown.startswith(f"Cannot access memory at address {0x10_0004 + count:#x}")


def test_strings_in_memory_share_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block that is read counts as one element."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 7)
    session, length = _with_text(b"a" * 250 + bytes(128)), "$_strlen((char *) 0x100004)"
    assert text(session, length) == "250"
    assert text(session, f"{length} + {length}").startswith("an expression takes more than 7 ")


def test_texts_of_values_share_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With unlimited elements, 20 of them took 7 s: 16 characters count as one element, and so do
    16 KiB of an object with a short text."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 20)
    expression = '$_strlen($_as_string("' + "ab" * 60 + '"))'
    assert text(demo(), expression) == "122"
    refused = "an expression takes more than 20 elements"
    assert text(demo(), " + ".join([expression] * 3)).startswith(refused)
    size = 1 << 17
    char = Base(BaseType("char", "signed_char", 8))
    zeros = Options({"x": TypedValue(Array(char, (size,)), bits=Bits(0, 8 * size))}.get)
    expression = "sizeof($_as_string($x))"  # not evaluated
    evaluate(" + ".join([expression] * 9), demo(), zeros)
    expression = "$_streq($_as_string($x), $_as_string($x))"
    evaluate(expression, demo(), zeros)
    with pytest.raises(LimitExceeded, match=refused):
        evaluate(f"{expression} + $_strlen($_as_string($x))", demo(), zeros)
