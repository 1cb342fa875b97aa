"""The static check: find errors in an expression without evaluating it.

Law: an `error` is certain: in every context, an evaluation that performs the operation fails there.
A `warning` may be intended, `info` suggests a better encoding. The work is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from heapq import heappop, heappush
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import LimitExceeded, counted
from dwarfgpu.expr.bind import Program, bind, prepare
from dwarfgpu.expr.context import ResultKind, UnitFormat
from dwarfgpu.expr.decode import Expression, decode, encode_as
from dwarfgpu.expr.dialect import upstream_clang
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.operation import OPERATIONS, Code
from dwarfgpu.expr.static_check.abstract_stack import Transfer
from dwarfgpu.expr.static_check.abstract_value import (
    ACCEPTED,
    ANY,
    GENERIC,
    OTHER_LOCATION,
    PARTIAL,
    POINTER,
    REGISTER,
    TYPED,
    BaseTypes,
    Known,
    undefined_location,
)
from dwarfgpu.expr.static_check.operand_kinds import kinds_text
from dwarfgpu.expr.static_check.operand_rules import (
    DEEPEST,
    named_register,
    reads_base_register,
    wrong_operands,
)
from dwarfgpu.expr.static_check.repeated_effects import RepeatedEffects
from dwarfgpu.expr.static_check.severity import Report, Reported, Severity, on_some_paths
from dwarfgpu.expr.static_check.stack_shape import TRACKED_ENTRIES, UNKNOWN_SHAPE, Shape
from dwarfgpu.expr.static_check.wide_operands import dropped_from_generic

LONGEST_BYTES: Final = 1 << 16
"""Maximum size in bytes of an expression that `dwarfgpu check` checks; producers write a few
hundred at most."""
VISITS = 8
"""How often the facts about an operation's stack may change before they are dropped."""
_FORM = UnitFormat()
_ANYTHING: Final = Known()
_FIRST_VENDOR_OPCODE = 0xE0
"""DW_OP_lo_user."""


@frozen
class Finding:
    """A mistake in an expression, or something that could be better."""

    offset: int
    """Bytes from the start of the expression; its length for a problem of the result."""
    operation: str | None
    severity: Severity
    rule: str
    """Its name in docs/check.md."""
    message: str
    section: str | None
    """Section of the AMD text."""


def require_short(data: bytes) -> None:
    """Raise `LimitExceeded` for an expression that is too long to be checked."""
    if len(data) > LONGEST_BYTES:
        size = counted(len(data), "byte")
        raise LimitExceeded(
            f"an expression of {size}: more than {LONGEST_BYTES}; no option raises it"
        )


def check(
    data: bytes,
    dialect: Dialect = AMD,
    form: UnitFormat = _FORM,
    arch: Architecture | None = None,
    *,
    initial_stack_depth: int | None = 0,
    initial_may_be_left: bool = False,
    result_kind: ResultKind | None = None,
    base_types: BaseTypes | None = None,
    initial_top: Known = _ANYTHING,
    merges_signed: bool = False,
) -> list[Finding]:
    """Return the findings in the order of the bytes; never raises.

    `base_types`: those of the unit, where it is known.

    `initial_stack_depth`: number of initial entries; None if unknown, as for the target of a
    DW_OP_call. `initial_may_be_left`: whether the expression may ignore them, as one of
    DW_CFA_expression ignores the CFA (A.6.4.2.3). `initial_top`: what is known of the last of them.

    `merges_signed`: as in the context of an evaluation; operands that are merged are a note.
    """
    most_left = (initial_stack_depth or 0) if initial_may_be_left else 0
    program = bind(decode(data, dialect, form))
    checker = _Checker(
        program,
        arch,
        result_kind,
        most_left,
        base_types=base_types or {},
        merges_signed=merges_signed,
    )
    checker.run(_initial(initial_stack_depth, initial_top))
    return sorted(checker.findings, key=lambda finding: finding.offset)


