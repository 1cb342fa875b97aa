"""What holds for every declared operation of every dialect, generated from the declarations.

Nothing here lists operations: a new declaration is tested by being there.
"""

from __future__ import annotations

import itertools
from functools import cache
from random import Random

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, MissingContext, Unsupported
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.decode import decode, encode
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL, DIALECTS, Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS, Code, Operation
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import Memory, Part
from dwarfgpu.model.value import Value
from tools.worlds import (
    ARCHITECTURES,
    BASE_TYPES,
    DIES,
    Machine,
    World,
    likely_operand,
    opcode,
    random_context,
    random_location,
    random_operand,
    random_value,
)

Encoded = tuple[Dialect, Code, Operation]
EVERY: list[Encoded] = [
    (dialect, code, operation)
    for dialect in DIALECTS.values()
    for code, operation in encodings(dialect).by_code.items()
]
TOGETHER = 20
"""So many operations are one test: each takes less time than pytest for a test."""
FORMATS = [
    UnitFormat(address_size, offset_size, version, endian)
    for address_size, offset_size, version, endian in itertools.product(
        (2, 4, 8), (4, 8), (2, 3, 4, 5), ("little", "big")
    )
]
every_operation = pytest.mark.parametrize(
    "some",
    [
        pytest.param(EVERY[at : at + TOGETHER], id=f"{EVERY[at][0]}-{EVERY[at][2].name}")
        for at in range(0, len(EVERY), TOGETHER)
    ],
)
every_declaration = pytest.mark.parametrize(
    "operation", [pytest.param(operation, id=operation.name) for operation in OPERATIONS.values()]
)


def encoded(
    code: Code, operation: Operation, operands: tuple[Operand, ...], form: UnitFormat
) -> bytes:
    return opcode(code) + b"".join(
        info.codec.write(operand, form)
        for info, operand in zip(operation.operands, operands, strict=True)
    )


@every_operation
def test_round_trip(some: list[Encoded]) -> None:
    for item in some:
        require_round_trip(*item)


def require_round_trip(dialect: Dialect, code: Code, operation: Operation) -> None:
    rng = Random(operation.name)
    for form in FORMATS:
        operands = tuple(random_operand(rng, i.codec, form) for i in operation.operands)
        data = encoded(code, operation, operands, form)
        decoded = decode(data, dialect, form)
        assert decoded.error is None
        (instruction,) = decoded.instructions
        assert instruction.operation is operation
        assert instruction.operands == operands
        assert (instruction.offset, instruction.encoding) == (0, data)
        if encodings(dialect).codes[operation.name] == code:
            assert encode(operation, operands, dialect, form) == data


@every_operation
def test_every_prefix_is_malformed(some: list[Encoded]) -> None:
    for item in some:
        require_malformed_prefixes(*item)


def require_malformed_prefixes(dialect: Dialect, code: Code, operation: Operation) -> None:
    rng = Random(operation.name)
    for form in FORMATS[:: 7 if operation.operands else 47]:
        operands = tuple(random_operand(rng, i.codec, form) for i in operation.operands)
        data = encoded(code, operation, operands, form)
        for size in range(1, len(data)):
            decoded = decode(data[:size], dialect, form)
            assert not decoded.instructions
            assert decoded.error is not None and decoded.error.site is not None
            assert decoded.error.site.offset == 0
            assert decoded.undecoded == data[:size]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=str)
def test_an_encoding_means_one_operation_or_none(dialect: Dialect) -> None:
    user = [code for code in encodings(dialect).by_code if isinstance(code, tuple)]
    assert all(code[0] == LLVM_USER for code in user)
    assert not (user and LLVM_USER in encodings(dialect).by_code), "one byte with two meanings"
    operands = b"\x01" * 64
    for code in itertools.chain(range(256), ((LLVM_USER, sub) for sub in range(300))):
        decoded = decode(opcode(code) + operands, dialect, UnitFormat())
        meant = encodings(dialect).by_code.get(code)
        if meant is not None:
            assert decoded.instructions[0].operation is meant
        elif code != LLVM_USER and isinstance(code, int):
            assert not decoded.instructions and decoded.error is not None


def full_context(rng: Random) -> tuple[World, Context]:
    """A world in which nothing is missing."""
    return _pooled(rng.randrange(120))


@cache
def _pooled(seed: int) -> tuple[World, Context]:
    rng = Random(seed)
    world = World.random(rng, AMD_PROVISIONAL, ARCHITECTURES[seed % len(ARCHITECTURES)])
    # The format that an absent unit has too.
    world = evolve(world, form=UnitFormat(world.form.address_size, 4, 5, world.form.endian))
    while True:
        ctx = random_context(rng, world)
        present = (ctx.wave, ctx.lane, ctx.iteration, ctx.frame, ctx.pc, ctx.unit, ctx.object)
        if None not in (*present, ctx.architecture, ctx.target):
            assert ctx.architecture is not None
            # At the stop of every location: none is stale.
            target = Machine(rng.randbytes(509), ctx.architecture)
            return world, evolve(ctx, initial_stack=(), result_kind=None, target=target)


