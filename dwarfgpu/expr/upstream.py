"""How upstream clang describes AMDGPU variables (`docs/dialects.md`).

Read literally, what it writes names the wrong place. It knows no lanes: a vector register means
the focused lane's dword of it, and an address space is a final `litN, swap, xderef` in clang's own
numbers, which would fetch the variable's contents and take them for its address.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve, frozen

from dwarfgpu.errors import Ambiguous
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.convert import as_value, memory_location
from dwarfgpu.expr.decode import Instruction
from dwarfgpu.expr.operation import OPERATIONS, PopInfo
from dwarfgpu.expr.ops.register import regx
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.storage import Memory
from dwarfgpu.model.value import Value

ADDRESS_SPACES = {1: 5, 2: 3, 5: 5, 3: 3}
"""Clang's number to DWARF's: 1 private and 2 local until LLVM 21, then 5 and 3."""

VECTOR_REGISTERS = range(1536, 4096)
"""DWARF numbers of VGPRs and AGPRs, of both wave sizes."""

_READINGS = {
    "lit": "upstream clang: its own number of an address space, as DWARF's",
    "LLVM_form_aspace_address": "upstream clang: a final swap, xderef names an address space",
    "regx": "upstream clang: a vector register is the focused lane's dword of it",
    "bregx": "upstream clang: two readings, and nothing tells which is meant",
}
"""What is read differently at each operation, for those who observe."""

_PIECES = frozenset({"piece", "bit_piece"})
AMBIGUOUS = (
    "upstream clang: the base of this address is a vector register, and clang also writes this "
    "where the register holds the value itself"
)


@frozen
class Translation:
    """Instructions as meant, and notes of what was read differently."""

    instructions: tuple[Instruction, ...]
    notes: tuple[str, ...]


def translated(instructions: tuple[Instruction, ...]) -> Translation:
    """What clang means by the instructions; each keeps the offset and the bytes it has."""
    held, notes = _without_suffix(instructions)
    out: list[Instruction] = []
    for index, each in enumerate(held):
        following = held[index + 1].operation.name if index + 1 < len(held) else None
        name = each.operation.name
        register = each.operands[0] if each.operands else None
        if name == "bregx" and register in VECTOR_REGISTERS:
            each = _with(each, "bregx", _ambiguous)
            notes = []  # the error says it
        elif name == "regx" and register in VECTOR_REGISTERS:
            if following is None or following in _PIECES:
                each = _with(each, "regx", _lane_of_register)
                notes.append("upstream clang: a vector register read as the focused lane's dword")
        elif name == "fbreg":
            notes.append("upstream clang: the frame base is in the focused lane's private memory")
        out.append(each)
    return Translation(tuple(out), tuple(dict.fromkeys(notes)))


def _without_suffix(
    instructions: tuple[Instruction, ...],
) -> tuple[list[Instruction], list[str]]:
    """A final `litN, swap, xderef` as an address space; before stack_value it means nothing."""
    names = [each.operation.name for each in instructions]
    valued = bool(names) and names[-1] == "stack_value"
    at = len(instructions) - (4 if valued else 3)
    kept = list(instructions)
    if at < 0 or names[at + 1 : at + 3] != ["swap", "xderef"] or not names[at].startswith("lit"):
        return kept, []
    number = instructions[at].operation.number
    space = ADDRESS_SPACES.get(-1 if number is None else number)
    if space is None:
        return kept, []
    if valued:
        return [*kept[:at], kept[-1]], [f"upstream clang: {names[at]}, swap, xderef ignored"]
    formed = [
        evolve(kept[at], operation=evolve(OPERATIONS[f"lit{space}"], reading=_READINGS["lit"])),
        _with(kept[at + 1], "LLVM_form_aspace_address", _unbound_address, kept[at + 2]),
    ]
    note = f"upstream clang: {names[at]}, swap, xderef read as address space {space}"
    return [*kept[:at], *formed], [note]


def _with(
    found: Instruction, name: str, function: Callable[..., Entry], *more: Instruction
) -> Instruction:
    operation = evolve(OPERATIONS[name], function=function, equals=None, reading=_READINGS[name])
    if function is _unbound_address:
        operation = evolve(operation, pops=(PopInfo("address", "entry"), operation.pops[1]))
    encoding = found.encoding + b"".join(each.encoding for each in more)
    return evolve(found, operation=operation, encoding=encoding)


def _unbound_address(ctx: Context, address: Entry, space: Value) -> Location:
    """As DW_OP_LLVM_form_aspace_address; what is in the space already stays as it is.

    Without a lane in the context the place names none: it can be told, but not read.
    """
    chosen = require(ctx.architecture, "target architecture").address_space(space.bits)
    if isinstance(address, Location):
        storage = address.places[0].storage
        if isinstance(storage, Memory) and storage.space is chosen:
            return address
    return memory_location(ctx, chosen, as_value(ctx, address).integer, bind_lane=False)


def _lane_of_register(ctx: Context, *, register: int) -> Location:
    return regx(ctx, register=register).displaced(32 * require(ctx.lane, "lane"))


def _ambiguous(ctx: Context, *, register: int, displacement: int) -> Location:
    raise Ambiguous(AMBIGUOUS)
