"""Currency of Free Pascal: a whole number of ten-thousandths.

Its file `dbgdwarf.pas` writes DW_ATE_signed, because GDB does not know DW_ATE_signed_fixed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve

_SCALE: Final = Fraction(1, 10_000)


def as_currency(base: BaseType) -> BaseType:
    """Return the type with its scale, if it has the form of one."""
    if base.encoding != "signed" or base.bit_size != 64 or base.vector_size is not None:
        return base
    return evolve(base, encoding="signed_fixed", scale=_SCALE)
