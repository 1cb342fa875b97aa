"""v_cubeid_f32, v_cubesc_f32, v_cubetc_f32 and v_cubema_f32 against a model of one lane: the table
of faces of the cube maps of OpenGL 4.6, section 8.13."""

from __future__ import annotations

from itertools import product

import pytest

from dwarfgpu.isa.decode import decoder
from tests.machine.simulated import programs, vectors
from tests.machine.simulated.models import Model, computed, encoding_of, require
from tests.machine.simulated.test_float_models import (
    edges,
    encoded,
    floats,
    is_nan,
    nan_of,
    same_float,
    value,
)

SIGN = 1 << 31
FACES = ("+x", "-x", "+y", "-y", "+z", "-z")
ROWS = {
    "+x": ("-z", "-y", "+x"),
    "-x": ("+z", "-y", "+x"),
    "+y": ("+x", "+z", "+y"),
    "-y": ("+x", "-z", "+y"),
    "+z": ("+x", "-y", "+z"),
    "-z": ("-x", "-y", "+z"),
}
"""By the face: the components that are s, t, and the axis before its size is taken."""
TARGETS = ("gfx803", "gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200")


def face_of(*direction: int) -> str:
    """The face of the component of the largest size; z before y before x where sizes are equal.
    What is not greater than a NaN is not the largest."""
    sizes = [abs(value(number, 32)) for number in direction]
    largest = next(
        (axis for axis in (2, 1) if all(sizes[axis] >= size for size in sizes[:axis])), 0
    )
    return "+-"[value(direction[largest], 32) < 0] + "xyz"[largest]


def component(column: int) -> Model:
    def model(*direction: int) -> int:
        sign, axis = ROWS[face_of(*direction)][column]
        number = direction["xyz".index(axis)] ^ (SIGN if sign == "-" else 0)
        if is_nan(number, 32):
            return nan_of(32)
        return (
            encoded(2 * value(number, 32), 32, is_negative=bool(number & SIGN))
            if (column == 2)
            else number
        )

    return model


MODELS: dict[str, Model] = {
    "v_cubeid_f32": lambda *n: encoded(float(FACES.index(face_of(*n))), 32),
    "v_cubesc_f32": component(0),
    "v_cubetc_f32": component(1),
    "v_cubema_f32": component(2),
}
SMALL = [encoded(x, 32, is_negative=n) for x, n in ((0.0, False), (0.0, True), (1.0, False),
         (-1.0, False), (2.5, False), (-2.5, False))]  # fmt: skip
SIGNALLING = 0x7F800001
EVERY_ORDER = list(product([*SMALL, nan_of(32), SIGNALLING], repeat=3))


@pytest.mark.parametrize("name", MODELS)
def test_every_order_and_sign(name: str) -> None:
    cases = [*EVERY_ORDER, *floats(32, 3)]
    require(name, 32, MODELS[name], cases, same_float(32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_every_generation(name: str, target: str) -> None:
    encoding = encoding_of(target, name)
    assert encoding is not None
    cases = list(product(SMALL, repeat=3))
    assert computed(target, encoding, cases, 1) == [MODELS[name](*case) for case in cases]


def test_a_nan_is_quiet() -> None:
    encoding = encoding_of("gfx1100", "v_cubetc_f32")
    assert encoding is not None
    [result] = computed("gfx1100", encoding, [(SMALL[2], SIGNALLING, SMALL[2])], 1)
    assert result & ~SIGN == SIGNALLING | 1 << 22


@pytest.mark.parametrize(("mode", "expected"), [(0x1F0, 0x7F800000), (0x1FF, 0x7F7FFFFF)])
def test_the_axis_rounds_as_mode_says(mode: int, expected: int) -> None:
    """Twice the largest number is infinite, toward zero that number."""
    encoding = encoding_of("gfx90a", "v_cubema_f32")
    assert encoding is not None
    size = decoder("gfx90a").target.wave_size
    fields = {"vdst": 8, "src0": 256, "src1": 128, "src2": 128}
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    machine = vectors.machine(code, 1, "gfx90a", size)
    [wave] = machine.waves
    wave.set_mode(mode)
    wave.v[0][0] = 0x7F7FFFFF
    assert machine.run(most=1) is None
    assert int(wave.v[8][0]) == expected
    assert 0x7F7FFFFF in edges(32)
