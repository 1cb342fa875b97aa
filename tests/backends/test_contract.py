"""What is true of every Target (`dwarfgpu.target`): one suite for all backends that run here.

The machine of each has a register rax with the bytes 1 to 8, memory "abcdefgh" at 0x1000, nothing
at 0x1008, and no value for rbx.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.backends.core import CoreTarget
from dwarfgpu.backends.core_memory import CoreMemory, Range, core_ranges
from dwarfgpu.backends.image import Image, ImageTarget
from dwarfgpu.backends.state import StateTarget
from dwarfgpu.errors import DwarfGpuError, OutOfRange, Unavailable
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.core_notes import CoreThread
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.target import Target
from tests.objfile.cores import Load, core

ARCH = architecture("x86_64")
WORD = bytes(range(1, 9))
TEXT = b"abcdefgh"


def register(name: str) -> RegisterInfo:
    found = ARCH.register_named(name)
    assert found is not None
    return found


RAX, RBX = register("rax"), register("rbx")
DEFAULT = Memory(ARCH.address_space(0))


def given() -> StateTarget:
    target = StateTarget(ARCH)
    target.add_wave(1)
    return target


def of_state() -> Target:
    target = given()
    target.set_register(1, RAX, WORD)
    target.set_memory(DEFAULT, 0x1000, TEXT)
    return target


def of_image() -> Target:
    """Half of the memory is told by the machine, all of it by an image, which differs."""
    target = given()
    target.set_register(1, RAX, WORD)
    target.set_memory(DEFAULT, 0x1004, TEXT[4:])
    held = TEXT[:4] + b"----"
    image = Image(0x1000, 8, False, lambda offset, size: held[offset : offset + size])
    return ImageTarget(target, (image,), has_started=True)


def in_core(*loads: Load, mapped: tuple[Range, ...] = ()) -> CoreTarget:
    held = core_ranges(ObjectFile("core", core([], loads)))
    threads = {1: CoreThread(77, 11, {"rax": WORD})}
    return CoreTarget(threads, CoreMemory(held, mapped), given())


def of_core() -> Target:
    """Memory in two segments that touch."""
    return in_core(Load(0x1000, TEXT[:3]), Load(0x1003, TEXT[3:], 0x100))


def of_mapped_file() -> Target:
    """Half of the memory is left out of the core, and is read from the file that was mapped."""
    start = core([]) + TEXT
    start = start.ljust(-(-len(start) // 4096) * 4096 - 8, b"\0") + TEXT  # up to the end of a page
    file = ObjectFile("library", start)
    mapped = Range(0x0FF8, 0x1008, file, len(start) - 16)
    return in_core(Load(0x1004, TEXT[4:]), mapped=(mapped,))


BACKENDS = [of_state, of_image, of_core, of_mapped_file]
Made = Callable[[], Target]


@pytest.fixture(params=BACKENDS, ids=lambda made: made.__name__)
def target(request: pytest.FixtureRequest) -> Target:
    made: Made = request.param
    return made()


def test_a_register_is_read_in_part_and_as_a_whole(target: Target) -> None:
    assert target.read_register(1, RAX) == WORD
    assert target.read_register(1, RAX, 2) == WORD[2:]
    assert target.read_register(1, RAX, 2, 3) == WORD[2:5]
    assert target.read_register(1, RAX, 8, 0) == b""


def test_a_register_that_is_not_known_is_unavailable(target: Target) -> None:
    with pytest.raises(Unavailable, match="rbx"):
        target.read_register(1, RBX)


@pytest.mark.parametrize(("offset_bytes", "size_bytes"), [(8, 1), (0, 9), (-1, 1), (2, -1)])
def test_bytes_outside_of_a_register_are_out_of_range(
    target: Target, offset_bytes: int, size_bytes: int
) -> None:
    with pytest.raises(OutOfRange):
        target.read_register(1, RAX, offset_bytes, size_bytes)


@pytest.mark.parametrize("data", [bytes(9), bytes(16)])
def test_a_register_is_not_written_behind_its_end(target: Target, data: bytes) -> None:
    with pytest.raises(DwarfGpuError):
        target.write_register(1, RAX, data)
    assert target.read_register(1, RAX) == WORD


def test_a_wave_that_does_not_exist_is_unavailable(target: Target) -> None:
    asked: list[Callable[[], object]] = [
        lambda: target.architecture_of(2),
        lambda: target.read_register(2, RAX),
        lambda: target.write_register(2, RAX, WORD),
    ]
    for each in asked:
        with pytest.raises(Unavailable):
            each()


def test_the_architecture_is_that_of_the_wave(target: Target) -> None:
    assert target.architecture_of(1) is ARCH
    assert target.apertures_of(1) is not None


def test_a_written_register_is_read_again_and_the_rest_of_it_stays(target: Target) -> None:
    target.write_register(1, RAX, b"\xff\xfe", 3)
    assert target.read_register(1, RAX) == WORD[:3] + b"\xff\xfe" + WORD[5:]


@pytest.mark.parametrize(
    ("address", "size_bytes"), [(0x1000, 8), (0x1002, 3), (0x1007, 1), (0x1008, 0), (0x1000, 0)]
)
def test_memory_is_read_exactly(target: Target, address: int, size_bytes: int) -> None:
    first = address - 0x1000
    assert target.read_memory(DEFAULT, address, size_bytes) == TEXT[first : first + size_bytes]


@pytest.mark.parametrize(
    ("address", "size_bytes"), [(0x1008, 1), (0x1007, 2), (0x1000, 9), (0x5000, 4), (0, 1)]
)
def test_memory_that_is_not_known_is_unavailable(
    target: Target, address: int, size_bytes: int
) -> None:
    with pytest.raises(Unavailable, match="cannot access memory at address 0x"):
        target.read_memory(DEFAULT, address, size_bytes)


def test_an_address_that_the_space_does_not_have_is_no_memory(target: Target) -> None:
    for address in (1 << 64, -1):
        with pytest.raises(DwarfGpuError):
            target.read_memory(DEFAULT, address, 1)


@pytest.mark.parametrize(
    "made", [of_state, of_core, of_mapped_file], ids=lambda made: made.__name__
)
def test_written_memory_is_read_again_and_what_is_beside_it_stays(made: Made) -> None:
    target = made()
    target.write_memory(DEFAULT, 0x1002, b"XYZ")
    assert target.read_memory(DEFAULT, 0x1000, 8) == b"abXYZfgh"
    target.write_memory(DEFAULT, 0x1004, b"12")
    assert target.read_memory(DEFAULT, 0x1000, 8) == b"abXY12gh"


def test_a_write_that_cannot_be_made_wholly_is_not_made(target: Target) -> None:
    with pytest.raises(Unavailable):
        target.write_memory(DEFAULT, 0x1006, b"1234")
    assert target.read_memory(DEFAULT, 0x1000, 8) == TEXT


def test_reading_changes_nothing(target: Target) -> None:
    before = target.stop
    target.read_memory(DEFAULT, 0x1000, 8)
    target.read_register(1, RAX)
    assert target.stop == before
