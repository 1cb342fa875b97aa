"""The effect of an operation on an abstract stack, derived from its declaration.

Law: abstract facts hold on every path, so that whatever they exclude is certain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import DwarfGpuError, IllFormed
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import PopInfo
from dwarfgpu.expr.static_check.abstract_value import (
    ACCEPTED,
    ADDRESS,
    ANY,
    GENERIC,
    LOCATION,
    NAMES,
    OTHER_LOCATION,
    PARTIAL,
    POINTER,
    REGISTER,
    TYPED,
    BaseTypes,
    Known,
    blank_location,
    is_arithmetic,
    knowing,
    performed,
    rule_of,
    type_of_result,
    with_types,
)
from dwarfgpu.expr.steps import Perform
from dwarfgpu.model.location import PartialComposite

TRACKED_ENTRIES: Final = 32
"""Number of entries, from the top, whose kind is tracked."""

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The worst first."""
Report: TypeAlias = Callable[[Severity, str, str], None]
"""Called with the severity, the name of the rule (docs/check.md), and the message."""


@frozen
class Shape:
    """The known part of a stack: its top entries, and how many are below them."""

    top: tuple[Known, ...]
    least: int
    """Entries below at least."""
    most: int | None
    """Maximum number of entries below; None if unknown."""

    @property
    def least_depth(self) -> int:
        return len(self.top) + self.least

    @property
    def most_depth(self) -> int | None:
        return None if self.most is None else len(self.top) + self.most

    def pushed(self, *entries: Known) -> Shape:
        top = self.top + entries
        excess = max(len(top) - TRACKED_ENTRIES, 0)
        most = None if self.most is None else self.most + excess
        return Shape(top[excess:], self.least + excess, most)

    def popped(self, count: int) -> tuple[list[Known], Shape]:
        """Return the top entries, deepest first, and what remains."""
        if count <= len(self.top):
            split = len(self.top) - count
            rest = Shape(self.top[:split], self.least, self.most) if count else self
            return list(self.top[split:]), rest
        missing = count - len(self.top)
        most = None if self.most is None else max(self.most - missing, 0)
        entries = [Known(ANY | PARTIAL)] * missing + list(self.top)
        return entries, Shape((), max(self.least - missing, 0), most)

    def joined(self, other: Shape) -> Shape:
        """Return what holds of both shapes."""
        count = min(len(self.top), len(other.top))
        cut, other_cut = len(self.top) - count, len(other.top) - count
        pairs = zip(self.top[cut:], other.top[other_cut:], strict=True)
        most = None
        if self.most is not None and other.most is not None:
            most = max(self.most + cut, other.most + other_cut)
        least = min(self.least + cut, other.least + other_cut)
        return Shape(tuple(a.joined(b) for a, b in pairs), least, most)


UNKNOWN_SHAPE: Final = Shape((), 0, None)

_ONE_KIND: Final = {
    "const_type": TYPED,
    "deref": GENERIC | POINTER,
    "deref_size": GENERIC | POINTER,
    "xderef": GENERIC | POINTER,
    "xderef_size": GENERIC | POINTER,
    "deref_type": TYPED | POINTER,
    "xderef_type": TYPED | POINTER,
    "regval_type": TYPED | POINTER,
    "entry_value": GENERIC | TYPED | POINTER,
    "addr": ADDRESS,
    "addrx": ADDRESS,
    "form_tls_address": ADDRESS,
    "breg": ADDRESS,
    "bregx": ADDRESS,
    "reg": REGISTER,
    "regx": REGISTER,
    "LLVM_undefined": OTHER_LOCATION,
    "undefined": OTHER_LOCATION,
    "empty_composite": OTHER_LOCATION,
    "implicit_value": OTHER_LOCATION,
    "stack_value": OTHER_LOCATION,
    "implicit_pointer": OTHER_LOCATION,
    "LLVM_aspace_implicit_pointer": OTHER_LOCATION,
    "LLVM_extend": OTHER_LOCATION,
    "LLVM_select_bit_piece": OTHER_LOCATION,
}
"""Where the declaration says only `Value` or `Location`: what it pushes, by the function."""
_CALLS: Final = frozenset({"call2", "call4", "call_ref"})
_COMPARISONS: Final = frozenset({"eq", "ge", "gt", "le", "lt", "ne"})
_CONVERSIONS: Final = frozenset({"convert", "reinterpret"})
_STANDARD_PIECES: Final = frozenset({"standard_piece", "standard_bit_piece"})
"""The functions of DW_OP_piece and DW_OP_bit_piece in DWARF 6."""


