"""No file makes the check raise, run away or hide what it left out."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.check.file import Verdict, verify
from dwarfgpu.check.finding import MAX_FINDINGS, Excerpt, excerpt
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, Malformed, MissingContext
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.check.report import report_json, report_lines
from tests.check import test_call_frame_info, test_entries, test_expressions
from tests.check.made import (
    COMPILE_UNIT,
    EXPRLOC,
    SDATA,
    SEC_OFFSET,
    SUBPROGRAM,
    VARIABLE,
    block,
    cie,
    frame_file,
    info_file,
    operations,
    verdict_on,
    words,
)
from tests.check.test_call_frame_info import CFA, S30, rule
from tests.dwarf.builder import X86_64, Content, Shape, read_fixture
from tests.dwarf.builder import elf as elf_file
from tests.work import assert_linear, at_most, calls_of
from tools.bombs.elf import START, TEXT, sized, word
from tools.bombs.model import Files
from tools.bombs.sections import CIE, empty_entries, fde, many_cies, many_fdes

LOCLISTX = 0x22


def checked(data: bytes) -> None:
    """Check a file and report on it."""
    verdict = verdict_on(data)
    result = [True] * len(verdict.findings.kept)
    report_json(verdict, result)
    list(report_lines(verdict, result, has_baseline=False, notes=True, everything=True))


def test_every_rule_is_broken_by_some_test() -> None:
    rows = [
        *((row[0], row[1]) for row in test_expressions.TABLE),
        *((row[0], row[1]) for row in test_entries.TABLE),
        *((row[0], row[1]) for row in test_call_frame_info.TABLE),
    ]
    broken = {name for name, _ in rows} | {
        "ill-formed-cfi", "overlapping-fdes", "bad-iteration-count", "search-table",
        "fde-outside-file", "return-column",
        "bad-reference", "dangling-reference", "unknown-augmentation",
        "wrong-layout", "wrong-class", "newer-form", "outside-table", "value-short-of-type",
        "value-exceeds-type", "repeated-attribute", "unbalanced-entries", "table-header",
        "type-signature", "no-frame-base", "few-lanes", "upstream-lds-offset",
        "call-outside-function", "lost-section", "repeated-string",
        "range-outside-parent", "wrong-sibling", "wrong-index", "overlapping-units",
            "overlapping-code", "shared-place", "missing-attribute", "early-end",
    }  # fmt: skip
    assert broken == set(RULES)
    for name, rule_ in RULES.items():
        severities = {severity for row_name, severity in rows if row_name == name}
        assert not severities or rule_.severity in severities


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["asm/locations.gfx942.v5.co", "hip/data.gfx942.O2.v5.co"])
def test_changed_bytes_never_raise(name: str, seed: int) -> None:
    chance = random.Random(f"{seed} {name}")
    original = read_fixture(name)
    for _ in range(8):
        data = bytearray(original)
        for _ in range(chance.choice((1, 3, 30))):
            data[chance.randrange(64, len(data))] = chance.choice((0, 0xFF, chance.randrange(256)))
        try:
            verdict = verdict_on(bytes(data))
        except DwarfGpuError:
            continue  # the section table itself
        result = [True] * len(verdict.findings.kept)
        report_json(verdict, result)
        list(report_lines(verdict, result, has_baseline=False, notes=True, everything=True))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 200, 1000])
def test_a_file_that_is_cut_short(size: int) -> None:
    with suppress(DwarfGpuError):
        verdict_on(read_fixture("hip/nest.gfx942.O2.v5.co")[:size])


def test_entries_deep_within_one_another() -> None:
    """The function of each is found without a walk up from every one."""
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),), True)]
    one = b"\x02" + block(operations("plus"))
    assert_linear(lambda count: partial(checked, info_file(shapes, b"\x01" + one * count)), 1000)


def test_a_long_list_in_a_function_of_many_ranges() -> None:
    """Each entry is looked up among the ranges, not compared with all."""
    assert_linear(lambda count: partial(checked, long_list(count)), 1000)


def long_list(count: int) -> bytes:
    """A file with a variable of so many location list entries, in as many ranges."""
    pairs = [words(8 * n, 8 * n + 4) for n in range(1, count + 1)]
    ranges = b"".join(b"\x06" + pair for pair in pairs) + b"\0"
    entries = b"".join(b"\x07" + pair + b"\x01\x30" for pair in pairs) + b"\0"
    head = bytes((5, 0, 8, 0)) + bytes(4)
    others = {
        ".debug_loclists": words(len(head) + len(entries), size_bytes=4) + head + entries,
        ".debug_rnglists": words(len(head) + len(ranges), size_bytes=4) + head + ranges,
    }
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(SUBPROGRAM, ((dw.AT_RANGES, SEC_OFFSET),), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, SEC_OFFSET),)),
    ]
    at = words(12, size_bytes=4)
    return info_file(shapes, b"\x01\x02" + at + b"\x03" + at + b"\0\0", others)


def test_findings_beyond_the_most_are_counted() -> None:
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),))]
    one = b"\x02" + block(operations("plus"))
    verdict = verdict_on(info_file(shapes, b"\x01" + one * (MAX_FINDINGS + 5) + b"\0"))
    assert len(verdict.findings.kept) == MAX_FINDINGS
    assert (verdict.findings.dropped, verdict.findings.counts["error"]) == (5, MAX_FINDINGS + 5)
    lines = report_lines(verdict, [True] * MAX_FINDINGS, has_baseline=False, notes=False,
                         everything=False)  # fmt: skip
    assert list(lines)[-1].endswith("5 further findings are only counted")


def test_notes_do_not_hide_errors() -> None:
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),))]
    notes = (b"\x02" + block(operations("lit1; lit2"))) * (MAX_FINDINGS + 5)
    body = b"\x01" + notes + b"\x02" + block(operations("plus")) + b"\0"
    verdict = verdict_on(info_file(shapes, body))
    assert [finding.rule for finding in verdict.findings.kept if finding.severity == "error"] == [
        "stack-underflow"
    ]


def test_many_findings_in_one_frame_entry() -> None:
    """Only what is near a finding is written out."""
    with at_most(40_000_000):
        checked(frame_file(CFA + rule(0x07, 31) * 20_000))


def verdict_with(data: bytes, frame_rules: int) -> Verdict:
    return verify(CodeObject.of(ObjectFile("made", data, FileLimits(frame_rules=frame_rules))))


def test_many_rows_of_many_rules_are_reported_as_skipped() -> None:
    """The rules of all rows count, not only the instructions that make them."""
    codes = [CFA + (b"\x41" + rule(0x08, S30 + n)) * 20 for n in range(20)]
    starts = [0x1000 + 100 * n for n in range(20)]
    few, many = (
        frame_file(
            *codes, common=cie(b"".join(rule(0x07, 2560 + n % rules) for n in range(256))),
            starts=starts,
        )
        for rules in (1, 256)
    )  # fmt: skip
    assert not verdict_with(few, 5_000).findings.skipped
    (why,) = verdict_with(many, 5_000).findings.skipped
    assert why.startswith(".debug_frame FDE at 0x")
    assert why.endswith(": from here on there would be too many register rules (--max-frame-rules)")
    assert not verdict_with(many, 1 << 40).findings.skipped
    limited, whole = (calls_of(partial(verdict_with, many, most)) for most in (5_000, 1 << 40))
    assert 2 * limited < whole


def test_a_section_beyond_the_work_limit_is_reported() -> None:
    data = frame_file(CFA, CFA * 2_000, CFA)
    (why,) = verdict_with(data, 1).findings.skipped
    assert why.endswith("from here on there would be too many register rules (--max-frame-rules)")
    assert not verdict_with(data, 1 << 18).findings.skipped


def test_the_sections_of_a_file_share_the_work_limit() -> None:
    """`.debug_frame` and `.eh_frame`: neither alone is beyond it."""
    codes = (b"\x41\x0e" + bytes((number,)) + b"\x41\x83\2" for number in range(60))
    fdes = [fde(code, START + 16 * n, 16) for n, code in enumerate(codes)]
    old = CIE + b"".join(fdes)
    common = sized(b"\0\0\0\0\1\0\1\x78\x10\x0c\7\x08\x90\1\0\0")
    entries = list[bytes]()
    for one in fdes:
        at = len(common) + sum(map(len, entries))
        entries.append(one[:4] + word(at + 4) + one[8:])
    new = Content(common + b"".join(entries), flags=2, address=0x8000)
    both: dict[str, bytes | Content] = {".debug_frame": old, ".eh_frame": new}
    skipped = []
    for names in ([".debug_frame"], [".eh_frame"], [".debug_frame", ".eh_frame"]):
        data = elf_file({**{name: both[name] for name in names}, **TEXT}, X86_64)
        verdict = verdict_with(data, 4_000)
        assert verdict.fdes == 60 * len(names)
        skipped.append(list(verdict.findings.skipped))
    assert not skipped[0] and not skipped[1], skipped
    (why,) = skipped[2]
    assert why.endswith("from here on there would be too many register rules (--max-frame-rules)")


def test_equal_entries_count_once_for_the_work_limit() -> None:
    """Compilers write the same instructions again and again."""
    starts = [0x1000 + 100 * n for n in range(50)]
    checked_entries = []
    for distinct in (1, 50):
        codes = [CFA + (b"\x41" + rule(0x05, S30, n % distinct)) * 10 for n in range(50)]
        verdict = verdict_with(frame_file(*codes, starts=starts), 200)
        assert verdict.fdes == 50
        checked_entries.append(not verdict.findings.skipped)
    assert checked_entries == [True, False]


@pytest.mark.parametrize("made", [many_fdes, many_cies])
def test_equal_entries_without_findings_cost_few_calls(made: Callable[[int], Files]) -> None:
    """They are read, and not executed again."""
    work = []
    for count in (10, 100, 1_000):  # the first check imports modules
        file = CodeObject.of(ObjectFile("made", made(count)["bomb"]))
        work.append(calls_of(lambda checked=file: verify(checked, frozenset({"lost-cfa"}))))
    assert work[2] < work[1] + 25 * 900, work


def test_unreadable_entries_count_for_the_work_limit() -> None:
    """An entry of 12 bytes takes as long as others of hundreds."""
    data = empty_entries(200)["bomb"]
    findings = verdict_with(data, 4_000).findings
    (why,) = findings.skipped
    assert why.endswith("from here on there would be too many register rules (--max-frame-rules)")
    assert 50 < findings.counts["error"] < 200
    assert not verdict_with(data, 8_000).findings.is_incomplete


def test_findings_beyond_the_maximum_are_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither they nor their FDEs are made."""
    monkeypatch.setattr("dwarfgpu.check.finding.MAX_FINDINGS", 5)
    work = []
    for count in (10, 100, 1_000):  # the first check imports modules
        file = CodeObject.of(ObjectFile("made", many_fdes(count)["bomb"]))
        verdicts: list[Verdict] = []
        work.append(calls_of(lambda checked=file, into=verdicts: into.append(verify(checked))))
        findings = verdicts[0].findings
        assert (len(findings.kept), findings.counts.total()) == (5, count - 1)
    assert work[2] < work[1] + 25 * 900, work


