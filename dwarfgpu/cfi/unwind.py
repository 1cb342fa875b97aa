"""Compute the CFA of a frame and the locations of its caller's registers from a row of call frame
information (AMD text A.6.4.1), and find the pc at which the caller's row is looked up.

Laws: everything is found on demand, and once. However hostile the rules, a frame answers or raises
a `DwarfGpuError`, in bounded time and depth.
"""

from __future__ import annotations

from _thread import _local
from collections.abc import Hashable
from copy import copy
from typing import ClassVar, Final, assert_never

from dwarfgpu.access.exact_reads import register_bytes
from dwarfgpu.arch.aarch64 import USER_MASK, without_signature
from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.cfi.allowed_operations import require_allowed
from dwarfgpu.cfi.calling_convention import Convention
from dwarfgpu.cfi.frame_row import FrameRow, default_rule
from dwarfgpu.cfi.instructions import RA_SIGN_STATE
from dwarfgpu.cfi.rule import (
    Architectural,
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Rule,
    SameValueRule,
    UndefinedRule,
    ValExpressionRule,
    ValOffsetRule,
)
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    LimitExceeded,
    MissingContext,
    Unavailable,
)
from dwarfgpu.expr.bind import Program, prepare
from dwarfgpu.expr.context import (
    Context,
    Frame,
    FrameWithoutSubprogram,
    ResultKind,
    format_of,
    require,
)
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.evaluate import Observer, Result, evaluate
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.expr.operation_budget import FREE_STEPS, OPERATION_BUDGET
from dwarfgpu.expr.ops.implicit import stack_value
from dwarfgpu.expr.ops.memory import base_address
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    Location,
    SingleLocation,
    composite,
    narrowed,
)
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Implicit, ImplicitPointer, Memory, Part, Register
from dwarfgpu.model.value import Value

_OPERATIONS_OF_A_STEP: Final = 8
"""Operations of a rule that count as one for the command."""
MAX_STEPS: Final = 2_000
"""Operations of one expression: there can be one for every frame of a deep stack."""
MAX_NESTED: Final = 24
"""Rules that need one another."""
_CFA: Final = "the CFA"
_OF_THE_CALLEE: Final = (SameValueRule, ExpressionRule, ValExpressionRule)
"""Rules by which a register may depend on where the same frame has it."""


@frozen
class OnEntry:
    """What the call that made a frame passed (`dwarfgpu.session.entry_values`)."""

    value: Value | DwarfGpuError | None
    """None if the call does not describe it."""
    preserved_by_callees: dict[int, Location]
    """Registers of outer frames that callees preserved (`dwarfgpu.session.ipa_ra`)."""


class _Pending(_local):
    """The registers and CFAs of a stack that a thread of Python is computing, with their level."""

    def __init__(self) -> None:
        self.steps: dict[tuple[int, int | str], None] = {}

    def __reduce__(self) -> tuple[type[_Pending], tuple[()]]:
        """Copy an object for a stack whose registers no thread computes."""
        return _Pending, ()


