"""Names that were perhaps meant."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwarfgpu.base import suggest
from dwarfgpu.base.suggest import KnownNames, did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("tt", ["t", "x"], "t"),
        ("lmit", ["limit", "t"], "limit"),
        ("LIMIT", ["limit"], "limit"),
        ("Wrker", ["WORKER"], "WORKER"),
        ("head", ["ready"], None),
        ("q", ["t", "x"], None),
        ("anything", [], None),
    ],
)
def test_near_names(name: str, known: list[str], expected: str | None) -> None:
    words = "" if expected is None else f' Did you mean "{expected}"?'
    assert did_you_mean(name, known) == words


def test_a_sigil() -> None:
    assert did_you_mean("exce", ["exec"], "$") == ' Did you mean "$exec"?'


def test_only_accepted_names_are_suggested() -> None:
    """Of many near names that are not, few are looked up."""
    looked_up: list[str] = []

    def is_accepted(name: str) -> bool:
        looked_up.append(name)
        return name.endswith("9")

    known = [f"number{digit}" for digit in "1123456789"]
    assert did_you_mean("number0", known, is_accepted=is_accepted) == ' Did you mean "number9"?'
    assert looked_up == known[1:]
    looked_up.clear()
    many = [f"number{letter}" for letter in map(chr, range(0x100, 0x200))]
    assert did_you_mean("number0", [*many, "number9"], is_accepted=is_accepted) == ""
    assert looked_up == many[:16]


def test_a_name_without_end_is_cut() -> None:
    assert did_you_mean("x" * 1_000_000, ["x" * 80] * 10) == f' Did you mean "{"x" * 80}"?'


def distance(first: str, second: str) -> int:
    """Letters to add, leave out, replace, or swap with the next: by definition."""

    @cache
    def of(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        least = min(of(i - 1, j), of(i, j - 1), of(i - 1, j - 1) - (first[i - 1] == second[j - 1]))
        if i > 1 and j > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
            least = min(least, of(i - 2, j - 2))
        return least + 1

    return of(len(first), len(second))


WORDS = st.text(alphabet="abcAé_", max_size=12)


@given(WORDS, WORDS)
def test_the_distance(first: str, second: str) -> None:
    assert suggest._edits(first, second, 99) == distance(first, second)
    for most in range(4):
        edits = suggest._edits(first, second, most)
        assert edits == distance(first, second) or min(edits, distance(first, second)) > most


@given(WORDS, st.lists(WORDS | st.just("a\0b") | st.just("\udc80"), max_size=20))
def test_known_names(name: str, names: list[str]) -> None:
    expected = []
    for known in dict.fromkeys(names):
        edits = distance(name.lower(), known.lower())
        if edits <= suggest._most_edits(name):
            expected.append((edits, known))
    assert KnownNames(names).similar(name) == sorted(expected)


def test_few_names_are_compared_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def edits(places: object, length: int, second: str) -> int:
        compared.append(second)
        return 0

    monkeypatch.setattr(suggest, "_distance", edits)
    names = KnownNames(["nosuchwork", *(f"name_{number:05}" for number in range(10_000))])
    names.similar("nosuchwords")
    assert compared == ["nosuchwork"]
