"""The instructions with which functions set a frame pointer."""

from __future__ import annotations

import pytest

from dwarfgpu.arch import i386, x86_64

PUSH32, PUSH64 = b"\x55\x89\xe5", b"\x55\x48\x89\xe5"
ALIGN32 = b"\x8d\x4c\x24\x04\x83\xe4\xf0\xff\x71\xfc"  # lea, and, push of -m32's main
ALIGN64 = b"\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8"


@pytest.mark.parametrize("landing", [b"", b"\xf3\x0f\x1e\xfb"])
@pytest.mark.parametrize("alignment", [b"", ALIGN32])
def test_of_i386(landing: bytes, alignment: bytes) -> None:
    prologue = i386.ABI.prologue
    assert prologue is not None
    code = landing + alignment + PUSH32
    assert len(code) <= prologue.most_bytes
    assert prologue.size_in(code + b"\x90") == len(code)
    assert prologue.size_in(landing + alignment + b"\x90" + PUSH32) is None


def test_of_x86_64() -> None:
    prologue = x86_64.ABI.prologue
    assert prologue is not None
    assert prologue.size_in(ALIGN64 + PUSH64) == len(ALIGN64 + PUSH64)
    assert prologue.size_in(PUSH32) is None
