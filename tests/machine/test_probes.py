"""An unknown register is read once, not byte by byte."""

from __future__ import annotations

from collections import Counter

import pytest

from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.service.frame.register_values import registers
from tests.repl.repl_shell import nest_shell, output_of


def test_registers_that_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the 512 vector registers has 256 bytes: it is asked for as a plain object, as a range
    and for the reason, never byte by byte."""
    shell = nest_shell()
    asked: Counter[str] = Counter()
    read = StateTarget.read_register

    def counting(self, wave, register, *rest):  # type: ignore[no-untyped-def]
        asked[register.name] += 1
        return read(self, wave, register, *rest)

    monkeypatch.setattr(StateTarget, "read_register", counting)
    shown = output_of(shell, "info vector").splitlines()
    assert len(shown) == len(registers(shell.session, "vector")) >= 512
    assert shown[0].endswith("<unavailable>") and "0xa, 0x14" in shown[6]
    assert max(count for name, count in asked.items() if name != "v6") <= 3