@frozen
class Transfer:
    """The effect of operations, on one architecture."""

    arch: Architecture | None
    form: UnitFormat
    base_types: BaseTypes = field(factory=dict)
    context: Context = field(init=False)

    @context.default
    def _context(self) -> Context:
        context = knowing(self.arch, self.form)
        return with_types(context, self.form, self.base_types) if self.base_types else context

    @property
    def address_bits(self) -> int:
        return 8 * self.form.address_size

    @property
    def _pointer_bits(self) -> frozenset[int]:
        """Return the sizes of implicit pointers: only one of such a size is read whole."""
        spaces = () if self.arch is None else self.arch.address_spaces.values()
        return frozenset(space.address_bits for space in spaces)

    @property
    def generic_bytes(self) -> int:
        """Size of the generic type."""
        return self.context.generic.size_bytes

    def __call__(
        self, instruction: Instruction, perform: Perform, shape: Shape, report: Report
    ) -> Shape | None:
        """Return the stack after the operation; None, with a report, if it certainly fails.

        `perform`: the evaluator's step of the instruction (`prepare`).
        """
        after = self._declared(instruction, shape, report)
        if after is None or not after.top:
            return after
        entries = _popped(instruction, shape)
        if entries is None:
            return after
        if self._is_large(instruction, entries, report):
            return None
        name = instruction.operation.function.__name__
        if name == "regval_type":  # where the register is depends on the frame
            return self._typed(instruction, perform, entries, after, report)
        try:
            result = performed(perform, entries, self.context)
        except DwarfGpuError as error:
            if name in _CONVERSIONS and not isinstance(error, IllFormed):
                return after
            rule = rule_of(error, instruction)
            if any(entry.in_top_frame for entry in entries):
                if rule != "wrong-kind":  # the kinds reported it already
                    report("warning", rule, f"{error.message}, in the top call frame")
                return after
            report("error", rule, error.message)
            return None
        if result is None:
            return self._typed(instruction, perform, entries, after, report)
        if result.in_top_frame:
            kinds = after.top[-1].kinds
            result = Known(kinds, result.entry, result.is_blank, result.in_top_frame)
        return Shape((*after.top[:-1], result), after.least, after.most)

    def _typed(
        self,
        instruction: Instruction,
        perform: Perform,
        entries: list[Known],
        after: Shape,
        report: Report,
    ) -> Shape | None:
        """Return the stack with the type of the result; None, with a report, if the operation is
        ill-formed for values of the types of its operands."""
        if not self.base_types or not after.top[-1].kinds & (TYPED | GENERIC):
            return after
        operation = instruction.operation
        name = operation.function.__name__
        result = self._named_type(instruction)
        if is_arithmetic(operation) or name in _COMPARISONS or name in _CONVERSIONS:
            types = [self._type_of(entry) for entry in entries]
            known = [type_ for type_ in types if type_ is not None]
            if len(known) == len(types):
                try:
                    result = type_of_result(perform, known, self.context) or result
                except IllFormed as error:
                    is_mixed = len(known) == 2 and known[0] != known[1]
                    report("error", "mixed-types" if is_mixed else "wrong-kind", error.message)
                    return None
        if result is None or result.is_generic:
            return after
        top = evolve(after.top[-1], type=result)
        if self.arch is not None and result.bit_size not in self._pointer_bits:
            top = evolve(top, kinds=top.kinds & ~POINTER)
        return Shape((*after.top[:-1], top), after.least, after.most)

    def _named_type(self, instruction: Instruction) -> BaseType | None:
        """Return the base type that an operation gives the value that it pushes, if known."""
        for info, operand in zip(instruction.operation.operands, instruction.operands, strict=True):
            if info.codec.meaning == "type" and isinstance(operand, int) and operand:
                return self.base_types.get(operand)
        return None

    def _type_of(self, entry: Known) -> BaseType | None:
        """Return the type of an entry as an operand, if known."""
        kinds = entry.kinds & ~POINTER  # which no such operation accepts
        if kinds == TYPED:
            return entry.type
        return self.context.generic if kinds and not kinds & ~(GENERIC | ADDRESS) else None

    def _is_large(self, instruction: Instruction, entries: list[Known], report: Report) -> bool:
        """Return whether a piece more makes a composite too large (A.2.5.4.4.6)."""
        partial = entries[0].entry if entries else None
        if self.arch is None or not isinstance(partial, PartialComposite):
            return False
        size_bits = piece_bits(instruction) + partial.size_bits
        if size_bits <= self.arch.largest_space_bits:
            return False
        message = f"a composite of {size_bits} bits is larger than the largest address space"
        report("error", "large-composite", message)
        return True

    def _declared(self, instruction: Instruction, shape: Shape, report: Report) -> Shape | None:
        """Apply what the operation's declaration and the kinds of entries determine."""
        operation = instruction.operation
        if operation.unsupported is not None:
            report("note", "unsupported-operation", f"not supported: {operation.unsupported}")
            return None
        name = operation.function.__name__
        if name in _CALLS:
            return UNKNOWN_SHAPE
        if "stack" in operation.leading:
            return _on_stack(name, instruction, shape, report)
        if not _has(len(operation.pops), shape, report):
            return None
        popped, rest = shape.popped(len(operation.pops))
        for entry, info in zip(popped, operation.pops, strict=True):
            if not _accepts(entry, info, report) or not _is_integer(entry, info, report):
                return None
        if not self._spaces(instruction, popped, report):
            return None
        if name == "LLVM_select_bit_piece" and popped[2].kinds == GENERIC:
            count = instruction.operands[1]
            if isinstance(count, int) and count > self.address_bits:
                message = f"a mask of {self.address_bits} bits for {count} parts"
                report("error", "narrow-select-mask", message)
                return None
        return self._after(name, instruction, popped, rest, report)

    def _after(
        self,
        name: str,
        instruction: Instruction,
        popped: list[Known],
        rest: Shape,
        report: Report,
    ) -> Shape | None:
        operation = instruction.operation
        match name:
            case "dup" | "swap" | "rot":
                pushed = operation.function(*popped)
                return rest.pushed(*(evolve(entry, kinds=entry.kinds & ANY) for entry in pushed))
            case "convert" | "reinterpret":
                return rest.pushed(Known(TYPED if instruction.operands[-1] else GENERIC))
            case "LLVM_form_aspace_address" | "LLVM_aspace_bregx" | "mem" | "aspace_bregx":
                space = popped[0 if name == "mem" else -1].constant
                kinds = ADDRESS if space == 0 else LOCATION if space is None else OTHER_LOCATION
                if popped[0].kinds & POINTER:
                    kinds = LOCATION
                return rest.pushed(Known(kinds))
            case "stack_value" if popped[0].kinds in (GENERIC, ADDRESS):
                blank = blank_location(self.address_bits)
                return rest.pushed(Known(OTHER_LOCATION, blank, is_blank=True))
            case "LLVM_offset" | "LLVM_offset_uconst":
                return rest.pushed(Known(_as_location(popped[0].kinds)))
        if is_arithmetic(operation):
            return _arithmetic(popped, rest, report)
        if name in _COMPARISONS:
            same = _arithmetic(popped, rest, report)
            return None if same is None else rest.pushed(Known(GENERIC))
        match operation.pushes:
            case "none":
                return rest
            case "control" if name in ("skip", "bra"):
                return rest
            case "value":
                return rest.pushed(Known(_ONE_KIND.get(name, GENERIC)))
            case "location":
                return rest.pushed(Known(_ONE_KIND.get(name, LOCATION)))
            case _:
                return rest.pushed(Known(_ONE_KIND.get(name, ANY)))

    def _spaces(self, instruction: Instruction, popped: list[Known], report: Report) -> bool:
        """Return whether constant address spaces exist."""
        for entry, info in zip(popped, instruction.operation.pops, strict=True):
            space, arch = entry.constant, self.arch
            if info.name != "space" or space is None or arch is None:
                continue
            if space not in arch.address_spaces:
                message = f"{arch.name} defines no address space {space}"
                report("error", "unknown-address-space", message)
                return False
            if instruction.operation.name in ("LLVM_aspace_bregx", "aspace_bregx"):
                return _fits_base(instruction, arch, arch.address_spaces[space], report)
        return True


