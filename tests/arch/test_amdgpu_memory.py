"""AMD GPU memories: swizzle, apertures, lowering and conversion of addresses."""

from __future__ import annotations

import itertools

import pytest

from dwarfgpu.arch.amdgpu import (
    GENERIC,
    GLOBAL,
    LOCAL,
    PRIVATE_LANE,
    PRIVATE_WAVE,
    REGION,
    amdgpu,
    swizzle,
    unswizzle,
)
from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    InconsistentContext,
    MissingContext,
    OutOfRange,
    Unavailable,
)

ARCH = amdgpu("gfx942")
ARCH32 = amdgpu("gfx1100")
L = 0x1_0000_0000_0000
"""Base of the local aperture."""
P = 0x2_0000_0000_0000
"""Base of the private aperture."""
NULL = 0xFFFFFFFF
S = 0x7F00_0000_0000
"""Global address of a wave's scratch."""
SCRATCH = Apertures(scratch_base=S, scratch_bytes=0x10000)


@pytest.mark.parametrize(
    ("wave_size", "lane", "address", "offset"),
    [
        (32, 0, 0, 0),
        (32, 0, 1, 1),
        (32, 0, 3, 3),
        (32, 0, 4, 128),
        (32, 0, 6, 130),
        (32, 0, 256, 8192),
        (32, 0, 448, 14336),
        (32, 1, 0, 4),
        (32, 1, 6, 134),
        (32, 1, 256, 8196),
        (32, 5, 0, 20),
        (32, 5, 3, 23),
        (32, 5, 6, 150),
        (32, 31, 0, 124),
        (32, 31, 6, 254),
        (32, 31, 448, 14460),
        (64, 0, 0, 0),
        (64, 0, 3, 3),
        (64, 0, 4, 256),
        (64, 0, 6, 258),
        (64, 0, 448, 28672),
        (64, 1, 0, 4),
        (64, 1, 6, 262),
        (64, 1, 256, 16388),
        (64, 5, 4, 276),
        (64, 5, 6, 278),
        (64, 63, 0, 252),
        (64, 63, 448, 28924),
    ],
)
def test_swizzle(wave_size: int, lane: int, address: int, offset: int) -> None:
    assert swizzle(address, lane, wave_size) == offset
    assert unswizzle(offset, wave_size) == (lane, address)
    arch = ARCH if wave_size == 64 else ARCH32
    lowered = arch.lower(PRIVATE_LANE, address, lane)
    assert (lowered.space.name, lowered.address) == ("private_wave", offset)
    assert lowered.contiguous_bytes == 4 - address % 4
    assert arch.convert(address, PRIVATE_LANE, PRIVATE_WAVE, lane)[0] == offset
    assert arch.convert(offset, PRIVATE_WAVE, PRIVATE_LANE, lane)[0] == address


@pytest.mark.parametrize("wave_size", [32, 64])
def test_swizzle_is_a_bijection(wave_size: int) -> None:
    places = itertools.product(range(64), range(wave_size))
    offsets = sorted(swizzle(address, lane, wave_size) for address, lane in places)
    assert offsets == list(range(64 * wave_size))


@pytest.mark.parametrize("element_bytes", [2, 4, 8, 16])
@pytest.mark.parametrize("arch", [ARCH, ARCH32], ids=["wave64", "wave32"])
def test_other_element_sizes(arch: Architecture, element_bytes: int) -> None:
    """The interleave of the older compute ABI: elements of all lanes lie one after the other."""
    older = Apertures(element_bytes=element_bytes)
    lanes = arch.lane_count
    whose: dict[int, tuple[int, int]] = {}
    for lane, address in itertools.product(range(lanes), range(64)):
        element, byte = divmod(address, element_bytes)
        expected = (element * lanes + lane) * element_bytes + byte
        converted = arch.convert(address, PRIVATE_LANE, PRIVATE_WAVE, lane, older)
        assert converted == (expected, element_bytes - byte)
        assert arch.convert(expected, PRIVATE_WAVE, PRIVATE_LANE, lane, older)[0] == address
        assert arch.lower(PRIVATE_LANE, address, lane, older).address == expected
        whose[expected] = (lane, address)
    assert sorted(whose) == list(range(64 * lanes))  # no byte twice, none left out


def test_the_end_of_lds() -> None:
    group = Apertures(local_bytes=0x400)
    assert ARCH.lower(LOCAL, 0x3FC, None, group).contiguous_bytes == 4
    assert ARCH.lower(GENERIC, L + 0x3FC, None, group).contiguous_bytes == 4
    for space, address in ((LOCAL, 0x400), (GENERIC, L + 0x400)):
        with pytest.raises(Unavailable, match="0x400 is beyond the 1024 bytes of the workgroup"):
            ARCH.lower(space, address, None, group)


