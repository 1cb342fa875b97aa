"""AMD GPU processors (AMDGPU usage, "Processors" and "EF_AMDGPU_MACH Values").

Law: what differs between processors is a column here; no other module compares their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.arguments import WrongValue
from dwarfgpu.base.records import field, frozen
from dwarfgpu.base.suggest import nearest
from dwarfgpu.errors import Unsupported


@frozen(eq=False)
class Processor:
    """One processor, as in `-mcpu` and in the ELF header."""

    name: str
    mach: int = field(repr=hex)
    """EF_AMDGPU_MACH, the low byte of e_flags."""
    generation: int
    """Major number of the GFX level."""
    wave_sizes: tuple[int, ...]
    """Lanes of a wave, the default first."""
    has_accumulators: bool
    """Has AGPRs."""
    has_architected_flat_scratch: bool
    """Scratch offsets in SGPRs count the bytes of one lane, not those of the wave."""
    has_1024_vgprs: bool
    """Has the second block of wave32 VGPRs."""

    @property
    def supports_xnack(self) -> bool:
        """Whether code says how it treats page faults that are retried."""
        return self.name in _XNACK

    @property
    def supports_sramecc(self) -> bool:
        """Whether code says if memories on the chip correct errors."""
        return self.name in _SRAMECC

    @property
    def sgpr_count(self) -> int:
        """SGPRs that instructions can name: s0 and so on."""
        return {6: 104, 7: 104, 8: 102, 9: 102}.get(self.generation, 106)

    @property
    def has_xnack_mask(self) -> bool:
        """Whether the mask of lanes whose page faults are retried is a register."""
        if self.generation <= 9:
            return self.generation >= 8
        return self.has_1024_vgprs or self.generation == 10 and self.supports_xnack

    @property
    def has_packed_work_item_ids(self) -> bool:
        """The ids of a work-item in x, y and z are in v0, ten bits each."""
        return self.has_unified_vgprs or self.generation >= 11

    @property
    def has_architected_sgprs(self) -> bool:
        """Workgroup ids are in ttmp9 and ttmp7, not in SGPRs of the kernel."""
        return self.generation >= 12

    @property
    def most_lds_bytes(self) -> int:
        """The most LDS that a workgroup can have."""
        if self.generation == 6:
            return 0x8000
        if self.has_1024_vgprs:
            return 0x50000
        return 0x28000 if self.name in _LARGE_LDS else 0x10000

    @property
    def lds_granule_bytes(self) -> int:
        """Allocation granule of LDS, in bytes."""
        if self.generation == 6:
            return 256
        if self.has_1024_vgprs:
            return 2048  # known from LLVM alone; before its version 22 it was 1024
        return 1280 if self.name in _LARGE_LDS else 512

    @property
    def scratch_granule_bytes(self) -> int:
        """Allocation granule of a wave's scratch, in bytes: the unit of COMPUTE_TMPRING_SIZE."""
        return 256 if self.generation >= 11 else 1024

    @property
    def most_scratch_granules(self) -> int:
        """The largest number that COMPUTE_TMPRING_SIZE.WAVESIZE can hold."""
        return (1 << {11: 15, 12: 18}.get(self.generation, 13)) - 1

    @property
    def most_vgprs(self) -> int:
        """The most VGPRs that a kernel descriptor can ask for: 64 granules."""
        if self.has_1024_vgprs:
            return 1024
        return 512 if self.has_unified_vgprs or self.generation >= 10 else 256

    @property
    def most_scratch_bytes(self) -> int:
        """The most scratch that a wave can have."""
        return self.most_scratch_granules * self.scratch_granule_bytes

    @property
    def most_user_sgprs(self) -> int:
        """How many SGPRs can be initialized before a wave starts."""
        return 32 if self.has_1024_vgprs else 16

    @property
    def has_unified_vgprs(self) -> bool:
        """AGPRs are the upper part of the VGPRs of a wave."""
        return self.has_accumulators and self.name not in _SEPARATE_AGPRS


