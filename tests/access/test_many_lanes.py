"""Registers of many waves as arrays (`dwarfgpu.access.lane_group`)."""

from __future__ import annotations

import numpy as np

from dwarfgpu.access.lane_group import Machine
from dwarfgpu.arch.registry import architecture
from dwarfgpu.machine.state.state_target import StateTarget

X86_64 = architecture("x86_64")


def test_a_register_is_padded_to_whole_words() -> None:
    st0, rax = X86_64.register_named("st0"), X86_64.register_named("rax")
    assert st0 is not None and rax is not None and st0.size_bits == 80
    target = StateTarget(X86_64)
    for wave in (0, 1):
        target.add_wave(wave)
    target.set_register(0, st0, bytes(range(1, 11)))
    target.set_register(1, st0, bytes(range(21, 31)))
    target.forget_register(1, st0, 9, 1)
    machine = Machine(target, (0, 1), (0,))
    contents, _, is_known = machine.register(st0)
    assert contents.tolist() == [[*range(1, 11), 0, 0], [*range(21, 30), 0, 0, 0]]
    assert is_known.tolist() == [[True] * 10 + [False] * 2, [True] * 9 + [False] * 3]
    target.set_register(0, rax, bytes(8))
    contents, _, is_known = machine.register(rax)
    assert contents.dtype == np.uint8 and contents.shape == is_known.shape == (2, 8)
