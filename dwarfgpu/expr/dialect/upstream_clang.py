"""How upstream clang describes AMDGPU variables (`docs/dialects.md`).

Read literally, its output names the wrong place. It has no lane operations: a vector register means
the focused lane's dword of it, and a final `litN, swap, xderef` means an address space in clang's
own numbers, where a literal reading fetches the variable's contents and takes them for its address.
Triton and other compilers that use upstream LLVM write the same operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Protocol

from dwarfgpu.arch.amdgpu import GLOBAL, PRIVATE_LANE, VECTOR_REGISTERS
from dwarfgpu.arch.model import NO_APERTURES
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import Ambiguous, DwarfGpuError, EvaluationError
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.dialect.vgpr_contents import (
    LANE_BITS,
    TWO_READINGS,
    End,
    based_two_ways,
    lane_of_register,
    lane_value,
    typed_two_ways,
)
from dwarfgpu.expr.implicit_conversions import as_value, memory_location
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.operation import OPERATIONS, Operation, PopInfo
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.ops.memory import base_address
from dwarfgpu.expr.ops.register import regx
from dwarfgpu.expr.segments import LOADED_SPACES, with_offsets
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.storage import Implicit, ImplicitPointer, Memory, Register
from dwarfgpu.model.value import Value

ADDRESS_SPACES = {1: 5, 2: 3, 5: 5, 3: 3}
"""Clang's number to DWARF's: 1 private and 2 local until LLVM 21, then 5 and 3."""

OBJECT = (
    "upstream clang: DW_OP_deref in the frame reads the pointer to a parameter, of 32 bits in "
    "private memory, or the generic one to a variable"
)
"""The note on an object whose address is in a stack slot: a class that is passed by value, a
result that is made where the caller wants it, an object that a structured binding takes apart."""

_INTERPRETATIONS = {
    "lit": "upstream clang: its own number of an address space, as DWARF's",
    "LLVM_form_aspace_address": "upstream clang: a final swap, xderef names an address space",
    "fbreg": "upstream clang: DW_OP_plus_uconst is part of the offset in private memory",
    "regx": "upstream clang: a vector register is the focused lane's dword of it",
    "regval_type": TWO_READINGS,
    "bregx": TWO_READINGS,
    "deref": OBJECT,
    "plus": "upstream clang: the distance of a virtual base class moves the location of the object",
    "lane's dword": "upstream clang: DW_OP_bregx of a vector register, whose value is computed "
    "from, is the focused lane's dword of it",
}
"""The note for observers on each operation that is read differently."""

_TO_VIRTUAL_BASE = ("dup", "deref", "constu", "minus", "deref", "plus")
"""The operations of LLVM's DW_AT_data_member_location of a virtual base class."""

_SCRATCH_BASES = frozenset({64, 65})
"""DWARF's numbers of s32 and s33, clang's stack and frame pointer."""
SCRATCH = (
    "upstream clang: DW_OP_bregx of the stack or frame pointer is in the focused lane's private "
    "memory"
)
"""The note on DW_OP_bregx of s32 and s33. Of a pointer it has two readings: clang describes the
memory of a variable and the address of an array that a pointer holds in the same way."""
LANE_VALUE = (
    "upstream clang: DW_OP_bregx of a vector register computes with the focused lane's dword"
)
"""The note on a value that is computed from a vector register."""
FRAME_BASE = "upstream clang: the frame base is in the focused lane's private memory"
"""The note on DW_OP_fbreg; omitted if there is no frame base."""
KERNEL_FRAME_BASE = (
    "upstream clang: the frame base of a kernel without DW_AT_frame_base is the start of the "
    "focused lane's private memory"
)
"""The note on DW_OP_fbreg in such a kernel."""


def unplaced(name: str) -> str:
    """Return the note on a location at the start of LDS, which several variables may share."""
    return (
        "upstream clang writes the offset 0 for every LDS variable: in a kernel with several of "
        f"them, {name} may have the place and the value of another one"
    )


@frozen
class Translation:
    """Instructions as intended, and notes on what is read differently."""

    instructions: Instructions
    notes: tuple[str, ...]


