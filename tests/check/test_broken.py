"""fixtures/asm/broken.s has each mistake that the check finds, where its name says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dwarfgpu.check.finding import Finding
from dwarfgpu.service.check.report import finding_lines
from tests.check.made import findings, fixture_verdict
from tests.cli.command import FIXTURES, run

BROKEN = "asm/broken/broken.gfx942.v5.co"
VARIABLE, FDE = "variable", "FDE"

TABLE: list[tuple[str, str, str, str, str]] = [
    # rule, severity, section, kind and name of what is wrong
    ("stack-underflow", "error", "A.2.5.4.3.2", VARIABLE, "stack_underflow"),
    ("stack-underflow", "warning", "A.2.5.4.3.2", VARIABLE, "stack_underflow_on_a_path"),
    ("wrong-kind", "error", "A.2.5.4.3.2", VARIABLE, "wrong_kind"),
    ("mixed-types", "error", "A.2.5.4.3.2", VARIABLE, "mixed_types"),
    ("branch-target", "error", "A.2.5.4.2", VARIABLE, "branch_target"),
    ("endless-loop", "error", "A.2.5.4", VARIABLE, "endless_loop"),
    ("not-allowed-in-cfi", "error", "A.6.4.2", FDE, "not_allowed_in_cfi"),
    ("narrow-base-register", "error", "A.2.5.4.4.3", VARIABLE, "narrow_base"),
    ("narrow-base-register", "error", "A.2.5.4.4.3", FDE, "narrow_base_register"),
    ("wide-base-register", "warning", "A.2.5.4.4.3", VARIABLE, "wide_base"),
    ("wide-base-register", "warning", "A.2.5.4.4.3", FDE, "wide_base_register"),
    ("vendor-attribute", "warning", "A.3.3.5", "label", "vendor_attribute"),
    ("address-size", "error", "A.2.5.1", "unit", "asm/broken.hip"),
    ("pieces-short-of-type", "warning", "A.2.5.4.4.6", VARIABLE, "pieces_short_of_type"),
    ("pieces-exceed-type", "warning", "A.2.5.4.4.6", VARIABLE, "pieces_exceed_type"),
    ("unknown-address-space", "error", "A.2.5.4.4.3", VARIABLE, "unknown_space"),
    ("unknown-address-space", "error", "A.6.4.2.2", FDE, "unknown_address_space"),
    ("unknown-address-space", "error", "A.5.3", "pointer_type", ""),
    ("lanes-missing", "warning", "A.3.3.5", "subprogram", "lanes_missing"),
    ("bad-lane-count", "error", "A.3.3.5", "subprogram", "bad_lane_count"),
    ("narrow-select-mask", "error", "A.2.5.4.4.6", VARIABLE, "narrow_select_mask"),
    ("division-by-zero", "error", "A.2.5.4.3.2", VARIABLE, "division_by_zero"),
    ("undefined-read", "error", "A.2.5.4.3.4", VARIABLE, "undefined_read"),
    ("outside-storage", "error", "A.2.5.4.4.1", VARIABLE, "outside_storage"),
    ("inverted-range", "error", "A.2.5.5", VARIABLE, "inverted_range"),
    ("range-outside-function", "warning", "A.2.5.5", VARIABLE, "range_outside_function"),
    ("lost-cfa", "error", "A.6.4.2.2", FDE, "lost_cfa"),
    ("cfa-not-memory", "error", "A.6.4.2.2", FDE, "cfa_not_memory"),
    ("unbalanced-state", "error", "A.6.4.2.4", FDE, "unbalanced_state"),
    ("location-order", "error", "A.6.4.2.1", FDE, "location_order"),
    ("register-cycle", "error", "A.6.4.1", FDE, "register_cycle"),
    ("register-size", "error", "A.6.4.1", FDE, "register_size"),
    ("empty-fde", "warning", "A.6.4.1", FDE, "empty_fde"),
    ("overlapping-fdes", "warning", "A.6.4.1", FDE, "overlapping_fdes"),
    ("unknown-augmentation", "warning", "A.6.4.1", "CIE", ""),
    ("lost-section", "error", "7.3", "file", ""),  # the kernel lanes_missing is not aligned
]


def row(finding: Finding) -> tuple[str, str, str, str, str]:
    place = finding.position
    return finding.rule, finding.severity, finding.section, place.kind, place.name or ""


def test_each_mistake_is_found_once_and_nothing_else() -> None:
    assert sorted(map(row, findings(fixture_verdict(BROKEN)))) == sorted(TABLE)


def shown(rule: str) -> Iterator[str]:
    for finding in findings(fixture_verdict(BROKEN)):
        if finding.rule == rule and finding.position.kind == "FDE":
            yield from finding_lines(finding)


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        (
            "lost-cfa",
            [
                "error: SGPR30 is saved at an offset from the CFA, and there is no CFA rule "
                "[lost-cfa, A.6.4.2.2]",
                "  FDE lost_cfa, at [0x1644,0x1650) (.debug_frame 0x98)",
                "      DW_CFA_remember_state",
                "      DW_CFA_LLVM_def_aspace_cfa: SGPR32 +0 in addrspace6",
                "      DW_CFA_advance_loc: 4 to 0x1644",
                "      DW_CFA_restore_state",
                "    > DW_CFA_offset_extended: SGPR30 4",
            ],
        ),
        (
            "not-allowed-in-cfi",
            [
                "error: in DW_CFA_expression of SGPR30: DW_OP_LLVM_push_lane: not allowed in "
                "call frame information: call frame instructions act for the whole thread "
                "[not-allowed-in-cfi, A.6.4.2]",
                "  FDE not_allowed_in_cfi, at [0x1630,0x1640) (.debug_frame 0x70)",
                "    DW_OP_LLVM_user DW_OP_LLVM_push_lane, DW_OP_LLVM_user DW_OP_LLVM_offset",
                "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
            ],
        ),
    ],
)
def test_an_fde_is_shown_with_the_place_marked(rule: str, lines: list[str]) -> None:
    assert list(shown(rule)) == lines


def test_each_rule_is_explained_once() -> None:
    lines = run("check", FIXTURES / BROKEN).lines
    text = [line for line in lines if line.startswith("  help: ")]
    assert len(text) == len(set(text)) == len({rule for rule, *_ in TABLE})
