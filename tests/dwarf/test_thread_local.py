"""Thread-local variables: what linkers count on, and what is unknown (ELF TLS 3)."""

from __future__ import annotations

import shlex
from struct import pack

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.thread_local import is_marked_as_program, tls_address
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    Malformed,
    MissingContext,
    Unavailable,
    Unsupported,
)
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.objfile.elf import ObjectFile, open_object
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES

POINTER = 0x7FFF_F7DD_1740
X86_64, AARCH64, RISCV = 62, 183, 243
EXEC, SHARED, RELOCATABLE = 2, 3, 1
TLS, DYNAMIC = 7, 2


def program(
    machine: int = X86_64,
    type: int = EXEC,
    tls: tuple[int, int, int] | None = (0x1000, 4, 4),
    flags_1: int | None = None,
) -> ObjectFile:
    """An ELF file with a thread-local block: address, size and alignment of PT_TLS."""
    dynamic = b"" if flags_1 is None else pack("<4Q", 0x6FFFFFFB, flags_1, 0, 0)
    segments = [(DYNAMIC, 0x200, 0, len(dynamic), len(dynamic), 8)] if dynamic else []
    if tls is not None:
        segments.append((TLS, 0x400, tls[0], 0, tls[1], tls[2]))
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += pack("<HHIQQQIHHHHHH", type, machine, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    for kind, offset, address, file_bytes, memory_bytes, alignment in segments:
        header += pack(
            "<IIQQQQQQ", kind, 4, offset, address, address, file_bytes, memory_bytes, alignment
        )
    return ObjectFile("folder/made", header.ljust(0x200, b"\0") + dynamic)


def machine(name: str = "x86_64", register: str | None = "fs_base") -> StateTarget:
    arch = architecture(name)
    target = StateTarget(arch)
    target.add_wave(0)
    if register is not None:
        target.set_register(0, arch.by_name[register], POINTER.to_bytes(8, "little"))
    return target


@pytest.mark.parametrize(
    ("tls", "offset", "displacement"),
    [
        ((0x1000, 4, 4), 0, -4),
        ((0x3DCC, 4, 4), 0, -4),  # demo.gcc.O0.v5: what GDB shows of a running one
        ((0x1000, 4, 16), 0, -16),  # the block ends at the pointer, as it is aligned
        ((0x1000, 0x14, 16), 0x10, -0x10),
        ((0x1008, 8, 16), 0, -8),  # it begins 8 behind a multiple of 16
        ((0x1004, 0x20, 16), 0, -0x2C),
        ((0x1000, 5, 1), 5, 0),
        ((0x1000, 5, 0), 1, -4),
    ],
)
def test_x86_64_puts_it_before_the_pointer(
    tls: tuple[int, int, int], offset: int, displacement: int
) -> None:
    assert tls_address(program(tls=tls), offset, 0, machine()) == POINTER + displacement


@pytest.mark.parametrize(
    ("tls", "offset", "displacement"),
    [
        ((0x1000, 4, 4), 0, 16),  # behind two words of the thread's control block
        ((0x1000, 4, 4), 4, 20),
        ((0x1000, 4, 16), 0, 16),
        ((0x1000, 4, 64), 0, 64),
        ((0x1008, 8, 16), 0, 24),
        ((0x1000, 4, 0), 0, 16),
    ],
)
def test_aarch64_puts_it_behind_the_pointer(
    tls: tuple[int, int, int], offset: int, displacement: int
) -> None:
    target = machine("aarch64", "tpidr_el0")
    assert tls_address(program(AARCH64, tls=tls), offset, 0, target) == POINTER + displacement


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (program(), True),
        (program(type=SHARED), False),
        (program(type=SHARED, flags_1=0x08000000), True),  # DF_1_PIE
        (program(type=SHARED, flags_1=0x1), False),
        (open_object(FIXTURES / "x86_64/demo.gcc.O0.v5"), True),
        (open_object(FIXTURES / "x86_64/pointers.clang.O0.v5.so"), False),
    ],
)
def test_which_files_are_programs(file: ObjectFile, expected: bool) -> None:
    assert is_marked_as_program(file) == expected


