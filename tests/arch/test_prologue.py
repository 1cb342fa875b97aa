"""The instructions with which functions set a frame pointer."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch import i386, x86_64
from dwarfgpu.arch.abi import Abi
from dwarfgpu.arch.x86_prologue import Code, Head, head_of
from tests.cli.command import run

PUSH32, PUSH64 = b"\x55\x89\xe5", b"\x55\x48\x89\xe5"
ALIGN32 = b"\x8d\x4c\x24\x04\x83\xe4\xf0\xff\x71\xfc"  # lea, and, push of -m32's main
ALIGN64 = b"\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8"


def at(code: bytes) -> Code:
    """A reader of a function whose code is known from its entry on; it is not asked for much."""

    def read(offset: int, most: int) -> bytes:
        assert 0 <= most <= 512
        return code[offset : offset + most] if offset >= 0 else b""

    return read


def head(abi: Abi, code: bytes) -> Head:
    assert abi.prologue is not None
    return head_of(abi.prologue, at(code))


def body(abi: Abi, code: bytes) -> int:
    return head(abi, code).body


@pytest.mark.parametrize("landing", [b"", b"\xf3\x0f\x1e\xfb"])
@pytest.mark.parametrize("alignment", [b"", ALIGN32])
def test_of_i386(landing: bytes, alignment: bytes) -> None:
    code = landing + alignment + PUSH32
    assert body(i386.ABI, code + b"\x90") == len(code)
    assert body(i386.ABI, landing + alignment + b"\x40" + PUSH32) == 0  # inc %eax


@pytest.mark.parametrize(
    ("adjustment", "pushes"),
    [
        (b"", b"\x53"),  # push %ebx
        (b"\x83\xec\x08", b"\x56\x53"),  # sub $8,%esp; push %esi; push %ebx
        (b"\x81\xec\xa0\x00\x00\x00", b""),  # sub $160,%esp
        (b"\x8d\x64\x24\xf8", b"\x57"),  # lea -8(%esp),%esp; push %edi
        (b"\x81\xec\xa0\x00\x00\x00", 8 * b"\x57"),
    ],
)
def test_of_i386_with_saved_registers(adjustment: bytes, pushes: bytes) -> None:
    """GDB stops behind them in a function that has all its code on one line."""
    code = PUSH32 + adjustment + pushes
    for behind in (b"", b"\x90", b"\x81\xec\x10\x00\x00\x00" if pushes else b"\x90"):
        assert body(i386.ABI, code + behind) == len(code)
    assert body(i386.ABI, PUSH32 + 9 * b"\x53") == len(PUSH32) + 8  # no more, as in GDB


@pytest.mark.parametrize(
    ("adjustment", "is_room_freed"),
    [
        (b"\x83\xec\xf8", True),  # sub $-8,%esp
        (b"\x81\xec\xf0\xff\xff\xff", True),  # sub $-16,%esp
        (b"\x8d\x64\x24\x10", True),  # lea 16(%esp),%esp
        (b"\x81\xec\xf0\x00\x00\x00", False),
        (b"\x83\xec\x00", False),
    ],
)
@pytest.mark.parametrize("landing", [b"", b"\xf3\x0f\x1e\xfb"])
def test_of_i386_that_frees_room(landing: bytes, adjustment: bytes, is_room_freed: bool) -> None:
    """GDB stops at the begin of such a function, and behind the instruction has no frame pointer;
    it counts what is pushed."""
    code = landing + PUSH32 + adjustment
    made = head(i386.ABI, code + b"\x53\x90")
    assert made.body == (0 if is_room_freed else len(code) + 1)
    assert made.is_set(len(landing + PUSH32))
    assert made.is_set(len(code)) != is_room_freed
    assert [made.pushes(len(code) + more) for more in range(3)] == [1, 2, 2]


ZERO, NUMBER = b"\x31\xc0", b"\xba\x07\x00\x00\x00"  # xor %eax,%eax; mov $7,%edx
ENTER, ADDRESS = b"\xc8\x10\x00\x00", b"\xe8\x00\x00\x00\x00\x5b\x81\xc3\x67\x45\x23\x01"
STRUCTURE, PROBE = b"\x58\x87\x04\x24", b"\x6a\x04\xe8\x00\x00\x00\x00\x83\xc4\x04"


@pytest.mark.parametrize(
    ("code", "setting"),
    [
        (b"\x55" + ZERO + b"\x89\xe5", 3),
        (b"\x55\x2b\xc9" + NUMBER + b"\xb4\x07\x89\xe5", 10),
        (b"\x55\xa1" + bytes(4) + b"\x8b\xec", 6),  # mov 0,%eax
        (b"\x55" + 200 * ZERO + b"\x89\xe5", 401),
        (b"\x55\x89\x05" + bytes(4) + b"\x89\x15" + bytes(4) + b"\x89\xe5", 13),  # mov %eax,0
        (ALIGN32 + b"\x55" + ZERO + b"\x89\xe5", 13),
        (b"\x55\x8d\x2c\x24", 1),
        (b"\xf3\x0f\x1e\xfb" + ENTER + b"\x53", 4),
        (b"\x90\x8b\xff\x90" + PUSH32, 5),
        (b"\xeb\x03\xcc\xcc\xcc" + PUSH32, 6),
        (b"\xe9\x02\x00\x00\x00\xcc\xcc" + PUSH32, 8),
        (b"\x66\xe9\x01\x00\xcc" + PUSH32, 6),
        (b"\xf3\x0f\x1e\xfb\x90\xeb\x00" + PUSH32 + b"\x83\xec\x10\x53", 8),
        (STRUCTURE + PUSH32, 5),
        (PROBE + PUSH32, 11),
        (PUSH32 + ADDRESS, 1),
        (PUSH32 + b"\x53" + ADDRESS[:6] + b"\x89\x5d\xfc" + ADDRESS[6:], 1),
    ],
)
def test_of_i386_as_gdb_reads_it(code: bytes, setting: int) -> None:
    """All of it is the prologue; what it sets counts once the instruction that sets it has begun,
    even where GDB looks at a jump."""
    made = head(i386.ABI, code + b"\x40")
    assert (made.body, made.setting) == (len(code), setting)
    assert not made.is_set(setting)
    assert made.is_set(setting + 1)


@pytest.mark.parametrize(
    "code",
    [
        b"\x55\x31\xdb\x89\xe5",  # xor %ebx,%ebx
        b"\x55\xbb" + bytes(4) + b"\x89\xe5",  # mov $0,%ebx
        b"\x55\x8b\x0d" + bytes(4) + b"\x89\xe5",  # mov 0,%ecx
        b"\x55\x90\x89\xe5",
        b"\x55\x53\x89\xe5",
        b"\x55" + 300 * ZERO + b"\x89\xe5",  # longer than is looked for
        ZERO + PUSH32,
        b"\x89\xff" + PUSH32,  # the other encoding of mov %edi,%edi
        b"\xeb\x00\xeb\x00" + PUSH32,  # a second jump
        b"\xeb\x00\x90" + PUSH32,
        b"\x90\xf3\x0f\x1e\xfb" + PUSH32,
        b"\xff\x25" + bytes(4) + PUSH32,
        STRUCTURE,
        b"\xeb\x7f",
        b"\xeb",
        b"",
    ],
)
def test_other_functions_of_i386_have_no_prologue(code: bytes) -> None:
    assert body(i386.ABI, code + b"\x40") == 0


def test_a_jump_back_ends_the_prologue_behind_a_jump() -> None:
    """Functions that begin with a jump to their prologue at the end."""
    jump, back = b"\xeb\x04\x40\x40\x40\x40" + PUSH32, b"\xeb\xf7"
    assert body(i386.ABI, jump + back) == len(jump + back) - 9 == 2
    assert body(i386.ABI, b"\x90" + jump + back) == len(jump) + 1  # which is not its first
    assert body(i386.ABI, PUSH32 + back) == len(PUSH32)


@pytest.mark.parametrize("distance", [-(1 << 31), -9, (1 << 31) - 1])
def test_a_jump_may_lead_anywhere(distance: int) -> None:
    made = head(i386.ABI, b"\xe9" + distance.to_bytes(4, "little", signed=True) + PUSH32)
    assert (made.body, made.begin) == (0, distance + 5)
    for executed in (0, 5, 8):
        assert not made.is_set(executed) and not made.has_frame(executed, None)
        assert (made.pushes(executed), made.kept(executed)) == (0, None)


def test_of_x86_64() -> None:
    assert body(x86_64.ABI, ALIGN64 + PUSH64) == len(ALIGN64 + PUSH64)
    assert body(x86_64.ABI, PUSH64 + b"\x53") == len(PUSH64)
    for code in (PUSH32, b"\x90" + PUSH64, b"\x55" + ZERO + PUSH64[1:], ENTER):
        assert body(x86_64.ABI, code) == 0


ALIGNED = """
.globl main
.type main, @function
main: lea 8(%rsp), %r10
 and $-16, %rsp
 push -8(%r10)
 push %rbp
 mov %rsp, %rbp
 nop
