"""Objects of more bits than the register that the producer's output gives for them."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import PartlyDescribed
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Register
from dwarfgpu.session.read_variable import _check_upstream
from dwarfgpu.view.explanation_text import fault


def test_the_compiler_is_at_fault() -> None:
    """clang describes `long long x` by the first of its two vector registers."""
    register = architecture("gfx906").by_name["v4"]
    location = Location((SingleLocation(Register(register, 0)),))
    _check_upstream(location, 32)
    with pytest.raises(
        PartlyDescribed, match="64 bits in one lane of v4, which holds 32"
    ) as raised:
        _check_upstream(location, 64)
    assert raised.value.kind == "Unavailable"
    assert fault(raised.value).endswith("the compiler's mistake")
