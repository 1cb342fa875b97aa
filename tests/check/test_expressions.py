"""Each rule about expressions: one that breaks it, and one beside it that keeps it."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.arguments import WrongType, WrongValue
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.check.expressions import ExpressionChecker, PossibleArchitectures, Role
from dwarfgpu.check.finding import Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, MissingContext, Unsupported
from dwarfgpu.expr.dialect.dialect import AMD, UPSTREAM_CLANG, Dialect
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import FORM, GFX942, operations
from tests.dwarf.builder import elf, read_fixture

LOCATION = Role("location")
OF_OBJECT = Role("location", has_object=False)
IN_MEMORY = Role("location", has_object=False, needs_memory=True)
BASE = Role("location", is_frame_base=True, needs_memory=True)
CFI = Role("location", 1, is_cfi=True)

TABLE: list[tuple[str, str, Role, str, str]] = [
    # rule, severity, role, an expression that breaks it, one that keeps it
    ("stack-underflow", "error", LOCATION, "plus", "lit1; lit2; plus"),
    ("stack-underflow", "error", LOCATION, "form_tls_address; const8u 8",
     "const8u 8; form_tls_address"),
    ("stack-underflow", "warning", LOCATION, "lit1; LLVM_push_lane; bra 1; dup; plus",
     "lit1; LLVM_push_lane; bra 0; dup; plus"),
    ("wrong-kind", "error", LOCATION, "LLVM_undefined; lit1; plus", "lit2; lit1; plus"),
    ("wrong-kind", "warning", LOCATION, "regx s3; lit1; plus", "bregx pc, 0; lit1; plus"),
    ("mixed-types", "error", LOCATION, "const_type 0x20, 4, 1 0 0 0; lit1; plus; stack_value",
     "const_type 0x20, 4, 1 0 0 0; dup; plus; stack_value"),
    ("mixed-types", "error", LOCATION, "const_type 0x20, 4, 1 0 0 0; lit1; lt; stack_value",
     "const_type 0x20, 4, 1 0 0 0; dup; lt; stack_value"),
    ("mixed-types", "error", LOCATION, "lit1; lit2; eq; const_type 0x20, 4, 1 0 0 0; ne",
     "lit1; lit2; eq; lit1; ne"),
    ("wrong-result", "error", Role("value"), "lit1; stack_value", "lit1"),
    ("wrong-result", "error", BASE, "lit1; stack_value", "lit1"),
    ("wrong-result", "error", BASE, "regx s30; piece 4; regx s31; piece 4", "regx exec"),
    ("wrong-result", "error", IN_MEMORY, "lit1; stack_value", "lit1"),
    ("wrong-result", "warning", IN_MEMORY, "regx s30", "bregx exec, 0"),
    ("branch-target", "error", LOCATION, ".byte 0x2f, 0x01, 0x00, 0x08, 0x30",
     ".byte 0x2f, 0x00, 0x00, 0x08, 0x30"),
    ("endless-loop", "error", LOCATION, ".byte 0x2f, 0xfd, 0xff", ".byte 0x2f, 0x00, 0x00"),
    ("unreachable", "warning", LOCATION, ".byte 0x2f, 0x01, 0x00, 0x30, 0x31", "lit1; lit0"),
    ("unreachable", "warning", LOCATION, "lit0; lit1; bra 1; lit2; lit3; plus",
     "bregx pc, 0; lit0; plus; deref_size 4; bra 1; nop; lit3"),
    ("unreachable", "warning", LOCATION, "lit0; bra 4; lit2; skip 1; lit3",
     "bregx pc, 0; deref_size 4; bra 4; lit2; skip 1; lit3"),
    ("unknown-operation", "error", LOCATION, ".byte 0x01", ".byte 0x30"),
    ("unknown-operation", "warning", LOCATION, ".byte 0xfe", ".byte 0x30"),
    ("cut-short", "error", LOCATION, ".byte 0x08", ".byte 0x08, 0x01"),
    ("cut-short", "error", LOCATION, ".byte 0xe9", ".byte 0xe9, 0x01, 0x30"),
    ("unknown-register", "error", LOCATION, "regx 9999", "regx v3"),
    ("narrow-base-register", "error", LOCATION, "bregx s3, 0", "bregx pc, 0"),
    ("narrow-base-register", "error", LOCATION, "lit0; LLVM_aspace_bregx s3, 0",
     "lit6; LLVM_aspace_bregx s3, 0"),
    ("narrow-base-register", "error", BASE, "regx s33", "regx exec"),
    ("wide-base-register", "warning", LOCATION, "bregx v3, 0", "bregx pc, 0"),
    ("wide-base-register", "warning", BASE, "regx v5", "regx exec"),
    ("unknown-address-space", "error", LOCATION, "lit0; lit9; LLVM_form_aspace_address",
     "lit0; lit5; LLVM_form_aspace_address"),
    ("narrow-select-mask", "error", LOCATION, "lit0; dup; lit1; LLVM_select_bit_piece 1, 65",
     "lit0; dup; lit1; LLVM_select_bit_piece 1, 64"),
    # EXEC is read from its register
    ("narrow-select-mask", "error", LOCATION,
     "regx v1; regx v2; regx exec; deref_size 8; LLVM_select_bit_piece 32, 65",
     "regx v1; regx v2; regx exec; deref_size 8; LLVM_select_bit_piece 32, 64"),
    ("narrow-select-mask", "error", LOCATION,
     "lit0; dup; addr 0; LLVM_select_bit_piece 1, 65",
     "lit0; dup; addr 0; LLVM_select_bit_piece 1, 64"),
    ("endless-loop", "error", LOCATION, "lit0; skip -4", "lit0; skip 0"),
    ("division-by-zero", "error", LOCATION, "lit1; lit0; div", "lit1; lit1; div"),
    ("undefined-read", "error", LOCATION, "LLVM_undefined; deref", "LLVM_undefined; piece 8"),
    ("outside-storage", "error", LOCATION, "implicit_value 2 1 2; piece 4",
     "implicit_value 2 1 2; piece 2"),
    ("outside-storage", "error", LOCATION, "lit1; stack_value; lit8; LLVM_offset",
     "lit1; stack_value; lit7; LLVM_offset"),
    ("outside-storage", "warning", LOCATION, "regx s3; deref", "regx s3; deref_size 4"),
    ("implicit-pointer", "error", LOCATION, "implicit_pointer 0x20, 0; deref_size 4",
     "implicit_pointer 0x20, 0; deref_size 8"),
    ("no-entry-value", "warning", LOCATION, "entry_value (reg0; nop); stack_value",
     "entry_value (nop; regx pc); stack_value"),
    ("empty-read", "error", LOCATION, "lit0; deref_size 0", "lit0; deref_size 1"),
    ("empty-composite", "error", LOCATION, "lit0; LLVM_extend 0, 4", "lit0; LLVM_extend 1, 4"),
    ("large-composite", "error", LOCATION, "lit0; LLVM_extend 64, 0x4000000000000000",
     "lit0; LLVM_extend 64, 64"),
    ("empty-piece", "warning", LOCATION, "lit0; piece 0", "lit0; piece 1"),
    ("wide-number", "warning", LOCATION, "constu 0x10000000000000000; stack_value",
     "constu 0xffffffffffffffff; stack_value"),
    ("upstream-address-space", "warning", LOCATION, "lit4; lit5; swap; xderef",
     "lit4; lit5; xderef"),
    ("upstream-virtual-base", "warning", Role("location", 1),
     "dup; deref; constu 24; minus; deref; plus",
     "dup; deref; constu 24; minus; deref; LLVM_offset"),
    ("unsupported-operation", "note", LOCATION, ".byte 0xf1, 0, 0, 0, 0, 0, 0, 0, 0, 0",
     "addr 0x10"),
    ("padded-number", "note", LOCATION, ".byte 0x10, 0x81, 0x00", ".byte 0x10, 0x01"),
    ("older-form", "note", LOCATION, ".byte 0x30, 0xe0", ".byte 0x30, 0x9b"),
    ("entries-left", "note", LOCATION, "lit1; lit2", "lit2"),
    ("not-allowed-in-cfi", "error", CFI, "LLVM_push_lane; LLVM_offset", "lit4; LLVM_offset"),
    ("not-allowed-in-cfi", "error", CFI, "call_frame_cfa", "lit4; plus"),
    ("no-object", "warning", OF_OBJECT, "push_object_address; lit4; LLVM_offset",
     "lit4; LLVM_offset_uconst 4"),
    ("fbreg-in-frame-base", "error", BASE, "fbreg 0", "call_frame_cfa"),
]  # fmt: skip


def made_checker() -> ExpressionChecker:
    return ExpressionChecker(
        PossibleArchitectures(ObjectFile("made.co", elf({})), GFX942), Findings()
    )


def faults_of(data: bytes, role: Role, dialect: Dialect = AMD) -> set[tuple[str, str]]:
    checker = made_checker()
    checked = checker.check(data, checker.of(dialect, FORM, role))
    faults = () if checked is None else checked.faults
    return {(fault.finding.rule, fault.finding.severity) for fault in faults}


@pytest.mark.parametrize(("rule", "severity", "role", "broken", "kept"), TABLE)
def test_a_rule_both_ways(rule: str, severity: str, role: Role, broken: str, kept: str) -> None:
    assert (rule, severity) in faults_of(operations(broken), role)
    assert rule not in {name for name, _ in faults_of(operations(kept), role)}
    assert RULES[rule].section


def test_the_place_is_marked() -> None:
    checker, data = made_checker(), operations("lit1; regx s3; plus")
    checked = checker.check(data, checker.of(AMD, FORM, LOCATION))
    assert checked is not None
    (excerpt,) = (fault.excerpt for fault in checked.faults)
    assert excerpt.steps == ("DW_OP_lit1", "DW_OP_regx SGPR3", "DW_OP_plus")
    assert (excerpt.marked, excerpt.offset) == (2, 3)


def test_each_distinct_expression_is_checked_once() -> None:
    checker = made_checker()
    first = checker.check(operations("plus"), checker.of(AMD, FORM, LOCATION))
    assert checker.check(operations("plus"), checker.of(AMD, FORM, LOCATION)) is first
    checker.check(operations("plus"), checker.of(AMD, FORM, Role("location", 2)))
    assert (checker.count, checker.distinct) == (3, 2)


def test_an_unknown_initial_stack_is_never_too_small() -> None:
    assert faults_of(operations("plus"), Role(None, None)) == set()


def test_clangs_frame_base_is_read_as_meant_in_its_dialect() -> None:
    assert faults_of(operations("regx s33"), BASE, UPSTREAM_CLANG) == set()
    assert faults_of(operations("regx s3"), BASE, UPSTREAM_CLANG) == {
        ("narrow-base-register", "error")
    }


def test_a_vector_register_as_base_is_a_mistake_unless_clang_computes_with_it() -> None:
    computed = operations("bregx v3, 0; stack_value")
    assert faults_of(computed, LOCATION) == {("wide-base-register", "warning")}
    assert faults_of(computed, LOCATION, UPSTREAM_CLANG) == set()
    data = operations("bregx v3, 0")
    assert faults_of(data, LOCATION, UPSTREAM_CLANG) == {("wide-base-register", "warning")}


def test_without_a_wave_size_registers_of_both_exist() -> None:
    gfx1100 = elf({}, flags=0x41)
    checker = ExpressionChecker(_machines(gfx1100, "gfx1100"), Findings())
    for number in (1536, 2560):
        assert checker.check(b"\x90" + encode_uleb(number), checker.of(AMD, FORM, LOCATION)) is None
    with_kernels = ExpressionChecker(
        _machines(read_fixture("hip/nest.gfx1100.O2.v5.co"), "gfx1100"), Findings()
    )
    assert (
        with_kernels.check(b"\x90" + encode_uleb(1536), with_kernels.of(AMD, FORM, LOCATION))
        is None
    )
    assert (
        with_kernels.check(b"\x90" + encode_uleb(2560), with_kernels.of(AMD, FORM, LOCATION))
        is not None
    )


def _machines(data: bytes, name: str) -> PossibleArchitectures:
    return PossibleArchitectures(ObjectFile("made.co", data), architecture(name))


def test_the_scalar_in_a_vector_register_of_a_cpu_is_not_a_finding() -> None:
    x86_64 = architecture("x86_64")
    checker = ExpressionChecker(
        PossibleArchitectures(ObjectFile("a", elf({}, 62, 0)), x86_64), Findings()
    )
    checked = checker.check(b"\x81\x00\x9f", checker.of(AMD, FORM, LOCATION))  # breg17 XMM0
    assert checked is not None and not checked.faults


def test_an_expression_that_is_too_long_is_reported_as_skipped() -> None:
    findings = Findings()
    checker = ExpressionChecker(
        PossibleArchitectures(ObjectFile("made.co", elf({})), GFX942), findings
    )
    assert checker.check(b"\x30" * 65_537, checker.of(AMD, FORM, LOCATION)) is None
    [why] = findings.skipped
    assert why == "an expression of 65537 bytes: more than 65536; no option raises it"


def test_a_parameter_on_entry_is_known_to_some_callers() -> None:
    """The check sees no call site: DW_OP_GNU_parameter_ref may have a value."""
    assert not faults_of(operations(".byte 0xfa, 0x20, 0, 0, 0; stack_value"), LOCATION)


@pytest.mark.parametrize(
    ("error", "is_cut"),
    [
        (WrongType("no"), True), (WrongValue("no"), True), (LimitExceeded("no"), True),
        (IllFormed("no"), False), (Unsupported("no"), False), (MissingContext("no"), False),
    ],
)  # fmt: skip
def test_a_fault_of_the_check_makes_it_incomplete(error: DwarfGpuError, is_cut: bool) -> None:
    """Nothing is known of what it did not check; a fault of the file is a finding elsewhere."""
    findings = Findings()
    findings.skip(error)
    assert findings.is_incomplete is is_cut
