"""Values of floating-point types whose format is unknown."""

from __future__ import annotations

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import Unsupported
from dwarfgpu.model.value import Value


def test_the_reason_is_that_the_format_is_unknown() -> None:
    double = BaseType("double", "float", 64)
    value = Value(0x3FF0000000000000, double)
    with pytest.raises(Unsupported) as raised:
        value + value
    assert raised.value.message == (
        "addition on the floating type double of 64 bits, whose format is unknown"
    )
    with pytest.raises(Unsupported, match="whose format is unknown"):
        Value(1, BaseType("int", "signed", 32)).converted(double)