.size main, . - main
"""


def test_the_base_of_a_frame_that_aligns_the_stack(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB computes it from the stack pointer before, until the frame pointer is set."""
    (tmp_path / "aligned.s").write_text(ALIGNED)
    placed = ("-nostdlib", "-static", "-Wl,-emain", "-Wl,-Ttext=0x1000")
    command = [tool("gcc"), *placed, "aligned.s", "-o", "aligned"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=60)
    registers = ("--reg", "rsp=0x5fd8", "--reg", "r10=0x5ff8", "--reg", "rbp=0x7000")
    expected = {0x1000: "0x5fd0", 0x1005: "0x5fd0", 0x1009: "0x5fe8", 0x100E: "0x5fe8"}
    for pc, address in (expected | {0x1011: "0x7000"}).items():
        place = ("--pc", hex(pc), *registers)
        done = run("debug", tmp_path / "aligned", *place, "--batch", "-ex", "output $fp")
        assert done.out == f"(void *) {address}"


def test_heads_that_do_not_align_the_stack() -> None:
    for abi, push in ((i386.ABI, PUSH32), (x86_64.ABI, PUSH64)):
        assert head(abi, push).alignment is None and head(abi, b"").kept(9) is None


@pytest.mark.parametrize(
    ("abi", "code", "name", "aligning"),
    [
        (i386.ABI, ALIGN32, "ecx", 4),
        (i386.ABI, "8d5c2404 83e4f8 ff73fc", "ebx", 4),
        (i386.ABI, "8d442404 83e480 ff70fc", "eax", 4),
        (i386.ABI, "8d542404 81e400ffffff ff72fc", "edx", 4),
        (i386.ABI, "57 8d7c2408 83e4f0 ff77fc", "edi", 5),
        (i386.ABI, "53 8d5c2408 81e400f0ffff ff73fc", "ebx", 5),
        (x86_64.ABI, ALIGN64, "r10", 5),
        (x86_64.ABI, "488d542408 4883e480 ff72f8", "rdx", 5),
        (x86_64.ABI, "4c8d542408 4881e400ffffff 41ff72f8", "r10", 5),
        (x86_64.ABI, "4155 4c8d6c2410 4883e4e0 41ff75f8", "r13", 7),
        (x86_64.ABI, "53 488d5c2410 4881e400f0ffff ff73f8", "rbx", 6),
    ],
)
def test_alignments(abi: Abi, code: bytes | str, name: str, aligning: int) -> None:
    """As GDB reads them: with any register that can be kept, and any number."""
    instructions = bytes.fromhex(code) if isinstance(code, str) else code
    assert abi.prologue is not None
    landing, push = abi.prologue.landing, abi.prologue.push + abi.prologue.moves[0]
    for before in (b"", landing):
        made = head(abi, before + instructions + push)
        first = len(before) + aligning
        assert (made.kept(first), made.kept(first + 1)) == (None, name)
        assert made.body == len(before + instructions + push)
        assert not made.has_frame(made.body, None)


@pytest.mark.parametrize(
    ("abi", "code"),
    [
        (i386.ABI, "8d4c2404 83e4f0 ff72fc"),  # pushes by another register
        (i386.ABI, "8d4c2408 83e4f0 ff71fc"),
        (i386.ABI, "56 8d7c2408 83e4f0 ff77fc"),  # saves another
        (i386.ABI, "57 8d7c2404 83e4f0 ff77fc"),
        (i386.ABI, "8d6c2404 83e4f0 ff75fc"),  # by %ebp
        (i386.ABI, "8d4c2404 83ecf0 ff71fc"),  # sub
        (x86_64.ABI, "488d542408 4883e4f0 41ff72f8"),  # lea of %rdx, push by %r10
        (x86_64.ABI, "4c8d542408 83e4f0 41ff72f8"),  # and %esp
    ],
)
def test_other_instructions_align_nothing(abi: Abi, code: str) -> None:
    assert abi.prologue is not None
    push = abi.prologue.push + abi.prologue.moves[0]
    made = head(abi, bytes.fromhex(code) + push)
    assert made.alignment is None and made.body == 0