def translated(instructions: Instructions) -> Translation:
    """Return the instructions that clang means; each keeps its offset and its bytes.

    An expression that uses operations of the AMD text is none of clang's: it is read literally.
    """
    if any(instruction.operation.name.startswith("LLVM_") for instruction in instructions.distinct):
        return Translation(with_offsets(instructions), ())
    if leads_to_virtual_base(instructions):
        *before, plus = instructions
        meant = _as(plus, _interpreted("plus", "plus", _moved))
        return Translation(Instructions([*before, meant]), (_INTERPRETATIONS["plus"],))
    instructions = with_offsets(instructions, _is_loaded)
    adapted, notes = _without_suffixes(_with_offsets_in_frame(instructions))
    adapted = _with_objects_behind_slots(adapted)
    computed = _computed(adapted)
    out: list[Instruction] = []
    for index, instruction in enumerate(adapted):
        following = adapted[index + 1] if index + 1 < len(adapted) else None
        name = instruction.operation.name
        register = instruction.operands[0] if instruction.operands else None
        if name == "bregx" and register in VECTOR_REGISTERS and index in computed:
            instruction = _as(instruction, _interpreted("lane's dword", "bregx", lane_value))
            notes.append(LANE_VALUE)
        elif name == "bregx" and register in VECTOR_REGISTERS:
            instruction = _with(instruction, "bregx", based_two_ways(*_end_after(adapted, index)))
            notes = []  # the error, or the note on what is assumed, has the text
        elif name == "regx" and register in VECTOR_REGISTERS:
            instruction = _with(instruction, "regx", lane_of_register(_piece(following)))
            notes.append("upstream clang: a vector register read as the focused lane's dword")
        elif name == "regval_type" and register in VECTOR_REGISTERS:
            instruction = _with(instruction, "regval_type", typed_two_ways)
            notes = []
        elif name == "bregx" and register in _SCRATCH_BASES:
            is_whole = following is None or following.operation.name in PIECES
            instruction = _as(instruction, _scratch_base(is_whole))
            notes.append(SCRATCH)
            if following is not None and following.operation.name == "deref":
                instruction = _with(instruction, "bregx", _ambiguous_pointer)
                notes = []  # the error has the text
        elif name == "fbreg":
            notes.append(FRAME_BASE)
        elif instruction.operation.interpretation == OBJECT:
            notes.append(OBJECT)
        out.append(instruction)
    return Translation(Instructions(out), tuple(dict.fromkeys(notes)))


def leads_to_virtual_base(instructions: Sequence[Instruction]) -> bool:
    """Return whether an expression adds to an object, which is its initial stack, the distance of a
    virtual base class from the object's virtual function table, as LLVM writes it for every memory.

    No variable has such a location: it begins with DW_OP_dup.
    """
    return (
        len(instructions) == len(_TO_VIRTUAL_BASE)
        and tuple(instruction.operation.name for instruction in instructions) == _TO_VIRTUAL_BASE
    )


def _end_after(instructions: Sequence[Instruction], index: int) -> tuple[End, int]:
    """Return whether the location, or a part of it, ends after an operation, and the bits that its
    piece needs."""
    last = index + 1
    end: End = "none"
    if _ends_part(instructions, last):
        end = "here"
    elif instructions[last].operation.interpretation == _INTERPRETATIONS["lit"]:
        last, end = index + 3, "space"
    piece = instructions[last] if end != "none" and last < len(instructions) else None
    return end, _piece(piece)


def _computed(instructions: Sequence[Instruction]) -> frozenset[int]:
    """Return the positions of the operations that compute a value, of all or of a piece.

    Such operations end in DW_OP_stack_value, in a straight line, and read nothing that a register
    could be the address of.
    """
    positions: set[int] = set()
    start = 0
    for index in range(len(instructions) + 1):
        if index < len(instructions) and instructions[index].operation.name not in PIECES:
            continue
        part = instructions[start:index]
        if (
            part
            and part[-1].operation.name == "stack_value"
            and not any(_may_dereference(instruction.operation) for instruction in part)
        ):
            positions.update(range(start, index))
        start = index + 1
    return frozenset(positions)


