"""Values of variables within expressions (DW_OP_GNU_variable_value), as GDB 17 computes them."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import EvaluationError, IllFormed, LimitExceeded, UndefinedBits
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import Step, evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.value import Value
from tests.dwarf.builder import Shape, debug_info, file_of

NAMED, TYPED = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF1)
SIZED = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    Shape(dw.TAG_BASE_TYPE, (NAMED, SIZED, (dw.AT_ENCODING, dw.FORM_DATA1))),
    Shape(dw.TAG_POINTER_TYPE, (TYPED,)),
    Shape(dw.TAG_TYPEDEF, (NAMED, TYPED)),
    Shape(dw.TAG_ENUMERATION_TYPE, (SIZED, TYPED)),
    Shape(dw.TAG_VARIABLE, (NAMED, TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_VARIABLE, (NAMED, TYPED, (dw.AT_CONST_VALUE, dw.FORM_SDATA))),
    Shape(dw.TAG_VARIABLE, (NAMED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_REFERENCE_TYPE, (TYPED,)),
]
HEADER_BYTES = 12
INT = HEADER_BYTES + 1
"""The entry of `int`, the first one in the unit."""


def number_of(
    kind: bytes, variable: bytes, steps: list[Step] | None = None, *, declares_type: bool = True
) -> object:
    """The result for a variable `v` of a type, an entry after that of `int`, by its attribute."""
    start = b"\1" + b"\2int\0\4\5"
    type_at = HEADER_BYTES + len(start)
    at = type_at + len(kind)
    entry = bytes((variable[0],)) + b"v\0" + (bytes((type_at,)) if declares_type else b"")
    unit = debug_info(file_of(start + kind + entry + variable[1:] + b"\0", SHAPES)).units[0]
    context = Context(architecture("gfx942"), unit=unit, result_kind="value")
    data = assemble(f"GNU_variable_value {at}", AMD_PROVISIONAL, arch=context.architecture)
    result = evaluate(
        data, context, dialect=AMD_PROVISIONAL, observe=None if steps is None else steps.append
    )
    assert isinstance(result, Value) and result.type.is_generic
    return result.as_signed


def base(size: int, encoding: int) -> bytes:
    return b"\2base\0" + bytes((size, encoding))


def located(text: str) -> bytes:
    data = assemble(text, AMD_PROVISIONAL, arch=architecture("gfx942"))
    return b"\6" + bytes((len(data),)) + data


MINUS_5 = located("implicit_value 16, 0xfb" + " 0xff" * 15)
MINUS_3 = b"\7" + encode_sleb(-3)


@pytest.mark.parametrize(
    ("kind", "bits", "has_sign"),
    [
        (base(1, 6), 8, True),
        (base(1, 8), 8, False),
        (base(2, 5), 16, True),
        (base(2, 7), 16, False),
        (base(4, 5), 32, True),
        (base(4, 7), 32, False),
        (base(8, 7), 64, False),
        (base(16, 5), 128, True),
        (bytes((3, INT)), 64, False),
        (bytes((4, *b"own\0", INT)), 32, True),
        (bytes((5, 4, INT)), 32, True),
    ],
)
def test_numbers_are_converted_to_the_generic_type(kind: bytes, bits: int, has_sign: bool) -> None:
    for variable, number in ((MINUS_5, -5), (MINUS_3, -3)):
        want = number if has_sign or bits >= 64 else number & (1 << bits) - 1
        assert number_of(kind, variable) == want


def test_the_location_is_evaluated_within_the_operation() -> None:
    steps: list[Step] = []
    assert number_of(base(4, 5), located("lit7; stack_value"), steps) == 7
    assert [(step.instruction.operation.name, step.depth) for step in steps] == [
        ("lit7", 1),
        ("stack_value", 1),
        ("GNU_variable_value", 0),
    ]


@pytest.mark.parametrize("kind", [base(8, 4), base(1, 2), b"\2unknown\0\4\x10", bytes((9, INT))])
def test_other_types_have_no_number(kind: bytes) -> None:
    for variable in (MINUS_5, MINUS_3):
        with pytest.raises(IllFormed, match="v is not an integer, an enumeration or a pointer"):
            number_of(kind, variable)


def test_a_variable_without_a_type_has_no_number() -> None:
    variable = b"\x08" + located("lit7; stack_value")[1:]
    with pytest.raises(IllFormed, match="v is not an integer, an enumeration or a pointer"):
        number_of(b"", variable, declares_type=False)


def test_a_variable_that_is_nowhere_is_undefined() -> None:
    with pytest.raises(UndefinedBits):
        number_of(base(4, 5), b"\6\0")
    with pytest.raises(
        EvaluationError, match="32 bits needed at bit offset 0 of an implicit value, 16 remain"
    ):
        number_of(base(4, 5), located("implicit_value 2, 1 2"))


def test_a_variable_that_needs_its_own_value_reaches_a_limit() -> None:
    at = HEADER_BYTES + 1 + len(b"\2int\0\4\5") + len(base(4, 5))
    with pytest.raises(LimitExceeded, match="nested more than"):
        number_of(base(4, 5), located(f"GNU_variable_value {at}; stack_value"))
