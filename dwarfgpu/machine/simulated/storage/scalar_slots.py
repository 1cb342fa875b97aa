"""Where a running wave keeps its scalar registers: the indices of `RunningWave.s`.

Law: no two registers of a processor share an index. SGPRs have their numbers, which are as many as
106; VCC and EXEC are not in this list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

XNACK_MASK: Final = 106
TTMP: Final = 108
M0: Final = 124
FLAT_SCRATCH: Final = 126
SLOTS: Final = 128
PAIRS: Final[Mapping[str, int]] = {"flat_scratch": FLAT_SCRATCH, "xnack_mask": XNACK_MASK}
"""Registers of two dwords."""