def _may_dereference(operation: Operation) -> bool:
    name = operation.name
    return operation.transfers or "deref" in name or name.startswith(("call", "LLVM_"))


def _is_loaded(space: int) -> bool:
    """Return whether code objects are loaded into the address space of clang's number."""
    return space not in ADDRESS_SPACES and space in LOADED_SPACES


def _piece(following: Instruction | None) -> int:
    """Return the bits that a part made by the next operation needs; 0 where it makes none."""
    if following is None or following.operation.name not in PIECES:
        return 0
    size, *displacement = (operand for operand in following.operands if isinstance(operand, int))
    return 8 * size if following.operation.name == "piece" else size + sum(displacement)


def _without_suffixes(
    instructions: Sequence[Instruction],
) -> tuple[list[Instruction], list[str]]:
    """Read a `litN, swap, xderef` that ends a location, or a part of one, as an address space.

    Before a final stack_value it has no meaning.
    """
    out: list[Instruction] = []
    notes: list[str] = []
    index = 0
    while index < len(instructions):
        space = _suffix(instructions, index)
        is_part = _ends_part(instructions, index + 3)
        is_valued = (
            not is_part
            and instructions[index + 3].operation.name == "stack_value"
            and _ends_part(instructions, index + 4)
        )
        if space is None or not (is_valued or is_part):
            out.append(instructions[index])
            index += 1
            continue
        number, swap, xderef = instructions[index : index + 3]
        spelled = f"{number.operation.name}, swap, xderef"
        if is_valued:
            notes.append(f"upstream clang: {spelled} ignored")
        else:
            out.append(_as(number, _literal(space)))
            out.append(_with(swap, "LLVM_form_aspace_address", _unbound_address, xderef))
            notes.append(f"upstream clang: {spelled} read as address space {space}")
        index += 3
    return out, notes


def _with_offsets_in_frame(instructions: Sequence[Instruction]) -> Sequence[Instruction]:
    """Read a DW_OP_plus_uconst that ends a location, or a part of one, after DW_OP_fbreg, or after
    DW_OP_bregx of the stack or the frame pointer, as part of its offset, in the frame's address
    space: a member that a structured binding names, or a piece of a class."""
    if not any(instruction.operation.name == "plus_uconst" for instruction in instructions):
        return instructions
    out: list[Instruction] = []
    for index, instruction in enumerate(instructions):
        last = out[-1] if out else None
        if (
            last is not None
            and instruction.operation.name == "plus_uconst"
            and _is_in_frame(last)
            and (_ends_part(instructions, index + 1) or _suffix(instructions, index + 1))
        ):
            *register, first = last.operands
            offset = sum(n for n in (first, *instruction.operands) if isinstance(n, int))
            encoding = last.encoding + instruction.encoding
            is_base = last.operation.name == "fbreg"
            operation = _offset_in_frame() if is_base else last.operation
            out[-1] = Instruction(last.offset, operation, (*register, offset), encoding)
            continue
        out.append(instruction)
    return out


def _is_in_frame(instruction: Instruction) -> bool:
    """Return whether an operation gives a place in the frame."""
    name, operands = instruction.operation.name, instruction.operands
    return name == "fbreg" or (name == "bregx" and operands[0] in _SCRATCH_BASES)


def _with_objects_behind_slots(instructions: list[Instruction]) -> list[Instruction]:
    """Read a DW_OP_deref that follows DW_OP_fbreg and ends a location, alone or before
    DW_OP_plus_uconst, as the object to which the pointer in that stack slot points."""
    if not any(instruction.operation.name == "deref" for instruction in instructions):
        return instructions
    out: list[Instruction] = []
    index = 0
    while index < len(instructions):
        instruction, more = instructions[index], instructions[index + 1 : index + 2]
        is_offset = bool(more) and more[0].operation.name == "plus_uconst"
        more = more if is_offset else []
        is_of_slot = instruction.operation.name == "deref" and index > 0
        is_of_slot = is_of_slot and instructions[index - 1].operation.name == "fbreg"
        if is_of_slot and _ends_part(instructions, index + 1 + len(more)):
            offset = sum(n for one in more for n in one.operands if isinstance(n, int))
            out.append(_with(instruction, "deref", _object_behind(offset), *more))
            index += len(more)
        else:
            out.append(instruction)
        index += 1
    return out


