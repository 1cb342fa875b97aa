"""Processors: names, e_flags numbers, wave sizes, features."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.arch.processors import PROCESSORS, by_mach, processor
from dwarfgpu.arch.registry import ARCHITECTURES, architecture
from dwarfgpu.errors import Unsupported, UsageError


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_every_name_makes_one_architecture(name: str) -> None:
    made = architecture(name)
    assert made.name == name
    assert architecture(name.upper()) is made


@pytest.mark.parametrize(
    ("mach", "name"),
    [
        (0x20, "gfx600"),
        (0x2B, "gfx810"),
        (0x30, "gfx908"),
        (0x3F, "gfx90a"),
        (0x4C, "gfx942"),
        (0x4F, "gfx950"),
        (0x42, "gfx1013"),
        (0x3D, "gfx1035"),
        (0x41, "gfx1100"),
        (0x58, "gfx1153"),
        (0x48, "gfx1200"),
        (0x49, "gfx1250"),
        (0x51, "gfx9-generic"),
        (0x52, "gfx10-1-generic"),
        (0x53, "gfx10-3-generic"),
        (0x54, "gfx11-generic"),
        (0x59, "gfx12-generic"),
        (0x5F, "gfx9-4-generic"),
    ],
)
def test_mach(mach: int, name: str) -> None:
    assert by_mach(mach).name == name


def test_machs_are_distinct() -> None:
    assert len({processor.mach for processor in PROCESSORS.values()}) == len(PROCESSORS)


@pytest.mark.parametrize("mach", [0, 0x01, 0x27, 0xFF, -1, 1 << 70])
def test_an_unknown_mach_number(mach: int) -> None:
    with pytest.raises(Unsupported, match="EF_AMDGPU_MACH"):
        by_mach(mach)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("gfx600", (64,)),
        ("gfx90a", (64,)),
        ("gfx942", (64,)),
        ("gfx1010", (32, 64)),
        ("gfx1100", (32, 64)),
        ("gfx12-generic", (32, 64)),
        ("gfx1250", (32,)),
    ],
)
def test_wave_sizes(name: str, sizes: tuple[int, ...]) -> None:
    assert processor(name).wave_sizes == sizes
    assert amdgpu(name).lane_count == sizes[0]
    assert [amdgpu(name, size).lane_count for size in sizes] == list(sizes)
    assert amdgpu(name, sizes[0]) is amdgpu(name)
    assert amdgpu(name).is_simt


@pytest.mark.parametrize(
    ("name", "wave_size", "message"),
    [
        ("gfx942", 32, "gfx942 has no wave size 32, only 64"),
        ("gfx1100", 16, "gfx1100 has no wave size 16, only 32 or 64"),
        ("gfx1250", 64, "gfx1250 has no wave size 64, only 32"),
        ("x86_64", 64, "x86_64 has no wave size 64: it has no waves"),
    ],
)
def test_wave_size_that_is_none(name: str, wave_size: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        architecture(name, wave_size)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("name", "hint"),
    [("gfx943", "gfx942"), ("gfx11", "gfx1"), ("x86_46", "x86_64"), ("aarch", "aarch64")],
)
def test_unknown_name_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"unknown architecture {name}; did you mean .*{hint}"):
        architecture(name)


@pytest.mark.parametrize(
    ("name", "all_of_it"),
    [
        ("gfx1", "gfx1010 to gfx1251"),
        ("gfx94", "gfx940, gfx941, gfx942"),
        ("sm_9", "sm_90, sm_90a"),
        ("aarch", "aarch64, aarch64_be"),
    ],
)
def test_the_beginning_of_names_is_completed(name: str, all_of_it: str) -> None:
    with pytest.raises(UsageError) as caught:
        architecture(name)
    message = f"unknown architecture {name}; did you mean one of {all_of_it}?"
    assert caught.value.message == message


def test_an_empty_name_has_no_advice() -> None:
    with pytest.raises(UsageError, match="^unknown architecture ''; known: gfx600 to .*, x86_64$"):
        architecture("")


def test_unknown_processor() -> None:
    with pytest.raises(UsageError, match="unknown AMD GPU processor gfx90b; did you mean .*gfx90c"):
        amdgpu("gfx90b")
    with pytest.raises(UsageError, match=r"^unknown AMD GPU processor sm_90$"):
        amdgpu("sm_90")


@pytest.mark.parametrize(
    ("name", "accumulators", "architected"),
    [
        ("gfx906", False, False),
        ("gfx908", True, False),
        ("gfx90a", True, False),
        ("gfx90c", False, False),
        ("gfx940", True, True),
        ("gfx942", True, True),
        ("gfx950", True, True),
        ("gfx9-4-generic", True, True),
        ("gfx1030", False, False),
        ("gfx1100", False, True),
        ("gfx1200", False, True),
    ],
)
def test_features(name: str, accumulators: bool, architected: bool) -> None:
    assert processor(name).has_accumulators == accumulators
    assert processor(name).has_architected_flat_scratch == architected
    assert (amdgpu(name).register_named("a0") is not None) == accumulators


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("amd64", "x86_64"), ("AMD64", "x86_64"), ("arm64", "aarch64"), ("i686", "i386")],
)
def test_other_spellings(spelling: str, name: str) -> None:
    assert architecture(spelling) is architecture(name)


def test_package_import_reads_no_table() -> None:
    script = (
        "import sys, dwarfgpu.arch.registry as registry; registry.architecture('gfx942');"
        "print(sorted(m for m in sys.modules if m.startswith('dwarfgpu.arch.')))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [
        "['dwarfgpu.arch.abi',",
        "'dwarfgpu.arch.amdgpu',",
        "'dwarfgpu.arch.amdgpu_flags',",
        "'dwarfgpu.arch.model',",
        "'dwarfgpu.arch.processors',",
        "'dwarfgpu.arch.registry']",
    ]


@pytest.mark.parametrize(
    ("flags", "name", "xnack", "sramecc"),
    [
        (0x1000151, "gfx9-generic", True, False),
        (0x100055F, "gfx9-4-generic", True, True),
        (0x1000152, "gfx10-1-generic", True, False),
        (0x1000053, "gfx10-3-generic", False, False),
        (0x1000054, "gfx11-generic", False, False),
        (0x1000062, "gfx11-7-generic", False, False),
        (0x1000059, "gfx12-generic", False, False),
        (0x100045B, "gfx12-5-generic", False, True),
        (0x54F, "gfx950", True, True),
        (0x449, "gfx1250", False, True),
        (0x45A, "gfx1251", False, True),
    ],
)
def test_what_llvm_24_writes(flags: int, name: str, xnack: bool, sramecc: bool) -> None:
    """`e_flags` of its assembler: a feature that a processor has is "any", 1 of two bits."""
    result = by_mach(flags & 0xFF)
    assert (result.name, result.supports_xnack, result.supports_sramecc) == (name, xnack, sramecc)
    assert (flags >> 8 & 3, flags >> 10 & 3) == (int(xnack), int(sramecc))


def test_lds_of_gfx1250_is_allocated_by_2048_bytes() -> None:
    """llvm-project#167614, the only source."""
    assert PROCESSORS["gfx1250"].lds_granule_bytes == 2048
