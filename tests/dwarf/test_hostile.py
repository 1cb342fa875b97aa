"""Files made to exhaust or to confuse: each ends soon, with the right answer or a clear error."""

from __future__ import annotations

import pytest

from dwarfgpu.bits import encode_sleb, encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import Malformed
from tests.dwarf.builder import Shape, debug_info, file_of

FITS_NO_WORD = encode_uleb(1 << 64)
HUGE = encode_uleb((1 << 16_000) - 1)


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        (dw.FORM_UDATA, encode_uleb((1 << 64) - 1), (1 << 64) - 1),
        (dw.FORM_UDATA, b"\x81" + b"\x80" * 100 + b"\0", 1),  # padded, as assemblers may
        (dw.FORM_SDATA, encode_sleb(-(1 << 63)), -(1 << 63)),
        (dw.FORM_UDATA, FITS_NO_WORD, None),
        (dw.FORM_UDATA, HUGE, None),
        (dw.FORM_SDATA, encode_sleb(-(1 << 16_000)), None),
        (dw.FORM_SDATA, encode_sleb(-(1 << 63) - 1), None),
    ],
)
def test_leb128_attributes(form: int, value: bytes, expected: int | None) -> None:
    data = file_of(b"\1" + value, [Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_DECL_LINE, form),))])
    root = debug_info(data).units[0].root
    if expected is not None:
        assert root.integer(dw.AT_DECL_LINE) == expected
        return
    with pytest.raises(Malformed, match="does not fit 64 bits"):
        root.integer(dw.AT_DECL_LINE)


@pytest.mark.parametrize(
    "shape",
    [
        Shape(1 << 64),
        Shape(dw.TAG_COMPILE_UNIT, ((1 << 64, dw.FORM_DATA1),)),
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_DECL_LINE, dw.FORM_IMPLICIT_CONST, 1 << 15_000),)),
    ],
)
def test_leb128_of_abbreviations(shape: Shape) -> None:
    with pytest.raises(Malformed, match="does not fit 64 bits"):
        debug_info(file_of(b"\1", [shape])).units[0].root  # noqa: B018