def suitable(rng: Random, world: World, ctx: Context, operation: Operation) -> list[Entry]:
    """Entries of the kinds that the operation pops, deepest first."""
    assert ctx.architecture is not None and ctx.unit is not None
    spaces = list(ctx.architecture.address_spaces)
    out: list[Entry] = []
    for pop in operation.pops:
        if pop.kind == "location" or (pop.kind == "entry" and rng.random() < 0.5):
            out.append(random_location(rng, world, ctx.unit))  # type: ignore[arg-type]
        elif pop.name == "space":
            out.append(Value.of(rng.choice(spaces), ctx.generic))
        elif rng.random() < 0.7:
            out.append(Value.of(rng.choice((0, 1, 8, 64, 700)), ctx.generic))
        else:
            out.append(random_value(rng, ctx.architecture))
    if operation.leading and operation.leading[-1] == "stack":
        out += [Value.of(5, ctx.generic)] * 260
        if operation.name == "LLVM_piece_end":
            out.append(
                IncompleteComposite(Part(random_location(rng, world, ctx.unit), 8), None, 1, 8)
            )  # type: ignore[arg-type]
    return out


def one_operation(rng: Random, world: World, operation: Operation) -> bytes:
    """One operation of the dialect with everything, with operands that mean something."""
    code = next(c for c, item in encodings(AMD_PROVISIONAL).by_code.items() if item is operation)
    operands = tuple(likely_operand(rng, i.codec, world, 9) for i in operation.operands)
    return encoded(code, operation, operands, world.form)


@every_declaration
def test_too_short_a_stack_is_ill_formed(operation: Operation) -> None:
    rng = Random(operation.name)
    seen = {"LLVM_piece_end": 1, "pick": 1, "over": 2}
    needed = len(operation.pops) or seen.get(operation.name, 0)
    for _ in range(5):
        world, ctx = full_context(rng)
        data = one_operation(rng, world, operation)
        entries = suitable(rng, world, ctx, operation)
        for count in range(needed):
            short = evolve(ctx, initial_stack=tuple(entries[:count]))
            expected = Unsupported if operation.unsupported else IllFormed
            with pytest.raises(expected) as caught:
                evaluate(data, short, dialect=AMD_PROVISIONAL)
            assert caught.value.site is not None
            assert caught.value.site.operation == operation.title
            assert caught.value.site.section == operation.section


def outcome(data: bytes, ctx: Context) -> Result | type[DwarfGpuError]:
    try:
        return evaluate(data, ctx, dialect=AMD_PROVISIONAL)
    except DwarfGpuError as error:
        return type(error)


def without_wave(result: Result) -> Result:
    """Memory of scope `any` notes what its address may lower to, where that is known."""
    if not isinstance(result, Location):
        return result
    places = tuple(
        SingleLocation(Memory(place.storage.space), place.bit_offset)
        if isinstance(place.storage, Memory) and place.storage.space.scope == "any"
        else place
        for place in result.single_locations
    )
    return Location(places)


def _has_several_places(ctx: Context) -> bool:
    """Whether a register of the frame is in several places."""
    assert isinstance(ctx.frame, ExplicitFrame)
    return any(len(location.single_locations) > 1 for location in ctx.frame.registers.values())


ELEMENTS = ("wave", "lane", "iteration", "frame", "pc", "unit", "object", "target", "architecture")


@every_declaration
def test_a_missing_element_is_reported_never_guessed(operation: Operation) -> None:
    """Without an element of the context: the same result, or an error that names the element."""
    rng = Random(operation.name)
    reported = (MissingContext, Unsupported)
    for _ in range(12):
        world, ctx = full_context(rng)
        ctx = evolve(ctx, initial_stack=tuple(suitable(rng, world, ctx, operation)))
        data = one_operation(rng, world, operation)
        whole = outcome(data, ctx)
        bare = Context(architecture=ctx.architecture, initial_stack=ctx.initial_stack)
        for less in (bare, *(evolve(ctx, **{element: None}) for element in ELEMENTS)):
            partial = outcome(data, less)
            if isinstance(partial, type):
                same_error = isinstance(whole, type) and partial is whole
                # A nested expression may fail earlier, for the want of what it needed first.
                assert same_error or issubclass(partial, reported) or _nests(data, ctx), partial
            elif not isinstance(whole, type):
                # Any of several places may be read (A.2.5.3); random ones hold different bits.
                other_place = less.target is None and _has_several_places(ctx)
                assert other_place or without_wave(partial) == without_wave(whole)
            else:
                # An error can lack only what an absent target would have given.
                assert less.target is None or _nests(data, ctx), (partial, whole)


