"""Statements for instructions that access memory: the address, and the memory it belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.addressing import immediate_offsets, index_and_offset
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.operation import DeclaredOperand, type_bits
from dwarfgpu.machine.simulated.semantics.instruction_operands import Bound
from dwarfgpu.machine.simulated.semantics.operand_text import (
    Operand,
    TypeShape,
    scalar_write,
)
from dwarfgpu.machine.simulated.storage.scalar_slots import M0
from dwarfgpu.machine.simulated.wave_fault import not_simulated

_COMMUTING: Final = frozenset(
    {"m + a", "m - a", "m & a", "m | a", "m ^ a", "minimum(m, a)", "maximum(m, a)"}
)
"""Updates of integers that leave the same in any order."""


_COUNTERS: Final = {"ds_append": 1, "ds_consume": -1}


@frozen
class Access:
    """What a memory instruction does."""

    lines: list[str]
    """Up to the results."""
    results: list[tuple[str, str]]
    """Types and variables of the results that are registers."""
    writes: list[str]


def memory_access(
    item: Bound,
    target: IsaTarget,
    shape_of: Callable[[str], TypeShape],
    expressions: Sequence[str],
    flushes: tuple[int, int],
) -> Access:
    """Return the statements; `WaveStop` for an access that is not simulated.

    `flushes`: the denormals that updates of numbers flush (`flushes_of`), in global memory and in
    LDS, for an address that may be in either.
    """
    operation = item.operation
    has_status = item.instruction.encoding.format.syntax.endswith(" tfe")
    if item.fields.get("gds") or has_status:
        raise not_simulated(f"{item.instruction.mnemonic} {'tfe' if has_status else 'gds'}")
    declared = operation.memory[0]
    if len(operation.memory) > 1:
        return _to_lds(item, target, shape_of)
    if declared.name == "scalar":
        return _scalar(item, target, shape_of, expressions)
    if operation.name in _COUNTERS:
        number = item.fields["offset"]
        base = f"s[{M0}]" if target.generation < 12 else "0"
        line = f"r0 = w.lds_count({number:#x}, {base}, {_COUNTERS[operation.name]})"
        return Access([line], [(operation.results[0].name_or_type, "r0")], [])
    if "_src2_" in operation.name:
        return _two_addresses(item, shape_of, expressions[0])
    lines = _address(item, target, declared)
    count = _count(item, declared, shape_of)
    kind = shape_of(declared.type)
    element = "f32" if kind.kind == "bf" else kind.element
    if kind.count > 1:
        raise not_simulated(item.instruction.mnemonic)
    memory = declared.name
    results: list[tuple[str, str]] = []
    if operation.is_atomic:
        value = expressions[-1]
        names = [name for name in "abc" if re.search(rf"\b{name}\b", value)]
        arguments = ", ".join(f"{name}[..., i]" for name in names)
        inner = f"(lambda {', '.join(names)}: {value})({arguments})" if names else value
        update, of_lds = f"lambda m, i: {inner}", ""
        if "flushes" in value:
            update = f"lambda m, i, flushes={flushes[0]}: {inner}"
            if flushes[0] != flushes[1]:
                of_lds = f", lambda m, i, flushes={flushes[1]}: {inner}"
        if not item.results and not kind.is_float and value in _COMMUTING:
            update = f"Commuting({value!r}, {update})"
        lines.append(f"r0 = w.{memory}_atomic(address, {element}, {update}, on{of_lds})")
        if len(operation.results) > 1 and item.results:
            results.append((operation.results[0].name_or_type, "r0"))
        return Access(lines, results, [])
    if operation.is_load:
        lines.append(f"m = w.{memory}_load(address, {element}, {count}, on)")
        lines.append(f"r0 = {expressions[0]}")
        return Access(lines, [(operation.results[0].name_or_type, "r0")], [])
    lines.append(f"w.{memory}_store(address, {expressions[0]}, {element}, on)")
    return Access(lines, results, [])


def _to_lds(item: Bound, target: IsaTarget, shape_of: Callable[[str], TypeShape]) -> Access:
    """Copy from another memory to LDS: there M0 has the address of the first lane, and each lane
    has a dword, or the first three or all four of four."""
    source, destination = item.operation.memory
    if destination.name != "lds" or source.type == "format":
        raise not_simulated(item.instruction.mnemonic)
    count = max(type_bits(source.type, 32) // 32, 1)
    element = shape_of(source.type if count == 1 else "b32").element
    offset = item.fields.get("offset", 0)
    address_bits = 0xFFFF
    if target.processor == "gfx950":
        address_bits = 0x3FFFF if source.name == "buffer" else 0x3FFFC
    lane_bytes = 4 if count == 1 else 16
    return Access(
        [
            *_address(item, target, source),
            f"m = w.{source.name}_load(address, {element}, {count}, on)",
            f"address = scalar32((s[{M0}] & {address_bits:#x}) + {offset}) + {lane_bytes} * w.lane",
            f"w.lds_store(address, m.astype({'i32' if element[0] == 'i' else 'u32'}), u32, on)",
        ],
        [],
        [],
    )


def _count(item: Bound, declared: DeclaredOperand, shape_of: Callable[[str], TypeShape]) -> int:
    """Return elements of memory for each lane."""
    operation = item.operation
    operands = operation.results if operation.is_load else operation.sources
    for operand in operands:
        if operand.type and not operand.is_memory:
            shape = shape_of(operand.type)
            if "offset0" in item.fields or shape.count == 1:
                return 1
            return shape.count * shape.bits // shape_of(declared.type).bits
    return 1


def _two_addresses(item: Bound, shape_of: Callable[[str], TypeShape], expression: str) -> Access:
    """Update LDS by LDS: the offset says how many dwords behind it, or, with the highest bit set,
    that the upper bits of the address do, which are not simulated."""
    offset = item.fields["offset"]
    if offset >> 15:
        raise not_simulated(f"{item.instruction.mnemonic} offset:{offset:#x}")
    distance = 4 * ((offset ^ 1 << 14) - (1 << 14))
    element = shape_of(item.operation.memory[0].type).element
    first_address = item.address["addr"].raw()
    update = f"lambda m, a: {expression}"
    return Access([f"w.lds_update_from({first_address}, {distance}, {element}, {update})"], [], [])


def _scalar(
    item: Bound,
    target: IsaTarget,
    shape_of: Callable[[str], TypeShape],
    expressions: Sequence[str],
) -> Access:
    operation, fields = item.operation, item.fields
    base = item.address["sbase"]
    is_buffer = operation.name.startswith("s_buffer")
    offset = "0"
    if "offset" in fields:
        form = item.instruction.encoding.format
        kind = form.kinds[form.index["offset"]]
        value = kind.value(fields["offset"])
        assert isinstance(value, int)
        offset = str(value)
    if "soffset" in item.address:
        offset = f"{item.address['soffset'].unsigned(32)} + {offset}"
    element = shape_of(operation.memory[0].type)
    operands = operation.results if operation.is_load else operation.sources
    shape = shape_of(operands[0].name_or_type)
    size = shape.count * element.bits // 8
    signed = element.kind == "i"
    if is_buffer:
        lines = [f"address = w.scalar_buffer_address({base.unsigned(128)}, {offset}, {size})"]
    else:
        align = " & ~3" if element.bits == 32 else ""
        lines = [f"address = {base.unsigned(64)} + ({offset}){align} & 0xffffffffffffffff"]
        if element.bits == 32:
            lines[0] = (
                f"address = ({base.unsigned(64)} & ~3) + (({offset}) & ~3) & 0xffffffffffffffff"
            )
    if operation.is_store:
        # With the bit glc the register of the data is that of the result.
        data = (item.sources or item.results)[0]
        type = next(declared.name_or_type for declared in operation.sources if declared.is_operand)
        lines.append(f"a = {data.scalar(_as_one(shape_of(type)))}")
    if not operation.is_load:
        lines.append(f"w.scalar_store(address, {expressions[0]}, {size})")
        return Access(lines, [], [])
    if operation.is_atomic:
        update = f"lambda m: {expressions[1]}"
        lines.append(f"r0 = w.scalar_atomic(address, {size}, {signed}, {update})")
        if not item.results:
            return Access(lines, [], [])
    else:
        lines.append(f"r0 = w.scalar_load(address, {size}, {signed})")
    register = item.results[0].register
    assert register is not None
    return Access(lines, [], scalar_write(register, shape.dwords, "r0"))


def _as_one(shape: TypeShape) -> TypeShape:
    """Return the elements of a type as one number."""
    return TypeShape(1, shape.kind, shape.count * shape.bits)


def _address(item: Bound, target: IsaTarget, declared: DeclaredOperand) -> list[str]:
    address = item.address
    form = item.instruction.encoding.format
    if declared.name == "lds":
        return [_lds_address(item, target.wave_size)]
    [offset] = immediate_offsets(item.instruction, item.operation, declared)
    if declared.name == "buffer":
        resource = address["srsrc"].unsigned(128)
        has_index, has_offset = index_and_offset(form)
        index = offset_text = "0"
        vaddr = address.get("vaddr")
        if vaddr is not None:
            if has_index:
                index = vaddr.raw(0)
            if has_offset:
                offset_text = vaddr.raw(1 if has_index else 0)
        scalar = address["soffset"].unsigned(32)
        verb = "writes" if item.operation.is_store else "reads"
        verb = "updates" if item.operation.is_atomic else verb
        where = f"{resource}, {index}, {offset_text}, {offset}, {scalar}"
        return [f"address = w.buffer_address({where}, {verb!r})"]
    saddr, vaddr = address.get("saddr"), address.get("vaddr")
    if item.operation.name.endswith("_addtid"):
        if saddr is None or _is_null(saddr):
            raise not_simulated(f"{item.instruction.mnemonic} without a base")
        base = f"scalar64({saddr.unsigned(64)} + {offset} & 0xffffffffffffffff)"
        return [f"address = {base} + u64(4) * (w.lane & {target.wave_size - 1})"]
    if declared.name == "scratch":
        terms = [str(offset)]
        if saddr is not None and not _is_null(saddr):
            terms.append(saddr.unsigned(32))
        scalar = " + ".join(terms)
        if vaddr is None:
            return [f"address = {scalar} & 0xffffffff"]
        return [f"address = {vaddr.raw()} + scalar32({scalar} & 0xffffffff)"]
    if saddr is not None and not _is_null(saddr):
        assert vaddr is not None
        base = f"scalar64({saddr.unsigned(64)} + {offset} & 0xffffffffffffffff)"
        return [f"address = {vaddr.raw()} + {base}"]
    assert vaddr is not None
    text = f"pair({vaddr.raw(0)}, {vaddr.raw(1)})"
    if offset:
        text += f" + u64({offset & (1 << 64) - 1:#x})"
    return [f"address = {text}"]


def _is_null(operand: Operand) -> bool:
    register = operand.register
    return register is not None and register.bank == "null"


def _lds_address(item: Bound, wave_size: int) -> str:
    address = item.address
    if item.operation.name.endswith("_addtid_b32"):
        first = f"(s[{M0}] & 0xffff) + {item.fields['offset']}"
        return f"address = scalar32({first}) + u32(4) * (w.lane & {wave_size - 1})"
    if "addr" not in address:
        raise not_simulated(item.instruction.mnemonic)
    base = address["addr"].raw()
    if item.operation.name == "ds_condxchg32_rtn_b64":
        return f"address = {base} + {item.fields['offset']} & 0xfff8"
    offsets = immediate_offsets(item.instruction, item.operation, item.operation.memory[0])
    if len(offsets) == 1:
        return f"address = {base} + {offsets[0]}" if offsets[0] else f"address = {base}"
    return f"address = two_addresses({base}, {offsets[0]}, {offsets[1]})"