@pytest.mark.parametrize(
    ("space", "address", "held_by", "held_at", "contiguous_bytes"),
    [
        (GLOBAL, 0x1234, "global", 0x1234, (1 << 64) - 0x1234),
        (GLOBAL, L + 4, "global", L + 4, (1 << 64) - L - 4),  # global: apertures mean nothing
        (GLOBAL, (1 << 64) - 1, "global", (1 << 64) - 1, 1),
        (LOCAL, 0, "local", 0, 1 << 32),
        (LOCAL, NULL, "local", NULL, 1),
        (PRIVATE_WAVE, 0x100, "private_wave", 0x100, (1 << 32) - 0x100),
        (GENERIC, 0, "global", 0, L),
        (GENERIC, L - 1, "global", L - 1, 1),
        (GENERIC, L, "local", 0, 1 << 32),
        (GENERIC, L + 0x1C, "local", 0x1C, (1 << 32) - 0x1C),
        (GENERIC, L + (5 << 32) + 0x1C, "local", 0x1C, (1 << 32) - 0x1C),  # bits 47:32 are free
        (GENERIC, P + 6, "private_wave", 258 + 12, 2),
        (GENERIC, 0x3_0000_0000_0000, "global", 0x3_0000_0000_0000, (1 << 64) - (3 << 48)),
        (GENERIC, (1 << 64) - 1, "global", (1 << 64) - 1, 1),
    ],
)
def test_lower(space: int, address: int, held_by: str, held_at: int, contiguous_bytes: int) -> None:
    lowered = ARCH.lower(space, address, lane=3)
    assert (lowered.space.name, lowered.address) == (held_by, held_at)
    assert lowered.contiguous_bytes == contiguous_bytes


def test_lower_with_the_apertures_of_an_agent() -> None:
    moved = Apertures(local_base=0x5_0000_0000_0000, private_base=0x4_0000_0000_0000)
    assert ARCH.lower(GENERIC, 0x5_0000_0000_0010, 0, moved).space.name == "local"
    assert ARCH.lower(GENERIC, 0x4_0000_0000_0010, 0, moved).space.name == "private_wave"
    lowered = ARCH.lower(GENERIC, L, 0, moved)
    assert (lowered.space.name, lowered.contiguous_bytes) == ("global", 3 << 48)


@pytest.mark.parametrize(
    ("space", "address", "held_at", "contiguous_bytes"),
    [
        (PRIVATE_WAVE, 0x100, S + 0x100, 0xFF00),
        (PRIVATE_LANE, 6, S + 258 + 12, 2),
        (GENERIC, P + 4, S + 256 + 12, 4),
        (GLOBAL, S + 256 + 12, S + 256 + 12, (1 << 64) - S - 268),
    ],
)
def test_scratch_in_global_memory_is_one_store(
    space: int, address: int, held_at: int, contiguous_bytes: int
) -> None:
    lowered = ARCH.lower(space, address, 3, SCRATCH)
    assert (lowered.space.name, lowered.address) == ("global", held_at)
    assert lowered.contiguous_bytes == contiguous_bytes


