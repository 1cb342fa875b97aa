"""Each rule about call frame information: one FDE that breaks it, and one that keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.records import evolve
from dwarfgpu.cfi.entry import Cie
from dwarfgpu.cfi.rule import RegisterCfa, Rules
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.check.cfi_results import needs_rule, return_column_fault
from dwarfgpu.check.functions_by_address import Functions
from dwarfgpu.check.rows import first_cycle
from dwarfgpu.dwarf import cfi_rows_by_pc
from dwarfgpu.dwarf.cfi_rows_by_pc import CallFrames
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import ET_DYN, ET_REL, SHF_ALLOC
from tests.check.made import (
    ALLOCATED_CODE,
    CODE,
    COMPILE_UNIT,
    STRING,
    block,
    cfi_entry,
    cie,
    findings,
    fixture_verdict,
    frame_file,
    info_file,
    operations,
    rules,
    verdict_on,
    words,
)
from tests.cli.command import run
from tests.dwarf.builder import (
    AMDGPU,
    FIXTURES,
    X86_64,
    Content,
    Shape,
    debug_info,
    elf,
    read_fixture,
)
from tests.work import calls_of

EM_MIPS, EM_RISCV = 8, 243
PRODUCER = 0x25
S32, S33, V0, V40, PC, EXEC, S30, S31 = 64, 65, 2560, 2600, 16, 17, 62, 63
UNDEFINED, SAME, REGISTER, EXPRESSION, VAL_EXPRESSION = 0x07, 0x08, 0x09, 0x10, 0x16
VAL_OFFSET, OFFSET = 0x14, 0x05
REMEMBER, RECALL, ADVANCE, NOP = b"\x0a", b"\x0b", b"\x44", b"\0"


def aspace_cfa(register: int, offset: int = 0, space: int = 6) -> bytes:
    return b"\x30" + encode_uleb(register) + encode_uleb(offset) + encode_uleb(space)


def def_cfa(register: int, offset: int = 0) -> bytes:
    return b"\x0c" + encode_uleb(register) + encode_uleb(offset)


def cfa_expression(text: str) -> bytes:
    return b"\x0f" + block(operations(text))


def rule(code: int, register: int, *operands: int) -> bytes:
    return bytes((code,)) + b"".join(map(encode_uleb, (register, *operands)))


def by_expression(code: int, register: int, text: str) -> bytes:
    return rule(code, register) + block(operations(text))


CFA = aspace_cfa(S32)
KERNEL = cfa_expression("lit0; lit6; LLVM_form_aspace_address") + rule(UNDEFINED, PC)
CFA_OFFSET = b"\x0e\x08"
SET_LOC = b"\x01" + words(0x1010)
BACK = b"\x01" + words(0x1000)
UNKNOWN = cfi_entry(b"\xff" * 4, b"\x04xyz\0")
"""A CIE with an undefined augmentation."""
PAIR = "regx s30; piece 4; regx s31; piece 4"

BASE = "regx s32; deref_size 4; lit6; shl"
PRIVATE_CFA = cfa_expression(f"{BASE}; lit6; LLVM_form_aspace_address; lit8; LLVM_offset")

BEHIND = "fde-outside-file"

TABLE: list[tuple[str, str, bytes, bytes]] = [
    # rule, severity, instructions that break it, and that keep it
    ("narrow-base-register", "error", def_cfa(S32), aspace_cfa(S32)),
    ("narrow-base-register", "error", def_cfa(PC) + b"\x0d" + encode_uleb(S33),
     CFA + b"\x0d" + encode_uleb(S33)),
    ("wide-base-register", "warning", def_cfa(V0), def_cfa(PC)),
    ("unknown-address-space", "error", aspace_cfa(S32, space=9), aspace_cfa(S32, space=5)),
    ("unknown-register", "error", CFA + rule(UNDEFINED, 31), CFA + rule(UNDEFINED, S30)),
    ("not-allowed-in-cfi", "error",
     CFA + by_expression(EXPRESSION, S30, "LLVM_push_lane; LLVM_offset"),
     CFA + by_expression(EXPRESSION, S30, "lit4; LLVM_offset")),
    ("stack-underflow", "error", cfa_expression("plus"), KERNEL),
    ("stack-underflow", "error", CFA + by_expression(EXPRESSION, S30, "lit1; plus; plus"),
     CFA + by_expression(EXPRESSION, S30, "lit1; LLVM_offset")),
    ("wide-base-register", "warning", CFA + by_expression(EXPRESSION, S30, "bregx v3, 0"),
     CFA + by_expression(EXPRESSION, S30, "regx v3; LLVM_offset_uconst 4")),
    ("lost-cfa", "error", KERNEL + CFA_OFFSET, CFA + CFA_OFFSET),
    ("lost-cfa", "error", CFA_OFFSET, CFA + CFA_OFFSET),
    ("lost-cfa", "error", rule(OFFSET, S30, 1), CFA + rule(OFFSET, S30, 1)),
    ("lost-cfa", "warning", rule(REGISTER, S30, S31),
     rule(REGISTER, S30, S31) + rule(UNDEFINED, PC)),
    ("lost-cfa", "warning", REMEMBER + CFA + ADVANCE + RECALL, CFA + REMEMBER + ADVANCE + RECALL),
    ("cfa-not-memory", "error", cfa_expression("lit1; stack_value"), KERNEL),
    ("cfa-not-memory", "error", cfa_expression(PAIR), cfa_expression("lit8")),
    ("cfa-not-memory", "error", cfa_expression(""), KERNEL),
    ("cfa-not-memory", "error",
     cfa_expression("lit8; lit6; LLVM_form_aspace_address; lit3; LLVM_bit_offset"),
     cfa_expression("lit8; lit6; LLVM_form_aspace_address; lit8; LLVM_bit_offset")),
    ("cfa-not-memory", "warning", cfa_expression("regx s32"),
     cfa_expression("regx s32; deref_size 4; lit6; LLVM_form_aspace_address")),
    ("cfa-not-memory", "warning", cfa_expression("regx v40; LLVM_offset_uconst 4"),
     cfa_expression("regx v40; LLVM_offset_uconst 4; deref_size 4")),
    # what an operation without effect leaves, or an empty stack
    ("cfa-not-memory", "error", cfa_expression("nop"), cfa_expression("lit8; nop")),
    ("cfa-not-memory", "error", cfa_expression("lit8; drop"), cfa_expression("lit8; dup; drop")),
    ("cfa-not-memory", "error", cfa_expression("lit8; stack_value; nop"),
     cfa_expression("lit8; stack_value; drop; lit8")),
    ("cfa-not-memory", "error", cfa_expression("LLVM_undefined; nop"), cfa_expression("lit8")),
    ("unbalanced-state", "error", CFA + ADVANCE + RECALL, CFA + REMEMBER + ADVANCE + RECALL),
    ("location-order", "error", CFA + BACK, CFA + SET_LOC),
    ("register-cycle", "error", CFA + rule(REGISTER, S30, S31) + rule(REGISTER, S31, S30),
     CFA + rule(REGISTER, S30, S31) + rule(REGISTER, S31, S33)),
    ("register-cycle", "error", CFA + rule(REGISTER, S30, S30), CFA + rule(SAME, S30)),
    ("register-cycle", "error",
     CFA + by_expression(EXPRESSION, S30, "LLVM_call_frame_entry_reg s31")
     + by_expression(EXPRESSION, S31, "LLVM_call_frame_entry_reg s30"),
     CFA + by_expression(EXPRESSION, S30, "LLVM_call_frame_entry_reg s31")),
    ("register-cycle", "error",
     cfa_expression("LLVM_call_frame_entry_reg s32; deref_size 4") + rule(OFFSET, S32, 1),
     cfa_expression("LLVM_call_frame_entry_reg s32; deref_size 4") + rule(OFFSET, S31, 1)),
    ("register-size", "error", CFA + rule(REGISTER, PC, S30), CFA + rule(REGISTER, PC, EXEC)),
    ("register-size", "error", CFA + by_expression(VAL_EXPRESSION, S30, "lit1"),
     CFA + by_expression(VAL_EXPRESSION, PC, "lit1")),
    ("register-size", "error", CFA + rule(VAL_OFFSET, PC, 0), CFA + rule(VAL_OFFSET, S32, 0)),
    ("register-size", "warning", CFA + by_expression(EXPRESSION, PC, "regx s30"),
     CFA + by_expression(EXPRESSION, PC, "regx exec")),
    ("register-size", "warning", CFA + by_expression(EXPRESSION, PC, "regx s30; piece 4"),
     CFA + by_expression(EXPRESSION, PC, PAIR)),
    ("register-size", "warning",
     CFA + by_expression(EXPRESSION, S30, "regx v3; const1u 254; LLVM_offset"),
     CFA + by_expression(EXPRESSION, S30, "regx v3; const1u 252; LLVM_offset")),
    ("register-size", "warning", CFA + by_expression(EXPRESSION, S30, "implicit_value 2, 1, 2"),
     CFA + by_expression(EXPRESSION, S30, "implicit_value 4, 1, 2, 3, 4")),
    # 32 lanes of a register of 64, whatever the mask is and the locations are
    *(
        ("register-size", "warning",
         CFA + by_expression(EXPRESSION, V40, f"{parts}; LLVM_select_bit_piece 32, 32"),
         CFA + by_expression(EXPRESSION, V40, f"{parts}; LLVM_select_bit_piece 32, 64"))
        for parts in (
            "regx v40; regx v41; lit1",
            "regx v40; regx v41; regx exec; deref_size 8",
            "regx v40; swap; lit1",
            "regx v40; swap; regx exec; deref_size 8",
        )
    ),
    ("register-size", "warning",
     CFA + by_expression(EXPRESSION, V40, "deref_size 4; LLVM_extend 32, 32"),
     CFA + by_expression(EXPRESSION, V40, "deref_size 4; LLVM_extend 32, 64")),
    # what the CFA of the row shows: its address space is not the default one
    ("wrong-kind", "error", CFA + by_expression(EXPRESSION, S33, "plus_uconst 8"),
     def_cfa(PC) + by_expression(EXPRESSION, S33, "plus_uconst 8")),
    ("wrong-kind", "error", CFA + by_expression(VAL_EXPRESSION, EXEC, "lit8; plus"),
     CFA + by_expression(VAL_EXPRESSION, EXEC, "lit8; LLVM_offset; deref")),
    ("wrong-result", "error", CFA + by_expression(VAL_EXPRESSION, EXEC, "nop"),
     def_cfa(PC) + by_expression(VAL_EXPRESSION, EXEC, "nop")),
    ("wrong-kind", "error", PRIVATE_CFA + by_expression(EXPRESSION, S33, "plus_uconst 8"),
     cfa_expression(f"{BASE}; lit0; LLVM_form_aspace_address")
     + by_expression(EXPRESSION, S33, "plus_uconst 8")),
    ("wrong-kind", "error",
     def_cfa(PC) + by_expression(EXPRESSION, S33, "plus_uconst 8") + ADVANCE + CFA,
     def_cfa(PC) + by_expression(EXPRESSION, S33, "plus_uconst 8") + ADVANCE + def_cfa(PC, 8)),
    ("register-size", "error", PRIVATE_CFA + rule(VAL_OFFSET, EXEC, 2),
     PRIVATE_CFA + rule(VAL_OFFSET, S33, 2)),
    ("register-size", "error",
     cfa_expression("lit8; lit6; LLVM_form_aspace_address") + rule(VAL_OFFSET, EXEC, 2),
     cfa_expression("lit8") + rule(VAL_OFFSET, EXEC, 2)),
    ("empty-fde", "warning", b"", KERNEL),
    ("empty-fde", "warning", NOP, rule(UNDEFINED, PC)),
    ("ill-formed-cfi", "error", CFA + rule(OFFSET, S30, 1 << 62), CFA + rule(OFFSET, S30, 1 << 61)),
    ("ill-formed-cfi", "error", CFA + rule(VAL_OFFSET, S32, 1 << 62), CFA),
    ("unreadable-cfi", "error", CFA + b"\x1b", CFA + b"\x2e\x10"),
    ("unreadable-cfi", "error", CFA + b"\x0f\x40", CFA),
    ("unreadable-cfi", "warning", CFA + 8 * NOP + CFA_OFFSET, CFA + 7 * NOP + CFA_OFFSET),
    ("unreadable-cfi", "warning", CFA + 12 * NOP, CFA + ADVANCE + 11 * NOP),  # aligned twice
    ("unreadable-cfi", "warning", CFA + cfa_expression("const8u 0; addr 0") + 13 * NOP,
     cfa_expression("const8u 0; lit0; plus; lit6; LLVM_form_aspace_address")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "severity", "broken", "kept"),
    TABLE,
    ids=[f"{n}-{row[0]}" for n, row in enumerate(TABLE)],
)
def test_a_rule_both_ways(name: str, severity: str, broken: bytes, kept: bytes) -> None:
    assert rules(verdict_on(frame_file(broken))) == [(severity, name)]
    verdict = verdict_on(frame_file(kept))
    assert (rules(verdict), verdict.findings.skipped, verdict.fdes) == ([], [], 1)


@pytest.mark.parametrize(
    ("machine", "flags", "expected"),
    [
        (AMDGPU, 0x4C, ["register-cycle"]),
        (AMDGPU, 0xFF, ["register-cycle"]),  # of no known processor
        (X86_64, 0, []),
        (EM_MIPS, 0, []),
        (EM_RISCV, 0, []),
        (0x1234, 0, []),
    ],
)
def test_registers_are_swapped_on_all_machines_but_amd_gpus(
    machine: int, flags: int, expected: list[str]
) -> None:
    """DWARF 5 6.4.1: the previous value is "stored in another register numbered R"."""
    swap = def_cfa(7) + rule(REGISTER, 3, 6) + rule(REGISTER, 6, 3)
    section = cie() + cfi_entry(bytes(4), words(0x1000, 0x40) + swap)
    verdict = verdict_on(elf({".text": CODE, ".debug_frame": section}, machine, flags))
    found = [one.rule for one in findings(verdict)]
    assert [name for name in found if name == "register-cycle"] == expected


def test_an_fde_that_ends_beyond_the_address_space() -> None:
    """Its last byte may be the last one of the address space."""
    for start, expected in ((2**64 - 0x40, []), (2**64 - 0x3F, [("error", "inverted-range")])):
        found = rules(verdict_on(frame_file(CFA, starts=[start])))
        assert [one for one in found if one[1] != BEHIND] == expected
    dropped = frame_file(CFA, CFA, starts=[2**64 - 1, 2**64 - 2])  # as linkers write it
    assert rules(verdict_on(dropped)) == []


def test_an_instruction_of_a_vendor_is_not_checked() -> None:
    """Its vendor can read it: that is not a mistake of the producer."""
    verdict = verdict_on(frame_file(CFA + b"\x3f"))
    assert rules(verdict) == []
    (skipped,) = verdict.findings.skipped
    assert "unknown vendor call frame instruction 0x3f" in skipped


@pytest.mark.parametrize(
    "code",
    [
        KERNEL,
        CFA + by_expression(EXPRESSION, PC, PAIR) + ADVANCE + b"\x0d" + encode_uleb(S33),
        cfa_expression("regx s32; deref_size 4; lit5; shl; lit6; LLVM_form_aspace_address")
        + by_expression(EXPRESSION, PC, f"{PAIR}; LLVM_piece_end"),
        CFA + by_expression(EXPRESSION, S30, "regx v40; LLVM_offset_uconst 12"),
        CFA + by_expression(EXPRESSION, EXEC, "regx v40; bit_piece 32, 64; regx v40; "
                            "bit_piece 32, 96; LLVM_piece_end"),
        CFA + by_expression(EXPRESSION, EXEC, "regx s34; piece 4; regx s35; piece 4"),
        CFA + by_expression(EXPRESSION, V0, "regx v0; swap; LLVM_offset_uconst 0x100; "
                            "LLVM_call_frame_entry_reg exec; deref_size 8; "
                            "LLVM_select_bit_piece 32, 64"),
        CFA + by_expression(EXPRESSION, V0, "regx v0; regx a0; "
                            "LLVM_call_frame_entry_reg exec; deref_size 8; "
                            "LLVM_select_bit_piece 32, 64"),
        CFA + rule(OFFSET, V0, 64) + rule(OFFSET, PC, 2) + rule(REGISTER, S33, S30),
        CFA + b"".join(rule(UNDEFINED, V0 + n) for n in range(1, 40)),
    ],
    ids=["kernel", "frame pointer", "flat scratch", "a lane", "lanes", "a pair", "under a mask",
         "to an accumulator", "whole", "clobbered"],
)  # fmt: skip
def test_what_the_rocm_compiler_writes_is_well_formed(code: bytes) -> None:
    """The patterns of AMD's compilers: saved in lanes, pairs, under the execution mask."""
    verdict = verdict_on(frame_file(code))
    assert (rules(verdict), verdict.findings.skipped) == ([], [])


