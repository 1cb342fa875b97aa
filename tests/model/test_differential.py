"""The engine and the plain model give the same answers (docs/differential.md)."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.model import plain_model, plain_values
from tests.model.compare import compare, report, shrunk
from tests.model.generator import scenario
from tests.model.plain_model import Machinery, Operation
from tests.model.plain_values import Value

SEEDS = range(1, 151)


def test_same_answers() -> None:
    """A few seeds; `tools/differential.py` runs more."""
    for seed in SEEDS:
        text = scenario(seed)
        assert not compare(text).differ, report(shrunk(text))


def _shr_for_shra(m: Machinery) -> None:
    right, left = m.take("value", "value")
    assert isinstance(left, Value) and isinstance(right, Value)
    m.push(plain_values.binary("shr", left, right))


def _swapped_select(m: Machinery) -> None:
    m.stack[-2:-1], m.stack[-3:-2] = m.stack[-3:-2], m.stack[-2:-1]
    right(m, "LLVM_select_bit_piece")


def _wide_deref(m: Machinery) -> None:
    right(m, "deref_size")
    top = m.stack[-1]
    if isinstance(top, Value) and top.bits >> 7 & 1:
        m.stack[-1] = plain_values.of(top.bits - 0x100, top.type)


def _offset_that_eats(m: Machinery) -> None:
    right(m, "LLVM_offset")
    if len(m.stack) > 1:
        del m.stack[-2]


def _top_again(m: Machinery) -> None:
    right(m, "over")
    m.stack[-1] = m.stack[-2]


def _swapped_overlay(m: Machinery) -> None:
    right(m, "swap")
    right(m, "LLVM_bit_overlay")


made = cache(scenario)


@cache
def names(seed: int) -> frozenset[str]:
    """Of the operations in all expressions of a scenario; more than the plain model performs."""
    return frozenset(re.findall(r"Step\(name='(\w+)'", repr(made(seed))))


ORIGINAL = dict(plain_model.OPERATIONS)


def right(m: Machinery, name: str) -> None:
    ORIGINAL[name](m)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("shra", _shr_for_shra),
        ("LLVM_select_bit_piece", _swapped_select),
        ("deref_size", _wide_deref),
        ("LLVM_offset", _offset_that_eats),
        ("over", _top_again),
        ("LLVM_bit_overlay", _swapped_overlay),
        ("drop", ORIGINAL["nop"]),
        ("call_frame_cfa", ORIGINAL["push_object_address"]),
    ],
)
def test_a_wrong_model_is_found(
    name: str, wrong: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If an operation were wrong on one side, random expressions would soon show it."""
    monkeypatch.setitem(plain_model.OPERATIONS, name, wrong)
    assert any(compare(made(seed)).differ for seed in range(1, 2000) if name in names(seed))
