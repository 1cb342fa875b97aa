"""What operations on values do, for the plain model; in the order of the AMD text."""

from __future__ import annotations

from dataclasses import replace

from tests.model import plain_values as values
from tests.model.plain_locations import default_address, form_aspace_address, register
from tests.model.plain_model import Context, Die, Evaluation, Machinery, implicit, op
from tests.model.plain_storage import Entry, Location, Pointer, retrieve
from tests.model.plain_values import Fault, Open, Type, Value


def evaluate(data: bytes, context: Context) -> Entry:
    """The result of an expression in a context."""
    return Evaluation().result(data, context)


def evaluate_attribute(die: Die, context: Context) -> Entry:
    """The result of an attribute's expression, in the context of its own unit."""
    evaluation = Evaluation()
    if die.expression is not None:
        return evaluation.result(die.expression, context)
    return evaluation.ended([evaluation.location_list(die, context)], context)


# A.2.5.4.1 Stack operations.


def untouchable(m: Machinery, *indexes: int) -> None:
    """The entries exist and none is an incomplete composite."""
    m.require(max(indexes) + 1)
    for index in indexes:
        entry = m.stack[-1 - index]
        if isinstance(entry, Location) and entry.incomplete() is not None:
            raise Fault("IllFormed")


@op("dup", "over", "pick")
def pick(m: Machinery) -> None:
    index = {"dup": 0, "over": 1}.get(m.op.name)
    if index is None:
        (index,) = m.numbers()
    untouchable(m, index)
    m.push(m.stack[-1 - index])


@op("drop")
def drop(m: Machinery) -> None:
    untouchable(m, 0)
    m.pop_entry()


@op("swap")
def swap(m: Machinery) -> None:
    untouchable(m, 0, 1)
    top, second = m.pop_entry(), m.pop_entry()
    m.stack += [top, second]


@op("rot")
def rot(m: Machinery) -> None:
    untouchable(m, 0, 1, 2)
    top, second, third = m.pop_entry(), m.pop_entry(), m.pop_entry()
    m.stack += [top, third, second]


# A.2.5.4.2 Control flow operations.


@op("vendor")
def vendor(m: Machinery) -> None:
    raise Open


@op("nop", "LLVM_nop")
def nop(m: Machinery) -> None:
    pass


@op("eq", "ge", "gt", "le", "lt", "ne")
def comparison(m: Machinery) -> None:
    b, a = m.take("value", "value")
    assert isinstance(a, Value) and isinstance(b, Value)
    m.push_generic(int(values.compare(m.op.name, a, b)))


@op("skip")
def skip(m: Machinery) -> int:
    return m.op.end + m.numbers()[0]


@op("bra")
def bra(m: Machinery) -> int | None:
    value = m.pop_value()
    floating = value.type.encoding == "float"
    taken = values.to_float(value) != 0 if floating else value.bits != 0
    return m.op.end + m.numbers()[0] if taken else None


@op("call2", "call4", "call_ref")
def call(m: Machinery) -> None:
    unit = m.unit()
    (offset,) = m.numbers()
    if m.op.name != "call_ref":
        offset += unit.offset
    if offset not in unit.dies:
        raise Fault("IllFormed")
    die = unit.dies[offset]
    inner = replace(m.context, unit=unit.of(die))
    if die.expression is not None:
        with m.evaluation.deeper():
            m.evaluation.run(die.expression, inner, m.stack)
    elif die.entries is not None:
        m.push(m.evaluation.location_list(die, inner))
    elif die.constant is not None:
        m.push(implicit(die.constant, m.context))


# A.2.5.4.3.1 Literal operations.


@op(*(f"const{n}{s}" for n in (1, 2, 4, 8) for s in "us"), "constu", "consts")
def constant(m: Machinery) -> None:
    m.push_generic(m.numbers()[0])


@op("constx", "addrx")
def indexed(m: Machinery) -> None:
    unit = m.unit()
    (index,) = m.numbers()
    if index not in unit.addresses:
        raise Fault("IllFormed")
    if m.op.name == "constx":
        m.push_generic(unit.addresses[index])
    else:
        m.push(default_address(m, unit.addresses[index] + unit.bias))