def _on_stack(name: str, instruction: Instruction, shape: Shape, report: Report) -> Shape | None:
    """Return the operations that see the whole stack."""
    if name in ("pick", "over"):
        index = instruction.operands[0] if name == "pick" else 1
        assert isinstance(index, int)
        if not _has(index + 1, shape, report):
            return None
        entry = shape.top[-1 - index] if index < len(shape.top) else Known()
        if entry.kinds == PARTIAL:
            report("error", "wrong-kind", f"{NAMES[PARTIAL]} cannot be copied")
            return None
        return shape.pushed(evolve(entry, kinds=entry.kinds & ANY))
    if name == "LLVM_piece_end":
        if not _has(1, shape, report):
            return None
        (top,), rest = shape.popped(1)
        if not top.kinds & PARTIAL:
            message = "no incomplete composite location description is at the top"
            report("error", "wrong-kind", message)
            return None
        return rest.pushed(Known(OTHER_LOCATION))
    if name in _STANDARD_PIECES:
        return _standard_piece(shape, report)
    return _piece(shape, report)


def _popped(instruction: Instruction, shape: Shape) -> list[Known] | None:
    """Return the entries that an operation takes, where its effect depends on no others."""
    operation = instruction.operation
    if operation.name in ("pick", "over") or operation.name.startswith("call"):
        return None
    if operation.function.__name__ in _STANDARD_PIECES:
        return None
    if "stack" not in operation.leading:
        return shape.popped(len(operation.pops))[0]
    below, has_more = shape.top[-2:], shape.most != 0 or len(shape.top) > 2
    if not below:
        return None if has_more else []
    if below[-1].kinds == PARTIAL:
        return [below[-1]]
    if below[-1].kinds & PARTIAL or (len(below) == 1 and has_more):
        return None
    if len(below) == 2 and below[0].kinds & PARTIAL:
        return list(below) if below[0].kinds == PARTIAL else None
    return [below[-1]]