def _ends_part(instructions: Sequence[Instruction], index: int) -> bool:
    """Return whether an expression, or the location of a piece, ends before a position."""
    return index >= len(instructions) or instructions[index].operation.name in PIECES


def has_suffix(instructions: Sequence[Instruction]) -> bool:
    """Return whether an expression ends in `litN, swap, xderef` with a number of clang's."""
    return len(instructions) > 3 and _suffix(instructions, len(instructions) - 3) is not None


def _suffix(instructions: Sequence[Instruction], index: int) -> int | None:
    """Return DWARF's number of the address space that a suffix at a position names."""
    names = [instruction.operation.name for instruction in instructions[index : index + 3]]
    if len(names) < 3 or names[1:] != ["swap", "xderef"] or not names[0].startswith("lit"):
        return None
    number = instructions[index].operation.number
    return ADDRESS_SPACES.get(-1 if number is None else number)


def _with(
    first: Instruction, name: str, function: Callable[..., Entry], *more: Instruction
) -> Instruction:
    encoding = first.encoding + b"".join(instruction.encoding for instruction in more)
    operation = _interpreted(name, name, function)
    return Instruction(first.offset, operation, first.operands, encoding)


def _as(instruction: Instruction, operation: Operation) -> Instruction:
    """Return an instruction with another meaning."""
    return Instruction(instruction.offset, operation, instruction.operands, instruction.encoding)


# The meanings are a handful: each is made once.


@lru_cache(maxsize=128)
def _interpreted(key: str, name: str, function: Callable[..., Entry]) -> Operation:
    operation = evolve(
        OPERATIONS[name], function=function, equals=None, interpretation=_INTERPRETATIONS[key]
    )
    if function is _unbound_address:
        operation = evolve(operation, pops=(PopInfo("address", "entry"), operation.pops[1]))
    if key == "deref":
        operation = evolve(operation, pushes="location")
    if key == "plus":
        pops = (PopInfo("second", "entry"), operation.pops[1])
        operation = evolve(operation, leading=("context",), pops=pops, pushes="entry")
    return evolve(operation, pushes="value") if function is lane_value else operation


@cache
def _literal(space: int) -> Operation:
    return evolve(OPERATIONS[f"lit{space}"], interpretation=_INTERPRETATIONS["lit"])


@cache
def _offset_in_frame() -> Operation:
    return evolve(OPERATIONS["fbreg"], interpretation=_INTERPRETATIONS["fbreg"])


@cache
def _scratch_base(is_whole: bool) -> Operation:
    based = _scratch_based(is_whole)
    return evolve(OPERATIONS["bregx"], function=based, interpretation=SCRATCH)


def _unbound_address(ctx: Context, address: Entry, space: Value) -> Location:
    """Evaluate as DW_OP_LLVM_form_aspace_address; a location already in the space stays as it is,
    as does a value that a register is assumed to hold.

    If the context has no lane, the place has none: it can be printed, but not read.
    """
    chosen = require(ctx.architecture, "target architecture").address_space(space.bits)
    if isinstance(address, Location):
        storage = address.single_locations[0].storage
        if isinstance(storage, Memory) and storage.space is chosen:
            return address
        if ctx.vgpr_holds == "value" and isinstance(storage, Register | Implicit):
            return address
    return memory_location(ctx, chosen, as_value(ctx, address).integer, bind_lane=False)


def _moved(ctx: Context, second: Entry, top: Value) -> Entry:
    """Evaluate as DW_OP_LLVM_offset, where the object is not an address."""
    if isinstance(second, Location):
        return second.displaced(8 * top.displacement)
    return as_value(ctx, second) + top


