"""What operations on location descriptions do, for the plain model (AMD text A.2.5.4.4)."""

from __future__ import annotations

from tests.model import plain_values as values
from tests.model.plain_model import Machinery, implicit, memory, op
from tests.model.plain_storage import (
    UNDEFINED,
    Composite,
    Implicit,
    Location,
    Place,
    Pointer,
    Register,
    bits_of_number,
    retrieve,
)
from tests.model.plain_values import Fault, Open, Value

# A.2.5.4.4.1 General location description operations.


def displacement(value: Value) -> int:
    """The generic type is signed here, an unsigned base type is not."""
    return value.signed() if value.type.encoding == "generic" else value.number()


@op("LLVM_offset", "LLVM_bit_offset")
def offset(m: Machinery) -> None:
    count, location = m.take("integral", "location")
    assert isinstance(count, Value) and isinstance(location, Location)
    by = displacement(count)
    m.push(location.moved(8 * by if m.op.name == "LLVM_offset" else by))


@op("LLVM_offset_uconst")
def offset_uconst(m: Machinery) -> None:
    by = displacement(values.of(m.numbers()[0], m.generic))  # as DW_OP_constu pushes it
    m.push(m.pop_location().moved(8 * by))


@op("push_object_address")
def push_object_address(m: Machinery) -> None:
    element = m.context.need("object")
    assert isinstance(element, Location)
    m.push(element)


@op("LLVM_call_frame_entry_reg")
def call_frame_entry_reg(m: Machinery) -> None:
    (number,) = m.numbers()
    if number not in m.machine.register_types:
        raise Fault(*{"IllFormed", "IllFormed" if m.context.frame else "MissingContext"})
    frame = m.frame()
    if number not in frame.entry_registers:
        raise Fault("MissingContext")
    m.push(frame.entry_registers[number])


@op("LLVM_undefined")
def undefined(m: Machinery) -> None:
    m.push(UNDEFINED)


# A.2.5.4.4.3 Memory location description operations.


def default_address(m: Machinery, address: int) -> Location:
    return memory(m.context, 0, address % (1 << m.generic.bits))


@op("addr")
def addr(m: Machinery) -> None:
    bias = m.context.unit.bias if m.context.unit else 0
    m.push(default_address(m, m.numbers()[0] + bias))


@op("LLVM_form_aspace_address")
def form_aspace_address(m: Machinery) -> None:
    m.require(2)
    below = m.stack[-2]
    pointer = isinstance(below, Pointer)
    space, address = m.take("integral", "entry" if pointer else "integral")
    assert isinstance(space, Value)
    if space.bits not in m.machine.spaces:
        raise Fault(*{"IllFormed", "EvaluationError" if pointer else "IllFormed"})
    if isinstance(address, Pointer):
        if address.space != space.bits:
            raise Fault("EvaluationError")
        m.push(m.evaluation.pointed(address, m.context))
        return
    assert isinstance(address, Value)
    bits = m.machine.spaces[space.bits].address_bits
    m.push(memory(m.context, space.bits, address.bits % (1 << bits)))


@op("form_tls_address")
def form_tls_address(m: Machinery) -> None:
    value = m.pop_integral()
    if value.type.encoding != "generic":
        raise Open
    unit = m.unit()
    m.context.need("has_thread")
    if value.bits not in unit.tls:
        raise Fault("MissingContext")
    m.push(default_address(m, unit.tls[value.bits]))


@op("call_frame_cfa", "fbreg")
def call_frame_cfa(m: Machinery) -> None:
    frame = m.frame()
    frame_base = frame.frame_base if m.op.name == "fbreg" else frame.cfa
    if frame_base is None:
        raise Fault("MissingContext")
    m.push(frame_base.moved(8 * m.numbers()[0]) if m.op.name == "fbreg" else frame_base)


def based(m: Machinery, space: int, number: int, by: int) -> None:
    if space not in m.machine.spaces:
        raise Fault("IllFormed")
    bits = m.machine.spaces[space].address_bits
    contents = retrieve(m.machine, low_bits(m, number, bits), bits)
    if isinstance(contents, Pointer):
        raise Fault("EvaluationError")
    m.push(memory(m.context, space, (contents + by) % (1 << bits)))


def low_bits(m: Machinery, number: int, bits: int) -> Location:
    """Decided in the project: a register wider than an address gives its low bits."""
    location = register(m, number)
    wider = m.machine.register_types[number].bits - bits
    if wider < 0:
        raise Fault("OutOfRange")  # decided, wherever the register of a caller was saved
    return location.moved(wider) if m.machine.endian == "big" and wider > 0 else location


@op("bregx")
def bregx(m: Machinery) -> None:
    number, by = m.numbers()
    based(m, 0, number, by)


@op("LLVM_aspace_bregx")
def aspace_bregx(m: Machinery) -> None:
    space = m.pop_integral().bits
    number, by = m.numbers()
    based(m, space, number, by)


# A.2.5.4.4.4 Register location description operations.


def register(m: Machinery, number: int) -> Location:
    absent = not m.context.has_thread or m.context.frame is None
    if number not in m.machine.register_types:
        raise Fault(*{"IllFormed", "MissingContext" if absent else "IllFormed"})
    m.context.need("has_thread")
    frame = m.frame()
    if frame.level > 0:
        if number not in frame.registers:
            raise Fault("MissingContext")
        return frame.registers[number]
    return Location((Place(Register(number, m.machine.register_types[number].bits), 0),))