def test_ill_formed_instructions_of_a_cie_are_reported_once() -> None:
    assert rules(verdict_on(frame_file(CFA, common=cie(ADVANCE)))) == [("error", "location-order")]
    common = cie(b"\x06\x10")  # restore_extended, where there is nothing to restore to
    assert rules(verdict_on(frame_file(CFA, CFA, common=common))) == [("error", "ill-formed-cfi")]
    assert rules(verdict_on(frame_file(CFA, CFA, common=cie(CFA)))) == []


@pytest.mark.parametrize(
    ("advances", "expected"),
    [
        (b"\x03\x40\x00", []),  # to the end itself, as in the tables of stubs of linkers
        (b"\x03\x41\x00", [("warning", "location-order")]),
        (b"\x03\x20\x00" + CFA_OFFSET + b"\x03\x20\x00", []),
        (b"\x03\x20\x00" + CFA_OFFSET + b"\x03\x21\x00", [("warning", "location-order")]),
        (b"\x01" + words(0x1041), [("warning", "location-order")]),
    ],
)
def test_a_row_after_the_end_of_its_fde(advances: bytes, expected: list[tuple[str, str]]) -> None:
    """FDEs of 0x40 bytes: no location of the FDE reaches these rows (DWARF 5 6.4.3)."""
    verdict = verdict_on(frame_file(CFA + advances + CFA_OFFSET))
    assert rules(verdict) == expected
    for result in findings(verdict):
        assert "the row begins at 0x1041, after the end of the FDE, 0x1040" in result.message


