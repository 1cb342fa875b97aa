"""Parts of a unit that tests make by hand: attributes with their forms, and entries of these."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import Shape

NAME: Final = (dw.AT_NAME, dw.FORM_STRING)
RANGE: Final = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
UNIT: Final = Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *RANGE), True)
BASE_TYPE: Final = Shape(
    dw.TAG_BASE_TYPE, (NAME, (dw.AT_ENCODING, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1))
)
VARIABLE: Final = Shape(
    dw.TAG_VARIABLE, (NAME, (dw.AT_TYPE, dw.FORM_REF4), (dw.AT_LOCATION, dw.FORM_EXPRLOC))
)
HEADER_BYTES: Final = 12
"""Of the unit, before its first entry."""