def _scratch_based(is_whole: bool) -> Callable[..., Location]:
    """Make DW_OP_bregx of the stack or the frame pointer; whether it is a location, or a part,
    alone."""

    def scratch_based(ctx: Context, *, register: int, displacement: int) -> Location:
        arch = require(ctx.architecture, "target architecture")
        info, processor = arch.register(register), PROCESSORS.get(arch.name)
        if processor is not None and not processor.has_architected_flat_scratch:
            raise Ambiguous(
                f"upstream clang: DW_OP_bregx of {info}, which on {arch.name} counts the bytes of "
                "the whole wave, while the displacement counts those of a lane"
            )
        private = arch.address_space(PRIVATE_LANE)
        value = base_address(ctx.access, info, regx(ctx, register=register), private)
        space = private if is_whole else arch.address_space(GLOBAL)
        return memory_location(ctx, space, value + displacement, bind_lane=False)

    return scratch_based


@lru_cache(maxsize=64)
def _object_behind(offset: int) -> Callable[..., Location]:
    """Make DW_OP_deref of a stack slot, with an offset in the object."""

    def object_behind(ctx: Context, slot: Location) -> Location:
        arch = require(ctx.architecture, "target architecture")
        generic = require(arch.address_space_named("generic"), "generic address space")
        bits = LANE_BITS if ctx.is_of_parameter else arch.address_bits
        pointer = ctx.access.retrieve(slot, bits)
        if isinstance(pointer, ImplicitPointer):
            raise EvaluationError("an implicit pointer is in no stack slot")
        if ctx.is_of_parameter:
            space, address = arch.address_space(PRIVATE_LANE), pointer
        else:
            from dwarfgpu.expr.generic_addresses import actual_address  # few objects are so

            apertures = NO_APERTURES
            if ctx.target is not None and ctx.wave is not None:
                apertures = ctx.target.apertures_of(ctx.wave)
            space, address = actual_address(arch, generic, pointer, ctx.lane, apertures)
        return memory_location(ctx, space, address + offset, bind_lane=False)

    return object_behind


def _ambiguous_pointer(ctx: Context, *, register: int, displacement: int) -> Location:
    """Refuse DW_OP_deref of a stack slot: a private pointer has 32 bits there, a generic one 64."""
    _scratch_based(False)(ctx, register=register, displacement=displacement)
    raise Ambiguous(
        f"upstream clang: the pointer {displacement} bytes after "
        f"{require(ctx.architecture, 'target architecture').register(register)} leads to private "
        "memory or to global memory: clang writes DW_OP_deref for both, and nothing says which"
    )


def register_read_two_ways(instructions: Instructions) -> int | None:
    """Return the vector register that holds the value or its address, because clang does not say
    which; None if there is no such register."""
    for instruction in translated(instructions).instructions:
        if instruction.operation.interpretation == TWO_READINGS:
            register = instruction.operands[0]
            return register if isinstance(register, int) else None
    return None


def pointer_read_two_ways(name: str, location: Location) -> Ambiguous:
    """Return the error of a pointer with the note `SCRATCH`."""
    address = location.single_locations[0].byte_address
    text = "a private address" if address is None else f"private_lane#{address:#x}"
    return Ambiguous(
        f"{name} is {text} itself or lies there: upstream clang writes DW_OP_bregx of the stack "
        "or frame pointer for both, and nothing says which"
    )


class DescribesFrameBase(Protocol):
    """The part of a call frame that `notes_that_hold` needs."""

    @property
    def has_frame_base(self) -> bool:
        """Whether a function of the frame has DW_AT_frame_base."""
        ...

    @property
    def starts_private_memory(self) -> bool:
        """Whether the frame is that of a kernel without DW_AT_frame_base."""
        ...


def notes_that_hold(notes: Iterable[str], frame: DescribesFrameBase) -> tuple[str, ...]:
    """Return the notes on operations, without a note on a frame base that the frame does not
    have, and with that on a kernel's."""
    all_notes = tuple(notes)
    try:
        if FRAME_BASE not in all_notes or frame.has_frame_base:
            return all_notes
        if frame.starts_private_memory:
            return tuple(KERNEL_FRAME_BASE if note == FRAME_BASE else note for note in all_notes)
    except DwarfGpuError:
        pass  # reading the frame base reports it
    return tuple(note for note in all_notes if note != FRAME_BASE)
