"""The bits of an object; some may be unknown (`dwarfgpu.model.object`)."""

from __future__ import annotations

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import OutOfRange, Unavailable, UndefinedBits
from dwarfgpu.model.object import (
    REASON_LOST,
    REASON_UNDECIDED,
    REASON_UNDEFINED,
    REASON_UNDESCRIBED,
    Bits,
)


def digits(bits: Bits) -> str:
    """Each bit in storage order of a little-endian object: 0, 1, `u`ndefined, un`a`vailable."""
    return "".join(
        "u" if bits.undefined >> at & 1
        else "a" if bits.unavailable >> at & 1
        else str(bits.value >> at & 1)
        for at in range(bits.size_bits)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("first_bit", "count", "expected"),
    [
        (0, 12, "0011u10a0010"),
        (0, 5, "0011u"),
        (3, 5, "1u10a"),
        (8, 4, "0010"),
        (8, 12, "0010" + 8 * "u"),
        (4, 12, "u10a0010" + 4 * "u"),
        (0, 14, "0011u10a0010uu"),
        (12, 3, "uuu"),
        (20, 2, "uu"),
        (5, 0, ""),
    ],
)
def test_a_slice_is_undefined_past_the_end(first_bit: int, count: int, expected: str) -> None:
    bits = Bits(0b0100_0010_1100, 12, undefined=1 << 4, unavailable=1 << 7, reasons=("lost",))
    part = bits.slice(first_bit, count, "little")
    assert digits(part) == expected
    assert part.reasons == (("lost",) if set(expected) & {"u", "a"} else ())
    mirrored = [int(f"{run:012b}"[::-1], 2) for run in (bits.value, bits.undefined, 1 << 7)]
    of_big = Bits(mirrored[0], 12, mirrored[1], mirrored[2], ("lost",)).slice(
        first_bit, count, "big"
    )
    turned = [
        int(f"{run:0{count}b}"[::-1] or "0", 2) if count else 0
        for run in (of_big.value, of_big.undefined, of_big.unavailable)
    ]
    assert digits(Bits(turned[0], count, turned[1], turned[2])) == expected


LOST = f"{REASON_LOST}the callee saves it nowhere"
MISSING = "register v5 of wave 0 is not in the state"


@pytest.mark.parametrize("reason", [
    REASON_UNDEFINED, LOST, f"{REASON_UNDESCRIBED} 8 of 16 bits", f"8 of x{REASON_UNDECIDED}differ",
])  # fmt: skip
def test_each_kind_of_unknown_bits_has_its_own_reason(reason: str) -> None:
    bits = Bits(0, 24, undefined=0xFF, unavailable=0xFF00, reasons=(reason, MISSING))
    assert (bits.why_undefined, bits.why_unavailable) == (reason, MISSING)
    with pytest.raises(Unavailable, match=f"bits 8 to 15 of 24 are unavailable: {MISSING}"):
        bits.to_bytes("little")
    undefined = evolve(bits, unavailable=0, reasons=(MISSING, reason))
    with pytest.raises(UndefinedBits, match=f"bits 0 to 7 of 24 are undefined: {reason}"):
        undefined.to_bytes("little")


def test_a_slice_begins_inside() -> None:
    with pytest.raises(OutOfRange, match="bit offset -1 is before the object"):
        Bits(0, 8).slice(-1, 4, "little")


@pytest.mark.parametrize(
    ("bits", "little", "big"),
    [
        (Bits(0x12AB, 16), "ab12", "12ab"),
        (Bits(0x12AB, 16, undefined=0xFF), "??12", "12??"),
        (Bits(0x12AB, 16, unavailable=0x0100), "ab1?", "1?ab"),
        (Bits(0x12AB, 16, undefined=0x8000, unavailable=0x0F), "a??2", "?2a?"),
        (Bits(0x12AB, 16, undefined=0xE000, unavailable=0x0100), "ab??", "??ab"),
        (Bits(0x1AB, 12, undefined=0x100), "ab0?", None),
        (Bits(0x1AB, 12, undefined=0xF00), "ab??", None),
    ],
)
def test_hexadecimal_digits(bits: Bits, little: str, big: str | None) -> None:
    by_endian: dict[Endian, str | None] = {"little": little, "big": big}
    for endian, expected in by_endian.items():
        if expected is not None:
            assert bits.hex(endian) == expected