@pytest.mark.parametrize(
    ("space", "address", "lane", "kind", "message"),
    [
        (PRIVATE_LANE, 0, None, MissingContext, "the context has no lane"),
        (GENERIC, P, None, MissingContext, "the context has no lane"),
        (PRIVATE_LANE, 0, 64, InconsistentContext, "lane 64 is not one of the 64 lanes"),
        (PRIVATE_LANE, 0, -1, InconsistentContext, "lane -1"),
        (PRIVATE_LANE, NULL, 0, OutOfRange, "private_lane address 0xffffffff is beyond"),
        (LOCAL, 1 << 32, 0, OutOfRange, "0x100000000 is not an address of local"),
        (GLOBAL, 1 << 64, 0, OutOfRange, "is not an address of global, which has 64 bits"),
        (GLOBAL, -1, 0, OutOfRange, "-0x1 is not an address of global"),
        (REGION, 0, 0, Unavailable, "address space region is not accessible"),
        (
            PRIVATE_LANE,
            0x400,
            0,
            Unavailable,
            "private_lane address 0x400 is beyond the 65536 bytes of scratch memory of the wave, "
            "1024 a lane",
        ),
        (GENERIC, P + 0x400, 0, Unavailable, "private_lane address 0x400 is beyond the 65536"),
        (
            PRIVATE_WAVE,
            0x10000,
            0,
            Unavailable,
            "private_wave address 0x10000 is beyond the 65536 bytes of scratch memory of the wave$",
        ),
        (4, 0, 0, IllFormed, "gfx942 defines no address space 4"),
    ],
)
def test_lower_refuses(
    space: int, address: int, lane: int | None, kind: type[DwarfGpuError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        ARCH.lower(space, address, lane, Apertures(scratch_bytes=0x10000))


def test_scratch_ends_with_global_memory() -> None:
    last = Apertures(scratch_base=(1 << 64) - 0x100)
    assert ARCH.lower(PRIVATE_WAVE, 0xFF, 0, last).contiguous_bytes == 1
    with pytest.raises(Unavailable, match="beyond the 256 bytes of scratch memory"):
        ARCH.lower(PRIVATE_WAVE, 0x100, 0, last)


def test_only_private_memory_needs_a_lane() -> None:
    for space, address in ((GLOBAL, 8), (LOCAL, 8), (PRIVATE_WAVE, 8), (GENERIC, L + 8)):
        assert ARCH.lower(space, address).contiguous_bytes > 0


@pytest.mark.parametrize(
    ("source", "address", "target", "converted", "contiguous_bytes"),
    [
        (GLOBAL, 0, GLOBAL, 0, 1 << 64),
        (PRIVATE_LANE, NULL, PRIVATE_LANE, NULL, 1),
        (REGION, 4, REGION, 4, (1 << 32) - 4),
        (GLOBAL, 0x1000, GENERIC, 0x1000, L - 0x1000),
        (LOCAL, 0x10, GENERIC, L + 0x10, (1 << 32) - 0x10),
        (PRIVATE_LANE, 0x10, GENERIC, P + 0x10, (1 << 32) - 0x10),
        (GENERIC, 0x1000, GLOBAL, 0x1000, L - 0x1000),
        (GENERIC, L + 0x10, LOCAL, 0x10, (1 << 32) - 0x10),
        (GENERIC, P + 0x10, PRIVATE_LANE, 0x10, (1 << 32) - 0x10),
        (GENERIC, P + 6, PRIVATE_WAVE, 270, 2),
        (PRIVATE_LANE, 6, PRIVATE_WAVE, 270, 2),
        (PRIVATE_WAVE, 270, PRIVATE_LANE, 6, 2),
        (PRIVATE_LANE, 6, GLOBAL, S + 270, 2),
        (PRIVATE_WAVE, 270, GLOBAL, S + 270, 0x10000 - 270),
        (GLOBAL, S + 270, PRIVATE_LANE, 6, 2),
        (GLOBAL, S + 270, PRIVATE_WAVE, 270, 0x10000 - 270),
        (GENERIC, P + 6, GLOBAL, S + 270, 2),
        (GENERIC, S + 270, PRIVATE_LANE, 6, 2),
        # null is null, to and from generic
        (GENERIC, 0, LOCAL, NULL, 1),
        (GENERIC, 0, PRIVATE_LANE, NULL, 1),
        (GENERIC, 0, GLOBAL, 0, 1),
        (LOCAL, NULL, GENERIC, 0, 1),
        (PRIVATE_LANE, NULL, GENERIC, 0, 1),
    ],
)
def test_convert(
    source: int, address: int, target: int, converted: int, contiguous_bytes: int
) -> None:
    assert ARCH.convert(address, source, target, 3, SCRATCH) == (converted, contiguous_bytes)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (LOCAL, GLOBAL),
        (GLOBAL, LOCAL),
        (LOCAL, PRIVATE_LANE),
        (LOCAL, PRIVATE_WAVE),
        (PRIVATE_LANE, LOCAL),
        (PRIVATE_WAVE, LOCAL),
        (PRIVATE_WAVE, GENERIC),
        (REGION, GENERIC),
        (GENERIC, REGION),
        (GLOBAL, REGION),
    ],
)
def test_pairs_that_are_refused(source: int, target: int) -> None:
    names = ARCH.address_space(source).name, ARCH.address_space(target).name
    with pytest.raises(EvaluationError) as caught:
        ARCH.convert(0x10, source, target, 3, SCRATCH)
    assert caught.value.message == f"a {names[0]} address cannot be converted to {names[1]}"


