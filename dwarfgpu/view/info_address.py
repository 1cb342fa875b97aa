"""Where a variable is, by its description alone, with the wording of GDB's `info address`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import signed
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocationAttribute, LocList, Unit
from dwarfgpu.expr.decode import Expression, decode
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation_budget import FREE_STEPS, OPERATION_BUDGET
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.ops.memory import TLS_ADDRESSES
from dwarfgpu.expr.ops.special_value import ENTRY_VALUES
from dwarfgpu.expr.text.assembly import instruction_text
from dwarfgpu.expr.wide_registers import register_name
from dwarfgpu.view.location_sentence import declared_bits

_TYPED: Final = ("convert", "reinterpret", "const_type", "deref_type", "regval_type")
_MARGIN: Final = 4
_DEEPEST: Final = 8
_MAX_PIECES: Final = 1_000
"""Of an expression; others are cut."""
_MAX_RANGES: Final = 10_000
_MAX_CHARACTERS: Final = 1_000
"""Of an operation without a form in GDB; blocks and numbers may have as many bytes as the file."""
_MAX_BITS: Final = 64
"""Of a number; Python makes no text of any that is thousands of digits long."""


@frozen
class Describer:
    """What a description is read with."""

    architecture: Architecture
    file: str
    """The file that has it, for variables of threads."""
    frame_base: ExprLoc | LocList | None = None
    """The frame base of the function that has the variable."""
    limits: Limits = field(factory=Limits)
    """Of these, `command_steps` bounds the list entries and bytes of operations that one command
    describes, without the first `FREE_STEPS` of each variable."""
    variable: Variable | None = None
    """The described variable, whose size decides the name of a vector register."""
    pc: int | None = None
    """Where the frame base is that of the function: GCC describes several before DWARF 4. As in
    GDB, an entry of a location list is described at its beginning."""

    def text(self, attribute: LocationAttribute | None) -> str:
        """Return `static storage at address 0x4040`, `a variable in $rdi`, `multi-location: …`;
        reads nothing. `LimitExceeded` where the command has described too much."""
        match attribute:
            case None:
                return "optimized out"
            case ConstValue(data=data):
                return self._constant(data)
            case ExprLoc(expression=expression, unit=unit):
                self._spend(len(expression) - FREE_STEPS)
                address = _static(self._decoded(expression, unit), unit)
                if address is not None:
                    return f"static storage at address {address:#x}"
                return self._expression(expression, unit)
            case LocList(entries=(), empty=()):
                return "optimized out"
            case LocList():
                return "multi-location:\n" + "".join(self._ranges(attribute))

    def _constant(self, data: bytes) -> str:
        number = int.from_bytes(data, self.architecture.endian)
        bits = 8 * len(data)
        return f"a constant with value {signed(number, bits)} ({number:#x})" if bits else "constant"

    def _ranges(self, locations: LocList) -> Iterator[str]:
        entries = locations.in_order or locations.entries
        self._spend(min(len(entries), _MAX_RANGES) - FREE_STEPS)
        free_bytes = FREE_STEPS
        for entry in entries[:_MAX_RANGES]:
            self._spend(len(entry.expression) - free_bytes)
            free_bytes = max(0, free_bytes - len(entry.expression))
            if entry.base is not None:
                yield f"  Base address {entry.base:#x}"
            where = "default"
            if entry.begin is not None and entry.end is not None:
                where = f"{entry.begin:#x}-{entry.end:#x}"
            there = self if entry.begin is None else evolve(self, pc=entry.begin)
            yield f"  Range {where}: {there._expression(entry.expression, locations.unit)}\n"
        if len(entries) > _MAX_RANGES:
            yield "  ...\n"

    def _spend(self, steps: int) -> None:
        """Count what is described for the command; nothing is evaluated."""
        budget = OPERATION_BUDGET.get()
        if steps > 0 and budget is not None:
            budget.spend(steps, self.limits, None)

    def _decoded(self, data: bytes, unit: Unit) -> Expression:
        return decode(data, unit.dialect, unit.format)

    def _expression(self, data: bytes, unit: Unit) -> str:
        """Return the pieces, one after the other."""
        if not data:
            return "optimized out"
        expression = self._decoded(data, unit)
        texts: list[str] = []
        part: list[Instruction] = []
        for instruction in expression.instructions:
            if len(texts) >= _MAX_PIECES:
                return ", and ".join([*texts, "..."])
            if _is_piece(instruction):
                bits = partial(_piece_bits, instruction)
                text = self._part(part, expression, unit, bits)
                texts.append(text + self._piece(part, [instruction]))
                part = []
            else:
                part.append(instruction)
        if part:
            texts.append(self._part(part, expression, unit, lambda: declared_bits(self.variable)))
        if expression.undecoded:
            texts.append(f"an expression that cannot be read: {expression.error}")
        return ", and ".join(texts)

    def _piece(self, part: Sequence[Instruction], piece: Sequence[Instruction]) -> str:
        if not piece:
            return ""
        count, *offset = map(_number, piece[0].operands)
        if piece[0].operation.name == "piece":
            return f" [{count}-byte piece]" if part else f"an empty {count}-byte piece"
        if not part:
            return f"an empty {count}-bit piece"
        return f" [{count}-bit piece, offset {offset[0]} bits]"

    def _part(
        self,
        part: list[Instruction],
        expression: Expression,
        unit: Unit,
        object_bits: Callable[[], int | None],
    ) -> str:
        if not part:
            return ""
        simple = self._simple(part, unit, object_bits)
        if simple is not None:
            return simple
        lines = "".join(self._lines(part, expression, unit, -part[0].offset))
        is_cut = part[-1].end < len(expression.data)
        return f"a complex DWARF expression:\n{lines}" + ("   " if is_cut else "")

    def _simple(
        self, part: list[Instruction], unit: Unit, object_bits: Callable[[], int | None]
    ) -> str | None:
        """Return what GDB has words for."""
        first, names = part[0], [instruction.operation.name for instruction in part]
        register = self._register(first, object_bits)
        if len(part) == 1 and register is not None and names[0].startswith("reg"):
            return f"a variable in ${register}"
        if len(part) == 1 and names == ["fbreg"]:
            return self._in_frame(first.operands[0])
        if len(part) == 2 and names[1] in TLS_ADDRESSES and first.operands:
            from dwarfgpu.expr.thread_location import INDEXED

            offset = first.operands[0]
            assert isinstance(offset, int)
            if names[0] in INDEXED:
                offset = unit.address(offset)
                if isinstance(unit, CompilationUnit):
                    offset = unit.thread_offset(offset)
            return (
                f"a thread-local variable at offset {offset:#x} in the thread-local storage "
                f"for `{self.file}'"
            )
        if len(part) == 2 and names[0].startswith("lit") and names[1] == "stack_value":
            return f"the constant {first.operation.number}"
        return None

    def _in_frame(self, offset: Operand) -> str | None:
        """Return where the frame base is a register and an offset."""
        base = self.frame_base
        if isinstance(base, LocList):
            matching = () if self.pc is None else base.matching(self.pc)
            base = ExprLoc(matching[0].expression, base.unit) if matching else None
        if base is None:
            return None
        instructions = list(self._decoded(base.expression, base.unit).instructions)
        register = self._register(instructions[0]) if len(instructions) == 1 else None
        if register is None:
            return None
        is_offset = instructions[0].operation.name.startswith("breg")
        first = _number(instructions[0].operands[-1]) if is_offset else 0
        sum = f"{_decimal(first)}+{_decimal(_number(offset))}"
        return f"a variable at frame base reg ${register} offset {sum}"

    def _register(
        self, instruction: Instruction, object_bits: Callable[[], int | None] | None = None
    ) -> str | None:
        """Return the register of `reg5`, `breg5`, `regx` and `bregx`.

        `object_bits` returns the size of the object in it.
        """
        operation = instruction.operation
        if not operation.name.removeprefix("GNU_").startswith(("reg", "breg")):
            return None
        number = operation.number
        if number is None:
            number = instruction.operands[0] if isinstance(instruction.operands[0], int) else None
        return None if number is None else register_name(self.architecture, number, object_bits)

    # Operations, one in a line

    def _lines(
        self,
        part: Sequence[Instruction],
        expression: Expression,
        unit: Unit,
        base: int,
        depth: int = 0,
    ) -> Iterator[str]:
        width = _MARGIN + 2 * depth
        for instruction in part:
            text = self._operation(instruction, expression, unit)
            yield f"  {base + instruction.offset:>{width}}: {text}\n"
            if instruction.operation.name in ENTRY_VALUES and depth < _DEEPEST:
                (inner,) = instruction.operands
                assert isinstance(inner, bytes)
                nested = decode(inner, expression.dialect, expression.format)
                start = base + instruction.end - len(inner)
                yield from self._lines(nested.instructions, nested, unit, start, depth + 1)

    def _operation(self, instruction: Instruction, expression: Expression, unit: Unit) -> str:
        """Return `DW_OP_breg4 1 [$rsi]`; operations without a form in GDB are in dwarfgpu's."""
        name, register = instruction.operation.name, self._register(instruction)
        title = instruction.operation.title
        if name in ENTRY_VALUES:
            return title
        if name.removeprefix("GNU_") in _TYPED:
            return f"{title}{_typed(instruction, unit)}" + (f" [${register}]" if register else "")
        operands = [operand for operand in instruction.operands if isinstance(operand, int)]
        if register is not None and name.startswith("bregx"):
            offset = _decimal(operands[1])
            return f"{title} register {operands[0]} [${register}] offset {offset}"
        if register is not None:
            return f"{title}{''.join(f' {_decimal(number)}' for number in operands)} [${register}]"
        if name in ("bra", "skip"):
            return f"{title} to {instruction.end + operands[0]}"
        is_number = name.startswith("const") and name not in ("constx", "const_type")
        if is_number or name in ("fbreg", "plus_uconst", "pick", "deref_size", "xderef_size"):
            return f"{title} {_decimal(operands[0])}"
        dialect, form = expression.dialect, expression.format
        text = instruction_text(instruction, self.architecture, dialect, form)
        return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


