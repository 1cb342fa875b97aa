"""What decoding and text depend on besides the tables: the features of one processor."""

from __future__ import annotations

from dwarfgpu.base.records import frozen


@frozen
class IsaTarget:
    """One processor with one wave size."""

    processor: str
    wave_size: int
    """Lanes of a wave: 32 or 64."""
    generation: int
    """Major number of the GFX level, 8 to 12."""
    features: frozenset[str]
    """Features of the tables' `target` lines: `gfx90a`, `nsa`, `vop3_literal` …"""

    @property
    def sgprs(self) -> int:
        """Encodings of scalar operands that are SGPRs."""
        return 106 if self.generation >= 10 else 102

    @property
    def most_bytes(self) -> int:
        """The size of the longest instruction."""
        if "nsa" in self.features:
            return 20
        if self.processor == "gfx950":
            return 16
        return 12 if "vop3_literal" in self.features else 8
