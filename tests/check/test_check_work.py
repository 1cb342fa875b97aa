"""How much a check of a file does: findings that are not shown are not described."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.check import entry_nesting
from dwarfgpu.check import finding as finding_module
from dwarfgpu.check.attributes import ROLES
from dwarfgpu.check.entry_positions import EntryPositions
from dwarfgpu.check.expressions import (
    _OF_PARTS,
    Checked,
    ExpressionChecker,
    PossibleArchitectures,
    Results,
    Role,
)
from dwarfgpu.check.file import verify
from dwarfgpu.check.finding import FindingPosition, Findings
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import section_budget
from dwarfgpu.dwarf import unit as unit_module
from dwarfgpu.dwarf.address_ranges import Range, listed_spans
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import Allowance
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.entry_tree import Tree, read_tree
from dwarfgpu.dwarf.split.contributions import Contributions
from dwarfgpu.expr.bind import prepare_cached
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, DIALECTS, UPSTREAM_CLANG, Dialect
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.static_check.abstract_stack import Transfer
from dwarfgpu.expr.static_check.abstract_value import knowing
from dwarfgpu.expr.static_check.checker import check
from dwarfgpu.expr.static_check.severity import Report
from dwarfgpu.expr.static_check.stack_shape import Shape
from dwarfgpu.expr.steps import Perform
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.objfile.elf import ObjectFile, open_object
from tests.check.made import info_file, rules, verdict_on
from tests.check.test_entries import with_lists
from tests.dwarf import builder
from tests.dwarf.builder import FIXTURES
from tests.work import calls_of
from tools.bombs.elf import CODE_BYTES, INT, OF_INT, OF_UNIT, UNIT, program, units
from tools.bombs.entries import functions, variants
from tools.bombs.sections import indexed_lists

FILE = FIXTURES / "hip/library.gfx90a.O2.v5.co"
"""With more than three findings of some rule."""


def test_hidden_findings_are_counted_and_not_described(monkeypatch: pytest.MonkeyPatch) -> None:
    every = verify(CodeObject.open(FILE)).findings
    described: list[int] = []
    position = EntryPositions.position

    def counted(
        self: EntryPositions, index: int, attribute: str | None, span: Range | None = None
    ) -> FindingPosition:
        described.append(index)
        return position(self, index, attribute, span)

    monkeypatch.setattr(EntryPositions, "position", counted)
    few = verify(CodeObject.open(FILE), most_of_rule=3).findings
    seen: Counter[tuple[str, str]] = Counter()
    first = []
    for finding in every.kept:
        seen[finding.severity, finding.rule] += 1
        if seen[finding.severity, finding.rule] <= 3:
            first.append(finding)
    assert few.kept == first
    assert few.hidden == {rule: count - 3 for rule, count in seen.items() if count > 3} != {}
    assert few.counts == every.counts
    assert few.dropped == every.dropped == 0
    assert len(described) <= len(few.kept)


def test_the_function_of_an_entry_is_the_nearest_subprogram_in_any_order() -> None:
    file = CodeObject.open(FILE)
    unit = max(file.info.units, key=lambda unit: unit.end - unit.offset)
    tree = unit.tree
    nearest: list[int | None] = []
    for index, abbreviation in enumerate(tree.abbreviations):
        above = nearest[tree.parents[index]] if index else None
        nearest.append(index if abbreviation.tag == dw.TAG_SUBPROGRAM else above)
    assert len(set(nearest)) > 3
    rng = Random(19)
    for _ in range(5):
        positions = EntryPositions(unit)
        for index in rng.sample(range(len(nearest)), len(nearest)):
            assert positions.function(index) == nearest[index]


@pytest.mark.parametrize("dialect", [AMD, UPSTREAM_CLANG])
def test_a_straight_expression_is_followed_once(
    monkeypatch: pytest.MonkeyPatch, dialect: Dialect
) -> None:
    followed: list[str] = []
    transfer = Transfer.__call__

    def counted(
        self: Transfer, instruction: Instruction, perform: Perform, shape: Shape, report: Report
    ) -> Shape | None:
        followed.append(instruction.operation.name)
        return transfer(self, instruction, perform, shape, report)

    monkeypatch.setattr(Transfer, "__call__", counted)
    gfx = architecture("gfx90a")
    names = ["regx", "piece"] * 8
    text = "; ".join(f"regx v{n}; piece 4" for n in range(8))
    data = assemble(text, AMD, UnitFormat(), gfx)
    check(data, dialect, UnitFormat(), gfx)
    assert followed == names
    # What follows an operation that fails is not looked at, as no evaluation reaches it.
    followed.clear()
    findings = check(b"\x16" + data, AMD, UnitFormat(), gfx)  # DW_OP_swap of an empty stack
    assert [finding.rule for finding in findings] == ["stack-underflow"]
    assert followed == ["swap"]


def checker_of(arch: Architecture | None) -> ExpressionChecker:
    machines = PossibleArchitectures(CodeObject.open(FILE).file, None)
    machines.architecture = arch
    return ExpressionChecker(machines, Findings())


REGISTERS: Final = [b"\x50", b"\x90\x80\x14", b"\x90\x81\x14", b"\x90\x21", b""]
"""DW_OP_reg0 and DW_OP_regx; nothing makes the part undefined."""
PIECES: Final = [b"\x93\x04", b"\x93\x02", b"\x9d\x08\x00", b"\x93\x08"]
OPERATIONS: Final = [
    b"\x93\x84\x00", b"\x93\x00", b"\x9d\x03\x1f", b"\x93" + b"\x80" * 7 + b"\x10",  # piece
    b"\x90\xff\x3f", b"\x30", b"\x9f", b"\x12", b"\x16", b"\x13", b"\x96", b"\x70\x04",
    b"\x92\x80\x14\x04", b"\xf0", b"\xe9\x0a", b"\xe9\x02", b"\xe1", b"\xe0", b"\x36\x16\x18",
    b"\x32\x16\x18", b"\xa1\x05", b"\xa3\x01\x50", b"\xa5\x80\x14\x2a", b"\xf2\x01\0\0\0\x04",
]  # fmt: skip


@pytest.mark.parametrize("role", [*_OF_PARTS, Role("value"), Role("location", 1)])
@pytest.mark.parametrize("name", ["gfx90a", "x86-64", None])
def test_what_parts_have_by_themselves_they_have_together(role: Role, name: str | None) -> None:
    rng = Random(19)
    checker = checker_of(None if name is None else architecture(name))
    summed = 0
    for number in range(1_000):
        parts = [rng.choice(REGISTERS) + rng.choice(PIECES) for _ in range(rng.randrange(2, 6))]
        if number % 2:
            parts.insert(rng.randrange(len(parts)), rng.choice(OPERATIONS))
        data, dialect = b"".join(parts), rng.choice(list(DIALECTS.values()))
        form = UnitFormat(version=4 + number % 2)
        results = checker.of(dialect, form, role)
        by_parts = checker._by_parts(data, results)
        if by_parts is not None:
            assert by_parts == checker._by_operations(data, results), data.hex()
            summed += 1
    assert (summed > 50) == (role in _OF_PARTS)


def test_parts_are_followed_once_for_all_composites(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[str] = []
    transfer = Transfer.__call__

    def counted(
        self: Transfer, instruction: Instruction, perform: Perform, shape: Shape, report: Report
    ) -> Shape | None:
        if self.arch is not None:  # the extent needs no architecture
            followed.append(instruction.operation.name)
        return transfer(self, instruction, perform, shape, report)

    monkeypatch.setattr(Transfer, "__call__", counted)
    gfx = architecture("gfx90a")
    checker = checker_of(gfx)
    parts = [assemble(f"regx v{n}; piece 4", AMD, UnitFormat(), gfx) for n in range(4)]
    results = checker.of(UPSTREAM_CLANG, UnitFormat(), Role("location"))
    for chosen in permutations(parts):
        checked = checker._check(b"".join(chosen), results)
        assert checked.piece_bits == 128 and not checked.faults
    assert followed == ["regx", "piece"] * 4


def test_parts_for_different_machines_make_no_composite() -> None:
    """A wave has 32 lanes, or 64: no wave has both of these registers."""
    arches = [architecture("gfx1030", lanes) for lanes in (32, 64)]
    checker = checker_of(arches[0])
    checker.architectures._other = arches[1]
    parts = [assemble("regx v0; piece 4", AMD, UnitFormat(), arch) for arch in arches]
    results = checker.of(AMD, UnitFormat(), Role("location"))
    assert not any(checker._check(part, results).faults for part in parts)
    checked = checker._check(b"".join(parts), results)
    assert [fault.finding.rule for fault in checked.faults] == ["unknown-register"]


def facts_of(checked: Checked) -> tuple[object, ...]:
    result = [(fault.finding, fault.excerpt) for fault in checked.faults]
    return result, checked.uses_lane, checked.piece_bits, checked.references


NUMBERS: Final = {0x03: 8, 0x08: 1, 0x09: 1, 0x0A: 2, 0x0B: 2, 0x0C: 4, 0x0D: 4}
"""DW_OP_addr and DW_OP_const1u to DW_OP_const4s: the sizes of their operands."""


@pytest.mark.parametrize("address_size", [4, 8])
@pytest.mark.parametrize("name", ["gfx90a", "x86-64", None])
def test_findings_about_a_number_are_those_about_zero(name: str | None, address_size: int) -> None:
    rng = Random(19)
    checker = checker_of(None if name is None else architecture(name))
    roles = {role for _, role in ROLES.values()} | {
        Role("location", 0, is_cfi=True), Role("value", 1, is_cfi=True)
    }  # fmt: skip
    form = UnitFormat(address_size=address_size)
    for opcode, size in NUMBERS.items():
        for dialect in DIALECTS.values():
            for role in roles:
                data = bytes((opcode,)) + rng.randbytes(address_size if opcode == 3 else size)
                for expression in (data, data + b"\x9f"):
                    results = checker.of(dialect, form, role)
                    checked = checker._check(expression, results)
                    full = checker._by_operations(expression, results)
                    assert facts_of(checked) == facts_of(full)


def test_addresses_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[bytes] = []
    by_operations = ExpressionChecker._by_operations

    def counted(self: ExpressionChecker, data: bytes, results: Results) -> Checked:
        judged.append(data)
        return by_operations(self, data, results)

    monkeypatch.setattr(ExpressionChecker, "_by_operations", counted)
    checker = checker_of(architecture("x86-64"))
    results = checker.of(AMD, UnitFormat(), Role("location"))
    for address in range(100):
        data = b"\x03" + address.to_bytes(8, "little")
        assert checker.check(data, results) is None
        assert checker.check(data + b"\x9f", results) == Checked(generic_bits=64)
    assert judged == [b"\x03" + bytes(8), b"\x03" + bytes(8) + b"\x9f"]
    assert (checker.count, checker.distinct) == (200, 200)
    # What follows may depend on it.
    checker.check(b"\x03" + b"\1" * 8 + b"\x06", results)
    assert judged[-1] == b"\x03" + b"\1" * 8 + b"\x06"


def test_the_location_lists_of_a_unit_are_freed_when_it_is_done() -> None:
    checked, listed = CodeObject.open(FILE), CodeObject.open(FILE)
    assert verify(checked).expressions
    for groups in find_variables(listed.scopes, Wanted()):
        assert any(group.declared for group in groups.groups)
        for group in groups.groups:
            assert all(coverage.problem is None for coverage in group.coverages(Allowance(1 << 30)))
            assert group.unit.lists._locations
    for unit in (*checked.info.units, *listed.info.units):
        assert not unit.lists._locations and not unit.lists._expressions


def test_the_entries_of_a_unit_are_freed_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[int] = Counter()

    def counted(data: bytes, position: int, *rest: Any) -> Tree:
        read[position] += 1
        return read_tree(data, position, *rest)

    monkeypatch.setattr(unit_module, "read_tree", counted)
    listed = CodeObject.open(FILE)
    units, left = listed.info.units, listed.info.sections.budget.entries_left
    for _ in find_variables(listed.scopes, Wanted()):
        pass
    assert read and set(read.values()) == {1}
    assert all("tree" not in vars(unit) for unit in units)
    spent = left - listed.info.sections.budget.entries_left
    for _ in range(3):  # what is asked for again is read once more, then kept, and counted once
        for _ in find_variables(listed.scopes, Wanted()):
            pass
    assert set(read.values()) == {2}
    assert left - listed.info.sections.budget.entries_left == spent


def test_a_second_check_of_a_file_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one check spends of the limits is its own: `debug` may check a file several times."""
    monkeypatch.setattr(section_budget, "ALLOWANCE_BYTES", 0)
    file = CodeObject.open(FILE, limits=FileLimits(dies=250))
    verdicts = [verify(file) for _ in range(4)]
    assert not verdicts[0].is_incomplete
    for again in verdicts[1:]:
        assert again.findings.kept == verdicts[0].findings.kept
        assert (again.is_incomplete, again.entries) == (False, verdicts[0].entries)


