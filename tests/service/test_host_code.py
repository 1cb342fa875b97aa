"""Host code is decoded piece by piece, wherever the file says that it lies."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from dwarfgpu.service.code.host_code import host_instructions

capstone = pytest.importorskip("capstone")
NOP = b"\x90"
UNDEFINED = b"\x06"
"""Intel's manual: `push es`, which is invalid in 64-bit mode."""


def test_end_of_address_space() -> None:
    """Code that a file puts beyond the last address is shown once."""
    lines = list(islice(host_instructions("X86_64", NOP * 20, (1 << 64) - 8), 100))
    assert [text for _, _, text, _ in lines] == ["nop"] * 20


@pytest.mark.parametrize("code", [NOP, UNDEFINED])
def test_bytes_that_are_decoded_at_once(monkeypatch: pytest.MonkeyPatch, code: bytes) -> None:
    """The bytes that capstone sees at once do not grow with the size of the code."""
    sizes: list[int] = []
    original = capstone.Cs.disasm

    def counted(engine: Any, data: bytes, *rest: Any) -> Any:
        sizes.append(len(data))
        return original(engine, data, *rest)

    monkeypatch.setattr(capstone.Cs, "disasm", counted)
    decoded = host_instructions("X86_64", code * (1 << 20), 0x1000)
    assert len(list(islice(decoded, 5000))) == 5000
    assert max(sizes) < 1 << 13


def test_instruction_across_pieces() -> None:
    """An instruction is whole where one piece ends and the next begins."""
    move = bytes.fromhex("48b8efcdab8967452301")  # movabs $0x123456789abcdef, %rax
    for shift in range(10):
        lines = list(host_instructions("X86_64", NOP * shift + move * 450, 0))
        assert {text for _, _, text, _ in lines[shift:]} == {"movabsq $0x123456789abcdef, %rax"}
        assert len(lines) == shift + 450


def test_functions_share_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of 80,000 functions made one for each: half of the time of `disas`."""
    list(host_instructions("X86_64", NOP, 0))
    monkeypatch.setattr(capstone, "Cs", None)
    pairs = zip(*(host_instructions("X86_64", NOP * 3, begin) for begin in (0, 16)), strict=True)
    assert [(first[0], second[0]) for first, second in pairs] == [(0, 16), (1, 17), (2, 18)]