@pytest.mark.parametrize(
    ("file", "offset", "target", "kind", "message"),
    [
        (program(type=SHARED), 0, machine(), Unsupported, "tables do not say where the block of a"),
        (program(RISCV), 0, machine(), Unsupported, "thread-local storage of RISCV"),
        (program(type=RELOCATABLE), 0, machine(), Unavailable, "made is not linked"),
        (program(tls=None), 0, machine(), IllFormed, "made has no thread-local storage"),
        (program(), 5, machine(), IllFormed, "offset 0x5 is outside the 0x4 bytes .* of made$"),
        (program(), 0x1003, machine(), IllFormed, "of made: it is an address in that segment"),
        (program(), 0x1004, machine(), IllFormed, "0x1004 is outside the 0x4 bytes .* of made$"),
        (program(tls=(0, 4, 3)), 0, machine(), Malformed, "aligned to 0x3 bytes"),
        (program(), 0, None, MissingContext, "no machine to read fs_base"),
        (program(), 0, machine(register=None), Unavailable, "pointer is unknown: register fs_b"),
        (program(), 0, machine("aarch64", None), Unavailable, "aarch64 has no fs_base"),
    ],
)
def test_what_is_not_known(
    file: ObjectFile,
    offset: int,
    target: StateTarget | None,
    kind: type[DwarfGpuError],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        tls_address(file, offset, 0, target)


CORES = FIXTURES / "core"


@pytest.mark.parametrize("opt", ["O0", "O2"])
@pytest.mark.parametrize(("thread", "value"), [(1, 41), (2, 81)])
def test_each_thread_has_its_own(opt: str, thread: int, value: int) -> None:
    core = CORES / f"crash.x86_64.{opt}.core"
    done = run("eval", "--core", core, "--sysroot", CORES, "--thread", str(thread), "mine")
    assert (done.out, done.status) == (f"mine = {value}\n", 0)


def test_the_first_variable_of_a_program_for_aarch64() -> None:
    """gcc describes no thread-local variables there: the operation by hand."""
    file = CORES / "crash.aarch64.O0"
    (begin,) = open_object(file).symbols_named("begin")
    done = run(
        "eval", "--file", file, "--pc", hex(begin.address), "--reg", "tpidr=0x4000",
        "-e", "lit0; form_tls_address",
    )  # fmt: skip
    assert (done.out, done.status) == ("0x4010\n", 0)


def test_a_variable_without_a_location_is_at_its_symbol() -> None:
    """gcc describes no thread-local variable of AArch64 by a location; GDB takes the symbol."""
    file = CORES / "crash.aarch64.O0"
    given = "--reg", "tpidr=0x4000", "--mem", "0x4010=07000000"
    done = run("eval", "--file", file, *given, "mine", "&mine", "mine * 2")
    assert done.lines == ["mine = 7", "&mine = (int *) 0x4010", "mine * 2 = 14"]
    done = run("eval", "--file", file, "mine")
    assert "the thread pointer is unknown: register tpidr_el0" in done.err
    done = run("debug", file, "--batch", "-ex", "info address mine")
    assert done.lines == [
        'Symbol "mine" is a thread-local variable at offset 0x0 in the thread-local storage for '
        f"`{file}'."
    ]


def test_a_declaration_needs_no_address() -> None:
    """QEMU writes no thread pointer into a core file."""
    core = CORES / "crash.aarch64.O0.core"
    commands = (
        f"directory {shlex.quote(str(FIXTURES))}",
        "info line mine",
        "list mine",
        "break mine",
    )
    given = [word for command in commands for word in ("-ex", command)]
    done = run("debug", CORES / "crash.aarch64.O0", "--core", core, "-q", "--batch", *given)
    declared = 'Line 13 of "core/crash.c" is at address 0x4001d4 <call> but contains no code.'
    assert declared in done.lines and "13\t__thread int mine = 40;" in done.lines
    assert 'Function "mine" not defined.' in done.err and "thread pointer" not in done.err


def test_without_a_thread_there_is_no_value() -> None:
    done = run("eval", "--file", FIXTURES / "x86_64/demo.gcc.O0.v5", "per_thread")
    assert done.status != 0 and "the thread pointer is unknown: register fs_base" in done.err


@pytest.mark.parametrize("command", ["print per_thread", "print &per_thread", "x &per_thread"])
def test_the_prompt_says_that_a_program_has_no_thread_yet(command: str) -> None:
    file = FIXTURES / "x86_64/demo.gcc.O0.v5"
    done = run("debug", "--batch", "-q", file, "-ex", command)
    assert "thread-local storage: a thread of a process or core file has it" in done.err
    assert "fs_base" not in done.err
