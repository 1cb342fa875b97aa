"""Budgets of one file: how much may be made of its bytes before an answer.

Law: a header's claim is refused before anything is unpacked; the error names the part of the file
and the option that raises the bound.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import LimitExceeded

UNJUDGED_BYTES: Final = 1 << 20
"""A compressed part that unpacks to no more may have any ratio: zeros compress a thousandfold."""


@frozen
class FileLimits:
    """Bounds of each file that is read; beyond them it is `LimitExceeded`."""

    inflated_bytes: int = 1 << 28
    """Bytes of all its compressed parts together, when decompressed."""
    inflated_ratio: int = 64
    """How many times its compressed size a compressed part may have."""
    units: int = 200_000
    """Units of a section."""
    dies: int = 4_000_000
    """Maximum number of debugging information entries in the units that are read."""
    cfa_instructions: int = 1 << 16
    """Call frame instructions of a CIE or FDE; long functions have some thousands."""
    namesakes: int = 20_000
    """Variables of one name that a question lists."""
    waves: int = 1 << 16
    """Maximum number of waves of a state: four times the largest simulated dispatch."""

    def check_inflated(
        self, subject: str, *, packed_bytes: int, size_bytes: int, other_bytes: int = 0
    ) -> None:
        """`LimitExceeded` for a compressed part that is too large, before it is unpacked.

        `other_bytes`: what other compressed parts of the file have unpacked.
        """
        grown = f"{subject} has {size_bytes} bytes when decompressed"
        ratio = self.inflated_ratio
        if size_bytes > max(UNJUDGED_BYTES, ratio * packed_bytes):
            raise LimitExceeded(
                f"{grown}, {packed_bytes} compressed: more than {ratio} times as many",
                "--max-inflated-ratio",
            )
        if other_bytes + size_bytes > self.inflated_bytes:
            other_parts = f", other parts of the file {other_bytes}" if other_bytes else ""
            raise LimitExceeded(
                f"{grown}{other_parts}: more than {self.inflated_bytes}", "--max-inflated-bytes"
            )


DEFAULT_LIMITS: Final = FileLimits()
