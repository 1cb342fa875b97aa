"""Law: an instruction that is decoded executes or stops its wave for a reason, as it was foretold.

`tools/fuzz_instructions.py` and `tools/fuzz_operands.py` try every encoding of the tables, this
one of each `DWARFGPU_INSTRUCTION_SHARE`: 120 without it, 1 for all.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.semantics.compiled_instructions import NAMESPACE
from tests.machine.simulated import programs
from tools import fuzz_instructions, fuzz_operands

SHARE = int(os.environ.get("DWARFGPU_INSTRUCTION_SHARE", "120"))


@pytest.mark.parametrize(("target", "wave_size"), fuzz_instructions.TARGETS)
def test_encodings_with_random_operands(target: str, wave_size: int) -> None:
    encodings = decoder(target, wave_size).encodings
    first = Random(target).randrange(SHARE)
    some = encodings[first::SHARE]
    assert list(fuzz_instructions.findings(target, wave_size, 1, some)) == []


@pytest.mark.parametrize(("target", "wave_size"), fuzz_instructions.TARGETS)
def test_operands_that_make_no_difference(target: str, wave_size: int) -> None:
    encodings = decoder(target, wave_size).encodings
    some = encodings[Random(target).randrange(SHARE) :: SHARE]
    assert list(fuzz_operands.findings(target, wave_size, 1, some)) == []


@pytest.mark.parametrize("target", ["gfx1100", "gfx1200"])
def test_dual_instructions_are_their_halves(target: str) -> None:
    machine, rng = decoder(target, 32), Random(3)
    dual = [item for item in machine.encodings if item.format.second_mnemonic]
    assert len(dual) > 150
    some = dual[:: max(SHARE // 10, 1)]
    assert [line for item in some if (line := fuzz_operands.dual_finding(rng, machine, item))] == []


OPERANDS = {
    "an SGPR whose lanes are read": ("gfx1100", 32, "v_permlane64_b32", {"vdst": 1, "src0": 36}),
    "an SGPR as lane": ("gfx942", 64, "v_readlane_b32", {"vdst": 1, "src0": 3, "src1": 128}),
    "a constant as result": ("gfx1100", 32, "v_readlane_b32", {"vdst": 193, "src0": 256 + 1}),
    "a constant as mask": ("gfx1200", 32, "v_cmp_eq_u32_e64", {"sdst": 154, "src0": 256}),
    "null, which GFX9 has not": ("gfx942", 64, "global_load_lds_ushort",
                                 {"vaddr": 14, "saddr": 125}),
    "a matrix in SGPRs": ("gfx942", 64, "v_mfma_f32_4x4x4_16b_f16",
                          {"vdst": 0, "src0": 4, "src1": 256, "src2": 128}),
}  # fmt: skip


@pytest.mark.parametrize("case", OPERANDS)
def test_a_register_where_the_encoding_takes_none(case: str) -> None:
    target, wave_size, mnemonic, fields = OPERANDS[case]
    machine = decoder(target, wave_size)
    code = programs.encoded(machine, mnemonic, **fields)
    instruction = machine.decode(code)
    assert instruction is not None
    stopped = fuzz_instructions.machine_of(code, 1, target, wave_size).run()
    assert stopped is not None and stopped.text.startswith("not simulated: ")
    assert f" of {instruction.mnemonic} at 0x10000: {instruction.mnemonic} " in stopped.text
    assert fuzz_instructions.finding(code, instruction, 1) is None


def test_what_goes_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: object) -> None:
        raise IndexError("no such lane")

    machine = decoder("gfx942", 64)
    monkeypatch.setitem(NAMESPACE, "popcount", wrong)
    encoding = next(item for item in machine.encodings if item.mnemonic == "v_bcnt_u32_b32")
    line, *_ = fuzz_instructions.findings("gfx942", 64, 3, [encoding] * 4)
    assert "precise: IndexError: no such lane (wrong, line" in line
