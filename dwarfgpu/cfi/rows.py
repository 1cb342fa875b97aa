"""Call frame instructions to rows (AMD text A.6.4.1 to A.6.4.3; DWARF 5 6.4.3).

`instructions` says what each instruction changes.

Laws: time and memory are bounded by `CfiLimits`, however hostile the instructions; a row that was
completed before an error stays usable. What an instruction changes depends only on its operands,
the CIE's format and the inputs that it declares, so that `_repeated_change` may cache it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, assert_never

from dwarfgpu.base.limits import CfiLimits
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.cfi.declaration import (
    Advance,
    ArgumentsSize,
    Assign,
    CfaOperation,
    CfiFormat,
    Change,
    MoveTo,
    Operand,
    Recall,
    Remember,
    Restore,
)
from dwarfgpu.cfi.decode import CfaInstruction, CfaProgram
from dwarfgpu.cfi.rule import CfaRule, ExpressionCfa, RegisterCfa, Row, Rule, Rules
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded

_MOVES: Final = (Advance, MoveTo)
"""Changes that end a row."""


@frozen
class Initial:
    """The rules after the CIE's initial instructions: the start of each of its FDEs."""

    format: CfiFormat
    cfa: CfaRule | None = None
    rules: Rules = field(factory=dict)
    args_size_bytes: int = 0
    offset_assumed_by: CfaInstruction | None = field(default=None, eq=False)
    """A DW_CFA_def_cfa_register without a CFA before it, after which the offset is taken as 0."""


@frozen
class RowTable:
    """The rows of an FDE, in the order of their program locations."""

    rows: tuple[Row, ...]
    error: DwarfGpuError | None = field(default=None, eq=False)
    """Why there are no further rows."""
    rule_count: int = field(default=0, eq=False)
    """How many register rules were set, or copied for a row or state, to make the rows."""
    beyond: int | None = field(default=None, eq=False)
    """The start of the first row that begins after the end of the FDE, and so applies nowhere."""
    zeroed_from: int | None = field(default=None, eq=False)
    """The location from which on rows lack instructions that zeros replaced."""


@define
class _State:
    """The row being built. Its rules are copied before a change once a row holds them."""

    form: CfiFormat
    limits: CfiLimits
    initial: Rules | None
    """None while the initial instructions themselves are executed."""
    cfa: CfaRule | None
    rules: Rules
    args_size_bytes: int
    own: dict[int, Rule] | None = None
    """`rules` where it may still be changed."""
    saved: list[tuple[CfaRule | None, Rules]] = field(factory=list)
    rule_count: int = 0
    beyond: int | None = None

    def share(self) -> Rules:
        """Return the rules, which must not change afterwards."""
        self.own = None
        return self.rules

    def assign(self, register: int, rule: Rule | None) -> None:
        """Set the rule of a register; None for its default rule."""
        if self.own is None:
            self._hold(len(self.rules))
            self.rules = self.own = dict(self.rules)
        if rule is None:
            self.own.pop(register, None)
        else:
            self._hold(1)
            self.own[register] = rule

    def _hold(self, count: int) -> None:
        self.rule_count += count
        if self.rule_count > self.limits.rules:
            raise LimitExceeded(f"more than {self.limits.rules} register rules in one frame entry")

    def remember(self) -> None:
        if len(self.saved) >= self.limits.states:
            raise LimitExceeded(f"more than {self.limits.states} remembered states")
        self.saved.append((self.cfa, self.share()))

    def recall(self) -> None:
        if not self.saved:
            raise IllFormed("no state was remembered")
        self.cfa, self.rules = self.saved.pop()
        self.own = None

    def restore(self, register: int) -> None:
        if self.initial is None:
            raise IllFormed(f"the initial instructions cannot restore register {register}")
        self.assign(register, self.initial.get(register))


def initial_rules(cie: CfaProgram, limits: CfiLimits | None = None) -> Initial:
    """Execute a CIE's initial instructions; raises what decoding them found, or `IllFormed`.

    GNU as for RISC-V and LLVM for MIPS begin with a DW_CFA_def_cfa_register, which binutils, LLVM
    and GDB take as a CFA with the offset 0.
    """
    state = _State(cie.format, limits or CfiLimits(), None, None, {}, 0)
    assumed_by = None
    for instruction in cie.instructions:
        if state.cfa is None and instruction.operation.name == "def_cfa_register":
            state.cfa, assumed_by = RegisterCfa(0, 0), instruction
        change = _change(instruction, state)
        if isinstance(change, _MOVES):
            raise _at(instruction, IllFormed("the initial instructions cannot change the location"))
        _apply(instruction, change, state)
    if cie.error is not None:
        raise cie.error.anew()
    return Initial(cie.format, state.cfa, state.share(), state.args_size_bytes, assumed_by)


def iterate_rows(
    initial: Initial,
    fde: CfaProgram,
    initial_location: int,
    address_range: int,
    limits: CfiLimits | None = None,
) -> Iterator[Row]:
    """Yield the rows that cover at least one program location of the FDE, on demand.

    Raises the error of decoding, `IllFormed` or `LimitExceeded` when it reaches the cause.
    """
    state = _state(initial, fde, limits)
    yield from _rows(state, fde, initial_location, initial_location + address_range)


