"""The effect of an operation on an abstract stack, derived from its declaration.

Law: abstract facts hold on every path, so that whatever they exclude is certain.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType, merged
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import DwarfGpuError, IllFormed
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.static_check.abstract_value import (
    ADDRESS,
    ANY,
    GENERIC,
    LOCATION,
    OTHER_LOCATION,
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
from dwarfgpu.expr.static_check.operand_kinds import (
    accepts,
    as_location,
    fits_base,
    has_entries,
    is_integer,
    is_not_below_zero,
    moved_by_bits,
    of_one_type,
    register_kinds,
)
from dwarfgpu.expr.static_check.piece_effects import (
    before_piece_bits,
    on_stack,
    piece_bits,
    popped_by,
)
from dwarfgpu.expr.static_check.severity import Report, Severity
from dwarfgpu.expr.static_check.stack_shape import UNKNOWN_SHAPE, Shape
from dwarfgpu.expr.static_check.wide_operands import dropped_from_entry
from dwarfgpu.expr.steps import Perform
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Repeated
from dwarfgpu.model.value import Value

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
    "GNU_variable_value": GENERIC | POINTER,
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
}
"""Where the declaration says only `Value` or `Location`: what it pushes, by the function."""
CALLS: Final = frozenset({"call2", "call4", "call_ref"})
_COMPARISONS: Final = frozenset({"eq", "ge", "gt", "le", "lt", "ne"})
_CONVERSIONS: Final = frozenset({"convert", "reinterpret"})


@frozen
class Transfer:
    """The effect of operations, on one architecture."""

    arch: Architecture | None
    form: UnitFormat
    base_types: BaseTypes = field(factory=dict)
    widens_bases: bool = False
    """Whether narrow bases of addresses are read as compilers mean them (`Context`)."""
    merges_signed: bool = False
    """Whether a signed base type and the generic type may be one type (`Context`)."""
    context: Context = field(init=False)

    @context.default
    def _context(self) -> Context:
        context = knowing(self.arch, self.form, self.widens_bases, self.merges_signed)
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
        of_kinds: list[str] = []

        def report_kind(severity: Severity, rule: str, message: str) -> None:
            of_kinds.append(rule)
            report(severity, rule, message)

        after = self._declared(instruction, shape, report_kind)
        if after is None or not after.top:
            return after
        entries = popped_by(instruction, shape)
        if entries is None:
            return after
        if self._is_large(instruction, entries, report):
            return None
        name = instruction.operation.function.__name__
        if name == "regval_type":  # where the register is depends on the frame
            return self._typed(instruction, perform, entries, after, report)
        is_guess = (
            instruction.operation.name in ("div", "mod")
            and entries[0].entry is None
            and isinstance(entries[1].entry, Value)
        )
        try:
            # A divisor of 0 fails with any dividend, as with itself.
            result = performed(perform, 2 * entries[1:] if is_guess else entries, self.context)
        except DwarfGpuError as error:
            if name in _CONVERSIONS and not isinstance(error, IllFormed):
                return after
            rule = rule_of(error, instruction)
            if any(entry.in_top_frame for entry in entries):
                if "wrong-kind" not in (rule, *of_kinds):  # the kinds reported it already
                    report("warning", rule, f"{error.message}, in the top call frame")
                return after
            report("error", rule, error.message)
            return None
        if result is None or is_guess:
            return self._typed(instruction, perform, entries, after, report)
        if result.in_top_frame:
            kinds = register_kinds(result) or after.top[-1].kinds
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
        composite_bits = before_piece_bits(instruction, entries)
        if self.arch is None or composite_bits is None:
            return False
        size_bits = piece_bits(instruction) + composite_bits
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
        if name in CALLS:
            return UNKNOWN_SHAPE
        if "stack" in operation.leading:
            return on_stack(name, instruction, shape, report)
        if not has_entries(len(operation.pops), shape, report):
            return None
        popped, rest = shape.popped(len(operation.pops))
        for entry, info in zip(popped, operation.pops, strict=True):
            if not accepts(entry, info, report) or not is_integer(entry, info, report):
                return None
            if not is_not_below_zero(instruction, entry, info, report):
                return None
        if not self._spaces(instruction, popped, report):
            return None
        kind = self._type_of(popped[0]) if name == "plus_uconst" else None
        dropped = None if kind is None else dropped_from_entry(instruction, kind)
        if dropped is not None:
            report("warning", "wide-number", dropped)
        mask = self._type_of(popped[2]) if name == "LLVM_select_bit_piece" else None
        if mask is not None:
            count = instruction.operands[1]
            if isinstance(count, int) and count > mask.bit_size:
                message = f"a mask of {mask.bit_size} bits for {count} parts"
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
                known_space = space if kinds == OTHER_LOCATION else None
                return rest.pushed(Known(kinds, space=known_space))
            case "stack_value" if popped[0].kinds in (GENERIC, ADDRESS):
                blank = blank_location(self.address_bits)
                return rest.pushed(Known(OTHER_LOCATION, blank, is_blank=True))
            case "LLVM_extend" | "LLVM_select_bit_piece":  # whatever the parts are, it has its size
                size_bits, count = instruction.operands
                assert isinstance(size_bits, int) and isinstance(count, int)
                return rest.pushed(
                    Known(OTHER_LOCATION, _elements(size_bits, count), is_blank=True)
                )
            case "LLVM_offset" | "LLVM_offset_uconst":
                kinds = as_location(popped[0].kinds)
                return rest.pushed(Known(kinds, space=popped[0].space))
            case "LLVM_bit_offset":
                return rest.pushed(Known(moved_by_bits(popped[0].kinds, popped[1].constant)))
        if is_arithmetic(operation):
            return self._of_one_type(popped, rest, report)
        if name in _COMPARISONS:
            same = self._of_one_type(popped, rest, report)
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

    def _of_one_type(self, popped: list[Known], rest: Shape, report: Report) -> Shape | None:
        """Judge arithmetic, whose operands have one type, or two that are merged."""
        result = self._merged(popped) if self.merges_signed else None
        if result is None:
            return of_one_type(popped, rest, report)
        if result.type is not None:
            report("note", "mixed-types", f"{result.type} and the generic type count as one type")
        return rest.pushed(result)

    def _merged(self, popped: list[Known]) -> Known | None:
        """Return the result of operands of two types that are merged, or may be where the base type
        is unknown; None for any other ones."""
        types = [self._type_of(entry) for entry in popped]
        bases = [entry for entry in popped if entry.kinds & ~POINTER == TYPED]
        if len(bases) != 1 or not any(type_ is not None and type_.is_generic for type_ in types):
            return None
        base = bases[0].type
        is_another = base is not None and merged(base, self.context.generic) is None
        return None if is_another else Known(TYPED, type=base)

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
            is_base = instruction.operation.name in ("LLVM_aspace_bregx", "aspace_bregx")
            if is_base and not self.widens_bases:
                return fits_base(instruction, arch, arch.address_spaces[space], report)
        return True


def _elements(size_bits: int, count: int) -> Location:
    """Return a composite of elements with unknown bits."""
    element = blank_location(size_bits)
    return Location((SingleLocation(Repeated(element, size_bits, count)),))
