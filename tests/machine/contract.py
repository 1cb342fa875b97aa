"""The contract of every `dwarfgpu.machine.target.Target`; its functions raise `AssertionError`.

They need nothing but dwarfgpu, so that they run inside GDB too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, OutOfRange, Unavailable
from dwarfgpu.machine.target import Target
from dwarfgpu.model.storage import Memory

ARCH = architecture("x86_64")
DEFAULT = Memory(ARCH.address_space(0))
WORD = bytes(range(1, 9))
TEXT = b"abcdefgh"


def register(name: str) -> RegisterInfo:
    result = ARCH.register_named(name)
    assert result is not None
    return result


@frozen(eq=False)
class Known:
    """A machine, and what is known of it: rax of wave 1 holds WORD, memory at `address` TEXT,
    behind which is nothing, as at `nowhere`; `lost` is a register of which nothing is known."""

    target: Target
    address: int = 0x1000
    lost: RegisterInfo = register("rbx")
    nowhere: int = 0x5000
    absent: int = 99
    """A wave that does not exist."""

    def memory(self, first: int, size_bytes: int) -> bytes:
        return self.target.read_memory(DEFAULT, self.address + first, size_bytes)


RAX = register("rax")
Fact = Callable[[Known], None]
FACTS: list[Fact] = []
"""In the order in which they may be asked of one machine: what writes comes last."""


def fact(check: Fact) -> Fact:
    FACTS.append(check)
    return check


@contextmanager
def raises(kind: type[DwarfGpuError], piece: str = "") -> Iterator[None]:
    try:
        yield
    except kind as error:
        assert piece in str(error), f"{piece!r} is not in {error}"
    else:
        raise AssertionError(f"no {kind.__name__}")


@fact
def a_register_is_read_in_part_and_as_a_whole(known: Known) -> None:
    read = known.target.read_register
    assert read(1, RAX) == WORD
    assert read(1, RAX, 2) == WORD[2:]
    assert read(1, RAX, 2, 3) == WORD[2:5]
    assert read(1, RAX, 8, 0) == b""


@fact
def a_register_that_is_not_known_is_unavailable(known: Known) -> None:
    with raises(Unavailable, known.lost.name):
        known.target.read_register(1, known.lost)


@fact
def bytes_outside_of_a_register_are_out_of_range(known: Known) -> None:
    for offset_bytes, size_bytes in ((8, 1), (0, 9), (-1, 1), (2, -1)):
        with raises(OutOfRange):
            known.target.read_register(1, RAX, offset_bytes, size_bytes)


@fact
def a_register_is_not_written_behind_its_end(known: Known) -> None:
    for data in (bytes(9), bytes(16)):
        with raises(DwarfGpuError):
            known.target.write_register(1, RAX, data)
    assert known.target.read_register(1, RAX) == WORD


@fact
def a_wave_that_does_not_exist_is_unavailable(known: Known) -> None:
    target, wave = known.target, known.absent
    with raises(Unavailable):
        target.architecture_of(wave)
    with raises(Unavailable):
        target.read_register(wave, RAX)
    with raises(Unavailable):
        target.write_register(wave, RAX, WORD)


@fact
def the_architecture_is_that_of_the_wave(known: Known) -> None:
    assert known.target.architecture_of(1) is ARCH
    assert known.target.apertures_of(1) is not None


@fact
def memory_is_read_exactly(known: Known) -> None:
    for first, size_bytes in ((0, 8), (2, 3), (7, 1), (8, 0), (0, 0)):
        assert known.memory(first, size_bytes) == TEXT[first : first + size_bytes]


@fact
def memory_that_is_not_known_is_unavailable(known: Known) -> None:
    for first, size_bytes in ((8, 1), (7, 2), (0, 9), (known.nowhere - known.address, 4)):
        with raises(Unavailable, "cannot access memory at address 0x"):
            known.memory(first, size_bytes)


@fact
def an_address_that_the_space_does_not_have_is_no_memory(known: Known) -> None:
    for address in (1 << 64, -1):
        with raises(DwarfGpuError):
            known.target.read_memory(DEFAULT, address, 1)


@fact
def reading_changes_nothing(known: Known) -> None:
    before = known.target.stop
    known.memory(0, 8)
    known.target.read_register(1, RAX)
    assert known.target.stop == before


@fact
def a_write_that_cannot_be_made_wholly_is_not_made(known: Known) -> None:
    with raises(Unavailable):
        known.target.write_memory(DEFAULT, known.address + 6, b"1234")
    assert known.memory(0, 8) == TEXT


@fact
def a_written_register_is_read_again_and_the_rest_of_it_stays(known: Known) -> None:
    known.target.write_register(1, RAX, b"\xff\xfe", 3)
    assert known.target.read_register(1, RAX) == WORD[:3] + b"\xff\xfe" + WORD[5:]


@fact
def written_memory_is_read_again_and_what_is_beside_it_stays(known: Known) -> None:
    known.target.write_memory(DEFAULT, known.address + 2, b"XYZ")
    assert known.memory(0, 8) == b"abXYZfgh"
    known.target.write_memory(DEFAULT, known.address + 4, b"12")
    assert known.memory(0, 8) == b"abXY12gh"