def test_programs_of_judged_expressions_are_not_kept() -> None:
    prepare_cached.cache_clear()
    verify(CodeObject.open(FILE))
    for groups in find_variables(CodeObject.open(FILE).scopes, Wanted()):
        for group in groups.groups:
            list(group.coverages(Allowance(1 << 30)))
    assert prepare_cached.cache_info().currsize <= 8


def test_registers_of_call_frame_instructions_are_looked_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: Counter[int] = Counter()
    register = PossibleArchitectures.register

    def counted(self: PossibleArchitectures, number: int) -> RegisterInfo | None:
        looked[number] += 1
        return register(self, number)

    monkeypatch.setattr(PossibleArchitectures, "register", counted)
    possible = PossibleArchitectures(open_object(FILE), architecture("x86-64"))
    assert [possible.lacks(number) for number in (6, 5000) * 50] == [False, True] * 50
    assert looked == {6: 1, 5000: 1}


def test_the_header_of_lists_is_compared_where_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The check of a unit compares it once more: so it is for thousands of lists below it."""
    compared = 0
    check_header = Contributions.check

    def counted(
        self: Contributions, offset: int, address_size: int, *, is_base: bool = False
    ) -> None:
        nonlocal compared
        compared += 1
        check_header(self, offset, address_size, is_base=is_base)

    monkeypatch.setattr(Contributions, "check", counted)
    verdict_on(with_lists(*[8] * 20))
    assert compared == 21


def test_a_context_that_expressions_share_keeps_nothing_of_them() -> None:
    rng = Random(19)
    gfx = architecture("gfx90a")
    expressions = [
        b"".join(rng.choices([*REGISTERS, *PIECES, *OPERATIONS, b"\x06", b"\x94\x04"], k=5))
        for _ in range(400)
    ]
    shared = [check(data, AMD, UnitFormat(), gfx) for data in expressions]
    assert knowing(gfx, UnitFormat()) is knowing(gfx, UnitFormat())
    for data, findings in zip(expressions, shared, strict=True):
        knowing.cache_clear()
        assert check(data, AMD, UnitFormat(), gfx) == findings


def test_damaged_units_cost_few_calls() -> None:
    """A file may have hundreds of thousands: the checks of a unit stop at its first entry."""
    work = []
    for count in (10, 100, 1_000):  # the first check imports modules
        data = builder.elf(
            {".debug_info": builder.unit(b"\5") * count, ".debug_abbrev": b"\1\x11\0\0\0\0"}
        )
        file = CodeObject.of(ObjectFile("damaged", data))
        work.append(calls_of(lambda checked=file: verify(checked)))
    assert work[2] < work[1] + 250 * 900, work


def test_a_unit_without_entries_costs_few_calls(tmp_path: Path) -> None:
    """No tree is made for it, what shows no fault of an abbreviation is found once, and nothing is
    compared with anything else in the unit."""
    work = []
    for count in (1, 100, 1_100):
        path = tmp_path / f"{count}"
        path.write_bytes(units(builder.unit(OF_UNIT + b"\0") * count, UNIT))
        code_object = CodeObject.open(path)
        work.append(calls_of(lambda opened=code_object: verify(opened)))
    assert work[2] < work[1] + 170 * 1_000, work


def test_work_on_entries_counts_for_their_limit() -> None:
    """A file of base types with bits takes twenty times as long as one of as many other entries."""
    shape, data = builder.Shape(dw.TAG_LEXICAL_BLOCK), b"\2" * 3_000
    bits = builder.Shape(INT.tag, (*INT.attributes, (dw.AT_BIT_SIZE, dw.FORM_DATA1)))
    blocks, types = program(data, shape), program((b"\2" + OF_INT + b"\x20") * 3_000, bits)
    entries = []
    for content in (blocks, types):
        file = ObjectFile("made", content, FileLimits(dies=10_000))
        verdict = verify(CodeObject.of(file))
        entries.append(verdict.entries)
        assert verdict.is_incomplete is (content is types)
    assert entries[0] == 3_001
    assert 1_000 < entries[1] < 2_500
    assert verdict.findings.skipped[0].endswith("are not checked (--max-dies)")


def _referring(count: int, *, is_bad: bool = False) -> bytes:
    """Two units, as link-time optimization makes them: declarations, and what refers to them."""
    name = (dw.AT_NAME, dw.FORM_STRING)
    shapes = (
        builder.Shape(dw.TAG_COMPILE_UNIT, (), True),
        builder.Shape(dw.TAG_SUBPROGRAM, (name,)),
        builder.Shape(dw.TAG_SUBPROGRAM, ((dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF_ADDR),)),
    )
    first = builder.unit(b"\1" + b"\2f\0" * count + b"\0")
    targets = (13 + 3 * index + is_bad for index in range(count))
    second = b"".join(b"\3" + target.to_bytes(4, "little") for target in targets)
    data = first + builder.unit(b"\1" + second + b"\0")
    return builder.elf({".debug_info": data, ".debug_abbrev": builder.abbreviations(*shapes)})


def test_references_to_other_units_are_checked_to_the_end() -> None:
    """Half a million were as much work as several times as many entries."""
    file = ObjectFile("made", _referring(10_000), FileLimits(dies=40_000))
    verdict = verify(CodeObject.of(file))
    assert verdict.entries == 20_002
    assert not verdict.is_incomplete and not verdict.findings.kept


def test_references_to_other_units_cost_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """No unit is read again for them, and each is looked up."""

    def refused(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr("dwarfgpu.check.entry_references.walk", refused)
    work = []
    for count in (10, 100, 1_100):  # the first check imports modules
        file = CodeObject.of(ObjectFile("made", _referring(count)))
        work.append(calls_of(lambda checked=file: verify(checked)))
    assert work[2] < work[1] + 38 * 1_000, work


def test_bad_references_to_other_units_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dwarfgpu.check.check_budgets.MAX_FINDINGS", 10)
    for count, most in ((10, 320), (11, 320), (20, 640)):
        limits = FileLimits(dies=most)
        file = ObjectFile("made", _referring(count, is_bad=True), limits)
        verdict = verify(CodeObject.of(file))
        assert verdict.findings.counts == {"error": min(count, most // 32)}
        assert verdict.findings.skipped == [
            f"references to other units from the unit at offset {13 + 3 * count + 1:#x} of "
            ".debug_info on are not all checked (--max-dies)"
        ] * (count > most // 32)


def test_plain_types_are_not_built() -> None:
    """Nothing but their size and encoding can be wrong, in any unit."""
    pointer = builder.Shape(dw.TAG_POINTER_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_DATA1),))
    work = []
    for each in (b"", b"\2" + OF_INT + b"\3\x08"):
        data = builder.unit(OF_UNIT + each + b"\0") * 1_000
        content = units(data, UNIT, INT, pointer)
        verify(CodeObject.of(ObjectFile("made", content)))  # imports modules
        file = CodeObject.of(ObjectFile("made", content))
        work.append(calls_of(lambda checked=file: verify(checked)))
    assert work[1] < work[0] + 160 * 1_000, work


def test_units_beyond_the_limit_of_entries_are_not_looked_at() -> None:
    """Where the limit is reached is said once."""
    data = builder.unit(OF_UNIT + b"\2\2\2\0")
    shape = builder.Shape(dw.TAG_LEXICAL_BLOCK)
    work = []
    for count in (50, 100, 1_000):  # the first check imports modules
        content = units(data * count, UNIT, shape)
        file = CodeObject.of(ObjectFile("made", content, FileLimits(dies=99)))
        verdicts = []
        work.append(calls_of(lambda checked=file, to=verdicts: to.append(verify(checked))))
        (verdict,) = verdicts
        assert (verdict.units, verdict.entries) == (25, 99)
        assert verdict.findings.skipped == [
            f"entries from offset {25 * len(data) - 2:#x} of .debug_info on, and line tables of "
            "later units, are not checked (--max-dies)"
        ]
        assert verdict.findings.skips == 1
    assert work[2] < work[1] + 80 * 900, work


@pytest.mark.parametrize("of_ranges", [False, True])
def test_lists_count_for_the_limit_of_entries(of_ranges: bool) -> None:
    """Each is read, which takes as long as several entries."""
    content = indexed_lists(3_000, of_ranges=of_ranges)["bomb"]
    verdict = verify(CodeObject.of(ObjectFile("made", content, FileLimits(dies=10_000))))
    assert verdict.is_incomplete
    assert 1_000 < verdict.entries < 2_500


def test_a_structure_in_itself_has_no_end_of_padding() -> None:
    """Whose only member is the structure, and a variable with fewer bits."""
    name, type_ = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
    shapes = [
        builder.Shape(dw.TAG_COMPILE_UNIT, (), True),
        builder.Shape(dw.TAG_STRUCTURE_TYPE, (name, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        builder.Shape(dw.TAG_MEMBER, (name, type_, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
        builder.Shape(dw.TAG_VARIABLE, (name, type_, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    ]
    itself = (12 + 1).to_bytes(4, "little")
    entries = b"\1\2S\0\x10\3m\0" + itself + b"\0\0\4v\0" + itself + b"\3\x53\x93\x08\0"
    data = info_file(shapes, entries, machine=builder.X86_64)
    assert ("warning", "pieces-short-of-type") in rules(verdict_on(data))


def test_the_structure_of_nested_variants_is_sought_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not again through all that are around each member."""
    reads = Counter[int]()

    class Parents(array):  # type: ignore[type-arg]
        def __getitem__(self, index: Any) -> Any:
            reads[count] += 1
            return super().__getitem__(index)

    monkeypatch.setattr("dwarfgpu.dwarf.entry_tree.array", Parents)
    for count in (100, 400):
        path = tmp_path / "program"
        path.write_bytes(variants(count)["bomb"])
        verify(CodeObject.open(path))
    assert reads[400] < 5 * reads[100], reads


def test_entries_of_the_same_code_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message is made for findings that are kept alone, and what holds for all of a unit is
    asked once."""
    path = tmp_path / "bomb"
    path.write_bytes(functions(4 * CODE_BYTES)["bomb"])
    every = verify(CodeObject.open(path)).findings
    asked: Counter[str] = Counter()

    def counted(name: str, asks: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any) -> Any:
            asked[name] += 1
            return asks(*arguments)

        return ask

    monkeypatch.setattr(entry_nesting, "listed_spans", counted("message", listed_spans))
    for owner, name in ((EntryPositions, "is_dropped"), (ObjectFile, "is_code")):
        monkeypatch.setattr(owner, name, counted(name, getattr(owner, name)))
    monkeypatch.setattr(finding_module, "MAX_FINDINGS", 7)
    few = verify(CodeObject.open(path)).findings
    assert {one.rule for one in every.kept} == {"overlapping-code"}
    assert few.counts == every.counts and every.counts.total() > 3 * CODE_BYTES
    assert few.kept == every.kept[:7]
    assert asked["message"] == 7
    assert asked["is_dropped"] + asked["is_code"] <= 10
