"""Packets, queues, signals and kernarg segments in memory, as the documents lay them out."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu.errors import LimitExceeded, Malformed, UsageError
from dwarfgpu.machine.simulated.launch.dispatch_packet import (
    Allocator,
    Packet,
    Pieces,
    QueueObject,
    doorbell_signal,
    joined,
    user_signal,
)
from dwarfgpu.machine.simulated.launch.kernarg import HiddenValues, Kernarg, bind
from dwarfgpu.machine.simulated.launch.kernel_arguments import (
    ArgumentValue,
    Buffer,
    DeclaredParameter,
    SharedMemory,
    UnknownArgument,
    parameters,
)
from dwarfgpu.machine.topology import Geometry
from dwarfgpu.objfile.metadata import Argument

GEOMETRY = Geometry((100, 30, 7), (48, 8, 2), 3)


def known(pieces: Pieces, offset: int, size_bytes: int) -> int | None:
    """A number of an object; None where any byte of it is unknown."""
    for start, data in joined(pieces):
        if start <= offset and offset + size_bytes <= start + len(data):
            return int.from_bytes(data[offset - start : offset - start + size_bytes], "little")
    return None


@pytest.mark.parametrize(
    ("offset", "size_bytes", "value"),
    [
        (0, 2, 2 | 2 << 9 | 2 << 11),  # KERNEL_DISPATCH, fences of system scope
        (2, 2, 3),  # dimensions
        (4, 2, 48), (6, 2, 8), (8, 2, 2), (10, 2, 0),
        (12, 4, 100), (16, 4, 30), (20, 4, 7),
        (24, 4, 152), (28, 4, 1024),
        (32, 8, 0x7F00_0000_0580), (40, 8, 0x7E00_0000_2080), (48, 8, 0), (56, 8, 0x7E00_0000_2040),
    ],
)  # fmt: skip
def test_packet(offset: int, size_bytes: int, value: int) -> None:
    packet = Packet(GEOMETRY, 152, 1024, 0x7F00_0000_0580, 0x7E00_0000_2080, 0x7E00_0000_2040)
    data = packet.encoded()
    assert len(data) == 64
    assert int.from_bytes(data[offset : offset + size_bytes], "little") == value


QUEUE = QueueObject(
    9, 0x7E00_0000_1000, 64, 0x7E00_0000_2000, 1 << 48, 2 << 48, 5, 4, 0x7D00_0000_0000, 0x8000,
    3 | 2 << 12,
)  # fmt: skip


@pytest.mark.parametrize(
    ("offset", "size_bytes", "value"),
    [
        # hsa_queue_t
        (0, 4, 0), (4, 4, 1), (8, 8, 0x7E00_0000_1000), (16, 8, 0x7E00_0000_2000), (24, 4, 64),
        (28, 4, 0), (32, 8, 9),
        (40, 8, 0), (48, 8, 0),  # "Unused. … Must be 0."
        (56, 8, 5),  # write_dispatch_id, bits 511:448
        (64, 4, 0x10000),  # group_segment_aperture_base_hi, bits 543:512
        (68, 4, 0x20000),  # private_segment_aperture_base_hi
        (72, 4, None), (76, 4, None),  # max_cu_id, max_wave_id: of the agent
        (80, 8, None),
        (88, 4, 0),  # legacy_doorbell_lock
        (92, 36, 0),  # "Padding to next cache line. Unused and must be 0."
        (128, 8, 4),  # read_dispatch_id, bits 1087:1024
        (136, 4, 128),  # read_dispatch_id_field_base_byte_offset
        (140, 4, 3 | 2 << 12),  # compute_tmpring_size
        (144, 16, None),  # the V# of the scratch
        (160, 8, 0x7D00_0000_0000), (168, 8, 0x8000),
        (176, 80, None),
    ],
)  # fmt: skip
def test_queue(offset: int, size_bytes: int, value: int | None) -> None:
    assert known(QUEUE.pieces(), offset, size_bytes) == value


@pytest.mark.parametrize(
    ("offset", "size_bytes", "user", "doorbell"),
    [
        (0, 8, 1, (1 << 64) - 1),  # kind
        (8, 8, 7, None),  # value; where the hardware's doorbell is
        (16, 8, 0, None), (24, 4, 0, None), (28, 4, 0, None),
        (32, 8, None, None), (40, 8, None, None),  # times, "when profiled"
        (48, 8, 0, 0x7E00_0000_0000),  # queue_ptr
        (56, 8, 0, 0),
    ],
)  # fmt: skip
def test_signals(offset: int, size_bytes: int, user: int | None, doorbell: int | None) -> None:
    assert known(user_signal(7), offset, size_bytes) == user
    assert known(doorbell_signal(0x7E00_0000_0000), offset, size_bytes) == doorbell


HIDDEN = HiddenValues(GEOMETRY, 0x7E00_0000_0000, 1 << 48, 2 << 48)
ARGUMENTS = (
    Argument("global_buffer", 8, 0),
    Argument("by_value", 4, 8, "limit"),
    Argument("by_value", 4, 12, "ratio", "float"),
    Argument("dynamic_shared_pointer", 4, 16, "tile", pointee_align_bytes=64),
    Argument("by_value", 6, 20, "three"),
    Argument("hidden_block_count_x", 4, 32),
    Argument("hidden_block_count_z", 4, 36),
    Argument("hidden_group_size_y", 2, 40),
    Argument("hidden_remainder_x", 2, 42),
    Argument("hidden_remainder_y", 2, 44),
    Argument("hidden_global_offset_z", 8, 48),
    Argument("hidden_grid_dims", 2, 56),
    Argument("hidden_none", 6, 58),
    Argument("hidden_heap_v1", 8, 64),
    Argument("hidden_dynamic_lds_size", 4, 72),
    Argument("hidden_private_base", 4, 76),
    Argument("hidden_shared_base", 4, 80),
    Argument("hidden_queue_ptr", 8, 88),
)
GIVEN: dict[str, ArgumentValue] = {
    "in": Buffer(100),
    "limit": -2,
    "ratio": 1,
    "tile": SharedMemory(304),
    "three": bytes(range(6)),
}


def bound(**changes: ArgumentValue) -> Kernarg:
    names = [
        DeclaredParameter("in", item="int", item_bytes=4, is_number=True),
        *map(DeclaredParameter, ("x", "y")),
        DeclaredParameter("z", item="double", item_bytes=8, is_number=True),
        DeclaredParameter("w"),
    ]
    given = {name: value for name, value in {**GIVEN, **changes}.items() if value != ""}
    return bind(
        parameters(ARGUMENTS, names), ARGUMENTS, given, HIDDEN, Allocator(0x1001), 100, 1024
    )


@pytest.mark.parametrize(
    ("offset", "size_bytes", "value"),
    [
        (0, 8, 0x1100),  # aligned
        (8, 4, 0xFFFFFFFE),
        (12, 4, int.from_bytes(struct.pack("<f", 1.0), "little")),
        (16, 4, 128),  # behind the 100 bytes of the kernel, aligned to 64
        (20, 6, int.from_bytes(bytes(range(6)), "little")),
        (32, 4, 2), (36, 4, 3),  # whole workgroups only
        (40, 2, 8),
        (42, 2, 4), (44, 2, 6),  # of partial ones
        (48, 8, 0),
        (56, 2, 3),
        (58, 6, None),  # "it does not need to be set up"
        (64, 8, None),  # only a runtime makes it
        (72, 4, 332),  # 28 bytes to align, and 304
        (76, 4, 0x20000), (80, 4, 0x10000),
        (88, 8, 0x7E00_0000_0000),
    ],
)  # fmt: skip
def test_segment(offset: int, size_bytes: int, value: int | None) -> None:
    assert known(bound().pieces, offset, size_bytes) == value


def passed(argument: Argument, value: ArgumentValue, *declared: DeclaredParameter) -> bytes | None:
    """The bytes of the only argument of a kernel; `UsageError` where the value is refused."""
    known_arguments = parameters((argument,), declared)
    given = {"0": value}
    result = bind(known_arguments, (argument,), given, HIDDEN, Allocator(0x1000), 0, 1024)
    return result.pieces[0][1]


@pytest.mark.parametrize(
    "kind",
    ["global_buffer", "dynamic_shared_pointer", "image", "sampler", "pipe", "queue"],
)
@pytest.mark.parametrize("value_type", ["f16", "f32", "f64", "i32", "struct"])
def test_the_value_type_of_a_pointer_does_not_count(kind: str, value_type: str) -> None:
    pointer = Argument(kind, 8, 0, "x", value_type=value_type)
    assert passed(pointer, 0x7F0000001000) == (0x7F0000001000).to_bytes(8, "little")
    with pytest.raises(UsageError, match="1.5 is a floating point number, not an integer; "):
        passed(pointer, 1.5)


def test_no_number_fits_an_argument_of_no_bytes() -> None:
    """An empty structure of OpenCL C has none; no compiler writes such an address."""
    with pytest.raises(UsageError, match="no number fits, because the metadata says that it has 0"):
        passed(Argument("by_value", 0, 0, "x"), 0)
    with pytest.raises(Malformed, match="the metadata contradict themselves: x has 0 bytes at 0"):
        passed(Argument("global_buffer", 0, 0, "x"), 0)


def test_a_hidden_argument_of_no_bytes() -> None:
    hidden = Argument("hidden_grid_dims", 0, 24)
    with pytest.raises(Malformed, match="hidden_grid_dims has 0 bytes at 24"):
        bind((), (hidden,), {}, HIDDEN, Allocator(0x1000), 0, 1024)


def test_too_many_arguments() -> None:
    arguments = (Argument("by_value", 0, 0),) * ((1 << 16) + 1)
    with pytest.raises(LimitExceeded, match="a kernel of 65537 arguments: at most 65536"):
        bind((), arguments, {}, HIDDEN, Allocator(0x1000), 0, 1024)


@pytest.mark.parametrize("value", [5, 1.5])
def test_a_number_of_a_floating_point_type_without_a_known_format(value: float) -> None:
    message = f"{value} is no floating point number of its format, of 16 bytes; bytes:HEX gives"
    with pytest.raises(UsageError, match=message):
        passed(Argument("by_value", 16, 0, "q"), value, DeclaredParameter("q", is_float=True))


@pytest.mark.parametrize(
    ("value_type", "size_bytes", "format"), [("f16", 2, "<e"), ("f32", 4, "<f"), ("f64", 8, "<d")]
)
def test_a_floating_point_number_by_value(value_type: str, size_bytes: int, format: str) -> None:
    argument = Argument("by_value", size_bytes, 0, "x", value_type=value_type)
    assert passed(argument, 3) == struct.pack(format, 3)


@pytest.mark.parametrize(("value_type", "size_bytes"), [("f32", 8), ("f16", 4), ("f64", 16)])
def test_a_vector_by_value_is_not_a_number(value_type: str, size_bytes: int) -> None:
    argument = Argument("by_value", size_bytes, 0, "x", value_type=value_type)
    with pytest.raises(
        UsageError, match=f"a vector of {value_type.upper()} is not a number; bytes:"
    ):
        passed(argument, 3)
    assert passed(argument, bytes(size_bytes)) == bytes(size_bytes)


def test_what_is_made_for_arguments() -> None:
    result = bound(hidden_heap_v1=0x1234)
    assert result.buffers == ((0x1100, Buffer(100), "in"),)
    assert result.dynamic_lds_bytes == 332
    assert result.unknown == ()
    assert known(result.pieces, 64, 8) == 0x1234
    without = bound(limit=UnknownArgument())
    assert without.unknown == ("limit: declared unknown",)
    assert without.absent == ((64, "hidden_heap_v1"),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"limit": ""}, r"not given: limit \(by_value, 4 bytes at 8\); give --arg limit=VALUE, or"),
        ({"limti": 1}, "the kernel has no argument limti; its arguments: .*; did you mean limit"),
        ({"0": 1}, "argument 0 is given twice"),
        (
            {"limit": 1 << 32},
            r"limit \(by_value, 4 bytes at 8\): the number 4294967296 does not "
            r"fit 4 bytes, which can be -2147483648 to 4294967295",
        ),
        ({"limit": -(1 << 31) - 1}, "does not fit"),
        (
            {"limit": 1.5},
            "1.5 is a floating point number, and the file gives this argument no type; "
            "bytes:HEX gives any bits",
        ),
        ({"ratio": 1e99}, "does not fit"),
        (
            {"limit": b"\1"},
            r"limit \(by_value, 4 bytes at 8\): a value of 1 byte does not fit: "
            "the argument has 4 bytes$",
        ),
        ({"limit": Buffer(4)}, r"limit \(by_value, 4 bytes at 8\) cannot be a buffer$"),
        (
            {"tile": Buffer(4)},
            r"_pointer, .*\) cannot be a buffer: it is LDS .* lds:SIZE",
        ),
        (
            {"tile": (1, 2)},
            r"_pointer, .*\) cannot be a list: it is LDS .* lds:SIZE",
        ),
        (
            {"in": Buffer(30)},
            r"in \(global_buffer, 8 bytes at 0\): 30 bytes, not a multiple of the size of "
            r"int, which has 4",
        ),
        (
            {"in": Buffer(32, bytes(32), 8)},
            "an array of numbers of 8 bytes, where int has 4; a raw file gives any bytes",
        ),
        (
            {"tile": SharedMemory(300)},
            "300 bytes, not a multiple of the size of double, which has 8 bytes",
        ),
        ({"in": SharedMemory(4)}, r"in \(global_buffer, 8 bytes at 0\) cannot be LDS"),
    ],
)
def test_refused(changes: dict[str, ArgumentValue], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        bound(**changes)


def test_names_that_are_not_as_many_are_not_used() -> None:
    assert [parameter.name for parameter in parameters(ARGUMENTS, [DeclaredParameter("a")])] == [
        None, "limit", "ratio", "tile", "three",
    ]  # fmt: skip


def test_adjacent_pieces_are_joined_once() -> None:
    """Not each to all before it."""

    class Piece(bytes):
        def __radd__(self, before: bytes) -> bytes:
            raise AssertionError(f"{len(before)} bytes are copied again")

    pieces: Pieces = [(16 * number, Piece(b"x" * 16)) for number in range(100, 0, -1)]
    assert joined([*pieces, (64_000, b"y")]) == [(16, b"x" * 1_600), (64_000, b"y")]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"x_ptr": 1}, "no argument x_ptr; its arguments: 0, 1, whose names are not known$"),
        ({"1": 1e-5}, "1e-05 is a floating point number, and the file gives this argument no type"),
        ({"0": 1e-5}, "1e-05 is a floating point number, not an integer"),
    ],
)
def test_what_a_file_does_not_say_is_named(value: dict[str, ArgumentValue], message: str) -> None:
    """As for a kernel of Triton that was compiled without variables."""
    nameless = [Argument("global_buffer", 8, 0), Argument("by_value", 4, 8)]
    given = {"0": 0, "1": 0, **value}
    with pytest.raises(UsageError, match=message):
        bind(parameters(nameless, ()), nameless, given, HIDDEN, Allocator(0x1001), 100, 1024)


def test_the_kernel_gets_the_size_of_all_dynamic_lds() -> None:
    """That of its arguments and of `--dynamic-lds` ("Code Object Metadata" of the AMDGPU usage)."""
    hidden = HiddenValues(GEOMETRY, 0, 0, 0, dynamic_lds_bytes=256)
    assert hidden.of("hidden_dynamic_lds_size", 100) == 356