def piece_bits(instruction: Instruction) -> int:
    """Return the size of the part that DW_OP_piece or DW_OP_bit_piece defines, in bits; 0 for any
    other operation."""
    name, operands = instruction.operation.name, instruction.operands
    if name not in ("piece", "bit_piece") or not isinstance(operands[0], int):
        return 0
    return operands[0] * (8 if name == "piece" else 1)


def _fits_base(
    instruction: Instruction, arch: Architecture, space: AddressSpace, report: Report
) -> bool:
    """Return whether the register of DW_OP_LLVM_aspace_bregx holds an address of the space."""
    number = instruction.operands[0]
    register = arch.registers.get(number) if isinstance(number, int) else None
    if register is None or not register.is_narrower(space.address_bits):
        return True
    message = (
        f"register {register} of {register.size_bits} bits is narrower than "
        f"the {space.address_bits}-bit addresses of {space}"
    )
    report("error", "narrow-base-register", message)
    return False


def _piece(shape: Shape, report: Report) -> Shape | None:
    """Judge DW_OP_piece and DW_OP_bit_piece: the four cases of the text."""
    partial = Known(PARTIAL)
    if not shape.top:
        return shape.pushed(partial) if shape.most == 0 else Shape((partial,), 0, None)
    (top,), rest = shape.popped(1)
    if top.kinds == PARTIAL:
        return shape
    if not top.kinds & (ACCEPTED["location"] | PARTIAL):
        message = f"a location description is required, not {_named(top.kinds)}"
        report("error", "wrong-kind", message)
        return None
    if top.kinds & PARTIAL:
        return Shape((partial,), 0, None)
    if not rest.top:
        return rest.pushed(partial) if rest.most == 0 else Shape((partial,), 0, None)
    below = rest.top[-1].kinds
    if below == PARTIAL:
        return rest
    return Shape((partial,), 0, None) if below & PARTIAL else rest.pushed(partial)