@op("const_type")
def const_type(m: Machinery) -> None:
    offset, block = m.op.operands
    kind = m.type_at(offset)
    assert isinstance(block, bytes)
    if kind.bytes != len(block):
        raise Fault("IllFormed")
    m.push(values.of(int.from_bytes(block, m.machine.endian), kind))  # type: ignore[arg-type]


@op("LLVM_push_lane", "LLVM_push_iteration")
def push_lane(m: Machinery) -> None:
    element = m.context.need(m.op.name.removeprefix("LLVM_push_"))
    assert isinstance(element, int)
    m.push_generic(element)


# A.2.5.4.3.2 and A.2.5.4.3.3.


@op("and", "div", "minus", "mod", "mul", "or", "plus", "shl", "shr", "shra", "xor")
def arithmetic(m: Machinery) -> None:
    b, a = m.take("value", "value")
    assert isinstance(a, Value) and isinstance(b, Value)
    m.push(values.binary(m.op.name, a, b))


@op("abs", "neg", "not")
def unary(m: Machinery) -> None:
    m.push(values.unary(m.op.name, m.pop_value()))


@op("plus_uconst")
def plus_uconst(m: Machinery) -> None:
    a = m.pop_integral()
    m.push(values.of(a.bits + m.numbers()[0], a.type))


@op("convert", "reinterpret")
def conversion(m: Machinery) -> None:
    value = m.pop_value()
    (offset,) = m.numbers()
    kind = m.generic if offset == 0 else m.type_at(offset)
    how = values.convert if m.op.name == "convert" else values.reinterpret
    m.push(how(value, kind))


# A.2.5.4.3.4 Special value operations.


def deref_as(m: Machinery, location: Location, kind: Type) -> None:
    contents = retrieve(m.machine, location, kind.bits)
    m.push(contents if isinstance(contents, Pointer) else Value(kind, contents))


def checked_type(m: Machinery, size: int, offset: int) -> Type:
    kind = m.type_at(offset)
    if kind.bytes != size:
        raise Fault("IllFormed")
    return kind


def deref_sized(m: Machinery, location: Location, size: int) -> None:
    bits = min(8 * size, m.generic.bits)
    if bits == 0:
        raise Fault("IllFormed")  # decided in the project: there is no type of no bits
    contents = retrieve(m.machine, location, bits)
    m.push(contents if isinstance(contents, Pointer) else Value(m.generic, contents))


@op("deref", "deref_size", "deref_type")
def deref(m: Machinery) -> None:
    location = m.pop_location()
    finish_deref(m, location)


def finish_deref(m: Machinery, location: Location) -> None:
    numbers = m.numbers()
    if m.op.name.endswith("_type"):
        deref_as(m, location, checked_type(m, *numbers))
    elif m.op.name.endswith("_size"):
        deref_sized(m, location, numbers[0])
    else:
        deref_as(m, location, m.generic)


@op("xderef", "xderef_size", "xderef_type")
def xderef(m: Machinery) -> None:
    swap(m)
    form_aspace_address(m)
    finish_deref(m, m.pop_location())


@op("regval_type")
def regval_type(m: Machinery) -> None:
    number, offset = m.numbers()
    deref_as(m, register(m, number), m.type_at(offset))


@op("entry_value")
def entry_value(m: Machinery) -> None:
    (block,) = m.op.operands
    assert isinstance(block, bytes)
    frame = m.frame()
    if block in frame.entry_values:
        m.push(frame.entry_values[block])
        return
    if frame.caller is None:
        raise Fault("MissingContext")
    caller, pc = frame.caller
    m.unit()
    inner = replace(m.context, frame=caller, pc=pc, object=None, stack=(), kind=None)
    result = m.evaluation.result(block, inner)
    if isinstance(result, Location):
        number = register_of(m)
        kind = m.machine.register_types[number]
        if kind.encoding in values.INTEGRAL and kind.bits == m.generic.bits:
            kind = m.generic  # decided in the project: producers go on with literals
        deref_as(m, result, kind)
    else:
        m.push(result)


def register_of(m: Machinery) -> int:
    """R of a last operation DW_OP_reg*."""
    last = m.evaluation.last_of_nested
    if last is not None and last.name == "regx":
        assert isinstance(last.operands[0], int)
        return last.operands[0]
    if last is not None and last.name.removeprefix("reg").isdigit():
        return int(last.name.removeprefix("reg"))
    raise Fault("IllFormed")