@pytest.mark.parametrize(
    ("start", "size_bytes", "expected"),
    [
        (0x2000, 0x40, []),
        (0x2000, 0x21, []),
        (0x2000, 0x10, ["location-order"]),
        ((1 << 64) - 0x30, 0x40, ["inverted-range"]),
        ((1 << 64) - 0x20, 0x20, ["location-order"]),
    ],
)
def test_the_same_instructions_for_other_code(
    start: int, size_bytes: int, expected: list[str]
) -> None:
    """That they are right for one FDE is remembered."""
    code = CFA + b"\x03\x20\x00" + CFA_OFFSET
    sound = cfi_entry(bytes(4), words(0x1000, 0x40) + code)
    other = cfi_entry(bytes(4), words(start, size_bytes) + code)
    for section in (b"".join((cie(), sound, other)), cie() + other):
        verdict = verdict_on(frame_file(common=section))
        assert [name for _, name in rules(verdict) if name != BEHIND] == expected


def test_equal_common_entries_with_fdes() -> None:
    """What is wrong with the FDEs of one is found, although the other one is right."""
    first = cie(CFA)
    wrong = cfi_entry(len(first).to_bytes(4, "little"), words(0x1000, 0x40) + b"\x0b")
    verdict = verdict_on(frame_file(common=first * 2 + wrong))
    assert rules(verdict) == [("error", "unbalanced-state")]


def test_equal_expressions_are_counted() -> None:
    """The number of expressions does not depend on what is remembered."""
    code = cfa_expression("lit0; lit6; LLVM_form_aspace_address")
    assert verdict_on(frame_file(code, code, code)).expressions == 3


def test_an_fde_that_exceeds_the_address_space() -> None:
    """As of a label difference the wrong way round: -1 as a length."""
    long = cie() + cfi_entry(bytes(4), words(0x1000, (1 << 64) - 1) + CFA)
    (result,) = findings(verdict_on(frame_file(common=long)))
    assert (result.severity, result.rule) == ("error", "inverted-range")
    assert "ends beyond the address space" in result.message