@op("regx")
def regx(m: Machinery) -> None:
    m.push(register(m, m.numbers()[0]))


# A.2.5.4.4.5 Implicit location description operations.


@op("implicit_value")
def implicit_value(m: Machinery) -> None:
    (block,) = m.op.operands
    assert isinstance(block, bytes)
    m.push(implicit(block, m.context))


@op("stack_value")
def stack_value(m: Machinery) -> None:
    entry = m.pop_entry()
    if isinstance(entry, Pointer):
        m.push(Location((Place(entry, 0),)))
        return
    value = m.evaluation.value(entry, m.context)
    bits = bits_of_number(value.bits, value.type.bits, m.machine.endian)
    m.push(Location((Place(Implicit(tuple(bits)), 0),)))


@op("implicit_pointer", "LLVM_aspace_implicit_pointer")
def implicit_pointer(m: Machinery) -> None:
    space = 0 if m.op.name == "implicit_pointer" else m.pop_integral().bits
    if space not in m.machine.spaces:
        raise Fault(*{"IllFormed", "IllFormed" if m.context.unit else "MissingContext"})
    m.unit()
    die, by = m.numbers()
    m.push(Location((Place(Pointer(die, by, space, m.machine.spaces[space].address_bits), 0),)))


# A.2.5.4.4.6 Composite location description operations.


def fits(location: Location, bits: int) -> None:
    """All the bits of a part must be within the size of the storage of each of its places."""
    left = location.remaining()
    if left is not None and bits > left:
        raise Fault("IllFormed")


def grown(m: Machinery, composite: Composite) -> None:
    if composite.size > m.machine.largest():
        raise Fault("IllFormed")


def composite_of(m: Machinery, parts: list[tuple[Location, int, int]], complete: bool) -> Location:
    made = Composite(parts, complete)
    grown(m, made)
    return Location((Place(made, 0),))


def incomplete(m: Machinery) -> Composite | None:
    """The incomplete composite at the top of the stack."""
    top = m.stack[-1] if m.stack else None
    return top.incomplete() if isinstance(top, Location) else None


@op("piece", "bit_piece")
def piece(m: Machinery) -> None:
    size, by = (8 * m.numbers()[0], 0) if m.op.name == "piece" else m.numbers()
    location = UNDEFINED
    if m.stack and incomplete(m) is None:
        location = m.pop_location()
    if m.op.name == "bit_piece":
        by = displacement(values.of(by, m.generic))  # as DW_OP_constu pushes it
        location = location.moved(by)
    fits(location, size)
    composite = incomplete(m)
    if composite is None:
        m.push(composite_of(m, [(location, size, 1)], False))
    else:
        composite.parts.append((location, size, 1))
        grown(m, composite)


@op("LLVM_piece_end")
def piece_end(m: Machinery) -> None:
    composite = incomplete(m)
    if composite is None:
        raise Fault("IllFormed")
    composite.complete = True


@op("LLVM_extend")
def extend(m: Machinery) -> None:
    size, count = m.numbers()
    location = m.pop_location()
    if size == 0 or count == 0:
        raise Fault("IllFormed")
    fits(location, size)
    m.push(composite_of(m, [(location, size, count)], True))


@op("LLVM_select_bit_piece")
def select_bit_piece(m: Machinery) -> None:
    size, count = m.numbers()
    mask, one, zero = m.take("integral", "location", "location")
    assert isinstance(mask, Value) and isinstance(one, Location) and isinstance(zero, Location)
    if size == 0 or count == 0 or mask.type.bits < count:
        raise Fault("IllFormed")
    parts = []
    faults: set[str] = set()
    for n in range(count):
        try:
            location = (one if mask.bits >> n & 1 else zero).moved(n * size)
            fits(location, size)
            parts.append((location, size, 1))
        except Fault as fault:
            faults |= fault.classes
    if faults:
        raise Fault(*faults)
    m.push(composite_of(m, parts, True))


@op("LLVM_overlay", "LLVM_bit_overlay")
def overlay(m: Machinery) -> None:
    scale = 8 if m.op.name == "LLVM_overlay" else 1
    first, second, over, base = m.take("integral", "integral", "location", "location")
    assert isinstance(first, Value) and isinstance(second, Value)
    assert isinstance(over, Location) and isinstance(base, Location)
    size, at = displacement(first) * scale, displacement(second) * scale
    left = base.remaining()
    if size < 0 or at < 0 or (left is not None and left < at + size):
        raise Fault("IllFormed")
    if size == 0:
        m.push(base)
        return
    if at == 0 and size == left:
        m.push(over)
        return
    if left is None:
        raise Fault("IllFormed")  # the rest of the base is endless
    parts = []
    if at:
        fits(base, at)
        parts.append((base, at, 1))
    over = over.moved(0)  # as bit_piece: not of a storage without bits
    fits(over, size)
    parts.append((over, size, 1))
    if left > at + size:
        parts.append((base.moved(at + size), left - at - size, 1))
    m.push(composite_of(m, parts, True))
