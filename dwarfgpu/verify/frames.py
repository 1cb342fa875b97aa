"""Call frame information: entries, instructions, and the rows that they make (A.6.4).

Law: an FDE is executed as far as it can be; the work of a whole section is bounded by `MOST_WORK`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import define, field

from dwarfgpu.cfi.decode import CfaInstruction, CfaProgram
from dwarfgpu.cfi.rule import (
    ExpressionCfa,
    ExpressionRule,
    Offset,
    RegisterCfa,
    RegisterRule,
    Row,
    Rule,
    Undefined,
    ValExpressionRule,
    ValOffset,
)
from dwarfgpu.cfi.section import BrokenEntry, Cie, Fde, FrameSection
from dwarfgpu.cfi.text import instruction_text, program_text, register_name
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.expr.abstract import Severity
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect import Dialect
from dwarfgpu.expr.text import expression_text
from dwarfgpu.verify.expressions import ExpressionChecker, Role, gives_no_memory
from dwarfgpu.verify.finding import Excerpt, Finding, Findings, Place, excerpt
from dwarfgpu.verify.functions import Functions
from dwarfgpu.verify.rules import RULES

MOST_WORK: Final = 200_000_000
"""Register rules of rows and remembered states of a section, at most."""
_FEW: Final = 1_000
"""Instructions that are shown with the locations at which rows start."""
_FORM: Final = UnitFormat()
_CFA: Final = Role("location", 0, is_cfi=True)
_REGISTER: Final = Role("location", 1, is_cfi=True)
_VALUE: Final = Role("value", 1, is_cfi=True)
_RULE_OF_INSTRUCTION: Final = {
    "DW_CFA_restore_state": "unbalanced-state",
    "DW_CFA_def_cfa_register": "lost-cfa",
    "DW_CFA_def_cfa_offset": "lost-cfa",
    "DW_CFA_def_cfa_offset_sf": "lost-cfa",
    "DW_CFA_LLVM_def_aspace_cfa": "unknown-address-space",
    "DW_CFA_LLVM_def_aspace_cfa_sf": "unknown-address-space",
    "DW_CFA_set_loc": "location-order",
    "DW_CFA_advance_loc": "location-order",
    "DW_CFA_advance_loc1": "location-order",
    "DW_CFA_advance_loc2": "location-order",
    "DW_CFA_advance_loc4": "location-order",
    "DW_CFA_MIPS_advance_loc8": "location-order",
}
"""The rule that an instruction breaks which cannot be executed; others are `ill-formed-cfi`."""
_CFA_NODE: Final = -1
"""The CFA, among the registers that depend on one another."""


@define
class FrameChecker:
    """One section."""

    section: FrameSection
    dialect: Dialect
    expressions: ExpressionChecker
    functions: Functions
    found: Findings
    file_address_size: int
    """Bytes."""
    overlaps: bool
    """Whether FDEs can overlap: in a relocatable object every section begins at 0."""
    fdes: int = field(init=False, default=0)
    _work: int = field(init=False, default=0)
    _seen: set[int] = field(init=False, factory=set)

    def run(self) -> None:
        """Check every entry."""
        broken: set[int] = set()
        for entry in self.section.entries:
            match entry:
                case BrokenEntry():
                    self._unreadable(entry.error, Place(self.section.kind, entry.offset, "entry"))
                case Cie():
                    if not self._cie(entry):
                        broken.add(entry.offset)
                case Fde():
                    self.fdes += 1
        for fde in self.section.fdes:
            if fde.cie.offset in broken or not fde.cie.augmentation.is_known:
                continue
            if not self._fde(fde):
                break
        if self.overlaps:
            self._overlapping()

    def _cie(self, cie: Cie) -> bool:
        """Whether its FDEs can be executed."""
        place = Place(self.section.kind, cie.offset, "CIE")
        self._seen.clear()
        if not cie.augmentation.is_known:
            why = f"augmentation {cie.augmentation.text!r} is not known"
            self.found.skip(f"{self.section.kind} CIE at {cie.offset:#x}: {why}")
            return False
        architecture = cie.format.architecture
        if architecture is not None and cie.version >= 4:
            size_bytes = cie.format.address_size
            if size_bytes != self.file_address_size:
                message = (
                    f"addresses of {size_bytes} bytes in the CIE, of {self.file_address_size} "
                    f"in the file"
                )
                self._tell("address-size", message, place)
        try:
            initial = cie.initial
        except DwarfGpuError as error:
            self._stopped(error, cie.program, None, place)
            return False
        self._instructions(cie.program, None, place)
        row = Row(0, 0, initial.cfa, initial.rules)
        self._row(row, cie.program, None, place)
        return True

    def _fde(self, fde: Fde) -> bool:
        """Check one FDE; false where the section is too much work."""
        program = fde.program
        initial = fde.cie.initial
        count = len(program.instructions)
        self._work += (1 + count) * (1 + len(initial.rules)) + count * count // 4
        if self._work > MOST_WORK:
            why = "the FDEs from here on would hold too many register rules"
            self.found.skip(f"{self.section.kind} FDE at {fde.offset:#x}: {why}")
            return False
        table = fde.table()
        self._seen.clear()
        place: Place | None = None
        if program.instructions:
            self._instructions(program, fde, None)
        has_cfa = any(row.cfa is not None for row in table.rows)
        for row in table.rows:
            self._row(row, program, fde, None)
            if row.cfa is None and has_cfa and not _is_outermost(row, fde):
                place = place or self._place(fde, row)
                message = f"no CFA rule at [{row.start:#x},{row.end:#x})"
                self._tell("lost-cfa", message, place, self._shown(program, fde, None), "warning")
        if table.error is not None:
            self._stopped(table.error, program, fde, self._place(fde))
        elif table.rows and all(row.is_empty for row in table.rows):
            message = f"[{fde.initial_location:#x},{fde.end:#x}) has neither CFA nor register rules"
            self._tell("empty-fde", message, self._place(fde))
        return True

    # Instructions

    def _instructions(self, program: CfaProgram, fde: Fde | None, place: Place | None) -> None:
        """The registers and expressions that instructions name, each where it stands."""
        machines = self.expressions.machines
        for index, each in enumerate(program.instructions):
            for info, operand in zip(each.operation.operands, each.operands, strict=True):
                if isinstance(operand, bytes):
                    self._expression(index, each, operand, program, fde, place)
                elif info.kind.meaning == "register" and machines.lacks(operand):
                    name = machines.all[0].name
                    message = f"{each.title}: {name} defines no DWARF register {operand}"
                    shown = self._shown(program, fde, index)
                    self._tell("unknown-register", message, place or self._place(fde), shown)

    def _expression(
        self,
        index: int,
        instruction: CfaInstruction,
        data: bytes,
        program: CfaProgram,
        fde: Fde | None,
        place: Place | None,
    ) -> None:
        name = instruction.operation.name
        roles = {"expression": _REGISTER, "val_expression": _VALUE}
        role = roles.get(name, _CFA)
        form = UnitFormat(program.format.address_size, 4, 5, program.format.endian)
        checked = self.expressions.check(data, self.dialect, form, role)
        for fault in () if checked is None else checked.faults:
            what = fault.found
            message = f"in {instruction.title}: "
            message += f"{what.operation}: {what.message}" if what.operation else what.message
            section = what.section or RULES[what.rule].section
            at = place or self._place(fde)
            self.found.add(Finding(what.severity, what.rule, message, section, at, fault.excerpt))
        shown = self._shown(program, fde, index)
        if role is _CFA:
            last = gives_no_memory(decode(data, self.dialect, form))
            if last is not None:
                message = f"{instruction.title}: the result of {last} is no memory location"
                self._tell("cfa-not-memory", message, place or self._place(fde), shown)
        elif role is _VALUE:
            register = instruction.operands[0]
            assert isinstance(register, int)
            self._sized(register, 8 * form.address_size, "a value", shown, fde, place)

    def _sized(
        self,
        register: int,
        size_bits: int,
        what: str,
        shown: Excerpt,
        fde: Fde | None,
        place: Place | None,
    ) -> None:
        """A rule gives a register as many bits as it has (A.6.4.1)."""
        own = self.expressions.machines.register_bits(register)
        if own is None or own == size_bits:
            return
        name = register_name(register, self.expressions.machines.architecture)
        message = f"{name} has {own} bits, and its rule gives {what} of {size_bits} bits"
        self._tell("register-size", message, place or self._place(fde), shown)

    # Rows

    def _row(self, row: Row, program: CfaProgram, fde: Fde | None, place: Place | None) -> None:
        """What a row alone tells; a CFA or set of rules that was looked at is not again."""
        if id(row.cfa) not in self._seen:
            self._seen.add(id(row.cfa))
            if isinstance(row.cfa, RegisterCfa):
                self._base(row.cfa, row, program, fde, place)
        if id(row.rules) in self._seen:
            return
        self._seen.add(id(row.rules))
        if row.cfa is None and fde is not None:
            saved = [n for n, rule in row.rules.items() if isinstance(rule, Offset | ValOffset)]
            if saved:
                name = register_name(saved[0], program.format.architecture)
                message = f"{name} is saved at an offset from the CFA, and there is no CFA rule"
                shown = self._shown(program, fde, None)
                self._tell("lost-cfa", message, place or self._place(fde, row), shown)
        self._sizes(row, program, fde, place)
        cycle = self._cycle(row)
        if cycle:
            names = [_node_name(node, program) for node in cycle]
            message = f"{' needs '.join(names)}"
            shown = self._shown(program, fde, None)
            self._tell("register-cycle", message, place or self._place(fde, row), shown)

    def _base(
        self, cfa: RegisterCfa, row: Row, program: CfaProgram, fde: Fde | None, place: Place | None
    ) -> None:
        """The register of the CFA, read as DW_OP_LLVM_aspace_bregx does."""
        machines = self.expressions.machines
        size_bits = machines.register_bits(cfa.register)
        architecture = machines.architecture
        space = None
        if architecture is not None:
            space = architecture.address_spaces.get(cfa.address_space)
        if architecture is None or size_bits is None or space is None:
            return
        rule, message = "", ""
        name = register_name(cfa.register, architecture)
        if size_bits < space.address_bits:
            rule = "narrow-base-register"
            message = (
                f"register {name} of {size_bits} bits is narrower than "
                f"the {space.address_bits}-bit addresses of {space}"
            )
        else:
            info = next(
                each.registers[cfa.register]
                for each in machines.all
                if cfa.register in each.registers
            )
            if info.type.vector_size is None or not architecture.is_simt:
                return
            rule = "wide-base-register"
            message = f"the vector register {name} as CFA: the bits of its first lanes"
        marked = _definition(program, cfa.register)
        shown = self._shown(program, fde, marked)
        self._tell(rule, message, place or self._place(fde, row), shown)

    def _sizes(self, row: Row, program: CfaProgram, fde: Fde | None, place: Place | None) -> None:
        machines = self.expressions.machines
        for number, rule in row.rules.items():
            match rule:
                case RegisterRule():
                    size_bits = machines.register_bits(rule.register)
                    what = register_name(rule.register, machines.architecture)
                case ValOffset():
                    size_bits, what = self._cfa_bits(row), "an address"
                case _:
                    continue
            if size_bits is not None:
                marked = _assignment(program, number)
                self._sized(number, size_bits, what, self._shown(program, fde, marked), fde, place)

    def _cfa_bits(self, row: Row) -> int | None:
        """The size of an address in the address space of the CFA, where that is told."""
        architecture = self.expressions.machines.architecture
        if architecture is None or not isinstance(row.cfa, RegisterCfa):
            return None
        space = architecture.address_spaces.get(row.cfa.address_space)
        return None if space is None else space.address_bits

    def _cycle(self, row: Row) -> list[int]:
        """Registers that need one another, the first again at the end; none where there is none.

        A rule needs the CFA; register(R) and DW_OP_LLVM_call_frame_entry_reg R need R.
        """
        edges: dict[int, list[int]] = {}
        for number, rule in row.rules.items():
            needs = list(self._needs(rule))
            if needs:
                edges[number] = needs
        if isinstance(row.cfa, ExpressionCfa):
            edges[_CFA_NODE] = list(self._entry_registers(row.cfa.expression))
        return _first_cycle(edges)

    def _needs(self, rule: Rule) -> Iterator[int]:
        match rule:
            case RegisterRule():
                yield rule.register
            case Offset() | ValOffset():
                yield _CFA_NODE
            case ExpressionRule() | ValExpressionRule():
                yield _CFA_NODE
                yield from self._entry_registers(rule.expression)
            case _:
                return

    def _entry_registers(self, data: bytes) -> Iterator[int]:
        for each in decode(data, self.dialect, _FORM).instructions.distinct:
            register = each.operands[0] if each.operands else None
            if each.operation.name == "LLVM_call_frame_entry_reg" and isinstance(register, int):
                yield register

    # FDEs against each other

    def _overlapping(self) -> None:
        """FDEs of the same code; empty ones, and those of code that a linker dropped, are none."""
        last: Fde | None = None
        for fde in self.section.fdes:
            if fde.address_range == 0 or not self.functions.is_code(fde.initial_location):
                continue
            if last is not None and fde.initial_location < last.end:
                message = (
                    f"[{fde.initial_location:#x},{fde.end:#x}) overlaps the FDE at "
                    f"{last.offset:#x}, which describes [{last.initial_location:#x},{last.end:#x})"
                )
                self._tell("overlapping-fdes", message, self._place(fde))
            if last is None or fde.end > last.end:
                last = fde

    # Telling

    def _stopped(
        self, error: DwarfGpuError, program: CfaProgram, fde: Fde | None, place: Place
    ) -> None:
        """Why the instructions could not be executed to their end."""
        if isinstance(error, Unsupported | LimitExceeded):
            self.found.skip(f"{place.section} {place.kind} at {place.offset:#x}: {error}")
            return
        site = error.site
        operation = None if site is None else site.operation
        rule = "unreadable-cfi"
        if not isinstance(error, Malformed):
            rule = _RULE_OF_INSTRUCTION.get(operation or "", "ill-formed-cfi")
        marked = None
        if site is not None:
            offsets = [each.offset for each in program.instructions]
            marked = offsets.index(site.offset) if site.offset in offsets else len(offsets)
        message = f"{operation}: {error.message}" if operation else error.message
        section = site.section if site is not None else None
        shown = self._shown(program, fde, marked)
        self._tell(rule, message, place, shown, section=section)

    def _unreadable(self, error: DwarfGpuError, place: Place) -> None:
        if isinstance(error, Unsupported | LimitExceeded):
            self.found.skip(str(error))
        else:
            self._tell("unreadable-cfi", error.message, place)

    def _place(self, fde: Fde | None, row: Row | None = None) -> Place:
        assert fde is not None
        span = (fde.initial_location, fde.end) if row is None else (row.start, row.end)
        name = self.functions.name_at(fde.initial_location)
        return Place(self.section.kind, fde.offset, "FDE", name, span=span)

    def _shown(self, program: CfaProgram, fde: Fde | None, marked: int | None) -> Excerpt:
        """The instructions around one of them."""
        architecture = program.format.architecture

        def text(data: bytes) -> str:
            return f"({expression_text(data, self.dialect, _FORM, architecture)})"

        if len(program.instructions) <= _FEW:
            location = None if fde is None else fde.initial_location
            steps = list(program_text(program, location, text))
        else:
            steps = [instruction_text(each, program.format) for each in program.instructions]
        offset = None
        if marked is not None and marked < len(program.instructions):
            offset = program.instructions[marked].offset
        return excerpt([step.removesuffix(":") for step in steps], marked, offset)

    def _tell(
        self,
        rule: str,
        message: str,
        place: Place,
        shown: Excerpt | None = None,
        severity: Severity | None = None,
        section: str | None = None,
    ) -> None:
        known = RULES[rule]
        severity = severity or known.severity
        self.found.add(Finding(severity, rule, message, section or known.section, place, shown))


def _is_outermost(row: Row, fde: Fde) -> bool:
    """Whether the row says that there is no caller, so that nobody needs its CFA."""
    return isinstance(row.rules.get(-1 if fde.cie.return_register is None
                                    else fde.cie.return_register), Undefined)  # fmt: skip


def _definition(program: CfaProgram, register: int) -> int | None:
    """The instruction that makes a register the base of the CFA."""
    for index, each in enumerate(program.instructions):
        if "def" in each.operation.name and register in each.operands[:1]:
            return index
    return None


def _assignment(program: CfaProgram, register: int) -> int | None:
    """The first instruction that gives a register a rule."""
    for index, each in enumerate(program.instructions):
        if "def" not in each.operation.name and register in each.operands[:1]:
            return index
    return None


def _node_name(node: int, program: CfaProgram) -> str:
    return "the CFA" if node == _CFA_NODE else register_name(node, program.format.architecture)


def _first_cycle(edges: dict[int, list[int]]) -> list[int]:
    """Nodes each of which needs the next, the first again at the end."""
    done: set[int] = set()
    for start in edges:
        path: list[int] = []
        on_path: set[int] = set()
        pending = [(start, iter(edges[start]))] if start not in done else []
        if pending:
            path.append(start)
            on_path.add(start)
        while pending:
            node, rest = pending[-1]
            following = next(rest, None)
            if following is None:
                pending.pop()
                done.add(path.pop())
                on_path.discard(node)
            elif following in on_path:
                return [*path[path.index(following) :], following]
            elif following not in done and following in edges:
                pending.append((following, iter(edges[following])))
                path.append(following)
                on_path.add(following)
    return []