def test_a_chain_of_registers_is_not_a_recursion() -> None:
    numbers = [*range(2560, 2816), *range(3072, 3328)]
    chain = b"".join(rule(0x09, a, b) for a, b in pairwise(numbers))
    verdict = verdict_on(frame_file(CFA + chain + rule(0x09, numbers[-1], numbers[0])))
    assert [finding.rule for finding in verdict.findings.kept] == ["register-cycle"]


def test_an_excerpt_is_short() -> None:
    steps = [f"step {n}" for n in range(1000)]
    result = excerpt(steps, 500)
    assert result.steps[0] == result.steps[-1] == "…"
    assert result.marked is not None and result.steps[result.marked] == "step 500"
    assert len(result.steps) == 15
    assert excerpt(["x" * 500], 0) == Excerpt(("x" * 120 + "…",), 0)
    assert excerpt(["a", "b"], 2, 9) == Excerpt(("a", "b"), 2, 9)


def test_a_number_of_many_bits_is_one_line(tmp_path: Path) -> None:
    huge = b"\x10" + b"\xff" * 4000 + b"\x01"
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),))]
    data = info_file(shapes, b"\x01\x02" + encode_uleb(len(huge)) + huge + b"\0")
    verdict = verdict_on(data)
    assert all(len(finding.message) < 500 for finding in verdict.findings.kept)


