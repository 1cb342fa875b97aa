"""Names that were perhaps meant."""

from __future__ import annotations

import pytest

from dwarfgpu.base.suggest import did_you_mean


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


def test_a_name_without_end_is_cut() -> None:
    assert did_you_mean("x" * 1_000_000, ["x" * 80] * 10) == f' Did you mean "{"x" * 80}"?'