@pytest.mark.parametrize(("column", "expected"), [(16, []), (31, ["unknown-register"])])
def test_the_column_of_the_return_address(column: int, expected: list[str]) -> None:
    """Appendix A of LLVM's AMDGPU Usage: 31 is no register."""
    verdict = verdict_on(frame_file(CFA, common=cie(column=column)))
    assert [rule for _, rule in rules(verdict)] == expected


@pytest.mark.parametrize(
    ("column", "code", "of_fde", "message"),
    [
        (PC, KERNEL, b"", None),
        (EXEC, KERNEL, b"",
         "the return address column is 17 (exec), without a rule, and pc has one"),
        (EXEC, KERNEL, ADVANCE + rule(OFFSET, EXEC, 2), None),
        (EXEC, CFA, b"", None),  # nor has pc
        (S30, CFA, b"", "the return address column is 62: s30 has 32 bits, and an address 64"),
    ],
)  # fmt: skip
def test_a_column_that_cannot_be_meant(
    column: int, code: bytes, of_fde: bytes, message: str | None
) -> None:
    common = cie(code, column=column)
    found = findings(verdict_on(frame_file(of_fde, common=common)))
    if message is None:
        found = [one for one in found if one.rule == "return-column"]
    assert [one.message for one in found] == ([message] if message else [])


RBX, RIP, R11 = 3, 16, 11


@pytest.mark.parametrize(
    ("column", "of_fde", "expected"),
    [
        (RBX, b"", []),  # functions preserve it
        (R11, b"", [("warning", "return-column")]),
        (R11, rule(SAME, R11), []),
        (R11, ADVANCE + rule(OFFSET, R11, 2), []),  # where it also is by the machine's column
    ],
)
def test_a_column_that_functions_preserve_needs_no_rule(
    column: int, of_fde: bytes, expected: list[tuple[str, str]]
) -> None:
    """As of hand-written code that has popped its return address."""
    common = cie(def_cfa(7, 8) + rule(OFFSET, RIP, 2), column=column)
    verdict = verdict_on(frame_file(of_fde, common=common, machine=X86_64))
    assert rules(verdict) == expected


@pytest.mark.parametrize("flags", [0x30, 0x41])
def test_where_the_cfa_is_counts_on_both_wave_sizes(flags: int) -> None:
    """gfx900, and gfx1100 of an unknown wave size."""
    broken = PRIVATE_CFA + by_expression(EXPRESSION, S33, "plus_uconst 8")
    data = bytearray(frame_file(broken, broken + ADVANCE + CFA))
    data[48:52] = words(flags, size_bytes=4)
    found = findings(verdict_on(bytes(data)))
    assert [finding.rule for finding in found] == ["wrong-kind"] * 2  # once for each FDE
    assert found[0].message == (
        "in the rule of SGPR33, with the CFA in private_wave: DW_OP_plus_uconst: a value is "
        "required as the augend, not a location description that converts to no value"
    )


def test_a_column_of_a_pair_of_registers() -> None:
    """ptxas names R20, the first of a pair, for the return address of a device function."""
    machine = architecture("sm_90")
    assert return_column_fault(machine, 0x500_0014) is None
    assert not needs_rule(machine, 0x500_0014)


def test_cubins_have_no_return_address() -> None:
    assert rules(fixture_verdict("nvidia/axpy.sm_90.cubin")) == []


def test_address_size_of_a_cie() -> None:
    verdict = verdict_on(frame_file(common=cie(address_size=4)))
    assert rules(verdict) == [("error", "address-size")]


def test_overlapping_fdes() -> None:
    overlapping = frame_file(CFA, CFA, starts=(0x1000, 0x103C))
    (result,) = findings(verdict_on(overlapping))
    assert (result.rule, result.severity) == ("overlapping-fdes", "warning")
    assert "[0x103c,0x107c) overlaps the FDE at" in result.message
    assert rules(verdict_on(frame_file(CFA, CFA, starts=(0x1000, 0x1040)))) == []


@pytest.mark.parametrize(
    ("start", "is_beyond"),
    [(0x1000, False), (0, False), (0x1000_0000, True), (2**64 - 0x41, True)],
)
def test_an_fde_behind_the_file(start: int, is_beyond: bool) -> None:
    """`bt` says that the function has no frame information."""
    found = findings(verdict_on(frame_file(CFA, starts=(start,))))
    assert [one.rule for one in found] == [BEHIND] * is_beyond
    if is_beyond:
        assert found[0].message.endswith("is behind all of the file")


@pytest.mark.parametrize(
    ("start", "code_bytes", "file_type", "is_outside"),
    [
        (0x1000, 0x40, ET_DYN, False),
        (0x1000, 0x3F, ET_DYN, True),
        (0, 0x3F, ET_REL, True),  # as Free Pascal writes them
        (0, 0x3F, ET_DYN, False),  # of code that the linker dropped
    ],
)
def test_an_fde_that_ends_behind_its_code(
    start: int, code_bytes: int, file_type: int, is_outside: bool
) -> None:
    sections: dict[str, bytes | Content] = {
        ".text": evolve(CODE, data=bytes(code_bytes), address=start),
        ".data": Content(bytes(0x40), flags=SHF_ALLOC, address=start + code_bytes),
        ".debug_frame": cie() + cfi_entry(bytes(4), words(start, 0x40) + CFA),
    }
    found = findings(verdict_on(elf(sections, type=file_type)))
    assert [one.rule for one in found] == [BEHIND] * is_outside
    if is_outside:
        assert (
            found[0].message == f"[{start:#x},{start + 0x40:#x}) begins in code, and ends in none"
        )


def test_fdes_of_dropped_code_do_not_overlap() -> None:
    assert rules(verdict_on(frame_file(CFA, CFA, starts=(0, 0x10)))) == []


def test_an_entry_that_cannot_be_read_costs_only_itself() -> None:
    broken = cie() + cfi_entry(b"\x77\0\0\0", words(0x1000, 0x40))
    verdict = verdict_on(frame_file(CFA + RECALL, common=broken))
    assert rules(verdict) == [("error", "unreadable-cfi"), ("error", "unbalanced-state")]


def test_a_code_alignment_factor_of_0_is_a_finding() -> None:
    common = cie(code_alignment=0)
    assert rules(verdict_on(frame_file(CFA, common=common))) == [("warning", "ill-formed-cfi")]
    assert rules(verdict_on(frame_file(common=common))) == []  # no FDE uses it