def test_a_broken_symbol_table_costs_only_the_wave_size() -> None:
    """The wave size is unknown; the rest is checked."""
    symbols = Content(b"\1" * 24, type=2, link=0x77, entry_bytes=24)
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),))]
    body = b"\x01\x02" + block(operations("plus")) + b"\0"
    verdict = verdict_on(info_file(shapes, body, {".symtab": symbols}))
    assert [finding.rule for finding in verdict.findings.kept] == ["stack-underflow"]


def test_an_unreadable_wave_size_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(file: object, arch: object) -> None:
        raise Malformed("symbols are cut short")

    monkeypatch.setattr("dwarfgpu.check.expressions.other_architecture_of", broken)
    verdict = verdict_on(frame_file(rule(0x07, 31) + b"\x0b"))
    assert verdict.findings.skipped == ["symbols are cut short"]
    assert [finding.rule for finding in verdict.findings.kept] == ["unbalanced-state"]


@pytest.mark.parametrize(
    ("number", "form", "value"),
    [
        (dw.AT_LOCLISTS_BASE, EXPRLOC, b"\1\0"),
        (dw.AT_LOCLISTS_BASE, SDATA, b"\x7f"),
        (dw.AT_ADDR_BASE, SDATA, b"\x7f"),
        (dw.AT_ADDR_BASE, EXPRLOC, b"\1\0"),
        (dw.AT_STMT_LIST, SDATA, b"\x7f"),
        (dw.AT_STMT_LIST, EXPRLOC, b"\1\0"),
        (dw.AT_STMT_LIST, SEC_OFFSET, b"\xff" * 4),
    ],
)
@pytest.mark.parametrize("form_of_list", [SEC_OFFSET, LOCLISTX])
def test_bases_of_any_form(number: int, form: int, value: bytes, form_of_list: int) -> None:
    shapes = [
        Shape(COMPILE_UNIT, ((number, form),), True),
        Shape(VARIABLE, ((dw.AT_LOCATION, form_of_list),)),
    ]
    at = words(12, size_bytes=4) if form_of_list == SEC_OFFSET else b"\0"
    section = words(12, size_bytes=4) + bytes((5, 0, 4, 0)) + bytes(8)
    others = {".debug_loclists": section, ".debug_addr": section, ".debug_line": section}
    verdict_on(info_file(shapes, b"\x01" + value + b"\x02" + at + b"\0", others))