def _standard_piece(shape: Shape, report: Report) -> Shape | None:
    """Judge DW_OP_piece and DW_OP_bit_piece of DWARF 6: the composite is a location like any
    other."""
    if len(shape.top) < 2:
        most = shape.most_depth
        return Shape((Known(OTHER_LOCATION),), 0, 0 if most is not None and most < 2 else None)
    (below, top), rest = shape.popped(2)
    if not top.kinds & ACCEPTED["location"]:
        report("error", "wrong-kind", f"a location is required, not {_named(top.kinds)}")
        return None
    if not below.kinds & OTHER_LOCATION:
        message = f"a composite is required below the part, not {_named(below.kinds)}"
        report("warning" if below.kinds & REGISTER else "error", "wrong-kind", message)
        if not below.kinds & REGISTER:
            return None
    return rest.pushed(Known(OTHER_LOCATION))


def _has(needed: int, shape: Shape, report: Report) -> bool:
    """Return whether the stack can have that many entries."""
    most = shape.most_depth
    entries = "entry" if needed == 1 else "entries"
    if most is not None and most < needed:
        message = f"{needed} stack {entries} needed, the stack has {most}"
        report("error", "stack-underflow", message)
        return False
    if most is not None and shape.least_depth < needed:
        few = shape.least_depth
        message = f"{needed} stack {entries} needed, the stack has {few} on some paths"
        report("warning", "stack-underflow", message)
    return True


def _accepts(entry: Known, info: PopInfo, report: Report) -> bool:
    accepted = ACCEPTED[info.kind]
    if entry.kinds & accepted:
        return True
    noun = "a complete stack entry"
    if info.kind != "entry":
        noun = "a location description" if info.kind == "location" else "a value"
    message = f"{noun} is required as {_POSITIONS.get(info.name, f'the {info.name}')}, "
    message += f"not {_named(entry.kinds)}"
    if entry.kinds & REGISTER:
        # In a frame other than the top one, memory may hold a register.
        report("warning", "wrong-kind", f"{message}, in the top call frame")
        return True
    report("error", "wrong-kind", message)
    return False


def _is_integer(entry: Known, info: PopInfo, report: Report) -> bool:
    """Return whether an entry may be the integer that an operation requires, if it does."""
    type = entry.type
    if type is None or info.name not in _INTEGERS or entry.kinds & ACCEPTED[info.kind] != TYPED:
        return True
    if type.is_integral and type.vector_size is None:
        return True
    report("error", "wrong-kind", f"an integral type is required as the {info.name}, not {type}")
    return False


_INTEGERS: Final = frozenset(
    {"address", "displacement", "mask", "offset", "size", "space", "width"}
)
"""The names of entries that must be integers."""
_POSITIONS: Final = {
    **{name: f"the {name} entry" for name in ("top", "second", "third")},
    "zero": "the location for bits of 0",
    "one": "the location for bits of 1",
}
"""The entries whose declared name is not a noun."""


def _named(kinds: int) -> str:
    return " or ".join(name for bit, name in NAMES.items() if kinds & bit)


def _as_location(kinds: int) -> int:
    out = kinds & LOCATION
    if kinds & GENERIC:
        out |= ADDRESS
    return out | LOCATION if kinds & POINTER else out


def _arithmetic(popped: list[Known], rest: Shape, report: Report) -> Shape | None:
    """Judge arithmetic, whose operands and result have one type."""
    kinds = 0
    for entry in popped:
        kinds |= GENERIC if entry.kinds == ADDRESS else entry.kinds & (GENERIC | TYPED | ADDRESS)
    # An implicit pointer value is not an operand either: what else an entry may be counts.
    values = [entry.kinds & ~POINTER for entry in popped]
    singles = {GENERIC if kinds == ADDRESS else kinds for kinds in values}
    if singles == {GENERIC, TYPED}:
        message = "operands must have the same type, not the generic type and a base type"
        report("error", "mixed-types", message)
        return None
    if kinds & (ADDRESS | REGISTER) or not kinds:
        kinds = kinds & TYPED | GENERIC
    return rest.pushed(Known(kinds))