class CfiFrame(FrameWithoutSubprogram):
    """A call frame, with all functions inlined in it, as call frame information sees it.

    It is the `Frame` of the expressions in that information.
    """

    is_tail_call: ClassVar[bool] = False
    """Whether its function has jumped to the callee: `dwarfgpu.cfi.tail_call_frame`."""

    def __init__(
        self,
        context: Context,
        pc: int,
        row: FrameRow | DwarfGpuError | None,
        callee: CfiFrame | None = None,
        convention: Convention | None = None,
    ) -> None:
        """`context` has architecture, thread, lane, target and limits; `pc` is as loaded.

        `row` is that of `lookup_pc(pc, callee)`: an error if it cannot be read, None if there is
        none. `callee` is the called frame, None for the top frame. A `convention` replaces the
        rules.
        """
        self.convention = convention
        self._context = context
        self.architecture: Architecture = require(context.architecture, "target architecture")
        self.pc = pc
        self.callee = callee
        self.level: int = 0 if callee is None else callee.level + 1
        self.is_guess: bool = callee is not None and (
            callee.convention is not None or callee.is_guess
        )
        """Whether it, or a frame inside of it, comes from the calling convention alone."""
        self._row = row
        self.preserved_by_callees: dict[int, Location | None] = {}
        """What `dwarfgpu.session.ipa_ra` has found, by register."""
        self.on_entry: dict[Hashable, OnEntry] = {}
        """Results of `dwarfgpu.session.entry_values`, by the value passed."""
        self._saved_locations: dict[int, Location | DwarfGpuError] = {}
        self.cfa_address: tuple[int, int | None] | None = None
        """The CFA in the default address space and the stop at which it was found, where it was
        found as a number (`dwarfgpu.cfi.frame_addresses`)."""
        self._known_cfa: Location | DwarfGpuError | None = None
        self._pending: _Pending = _Pending() if callee is None else callee._pending
        self._evaluations: dict[tuple[ResultKind, bool], Context] = {}
        """Contexts of its expressions, by kind of result and whether the CFA is on the stack."""

    @property
    def location(self) -> int:
        """The program location for every lookup: in the call, where the frame has called."""
        return lookup_pc(self.pc, self.callee)

    @property
    def has_row(self) -> bool:
        """Whether anything is said of the location, be it readable or not."""
        return self._row is not None

    @property
    def row(self) -> FrameRow:
        """The row of the location; raises if it cannot be read.

        Without a row the ABI's defaults hold, where it has them (A.2.5.4.4.1); elsewhere it is
        `MissingContext`.
        """
        if isinstance(self._row, FrameRow):
            return self._row
        if self._row is not None:
            raise copy(self._row)
        column = self.architecture.return_address_register
        if not self.architecture.has_default_rules or column is None:
            raise MissingContext(f"no call frame information for pc {self.pc:#x}")
        return FrameRow(None, {}, column)

    @property
    def dialect(self) -> Dialect:
        """The dialect of the expressions of the rules."""
        return self.row.dialect if self.convention is None else AMD

    @property
    def is_signal_frame(self) -> bool:
        return isinstance(self._row, FrameRow) and self._row.is_signal_frame

    def rule(self, number: int) -> Rule:
        """Return the rule of a register; the ABI's rule by default."""
        if self.convention is not None:
            return self.convention.rule(number)
        row = self.row
        rule = row.rules.get(number)
        if rule is not None:
            return rule
        return default_rule(self.architecture, number, row)

    def lacks_rule(self, number: int) -> bool:
        """Return whether a register is lost only for lack of a rule: the ABI lets functions change
        it, but this one may not have."""
        row = self._row
        if not isinstance(row, FrameRow) or number in row.rules or self.convention is not None:
            return False
        rule = default_rule(self.architecture, number, row)
        return isinstance(rule, UndefinedRule)

    def register(self, number: int) -> Location:
        """Return where the frame has a register."""
        if self.callee is not None:
            return self.callee.entry_register(number)
        context = self._context
        storage = Register(self.architecture.register(number), require(context.wave, "thread"))
        return Location((SingleLocation(storage),), context.stop)

    def unnumbered(self, register: RegisterInfo) -> Location:
        """Return where the frame has a register without a DWARF number: that of the thread, as no
        rule is about it, unless a signal frame inside has it."""
        frame = self.callee
        while frame is not None:
            saved = frame.saved_unnumbered(register)
            if saved is not None:
                return saved
            frame = frame.callee
        storage = Register(register, require(self._context.wave, "thread"))
        return Location((SingleLocation(storage),), self._context.stop)

    def saved_unnumbered(self, register: RegisterInfo) -> Location | None:
        """Return where the frame has saved such a register of its caller; None if it has not."""
        return None

    def contents(self, number: int) -> Bits:
        """Return the contents of a register of the frame; unknown bits are marked."""
        size_bits = self.architecture.register(number).size_bits
        return self._context.access.read(self.register(number), size_bits)

    def entry_register(self, number: int) -> Location:
        """Return where its caller has a register: where the value on entry to the frame is.

        Raises `IllFormed` for registers that depend on each other in a circle, `LimitExceeded`,
        and what evaluating the rule raises.
        """
        location = self._saved_locations.get(number)
        if location is None:
            row = self._row
            source = row.rules.get(number) if isinstance(row, FrameRow) else None
            if type(source) is OffsetRule:  # as of nearly all: it needs no other register
                location = self._saved_locations[number] = self._find(number, source)
            else:
                for frame, rule in reversed(self._unknown(number)):
                    frame._saved_locations[number] = frame._find(number, rule)
                location = self._saved_locations[number]
        if isinstance(location, Location):
            return location
        raise copy(location)

    def _unknown(self, number: int) -> list[tuple[CfiFrame, Rule | DwarfGpuError]]:
        """Return the frames from this one inwards whose answer depends on the next one.

        They are processed innermost first, so that no stack is too deep.
        """
        chain: list[tuple[CfiFrame, Rule | DwarfGpuError]] = []
        frame: CfiFrame | None = self
        while frame is not None and number not in frame._saved_locations:
            try:
                rule = frame.rule(number)
            except DwarfGpuError as error:
                chain.append((frame, error.with_traceback(None)))
                break
            chain.append((frame, rule))
            if not isinstance(rule, _OF_THE_CALLEE):
                break
            frame = frame.callee
        return chain

    def _find(self, number: int, rule: Rule | DwarfGpuError) -> Location | DwarfGpuError:
        if isinstance(rule, DwarfGpuError):
            return rule
        if isinstance(rule, UndefinedRule):
            return UNDEFINED_LOCATION
        try:
            if isinstance(rule, SameValueRule):
                location = self.register(number)
                return location if number in self.row.rules else self._low(number, location)
            self._begin(number)
            try:
                return self._previous(number, rule)
            finally:
                self._end(number)
        except DwarfGpuError as error:
            return error.with_traceback(None)

    def _begin(self, subject: int | str) -> None:
        """Begin to compute a register, by its number, or the CFA: it must not need itself."""
        key = self.level, subject
        pending = self._pending.steps
        if key in pending:
            ring = [*pending, key][list(pending).index(key) :]
            names = [step if isinstance(step, str) else self._named(step) for _, step in ring]
            raise IllFormed(f"circular call frame information: {' needs '.join(names)}")
        if len(pending) >= MAX_NESTED:
            raise LimitExceeded(f"more than {MAX_NESTED} rules that depend on each other")
        pending[key] = None

    def _end(self, subject: int | str) -> None:
        del self._pending.steps[self.level, subject]

    def _previous(self, number: int, rule: Rule) -> Location:
        match rule:
            case UndefinedRule():
                return UNDEFINED_LOCATION
            case SameValueRule():
                return self.register(number)
            case OffsetRule():
                return self._low(number, self.cfa().displaced(8 * rule.offset_bytes))
            case ValOffsetRule():
                return self._cfa_address(number, rule.offset_bytes)
            case RegisterRule():
                return self._moved(number, rule.register)
            case ExpressionRule():
                with_cfa = self.convention is None  # which needs none
                result = self.evaluated(rule.expression, "location", with_cfa=with_cfa)
                assert isinstance(result, Location)
                return result
            case ValExpressionRule():
                return self._computed(number, rule.expression)
            case Architectural():
                return self._implicit(rule.value, self._size_bits(number))
            case other:
                assert_never(other)

    def _low(self, number: int, location: Location) -> Location:
        """Return the part of a register that callees save or preserve: for some only the low bits
        (the ABI)."""
        size_bits = self.architecture.preserved_bits.get(number)
        if size_bits is None:
            return location
        rest_bits = self._size_bits(number) - size_bits
        undefined = Part(UNDEFINED_LOCATION, rest_bits)
        if self.architecture.endian == "little":
            return composite([Part(narrowed(location, size_bits), size_bits), undefined])
        if not isinstance(location.single_locations[0].storage, Memory):
            location = location.displaced(rest_bits)
        return composite([undefined, Part(narrowed(location, size_bits), size_bits)])

    def _moved(self, number: int, source: int) -> Location:
        """Return the location of register(R): where the same rules put R, or R of this frame."""
        if self._size_bits(number) != self._size_bits(source):
            raise IllFormed(
                f"{self._named(number)} of {self._size_bits(number)} bits cannot be in "
                f"{self._named(source)} of {self._size_bits(source)} bits"
            )
        counter = self.architecture.program_counter
        if number == counter and source == self.row.return_register and self.has_signed_return:
            address = self.return_address()
            return UNDEFINED_LOCATION if address is None else self._implicit(address, 64)
        is_moved = self.goes_by_rule_of(number, source)
        return self.entry_register(source) if is_moved else self.register(source)

    def goes_by_rule_of(self, number: int, source: int) -> bool:
        """Return whether register(R) of a register means where the rules put R, rather than R of
        this frame (A.6.4.1; DWARF 5 6.4.1; docs/spec-notes.md).

        By default, the program counter is where the rules put the return address.
        """
        is_by_default = number == self.architecture.program_counter and number not in self.row.rules
        if self.is_tail_call or not (is_by_default or self.architecture.abi.chains_register_rules):
            return False
        rule = self.row.rules.get(source)
        return rule is not None and not isinstance(rule, UndefinedRule | SameValueRule)

    def _named(self, number: int) -> str:
        """Return `register s16`, as every answer names it, or its number if it has no name."""
        known = self.architecture.registers.get(number)
        return f"register {number if known is None else known.name}"

    def _computed(self, number: int, expression: bytes) -> Location:
        value = self.evaluated(expression, "value", with_cfa=True)
        assert isinstance(value, Value)
        size_bits = self._size_bits(number)
        if value.type.bit_size != size_bits:
            raise IllFormed(
                f"a value of {value.type.bit_size} bits for {self._named(number)} of "
                f"{size_bits} bits"
            )
        return self._dated(stack_value(self._context, value))

    def _cfa_address(self, number: int, offset_bytes: int) -> Location:
        single = self.cfa().displaced(8 * offset_bytes).single_locations[0]
        assert isinstance(single.storage, Memory)
        address, space = single.bit_offset // 8, single.storage.space
        size_bits = self._size_bits(number)
        if size_bits != space.address_bits:
            raise IllFormed(
                f"{self._named(number)} of {size_bits} bits cannot be a {space} address, "
                f"which has {space.address_bits} bits"
            )
        return self._implicit(address, size_bits)

    def _implicit(self, value: int, size_bits: int) -> Location:
        return self._dated(Location((SingleLocation(Implicit(value, size_bits)),)))

    def _dated(self, location: Location) -> Location:
        """Bind the location to this stop, whatever its storage (A.2.5.3)."""
        return Location(location.single_locations, self._context.stop)

    def _size_bits(self, number: int) -> int:
        """Return the size of a register, or of the return address, whose column may be no
        register."""
        info = self.architecture.registers.get(number)
        if info is None and number == self.row.return_register:
            return self.architecture.address_bits
        return self.architecture.register(number).size_bits

    def cfa(self) -> Location:
        """Return the Canonical Frame Address: a memory byte address.

        Raises `MissingContext` if no rule defines it, `IllFormed` for anything but an address.
        """
        if self._known_cfa is None and self.cfa_address is not None:
            address, stop = self.cfa_address
            storage = Memory(self.architecture.address_space(0))
            self._known_cfa = Location((SingleLocation(storage, 8 * address),), stop)
        if self._known_cfa is None:
            try:
                self._begin(_CFA)
                try:
                    self._known_cfa = self._cfa()
                finally:
                    self._end(_CFA)
            except DwarfGpuError as error:
                self._known_cfa = error.with_traceback(None)
        if isinstance(self._known_cfa, Location):
            return self._known_cfa
        raise copy(self._known_cfa)

    def _cfa(self) -> Location:
        rule = self.row.cfa
        match rule:
            case None:
                raise MissingContext(
                    f"no call frame information defines the CFA for pc {self.pc:#x}"
                )
            case RegisterCfa():
                architecture = self.architecture
                space = architecture.address_space(rule.address_space)
                info = architecture.register(rule.register)
                saved_address = self.register(rule.register)
                address = base_address(self._context.access, info, saved_address, space)
                return memory_location(self._context, space, address + rule.offset_bytes)
            case ExpressionCfa():
                location = self.evaluated(rule.expression, "location", with_cfa=False)
                assert isinstance(location, Location)
                if (
                    len(location.single_locations) != 1
                    or location.single_locations[0].byte_address is None
                ):
                    raise IllFormed(
                        "the CFA expression does not give a memory byte address (A.6.4.2.2)"
                    )
                return location
            case other:
                assert_never(other)

    def evaluated(
        self,
        expression: bytes,
        kind: ResultKind,
        *,
        with_cfa: bool,
        observe: Observer | None = None,
    ) -> Result:
        """Return the result of an expression of the row, with the CFA on the stack or an empty
        stack."""
        dialect = self.dialect
        program = prepare(expression, dialect, format_of(self.architecture))
        require_allowed(program.expression)
        self._count(program)
        context = self._evaluations.get((kind, with_cfa))
        if context is None:
            limits = self._context.limits
            context = self._evaluations[kind, with_cfa] = evolve(
                self._context,
                frame=self,
                pc=self.location,
                unit=None,
                object=None,
                limits=evolve(limits, steps=min(limits.steps, MAX_STEPS)),
                result_kind=kind,
                initial_stack=(self.cfa(),) if with_cfa else (),
            )
        return evaluate(expression, context, dialect=dialect, observe=observe)

    def _count(self, program: Program) -> None:
        """Count the operations for the command: each of many frames would have free ones.

        `LimitExceeded` if there are too many. The expressions of compilers have up to a dozen.
        """
        budget = OPERATION_BUDGET.get()
        count = len(program.instructions) if program.is_straight else FREE_STEPS
        if budget is not None and count >= _OPERATIONS_OF_A_STEP:
            stop = self._context.stop
            budget.spend(count // _OPERATIONS_OF_A_STEP, self._context.limits, stop)

    def return_address(self) -> int | None:
        """Return the program location of the caller; None if its rule is `undefined`: there is no
        caller.

        Raises if it cannot be computed.
        """
        row = self.row
        column = row.return_register
        if column not in row.rules and self.convention is None:
            self._require_default(column)
        location = self.entry_register(column)
        if location.is_undefined:
            return None
        address = self._context.access.retrieve(location, self.architecture.address_bits)
        if isinstance(address, ImplicitPointer):
            raise EvaluationError("the return address is an implicit pointer")
        return without_signature(address, self._code_mask()) if self.has_signed_return else address

    def _require_default(self, column: int) -> None:
        """Require the ABI's rule of a return address column without a rule: neither the program
        counter, which each call changes, nor a column that is no register has one, nor a register
        that functions may change."""
        architecture = self.architecture
        if column not in architecture.registers:
            undefined = architecture.undefined_registers(column)
            raise IllFormed(f"no rule for the return address column {column}: {undefined}")
        if column == architecture.program_counter or self.lacks_rule(column):
            raise IllFormed(f"no rule for the return address ({self._named(column)})")

    @property
    def has_signed_return(self) -> bool:
        """Whether the return address is signed where the frame keeps it (RA_SIGN_STATE)."""
        if self.architecture.code_mask is None or not isinstance(self._row, FrameRow):
            return False
        rule = self._row.rules.get(RA_SIGN_STATE)
        if rule is None or isinstance(rule, Architectural):
            return rule is not None and rule.value != 0
        state = self._context.access.retrieve(self.entry_register(RA_SIGN_STATE), 64)
        return not isinstance(state, ImplicitPointer) and state & 1 == 1

    def _code_mask(self) -> int:
        """Return the bits of a code address that can sign it; see docs/spec-notes.md if no rule
        defines them."""
        target, name = self._context.target, self.architecture.code_mask
        if target is not None and name is not None:
            register = self.architecture.by_name[name]
            try:
                contents = register_bytes(target, require(self._context.wave, "thread"), register)
                return int.from_bytes(contents, self.architecture.endian)
            except Unavailable:
                pass
        return USER_MASK

    # What expressions of call frame information may not ask for (A.6.4.2).

    def frame_base(self) -> Location:
        raise IllFormed("call frame information has no frame base")

    def caller(self) -> tuple[Frame, int]:
        raise IllFormed("call frame information has no calling frame")


def lookup_pc(pc: int, callee: CfiFrame | None) -> int:
    """Return the pc at which the rows, scopes and lines of a frame are looked up.

    It is the pc of the frame, or the call before it (pc - 1) if the frame waits for a callee. A
    frame interrupted by a signal, whose callee is a signal frame, is looked up at its pc.
    """
    return pc if callee is None or callee.is_signal_frame else pc - 1
