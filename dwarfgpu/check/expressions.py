"""Check each distinct expression of a file once.

Law: the findings depend on the bytes, the unit's format and dialect, the role, and the base types
that the operands name, so that a repeated expression costs one look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from typing import Final

from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import define, evolve, field, frozen
from dwarfgpu.cfi.allowed_operations import forbidden
from dwarfgpu.check.finding import Excerpt, Findings, excerpt
from dwarfgpu.check.register_sizes import register_bits, rest_bits
from dwarfgpu.dwarf.expression_references import Reference, references
from dwarfgpu.dwarf.frame_attributes import SCRATCH_BASES
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.expr.context import ResultKind, UnitFormat
from dwarfgpu.expr.cut_composite import composite_parts
from dwarfgpu.expr.decode import Expression, decode
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.operation_budget import AnalysisBudget
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.static_check import checker as static
from dwarfgpu.expr.static_check.abstract_value import Known
from dwarfgpu.expr.static_check.extent import extent_of, with_zero
from dwarfgpu.expr.static_check.severity import SEVERITIES
from dwarfgpu.expr.text.assembly import disassemble, instruction_text
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_architecture import other_architecture_of


@frozen(cache_hash=True)
class Role:
    """What an expression is for: what its evaluation starts with, and what it must give."""

    result: ResultKind | None = None
    initial_entries: int | None = 0
    """None if unknown."""
    is_frame_base: bool = False
    is_cfi: bool = False
    has_object: bool = True
    """Whether there may be a current object (A.2.5.1)."""
    needs_memory: bool = False
    """Whether the result must be a memory location description (A.3.3.5)."""


@frozen(eq=False, slots=False)
class Fault:
    """One finding about an expression, without its place in the file."""

    finding: static.Finding
    _steps: Callable[[], dict[int, str]]

    @cached_property
    def excerpt(self) -> Excerpt:
        """The expression, with a mark at the operation; at the end for the result."""
        steps, offset = self._steps(), self.finding.offset
        return excerpt([*steps.values()], [*steps, offset].index(offset), offset)

    def shown(self) -> Excerpt:
        return self.excerpt


@frozen
class Checked:
    """The findings about an expression."""

    faults: tuple[Fault, ...] = ()
    uses_lane: bool = False
    """Whether it needs the current lane by name (A.2.5.4.3.1)."""
    uses_frame_base: bool = False
    """Whether it needs the frame base of the function (A.2.5.4.4.3)."""
    piece_bits: int | None = None
    """The bits of all its pieces, where the result is what they make."""
    value_bits: int | None = None
    """The bits of the value, where the result is one of DW_OP_implicit_value."""
    generic_bits: int | None = None
    """The bits of the value, where the result is one of the generic type by DW_OP_stack_value."""
    register_bits: int | None = None
    """The bits of the register, where the result is one of a GPU."""
    rest_bits: int | None = None
    """The bits from the result to the end of a value, or of pieces, in which it was moved."""
    references: tuple[Reference, ...] = ()
    may_be_in_lds: bool = False
    """Whether it may be the location of a variable in LDS as upstream clang writes it."""
    results: tuple[Known | None, ...] = ()
    """What is known of the result of an expression of call frame information, on each architecture
    that the file may be for."""


_MAX_FAULTS: Final = 20
"""Maximum number of findings per expression, the worst first."""
_NOTHING: Final = Checked()
_ANYTHING: Final = Known()
_FRAMED: Final = Checked(uses_frame_base=True)
_OF_PARTS: Final = (Role("location"), Role("location", has_object=False), Role())
"""Roles in which the stack is empty at first, and a composite may be the result."""
_OBJECTS: Final = frozenset({"push_object_address", "push_object_location"})
"""Operations that push the current object, also in DWARF 6."""
_ADDRESSES: Final = ("addr", "addrx", "GNU_addr_index")
_BRANCHES: Final = frozenset({"skip", "bra", "call2", "call4", "call_ref"})
_OF_OTHER_TYPES: Final = _BRANCHES | {
    "const_type", "regval_type", "deref_type", "xderef_type", "convert", "reinterpret",
    "entry_value", "GNU_variable_value", "implicit_value", "implicit_pointer",
    "LLVM_aspace_implicit_pointer",
}  # fmt: skip
"""Operations that may give values of other types, or take them from another expression."""
_NO_MEMORY: Final = frozenset(
    {
        "stack_value", "implicit_value", "implicit_pointer", "LLVM_undefined", "LLVM_piece_end",
        "LLVM_extend", "LLVM_select_bit_piece", "LLVM_overlay", "LLVM_bit_overlay", *PIECES,
        "LLVM_aspace_implicit_pointer", "undefined", "composite", "overlay", "bit_overlay",
    }
)  # fmt: skip
"""Operations after which the top of the stack is not a memory location."""


class PossibleArchitectures:
    """The architectures that a file may be for: both wave sizes if it specifies none."""

    def __init__(self, file: ObjectFile, architecture: Architecture | None) -> None:
        self.architecture = architecture
        abi = abi_of(file.machine) if architecture is None else architecture.abi
        self.chains_register_rules = abi.chains_register_rules
        self._lacking: dict[int, bool] = {}
        """Which numbers no register has."""
        self._other = None if architecture is None else other_architecture_of(file, architecture)

    def register(self, number: int) -> RegisterInfo | None:
        """Return the widest register with a number; None if no architecture defines it."""
        registers = (
            machine.registers[number] for machine in self.all if number in machine.registers
        )
        return max(registers, key=lambda register: register.size_bits, default=None)

    @cached_property
    def address_sized(self) -> frozenset[int]:
        """The registers that hold an address and no more."""
        machine = self.architecture
        registers = {} if machine is None else machine.registers
        return frozenset(
            number
            for number, register in registers.items()
            if machine is not None and register.size_bits == machine.address_bits
        )

    @property
    def all(self) -> tuple[Architecture, ...]:
        return tuple(one for one in (self.architecture, self._other) if one is not None)

    @property
    def is_complete(self) -> bool:
        """Whether every register that exists has its number in the table."""
        return self.architecture is None or self.architecture.has_every_register

    @property
    def most_lanes(self) -> float:
        """The largest lane count of a wave; unlimited on a machine without lanes."""
        counts = [machine.lane_count for machine in self.all if machine.is_simt]
        return max(counts, default=inf)

    def lacks(self, number: int) -> bool:
        """Return whether certainly no register has a number."""
        if number not in self._lacking:
            is_known = self.is_complete and bool(self.all)
            self._lacking[number] = is_known and self.register(number) is None
        return self._lacking[number]


@define(eq=False)
class Results:
    """What was found about expressions that are read alike and have the same role."""

    dialect: Dialect
    form: UnitFormat
    role: Role
    clean: set[bytes] = field(init=False, factory=set)
    """Those about which there is nothing to say."""
    framed: set[bytes] = field(init=False, factory=set)
    """Those that need the frame base, clean ones included."""
    checked_expressions: dict[bytes, Checked] = field(init=False, factory=dict)
    typed: dict[tuple[bytes, tuple[tuple[int, BaseType], ...]], tuple[Fault, ...]] = field(
        init=False, factory=dict
    )
    """What base types add to the findings about an expression that names them."""
    on_cfa: dict[tuple[bytes, Known], tuple[Fault, ...]] = field(init=False, factory=dict)
    """What the CFA adds to the findings about an expression of a rule."""
    shared: dict[bytes, Checked] = field(init=False, factory=dict)
    """What is found about parts of composites by themselves, and numbers that are 0."""


class ExpressionChecker:
    """The expressions of one file."""

    def __init__(
        self,
        architectures: PossibleArchitectures,
        findings: Findings,
        limits: FileLimits = DEFAULT_FILE_LIMITS,
    ) -> None:
        self.architectures = architectures
        self._budget = AnalysisBudget(limits)
        self._findings = findings
        self.count = 0
        """Number of expressions checked, repeated ones included."""
        self._results: dict[tuple[Dialect, UnitFormat, Role], Results] = {}

    @property
    def distinct(self) -> int:
        return sum(len(one.clean) + len(one.checked_expressions) for one in self._results.values())

    def of(self, dialect: Dialect, form: UnitFormat, role: Role) -> Results:
        """Return the results for the expressions of a unit in a role."""
        key = dialect, form, role
        if key not in self._results:
            self._results[key] = Results(dialect, form, role)
        return self._results[key]

    def check(self, data: bytes, results: Results) -> Checked | None:
        """Return the findings; None if there are none."""
        self.count += 1
        if data in results.clean:
            return None
        checked = results.checked_expressions.get(data)
        if checked is not None:
            return checked
        try:
            static.require_short(data)
            self._budget.spend(data)
        except LimitExceeded as error:
            self._findings.skip(error)
            return None
        checked = self._check(data, results)
        if checked.uses_frame_base:
            results.framed.add(data)
        if checked in (_NOTHING, _FRAMED):
            results.clean.add(data)
            return None
        results.checked_expressions[data] = checked
        return checked

    def check_types(
        self, data: bytes, results: Results, known: Checked, base_types: Mapping[int, BaseType]
    ) -> tuple[Fault, ...]:
        """Return the findings about an expression that only its base types show."""
        key = data, tuple(base_types.items())
        if key not in results.typed:
            dialect, form = results.dialect, results.form
            without_types = {fault.finding for fault in known.faults}
            steps = partial(self._steps, data, dialect, form)
            results.typed[key] = tuple(
                Fault(finding, steps)
                for finding in self._static(data, dialect, form, results.role, base_types)
                if finding not in without_types
            )
        return results.typed[key]

    def check_cfa(self, data: bytes, results: Results, cfa: Known) -> tuple[Fault, ...]:
        """Return the errors of an expression of a rule, checked without any, that only what is
        known of its CFA shows."""
        key, checked = (data, cfa), results.checked_expressions.get(data)
        if key not in results.on_cfa:
            results.on_cfa[key] = (
                () if checked is None else self._by_cfa(data, results, checked, cfa)
            )
        return results.on_cfa[key]

    def _by_cfa(
        self, data: bytes, results: Results, checked: Checked, cfa: Known
    ) -> tuple[Fault, ...]:
        if any(fault.finding.severity == "error" for fault in checked.faults):
            return ()
        try:
            self._budget.spend(data)
        except LimitExceeded as error:
            self._findings.skip(error)
            return ()
        dialect, form = results.dialect, results.form
        steps = partial(self._steps, data, dialect, form)
        faults = self._static(data, dialect, form, results.role, top=cfa)
        return tuple(Fault(fault, steps) for fault in faults if fault.severity == "error")

    def _check(self, data: bytes, results: Results) -> Checked:
        alike = with_zero(data, results.form)
        if alike is None:
            checked = self._by_parts(data, results)
        else:
            checked = self._shared(alike, results)
            if checked.faults:
                checked = None  # they are shown with the number
        return self._by_operations(data, results) if checked is None else checked

    def _shared(self, data: bytes, results: Results) -> Checked:
        """Return what is found about an expression for which many are judged."""
        checked = results.shared.get(data)
        if checked is None:
            checked = results.shared[data] = self._by_operations(data, results)
        return checked

    def _by_parts(self, data: bytes, results: Results) -> Checked | None:
        """Return what is found about a composite whose parts have no faults; None for any other.

        A part that has no fault by itself has none after others, unless all are too large.
        """
        architectures = self.architectures.all
        if results.role not in _OF_PARTS or len(architectures) > 1:  # all parts are for one machine
            return None
        parts = composite_parts(results.dialect, results.form).cut(data)
        if not parts or len(parts) == 1:
            return None
        size_bits = offset = 0
        uses_lane, uses_frame_base, all_references = False, False, list[Reference]()
        for part in parts:
            checked = self._shared(part, results)
            if checked.faults or checked.piece_bits is None:
                return None
            size_bits += checked.piece_bits
            if checked.uses_lane:
                uses_lane = True
            if checked.uses_frame_base:
                uses_frame_base = True
            if checked.references:
                all_references += [
                    evolve(one, offset=offset + one.offset) for one in checked.references
                ]
            offset += len(part)
        if architectures and size_bits > architectures[0].largest_space_bits:
            return None
        return Checked((), uses_lane, uses_frame_base, size_bits, references=tuple(all_references))

    def _by_operations(self, data: bytes, results: Results) -> Checked:
        dialect, form, role = results.dialect, results.form, results.role
        expression = decode(data, dialect, form)
        checked = [*self._static(data, dialect, form, role), *self._by_role(expression, role)]
        checked = sorted(checked, key=lambda fault: SEVERITIES.index(fault.severity))[:_MAX_FAULTS]
        steps = partial(self._steps, data, dialect, form)
        faults = tuple(Fault(fault, steps) for fault in checked)
        names = {instruction.operation.name for instruction in expression.instructions.distinct}
        piece_bits = None
        if not names.isdisjoint(PIECES):
            extent = extent_of(data, dialect, form)
            piece_bits = None if extent.is_value else extent.size_bits
        uses_lane = not names.isdisjoint(("LLVM_push_lane", "push_lane"))
        value_bits, referred = _value_bits(expression), tuple(references(expression))
        return Checked(
            faults,
            uses_lane,
            "fbreg" in names,
            piece_bits,
            value_bits,
            8 * form.address_size if _is_generic_value(expression) else None,
            self._register_bits(expression, role),
            rest_bits(expression, self.architectures.all) if role.result == "location" else None,
            referred,
            dialect.upstream_clang and "xderef" in names and not names.isdisjoint(_ADDRESSES),
            tuple(self._results_in_cfi(data, results)) if role.is_cfi else (),
        )

    def _register_bits(self, expression: Expression, role: Role) -> int | None:
        is_of_object = role.result == "location" and not (role.has_object or role.needs_memory)
        return register_bits(expression, self.architectures.all) if is_of_object else None

    def _results_in_cfi(self, data: bytes, results: Results) -> Iterator[Known | None]:
        depth = results.role.initial_entries or 0
        for arch in self.architectures.all:
            dialect, form = results.dialect, results.form
            yield static.result_of(data, dialect, form, arch, initial_stack_depth=depth)

    def shown(
        self, data: bytes, dialect: Dialect, form: UnitFormat, offset: int | None = None
    ) -> Excerpt:
        """Return an expression, with a mark at an operation."""
        steps = self._steps(data, dialect, form)
        marked = None if offset is None else list(steps).index(offset)
        return excerpt(list(steps.values()), marked, offset)

    def _steps(self, data: bytes, dialect: Dialect, form: UnitFormat) -> dict[int, str]:
        """Return the text of each operation by its offset."""
        arch = self.architectures.architecture
        return {
            line.offset: line.text
            if line.instruction is None
            else instruction_text(line.instruction, arch, dialect, form)
            for line in disassemble(data, dialect, form, arch)
        }

    def _static(
        self,
        data: bytes,
        dialect: Dialect,
        form: UnitFormat,
        role: Role,
        base_types: Mapping[int, BaseType] | None = None,
        top: Known = _ANYTHING,
    ) -> list[static.Finding]:
        """Return the findings under the architecture that knows all registers of the expression."""
        best: list[static.Finding] | None = None
        for arch in self.architectures.all or (None,):
            faults = static.check(
                data,
                dialect,
                form,
                arch,
                initial_stack_depth=role.initial_entries,
                initial_may_be_left=role.is_cfi,
                result_kind=role.result,
                base_types=base_types,
                initial_top=top,
            )
            if not any(fault.rule == "unknown-register" for fault in faults):
                return faults
            best = faults if best is None else best
        faults = best or []
        if self.architectures.is_complete:
            return faults
        return [fault for fault in faults if fault.rule != "unknown-register"]

    def _by_role(self, expression: Expression, role: Role) -> list[static.Finding]:
        out: list[static.Finding] = []
        if role.is_cfi:
            for forbidden_instruction, why in forbidden(expression):
                name, offset = forbidden_instruction.operation.title, forbidden_instruction.offset
                out.append(
                    static.Finding(offset, name, "error", "not-allowed-in-cfi", why, "A.6.4.2")
                )
        if not role.has_object:
            out += [
                static.Finding(
                    instruction.offset,
                    instruction.operation.title,
                    "warning",
                    "no-object",
                    "the attribute is evaluated without an object",
                    "A.2.5.4.4.1",
                )
                for instruction in expression.instructions
                if instruction.operation.name in _OBJECTS
            ]
        last = gives_no_memory(expression) if role.needs_memory else None
        if last is not None:
            message = f"a memory location is required as the result, and {last} gives another kind"
            offset = len(expression.data)
            out.append(static.Finding(offset, None, "error", "wrong-result", message, "A.3.3.5"))
        if role.needs_memory and not role.is_frame_base:
            out += _register_result(expression)
        if role.is_frame_base:
            out += [
                static.Finding(
                    instruction.offset,
                    "DW_OP_fbreg",
                    "error",
                    "fbreg-in-frame-base",
                    "the frame base is computed from the frame base",
                    "A.3.3.5",
                )
                for instruction in expression.instructions
                if instruction.operation.name == "fbreg"
            ]
            out += self._register_base(expression)
        return out

    def _register_base(self, expression: Expression) -> list[static.Finding]:
        """Check a register as frame base, which is read as DW_OP_bregx R, 0 (A.3.3.5, paragraph
        2)."""
        if len(expression.instructions) != 1:
            return []
        (only,) = expression.instructions
        number = register_of(only.operation.name, only.operation.number, only.operands)
        arch = self.architectures.architecture
        register = None if number is None else self.architectures.register(number)
        if arch is None or register is None:
            return []
        if arch.is_simt and register.type.vector_size is not None:
            message = f"frame base {register} is a vector register: its first lanes are the address"
            title = only.operation.title
            return [static.Finding(0, title, "warning", "wide-base-register", message, "A.3.3.5")]
        if not register.is_narrower(arch.address_bits):
            return []
        if expression.dialect.upstream_clang and register.name in SCRATCH_BASES:
            return []  # read as a scratch offset (docs/dialects.md)
        message = (
            f"register {register} of {register.size_bits} bits as frame base is narrower than "
            f"the {arch.address_bits}-bit addresses of the default address space"
        )
        title = only.operation.title
        return [static.Finding(0, title, "error", "narrow-base-register", message, "A.3.3.5")]


def _register_result(expression: Expression) -> list[static.Finding]:
    """Check a register where the result must be in memory (A.3.3.5, paragraphs 1 and 3); of an
    outer frame, memory may hold it."""
    if len(expression.instructions) != 1 or expression.error is not None:
        return []
    (only,) = expression.instructions
    if register_of(only.operation.name, only.operation.number, only.operands) is None:
        return []
    title, offset = only.operation.title, len(expression.data)
    message = f"a memory location is required as the result, and {title} gives a register"
    return [static.Finding(offset, None, "warning", "wrong-result", message, "A.3.3.5")]


def _value_bits(expression: Expression) -> int | None:
    """Return the size of the value that DW_OP_implicit_value gives as the only operation."""
    if len(expression.instructions) != 1 or expression.error is not None:
        return None
    (only,) = expression.instructions
    value = only.operands[-1] if only.operation.name == "implicit_value" else None
    return 8 * len(value) if isinstance(value, bytes) else None


def _is_generic_value(expression: Expression) -> bool:
    """Return whether the result is certainly a value of the generic type by DW_OP_stack_value."""
    instructions = expression.instructions
    if not instructions or expression.error is not None:
        return False
    # Those of DWARF 4 have names of their own, and are the same functions.
    names = {one.operation.function.__name__ for one in instructions.distinct}
    is_generic = _OF_OTHER_TYPES.isdisjoint(names)
    return is_generic and instructions[len(instructions) - 1].operation.name == "stack_value"


def register_of(name: str, number: int | None, operands: tuple[object, ...]) -> int | None:
    """Return the register that DW_OP_reg* names; None for any other operation."""
    if name == "regx" and isinstance(operands[0], int):
        return operands[0]
    return number if name.startswith("reg") and is_decimal(name[3:]) else None


def gives_no_memory(expression: Expression) -> str | None:
    """Return the operation that keeps the result from being a memory location."""
    instructions = expression.instructions
    names = {instruction.operation.name for instruction in instructions.distinct}
    if not instructions or expression.error is not None or names & _BRANCHES:
        return None
    last = instructions[len(instructions) - 1].operation
    return last.title if last.name in _NO_MEMORY else None
