"""Run a case: evaluate, compare with the expected result, then read and write through it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction

from dwarfgpu.base.bits import signed
from dwarfgpu.base.json_reader import MAX_BITS, Field, Json
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.conformance import cfi_case
from dwarfgpu.conformance.access_budget import AccessBudget
from dwarfgpu.conformance.case import Case, Machine, bits_of, machine_of, operations_of
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    LimitExceeded,
    Malformed,
    UnreadableFile,
)
from dwarfgpu.expr.context import ResultKind
from dwarfgpu.expr.control_flow import Nested
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.evaluate import Result, evaluate, final_stack
from dwarfgpu.expr.implicit_conversions import as_location, as_value
from dwarfgpu.expr.operation_budget import budget_of_command
from dwarfgpu.expr.text.assembly import assemble, disassemble
from dwarfgpu.model.location import Location, SingleLocation, narrowed
from dwarfgpu.model.storage import (
    Composite,
    Implicit,
    ImplicitPointer,
    Memory,
    Register,
    Repeated,
    Selected,
    Undefined,
)
from dwarfgpu.model.value import Value


@frozen
class Failure:
    """The expected and the actual result."""

    expected: str
    got: str


class Mismatch(Exception):
    """Raised inside a run only; becomes a `Failure`."""

    def __init__(self, expected: object, actual: object) -> None:
        super().__init__()
        self.failure = Failure(_shown(expected), _shown(actual))


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return f"{value:#x}"
    if isinstance(value, Location):
        return ", or ".join(json.dumps(_as_expected(single)) for single in value.single_locations)
    try:
        return json.dumps(value) if isinstance(value, dict | list) else str(value)
    except (ValueError, RecursionError):  # a number too long for decimals in it, or nested
        return f"a {type(value).__name__} that is too large to be shown"


def _as_expected(single: SingleLocation) -> dict[str, Json]:
    """Return a location in the words of the format; of composites the kind alone."""
    position: dict[str, Json] = {"bit_offset": single.bit_offset}
    match single.storage:
        case Memory(space=space):
            address, bit = divmod(single.bit_offset, 8)
            return {"kind": "memory", "aspace": space.number, "address": address, "bit_offset": bit}
        case Register(register=register):
            return {"kind": "register", "reg": register.number, **position}
        case Implicit(bits=bits, size_bits=size_bits):
            return {"kind": "value", "value": bits, "bit_size": size_bits, **position}
        case ImplicitPointer(displacement_bytes=displacement):
            return {"kind": "implicit_pointer", "byte_offset": displacement}
        case Undefined():
            return {"kind": "undefined"}
    return {"kind": "composite", **position}


MAX_BYTES = Limits().read_bytes
RESULT_KINDS: dict[str, ResultKind] = {
    "value": "value",
    "location": "location",
    "composite": "location",
    "pieces": "location",
    "object_bytes": "location",
    "undefined": "location",
}


def run_case(case: Case) -> Failure | None:
    """Return None if the case passes; `UnreadableFile` if it does not follow the format, which is
    no failure of the evaluator."""
    try:
        with budget_of_command():
            _run(case)
    except Mismatch as mismatch:
        return mismatch.failure
    except UnreadableFile:
        raise
    except DwarfGpuError as error:
        return Failure(_shown(case.expected.value), f"{error.kind}: {error}")
    return None


def _run(case: Case) -> None:
    kind = case.expected["kind"].text()
    if case.is_cfi:
        wrong = cfi_case.run(case)
        if wrong is not None:
            raise Mismatch(*wrong)
        return
    if kind == "decode":
        return _decode(case)
    if kind == "text":
        return _text(case)
    compare = _COMPARISONS.get(kind)
    machine = machine_of(case, RESULT_KINDS.get(kind))
    if kind in ("error", "no_crash"):
        return _error(case, machine)
    if kind in ("stack", "stack_top"):
        return _stack(case, machine)
    if compare is None:
        raise case.expected["kind"].expected("a kind of result")
    result = evaluate(case.data, machine.context)
    compare(case, machine, result)
    accesses, budget = case.field.get("access"), AccessBudget()
    for access in [] if accesses is None else accesses.items():
        budget.begin()
        _access(machine, result, access, budget)


def _check(expected: object, actual: object, title: str = "") -> None:
    """Raise `Mismatch` if two values differ; `title` says what they are, where the case leaves it
    open."""
    if expected != actual:
        raise Mismatch(
            *(f"{title} {_shown(value)}" if title else value for value in (expected, actual))
        )


def _bits(field: Field, size_bits: int) -> int:
    """Return the bits of an expected integer; `Mismatch` if no object of that size has it."""
    try:
        return bits_of(field, size_bits)
    except UnreadableFile:
        field.integer()  # anything else than an integer is a wrong file
        raise Mismatch(field.value, f"{size_bits} bits, which cannot hold it") from None


def _decode(case: Case) -> None:
    expression = decode(case.data, case.dialect, case.form)
    if expression.error is not None:
        raise expression.error
    actual: list[Json] = []
    for instruction in expression.instructions:
        operands: list[Json] = [
            value.hex() if isinstance(value, bytes) else value for value in instruction.operands
        ]
        actual.append(
            {
                "op": instruction.operation.title,
                "operands": operands,
                "length": len(instruction.encoding),
            }
        )
    _check(case.expected["ops"].value, actual)


def _text(case: Case) -> None:
    arch = machine_of(case, None).context.architecture
    data = assemble(operations_of(case.field["text"]), case.dialect, case.form, arch)
    _check(case.data.hex(), data.hex())
    shown = "\n".join(map(str, disassemble(case.data, case.dialect, case.form, arch)))
    _check(case.data.hex(), assemble(shown, case.dialect, case.form, arch).hex())


def _error(case: Case, machine: Machine) -> None:
    try:
        result: object = evaluate(case.data, machine.context)
    except DwarfGpuError as error:
        error_class = case.expected.get("class")
        if case.expected["kind"].text() == "no_crash":
            return
        if error_class is not None:
            _check(error_class.text(), error.kind)
        elif not isinstance(error, Malformed | IllFormed | EvaluationError | LimitExceeded):
            raise Mismatch("an error of the input", error.kind) from None
        return
    if case.expected["kind"].text() == "error":
        raise Mismatch("an error", result)


def _stack(case: Case, machine: Machine) -> None:
    context = machine.context
    stack = final_stack(case.data, context)
    expected = case.expected
    if expected["kind"].text() == "stack_top":
        if not stack:
            raise Mismatch("a value", "an empty stack")
        return _value(expected, as_value(context, stack[-1]))
    entries = expected["entries"].items()
    _check(len(entries), len(stack), "number of entries")
    for field, entry in zip(entries, reversed(stack), strict=True):
        if field["kind"].text() == "value":
            _check(
                _bits(field["value"], context.generic.bit_size),
                as_value(context, entry).bits,
            )
        else:
            location = as_location(context, entry)
            if isinstance(location, Nested):
                raise Mismatch(field.value, "an implicit pointer value")
            _location(case, machine, field, location)


def _value(expected: Field, value: Value) -> None:
    kind = expected.get("type")
    if kind is not None:
        if kind.value == "generic":
            _check("generic", value.type.encoding)
        else:
            _check(kind["encoding"].text(), value.type.encoding)
            _check(kind["byte_size"].integer(), value.type.size_bytes)
    bits = expected.get("bits_hex")
    if bits is not None:
        _check(bits.hexadecimal().hex(), _value_hex(value))
        return
    number = expected["value"]
    if value.type.encoding == "float":
        _check(_float(number.value), _float(value.number))
    else:
        _check(_bits(number, value.type.bit_size), value.bits)


def _value_hex(value: Value) -> str:
    return value.bits.to_bytes(value.type.size_bytes, value.type.endian).hex()


def _float(number: Json) -> Fraction | str:
    """Return a number exactly; `nan`, `inf` and `-inf` as they are written."""
    if isinstance(number, int) or (isinstance(number, float) and math.isfinite(number)):
        return Fraction(number)
    return str(number)


def _value_result(case: Case, machine: Machine, result: Result) -> None:
    if not isinstance(result, Value):
        raise Mismatch("a value", result)
    _value(case.expected, result)


def _location_result(case: Case, machine: Machine, result: Result) -> None:
    assert isinstance(result, Location)
    _location(case, machine, case.expected["location"], result)
    contents = case.expected.get("register_value")
    if contents is not None:
        expected = contents.integer()
        storage = result.single_locations[0].storage
        if not isinstance(storage, Register):
            raise Mismatch("a register", result)
        _check(expected, machine.context.access.retrieve(result, storage.size_bits))


def _location(case: Case, machine: Machine, expected: Field, location: Location) -> None:
    _check(1, len(location.single_locations), "number of locations")
    single = location.single_locations[0]
    storage = single.storage
    kind = expected["kind"].text()
    match kind, storage:
        case "memory", Memory():
            aspace = expected.get("aspace")
            _check(0 if aspace is None else aspace.integer(), storage.space.number, "address space")
            address = _bits(expected["address"], storage.space.address_bits)
            position = 8 * address + _offset_bits(expected)
            _check(position % storage.size_bits, single.bit_offset, "bit offset")
        case "register", Register():
            _check(expected["reg"].integer(), storage.register.number, "register")
            _check(_offset_bits(expected), single.bit_offset, "bit offset")
        case "value", Implicit():
            _implicit(machine, expected, single)
        case "implicit_value", Implicit():
            data = storage.bits.to_bytes(storage.size_bits // 8, case.form.endian)
            _check(expected["bytes_hex"].hexadecimal().hex(), data.hex())
            _check(0, single.bit_offset, "bit offset")
        case "implicit_pointer", ImplicitPointer():
            _check(expected["die_offset"].integer(), storage.die.section_offset)
            _check(expected["byte_offset"].integer(), storage.displacement_bytes)
        case "undefined", _:
            _check(True, location.is_undefined)
        case "composite", Composite() | Repeated() | Selected():
            _composite(case, machine, expected, location)
        case _:
            expected["kind"].text(*_LOCATION_KINDS)
            raise Mismatch(expected.value, location)


_LOCATION_KINDS = (
    "memory", "register", "value", "implicit_value", "implicit_pointer", "undefined", "composite",
)  # fmt: skip


def _implicit(machine: Machine, expected: Field, single: SingleLocation) -> None:
    """Check an implicit value of the expected type: the type decides its size and its reading."""
    storage = single.storage
    assert isinstance(storage, Implicit)
    _check(0, single.bit_offset, "bit offset")
    kind = expected.get("type")
    base = machine.context.generic
    if kind is not None and kind.value != "generic":
        base_key = (kind["encoding"].text(), kind["byte_size"].integer())
        matching = [
            base_type
            for base_type in machine.unit.base_types.values()
            if (base_type.encoding, base_type.size_bytes) == base_key
        ]
        if not matching:
            raise Mismatch(f"a type {base_key}", "no such base type in the case")
        base = matching[0]
    _check(base.bit_size, storage.size_bits, "size in bits")
    _value(expected, Value(storage.bits, base))


def _offset_bits(expected: Field) -> int:
    in_bits, in_bytes = expected.get("bit_offset"), expected.get("byte_offset")
    return (0 if in_bits is None else in_bits.integer()) + (
        0 if in_bytes is None else 8 * in_bytes.integer()
    )


def _composite_result(case: Case, machine: Machine, result: Result) -> None:
    assert isinstance(result, Location)
    _composite(case, machine, case.expected, result)


def _composite(case: Case, machine: Machine, expected: Field, location: Location) -> None:
    single = location.single_locations[0]
    storage = single.storage
    if not isinstance(storage, Composite | Repeated | Selected):
        raise Mismatch("a composite", location)
    _check(_offset_bits(expected), single.bit_offset, "bit offset")
    parts = expected.get("parts")
    if parts is None:
        return
    end = 0
    for part in parts.items():
        start = part["start"].integer(0)
        end = part["end"].integer(start)
        whole = Location((SingleLocation(storage),)).displaced(8 * start)
        inner = narrowed(whole, 8 * (end - start))
        _location(case, machine, part["location"], inner)
        remaining = inner.remaining_bits
        if remaining is not None and remaining < 8 * (end - start):
            raise Mismatch(f"{8 * (end - start)} bits", f"{remaining} bits")
    _check(8 * end, storage.size_bits, "size in bits")


def _pieces_result(case: Case, machine: Machine, result: Result) -> None:
    assert isinstance(result, Location)
    pieces = case.expected["pieces"].items()
    storage = result.single_locations[0].storage
    if not isinstance(storage, Composite):
        _check(1, len(pieces))
        return _location(case, machine, pieces[0]["location"], result)
    _check(len(pieces), len(storage.parts), "number of pieces")
    for field, part in zip(pieces, storage.parts, strict=True):
        size_bits = field.get("size_bits")
        if size_bits is not None and size_bits.value is not None:
            _check(size_bits.integer(), part.size_bits, "size in bits")
        offset = field.get("bit_offset")
        displaced_bits = 0 if offset is None or offset.value is None else offset.integer()
        location = part.location
        if displaced_bits and not location.is_undefined:
            singles = tuple(
                SingleLocation(single.storage, single.bit_offset - displaced_bits)
                for single in location.single_locations
            )
            location = Location(singles)
        _location(case, machine, field["location"], location)


def _undefined_result(case: Case, machine: Machine, result: Result) -> None:
    assert isinstance(result, Location)
    if result.is_undefined:
        return
    remaining = result.remaining_bits
    if remaining is None or not all(
        isinstance(single.storage, Undefined)
        for run in machine.context.access.runs(result, remaining)
        for single in run.single_locations
    ):
        raise Mismatch("the undefined location", result)


def _object_result(case: Case, machine: Machine, result: Result) -> None:
    assert isinstance(result, Location)
    data = case.expected["bytes_hex"].hexadecimal()
    named = case.field.get("object_type")
    size_bytes = len(data) if named is None else named["byte_size"].integer(0, MAX_BYTES)
    _check(data.hex(), machine.context.access.read_bytes(result, size_bytes).hex())


_COMPARISONS: dict[str, Callable[[Case, Machine, Result], None]] = {
    "value": _value_result,
    "location": _location_result,
    "composite": _composite_result,
    "pieces": _pieces_result,
    "object_bytes": _object_result,
    "undefined": _undefined_result,
}


def _access(machine: Machine, result: Result, field: Field, budget: AccessBudget) -> None:
    operation, access = field["op"].text(), machine.context.access
    match operation:
        case "read" | "read_bits" | "read_uint" | "deref_read":
            _read(machine, result, field, budget)
        case "write":
            data = field["bytes_hex"].hexadecimal()
            location = _moved(result, 8 * field["byte_offset"].integer())
            budget.count_object(access, location, 8 * len(data))
            access.write_bytes(location, data)
        case "write_bits":
            location = _moved(result, field["bit_offset"].integer())
            count = field["bit_size"].integer(0, 8 * MAX_BYTES)
            budget.count_object(access, location, count)
            access.write(location, count, field["value"].integer())
        case "check_register":
            arch = machine.target.architecture
            data = machine.target.read_register(0, arch.register(field["reg"].integer(0)))
            budget.count_bytes(len(data))
            contents, low = int.from_bytes(data, arch.endian), field.get("low_bits")
            size_bits = 8 * len(data)
            mask = (1 << (size_bits if low is None else low.integer(0, size_bits))) - 1
            _check(_bits(field["expect"], size_bits) & mask, contents & mask)
        case "check_memory":
            space = machine.target.architecture.address_space(field["aspace"].integer(0))
            expected = field["expect_hex"].hexadecimal()
            budget.count_bytes(len(expected))
            where = Memory(space, 0, machine.context.lane)
            data = machine.target.read_memory(where, field["address"].integer(0), len(expected))
            _check(expected.hex(), data.hex())
        case _:
            raise field.expected("a known access operation")


def _moved(result: Result, bits: int) -> Location:
    if not isinstance(result, Location):
        raise Mismatch("a location", result)
    return result.displaced(bits) if bits else result


def _read(machine: Machine, result: Result, field: Field, budget: AccessBudget) -> None:
    """Check the four kinds of reading; each may be expected to be undefined or an
    error."""
    access, operation = machine.context.access, field["op"].text()
    expected = field.get("expect")
    problem = None if expected is None else expected.value
    if operation == "read_bits":
        first = field["bit_offset"].integer()
        count = field["bit_size"].integer(0, 8 * MAX_BYTES)
    else:
        first = 8 * field["byte_offset"].integer()
        count = 8 * field["byte_size"].integer(0, MAX_BYTES)
    try:
        if operation == "deref_read":
            if isinstance(result, Location):
                budget.count_object(access, result, machine.context.generic.bit_size)
            result = _dereferenced(machine, result)
        location = _moved(result, first)
        budget.count_object(access, location, count)
        bits = access.read(location, count)
        if bits.unavailable:
            raise EvaluationError(bits.why_unavailable or "it is unavailable")
    except DwarfGpuError as error:
        if problem == "error":
            return
        raise Mismatch(field.value, f"{error.kind}: {error}") from None
    if problem == "error":
        raise Mismatch("an error", bits)
    if problem == "undefined":
        _check((1 << count) - 1, bits.undefined)
        return
    if bits.undefined:
        raise Mismatch(field.value, f"undefined bits {bits.undefined_ranges(access.endian)}")
    if field.has("expect_hex"):
        _check(field["expect_hex"].hexadecimal().hex(), bits.to_bytes(access.endian).hex())
        return
    sign = field.get("signed")
    is_signed = sign is not None and sign.boolean()
    _check(field["expect"].integer(), signed(bits.value, count) if is_signed else bits.value)


def _dereferenced(machine: Machine, result: Result) -> Location:
    """Return the object pointed to: by a pointer object, an implicit pointer or a generic value."""
    pointer = evolve(machine.context, initial_stack=(result,), result_kind="location")
    location = evaluate(_DEREF if isinstance(result, Location) else b"", pointer)
    assert isinstance(location, Location)
    return location


_DEREF = bytes((0x06,))
