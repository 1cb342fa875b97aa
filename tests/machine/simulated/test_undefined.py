"""What no rule of the ABI and no instruction has written is unknown, and is not zero."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import or_
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from dwarfgpu.isa.binding import operations_of
from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import buffers, machine_of_dispatch
from dwarfgpu.machine.simulated.storage.undefined_numbers import FILL, Undefined, known_bits
from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents
from dwarfgpu.options.opened_launch import prepare_run
from tests.cli.command import FIXTURES, run
from tests.machine.simulated import programs, vectors
from tests.machine.simulated.test_kernels import Arguments
from tests.repl.test_debug_simulated import talk

POISON = int.from_bytes(bytes([FILL]) * 4, "little")


def begun(kernel: str, **given: Any) -> Any:
    options = Arguments(
        file=str(FIXTURES / "run/integers.gfx942.O0.v5.co"), kernel=kernel, grid="128",
        workgroup="64", arg=["a=range:128", "b=range:128", "out=zeros:512"], **given,
    )  # fmt: skip
    return prepare_run(options)


def test_a_wave_begins_with_what_the_abi_defines_and_nothing_else() -> None:
    prepared = begun("vadd")
    machine = machine_of_dispatch(
        prepared.launched, prepared.code_object.loaded_segments(), tracks_writes=True
    )
    wave = machine.waves[0]
    assert wave.written[0] == (1 << 64) - 1 and set(wave.written[1:]) == {0}
    assert (wave.v[1] == POISON).all() and (wave.av[0] == POISON).all()
    defined = {user.number for user in prepared.launched.user_sgprs if user.value is not None}
    assert all(known_bits(wave.s[number]) == -1 for number in defined)
    assert isinstance(wave.s[90], Undefined) and wave.s[90] == POISON
    assert [known_bits(number) for number in (wave.vcc, wave.scc, wave.s[124])] == [0, 0, 0]
    assert wave.scratch_written is not None and not wave.scratch_written.any()
    assert (wave.scratch == POISON).all()


def written_by(code: str, processor: str, lanes: int, size: int = 32) -> Any:
    machine = vectors.machine(bytes.fromhex(code), lanes, processor, size, tracks_writes=True)
    [wave] = machine.waves
    wave.written = [0] * len(wave.written)
    assert machine.run() is None
    return wave


@pytest.mark.parametrize(
    ("code", "row", "mask"),
    [
        ("0103047e", 2, 0b11111),  # v_mov_b32_e32 v2, v1
        ("fa02047e 1b00 00ff".replace(" ", ""), 2, 0b11111),  # quad_perm
        ("020061d7 01040100".replace(" ", ""), 2, 1 << 2),  # v_writelane_b32 v2, s1, 2
    ],
)
def test_lanes_that_an_instruction_writes(code: str, row: int, mask: int) -> None:
    wave = written_by(code, "gfx1100", 5)
    assert {number: lanes for number, lanes in enumerate(wave.written) if lanes} == {row: mask}


def test_what_a_program_does_not_track_costs_no_statement() -> None:
    machine = vectors.machine(bytes.fromhex("0103047e"), 5)
    assert not any("written" in line for line in machine.program.step_at(0x10000).lines)


@pytest.mark.parametrize("fill", ["0", "0xff", "0x5a"])
def test_a_correct_kernel_does_not_depend_on_it(fill: str) -> None:
    prepared = begun("nest", fill=fill, scratch="4096")
    machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
    assert machine.run() is None
    out = buffers(prepared.launched, machine)["out"].data.tobytes()
    plain = begun("nest", scratch="4096")
    other = machine_of_dispatch(
        plain.launched, plain.code_object.loaded_segments(), tracks_writes=True
    )
    assert other.run() is None
    assert out == buffers(plain.launched, other)["out"].data.tobytes()


def test_private_memory_is_known_where_a_lane_has_written_it() -> None:
    machine = vectors.machine(b"", 32)
    [wave] = machine.waves
    wave.scratch_written = np.zeros_like(wave.scratch)
    on = np.arange(32) < 3
    wave.scratch_store(8, np.arange(32, dtype=np.uint32), np.uint32, on)
    wave.scratch_store(np.arange(32) + 17, np.arange(32, dtype=np.uint8), np.uint8, on)
    marks = wave.scratch_written
    assert (marks[2, :3] == 0xFFFFFFFF).all() and not marks[2, 3:].any()
    assert marks[4, :3].tolist() == [0xFF00, 0xFF0000, 0xFF000000] and not marks[5].any()


def test_locals_are_unavailable_until_they_are_assigned(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "info locals", "p $s40", "p $vcc", "next",
        "info locals",
    )  # fmt: skip
    assert "t = <unavailable>" in lines and "t = 0" in lines
    assert {"$1 = <unavailable>", "$2 = <unavailable>"} <= {*lines}


def test_what_is_unknown_can_be_assigned_and_undone(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "break vadd", "run", "set var t = 5", "p t", "undo", "p t")
    assert "$1 = 5" in lines
    assert lines[-1].endswith("05 00 00 00 -> ?? ?? ?? ??")  # and no $2


@pytest.mark.parametrize("register", ["$s40", "$vcc", "$v14[3]"])
def test_a_register_too(register: str, tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", f"p {register}", "stepi", f"p {register}",
        f"set var {register} = 5", f"p {register}", "undo", f"p {register}",
    )  # fmt: skip
    values = [line.partition(" = ")[2] for line in lines if line.startswith("$") and " = " in line]
    assert values == ["<unavailable>", "<unavailable>", "5", "<unavailable>"]


def test_a_saved_state_leaves_out_what_is_undefined(tmp_path: Path) -> None:
    state = tmp_path / "begun.json"
    talk(tmp_path, "vadd", "break vadd", "run", f"save {state}")
    shown = run("eval", "--state", state, "--wave", 1, "--lane", 5, "t")
    assert "unavailable" in shown.out or "Cannot access" in shown.err + shown.out
    registers = run("registers", "--state", state, "--wave", 1, "s40")
    assert "0xfdfdfdfd" not in registers.out


M0, FULL = 124, 0xFFFFFFFF
PARTLY = 0x5566_7788
"""What s4 has, and vcc_hi, m0 and ttmp6: of it, `known` below says which bits are known."""
VGPR, BYTE_0, BYTE_1, DWORD = 256, 0, 1, 6


def after_partly_known(
    target: str, known: int, mnemonic: str, /, fill: int = 0, **operands: int
) -> tuple[Any, str | None]:
    """Return a wave after an instruction, and why it stopped. Bits that are not known are those of
    `fill`; s5 is 0x00ff, v1 0."""
    size = 64 if target.startswith("gfx9") else 32
    literal = operands.pop("literal", None)
    code = programs.encoded(decoder(target, size), mnemonic, **operands)
    code += b"" if literal is None else literal.to_bytes(4, "little")
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    number = Undefined(PARTLY & known | fill & ~known, known)
    wave.s[4] = wave.s[M0] = wave.s[108 + 6] = number
    wave.vcc = Undefined(number << 32 | FULL, known << 32 | FULL)
    wave.s[5], wave.s[6], wave.scc, wave.v[1][:] = 0xFF, 0, 0, 0
    stopped = machine.run(most=1)
    return wave, None if stopped is None else stopped.text


@pytest.mark.parametrize("fill", [0, FULL])
@pytest.mark.parametrize(
    ("mnemonic", "operands", "known", "result", "result_known", "scc"),
    [
        ("s_sext_i32_i8", {"src0": 4}, 0xFF, 0xFFFFFF88, FULL, None),
        ("s_sext_i32_i16", {"src0": 4}, 0xFFFF, 0x7788, FULL, None),
        ("s_sext_i32_i16", {"src0": 4}, 0xFF, 0x88, 0xFF, None),
        ("s_bfe_u32", {"src0": 4, "src1": 255, "literal": 8 << 16 | 8}, 0xFF00, 0x77, FULL, 1),
        ("s_bfe_i32", {"src0": 4, "src1": 255, "literal": 8 << 16}, 0xFF, 0xFFFFFF88, FULL, 1),
        ("s_lshr_b32", {"src0": 4, "src1": 128 + 16}, 0xFFFF0000, 0x5566, FULL, 1),
        ("s_lshr_b32", {"src0": 4, "src1": 128 + 8}, 0xFF00, 0x77, 0xFF0000FF, 1),
        ("s_ashr_i32", {"src0": 4, "src1": 128 + 24}, 0xFF000000, 0x55, FULL, 1),
        ("s_lshl_b32", {"src0": 4, "src1": 128 + 24}, 0xFF, 0x88000000, FULL, 1),
        ("s_lshl_b32", {"src0": 5, "src1": 4}, 0xFF, 0xFF00, FULL, 1),
        ("s_and_b32", {"src0": 4, "src1": 5}, 0xFF, 0x88, FULL, 1),
        ("s_and_b32", {"src0": 4, "src1": 193}, 0xFF, 0x88, 0xFF, 1),
        ("s_and_b32", {"src0": 4, "src1": 128}, 0xFF, 0, FULL, 0),
        ("s_and_b32", {"src0": 107, "src1": 5}, 0xFF, 0x88, FULL, 1),
        ("s_and_b32", {"src0": 108 + 6, "src1": 5}, 0xFF, 0x88, FULL, 1),
        ("s_and_not1_b32", {"src0": 4, "src1": 255, "literal": 0xFFFF0000}, 0xFFFF, 0x7788, FULL,
         1),
        ("s_or_b32", {"src0": 4, "src1": 255, "literal": 0xFFFFFF00}, 0xFF, 0xFFFFFF88, FULL, 1),
        ("s_xor_b32", {"src0": 4, "src1": 5}, 0xFF, 0x77, 0xFF, 1),
        ("s_or_b32", {"src0": 4, "src1": 128}, 0x77, 0, 0x77, 1 << 8),
        ("s_or_b32", {"src0": 4, "src1": 128}, 0, 0, 0, 1 << 8),
        ("s_sext_i32_i8", {"src0": 4}, 0xFFFFFF00, 0, 0, None),
        ("s_not_b32", {"src0": 4}, 0xFF, 0x77, 0xFF, 1),
        ("s_brev_b32", {"src0": 4}, 0xFF, 0x11000000, 0xFF000000, None),
        ("s_bitset1_b32", {"sdst": 4, "src0": 128 + 1}, 0xFF00, 0x7702, 0xFF02, None),
        ("s_pack_ll_b32_b16", {"src0": 5, "src1": 4}, 0xFFFF, 0x778800FF, FULL, None),
        ("s_pack_lh_b32_b16", {"src0": 5, "src1": 4}, 0xFFFF0000, 0x556600FF, FULL, None),
        ("s_pack_hh_b32_b16", {"src0": 4, "src1": 4}, 0xFF000000, 0x55005500, 0xFF00FF00, None),
        ("s_mov_b32", {"src0": M0 + 1}, 0xFF, 0x88, 0xFF, None),
        ("s_mov_b32", {"src0": 107}, 0xFF, 0x88, 0xFF, None),
        ("s_mov_b32", {"src0": 108 + 6}, 0xFF, 0x88, 0xFF, None),
        ("s_cselect_b32", {"src0": 5, "src1": 4}, 0xFF, 0x88, 0xFF, None),
        ("s_bfm_b32", {"src0": 4, "src1": 128}, 0xFF, 0xFF, FULL, None),
        ("s_lshr_b32", {"src0": 4, "src1": 128 + 16}, 0xFFFF, 0, 0xFFFF0000, 1 << 8),
        ("s_and_b32", {"src0": 4, "src1": 5}, 0, 0, 0xFFFFFF00, 1 << 8),
        ("s_or_b32", {"src0": 4, "src1": 5}, 0, 0xFF, 0xFF, 1),
        ("s_or_b32", {"src0": 4, "src1": 193}, 0, FULL, FULL, 1),
        ("s_or_not1_b32", {"src0": 4, "src1": 5}, 0, 0xFFFFFF00, 0xFFFFFF00, 1),
        ("s_nand_b32", {"src0": 4, "src1": 5}, 0, 0xFFFFFF00, 0xFFFFFF00, 1),
        ("s_or_b32", {"src0": 4, "src1": 126}, 0, FULL, FULL, 1),
        ("s_add_u32", {"src0": 4, "src1": 5}, 0xFF, 0x87, 0xFF, 1 << 8),
        ("s_add_u32", {"src0": 4, "src1": 5}, FULL ^ 2, 0x55667881, FULL ^ 0xE, 0),
        ("s_add_u32", {"src0": 5, "src1": 4}, 0xF00000FF, 0x40000087, 0xC00000FF, 0),
        ("s_add_u32", {"src0": 108 + 6, "src1": 5}, 0xFF, 0x87, 0xFF, 1 << 8),
        ("s_add_i32", {"src0": 4, "src1": 5}, 0xFF, 0x87, 0xFF, 1 << 8),
        ("s_add_i32", {"src0": 4, "src1": 193}, 0xC00000FF, 0x40000087, 0xC00000FF, 0),
        ("s_sub_u32", {"src0": 5, "src1": 4}, 0xFF, 0x77, 0xFF, 1 << 8),
        ("s_sub_u32", {"src0": 5, "src1": 4}, FULL ^ 0xF, 0xAA998970, 0xFFFFFFF0, 1),
        ("s_sub_i32", {"src0": 4, "src1": 5}, 0xFFFF, 0x7689, 0xFFFF, 1 << 8),
        ("s_addc_u32", {"src0": 4, "src1": 5}, 0xFF, 0x87, 0xFF, 1 << 8),
        ("s_subb_u32", {"src0": 4, "src1": 5}, 0xFF, 0x89, 0xFF, 1 << 8),
        ("s_addk_i32", {"sdst": 4, "simm16": 0xFFFF}, 0xFF, 0x87, 0xFF, 1 << 8),
        ("s_addk_i32", {"sdst": 5, "simm16": 0xFFFF}, 0, 0xFE, FULL, 0),
        ("s_addk_i32", {"sdst": 4, "simm16": 0xFFFF}, FULL ^ 1, 0x55667780, FULL ^ 0xF, 0),
        ("s_lshl2_add_u32", {"src0": 4, "src1": 5}, 0xFF, 0x31F, 0x3FF, 1 << 8),
        ("s_lshl3_add_u32", {"src0": 4, "src1": 5}, 0, 7, 7, 1 << 8),
        ("s_lshl4_add_u32", {"src0": 5, "src1": 4}, 0xFF, 0x78, 0xFF, 1 << 8),
        ("s_mul_i32", {"src0": 4, "src1": 5}, 0xFF, 0x78, 0xFF, None),
        ("s_mul_i32", {"src0": 4, "src1": 128 + 8}, 0xFF, 0x440, 0x7FF, None),
        ("s_mul_i32", {"src0": 4, "src1": 128}, 0, 0, FULL, None),
        ("s_mul_i32", {"src0": 4, "src1": 128 + 3}, 0xFFFF00FF, 0x98, 0xFF, None),
        ("s_mul_i32", {"src0": 5, "src1": 128 + 3}, 0, 0x2FD, FULL, None),
        ("s_lshr_b32", {"src0": 5, "src1": 4}, 0xFFFFFF00, 0, 0xFFFFFF00, 1 << 8),
        ("s_lshr_b32", {"src0": 5, "src1": 4}, FULL ^ 1, 0, FULL, 0),
        ("s_max_u32", {"src0": 4, "src1": 5}, 0xFF000000, 0x55000000, 0xFF000000, 1),
        ("s_min_u32", {"src0": 4, "src1": 5}, 0xFF000000, 0xFF, FULL, 0),
        ("s_min_u32", {"src0": 4, "src1": 5}, 0xFFFF, 0xFF, FULL, 0),
        ("s_bcnt1_i32_b32", {"src0": 4}, FULL ^ 3, 0x10, FULL ^ 3, 1),
        ("s_abs_i32", {"src0": 4}, FULL ^ 1, 0x55667788, FULL ^ 1, 1),
        ("s_mulk_i32", {"sdst": 4, "simm16": 0xFFFE}, 0xFF, 0xF0, 0x1FF, None),
    ],
)  # fmt: skip
def test_scalars_that_are_known_in_part(
    mnemonic: str,
    operands: dict[str, int],
    known: int,
    result: int,
    result_known: int,
    scc: int | None,
    fill: int,
) -> None:
    """As the RDNA3 ISA, 16.1 and 16.3, defines the bits; `scc` 256: unknown, None: not written."""
    where = operands.get("sdst", 7)
    wave, text = after_partly_known("gfx1100", known, mnemonic, fill, **{"sdst": 7, **operands})
    assert text is None
    number = wave.s[where]
    assert (number & result_known, known_bits(number) & FULL) == (result, result_known)
    assert known_bits(wave.scc) & 1 == (scc != 1 << 8)
    assert scc in (None, 1 << 8) or wave.scc == scc


@pytest.mark.parametrize(
    ("mnemonic", "operands", "known", "needs"),
    [
        ("s_bfe_u32", {"src0": 5, "src1": 4}, 0xFF80FFFF, "s4"),
        ("s_add_u32", {"src0": 4, "src1": 5}, 0, "s4"),
        ("s_add_u32", {"src0": 4, "src1": 5, "sdst": 126}, 0xFFFFFF, "s4"),
        ("s_max_u32", {"src0": 4, "src1": 5}, 0, "s4"),
        ("s_mul_i32", {"src0": 4, "src1": 5}, 0, "s4"),
        ("s_and_b32", {"src0": 4, "src1": 193, "sdst": 126}, 0xFF, "s4"),
        ("s_bitcmp1_b32", {"src0": 4, "src1": 128 + 8}, 0xFF, "s4"),
        ("s_add_u32", {"src0": 108 + 6, "src1": 5}, 0, "ttmp6"),
        ("s_cvt_hi_f32_f16", {"src0": 4}, 0xFFFF, "s4"),
        ("v_add_f16_e32", {"src0": 4, "src1": 1, "vdst": 2}, 0xFFFF0000, "s4"),
        ("v_cvt_f32_ubyte1_e32", {"src0": 4, "vdst": 2}, 0xFF, "s4"),
    ],
)
def test_bits_of_scalars_that_are_read(
    mnemonic: str, operands: dict[str, int], known: int, needs: str
) -> None:
    target = "gfx1150" if "hi_f32" in mnemonic else "gfx1100"
    if "vdst" not in operands and "cmp" not in mnemonic:
        operands = {"sdst": 7, **operands}
    _, text = after_partly_known(target, known, mnemonic, **operands)
    assert text == f"{mnemonic} needs {needs}, which is not known"
    if operands.get("sdst") == 126 or mnemonic in ("s_max_u32", "s_bfe_u32"):
        return  # it reads other bits, too
    assert after_partly_known(target, ~known & FULL, mnemonic, **operands)[1] is None


LANES = 0x00FF00F0
"""The lanes that execute, with those where s[12:13] is 1, 0 or unknown."""
MASKS = [
    ("s_and_saveexec_b64 s_and_saveexec_b32",
     lambda old, one, zero: (old & one, old & zero | ~old)),
    ("s_or_saveexec_b64 s_or_saveexec_b32", lambda old, one, zero: (old | one, ~old & zero)),
    ("s_andn2_saveexec_b64 s_and_not1_saveexec_b32",
     lambda old, one, zero: (~old & one, ~old & zero | old)),
    ("s_andn1_saveexec_b64 s_and_not0_saveexec_b32",
     lambda old, one, zero: (old & zero, old & one | ~old)),
    ("s_orn2_saveexec_b64 s_or_not1_saveexec_b32",
     lambda old, one, zero: (~old | one, old & zero)),
    ("s_orn1_saveexec_b64 s_or_not0_saveexec_b32",
     lambda old, one, zero: (old | zero, ~old & one)),
    ("s_xor_saveexec_b64 s_xor_saveexec_b32",
     lambda old, one, zero: (~old & one | old & zero, ~old & zero | old & one)),
    ("s_xnor_saveexec_b64 s_xnor_saveexec_b32",
     lambda old, one, zero: (~old & zero | old & one, ~old & one | old & zero)),
    ("s_nand_saveexec_b64 s_nand_saveexec_b32",
     lambda old, one, zero: (~old | zero, old & one)),
    ("s_nor_saveexec_b64 s_nor_saveexec_b32", lambda old, one, zero: (~old & zero, old | one)),
    ("s_andn1_wrexec_b64 s_and_not0_wrexec_b32",
     lambda old, one, zero: (old & zero, old & one | ~old)),
    ("s_andn2_wrexec_b64 s_and_not1_wrexec_b32",
     lambda old, one, zero: (~old & one, ~old & zero | old)),
]  # fmt: skip
"""By the lanes that execute, and those that are 1 and 0 in the source: those that are 1 and 0 in
the result (GFX9 and RDNA3 ISA)."""


@pytest.mark.parametrize("known", [LANES, FULL ^ LANES, FULL, 0])
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(("names", "rule"), MASKS)
def test_a_mask_of_lanes_with_those_that_execute(
    target: str, names: str, rule: Callable[[int, int, int], tuple[int, int]], known: int
) -> None:
    """Lanes are not known where the source is not and EXEC does not decide; all must be."""
    size = 64 if target == "gfx942" else 32
    mnemonic = names.split()[target == "gfx1100"]
    code = programs.encoded(decoder(target, size), mnemonic, sdst=6, src0=12)
    all_lanes = (1 << size) - 1
    old, known = (bits << size - 32 | bits for bits in (LANES, known))
    one = (PARTLY << size - 32 | PARTLY) & known
    results = [bits & all_lanes for bits in rule(old, one, known & ~one)]
    for fill in (0, all_lanes):
        machine = vectors.machine(code, size, target, size, tracks_writes=True)
        machine.observe(UnknownContents(machine))
        [wave] = machine.waves
        number = one | fill & ~known
        for n in range(size // 32):
            wave.s[12 + n] = Undefined(number >> 32 * n & FULL, known >> 32 * n & FULL)
        wave.set_exec(old)
        stopped = machine.run(most=1)
        if results[0] | results[1] != all_lanes:
            lacking = all_lanes & ~(results[0] | results[1])
            assert stopped is not None and stopped.text == (
                f"{mnemonic} needs s{12 if lacking & FULL else 13}, which is not known"
            )
            continue
        assert stopped is None and (wave.exec, wave.scc) == (results[0], bool(results[0]))
        saved = sum(wave.s[6 + n] << 32 * n for n in range(size // 32))
        assert saved == (old if "saveexec" in mnemonic else wave.exec)
        numbers = (wave.scc, *wave.s[6 : 6 + size // 32])
        assert all(known_bits(number) & FULL == FULL for number in numbers)


EXACT = re.compile(
    r"s_((wqm_.*|and|or|xor|andn[12]|orn[12]|nand|nor|xnor|not|brev)(_b(32|64)|_(save|wr)exec_.*)|sext_.*"
    r"|(and|or)_not[01]_.*|pack_.*|bitreplicate_.*|(lshl|lshr|ashr|bfe|bitset[01]|bitcmp[01])_.*"
    r"|(add|sub|addk)_.*|lshl[1-4]_add_u32)"
)
"""Operations whose bits each depend on one bit of each source, and sums: all that could be known is
known."""


def bits_of_scalars() -> list[tuple[str, str]]:
    out = {}
    for target in ("gfx1200", "gfx942"):
        for encoding in decoder(target, 32 if target == "gfx1200" else 64).encodings:
            is_plain = {"src0", "src1", "sdst", "simm16"} >= {*encoding.format.names}
            for operation in operations_of(encoding) if is_plain else ():
                named = {*operation.sources, *operation.results}
                is_number = "branch" not in operation.flags and operation.results
                others = {"hwreg", "mode", "pc"} & {one.name for one in named}
                if operation.is_scalar and operation.sources and is_number and not others:
                    out[operation.name] = target, encoding.mnemonic
    return [*out.values()]


NUMBERED = re.compile("_(lshl|lshr|ashr|bfe|bitset[01]|bitcmp[01])_")
"""Those with the number of a bit, or of bits, which must be known."""


@pytest.mark.parametrize(("target", "mnemonic"), bits_of_scalars())
def test_a_bit_is_known_where_no_unknown_bit_changes_it(target: str, mnemonic: str) -> None:
    """Of random sources a few bits are unknown: each case of these is executed where all is known,
    and the first, the last and another one with what is unknown."""
    rng, size = Random(mnemonic), 64 if target == "gfx942" else 32
    isa = decoder(target, size)
    encoding = next(one for one in isa.encodings if one.mnemonic == mnemonic)
    fields = {"src0": 8, "src1": 10, "sdst": 4, "simm16": 0x82ED}  # SCC is number 12 below
    fields = {name: fields[name] for name in encoding.format.names}
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    known_machine, machine = (
        vectors.machine(code, size, target, size, tracks_writes=True) for _ in range(2)
    )
    machine.observe(UnknownContents(machine))
    start = machine.waves[0].pc

    def executed(
        machine: Any, numbers: list[int], lacking: list[tuple[int, int]]
    ) -> tuple[list[int], Any]:
        """Return SCC, s4 and s5 after the instruction, and why it stopped."""
        [wave] = machine.waves
        for n in range(4, 13):
            unknown = sum(1 << bit for number, bit in lacking if number == n)
            number = Undefined(numbers[n], FULL & ~unknown) if unknown else numbers[n]
            if n == 12:
                wave.scc = number
            else:
                wave.s[n] = number
        wave.set_exec(numbers[0])
        wave.pc = start
        stopped = machine.run(most=machine.instructions + 1)
        return [wave.scc, wave.s[4], wave.s[5]], stopped and stopped.text

    for _ in range(30):
        numbers = [
            rng.choice((rng.getrandbits(32), rng.getrandbits(8), 0, FULL, 1 << rng.randrange(32)))
            for _ in range(12)
        ]
        places = (
            (rng.choice((4, *range(8, 13))), rng.choice((0, 31, rng.randrange(32)))) for _ in "1234"
        )
        lacking = [*dict.fromkeys((n, 0 if n == 12 else bit) for n, bit in places)]
        cases = []
        for case in range(1 << len(lacking)):
            filled = [*numbers, 0]
            for k, (n, bit) in enumerate(lacking):
                filled[n] = filled[n] & ~(1 << bit) | (case >> k & 1) << bit
            cases.append(filled)
        some = [cases[0], rng.choice(cases), cases[-1]]
        outs = [executed(machine, filled, lacking) for filled in some]
        [text] = {text for _, text in outs}
        if text is not None and ("exec" in mnemonic or NUMBERED.search(mnemonic)):
            continue
        results = [executed(known_machine, filled, [])[0] for filled in cases]
        changed = [reduce(or_, (r[n] ^ results[0][n] for r in results)) for n in range(3)]
        is_exact = EXACT.fullmatch(mnemonic) is not None and mnemonic[-3:] not in ("f16", "f32")
        if NUMBERED.search(mnemonic):
            number = (8, 9) if "bitset" in mnemonic else (10, 11)
            is_exact = is_exact and not any(n in number for n, _ in lacking)
        if text is not None:
            assert not is_exact or changed[1] == FULL or "cmp" in mnemonic, (numbers, lacking)
            continue
        for n, mask in enumerate((1, FULL, FULL)):
            [known] = {known_bits(numbers[n]) & mask for numbers, _ in outs}
            assert not changed[n] & known, (numbers, lacking)
            assert not (n and is_exact) or changed[n] | known == FULL, (numbers, lacking)


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "known", "bytes_known"),
    [
        ("gfx1100", "v_mov_b32_e32", {"src0": M0 + 1}, 0xFF, 0b0001),
        ("gfx1100", "v_mov_b32_e32", {"src0": 107}, 0xFF, 0b0001),
        ("gfx1100", "v_mov_b32_e32", {"src0": 108 + 6}, 0xFF, 0b0001),
        ("gfx1100", "v_mov_b32_e32", {"src0": 4}, 0xFF00FF, 0b0101),
        ("gfx906", "v_mov_b32_sdwa", {"src0": 4, "src0_sel": BYTE_0}, 0xFF, 0b1111),
        ("gfx906", "v_mov_b32_sdwa", {"src0": 4, "src0_sel": BYTE_1}, 0xFF, 0b1110),
        ("gfx906", "v_mov_b32_sdwa", {"src0": 4, "src0_sel": DWORD}, 0xFF, 0b0001),
        ("gfx1100", "v_mov_b16_e32", {"src0": 4}, 0xFFFF, 0b0011),
        ("gfx1100", "v_mov_b16_e32", {"src0": 4}, 0xFFFF0000, 0),
        ("gfx1100", "v_and_b32_e32", {"src0": 4, "src1": 1}, 0xFF, 0b1111),
        ("gfx1100", "v_or_b32_e32", {"src0": 4, "src1": 1}, 0xFF, 0b0001),
        ("gfx1100", "v_cndmask_b32_e32", {"src0": 4, "src1": 1}, 0xFF, 0b1111),
        ("gfx1100", "v_cndmask_b32_e64", {"src0": VGPR + 1, "src1": 4, "src2": 106}, 0xFF, 0b0001),
        ("gfx1100", "v_bfe_u32", {"src0": 4, "src1": 128, "src2": 128 + 8}, 0xFF, 0b1111),
        ("gfx1100", "v_cvt_f32_ubyte0_e32", {"src0": 4}, 0xFF, 0b1111),
        ("gfx1100", "v_add_f16_e32", {"src0": 4, "src1": 1}, 0xFFFF, 0b0011),
        ("gfx906", "v_add_u32_sdwa",
         {"src0": 4, "src0_sel": BYTE_0, "src1": 1, "src1_sel": DWORD}, 0xFF, 0b1111),
    ],
)  # fmt: skip
def test_vectors_of_scalars_that_are_known_in_part(
    target: str, mnemonic: str, operands: dict[str, int], known: int, bytes_known: int
) -> None:
    if "sdwa" in mnemonic:  # a bit says that a source is an SGPR, and the whole result is written
        operands = operands | {"dst_sel": DWORD, "src0": operands["src0"] | VGPR}
    operands = {"vdst": 2, **operands}
    wave, text = after_partly_known(target, known, mnemonic, **operands)
    assert text is None
    lanes = [wave.all_lanes if bytes_known >> byte & 1 else 0 for byte in range(4)]
    wanted = lanes if mnemonic not in HALVES else [*lanes[:2], wave.all_lanes, wave.all_lanes]
    assert vectors.known_lanes(wave, 2) == wanted


HALVES = ("v_mov_b16_e32", "v_add_f16_e32")
"""They write the low half of v2 alone, whose high half is known."""


def masked(
    target: str, mask: int, executing: int, unknown: dict[int, int], mnemonic: str, **operands: int
) -> tuple[Any, str | None]:
    """Return a wave after an instruction, and why it stopped. VCC and s[4:5] have `mask`, and only
    the bits of lanes that execute are known; `unknown`: the lanes where VGPRs are unknown. v0
    is unknown, v1 has 5 in all lanes, v2 7."""
    size = 64 if target.startswith("gfx9") else 32
    code = programs.encoded(decoder(target, size), mnemonic, **operands)
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.vcc = Undefined(mask, executing)
    wave.s[4], wave.s[5] = (Undefined(mask >> n & FULL, executing >> n & FULL) for n in (0, 32))
    wave.v[1][:], wave.v[2][:], wave.written[0] = 5, 7, 0
    for number, lanes in unknown.items():
        wave.forget_bytes(number, 0b1111, lanes)
    wave.set_exec(executing)
    stopped = machine.run(most=1)
    return wave, None if stopped is None else stopped.text


CNDMASK = {"vdst": 0, "src0": VGPR + 1, "src1": 2}
SDWA = {"vdst": 0, "src0": 1, "src1": 2, "dst_sel": DWORD, "src0_sel": DWORD, "src1_sel": DWORD}
SAME_LANE = {"dpp_ctrl": 0xE4, "row_mask": 15, "bank_mask": 15}
SELECTIONS = [
    ("gfx942", "v_cndmask_b32_e32", CNDMASK),
    ("gfx942", "v_cndmask_b32_e64", {**CNDMASK, "src1": VGPR + 2, "src2": 4}),
    ("gfx942", "v_cndmask_b32_sdwa", SDWA),
    ("gfx942", "v_cndmask_b32_dpp", {"vdst": 0, "src0": 1, "src1": 2, **SAME_LANE}),
    ("gfx1030", "v_cndmask_b32_e32", CNDMASK),
    ("gfx1100", "v_cndmask_b32_e64", {**CNDMASK, "src1": VGPR + 2, "src2": 4}),
    ("gfx1100", "v_cndmask_b16", {**CNDMASK, "src1": VGPR + 2, "src2": 4}),
    ("gfx1100", "v_dual_cndmask_b32", {"vdstX": 0, "src0X": VGPR + 1, "vsrc1X": 2, "vdstY": 1,
     "src0Y": VGPR + 8, "vsrc1Y": 9}),
]  # fmt: skip


@pytest.mark.parametrize("mask", [0, 0xA5, 0xFF])
@pytest.mark.parametrize(("target", "mnemonic", "operands"), SELECTIONS)
def test_each_lane_copies_the_source_that_its_bit_selects(
    target: str, mnemonic: str, operands: dict[str, int], mask: int
) -> None:
    """The first source if the bit is 0 (v_cndmask_b32 in the CDNA3 and RDNA3 ISA)."""
    first, second = 0xFF & ~mask, 0xFF & mask
    unknown = {1: FULL if mask == 0xFF else second, 2: FULL if not mask else first}
    wave, text = masked(target, mask, 0xFF, unknown, mnemonic, **operands)
    assert text is None
    assert [int(lane) & 0xFFFF for lane in wave.v[0][:8]] == [
        5 + 2 * (mask >> n & 1) for n in range(8)
    ]
    halves = 2 if mnemonic == "v_cndmask_b16" else 4
    assert vectors.known_lanes(wave, 0)[:halves] == [0xFF] * halves
    for number, lanes in ((1, first), (2, second)):
        if lanes:
            lane = 1 << lanes.bit_length() - 1
            wave, text = masked(target, mask, 0xFF, {number: lane}, mnemonic, **operands)
            assert text is None
            assert vectors.known_lanes(wave, 0)[:halves] == [0xFF & ~lane] * halves


@pytest.mark.parametrize("mask", [0, 0xA5])
def test_bytes_of_the_source_that_no_lane_selects_do_not_matter(mask: int) -> None:
    size, target = 32, "gfx1100"
    code = programs.encoded(decoder(target, size), "v_cndmask_b32_e32", **CNDMASK)
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.vcc, wave.written[0] = mask, 0
    wave.forget_bytes(2, 0b1110, wave.all_lanes)
    assert machine.run(most=1) is None
    assert vectors.known_lanes(wave, 0) == [wave.all_lanes, *[wave.all_lanes & ~mask] * 3]


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "lane"),
    [
        *((*selection, 3) for selection in SELECTIONS),
        ("gfx942", "v_addc_co_u32_e32", CNDMASK, 3),
        ("gfx942", "v_subb_co_u32_e64", {**CNDMASK, "src1": VGPR + 2, "sdst": 8, "src2": 4}, 35),
        ("gfx1030", "v_add_co_ci_u32_e32", CNDMASK, 3),
        ("gfx942", "v_div_fmas_f32", {**CNDMASK, "src1": VGPR + 2, "src2": VGPR + 1}, 40),
    ],
)  # fmt: skip
def test_lanes_that_do_not_execute_need_no_bit(
    target: str, mnemonic: str, operands: dict[str, int], lane: int
) -> None:
    wave, text = masked(target, 0, 1 << lane, {}, mnemonic, **operands)
    assert text is None
    assert vectors.known_lanes(wave, 0)[0] == 1 << lane
    code = programs.encoded(decoder(target), mnemonic, **operands)
    machine = vectors.machine(code, wave.lane_count, target, wave.lane_count, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    other = machine.waves[0]
    other.vcc = Undefined(0, ~(1 << lane))
    other.s[4], other.s[5] = (Undefined(0, ~(1 << lane) >> n & FULL) for n in (0, 32))
    other.set_exec(1 << lane)
    other.v[2][:] = 0 if "subb" in mnemonic else FULL
    stopped = machine.run(most=1)
    if "cndmask" in mnemonic:  # 0 or all ones
        assert stopped is None and not vectors.known_lanes(other, 0)[0] >> lane & 1
        return
    dword = "vcc_hi" if lane > 31 else "vcc_lo"
    if operands.get("src2") == 4:
        dword = "s5" if lane > 31 else "s4"
    assert stopped is not None and stopped.text == f"{mnemonic} needs {dword}, which is not known"


@pytest.mark.parametrize("lane", [3, 20])
def test_a_mask_that_is_a_number_too(lane: int) -> None:
    """Of vcc_lo as a source, all bits are copied; of vcc_lo as the mask, the bits of lanes are
    read."""
    operands = {"vdst": 0, "src0": 106, "src1": 2}
    wave, text = masked("gfx1100", 0, 1 << lane, {}, "v_cndmask_b32_e32", **operands)
    assert (text, int(wave.known_bits(0)[lane])) == (None, 1 << lane)
    wave, text = masked("gfx1100", 0, 0xFFFF, {}, "v_cndmask_b32_e32", **operands)
    assert text is None and vectors.known_lanes(wave, 0) == [0xFFFF, 0xFFFF, 0, 0]


@pytest.mark.parametrize(("source", "needs"), [(251, "vcc_lo"), (253, "scc")])
@pytest.mark.parametrize("mnemonic", ["v_cndmask_b32_e64", "v_add_co_ci_u32_e64"])
def test_a_mask_that_is_made_of_another_register(mnemonic: str, source: int, needs: str) -> None:
    """`src_vccz` and `src_scc`: all that they are made of is needed."""
    operands = {"vdst": 0, "src0": VGPR + 1, "src1": VGPR + 2, "src2": source}
    if "_co_" in mnemonic:
        operands["sdst"] = 8
    code = programs.encoded(decoder("gfx1100", 32), mnemonic, **operands)
    for vcc, scc, text in (
        (Undefined(0), 0, f"{mnemonic} needs vcc_lo, which is not known"),
        (0, Undefined(0), f"{mnemonic} needs scc, which is not known"),
        (0, 0, None),
    ):
        machine = vectors.machine(code, 32, "gfx1100", 32, tracks_writes=True)
        machine.observe(UnknownContents(machine))
        [wave] = machine.waves
        wave.vcc, wave.scc, wave.v[2][:] = vcc, scc, FULL
        stopped = machine.run(most=1)
        wanted = text if text and needs in text else None
        if wanted and "cndmask" in mnemonic:
            assert stopped is None and wave.written[0] & 1 == 0
            continue
        assert (stopped and stopped.text) == wanted


SCALAR_MOVES = [
    ("s_movrels_b32", 14, 2, (16, 10)),
    ("s_movrels_b64", 14, 2, (16, 10)),
    ("s_movreld_b32", 10, 2, (14, 12)),
    ("s_movreld_b64", 10, 2, (14, 12)),
    ("s_movrelsd_2_b32", 14, 4 << 16 | 2, (16, 14)),
    ("s_movrelsd_2_b32", 10, 4 << 16 | 2, (16, 14)),
]
"""Moves of s14 to s10 and an index in M0, with what they do not read or write, and what they do."""


@pytest.mark.parametrize(
    ("target", "mnemonic", "unknown", "index", "moved"),
    [
        (target, *move)
        for target in ("gfx90a", "gfx1030", "gfx1100")
        for move in SCALAR_MOVES
        if target != "gfx90a" or move[0] != "s_movrelsd_2_b32"
    ],
)
def test_scalars_by_an_index(
    target: str, mnemonic: str, unknown: int, index: int, moved: tuple[int, int]
) -> None:
    """A register that it names may be unknown where M0 makes it another, and so may a part of what
    it copies."""
    source, destination = moved
    size = 64 if target == "gfx90a" else 32
    code = programs.encoded(decoder(target, size), mnemonic, sdst=10, src0=14)
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    if unknown not in moved:
        wave.s[unknown] = Undefined(0xFDFDFDFD)
    wave.s[M0], wave.s[destination] = index, Undefined(0)
    wave.s[source] = Undefined(PARTLY, 0xFF00FFFF)
    before = list(wave.s)
    assert machine.run(most=1) is None
    assert (wave.s[destination], known_bits(wave.s[destination]) & FULL) == (PARTLY, 0xFF00FFFF)
    written = range(destination, destination + (2 if "b64" in mnemonic else 1))
    for number, scalar in enumerate(before):
        if number not in written:
            assert (wave.s[number], known_bits(wave.s[number])) == (scalar, known_bits(scalar))


@pytest.mark.parametrize("mnemonic", ["s_movrels_b32", "s_movreld_b32"])
@pytest.mark.parametrize("index", [200, FULL])
def test_an_index_beyond_all_scalars(mnemonic: str, index: int) -> None:
    code = programs.encoded(decoder("gfx1100"), mnemonic, sdst=10, src0=10)
    machine = vectors.machine(code, 32, "gfx1100", 32, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.s[M0], wave.s[20] = index, Undefined(0)
    stopped = machine.run(most=1)
    assert stopped is not None
    assert f"register s{10 + index}, which M0 gives, does not exist" in stopped.text


@pytest.mark.parametrize(
    ("mnemonic", "moved"),
    [
        ("v_movrels_b32_e32", (7, 2)),
        ("v_movreld_b32_e32", (5, 4)),
        ("v_movreld_b32_e64", (5, 4)),
        ("v_movrelsd_b32_e32", (7, 4)),
    ],
)
def test_parts_of_vectors_by_an_index(mnemonic: str, moved: tuple[int, int]) -> None:
    """The copy of a half is known as far as the half, in the lanes that execute."""
    source, destination = moved
    code = programs.encoded(decoder("gfx1030"), mnemonic, vdst=2, src0=VGPR + 5)
    machine = vectors.machine(code, 32, "gfx1030", 32, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.s[M0] = 2
    wave.forget_bytes(source, 0b1100, wave.all_lanes)
    wave.set_exec(0xFF)
    assert machine.run(most=1) is None
    high = wave.all_lanes & ~0xFF
    assert vectors.known_lanes(wave, destination) == [wave.all_lanes] * 2 + [high] * 2


@pytest.mark.parametrize(
    ("mnemonic", "operands", "bits"),
    [
        ("s_movrels_b32", {"sdst": 10, "src0": 14}, FULL),
        ("s_movreld_b64", {"sdst": 10, "src0": 14}, FULL),
        ("s_movrelsd_2_b32", {"sdst": 10, "src0": 14}, 0x3FF03FF),
        ("v_movrels_b32_e32", {"vdst": 10, "src0": VGPR + 14}, FULL),
        ("v_movrelsd_2_b32_e32", {"vdst": 10, "src0": VGPR + 14}, 0x3FF03FF),
    ],
)
def test_bits_of_m0_that_are_an_index(mnemonic: str, operands: dict[str, int], bits: int) -> None:
    """`s_movrelsd_2_b32` reads M0[9:0] and M0[25:16] in the RDNA2 ISA."""
    for known, text in (
        (bits, None),
        (bits & ~1, f"{mnemonic} needs m0, which is not known"),
        (bits & ~(1 << bits.bit_length() - 1), f"{mnemonic} needs m0, which is not known"),
    ):
        code = programs.encoded(decoder("gfx1030"), mnemonic, **operands)
        machine = vectors.machine(code, 32, "gfx1030", 32, tracks_writes=True)
        machine.observe(UnknownContents(machine))
        machine.waves[0].s[M0] = Undefined(2, known)
        stopped = machine.run(most=1)
        assert (stopped and stopped.text) == text


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "bits"),
    [
        ("gfx942", "v_readlane_b32", {"vdst": 7, "src0": VGPR + 2, "src1": 4}, 0x3F),
        ("gfx942", "v_readlane_b32", {"vdst": 7, "src0": VGPR + 2, "src1": M0}, 0x3F),
        ("gfx1100", "v_readlane_b32", {"vdst": 7, "src0": VGPR + 2, "src1": 4}, 0x1F),
        ("gfx1100", "v_readlane_b32", {"vdst": 7, "src0": VGPR + 2, "src1": 107}, 0x1F),
        ("gfx942", "v_writelane_b32", {"vdst": 2, "src0": 128 + 9, "src1": 4}, 0x3F),
        ("gfx942", "v_writelane_b32", {"vdst": 2, "src0": M0, "src1": M0}, 0x3F),
        ("gfx1100", "v_writelane_b32", {"vdst": 2, "src0": 128 + 9, "src1": 4}, 0x1F),
    ],
)
@pytest.mark.parametrize("fill", [0, FULL])
def test_bits_of_the_number_of_a_lane(
    target: str, mnemonic: str, operands: dict[str, int], bits: int, fill: int
) -> None:
    """Those that count the lanes of a wave: the ISA documents take the number modulo its size."""
    number = operands["src1"]
    name = {M0: "m0", 107: "vcc_hi"}.get(number, f"s{number}")
    for known in (bits & ~1, bits & ~(bits + 1 >> 1)):
        _, text = after_partly_known(target, known, mnemonic, fill, **operands)
        assert text == f"{mnemonic} needs {name}, which is not known"
    wave, text = after_partly_known(target, bits, mnemonic, fill, **operands)
    assert text is None
    lane = 1 << (PARTLY & bits)
    if mnemonic == "v_readlane_b32":
        assert known_bits(wave.s[7]) & FULL == FULL
    elif operands["src0"] == number:
        assert vectors.known_lanes(wave, 2) == [wave.all_lanes & ~lane] * 4
    else:
        assert vectors.known_lanes(wave, 2) == [wave.all_lanes] * 4


@pytest.mark.parametrize(
    ("mnemonic", "operands", "value", "written"),
    [
        ("s_set_gpr_idx_on", {"src0": 128 + 3, "src1": 8}, 0x8003, 0xF0FF),
        ("s_set_gpr_idx_idx", {"src0": 128 + 3}, 0x03, 0xFF),
        ("s_set_gpr_idx_mode", {"simm16": 8}, 0x8000, 0xF000),
    ],
)
@pytest.mark.parametrize("fill", [0, FULL])
def test_an_index_is_known_in_m0_that_nothing_has_written(
    mnemonic: str, operands: dict[str, int], value: int, written: int, fill: int
) -> None:
    """Compilers write no M0 before: the other bits stay as they are (GFX9 ISA, "M0")."""
    for known in (0, 1 << 31):
        code = programs.encoded(decoder("gfx942"), mnemonic, **operands)
        machine = vectors.machine(code, 64, "gfx942", 64, tracks_writes=True)
        machine.observe(UnknownContents(machine))
        [wave] = machine.waves
        wave.s[M0] = Undefined(fill, known)
        assert machine.run(most=1) is None
        assert known_bits(wave.s[M0]) & FULL == written | known
        assert wave.s[M0] & (written | known) == value | fill & known


@pytest.mark.parametrize(
    ("mnemonic", "operands"),
    [("s_set_gpr_idx_on", {"src0": 4, "src1": 8}), ("s_set_gpr_idx_idx", {"src0": 4})],
)
def test_an_index_is_the_low_byte(mnemonic: str, operands: dict[str, int]) -> None:
    """M0[7:0] = S0[7:0] (CDNA3 ISA, SOP1 and SOPC)."""
    wave, text = after_partly_known("gfx942", 0xFF, mnemonic, **operands)
    assert (text, wave.s[M0] & 0xFF) == (None, PARTLY & 0xFF)
    assert known_bits(wave.s[M0]) & 0xFF == 0xFF
    wave, text = after_partly_known("gfx942", 0xFFFFFF7F, mnemonic, **operands)
    assert (text, known_bits(wave.s[M0]) & 0xFF) == (None, 0x7F)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("second", [0, 1])
def test_a_move_of_two_dwords_copies_those_that_it_selects(first: int, second: int) -> None:
    """Only v2 and v5 are known; `op_sel` chooses one of v2 and v3, and one of v4 and v5."""
    high = 8  # op_sel_hi, as assemblers write it
    code = programs.encoded(
        decoder("gfx90a"),
        "v_pk_mov_b32",
        vdst=10,
        src0=VGPR + 2,
        src0_modifiers=high | 4 * first,
        src1=VGPR + 4,
        src1_modifiers=high | 4 * second,
    )
    machine = vectors.machine(code, 64, "gfx90a", 64, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    for row in (3, 4):
        wave.forget_bytes(row, 0b1111, wave.all_lanes)
    assert machine.run(most=1) is None
    known = [vectors.known_lanes(wave, row) == [wave.all_lanes] * 4 for row in (10, 11)]
    assert known == [first == 0, second == 1]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("second", [0, 1])
@pytest.mark.parametrize(
    ("src0", "src1"),
    [
        (VGPR + 2, 128),
        (128, VGPR + 2),
        (VGPR + 2, 4),
        (4, VGPR + 2),
        (4, 128),
        (VGPR + 2, VGPR + 2),
    ],
)
def test_a_move_of_two_dwords_with_one_that_all_lanes_share(
    src0: int, src1: int, first: int, second: int
) -> None:
    """The second dwords are unknown: v3, and s5."""
    operands = {"src0_modifiers": 8 | 4 * first, "src1_modifiers": 8 | 4 * second}
    code = programs.encoded(
        decoder("gfx942"), "v_pk_mov_b32", vdst=10, src0=src0, src1=src1, **operands
    )
    machine = vectors.machine(code, 64, "gfx942", 64, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.forget_bytes(3, 0b1111, wave.all_lanes)
    wave.s[5] = Undefined(0)
    assert machine.run(most=1) is None
    known = [vectors.known_lanes(wave, row) == [wave.all_lanes] * 4 for row in (10, 11)]
    assert known == [src0 == 128 or not first, src1 == 128 or not second]