@pytest.mark.parametrize(("count", "fdes"), [(1, "1 FDE"), (2, "2 FDEs")])
def test_an_unknown_augmentation_is_a_finding(count: int, fdes: str) -> None:
    verdict = verdict_on(frame_file(*[CFA + RECALL] * count, common=UNKNOWN))
    (result,) = findings(verdict)
    assert (result.severity, result.rule) == ("warning", "unknown-augmentation")
    assert result.message == (f"the augmentation 'xyz' is unknown, and so are the rules of {fdes}")
    assert (result.position.kind, result.position.offset) == ("CIE", 0)
    assert verdict.findings.skipped == []


@pytest.mark.parametrize("text", [b"", b"[amd:v0.0]", b"[llvm:v0.0]"])
def test_augmentations_that_add_no_fields_are_known(text: bytes) -> None:
    common = cfi_entry(b"\xff" * 4, b"\x04" + text + b"\0\x08\0\x01\x04\x10")
    assert rules(verdict_on(frame_file(KERNEL, common=common))) == []


@pytest.mark.parametrize(
    ("augmentation", "user", "expected"),
    [
        (b"", b"\xe1", [("warning", "unknown-operation")]),  # --quirk legacy-augmentation reads it
        (b"", b"\xe9\2", []),
        (b"[llvm:v0.0]", b"\xe1", []),
        (b"[llvm:v0.0]", b"\xe9\2", []),
    ],
)
def test_expressions_have_the_dialect_of_their_cie(
    augmentation: bytes, user: bytes, expected: list[tuple[str, str]]
) -> None:
    """As frames have it: they belong to no unit."""
    head = b"\x04" + augmentation + b"\0\x08\0\x01\x04\x10"
    code = b"\x0f" + block(b"\x30\x36" + user) + rule(UNDEFINED, PC)  # form_aspace_address
    section = cfi_entry(b"\xff" * 4, head) + cfi_entry(bytes(4), words(0x1000, 0x40) + code)
    producer = b"AMD clang version 15.0.0 (https://github.com/RadeonOpenCompute)\0"
    shape = Shape(COMPILE_UNIT, ((PRODUCER, STRING),))
    with_unit = info_file([shape], b"\x01" + producer, {".debug_frame": section})
    assert rules(verdict_on(with_unit)) == expected
    without_unit = elf({".text": CODE, ".debug_frame": section}, AMDGPU)
    assert rules(verdict_on(without_unit)) == expected
    forced = [] if user == b"\xe1" else [("error", "cut-short")]
    assert rules(verdict_on(with_unit, "amd-direct-16")) == forced


def test_the_instruction_is_marked() -> None:
    (result,) = findings(verdict_on(frame_file(CFA + ADVANCE + RECALL + NOP)))
    assert result.excerpt is not None
    assert result.excerpt.marked == 2
    assert result.excerpt.steps[:3] == (
        "DW_CFA_LLVM_def_aspace_cfa: SGPR32 +0 in addrspace6",
        "DW_CFA_advance_loc: 4 to 0x1004",
        "DW_CFA_restore_state",
    )
    assert (result.position.kind, result.position.span) == ("FDE", (0x1000, 0x1040))


@pytest.mark.parametrize(
    ("code", "marked"),
    [
        (CFA + ADVANCE + def_cfa(S32), "DW_CFA_def_cfa: SGPR32 +0"),
        (CFA + rule(REGISTER, PC, EXEC) + ADVANCE + rule(REGISTER, PC, S30) + ADVANCE
         + rule(REGISTER, PC, S31), "DW_CFA_register: PC_REG SGPR30"),
    ],
)  # fmt: skip
def test_the_instruction_that_gave_the_rule_is_marked(code: bytes, marked: str) -> None:
    """An earlier one about the same register is not at fault, nor is a later one."""
    result = findings(verdict_on(frame_file(code)))[0]
    assert result.excerpt is not None
    assert result.excerpt.marked is not None
    assert result.excerpt.steps[result.excerpt.marked] == marked


def test_a_row_is_named_by_its_locations() -> None:
    (result,) = findings(verdict_on(frame_file(CFA + ADVANCE + def_cfa(S32))))
    assert result.position.span == (0x1004, 0x1040)
    assert result.message.startswith("register SGPR32 of 32 bits is narrower than the 64-bit")


def test_a_saved_register_without_cfa_on_a_cpu() -> None:
    """The rules need no GPU: RBP saved, and no CFA (x86-64)."""
    common = cfi_entry(b"\xff" * 4, b"\x04\0\x08\0\x01" + encode_sleb(-8) + b"\x10")
    code = rule(OFFSET, 6, 2)
    verdict = verdict_on(frame_file(code, common=common, machine=X86_64))
    assert rules(verdict) == [("error", "lost-cfa")]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (rule(OFFSET, 3, 1), "RIP and RBX are both saved at CFA-8"),  # a push without its +16
        (b"\x0e\x10" + rule(OFFSET, 3, 2), None),
        (rule(OFFSET, 3, 2) + rule(OFFSET, 6, 2) + ADVANCE + b"\xc3" + rule(OFFSET, 12, 1),
         "RBX and RBP are both saved at CFA-16"),
        (rule(OFFSET, 3, 2) + rule(VAL_OFFSET, 6, 2), None),
        (rule(OFFSET, 3, 2) + b"\xc3" + rule(OFFSET, 6, 2), None),  # restored in between
    ],
)  # fmt: skip
def test_two_registers_at_one_place_on_a_cpu(code: bytes, expected: str | None) -> None:
    start = b"\x0c\x07\x08\x90\x01"
    common = cfi_entry(b"\xff" * 4, b"\x04\0\x08\0\x01" + encode_sleb(-8) + b"\x10" + start)
    results = findings(verdict_on(frame_file(code, common=common, machine=X86_64)))
    assert [result.message for result in results] == ([] if expected is None else [expected])
    assert {(result.rule, result.severity) for result in results} <= {("shared-place", "warning")}


@pytest.mark.parametrize(
    ("factor", "code", "expected"),
    [
        (-4, rule(OFFSET, 3, 3), "RIP is saved at CFA-8, within the 8 bytes of RBX at CFA-12"),
        (-4, rule(OFFSET, 3, 4), None),
        (-4, rule(OFFSET, 3, 4) + ADVANCE + rule(OFFSET, 6, 5),
         "RBX is saved at CFA-16, within the 8 bytes of RBP at CFA-20"),
        (-4, rule(OFFSET, 17, 4), None),  # XMM0, perhaps the lowest 8 bytes of it
        (-4, rule(OFFSET, 64, 3), None),  # MXCSR has 4 bytes
    ],
)  # fmt: skip
def test_a_register_within_another_on_a_cpu(factor: int, code: bytes, expected: str | None) -> None:
    """The RIP is at CFA-8."""
    start = b"\x0c\x07\x08\x90\x02"
    common = cfi_entry(b"\xff" * 4, b"\x04\0\x08\0\x01" + encode_sleb(factor) + b"\x10" + start)
    results = findings(verdict_on(frame_file(code, common=common, machine=X86_64)))
    assert [result.message for result in results] == ([] if expected is None else [expected])
    assert {(result.rule, result.severity) for result in results} <= {("shared-place", "warning")}


