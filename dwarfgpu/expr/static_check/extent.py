"""How much of an object an expression describes, judged by its operations alone (A.2.5.4.4).

Law: nothing is evaluated and nothing guessed. The result holds in every context, with an
architecture in every one of that architecture; if a branch, a call or a lane operation decides, it
is `depends`, with that operation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.leb128 import decode as decode_groups
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import define, evolve, field, frozen
from dwarfgpu.expr.bind import Program, bind
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import CACHED_BYTES, decode_once
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.static_check.abstract_stack import Transfer
from dwarfgpu.expr.static_check.abstract_value import PARTIAL, BaseTypes, Known
from dwarfgpu.expr.static_check.operand_rules import wrong_operands
from dwarfgpu.expr.static_check.piece_effects import piece_bits
from dwarfgpu.expr.static_check.severity import Severity
from dwarfgpu.expr.static_check.stack_shape import Shape
from dwarfgpu.expr.steps import Perform
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Implicit, ImplicitPointer

Completeness = Literal["whole", "partly", "depends", "nothing", "broken"]
"""All of the object; parts of it; decided by the context; none of it; every evaluation fails."""
DESCRIBED: Final = frozenset({"whole", "partly", "depends"})
"""Completeness of a description of at least a part of the object, or perhaps of one."""
_ADDR: Final = 0x03
_BREG0: Final = 0x70
_FBREG: Final = 0x91
_STACK_VALUE: Final = 0x9F
_CONSTANTS: Final = {0x08: 1, 0x09: 1, 0x0A: 2, 0x0B: 2, 0x0C: 4, 0x0D: 4}
"""The sizes in bytes of the operands of DW_OP_const1u to DW_OP_const4s."""
_FIRST: Final = re.compile(
    rb"([\x70-\x8f]|[\x90\x91\xa1])([\x80-\xff]{0,8})[\0-\x7f]"
    rb"|\x92([\x80-\xff]{0,8})[\0-\x7f]([\x80-\xff]{0,8})[\0-\x7f]"
)
"""DW_OP_breg0 to DW_OP_breg31, DW_OP_regx, DW_OP_fbreg and DW_OP_addrx with an operand of at most
63 bits, and DW_OP_bregx with two."""


@frozen
class Extent:
    """What holds for every result of an expression."""

    completeness: Completeness
    undefined: tuple[tuple[int, int], ...] = ()
    """First bit and number of the bits of the object that are described as nowhere."""
    size_bits: int | None = None
    """Size of a composite, or of a value; None if the description has no size of its own."""
    reason: str | None = None
    """What decides, or why every evaluation fails."""
    is_value: bool = False
    """Whether the size is that of a value: what is beyond it cannot be read."""

    @property
    def is_described(self) -> bool:
        """Whether at least a part of the object is, or may be, described."""
        return self.completeness in DESCRIBED

    def of_object(self, object_bits: int | None) -> Extent:
        """Return the extent for an object of a size: what a composite leaves out at its end is
        nowhere."""
        if self.size_bits is None or object_bits is None:
            return self
        inside = [
            (first, min(count, object_bits - first))
            for first, count in self.undefined
            if first < object_bits
        ]
        if self.size_bits < object_bits:
            inside.append((self.size_bits, object_bits - self.size_bits))
        return evolve(_composite(_joined(inside), object_bits), is_value=self.is_value)


def extent_of(
    data: bytes,
    dialect: Dialect,
    form: UnitFormat,
    arch: Architecture | None = None,
    base_types: BaseTypes | None = None,
) -> Extent:
    """Return the extent of an object that an expression describes; never raises.

    `arch`: None if nothing is known of registers and address spaces. `base_types`: those to which
    the expression refers, if known; one that is not may be any.
    """
    if base_types:
        return by_declarations(data, dialect, form, arch, base_types)
    return (_kept if len(data) <= CACHED_BYTES else _extent_of)(data, dialect, form, arch)


def depends_on_types(data: bytes, dialect: Dialect, form: UnitFormat) -> bool:
    """Return whether the types of operands may decide that an evaluation fails."""
    operations = [
        instruction.operation
        for instruction in decode_once(data, dialect, form).instructions.distinct
    ]
    return any(operation.is_of_one_type for operation in operations)


def frame_base_use(data: bytes, dialect: Dialect, form: UnitFormat) -> Instruction | None:
    """Return the first DW_OP_fbreg that every evaluation of an expression performs, or that fails
    before; None if none does for certain."""
    if _FBREG not in data:
        return None
    instructions = decode_once(data, dialect, form).instructions
    if any(instruction.operation.transfers for instruction in instructions.distinct):
        return None
    return next((one for one in instructions if one.operation.name == "fbreg"), None)


def _extent_of(
    data: bytes, dialect: Dialect, form: UnitFormat, arch: Architecture | None
) -> Extent:
    alike = with_zero(data, form)
    if alike is not None and alike != data:
        return _kept(alike, dialect, form, arch)
    extent = _of_parts(data, dialect, form, arch)
    if extent is not None:
        return extent
    alike = _with_any_base(data, arch)
    if alike is not None and alike != data:
        extent = _kept(alike, dialect, form, arch)
        if extent.reason is None:  # a reason may name the register
            return extent
    return by_declarations(data, dialect, form, arch)


def _with_any_base(data: bytes, arch: Architecture | None) -> bytes | None:
    """Return an expression that begins with a register, or an address that only the context has,
    with the first register like it and offset 0 in as many bytes; None for any other expression,
    and a register that does not exist.

    Without a context, operations know no more of one offset, or register of a type, than of
    another.
    """
    match = _FIRST.match(data)
    if match is None:
        return None
    name, more, register, offset = match.groups()
    if name in (b"\x91", b"\xa1"):  # DW_OP_fbreg, DW_OP_addrx
        first = name + b"\x80" * len(more) + b"\0"
        return first + data[match.end() :]
    if name is not None and name < b"\x90":
        number = name[0] - _BREG0
    else:
        number = decode_groups(data[1 : 2 + len(register if name is None else more)])
    alike = 0 if arch is None else _first_alike(arch).get(number)
    if alike is None:
        return None
    if name is None:
        first = b"\x92" + _padded(alike, 1 + len(register)) + b"\x80" * len(offset) + b"\0"
    elif name == b"\x90":
        first = name + _padded(alike, 1 + len(more))
    else:
        first = bytes((_BREG0 + alike,)) + b"\x80" * len(more) + b"\0"
    return first + data[match.end() :]


def _padded(number: int, size_bytes: int) -> bytes:
    """Return the unsigned LEB128 of a number in as many bytes, which are enough."""
    shortest = encode_uleb(number)
    more = size_bytes - len(shortest)
    if not more:
        return shortest
    return shortest[:-1] + bytes((shortest[-1] | 0x80,)) + b"\x80" * (more - 1) + b"\0"


@lru_cache(maxsize=8)
def _first_alike(arch: Architecture) -> Mapping[int, int]:
    """Return the smallest number of a register of the same type, by the number of each register
    that is listed."""
    first: dict[tuple[BaseType, bool], int] = {}
    registers = sorted(arch.registers.items())
    return {
        number: first.setdefault((info.type, info.is_widened), number) for number, info in registers
    }


def with_zero(data: bytes, form: UnitFormat) -> bytes | None:
    """Return an expression that is an address or a constant, and its DW_OP_stack_value, with 0 for
    the number; None for any other expression.

    Nothing that is judged about an address, or a constant that fits one, depends on the number.
    """
    if not data:
        return None
    size = form.address_size if data[0] == _ADDR else _CONSTANTS.get(data[0])
    if size is None or size > form.address_size:
        return None
    rest = data[1 + size :]
    is_whole = len(data) == 1 + size or (len(data) == 2 + size and data[-1] == _STACK_VALUE)
    return data[:1] + bytes(size) + rest if is_whole else None


def by_declarations(
    data: bytes,
    dialect: Dialect,
    form: UnitFormat,
    arch: Architecture | None = None,
    base_types: BaseTypes | None = None,
) -> Extent:
    """Return the extent of any expression, by the declarations of its operations."""
    program = bind(decode_once(data, dialect, form))
    transfer = _transfer(arch, form, dialect, base_types or {})
    if dialect.dwarf6:
        standard = _of_standard(program, transfer)
        if standard is not None:
            return standard
    if any(instruction.operation.transfers for instruction in program.instructions.distinct):
        return _of_branches(program, transfer)
    return _of_straight(program, transfer)[0]


def _transfer(
    arch: Architecture | None, form: UnitFormat, dialect: Dialect, base_types: BaseTypes
) -> Transfer:
    """Return the effect of operations as compilers mean them: whether that is a fault, `check`
    says."""
    return Transfer(
        arch,
        form,
        base_types,
        widens_bases=arch is not None and arch.widens_bases,
        merges_signed=dialect.is_of_compilers,
    )


def _of_straight(program: Program, transfer: Transfer) -> tuple[Extent, int]:
    """Return the extent where no operation transfers control, and how many entries the stack has
    then."""
    instructions = program.instructions
    shape = Shape((), 0, 0)
    pieces = _Pieces()
    before: Instruction | None = None
    for instruction, perform in zip(instructions, program.steps, strict=True):
        findings = _Findings()
        if instruction.operation.name in PIECES:
            pieces.add(instruction, shape, before)
        after = _after(instruction, perform, shape, transfer, findings)
        if after is None:
            return findings.failure(instruction), 0
        shape, before = after, instruction
    if program.expression.error is not None:
        return Extent("broken", reason=str(program.expression.error)), 0
    return _of_result(instructions, shape, pieces), shape.least_depth


def _after(
    instruction: Instruction,
    perform: Perform,
    shape: Shape,
    transfer: Transfer,
    findings: _Findings,
) -> Shape | None:
    """Return the stack after an operation; None, with a finding, if it certainly fails."""
    arch = transfer.arch
    wrong = wrong_operands(instruction, arch, transfer.generic_bytes)
    is_unlisted = wrong is not None and wrong[0] == "unknown-register"
    if is_unlisted and arch is not None and not arch.has_every_register:  # it may exist
        unknown = evolve(transfer, arch=None, widens_bases=False)
        return unknown(instruction, perform, shape, findings.add)
    if wrong is not None and wrong[0] != "narrow-base-register":  # the step knows more of these
        findings.add("error", *wrong)
        return None
    return transfer(instruction, perform, shape, findings.add)


def _of_standard(program: Program, transfer: Transfer) -> Extent | None:
    """Return the extent of an expression of DWARF 6 that makes a composite; None if it makes none.

    A composite is followed while its parts come one after the other, above nothing else.
    """
    names = [instruction.operation.name for instruction in program.instructions]
    if not _COMPOSITES_6.intersection(names):
        return None
    if names == ["undefined"]:
        return Extent("nothing")
    shape, parts, size_bits, is_begun = Shape((), 0, 0), list[tuple[int, int]](), 0, False
    for index, instruction in enumerate(program.instructions):
        operation, name, depth = instruction.operation, names[index], len(shape.top)
        findings = _Findings()
        after = _after(instruction, program.steps[index], shape, transfer, findings)
        if after is None:
            return findings.failure(instruction)
        if name in PIECES and depth <= 1 + is_begun:
            count = piece_bits(instruction)
            if count and (depth == is_begun or names[index - 1] == "undefined"):
                parts.append((size_bits, count))
            size_bits, is_begun = size_bits + count, True
        elif name == "composite" and not depth:
            is_begun = True
        elif (
            operation.transfers
            or (name in _COMPOSITES_6 and names[index : index + 2] not in _UNDEFINED_PARTS)
            or (is_begun and ("stack" in operation.leading or depth <= len(operation.pops)))
        ):
            return Extent("depends", reason=f"depends on {operation.title}")
        if after.most != 0:
            return Extent("depends", reason=f"depends on {operation.title}")
        shape = after
    if program.expression.error is not None:
        return Extent("broken", reason=str(program.expression.error))
    if names[-1] not in PIECES:
        return Extent("depends", reason=f"depends on {program.instructions[-1].operation.title}")
    return _composite(_joined(parts), size_bits)


def _of_parts(
    data: bytes, dialect: Dialect, form: UnitFormat, arch: Architecture | None
) -> Extent | None:
    """Return the extent of a composite that is the sum of its parts, as nearly all are; None of any
    other."""
    if 0x93 not in data and 0x9D not in data:  # opcodes of DW_OP_piece and DW_OP_bit_piece
        return None
    from dwarfgpu.expr.cut_composite import (
        composite_parts,
    )  # most variables have one single location

    parts = composite_parts(dialect, form).cut(data)
    if not parts:
        return None
    undefined: list[tuple[int, int]] = []
    size_bits = 0
    for part in parts:
        extent = _of_part(part, dialect, form, arch)
        if extent is None or extent.size_bits is None:
            return None
        undefined += [(size_bits + first, count) for first, count in extent.undefined]
        size_bits += extent.size_bits
    if arch is not None and size_bits > arch.largest_space_bits:
        return None
    return _composite(_joined(undefined), size_bits)


@lru_cache(maxsize=4096)
def _of_part(
    data: bytes, dialect: Dialect, form: UnitFormat, arch: Architecture | None
) -> Extent | None:
    """Return the extent of a part by itself; None where it leaves more than the part on the stack,
    so that the part after it would begin another composite."""
    extent, depth = _of_straight(
        bind(decode_once(data, dialect, form)), _transfer(arch, form, dialect, {})
    )
    return extent if depth == 1 else None


def _of_branches(program: Program, transfer: Transfer) -> Extent:
    """Return the extent of an expression that goes only forward, and leaves a whole entry on every
    way to its end; what any other one describes depends on where it goes."""
    instructions = program.instructions
    first = next(instruction for instruction in instructions if instruction.operation.transfers)
    depends = Extent("depends", reason=f"depends on {first.operation.title}")
    names = {instruction.operation.name for instruction in instructions.distinct}
    if names & {*PIECES, "LLVM_undefined", "LLVM_piece_end"} or program.expression.error:
        return depends
    arriving: dict[int, Shape] = {0: Shape((), 0, 0)}
    for index, instruction in enumerate(instructions):
        shape = arriving.pop(index, None)
        if shape is None:  # no way leads here
            continue
        after = _after(instruction, program.steps[index], shape, transfer, _Findings())
        targets = [index + 1]
        if instruction.operation.name in ("bra", "skip"):
            (by,) = instruction.operands
            target = program.index_at(instruction.end + by) if isinstance(by, int) else None
            targets = (
                [target or 0] if instruction.operation.name == "skip" else [index + 1, target or 0]
            )
        elif instruction.operation.transfers:
            return depends
        if after is None or min(targets) <= index:
            return depends
        for target in targets:
            earlier = arriving.get(target)
            arriving[target] = after if earlier is None else earlier.joined(after)
    end = arriving.get(len(instructions))
    return depends if end is None or not end.least_depth else Extent("whole")


_COMPOSITES_6: Final = frozenset(
    {
        *PIECES,
        "composite",
        "undefined",
        "overlay",
        "bit_overlay",
        "LLVM_overlay",
        "LLVM_bit_overlay",
    }
)
_UNDEFINED_PARTS: Final = tuple(["undefined", name] for name in PIECES)
_kept = lru_cache(maxsize=4096)(_extent_of)


@define
class _Pieces:
    """The composite that is being made: its size, and which parts are undefined."""

    size_bits: int = 0
    undefined: list[tuple[int, int]] = field(factory=list)
    begun: int = 0
    """Number of composites so far: beyond one, only whether some part is undefined is tracked."""
    is_nowhere: bool = False
    """Whether any part of any of them is undefined."""

    def add(self, piece: Instruction, shape: Shape, before: Instruction | None) -> None:
        """Add one part; the first of a composite resets the extent (A.2.5.4.4.6)."""
        top = shape.top[-1].kinds if shape.top else None
        if top != PARTIAL and (len(shape.top) < 2 or shape.top[-2].kinds != PARTIAL):
            self.size_bits, self.undefined, self.begun = 0, [], self.begun + 1
        size_bits = piece_bits(piece)
        is_undefined = before is not None and before.operation.name == "LLVM_undefined"
        if (top in (None, PARTIAL) or is_undefined) and size_bits:
            self.undefined.append((self.size_bits, size_bits))
            self.is_nowhere = True
        self.size_bits += size_bits


@define
class _Findings:
    """The last finding about one operation."""

    severity: Severity = "error"
    message: str = "fails"

    def add(self, severity: Severity, rule: str, message: str) -> None:
        self.severity, self.message = severity, message

    def failure(self, instruction: Instruction) -> Extent:
        """Return the extent of an operation that certainly has no result; an unsupported one may
        have."""
        title = instruction.operation.title
        reason = f"{title} at offset {instruction.offset:#x}: {self.message}"
        return Extent("broken" if self.severity == "error" else "depends", reason=reason)


def _of_result(instructions: Instructions, shape: Shape, pieces: _Pieces) -> Extent:
    names = [instruction.operation.name for instruction in instructions]
    if not shape.top or names[-1] == "LLVM_undefined":
        return Extent("nothing")
    for name, following in pairwise(names):
        if name == "LLVM_undefined" and following not in PIECES:
            return Extent("depends", reason="depends on what DW_OP_LLVM_undefined is used for")
    is_composite = shape.top[-1].kinds == PARTIAL or names[-1] == "LLVM_piece_end"
    if is_composite and pieces.begun == 1:
        return _composite(_joined(pieces.undefined), pieces.size_bits)
    if pieces.is_nowhere:
        return Extent("depends", reason=f"depends on {instructions[-1].operation.title}")
    value_bits = _value_bits(shape.top[-1])
    return Extent("whole", size_bits=value_bits, is_value=value_bits is not None)


def _value_bits(result: Known) -> int | None:
    """Return the bits from a result to the end of the value, or of the implicit pointer, in which
    it is; None if it is in neither, or that is unknown."""
    location = result.entry
    if not isinstance(location, Location) or result.in_top_frame:
        return None
    is_value = isinstance(location.single_locations[0].storage, Implicit | ImplicitPointer)
    return result.remaining_bits if is_value else None


def _composite(undefined: tuple[tuple[int, int], ...], size_bits: int) -> Extent:
    undefined_bits = sum(count for _, count in undefined)
    if not undefined_bits:
        return Extent("whole", (), size_bits)
    return Extent("nothing" if undefined_bits == size_bits else "partly", undefined, size_bits)


def _joined(ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Merge adjacent ranges; they are already sorted."""
    out: list[tuple[int, int]] = []
    for first, count in ranges:
        if out and sum(out[-1]) == first:
            out[-1] = (out[-1][0], out[-1][1] + count)
        else:
            out.append((first, count))
    return tuple(out)
