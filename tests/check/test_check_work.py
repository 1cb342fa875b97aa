"""How much a check of a file does: findings that are not shown are not described."""

from __future__ import annotations

from collections import Counter

import pytest

from dwarfgpu.arch import architecture
from dwarfgpu.check.entries import EntryChecker
from dwarfgpu.check.file import verify
from dwarfgpu.check.finding import FindingPlace
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.bind import Perform
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, UPSTREAM_CLANG, Dialect
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.static_check.abstract_stack import Report, Shape, Transfer
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.text.assembly import assemble
from tests.dwarf.builder import FIXTURES

FILE = FIXTURES / "hip/library.gfx90a.O2.v5.co"
"""With more than three findings of some rule."""


def test_hidden_findings_are_counted_and_not_described(monkeypatch: pytest.MonkeyPatch) -> None:
    every = verify(CodeObject.open(FILE)).findings
    described: list[int] = []
    place = EntryChecker._place

    def counted(
        self: EntryChecker, index: int, attribute: str | None, span: Range | None = None
    ) -> FindingPlace:
        described.append(index)
        return place(self, index, attribute, span)

    monkeypatch.setattr(EntryChecker, "_place", counted)
    few = verify(CodeObject.open(FILE), most_of_rule=3).findings
    seen: Counter[tuple[str, str]] = Counter()
    first = []
    for finding in every.kept:
        seen[finding.severity, finding.rule] += 1
        if seen[finding.severity, finding.rule] <= 3:
            first.append(finding)
    assert few.kept == first
    assert few.hidden == {rule: count - 3 for rule, count in seen.items() if count > 3} != {}
    assert few.counts == every.counts
    assert few.dropped == every.dropped == 0
    assert len(described) <= len(few.kept)


@pytest.mark.parametrize("dialect", [AMD, UPSTREAM_CLANG])
def test_a_straight_expression_is_followed_once(
    monkeypatch: pytest.MonkeyPatch, dialect: Dialect
) -> None:
    followed: list[str] = []
    transfer = Transfer.__call__

    def counted(
        self: Transfer, instruction: Instruction, perform: Perform, shape: Shape, report: Report
    ) -> Shape | None:
        followed.append(instruction.operation.name)
        return transfer(self, instruction, perform, shape, report)

    monkeypatch.setattr(Transfer, "__call__", counted)
    gfx = architecture("gfx90a")
    names = ["regx", "piece"] * 8
    text = "; ".join(f"regx v{n}; piece 4" for n in range(8))
    data = assemble(text, AMD, UnitFormat(), gfx)
    check(data, dialect, UnitFormat(), gfx)
    assert followed == names
    # What follows an operation that fails is not looked at, as no evaluation reaches it.
    followed.clear()
    found = check(b"\x16" + data, AMD, UnitFormat(), gfx)  # DW_OP_swap of an empty stack
    assert [finding.rule for finding in found] == ["stack-underflow"]
    assert followed == ["swap"]