def test_registers_at_one_place_on_a_gpu() -> None:
    """The pc and the pair of scalar registers that holds it."""
    code = CFA + rule(OFFSET, PC, 1) + rule(OFFSET, S30, 1) + rule(OFFSET, S31, 2)
    assert rules(verdict_on(frame_file(code))) == []


def test_a_cie_without_the_offset_of_its_cfa() -> None:
    """GNU as for RISC-V and LLVM for MIPS write it; every debugger takes the offset as 0."""
    common = cfi_entry(b"\xff" * 4, b"\x04\0\x08\0\x01" + encode_sleb(-8) + b"\x10\x0d\x07")
    made = frame_file(rule(OFFSET, 6, 2) + b"\x0e\x10", common=common, machine=X86_64)
    assert rules(verdict_on(made)) == [("warning", "lost-cfa")]
    frames = debug_info(made).call_frames
    row = frames.row_at(0x1000)
    assert row is not None and row.cfa == RegisterCfa(7, 16)
    assert [note.partition(": ")[2] for note in frames.notes] == [
        "the CIE at 0x0 of .debug_frame gives the CFA a register and no offset: it is taken as 0"
    ]


@pytest.mark.parametrize(
    ("second", "starts", "location", "is_noted"),
    [
        (CFA + rule(OFFSET, 6, 2), (0x1000, 0x1020), 0x1020, True),
        (CFA + rule(OFFSET, 6, 2), (0x1000, 0x1020), 0x101F, False),  # only the first covers it
        (CFA + rule(OFFSET, 6, 2), (0x1000, 0x1020), 0x1040, False),  # only the second
        (CFA + rule(OFFSET, 6, 2), (0x1000, 0x1040), 0x1040, False),
        (CFA + rule(OFFSET, 6, 2), (0x1000, 0x1000), 0x1010, True),
        (CFA + rule(OFFSET, 6, 2), (0xFE0, 0x1000), 0x1010, False),  # no code is at 0xfe0
        (CFA, (0x1000, 0x1020), 0x1020, False),  # the same rules
    ],
)
def test_fdes_that_disagree(
    second: bytes, starts: tuple[int, int], location: int, is_noted: bool
) -> None:
    """One location has one row (A.6.4.1)."""
    frames = debug_info(frame_file(CFA, second, starts=starts)).call_frames
    assert frames.row_at(location) is not None
    notes = [note.partition(": ")[2] for note in frames.notes]
    first, last = (f"[{start:#x},{start + 0x40:#x})" for start in starts)
    assert len(notes) == is_noted
    for note in notes:
        assert note.startswith(f"FDEs of .debug_frame disagree about {location:#x}: that of {last}")
        assert f"is used, not that of {first} at 0x" in note


@pytest.mark.parametrize(
    ("code", "location", "reason"),
    [
        (CFA + rule(OFFSET, 20, 4), 0x1000, "gfx942 defines no DWARF register 20"),
        (
            CFA + rule(OFFSET, 1538, 4),
            0x1000,
            "gfx942 defines no DWARF register 1538: it is VGPR2 in wave32, and the wave has 64 "
            "lanes",
        ),
        (CFA + ADVANCE + rule(OFFSET, 20, 4), 0x1003, None),  # of the next row
        (CFA + ADVANCE + rule(OFFSET, 20, 4), 0x1004, "gfx942 defines no DWARF register 20"),
        (
            CFA + b"".join(rule(OFFSET, number, 4) for number in range(20, 30)),
            0x1000,
            "gfx942 defines no DWARF register 20, 21, 22, 23, 24, 25, 26, 27 and 2 more",
        ),
        (CFA + rule(UNDEFINED, PC), 0x1000, None),
        (CFA + b"\x02\x44", 0x1000, "a row begins at 0x1044, after its end"),
        (CFA + b"\x02\x40", 0x1000, None),  # at the end itself, as linkers leave it
        (CFA + ADVANCE + CFA_OFFSET + b"\x02\x44", 0x1000, None),
        (CFA + ADVANCE + CFA_OFFSET + b"\x02\x44", 0x1004, "a row begins at 0x1048, after its end"),
        (CFA + ADVANCE + 12 * NOP, 0x1003, None),
        (CFA + ADVANCE + 12 * NOP, 0x1004, "zeros replaced instructions from 0x1004 on"),
        (CFA + ADVANCE + 8 * NOP + ADVANCE, 0x1003, None),
        (CFA + ADVANCE + 8 * NOP + ADVANCE, 0x1008, "zeros replaced instructions from 0x1004 on"),
        (
            CFA + ADVANCE + 8 * NOP + rule(OFFSET, 20, 4),
            0x1004,
            "gfx942 defines no DWARF register 20",
        ),
    ],
)
def test_rows_of_a_damaged_fde(code: bytes, location: int, reason: str | None) -> None:
    """Consumers skip what `check` names: a frame by such a row may be wrong."""
    frames = debug_info(frame_file(code)).call_frames
    assert frames.row_at(location) == frames.row_at(location) is not None
    expected = [] if reason is None else [reason]
    assert [note.partition("frames by it wrong: ")[2] for note in frames.damage] == expected
    assert frames.notes == []
    for note in frames.damage:
        assert ": the FDE of [0x1000,0x1040) at 0x" in note and " of .debug_frame may be" in note


def test_many_registers_that_no_machine_has() -> None:
    """The CIE has the rules: with 40 entries each was looked up 40 times."""
    codes = [rule(UNDEFINED, S30)] * 40

    def asked(count: int) -> Callable[[], object]:
        common = cie(CFA + b"".join(rule(OFFSET, 4000 + n, 4) for n in range(count)))
        frames = debug_info(frame_file(*codes, common=common)).call_frames
        assert frames.row_at(0x1000) is not None  # the CIE is read
        return lambda: [frames.row_at(0x1000 + 0x40 * n) for n in range(1, len(codes))]

    few, many = calls_of(asked(1)), calls_of(asked(1000))
    assert many < 1.2 * few


