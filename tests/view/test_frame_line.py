"""The line of a call frame: which arguments are `...`."""

from __future__ import annotations

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.dynamic_properties import Properties
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Dynamic,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
)
from dwarfgpu.view.frame_line import is_aggregate

INT = Base(BaseType("int", "signed", 32))
PAIR = Qualified("const", Typedef("pair_t", Struct("struct", "pair", 8)))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (INT, False),
        (PAIR, True),
        (Array(INT, (2,)), True),
        (Pointer(PAIR), False),
        (Pointer(INT, kind="reference"), False),
        (Pointer(PAIR, kind="reference"), True),
        (Qualified("const", Pointer(PAIR, kind="rvalue_reference")), True),
        (Pointer(Array(INT, (2,)), kind="reference"), True),
        (Pointer(Pointer(PAIR), kind="reference"), False),
        (Dynamic(Array(INT, (None,)), Properties()), True),  # of Fortran, removed
        (None, False),
    ],
)
def test_aggregates(kind: Type | None, expected: bool) -> None:
    """As in GDB, a reference is what it refers to."""
    assert is_aggregate(kind) is expected