def _nests(data: bytes, ctx: Context) -> bool:
    """Whether the operation evaluates something else, whose outcome is not its own."""
    unit = ctx.unit
    assert unit is not None
    (instruction,) = prepare(data, AMD_PROVISIONAL, unit.format).instructions
    meanings = {info.codec.meaning for info in instruction.operation.operands}
    pointers = any(isinstance(entry, ImplicitPointerValue) for entry in ctx.initial_stack)
    return bool(meanings & {"die", "expression"}) or pointers


def assembled(text: str, operands: dict[str, Operand], form: UnitFormat) -> bytes:
    """The operations of an `equals=`, with the operands of the operation put in."""
    out = b""
    for item in text.split(";"):
        name, _, rest = item.strip().partition(" ")
        arguments = [
            operands[word[1:-1]] if word.startswith("{") else int(word)
            for word in (part.strip() for part in rest.split(",") if part.strip())
        ]
        out += encode(OPERATIONS[name.removeprefix("DW_OP_")], arguments, AMD_PROVISIONAL, form)
    return out


EQUAL = [
    pytest.param(operation, id=operation.name)
    for operation in OPERATIONS.values()
    if operation.equals is not None
]


@pytest.mark.parametrize("operation", EQUAL)
def test_equals(operation: Operation) -> None:
    """An operation and the operations to which it is equivalent: the same outcome."""
    rng = Random(operation.name)
    results = 0
    assert operation.equals is not None
    for _ in range(400 if operation.number in (None, 3) else 50):
        world, ctx = full_context(rng)
        stack = suitable(rng, world, ctx, operation)
        if rng.random() < 0.3:
            ctx = evolve(ctx, **{rng.choice(ELEMENTS[:-1]): None})
        if rng.random() < 0.2:
            rng.shuffle(stack)
        ctx = evolve(ctx, initial_stack=tuple(stack))
        operands: dict[str, Operand] = {
            info.name: likely_operand(rng, info.codec, world, 9) for info in operation.operands
        }
        operands_in_order = [operands[info.name] for info in operation.operands]
        kind = BASE_TYPES.get(operands.get("type", 0))  # type: ignore[call-overload]
        operands.setdefault("size", kind.size_bytes if kind is not None else 1)
        direct = encode(operation, operands_in_order, AMD_PROVISIONAL, world.form)
        expansion = assembled(operation.equals, operands, world.form)
        expected = outcome(expansion, ctx)
        assert outcome(direct, ctx) == expected, (direct.hex(), expansion.hex(), ctx)
        results += not isinstance(expected, type)
    tried = results >= 5 or operation.number not in (None, 3)
    assert tried, "the law was hardly tried: nearly every outcome is an error"


@pytest.mark.parametrize("seed", range(200))
def test_overlay_equals_pieces(seed: int) -> None:
    """DW_OP_LLVM_bit_overlay where it is no base nor overlay alone (A.2.5.4.4.6)."""
    rng = Random(seed)
    world, ctx = full_context(rng)
    assert ctx.unit is not None
    base, over = (random_location(rng, world, ctx.unit) for _ in range(2))  # type: ignore[arg-type]
    rest = base.remaining_bits
    if not rest or rest >> 60:  # nothing to cover, or more than a piece can encode
        return
    offset, size = rng.randrange(min(rest, 40)), rng.randrange(1, 40)
    ctx = evolve(ctx, initial_stack=(base, over))
    form = world.form
    direct = assembled(f"constu {offset}; constu {size}; LLVM_bit_overlay", {}, form)
    # The stack is base, overlay; under an incomplete composite, `pick` reaches both.
    pieces = "pick 1;" + (f"bit_piece {offset}, 0; pick 1" if offset else "drop; pick 0")
    pieces += f"; bit_piece {size}, 0"
    if rest > offset + size:
        pieces += f"; pick 2; bit_piece {rest - offset - size}, {offset + size}"
    expected = outcome(assembled(f"{pieces}; LLVM_piece_end", {}, form), ctx)
    if (offset, size) == (0, rest):
        expected = over
    elif offset + size > rest:
        expected = IllFormed
    assert outcome(direct, ctx) == expected


def test_entries_named_by_the_worlds_exist() -> None:
    """The generators above are only worth what they reach."""
    _, ctx = full_context(Random(1))
    assert ctx.unit is not None
    for offset in DIES:
        ctx.unit.location_at(offset)
    for offset in BASE_TYPES:
        ctx.unit.base_type(offset)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=str)
def test_undecodable_bytes_fail_when_reached(dialect: Dialect) -> None:
    """A malformed end is an error of the evaluation, after the operations before it."""
    steps = []
    ctx = Context(architecture=ARCHITECTURES[0])
    with pytest.raises(Malformed):
        evaluate(b"\x31\xc0", ctx, dialect=dialect, observe=steps.append)
    assert [step.instruction.operation.name for step in steps] == ["lit1"]