def test_rules_that_many_addresses_share_are_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each frame of a stack has its own address, in one row with the rules of 60,000 registers."""
    looked = []
    look = CallFrames._look_for_undefined

    def counted(frames: CallFrames, cie: Cie, rules: Rules) -> str | None:
        looked.append(rules)
        return look(frames, cie, rules)

    monkeypatch.setattr(CallFrames, "_look_for_undefined", counted)
    code = CFA + b"".join(rule(OFFSET, 4000 + n, 4) for n in range(10))
    frames = debug_info(frame_file(code)).call_frames
    rows = [frames.row_at(0x1000 + n) for n in range(0x40)]
    assert len(looked) == 1 and all(row is not None and row.rules is looked[0] for row in rows)
    (note,) = frames.damage
    assert note.endswith(
        "defines no DWARF register 4000, 4001, 4002, 4003, 4004, 4005, 4006, 4007 and 2 more"
    )


def test_cached_rows_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By their rules: entries that change one rule of many copy the others."""
    monkeypatch.setattr(cfi_rows_by_pc, "_MAX_RULES", 100)
    common = cie(CFA + b"".join(rule(OFFSET, V0 + n, 4) for n in range(60)))
    frames = debug_info(frame_file(*[rule(UNDEFINED, S30)] * 10, common=common)).call_frames
    section, rows = frames.sections[0], []
    for fde in section.fdes:
        rows.append(frames.row_at(fde.initial_location))
        assert frames.row_at(fde.initial_location) == rows[-1] is not None
    tables = [frames.table(section, fde) for fde in section.fdes]
    assert frames.table(section, section.fdes[0]) is not tables[0]  # it was forgotten
    assert frames.table(section, section.fdes[0]).rows == tables[0].rows


