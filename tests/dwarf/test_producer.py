"""Which dialect a unit is in."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.producer import (
    debug_level,
    has_legacy_attributes,
    parse_producer,
    tracks_calls,
    widens_enumerators,
)
from dwarfgpu.dwarf.unit_dialect import detect_dialect
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.context import UnitFormat
from tests.dwarf.builder import fixture

DEBIAN = "Debian clang version 19.1.7 (3~deb12u1)"
UPSTREAM = "clang version 22.1.0 (https://github.com/llvm/llvm-project 0123)"
AMD_14 = "AMD clang version 14.0.0 (https://github.com/RadeonOpenCompute/llvm-project roc-5.3)"
AMD_16 = "AMD clang version 16.0.0 (dwarfgpu fixture)"
AMD_17 = "AMD clang version 17.0.0 (https://github.com/RadeonOpenCompute/llvm-project roc-6.0.0)"
AMD_18 = "AMD clang version 18.0.0git (roc-6.3.1 24491)"
AMD_20 = "AMD clang version 20.0.0git (https://github.com/ROCm/llvm-project roc-7.0.0)"

PLAIN = bytes.fromhex("9164 31 16 18")  # fbreg -28; lit1; swap; xderef
USER = bytes.fromhex("90800a e903 34 1e e904")  # regx v0; push_lane; lit4; mul; LLVM_offset
DIRECT = bytes.fromhex("90800a e2 34 1e e3")
DIRECT_POINTER = bytes.fromhex("e92d000000 04")  # aspace_implicit_pointer
VALUE = bytes.fromhex("908614")  # regx v6 of wave64
SCALAR = bytes.fromhex("9024")  # regx s4
PLAIN_NEW = bytes.fromhex("a103 33 16 18")  # addrx 3; lit3; swap; xderef
CONSTANT = bytes.fromhex("0ee1e2e3e4e5e6e7e8")  # const8u: the bytes are not operations


@pytest.mark.parametrize(
    ("producer", "expressions", "expected"),
    [
        (DEBIAN, [], "upstream-clang"),
        (DEBIAN, [PLAIN], "upstream-clang"),
        (DEBIAN, [PLAIN, CONSTANT], "upstream-clang"),
        (UPSTREAM, [PLAIN, USER], "amd"),
        (UPSTREAM, [PLAIN, DIRECT], "amd-direct"),
        (AMD_14, [DIRECT], "amd-direct-16"),
        (AMD_16, [DIRECT, DIRECT_POINTER], "amd-direct-16"),
        (AMD_17, [DIRECT], "amd-direct"),
        (AMD_17, [USER], "amd"),
        (AMD_17, [PLAIN], "amd"),
        (AMD_18, [USER, DIRECT], "amd-direct"),
        (AMD_18, [CONSTANT], "amd"),
        (AMD_20, [USER], "amd"),
        (AMD_20, [PLAIN], "amd"),
        ("GNU C17 12.2.0", [PLAIN], "amd"),
        ("", [DIRECT], "amd-direct"),
        ("", [DIRECT_POINTER], "amd-direct-16"),
        ("", [USER], "amd"),
        ("", [SCALAR, CONSTANT], "amd"),
        ("", [VALUE], "upstream-clang"),
        ("", [VALUE, USER], "amd"),
        ("some compiler", [SCALAR, PLAIN], "upstream-clang"),
        ("some compiler", [PLAIN_NEW], "upstream-clang"),
        ("rustc version 1.99.0", [VALUE], "upstream-clang"),
        ("GNU C17 12.2.0", [VALUE], "amd"),  # its thread is the wave: lane 0 is meant
        ("triton", [], "upstream-clang"),
        ("triton", [SCALAR], "upstream-clang"),
        ("triton", [VALUE], "upstream-clang"),
        ("triton", [USER], "amd"),
    ],
)
def test_dialect(producer: str, expressions: list[bytes], expected: str) -> None:
    assert detect_dialect(producer, expressions, "AMDGPU", UnitFormat()) == expected


def test_the_dialect_of_upstream_clang_is_for_amd_gpus_only() -> None:
    assert detect_dialect(DEBIAN, [PLAIN], "X86_64", UnitFormat()) == "amd"


@pytest.mark.parametrize(
    ("text", "is_clang", "is_amd", "version"),
    [
        (DEBIAN, True, False, 19),
        (AMD_18, True, True, 18),
        (
            "clang version 17.0.6 (https://github.com/RadeonOpenCompute/llvm-project x)",
            True,
            True,
            17,
        ),
        ("AMD flang version 19.0.0", True, True, 19),
        ("GNU C17 12.2.0 -mtune=generic", False, False, None),
        ("clang version 99999999999999999999", True, False, 999999999),
    ],
)
def test_producer(text: str, is_clang: bool, is_amd: bool, version: int | None) -> None:
    who = parse_producer(text)
    assert (who.is_clang, who.is_amd, who.version) == (is_clang, is_amd, version)


@pytest.mark.parametrize(
    ("text", "expected"), [(AMD_14, True), (AMD_18, True), (AMD_20, False), (DEBIAN, False)]
)
def test_legacy_attributes(text: str, expected: bool) -> None:
    assert has_legacy_attributes(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hip/nest.gfx942.O2.v5.co", "upstream-clang"),
        ("opencl/kernels.gfx90a.O0.v4.co", "upstream-clang"),
        ("asm/locations.gfx942.v5.co", "amd"),
        ("asm/legacy.gfx942.v5.co", "amd-direct-16"),
        ("triton/axpy.gfx942.co", "upstream-clang"),
        ("x86_64/demo.clang.O2.v5", "amd"),
    ],
)
def test_dialect_of_fixtures(name: str, expected: str) -> None:
    (unit,) = fixture(name).units
    assert unit.dialect.name == expected


def test_a_forced_dialect() -> None:
    file = fixture("hip/nest.gfx942.O2.v5.co").object
    assert DebugInfo.of(file, dialect="amd").units[0].dialect.name == "amd"
    with pytest.raises(UsageError, match="unknown dialect x"):
        assert DebugInfo.of(file, dialect="x").units[0].dialect


@pytest.mark.parametrize(
    ("producer", "expected"),
    [
        ("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2", True),
        ("GNU C++17 12.2.0 -g -Og -fPIE", True),
        ("GNU GIMPLE 12.2.0 -g -O -flto", True),
        ("GNU C17 12.2.0 -g -O0 -O3 -fno-inline", True),
        ("GNU C17 12.2.0 -g -O2 -O0", False),  # variables are not followed
        ("GNU C17 12.2.0 -g", False),
        ("GNU C17 12.2.0 -g -O2 -fno-var-tracking", False),
        ("GNU C17 12.2.0", False),  # -gno-record-gcc-switches: not known
        ("GNU AS 2.40 -O2", False),
        (DEBIAN + " -O2", False),
        ("", False),
    ],
)
def test_producers_that_track_registers_over_calls(producer: str, expected: bool) -> None:
    assert tracks_calls(producer) is expected


@pytest.mark.parametrize(
    ("producer", "expected"),
    [
        ("GNU C17 12.2.0 -mtune=generic", False),
        ("GNU C17 14.2.0 -mtune=generic", True),
        ("GNU C23 15.1.0", True),
        ("GNU C++17 14.2.0", False),
        (UPSTREAM, False),
        ("", False),
    ],
)
def test_enumerators_of_c(producer: str, expected: bool) -> None:
    """The first changes of GCC 13: all have the type of an enumeration that int does not hold."""
    assert widens_enumerators(producer) == expected


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ("GNU C17 12.2.0 -march=x86-64 -g1 -O2", 1),
        ("GNU C17 12.2.0 -ggdb1", 1),
        ("GNU GIMPLE 12.2.0 -g -g1 -O1 -fltrans", 1),
        ("GNU C17 12.2.0 -g1 -g -gdwarf-5", 2),
        ("GNU C17 12.2.0 -g1 -gdwarf-5", 2),
        ("GNU C17 12.2.0 -gdwarf-5 -g1", 1),
        ("GNU C17 12.2.0 -g3 -g", 3),
        ("GNU Ada 12.2.0 -gnatA -ggdb3 -gno-strict-dwarf", 3),
        ("GNU C17 12.2.0 -O2 -fno-g1", None),
        ("clang version 19.1.7 -g1", None),
        ("", None),
    ],
)
def test_the_level_of_debugging_information(options: str, level: int | None) -> None:
    assert debug_level(options) == level
