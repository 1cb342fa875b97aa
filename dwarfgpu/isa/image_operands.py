"""Image instructions: how many registers their data and address have.

The encoding names the first register only; the count follows from dmask, d16, tfe, the dimension
and a16. Address registers that are not consecutive follow the instruction as bytes (NSA).
"""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.isa_target import IsaTarget

_COORDINATES = (1, 2, 3, 3, 2, 3, 3, 4)
"""Of the dimensions 1D, 2D, 3D, CUBE, 1D_ARRAY, 2D_ARRAY, 2D_MSAA, 2D_MSAA_ARRAY."""
_GRADIENTS = (2, 4, 6, 4, 2, 4, 4, 4)


@frozen
class ImageShape:
    """The word `image=` of a format."""

    encoding: str
    """LLVM's name: `gfx8`, `gfx10default`, `gfx11nsa` …"""
    flags: str
    """b: BVH; c: coordinates; l: lod, clamp or mip; g: gradients; h: 16-bit gradients."""
    extra_arguments: int
    data_dwords: int
    """The number of data dwords of the encoding in the tables."""
    address_dwords: int
    data_sizes: dict[int, int]
    """Dwords for which LLVM has an instruction, and how many registers that prints."""
    address_sizes: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> ImageShape:
        """Parse the word without `image=`."""
        encoding, flags, extra, data, address, datas, addresses = text.split(":")
        return cls(
            encoding,
            flags,
            int(extra),
            int(data),
            int(address),
            {
                int(size): int(registers or size)
                for size, _, registers in (word.partition(">") for word in datas.split(","))
            },
            tuple(map(int, addresses.split(","))),
        )

    @property
    def is_non_sequential(self) -> bool:
        """Each address register has a field of its own."""
        return self.encoding in ("gfx10nsa", "gfx11nsa", "gfx12")

    def address_size(self, dimension: int, a16: int, target: IsaTarget) -> int:
        """Return the number of dwords of the address that the operation reads."""
        coordinates = _COORDINATES[dimension] if dimension < 8 else 0
        gradients = _GRADIENTS[dimension] if dimension < 8 else 0
        components = (coordinates if "c" in self.flags else 0) + ("l" in self.flags)
        words = self.extra_arguments + ((components + 1) // 2 if a16 else components)
        if "g" in self.flags:
            is_short = (a16 and "g16" not in target.features) or "h" in self.flags
            words += (gradients // 2 + 1) // 2 * 2 if is_short else gradients
        return words

    def sizes(
        self, fields: dict[str, int], target: IsaTarget, *, gather: bool, sample: bool
    ) -> tuple[int, int, bool]:
        """Return the dwords of the data, the dwords of the address, and whether the last address
        register is wider.

        Sizes without an LLVM instruction stay those of the encoding.
        """
        unchanged = self.data_dwords, self.address_dwords, False
        if "b" in self.flags:
            return unchanged
        address, is_partial = self.address_dwords, False
        if target.generation >= 10:
            address = self.address_size(fields.get("dim", 0), fields.get("a16", 0), target)
            if not self.is_non_sequential:
                if not sample and address > 12:
                    address = 16
            elif address > self.address_dwords:
                if "partial_nsa" not in target.features:
                    return unchanged
                if self.encoding == "gfx12" and not sample:
                    return unchanged
                is_partial = True
        mask = fields.get("dmask", 0) & 15
        data = 4 if gather else max(mask.bit_count(), 1)
        if fields.get("d16") and "unpacked_d16" not in target.features:
            data = (data + 1) // 2
        if fields.get("tfe"):
            data += 1
        if data not in self.data_sizes or address not in self.address_sizes:
            return unchanged
        return self.data_sizes[data], address, is_partial
