"""What one instruction reads and writes: its operation with the operands that its bits name.

An operation declares operands (`operation.py`), a format has fields; which field is which operand
follows from the names that LLVM has for fields, alike in all encodings.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.isa.formats import Format
from dwarfgpu.isa.instruction import Encoding, Instruction
from dwarfgpu.isa.operands import Constant, Literal
from dwarfgpu.isa.operation import (
    IMMEDIATES,
    DeclaredOperand,
    Operation,
    operation_named,
    type_bits,
    without_suffix,
)
from dwarfgpu.isa.registers import Register

_ADDRESSES: Final = pattern(
    r"vaddr\d*|saddr|addr|srsrc|rsrc|ssamp|samp|sbase|soffset|offset|offset\d"
)
_DATA: Final = ("vdata", "sdata")
_IMMEDIATE_FIELDS: Final = pattern(r"simm16|imm|src0|src1|vsrc|sdata")
_NUMBERS: Final = frozenset({"number", "k", "branch", "version"})
_READS: Final = {"src_vccz": "vcc", "src_execz": "exec", "src_scc": "scc"}
"""Sources that are made of another register."""

_DWORDS: Final = {"pc": 2, "vcc": 0, "exec": 0}
"""Number of dwords of multi-dword registers; 0 represents a lane mask of the wave."""

_RETURN: Final = 1
"""Bit of the cache policy: an atomic operation returns the previous value."""

_PRESERVE: Final = 2
"""`dst_unused` of SDWA: the other bits of the destination stay."""


class Operand(NamedTuple):
    """An operand of an operation in one instruction."""

    declared: DeclaredOperand
    value: Register | Constant | int | None
    """A register, a constant, the address of a branch or another number; None for memory."""
    modifiers: int = 0
    """Bits of `modifiers.py`: `NEGATE`, `ABSOLUTE`, `SIGN_EXTEND`, `OP_SELECT` …"""


@frozen
class Use:
    """An operation with its operands, in declared order.

    Results without a field in the encoding are omitted.
    """

    operation: Operation
    results: tuple[Operand, ...]
    sources: tuple[Operand, ...]
    addresses: tuple[Register, ...]
    """Registers that memory is addressed by."""


Where: TypeAlias = "int | Register | str | None"
"""Where an operand of an operation is: the index of a field, a register, None for memory; `absent`;
or `returned`, in `vdata` if the instruction returns it."""


class OperandFields(NamedTuple):
    """Which field of a format is which operand of an operation."""

    operation: Operation
    results: tuple[tuple[DeclaredOperand, Where], ...]
    sources: tuple[tuple[DeclaredOperand, Where], ...]
    addresses: tuple[int, ...]
    """Indices of fields that memory is addressed by."""


def operand_fields(encoding: Encoding) -> tuple[OperandFields, ...]:
    """Return the fields of the operation of an instruction, or of the two of a VOPD."""
    return _plans(encoding.mnemonic, encoding.format)


def operations_of(encoding: Encoding) -> tuple[Operation, ...]:
    """Return the operation of an instruction, or the two of a VOPD."""
    return tuple(fields.operation for fields in operand_fields(encoding))


def uses(instruction: Instruction) -> tuple[Use, ...]:
    """Return the operation of an instruction, or the two of a VOPD, with their operands."""
    form = instruction.encoding.format
    values = form.values(instruction.word, instruction.extra)
    return tuple(_use(plan, instruction, values) for plan in operand_fields(instruction.encoding))


def _use(plan: OperandFields, instruction: Instruction, values: list[int]) -> Use:
    form = instruction.encoding.format
    registers = [
        value
        for index in plan.addresses
        if isinstance(value := form.kinds[index].value(values[index]), Register)
    ]
    data: Register | None = None
    if form.image is not None:
        addresses = [index for index in plan.addresses if form.names[index].startswith("vaddr")]
        data, vectors = form.image_registers(values, form.index["vdata"], addresses)
        registers = [*vectors, *(register for register in registers if register.bank != "v")]
    has_return = "cpol" not in form.index or bool(values[form.index["cpol"]] & _RETURN)
    results = []
    for declared, where in plan.results:
        if where == "absent" or (where == "returned" and not has_return):
            continue
        if where == "returned":
            where = form.index["vdata"]
        results.append(_operand(plan.operation, declared, where, instruction, values, data))
    sources = [
        _operand(plan.operation, declared, where, instruction, values, data)
        for declared, where in plan.sources
    ]
    if "dst_unused" in form.index and values[form.index["dst_unused"]] == _PRESERVE and results:
        sources.append(Operand(DeclaredOperand("d"), results[0].value))
    return Use(plan.operation, tuple(results), tuple(sources), tuple(registers))


def _operand(
    operation: Operation,
    declared: DeclaredOperand,
    where: Where,
    instruction: Instruction,
    values: list[int],
    data: Register | None,
) -> Operand:
    form = instruction.encoding.format
    if not isinstance(where, int):
        return Operand(declared, where if isinstance(where, Register) else None)
    name, kind, field = form.names[where], form.kinds[where], values[where]
    if kind.decoder == "branch":
        return Operand(declared, instruction.branch_target)
    if kind.decoder == "dual_dst":
        field |= ~values[form.index["vdstX"]] & 1
    if data is not None and name == "vdata":
        return Operand(declared, data)
    value = kind.value(field)
    if isinstance(value, Literal):
        value = Constant(instruction.literal << value.shift)
    if isinstance(value, Register) and operation.is_atomic and declared.type[:1] not in ("[", ""):
        dwords = max(type_bits(declared.type, form.target.wave_size) // 32, 1)
        value = value._replace(size=min(value.size, dwords))
    modifiers = form.index.get(f"{name}_modifiers")
    return Operand(declared, value, 0 if modifiers is None else values[modifiers])


@cache
def _plans(mnemonic: str, form: Format) -> tuple[OperandFields, ...]:
    generation = form.target.generation
    names = [without_suffix(mnemonic)]
    halves = [""]
    if names[0].startswith("v_dual_"):
        names.append(form.second_mnemonic)
        names = [name.replace("v_dual_", "v_") for name in names]
        halves = ["X", "Y"]
    elif form.is_to_lds:
        names = [names[0].replace("_load_", "_load_lds_")]
    plans = []
    for name, half in zip(names, halves, strict=True):
        operation = operation_named(name, generation)
        if operation is None:
            raise ValueError(f"{name} of GFX{generation} is not declared")
        plans.append(_plan(operation, form, half))
    return tuple(plans)


def _plan(operation: Operation, form: Format, half: str) -> OperandFields:
    """Return destinations by their names, then sources in the order of the fields."""
    pool: list[int] = []
    immediates: list[int] = []
    addresses: list[int] = []
    is_addressed = bool(operation.memory) or "cache" in operation.flags
    for index, (name, kind) in enumerate(zip(form.names, form.kinds, strict=True)):
        is_shared = name == "imm" and DeclaredOperand("imm32") in operation.sources
        if not half or name.endswith(half) or is_shared:
            if is_addressed and _ADDRESSES.fullmatch(name):
                addresses.append(index)
            elif kind.decoder in _NUMBERS or kind.decoder == "smem_offset":
                if _IMMEDIATE_FIELDS.fullmatch(name):
                    immediates.append(index)
            elif kind.decoder != "dpp8_fi":
                pool.append(index)
    destinations = [index for index in pool if re.fullmatch(r"[vs]dst[XY]?", form.names[index])]
    destinations.sort(key=lambda index: not form.names[index].startswith("v"))
    data = next((form.index[name] for name in _DATA if name in form.index), None)
    results: list[tuple[DeclaredOperand, Where]] = []
    for declared in operation.results:
        where: Where
        if not declared.type or declared.is_memory:
            where = _implied(declared, form)
        elif destinations:
            where = destinations.pop(0)
            pool.remove(where)
        elif declared.type == "mask":
            is_dropped = (
                DeclaredOperand("exec") in operation.results and form.target.generation >= 10
            )
            where = "absent" if is_dropped else _implied(DeclaredOperand("vcc"), form)
        elif data is not None and operation.is_load:
            where = data
            if not operation.is_atomic:
                pool.remove(data)
            elif form.image is not None:
                where = "returned"
            elif "IsAtomicRet" not in form.flags:
                where = "absent"
        else:
            where = "absent"
        results.append((declared, where))
    first = results[0][1] if results else None
    sources: list[tuple[DeclaredOperand, Where]] = []
    for declared in operation.sources:
        if declared.name == "d":
            where = first
        elif declared.name in IMMEDIATES:
            where = immediates.pop(0) if immediates else "absent"
        elif not declared.type or declared.is_memory:
            where = _implied(declared, form)
        elif pool:
            where = pool.pop(0)
        elif declared.type == "mask":
            where = _implied(DeclaredOperand("vcc"), form)
        elif operation.is_atomic and isinstance(first, int):
            where = first
        elif form.is_about_m0:
            where = _implied(DeclaredOperand("m0"), form)
        else:
            where = "absent"
        sources.append((declared, where))
    again = {"a": next((where for declared, where in sources if declared.type), None)}
    again["address"] = addresses[0] if addresses else None
    results = [(declared, again.get(declared.name, where)) for declared, where in results]
    if pool or immediates:
        unused = [form.names[index] for index in (*pool, *immediates)]
        raise ValueError(f"{operation.name}: no operand for {', '.join(unused)}")
    return OperandFields(operation, tuple(results), tuple(sources), tuple(addresses))


def _implied(declared: DeclaredOperand, form: Format) -> Register | None:
    """Return the register of an operand that no field names; None for memory."""
    if declared.is_memory or declared.name in ("a", "address"):
        return None
    dwords = _DWORDS.get(declared.name, 1) or form.target.wave_size // 32
    return Register(declared.name, 0, dwords)


class Effects(NamedTuple):
    """Registers that an instruction reads and writes, in the order of its operands."""

    reads: tuple[Register, ...]
    writes: tuple[Register, ...]


def effects(instruction: Instruction, instruction_uses: tuple[Use, ...] | None = None) -> Effects:
    """Return what an instruction reads and writes, including implicit operands.

    A vector instruction reads EXEC; what it writes stays as it was in the other lanes.
    """
    form = instruction.encoding.format
    reads: dict[Register, None] = {}
    writes: dict[Register, None] = {}
    for use in uses(instruction) if instruction_uses is None else instruction_uses:
        for operand in use.sources:
            if isinstance(operand.value, Register):
                reads[_read(operand.value, form)] = None
        reads |= dict.fromkeys(_read(register, form) for register in use.addresses)
        names = {declared.name for declared in use.operation.memory}
        if names & {"flat", "scratch"}:
            reads[Register("flat_scratch", 0, 2)] = None
        if names & {"lds", "gds"} and "DS" in form.flags and form.target.generation == 8:
            reads[Register("m0", 0, 1)] = None
        if use.operation.is_masked:
            reads[_implied(DeclaredOperand("exec"), form) or Register("exec", 0, 2)] = None
        for operand in use.results:
            if isinstance(operand.value, Register):
                writes[operand.value] = None
    unnamed = {"null", "hwreg"}
    return Effects(
        tuple(register for register in reads if register.bank not in unnamed),
        tuple(register for register in writes if register.bank not in unnamed),
    )


def _read(register: Register, form: Format) -> Register:
    """Return the register read by a source that derives from another register."""
    name = _READS.get(register.bank)
    return register if name is None else _implied(DeclaredOperand(name), form) or register