def test_errors_outside_the_file_are_not_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a list of a split unit, whose addresses are in another file."""

    def missing(unit: object, attribute: object, views: object = None) -> None:
        raise MissingContext("the addresses are in another file")

    monkeypatch.setattr("dwarfgpu.dwarf.location_lists.UnitLists.locations_of", missing)
    verdict = verdict_on(test_entries.listed(0x1040, 0x1080))
    assert verdict.findings.kept == []
    assert verdict.findings.skipped == ["the addresses are in another file"]


@pytest.mark.parametrize(("links", "unread"), [(1_000, 0), (1_001, 1), (1_003, 3)])
def test_a_chain_of_types_that_is_not_read_to_its_end(links: int, unread: int) -> None:
    """`eval` shows no value of such a type, so the check says that it did not see its end."""
    first = 13  # the header of the unit, and its entry
    chain = b"".join(b"\2" + words(first + 5 * (n + 1), size_bytes=4) for n in range(links))
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_TYPEDEF, ((dw.AT_TYPE, dw.FORM_REF4),)),
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_BYTE_SIZE, 0x0B), (dw.AT_ENCODING, 0x0B))),
    ]
    verdict = verdict_on(info_file(shapes, b"\1" + chain + b"\3\4\5\0"))
    more = " and 2 others have" if unread == 3 else " has"
    text = (
        f"the type at offset 0xd of .debug_info{more} more than 1,000 types in a chain below: "
        "they are not read to the end"
    )
    assert verdict.findings.skipped == [text] * bool(unread)
    assert verdict.is_incomplete is bool(unread)
    assert not verdict.findings.kept


def test_a_circle_of_types_is_no_chain_that_is_too_long() -> None:
    chain = b"".join(b"\2" + words(13 + 5 * ((n + 1) % 2_000), size_bytes=4) for n in range(2_000))
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_TYPEDEF, ((dw.AT_TYPE, dw.FORM_REF4),)),
    ]
    verdict = verdict_on(info_file(shapes, b"\1" + chain + b"\0"))
    assert not verdict.is_incomplete
    assert [one.rule for one in verdict.findings.kept] == ["wrong-layout"]