def _family(
    generation: int,
    machs: str,
    wave_sizes: tuple[int, ...] = (64,),
    *,
    accumulators: bool = False,
    architected: bool = False,
    vgprs_1024: bool = False,
) -> Iterator[Processor]:
    """Yield processors that have all but name and mach (hexadecimal) in common."""
    words = machs.split()
    for name, mach in zip(words[::2], words[1::2], strict=True):
        yield Processor(
            name, int(mach, 16), generation, wave_sizes, accumulators, architected, vgprs_1024
        )


_SRAMECC: Final = frozenset(
    ["gfx906", "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic",
     "gfx1250", "gfx1251", "gfx12-5-generic"]
)  # fmt: skip
_XNACK: Final = frozenset(
    [
        "gfx906",
        "gfx908",
        "gfx90a",
        "gfx940",
        "gfx941",
        "gfx942",
        "gfx950",
        "gfx9-4-generic",
        "gfx801",
        "gfx810",
        "gfx900",
        "gfx902",
        "gfx904",
        "gfx909",
        "gfx90c",
        "gfx9-generic",
        "gfx1010",
        "gfx1011",
        "gfx1012",
        "gfx1013",
        "gfx10-1-generic",
    ]
)
_SEPARATE_AGPRS: Final = frozenset({"gfx908"})
_LARGE_LDS: Final = frozenset({"gfx950"})
_EITHER: Final = (32, 64)
PROCESSORS: Final = {
    processor.name: processor
    for processor in (
        *_family(6, "gfx600 20 gfx601 21 gfx602 3a"),
        *_family(7, "gfx700 22 gfx701 23 gfx702 24 gfx703 25 gfx704 26 gfx705 3b"),
        *_family(8, "gfx801 28 gfx802 29 gfx803 2a gfx805 3c gfx810 2b"),
        *_family(9, "gfx900 2c gfx902 2d gfx904 2e gfx906 2f gfx909 31 gfx90c 32"),
        *_family(9, "gfx9-generic 51"),
        *_family(9, "gfx908 30 gfx90a 3f", accumulators=True),
        *_family(
            9,
            "gfx940 40 gfx941 4b gfx942 4c gfx950 4f gfx9-4-generic 5f",
            accumulators=True,
            architected=True,
        ),
        *_family(10, "gfx1010 33 gfx1011 34 gfx1012 35 gfx1013 42 gfx10-1-generic 52", _EITHER),
        *_family(10, "gfx1030 36 gfx1031 37 gfx1032 38 gfx1033 39", _EITHER),
        *_family(10, "gfx1034 3e gfx1035 3d gfx1036 45 gfx10-3-generic 53", _EITHER),
        *_family(
            11,
            "gfx1100 41 gfx1101 46 gfx1102 47 gfx1103 44 gfx11-generic 54 "
            "gfx1150 43 gfx1151 4a gfx1152 55 gfx1153 58 gfx1154 57 "
            "gfx1170 5d gfx1171 5e gfx1172 5c gfx11-7-generic 62",
            _EITHER,
            architected=True,
        ),
        *_family(12, "gfx1200 48 gfx1201 4e gfx12-generic 59", _EITHER, architected=True),
        *_family(
            12,
            "gfx1250 49 gfx1251 5a gfx12-5-generic 5b",
            (32,),
            architected=True,
            vgprs_1024=True,
        ),
    )
}
"""Every processor by its name."""


def processor(name: str) -> Processor:
    """Return the processor with a name in any letter case; `WrongValue` suggests similar ones."""
    try:
        return PROCESSORS[name.lower()]
    except KeyError:
        hint = nearest(name.lower(), PROCESSORS)
        raise WrongValue(f"unknown AMD GPU processor {name}{hint}") from None


def by_mach(mach: int) -> Processor:
    """Return the processor of an EF_AMDGPU_MACH number (e_flags & 0xff); `Unsupported` for any
    other."""
    for processor in PROCESSORS.values():
        if processor.mach == mach:
            return processor
    raise Unsupported(f"the AMD GPU processor with EF_AMDGPU_MACH {mach:#x}")


def may_run(code: str, processor: str) -> bool:
    """Return whether code for a processor, perhaps a generic one, may run on a processor.

    Of a generic one only the first number of its family is compared.
    """
    family, _, generic = code.partition("-")
    return code == processor or bool(generic) and processor.startswith(family)