def _typed(instruction: Instruction, unit: Unit) -> str:
    """Return the base type of an operation, and what else it has but a register."""
    operands = instruction.operands
    name = instruction.operation.name.removeprefix("GNU_")
    offset = _number(operands[0] if name not in ("regval_type", "deref_type") else operands[1])
    try:
        kind = f"<{unit.base_type(offset).name} [{offset:#x}]>" if offset else "<0>"
    except DwarfGpuError:
        kind = f"<? [{offset:#x}]>"
    if name == "deref_type":
        return f"{kind} {_number(operands[0])}-byte"
    if isinstance(operands[-1], bytes):
        text = operands[-1].hex(" ")
        shown = text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."
        return f"{kind} {len(operands[-1])} byte block: {shown}"
    return kind


def _decimal(number: int) -> str:
    bits = number.bit_length()
    return str(number) if bits <= _MAX_BITS else f"(a number of {bits} bits)"


def _number(operand: Operand) -> int:
    assert isinstance(operand, int)
    return operand


def _piece_bits(instruction: Instruction) -> int:
    count = _number(instruction.operands[0])
    return 8 * count if instruction.operation.name == "piece" else count


def _is_piece(instruction: Instruction) -> bool:
    return instruction.operation.name in PIECES


def _static(expression: Expression, unit: Unit) -> int | None:
    """Return the address, as loaded, of an expression that is just an address."""
    instructions = expression.instructions
    if len(instructions) != 1 or expression.undecoded:
        return None
    operand = instructions[0].operands[0] if instructions[0].operands else None
    if not isinstance(operand, int):
        return None
    match instructions[0].operation.name:
        case "addr":
            return unit.relocate(operand)
        case "addrx" | "GNU_addr_index":
            return unit.relocate(unit.address(operand))
        case _:
            return None