@pytest.mark.parametrize(
    ("source", "address", "target", "lane", "kind", "message"),
    [
        (GLOBAL, 0, PRIVATE_LANE, 3, EvaluationError, "outside the wave's scratch"),
        (GLOBAL, 0, PRIVATE_WAVE, 3, EvaluationError, "outside the wave's scratch"),
        (PRIVATE_LANE, NULL, PRIVATE_WAVE, 3, EvaluationError, "is null, which only generic"),
        (PRIVATE_WAVE, NULL, PRIVATE_LANE, 63, EvaluationError, "is null, which only generic"),
        (PRIVATE_LANE, NULL, GLOBAL, 3, EvaluationError, "is null, which only generic"),
        (PRIVATE_WAVE, NULL, GLOBAL, 3, EvaluationError, "is null, which only generic"),
        (GENERIC, L + 4, GLOBAL, 3, EvaluationError, "is in local, not in global"),
        (GENERIC, 0x1000, LOCAL, 3, EvaluationError, "is in global, not in local"),
        (GENERIC, L + 4, PRIVATE_LANE, 3, EvaluationError, "is in local, not in private_lane"),
        (GENERIC, 0x1000, PRIVATE_LANE, 3, EvaluationError, "outside the wave's scratch"),
        (GLOBAL, L + 4, GENERIC, 3, EvaluationError, "it is in the local aperture"),
        (PRIVATE_LANE, 0x3FFFFFF, PRIVATE_WAVE, 63, EvaluationError, "where 0xffffffff is null"),
        (GENERIC, P + 0x3FFFFFF, PRIVATE_WAVE, 63, EvaluationError, "where 0xffffffff is null"),
        (GLOBAL, S - 1, PRIVATE_WAVE, 3, EvaluationError, "outside the wave's scratch"),
        (GLOBAL, S + 0x10000, PRIVATE_WAVE, 3, EvaluationError, "outside the wave's scratch"),
        (PRIVATE_WAVE, 0x10000, GLOBAL, 3, EvaluationError, "outside the wave's scratch"),
        (PRIVATE_WAVE, 270, PRIVATE_LANE, 4, EvaluationError, "belongs to lane 3, not to lane 4"),
        (PRIVATE_LANE, 0, PRIVATE_WAVE, None, MissingContext, "no lane"),
        (PRIVATE_WAVE, 0, PRIVATE_LANE, None, MissingContext, "no lane"),
        (PRIVATE_LANE, 0, PRIVATE_WAVE, 64, InconsistentContext, "lane 64"),
        (PRIVATE_LANE, 1 << 31, PRIVATE_WAVE, 0, OutOfRange, "beyond any wave's scratch"),
        (LOCAL, 1 << 32, GENERIC, 0, OutOfRange, "is not an address of local"),
        (9, 0, GENERIC, 0, IllFormed, "defines no address space 9"),
        (GENERIC, 0, 9, 0, IllFormed, "defines no address space 9"),
    ],
)
def test_convert_refuses(
    source: int,
    address: int,
    target: int,
    lane: int | None,
    kind: type[DwarfGpuError],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        ARCH.convert(address, source, target, lane, SCRATCH)


def test_global_and_scratch_need_the_scratch_base() -> None:
    for source, target in ((GLOBAL, PRIVATE_WAVE), (PRIVATE_WAVE, GLOBAL)):
        with pytest.raises(Unavailable, match="global address of the wave's scratch"):
            ARCH.convert(0x10, source, target, 0)


def test_only_null_converts_to_null() -> None:
    """The memory at the null of a space has no address of that space, from either direction."""
    whole = Apertures(scratch_base=S)
    assert ARCH.convert(0x3FFFFFF, PRIVATE_LANE, GLOBAL, 63, whole) == (S + 0xFFFFFFFF, 1)
    assert ARCH.convert(S + 0xFFFFFFFE, GLOBAL, PRIVATE_WAVE, 63, whole)[0] == 0xFFFFFFFE
    for space, address in ((PRIVATE_LANE, 0x3FFFFFF), (GLOBAL, S + 0xFFFFFFFF)):
        with pytest.raises(EvaluationError, match="private_wave, where 0xffffffff is null"):
            ARCH.convert(address, space, PRIVATE_WAVE, 63, whole)
    with pytest.raises(EvaluationError, match="in global, where 0x0 is null"):
        ARCH.convert(0, PRIVATE_WAVE, GLOBAL, 3, Apertures(scratch_base=0))


def test_conversion_and_lowering_agree() -> None:
    # Where an address converts, both addresses are the same place.
    addresses = (4, 270, 0x1000, L + 8, P + 8, S + 270)
    spaces = (GLOBAL, GENERIC, LOCAL, PRIVATE_LANE, PRIVATE_WAVE)
    compared = 0
    for source, target, address in itertools.product(spaces, spaces, addresses):
        try:
            converted, _ = ARCH.convert(address, source, target, 3, SCRATCH)
            place = ARCH.lower(target, converted, 3, SCRATCH)
        except EvaluationError:
            continue
        lower = ARCH.lower(source, address, 3, SCRATCH)
        assert (place.space, place.address) == (lower.space, lower.address)
        compared += 1
    assert compared > 20
