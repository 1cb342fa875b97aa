"""`dwarfgpu run`: numbers that NumPy or C lack as they are given, shown and written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import BFLOAT16
from dwarfgpu.base.npy import Npy
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Type
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.launch.dispatch_packet import Allocator
from dwarfgpu.machine.simulated.launch.kernarg import bind
from dwarfgpu.machine.simulated.launch.kernel_arguments import parameters
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.options.kernel_argument_options import argument_values, declared
from dwarfgpu.options.numpy_types import structure_fields
from dwarfgpu.service.run.run_report import buffer_lines
from tests.cli.command import FIXTURES, run, run_json
from tests.cli.test_run import saved, values

BFLOATS = ("run", FIXTURES / "run/floats.gfx942.O2.v5.co", "bfloats", "--grid", 64)


def test_bfloat16_is_no_float16(tmp_path: Path) -> None:
    """Its bits are the upper half of binary32: NumPy computes them so."""
    out = tmp_path / "a.npy"
    done = run(
        *BFLOATS, "--workgroup", 64, "--arg", "a=range:64", "--arg", "b=range:64",
        "--arg", "out=zeros:256", "--out", f"a={out}",
    )  # fmt: skip
    assert done.lines[-3:] == [
        "  a = bfloat16[64] {0, 1, 2, 3, 4, 5, 6, 7, …}",
        "  b = bfloat16[64] {0, 1, 2, 3, 4, 5, 6, 7, …}",
        "  out = float32[64] {0, 1, 4, 9, 16, 25, 36, 49, …}",
    ]
    bits = values(out)
    assert bits.dtype == np.uint16
    assert (bits == np.arange(64, dtype=np.float32).view(np.uint32) >> 16).all()
    halves = saved(tmp_path, "halves", np.ones(64, np.float16))
    wrong = run(
        *BFLOATS, "--workgroup", 64, "--arg", f"a={halves}", "--arg", "b=range:64",
        "--arg", "out=zeros:256",
    )  # fmt: skip
    assert wrong.status == 2
    assert "an array of floating point numbers, where the pointer is to __bf16" in wrong.error


FLOATS = FIXTURES / "run/floats.gfx942.O2.v5.co"
ONE_WAVE = ("--grid", 64, "--workgroup", 64)


def test_vectors_are_rows_of_their_numbers(tmp_path: Path) -> None:
    """vectors: out = a * b + 1 of float4; half_pairs: x * y of half2, and the halves of y."""
    out = tmp_path / "out.npy"
    done = run(
        "run", FLOATS, "half_pairs", *ONE_WAVE, "--arg", "a=range:128", "--arg", "b=range:128",
        "--arg", "out=zeros:256", "--out", f"out={out}",
    )  # fmt: skip
    assert "  a = float16[64][2] {{0, 1}, {2, 3}, {4, 5}, {6, 7}, …}" in done.lines
    given = np.arange(128, dtype=np.float16).reshape(64, 2)
    assert values(out).dtype == np.float16
    assert (values(out) == given * given + given[:, ::-1]).all()
    answer = run_json(
        "run", FLOATS, "half_pairs", *ONE_WAVE, "--arg", "a=range:128", "--arg", "b=range:128",
        "--arg", f"out=@{out}",
    )  # fmt: skip
    assert [buffer["shape"] for buffer in answer.json["buffers"]] == [[64, 2]] * 3


@pytest.mark.parametrize(
    ("shape", "kept"),
    [((8, 8, 2), (8, 8, 2)), ((32, 4), (64, 2)), ((128,), (64, 2)), ((4, 16, 2), (4, 16, 2))],
)
def test_an_array_of_the_declared_numbers_keeps_its_shape(
    shape: tuple[int, ...], kept: tuple[int, ...], tmp_path: Path
) -> None:
    """Of vectors, the last dimension is their numbers."""
    given = saved(tmp_path, "given", np.zeros(shape, np.float16))
    out = tmp_path / "out.npy"
    run(
        "run", FLOATS, "half_pairs", *ONE_WAVE, "--arg", "a=range:128", "--arg", "b=range:128",
        "--arg", f"out={given}", "--out", f"out={out}",
    )  # fmt: skip
    numbers = np.arange(128, dtype=np.float16).reshape(64, 2)
    assert values(out).shape == kept
    assert (values(out).reshape(64, 2) == numbers * numbers + numbers[:, ::-1]).all()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("range:127", "254 bytes, not a multiple of the size of "),
        ("SINGLES", "an array of numbers of 4 bytes, where a number of "),
    ],
)
def test_what_does_not_fill_vectors_is_refused(value: str, message: str, tmp_path: Path) -> None:
    singles = saved(tmp_path, "singles", np.ones(128, np.float32))
    value = value.replace("SINGLES", singles)
    done = run(
        "run", FLOATS, "half_pairs", *ONE_WAVE, "--arg", f"a={value}", "--arg", "b=range:128",
        "--arg", "out=zeros:256",
    )  # fmt: skip
    assert done.status == 2 and message in done.error


def test_an_array_for_a_pointer_of_unknown_type_keeps_its_own(tmp_path: Path) -> None:
    """Only declarations say what `range:` makes; a file says what it has."""

    def loops(array: Any, *more: object) -> Any:
        return run(
            "run", FIXTURES / "triton/loops.gfx942.triton3.6.0.co", "loops", "--grid", 256,
            "--workgroup", 256, "--arg", f"0={saved(tmp_path, 'x', array)}", "--arg", "1=zeros:400",
            "--arg", "2=100", "--arg", "3=?", "--arg", "4=null", "--arg", "5=null", *more,
        )  # fmt: skip

    numbers = np.arange(200, dtype=np.float32)
    done = loops(numbers)
    assert "  0 = float32[200] {0, 1, 2, 3, 4, 5, 6, 7, …}" in done.lines
    assert "  1 = uint8[400] {" in done.out
    out = tmp_path / "out.npy"
    done = loops(numbers.reshape(50, 2, 2), "--out", f"0={out}")
    assert "  0 = float32[50][2][2] {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}, …}" in done.lines
    assert values(out).shape == (50, 2, 2)
    done = loops(numbers.reshape(2, 100))
    assert "  0 = float32[2][100] {{0, 1, 2, 3, 4, 5, 6, 7, …}, …}" in done.lines


def test_a_vector_of_three_has_room_for_four() -> None:
    number = Base(BaseType("float", "float", 32))
    vector = Array(number, (3,), is_vector=True, declared_bits=128)
    variable: Any = SimpleNamespace(name="p", type=Pointer(vector))
    assert (declared(variable).item_lanes, declared(variable).number_bytes) == (4, 4)


def test_numbers_for_a_pointer_to_something_else_are_refused() -> None:
    """An __int128 is described: it is not debugging information that is missing."""
    arguments = [Argument("global_buffer", 8, 0)]
    explicit = parameters(arguments, [described(BaseType("__int128", "signed", 128), pointer=True)])
    hidden: Any = SimpleNamespace(of=None)
    with pytest.raises(UsageError, match="it points to __int128, not to numbers that range: and"):
        bind(explicit, arguments, argument_values(["p=range:4"]), hidden, Allocator(0), 0, 1024)


def described(base: BaseType, *, pointer: bool) -> Any:
    kind = Base(base)
    variable: Any = SimpleNamespace(name="p", type=Pointer(kind) if pointer else kind)
    return declared(variable)


BF16 = BaseType("__bf16", "float", 16)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("1.5", 0x3FC0), ("-0.0", 0x8000), ("1.00390625", 0x3F80), ("1.01171875", 0x3F82),
        ("1e-40", 0x0001), ("-inf", 0xFF80), ("nan", 0x7FC0), ("3", 0x4040),
    ],
)  # fmt: skip
def test_an_argument_of_type_bfloat16(text: str, bits: int) -> None:
    """Ties to even, as the upper half of binary32."""
    assert encoded(BF16, text) == bits.to_bytes(2, "little")


def encoded(base: BaseType, text: str) -> bytes:
    arguments = [Argument("by_value", base.bit_size // 8, 0)]
    explicit = parameters(arguments, [described(base, pointer=False)])
    hidden: Any = SimpleNamespace(of=None)
    given = argument_values([f"p={text}"])
    ((_, data),) = bind(explicit, arguments, given, hidden, Allocator(0), 0, 1024).pieces
    return data


@pytest.mark.parametrize(
    ("base", "text"),
    [
        (BF16, "1e39"),
        (BaseType("fp8", "float", 8), "1.5"),
        (BaseType("complex float", "complex_float", 64), "1"),
    ],
)
def test_a_number_that_a_type_does_not_have_is_refused(base: BaseType, text: str) -> None:
    with pytest.raises(UsageError):
        encoded(base, text)


@pytest.mark.parametrize(
    ("base", "descr", "line"),
    [
        (BF16, "<u2", "bfloat16[8] {0, 0, 0, 0, 0, 0, 0, 0}"),
        (BaseType("__int128", "signed", 128), None, "uint8[16] {0, 0, 0, 0, 0, 0, 0, 0, …}"),
        (BaseType("_BitInt(24)", "signed", 24), None, "uint8[16] {0, 0, 0, 0, 0, 0, 0, 0, …}"),
        (BaseType("complex", "complex_float", 64), "<c8", "complex64[2] {0+0j, 0+0j}"),
        (BaseType("complex", "complex_float", 128), "<c16", "complex128[1] {0+0j}"),
        (BaseType("bool", "boolean", 8), "|u1", "uint8[16] {0, 0, 0, 0, 0, 0, 0, 0, …}"),
        (BaseType("long", "signed", 64), "<i8", "int64[2] {0, 0}"),
    ],
)
def test_the_numbers_of_a_buffer(base: BaseType, descr: str | None, line: str) -> None:
    item = described(base, pointer=True)
    assert item.item_numpy == descr
    kind = descr or "|u1"
    array = Npy(kind, (16 // int(kind[2:]),), bytes(16))
    bfloats = {"p"} if item.item_form is BFLOAT16 else set()
    result: Any = SimpleNamespace(outputs={"p": array}, texts={}, bfloats=bfloats)
    assert list(buffer_lines(result)) == [f"  p = {line}"]


@pytest.mark.parametrize(
    ("descr", "numbers", "shown"),
    [
        ("<f4", [-220.3125, 0.1, 16777217.0, np.inf], "-220.3125, 0.100000001, 16777216, inf"),
        ("<f8", [1e-5 / 3, 2.0**53 - 1], "3.3333333333333337e-06, 9007199254740991"),
        ("<c8", [complex(0.5, -220.3125)], "0.5-220.3125j"),
    ],
)
def test_a_buffer_has_the_digits_of_print(descr: str, numbers: list[Any], shown: str) -> None:
    """Six digits, as `%g` has, would show other numbers than the buffer holds."""
    contents = np.array(numbers, dtype=descr)
    result: Any = SimpleNamespace(
        outputs={"p": Npy(descr, contents.shape, contents.tobytes())}, texts={}, bfloats=set()
    )
    [line] = buffer_lines(result)
    assert line.endswith(f"{{{shown}}}")


@pytest.mark.parametrize(
    ("item", "descr"),
    [
        (Enum("color", 4, is_signed=True), "<i4"),
        (Enum("small", 1), "|u1"),
        (Enum("long", 8), "<u8"),
        (Enum("damaged", 3), None),
        (Pointer(Base(BaseType("float", "float", 32))), "<u8"),
        (Pointer(None, size_bytes=4), "<u4"),  # to LDS
        (Base(BaseType("char8_t", "UTF", 8)), "|u1"),
        (Base(BaseType("char16_t", "UTF", 16)), "<u2"),
        (Base(BaseType("char32_t", "UTF", 32)), "<u4"),
    ],
)
def test_enumerations_pointers_and_characters_are_integers(item: Type, descr: str | None) -> None:
    variable: Any = SimpleNamespace(name="p", type=Pointer(Array(item, (2,))))
    assert declared(variable).item_numpy == descr
    member = Struct("struct", "S", 16, (Member("m", item, 0),))
    fields = structure_fields(member)
    assert [field.descr for field in fields[:1]] == ([] if descr is None else [descr])


def test_an_array_for_an_enumeration_has_numbers_of_its_size(tmp_path: Path) -> None:
    """An array of others would be read as something else than its numbers."""
    item = Enum("color", 4, is_signed=True)
    variable: Any = SimpleNamespace(name="p", type=Pointer(item))
    arguments = [Argument("global_buffer", 8, 0)]
    explicit = parameters(arguments, [declared(variable)])
    hidden: Any = SimpleNamespace(of=None)
    for kind, message in (
        (np.int32, None),
        (np.int64, "an array of numbers of 8 bytes, where enum color has 4"),
        (np.float32, "an array of floating point numbers, where the pointer is to enum color"),
    ):
        given = argument_values([f"p={saved(tmp_path, 'given', np.ones(4, kind))}"])
        if message is None:
            bound = bind(explicit, arguments, given, hidden, Allocator(0), 0, 1024)
            assert [buffer.data for _, buffer, _ in bound.buffers] == [bytes([1, 0, 0, 0] * 4)]
        else:
            with pytest.raises(UsageError, match=message):
                bind(explicit, arguments, given, hidden, Allocator(0), 0, 1024)


def test_a_pointer_to_arrays_is_one_to_their_numbers() -> None:
    """As compilers of OpenMP pass arrays, and kernels take matrices: `float (*rows)[4]`."""
    numbers = Base(BaseType("float", "float", 32))
    rows: Any = SimpleNamespace(name="p", type=Pointer(Array(Array(numbers, (4,)), (2,))))
    item = declared(rows)
    assert (item.item, item.item_numpy, item.item_bytes) == ("float", "<f4", 4)
    arguments = [Argument("global_buffer", 8, 0)]
    given, hidden = argument_values(["p=range:3"]), SimpleNamespace(of=None)
    bound: Any = bind(
        parameters(arguments, [item]), arguments, given, hidden, Allocator(0), 0, 1024
    )
    ((_, buffer, _),) = bound.buffers
    assert buffer.data == np.arange(3, dtype=np.float32).tobytes()
    vector: Any = SimpleNamespace(name="p", type=Pointer(Array(numbers, (4,), is_vector=True)))
    assert declared(vector).item_bytes == 16