def test_entries_of_many_rules_do_not_take_turns_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a stack whose frames are alternately of two of them."""
    for name, most in (("_MAX_RULES", 100), ("_MANY_RULES", 50), ("_MAX_AGAIN", 2000)):
        monkeypatch.setattr(cfi_rows_by_pc, name, most)
    many = CFA + b"".join(rule(OFFSET, V0 + n, 4) for n in range(60))
    frames = debug_info(frame_file(many, many, CFA)).call_frames
    section = frames.sections[0]
    first, second, small = section.fdes
    for _ in range(5):
        assert frames.table(section, first).rows and frames.table(section, second).rows
    with pytest.raises(LimitExceeded, match="take turns"):
        for _ in range(20):
            frames.table(section, first)
            frames.table(section, second)
    assert frames.table(section, small).rows


@pytest.mark.parametrize(
    ("code", "is_zeroed"), [(CFA + ADVANCE + 7 * NOP, False), (CFA + 8 * NOP, True)]
)
def test_nops_at_the_end_of_an_entry(code: bytes, is_zeroed: bool) -> None:
    """An entry of another size than a multiple of 8 was aligned once, with up to 7 of them."""
    content = bytes(4) + words(0x1000, 0x40) + code
    entry = len(content).to_bytes(4, "little") + content
    expected = [("warning", "unreadable-cfi")] if is_zeroed else []
    assert len(entry) % 8 == 4
    assert rules(verdict_on(frame_file(common=cie() + entry))) == expected


@pytest.mark.parametrize(("alignment", "is_zeroed"), [(8, True), (32, False), (None, False)])
def test_nops_that_align_a_part_of_a_section(alignment: int | None, is_zeroed: bool) -> None:
    """BFD ld aligns the next input section with those of the last entry before it."""
    data = cie() + cfi_entry(bytes(4), words(0x1000, 0x40) + CFA + 24 * NOP)
    [fde] = FrameSection(".debug_frame", data, alignment=alignment).fdes
    assert (fde.first_zeroed(fde.program) is not None) is is_zeroed


OF_GO = b"\x0c\x20\x00" + b"\x08\x21" + b"\x14\x20\x00"
"""DW_CFA_def_cfa, DW_CFA_same_value, DW_CFA_val_offset."""


@pytest.mark.parametrize(
    ("code", "size_bytes", "is_zeroed"),
    [(OF_GO, 36, False), (OF_GO, 40, True), (OF_GO, 44, True), (CFA, 36, True)],
)
def test_zeros_at_the_end_of_a_cie(code: bytes, size_bytes: int, is_zeroed: bool) -> None:
    """Go's linker gives every CIE 32 bytes after its length, where a register has the return
    address."""
    content = cie(code)[4:].rstrip(NOP).ljust(size_bytes - 4, NOP)
    common = len(content).to_bytes(4, "little") + content
    found = rules(verdict_on(frame_file(NOP, common=common)))
    assert (("warning", "unreadable-cfi") in found) is is_zeroed


def test_zeros_in_the_instructions_of_a_cie() -> None:
    """Rows of all its FDEs lack something; the finding is about the CIE alone."""
    common = cie(CFA + 8 * NOP + rule(UNDEFINED, S30))
    data = frame_file(NOP, rule(UNDEFINED, S31), common=common)
    assert rules(verdict_on(data)) == [("warning", "unreadable-cfi")]
    frames = debug_info(data).call_frames
    for location in (0x1000, 0x1050):
        assert frames.row_at(location) is not None
    notes = [note.partition("frames by it wrong: ")[2] for note in frames.damage]
    assert notes == [f"zeros replaced instructions from {at:#x} on" for at in (0x1000, 0x1040)]


def test_a_frame_by_a_damaged_fde(tmp_path: Path) -> None:
    """Zeros in the FDE of one function: the values of its callers are those of others."""
    data = bytearray(read_fixture("asm/chain_flat.gfx942.v5.co"))
    at = ObjectFile("", bytes(data)).sections_by_name[".debug_frame"].offset + 0x140
    data[at : at + 8] = bytes(8)
    document = json.loads((FIXTURES / "states/chain_flat.gfx942.json").read_text())
    (tmp_path / "k.co").write_bytes(data)
    document["code_objects"][0]["path"] = "k.co"
    (state := tmp_path / "s.json").write_text(json.dumps(document))
    note = (
        "k.co: the FDE of [0x1958,0x1984) at 0x110 of .debug_frame may be damaged, and frames by "
        "it wrong: gfx942 defines no DWARF register 20"
    )
    asked = ("--state", state, "--lane", 1)
    for command in (("bt",), ("eval", "a", "--frame", 11), ("explain", "a", "--frame", 11)):
        done = run(*command, *asked)
        assert done.status == 0 and done.err.count(note) == 1
        assert note in run(*command, *asked, "--json").out
    assert note not in run("eval", "a", "--frame", 1, *asked).err
    prompt = ("-ex", "lane 1", "-ex", "frame 11", "-ex", "print a")
    assert run("debug", "--state", state, "--batch", *prompt).err.count(note) == 1


def test_dropped_code_in_a_file_that_is_linked_at_0() -> None:
    """As firmware is: a linker leaves 0 as the address of what it drops."""
    section = cie()
    for start, code in ((0, CFA + rule(OFFSET, 6, 2)), (0x20, CFA)):
        section += cfi_entry(bytes(4), words(start, 0x40) + code)
    text = Content(bytes(0x400), flags=ALLOCATED_CODE, address=0)
    frames = debug_info(elf({".text": text, ".debug_frame": section})).call_frames
    assert frames.row_at(0x20) is not None and frames.notes == []


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({}, []),
        ({1: [2], 2: [3]}, []),
        ({1: [1]}, [1, 1]),
        ({1: [2], 2: [3], 3: [2]}, [2, 3, 2]),
        ({1: [2, 3], 2: [4], 3: [4], 4: []}, []),
        ({5: [6], 1: [2], 2: [1]}, [1, 2, 1]),
    ],
)
def test_first_cycle(edges: dict[int, list[int]], expected: list[int]) -> None:
    assert first_cycle(edges) == expected


def test_clangs_empty_fdes() -> None:
    verdict = fixture_verdict("hip/call.gfx942.O2.v5.co")
    assert findings(verdict) == []
    notes = [finding for finding in verdict.findings.kept if finding.rule == "empty-fde"]
    assert [(note.severity, note.position.name) for note in notes] == [
        ("note", "inner"), ("note", "outer"), ("note", "call"),
    ]  # fmt: skip
    assert notes[0].message.endswith(", as upstream LLVM up to 22 writes them for AMD GPUs")


@pytest.mark.parametrize(
    ("compiler", "severity"),
    [(b"Debian ", "note"), (b"xx AMD ", "warning"), (b"no name", "warning")],
)
def test_empty_fdes_of_code_without_units(compiler: bytes, severity: str) -> None:
    """`.comment` names the compiler."""
    data = read_fixture("hip/call.gfx942.O2.v5.co").replace(b".debug_info\0", b".xebug_info\0")
    name = b"Debian clang version 19"
    changed = compiler + name[7:] if compiler != b"no name" else b"-" * len(name)
    verdict = verdict_on(data.replace(name, changed))
    inner = [e.severity for e in verdict.findings.kept if e.position.name == "inner"]
    assert inner == [severity]


@pytest.mark.parametrize("version", [4, 5])
def test_a_split_file_names_the_compiler(version: int) -> None:
    """A skeleton has no DW_AT_producer."""
    opened = CodeObject.open(FIXTURES / f"split/gfx942-{version}/nest.co")
    functions = Functions(opened.file, LineLookup(opened.scopes))
    (nest,) = (symbol for symbol in opened.file.symbols if symbol.name == "nest")
    assert functions.has_compiler_without_rows(nest.address)


@pytest.mark.parametrize(
    ("producer", "severity"),
    [
        ("clang version 22.1.8", "note"),
        ("clang version 23.1.0", "warning"),
        ("AMD clang version 19.0.0 (roc-6.3)", "warning"),
        ("triton", "note"),
        ("", "warning"),
    ],
)
def test_whose_empty_fdes_are_mistakes(producer: str, severity: str) -> None:
    data = (FIXTURES / "hip/call.gfx942.O2.v5.co").read_bytes()
    clang = b"Debian clang version 19.1.7 (3~deb12u1)"
    assert data.count(clang) >= 1
    other = f"{producer}\0".encode().ljust(len(clang), b"x")  # another string follows
    verdict = verdict_on(data.replace(clang, other))
    [inner] = [
        finding
        for finding in verdict.findings.kept
        if (finding.position.name, finding.rule) == ("inner", "empty-fde")
    ]
    assert inner.severity == severity


@pytest.mark.parametrize("kernel", ["axpy", "softmax", "matmul"])
def test_a_kernels_rows_begin_after_the_code_that_loads_its_arguments(kernel: str) -> None:
    verdict = fixture_verdict(f"triton/{kernel}.gfx942.co")
    assert findings(verdict) == []
    [note] = [finding for finding in verdict.findings.kept if finding.rule == "lost-cfa"]
    assert (note.severity, note.position.name) == ("note", kernel)
    assert note.message.endswith(", which a kernel does not need: it has no caller")


def test_the_cfa_may_be_left_below_the_result_of_an_expression() -> None:
    alone = verdict_on(frame_file(CFA + by_expression(EXPRESSION, PC, PAIR)))
    assert alone.findings.kept == []
    junk = verdict_on(frame_file(CFA + by_expression(EXPRESSION, PC, f"lit1; {PAIR}")))
    assert [(e.severity, e.rule) for e in junk.findings.kept] == [("note", "entries-left")]


def test_a_note_on_what_a_kernel_does_not_need_has_no_advice() -> None:
    done = run("check", "--notes", FIXTURES / "triton/axpy.gfx942.co")
    assert "no CFA rule at" in done.out and "help:" not in done.out


def test_a_kernel_needs_no_rows() -> None:
    kept = fixture_verdict("hip/call.gfx942.O2.v5.co").findings.kept
    [result] = [
        finding
        for finding in kept
        if finding.position.name == "call" and finding.rule == "empty-fde"
    ]
    assert result.severity == "note"
    assert result.message.endswith(", which a kernel does not need: it has no caller")
    assert result.position.source is not None and result.position.source.file.endswith(
        "hip/call.hip"
    )


FRAMES_OF_C = cfi_entry(bytes(4), b"\1zR\0\1\x78\x10\1\0\x0c\7\x08\x90\1")
"""A CIE of `.eh_frame` with absolute addresses."""


def eh_file(*entries: int | None) -> bytes:
    """A file with FDEs of 0x10 bytes in `.eh_frame`, and an entry of length 0 for each None."""
    data = FRAMES_OF_C
    for start in entries:
        if start is None:
            data += bytes(4)
        else:
            data += cfi_entry(words(len(data) + 4, size_bytes=4), words(start, 0x10) + b"\0")
    return elf({".text": CODE, ".eh_frame": Content(data, flags=SHF_ALLOC, address=0x4000)}, X86_64)


@pytest.mark.parametrize(
    ("entries", "behind"),
    [
        ((0x1000, 0x1010, None), None),
        ((0x1000, 0x1010, None, None), None),
        ((None,), None),
        ((0x1000, None, 0x1010), "1 FDE"),
        ((None, 0x1000, None, 0x1010, None), "2 FDEs"),
    ],
)
def test_an_entry_of_length_0_ends_the_frames_of_exceptions(
    entries: tuple[int | None, ...], behind: str | None
) -> None:
    """Linux Standard Base Core, 10.6.1: g++'s exceptions ended a program at these functions."""
    message = f"an entry of length 0 ends the section before {behind}"
    found = findings(verdict_on(eh_file(*entries)))
    assert [one.message for one in found] == ([] if behind is None else [message])
    assert {(one.severity, one.rule) for one in found} <= {("error", "early-end")}


def test_frames_that_a_table_finds_behind_an_entry_of_length_0() -> None:
    data = bytearray(read_fixture("x86_64/demo.gcc.O2.v5"))
    frames = ObjectFile("", bytes(data)).sections_by_name[".eh_frame"]
    end = frames.offset + frames.size_bytes
    # The first FDE becomes a hole: its length 0, and behind it zeros up to the next entry.
    length = int.from_bytes(data[frames.offset : frames.offset + 4], "little")
    begin = frames.offset + 4 + length
    after = begin + 4 + int.from_bytes(data[begin : begin + 4], "little")
    assert after < end
    data[begin:after] = bytes(after - begin)
    assert ("warning", "early-end") in rules(verdict_on(bytes(data)))