def result_of(
    data: bytes,
    dialect: Dialect,
    form: UnitFormat,
    arch: Architecture | None,
    *,
    initial_stack_depth: int = 0,
) -> Known | None:
    """Return what is known of the result of an expression; None if it certainly has none."""
    checker = _Checker(bind(decode(data, dialect, form)), arch, None)
    return checker.run(_initial(initial_stack_depth))


def _initial(depth: int | None, top: Known = _ANYTHING) -> Shape:
    if depth is None:
        return UNKNOWN_SHAPE
    known_depth = min(depth, TRACKED_ENTRIES)
    entries = (*(_ANYTHING,) * (known_depth - 1), top)[:known_depth]
    return Shape(entries, depth - known_depth, depth - known_depth)


@frozen(eq=False)
class _Checker:
    """One expression, and those within it."""

    program: Program
    arch: Architecture | None
    result_kind: ResultKind | None
    most_left: int = 0
    """Entries that may be left below the result."""
    depth: int = 0
    base_types: BaseTypes = field(factory=dict)
    merges_signed: bool = False
    findings: list[Finding] = field(init=False, factory=list)
    transfer: Transfer = field(init=False)

    @transfer.default
    def _transfer(self) -> Transfer:
        form, merges = self.expression.format, self.merges_signed
        return Transfer(self.arch, form, self.base_types, merges_signed=merges)

    @property
    def expression(self) -> Expression:
        return self.program.expression

    @property
    def instructions(self) -> Instructions:
        return self.program.instructions

    def index_at(self, offset: int) -> int | None:
        """Return the instruction at an offset; the end of the decoded part counts as one."""
        if offset == len(self.expression.data) and self.expression.error is None:
            return len(self.instructions)
        return self.instructions.index_at(offset)

    def run(self, start: Shape) -> Known | None:
        """Find problems; return what is known of the result, None if there is none."""
        if self.program.is_straight:
            return self._run_straight(start)
        successors = [self._successors(index) for index in range(len(self.instructions))]
        shapes, differ = self._solved(start, successors)
        apart = self._apart(start, successors) if differ else None
        for index, instruction in enumerate(self.instructions):
            shape = shapes[index]
            if shape is None or self._operands(instruction):
                continue
            if instruction.operation.operands:
                self._branch(index, instruction, shape)
            before = len(self.findings)
            after = self._transfer_at(index, shape, partial(self._add, instruction))
            if apart is not None and after is not None:
                rules = {finding.rule for finding in self.findings[before:]}
                self._on_paths(index, apart[index], rules)
        for instruction in self.expression.instructions:
            self._encoding(instruction)
        reachable = _reachable([0], successors)
        performed = self._performed(successors, shapes)
        if not self._endless(performed):
            self._unreachable(_reachable([0], performed))
        self._undecoded(reachable)
        self._upstream()
        ends = () if apart is None else apart[-1]
        return self._end(shapes[-1], len(self.instructions) in reachable, ends)

    def _run_straight(self, start: Shape) -> Known | None:
        """Return the same where no operation transfers control: each is reached from the one
        before."""
        shape: Shape | None = start
        instructions = self.instructions
        effects = RepeatedEffects(self.transfer, instructions)
        fails = self._once(instructions, self._operands)
        for index, step in enumerate(self.program.steps):
            if shape is None:
                break
            report = partial(self._add_at, index)
            shape = None if fails(index) else effects.after(index, step, shape, report)
        encoding = self._once(self.expression.instructions, self._encoding)
        for index in range(len(self.expression.instructions)):
            encoding(index)
        self._upstream()
        return self._end(shape, is_reached=True)

    def _once(
        self, instructions: Instructions, judge: Callable[[Instruction], bool]
    ) -> Callable[[int], bool]:
        """Return the judgement of the instruction of a number, which is made once of equal ones:
        its findings are repeated at each."""
        judged: dict[int, tuple[bool, list[Finding]]] = {}

        def again(index: int) -> bool:
            number = instructions.order[index]
            known = judged.get(number)
            if known is None:
                before = len(self.findings)
                result = judge(instructions[index])
                judged[number] = result, self.findings[before:]
                return result
            result, findings = known
            offset = instructions.offsets[index]
            self.findings.extend(evolve(finding, offset=offset) for finding in findings)
            return result

        return again

    def gives_no_value(self, result: Known | None) -> bool:
        """Return whether DW_OP_entry_value of the expression is ill-formed (A.2.5.4.3.4)."""
        if result is None or result.kinds & (GENERIC | TYPED | POINTER):
            return False
        end = len(self.instructions)
        last = (
            instruction.operation
            for i, instruction in enumerate(self.instructions)
            if end in self._successors(i)
        )
        # A dialect may mean a part of the register that DW_OP_regx names.
        return not any(
            operation.name == "regx" or operation.function.__name__ == "reg" for operation in last
        )

    def _transfer_at(self, index: int, shape: Shape, report: Report) -> Shape | None:
        return self.transfer(self.instructions[index], self.program.steps[index], shape, report)

    def _apart(self, start: Shape, successors: list[tuple[int, ...]]) -> list[list[Shape]]:
        """Return what is known before each operation, and at the end, kept apart for paths."""
        from dwarfgpu.expr.static_check.separate_paths import shapes_of_paths  # few have branches

        def following(index: int, shape: Shape) -> list[tuple[int, Shape]]:
            instruction = self.instructions[index]
            if wrong_operands(instruction, self.arch, self.transfer.generic_bytes):
                return []
            after = self._transfer_at(index, shape, _unheard)
            targets = _led_to(index, instruction, shape, successors[index])
            return [] if after is None else [(target, after) for target in targets]

        return shapes_of_paths(start, len(self.instructions), following)

    def _on_paths(self, index: int, shapes: list[Shape], reported: set[str]) -> None:
        """Report what an operation does wrong on some paths only, by rules not reported yet."""
        paths: list[list[Reported]] = []
        for shape in shapes:
            path: list[Reported] = []
            self._transfer_at(index, shape, lambda *report, path=path: path.append(report))
            paths.append(path)
        for severity, rule, message in on_some_paths(paths):
            if rule not in reported:
                self._add_at(index, severity, rule, message)

    def _solved(
        self, start: Shape, successors: list[tuple[int, ...]]
    ) -> tuple[list[Shape | None], bool]:
        """Return what is known before each operation, and at the end: a fixed point; and whether
        entries differ where paths meet."""
        differ = False
        shapes: list[Shape | None] = [None] * (len(self.instructions) + 1)
        visits = [0] * len(shapes)
        shapes[0] = start
        # The first of those that wait: nearly all branches go forward, so that one pass suffices.
        pending, waiting = [0], {0}
        while pending:
            index = heappop(pending)
            waiting.remove(index)
            shape = shapes[index]
            if index == len(self.instructions) or shape is None:
                continue
            instruction = self.instructions[index]
            if wrong_operands(instruction, self.arch, self.transfer.generic_bytes):
                continue
            after = self._transfer_at(index, shape, _unheard)
            if after is None:
                continue
            for following in _led_to(index, instruction, shape, successors[index]):
                before = shapes[following]
                differ = differ or (before is not None and before.differs(after))
                joined = after if before is None else before.joined(after)
                if joined is before:
                    continue
                visits[following] += 1
                shapes[following] = UNKNOWN_SHAPE if visits[following] > VISITS else joined
                if following not in waiting:
                    waiting.add(following)
                    heappush(pending, following)
        return shapes, differ

    def _successors(self, index: int) -> tuple[int, ...]:
        instruction = self.instructions[index]
        name = instruction.operation.name
        if name not in ("skip", "bra"):
            return (index + 1,)
        target = self.index_at(_target(instruction))
        targets = () if target is None else (target,)
        return targets if name == "skip" else (index + 1, *targets)

    def _leads_nowhere(self, instruction: Instruction) -> bool:
        """Return whether it is a branch, and not to the start of an operation or the end."""
        return self.index_at(_target(instruction)) is None

    def _branch(self, index: int, instruction: Instruction, shape: Shape) -> None:
        name = instruction.operation.name
        if name not in ("skip", "bra"):
            return
        target = _target(instruction)
        if name == "skip" and target == instruction.offset:
            message = "a branch to itself: it never ends"
            self._add(instruction, "error", "endless-loop", message, "A.2.5.4")
        elif self._leads_nowhere(instruction):
            length = len(self.expression.data)
            inside = 0 <= target < length
            where = "which is not the start of an operation" if inside else "outside the expression"
            constant = shape.top[-1].constant if shape.top else None
            certain = name == "skip" or constant not in (None, 0)
            if target >= length - len(self.expression.undecoded) and self.expression.error:
                certain = False  # a consumer that knows the bytes may see an operation there
            self._add(
                instruction,
                "error" if certain else "warning",
                "branch-target",
                f"branch to offset {target:#x}, {where}",
            )

    def _operands(self, instruction: Instruction) -> bool:
        """Check the operands alone; return whether the operation certainly fails."""
        wrong = wrong_operands(instruction, self.arch, self.transfer.generic_bytes)
        if wrong is not None:
            self._add(instruction, "error", *wrong)
        operation = instruction.operation
        if operation.name in ("piece", "bit_piece") and instruction.operands[0] == 0:
            self._add(instruction, "warning", "empty-piece", "a piece of size 0 is empty")
        dropped = dropped_from_generic(instruction, self.expression.format.address_size)
        if dropped is not None:
            self._add(instruction, "warning", "wide-number", dropped)
        register = named_register(instruction)
        # The vector registers of a CPU hold scalars too, in their low bits.
        if self.arch is not None and self.arch.is_simt and reads_base_register(operation):
            base = self.arch.registers.get(-1 if register is None else register)
            if base is not None and base.type.vector_size is not None:
                means = "the bits of its first lanes are used"
                if self.expression.dialect.upstream_clang:  # docs/dialects.md
                    means = "nothing says whether it holds an address or the value itself"
                message = f"base {base} is a vector register: {means}"
                self._add(instruction, "warning", "wide-base-register", message)
        for info, operand in zip(operation.operands, instruction.operands, strict=True):
            if info.codec.meaning == "expression" and isinstance(operand, bytes):
                self._nested(instruction, operand)
        return wrong is not None

    def _nested(self, instruction: Instruction, data: bytes) -> None:
        if self.depth >= DEEPEST:
            return
        inner = _Checker(
            prepare(data, self.expression.dialect, self.expression.format),
            self.arch,
            None,
            depth=self.depth + 1,
            base_types=self.base_types,
            merges_signed=self.merges_signed,
        )
        result = inner.run(Shape((), 0, 0))
        # A call-site parameter may answer without evaluating it: not certain to fail.
        for finding in inner.findings:
            severity: Severity = "warning" if finding.severity == "error" else finding.severity
            where = f"in its expression, at offset {finding.offset:#x}"
            operation = f"{finding.operation}: " if finding.operation else ""
            message = f"{where}: {operation}{finding.message}"
            self._add(instruction, severity, finding.rule, message)
        if inner.gives_no_value(result):
            message = "its expression neither gives a value nor ends with a register"
            self._add(instruction, "warning", "no-entry-value", message)

    def _encoding(self, instruction: Instruction) -> bool:
        """Report numbers in more bytes than needed, and old names; return whether there are."""
        operation, more = instruction.operation, len(instruction.encoding)
        size = self._least_bytes(instruction)
        if size < more:
            message = f"padded LEB128: the operation has {more} bytes where {size} are enough"
            self._add(instruction, "note", "padded-number", message)
        if operation.name.startswith("GNU_"):
            current = _CURRENT.get(operation.function.__name__)
            if current is not None and current != operation.name:
                message = f"the older form of DW_OP_{current}"
                self._add(instruction, "note", "older-form", message)
                return True
        return size < more

    def _least_bytes(self, instruction: Instruction) -> int:
        """Return the size of the shortest encoding of an instruction."""
        encoding = instruction.encoding
        if encoding[1:].isascii():  # no byte of a LEB128 number is followed by another
            return len(encoding)
        opcode = encoding[0]
        code: Code = opcode
        if opcode not in encodings(self.expression.dialect).by_code:
            code = opcode, Reader(encoding, position=1).uleb()
        form = self.expression.format
        return len(encode_as(code, instruction.operation, instruction.operands, form))

    def _unreachable(self, performed: set[int]) -> None:
        """Report what no evaluation performs, if all branches lead to operations: one that does not
        was meant to lead to some."""
        instructions = self.instructions
        if any(i < len(instructions) and self._leads_nowhere(instructions[i]) for i in performed):
            return
        previous = True
        for index, instruction in enumerate(self.instructions):
            reached = index in performed
            if previous and not reached:
                self._add(instruction, "warning", "unreachable", "no path leads here")
            previous = reached

    def _undecoded(self, reachable: set[int]) -> None:
        """Report what cannot be decoded. `reachable`: what branches lead to under any condition."""
        error = self.expression.error
        if error is not None:
            undecoded = self.expression.undecoded
            site = error.site
            operation = None if site is None else site.operation
            section = None if site is None else site.section
            # The vendor who defined an operation can decode what is unknown here.
            is_vendors = operation is None and undecoded[0] >= _FIRST_VENDOR_OPCODE
            is_certain = len(self.instructions) in reachable and not is_vendors
            self.findings.append(
                Finding(
                    len(self.expression.data) - len(undecoded),
                    operation,
                    "error" if is_certain else "warning",
                    "unknown-operation" if operation is None else "cut-short",
                    error.message,
                    section,
                )
            )

    def _performed(
        self, successors: list[tuple[int, ...]], shapes: list[Shape | None]
    ) -> list[tuple[int, ...]]:
        """Return the successors without those to which a condition that is known never leads."""
        out = list(successors)
        for index, instruction in enumerate(self.instructions):
            shape = shapes[index]
            if shape is not None:
                out[index] = _led_to(index, instruction, shape, successors[index])
        return out

    def _endless(self, successors: list[tuple[int, ...]]) -> bool:
        """Report a loop without exit that an evaluation certainly reaches; return whether there is
        one: nothing else is reached then.

        No rule calls it ill-formed: its evaluation does not end, and so has no result.
        """
        reachable = _reachable([0], successors)
        backward: list[list[int]] = [[] for _ in range(len(successors) + 1)]
        for index, following in enumerate(successors):
            for successor in following:
                backward[successor].append(index)
        stops = [index for index, following in enumerate(successors) if not following]
        finite = _reachable([len(successors), *stops], backward)
        if 0 in finite:
            return False
        for index in sorted(reachable):
            instruction = self.instructions[index]
            if any(successor <= index for successor in successors[index]):
                if _target(instruction) != instruction.offset or instruction.operation.pops:
                    message = "a loop without an exit: it never ends"
                    self._add(instruction, "error", "endless-loop", message, "A.2.5.4")
                break
        return True

    def _end(
        self, shape: Shape | None, is_reached: bool, ends: Iterable[Shape] = ()
    ) -> Known | None:
        """Return the result that the stack gives (A.2.5.4). `ends`: those of paths."""
        if shape is None or not is_reached or self.expression.error is not None:
            return None
        wrong = self._wrong_result(shape)
        for finding in wrong or on_some_paths([self._wrong_result(path) for path in ends]):
            self._result(*finding)
        if shape.most_depth == 0:
            return Known(OTHER_LOCATION, undefined_location())
        more = shape.least_depth - 1 - self.most_left
        if shape.most is not None and more > 0:
            entries = "entry is" if more == 1 else "entries are"
            message = f"{more} stack {entries} left below the result"
            self._result("note", "entries-left", message)
        return shape.top[-1] if shape.top else Known(ANY | PARTIAL)

    def _wrong_result(self, shape: Shape) -> list[Reported]:
        """Return what is wrong with the result that a stack gives."""
        if self.result_kind is None:
            return []
        if shape.most_depth == 0 and self.result_kind == "value":
            message = "a value is required, and the stack is empty at the end"
            return [("error", "wrong-result", message)]
        top = shape.top[-1].kinds if shape.top else ANY | PARTIAL
        accepted = {"value": ACCEPTED["pointer"], "location": ACCEPTED["location"] | PARTIAL}
        if top & accepted[self.result_kind]:
            return []
        severity: Severity = "warning" if top & REGISTER else "error"
        message = f"a {self.result_kind} is required as the result, not {kinds_text(top)}"
        return [(severity, "wrong-result", message)]

    def _upstream(self) -> None:
        """Report upstream clang's way to name an address space, and to find a virtual base class,
        read literally."""
        if self.arch is not None and not self.arch.is_simt:
            return
        if upstream_clang.leads_to_virtual_base(self.instructions):
            plus = self.instructions[len(self.instructions) - 1]
            if self.arch is not None and plus.operation.interpretation is None:
                self._add(
                    plus,
                    "warning",
                    "upstream-virtual-base",
                    "the place of a virtual base class, as LLVM writes it: read literally, it is "
                    "ill-formed for an object outside the default address space; the dialect "
                    "upstream-clang reads it as meant",
                )
            return
        names = [instruction.operation.name for instruction in self.instructions[-4:]]
        if names and names[-1] == "stack_value":
            names.pop()
        if len(names) < 3 or names[-2:] != ["swap", "xderef"] or names[-3] not in _CLANG_SPACES:
            return
        last = self.instructions[len(self.instructions) - 1]
        self._add(
            last,
            "warning",
            "upstream-address-space",
            "upstream clang encodes an address space in this way: read literally, this fetches the "
            "variable's contents; the dialect upstream-clang reads it as meant",
        )

    def _result(self, severity: Severity, rule: str, message: str) -> None:
        offset = len(self.expression.data)
        self.findings.append(Finding(offset, None, severity, rule, message, "A.2.5.4"))

    def _add_at(self, index: int, severity: Severity, rule: str, message: str) -> None:
        self._add(self.instructions[index], severity, rule, message)

    def _add(
        self,
        instruction: Instruction,
        severity: Severity,
        rule: str,
        message: str,
        section: str | None = None,
    ) -> None:
        operation = instruction.operation
        section = section or operation.section
        self.findings.append(
            Finding(instruction.offset, operation.title, severity, rule, message, section)
        )


_CLANG_SPACES = frozenset(f"lit{number}" for number in upstream_clang.ADDRESS_SPACES)
_CURRENT = {
    operation.function.__name__: operation.name
    for operation in OPERATIONS.values()
    if not operation.name.startswith("GNU_")
}
"""The name in use of each function."""


def _unheard(severity: Severity, rule: str, message: str) -> None:
    """Drop findings until the facts no longer change."""


def _led_to(
    index: int, instruction: Instruction, shape: Shape, successors: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the successors without those to which a condition that is known never leads."""
    condition = shape.top[-1].constant if shape.top else None
    if instruction.operation.name != "bra" or condition is None:
        return successors
    return successors[1:] if condition else (index + 1,)


def _target(instruction: Instruction) -> int:
    by = instruction.operands[0] if instruction.operation.name in ("skip", "bra") else 0
    return instruction.end + (by if isinstance(by, int) else 0)


def _reachable(start: Iterable[int], edges: list[tuple[int, ...]] | list[list[int]]) -> set[int]:
    reached = set(start)
    pending = list(reached)
    while pending:
        index = pending.pop()
        for successor in edges[index] if index < len(edges) else ():
            if successor not in reached:
                reached.add(successor)
                pending.append(successor)
    return reached