def _state(initial: Initial, fde: CfaProgram, limits: CfiLimits | None) -> _State:
    args = initial.args_size_bytes
    return _State(
        fde.format, limits or CfiLimits(), initial.rules, initial.cfa, initial.rules, args
    )


def _rows(state: _State, fde: CfaProgram, start: int, end: int) -> Iterator[Row]:
    form, limits, count = state.form, state.limits, 0
    for instruction in fde.instructions:
        change = _change(instruction, state)
        if not isinstance(change, _MOVES):
            _apply(instruction, change, state)
            continue
        following = _moved(instruction, change, start, form)
        if following > end and state.beyond is None:
            state.beyond = following
        if start < min(following, end):
            count += 1
            if count > limits.rows:
                raise _at(instruction, LimitExceeded(f"more than {limits.rows} rows"))
            stop = min(following, end)
            yield Row(start, stop, state.cfa, state.share(), state.args_size_bytes)
        start = following
    if fde.error is not None:
        raise fde.error.anew()
    if start < end:
        yield Row(start, end, state.cfa, state.share(), state.args_size_bytes)


def row_table(
    initial: Initial,
    fde: CfaProgram,
    initial_location: int,
    address_range: int,
    limits: CfiLimits | None = None,
) -> RowTable:
    """Return the rows of an FDE as far as its instructions can be executed; never raises."""
    rows: list[Row] = []
    state, error = _state(initial, fde, limits), None
    try:
        rows.extend(_rows(state, fde, initial_location, initial_location + address_range))
    except DwarfGpuError as cause:
        error = cause.with_traceback(None)
    return RowTable(tuple(rows), error, state.rule_count, state.beyond)


def rows(
    cie: CfaProgram,
    fde: CfaProgram,
    initial_location: int,
    address_range: int,
    limits: CfiLimits | None = None,
) -> tuple[Row, ...]:
    """Return all rows of an FDE; raises if an instruction of it or of its CIE cannot be
    executed."""
    initial = initial_rules(cie, limits)
    return tuple(iterate_rows(initial, fde, initial_location, address_range, limits))


def _at(instruction: CfaInstruction, error: DwarfGpuError) -> DwarfGpuError:
    if error.site is None:
        error.site = instruction.site
    return error


def _moved(
    instruction: CfaInstruction, change: Advance | MoveTo, start: int, form: CfiFormat
) -> int:
    """Return where the next row starts: DWARF 5 6.4.2.1 lets no location go back."""
    if isinstance(change, MoveTo):
        if change.location <= start:
            raise _at(
                instruction,
                IllFormed(f"location {change.location:#x} is not beyond the current {start:#x}"),
            )
        return change.location
    following = start + change.delta_bytes
    if following >> 8 * form.address_size:
        raise _at(
            instruction,
            IllFormed(f"{start:#x} + {change.delta_bytes:#x} is beyond the address space"),
        )
    return following


def _change(instruction: CfaInstruction, state: _State) -> Change:
    operation, operands = instruction.operation, instruction.operands
    try:
        cfa = _register_cfa(state.cfa) if "cfa" in operation.leading else None
        if "rules" in operation.leading:
            return _new_change(operation, operands, state.form, cfa, state.rules)
        return _repeated_change(operation, operands, state.form, cfa)
    except DwarfGpuError as error:
        raise _at(instruction, error)


def _new_change(
    operation: CfaOperation,
    operands: tuple[Operand, ...],
    form: CfiFormat,
    cfa: RegisterCfa | None,
    rules: Rules | None = None,
) -> Change:
    inputs = {"cfa": cfa, "rules": rules, "format": form}
    leading = [inputs[kind] for kind in operation.leading]
    return operation.function(*leading, **operation.arguments(operands, form))


_repeated_change: Final = lru_cache(maxsize=1024)(_new_change)
"""The changes of instructions that do not depend on register rules: few of a file differ."""


def _register_cfa(rule: CfaRule | None) -> RegisterCfa:
    """Return the current CFA rule, where register and offset can be changed one by one."""
    match rule:
        case RegisterCfa():
            return rule
        case None:
            raise IllFormed("there is no current CFA rule")
        case ExpressionCfa():
            raise IllFormed("the current CFA rule is an expression")
        case other:
            assert_never(other)


def _apply(instruction: CfaInstruction, change: Change, state: _State) -> None:
    """Apply everything but the ends of rows."""
    try:
        match change:
            case RegisterCfa() | ExpressionCfa():
                state.cfa = change
            case Assign():
                state.assign(change.register, change.rule)
            case tuple():
                for replaced in change:
                    state.assign(replaced.register, replaced.rule)
            case Restore():
                state.restore(change.register)
            case Remember():
                state.remember()
            case Recall():
                state.recall()
            case ArgumentsSize():
                state.args_size_bytes = change.size_bytes
            case None | Advance() | MoveTo():
                pass
            case other:
                assert_never(other)
    except DwarfGpuError as error:
        raise _at(instruction, error)
