"""Registers that gcc knows calls leave alone: on which conditions an outer frame has them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa, Rule, UndefinedRule
from dwarfgpu.cfi.tail_call_frame import Jump, TailFrame
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.context import Context
from dwarfgpu.session.ipa_ra import preserved_by_callees
from dwarfgpu.view.location_text import location_text
from tests.cfi.test_unwind import x86

GCC, CLANG = "GNU C17 12.2.0 -g -O2", "clang version 19.1.7"
RDX = 1


def code(producer: str = GCC, file: object = "program") -> CodeObject:
    unit = None if not producer else SimpleNamespace(producer=producer)
    scopes = SimpleNamespace(unit_at=lambda location: unit)
    return cast(CodeObject, SimpleNamespace(info=file, scopes=scopes))


def stack(context: Context, rules: list[dict[int, Rule]]) -> CfiFrame:
    """The outermost frame; each frame has rules for its caller, the top one first."""
    frame: CfiFrame | None = None
    for rule in rules:
        row = FrameRow(RegisterCfa(7, 16), {16: OffsetRule(-8), **rule}, 16)
        frame = CfiFrame(context, 0x1000, row, frame)
    assert frame is not None
    return frame


def shown(frame: CfiFrame, objects: list[CodeObject | None], number: int = RDX) -> str | None:
    preserved = preserved_by_callees(frame, number, lambda level: objects[level])
    return None if preserved is None else location_text(preserved)


@pytest.mark.parametrize(
    ("rules", "objects", "expected"),
    [
        ([{}, {}], [code(), code()], "rdx"),
        ([{}, {}, {}, {}], [code()] * 4, "rdx"),
        ([{}, {}], [code(), code(CLANG)], None),
        ([{}, {}], [code(CLANG), code()], None),
        ([{}, {}], [code(""), code()], None),  # no unit: as of an assembler
        ([{}, {}], [None, code()], None),
        ([{}, {}], [code(file="library"), code()], None),
        ([{}, {}, {}], [code(), code(CLANG), code()], None),
        ([{}, {}, {}], [code(), code(file="library"), code()], None),
        ([{}, {}, {}], [code(CLANG), code(), code()], None),
        ([{RDX: UndefinedRule()}, {}], [code(), code()], None),  # it is undefined by a rule
        ([{}, {RDX: UndefinedRule()}, {}], [code()] * 3, None),
        ([{RDX: OffsetRule(-16)}, {}, {}], [code()] * 3, "0x7ff0"),  # where the innermost saved it
        ([{RDX: OffsetRule(-16)}, {}, {}], [code(CLANG), code(), code()], "0x7ff0"),
        ([{}], [code()], None),  # the top frame has all of its registers
    ],
)
def test_on_which_conditions(
    rules: list[dict[int, Rule]], objects: list[CodeObject | None], expected: str | None
) -> None:
    context = x86({}, rsp=0x7FF0)
    assert shown(stack(context, rules), objects) == expected


def test_a_call_by_a_jump_is_a_call() -> None:
    """gcc ends a location before the end of the jump, too, where that may change its register."""
    context = x86({}, rsp=0x7FF0)
    top = stack(context, [{}])
    jumped = TailFrame(context, Jump(0x2000, 0x1FFF), top)
    outer = CfiFrame(context, 0x3000, FrameRow(RegisterCfa(7, 16), {}, 16), jumped)
    assert shown(jumped, [code()] * 3) == "rdx"
    another = TailFrame(context, Jump(0x2000, 0x1FFF), top)
    assert shown(another, [code(CLANG), code(), code()]) is None
    assert shown(outer, [code()] * 3) == "rdx"
    fresh = CfiFrame(context, 0x3000, FrameRow(RegisterCfa(7, 16), {}, 16), jumped)
    assert shown(fresh, [code(), code(CLANG), code()]) is None


def test_a_deep_stack_is_followed_once() -> None:
    asked: list[int] = []
    every = code()
    outer = stack(x86({}, rsp=0x7FF0), [{}] * 3000)
    for frame in (outer, outer.callee, outer):
        assert frame is not None

        def at(level: int) -> CodeObject:
            asked.append(level)
            return every

        assert preserved_by_callees(frame, RDX, at) is not None
    assert len(asked) < 3010
