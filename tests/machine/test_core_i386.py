"""Notes of core files of i386 (Linux, `arch/x86/include/asm/elf.h`, `compat.h`), made by hand."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.machine.core.notes import CoreDump, MappedFile, read_core
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.machine.cores import Load, core_of_i386, note, status_of_i386

NAMES = (
    "ebx", "ecx", "edx", "esi", "edi", "ebp", "eax", "ds", "es", "fs", "gs", "orig_eax", "eip",
    "cs", "eflags", "esp", "ss",
)  # fmt: skip
GENERAL = {name: index + 1 for index, name in enumerate(NAMES)} | {"gs": 0x63}
STATUS = status_of_i386(77, struct.pack("<17I", *GENERAL.values()))


def read(*notes: bytes) -> CoreDump:
    return read_core(ObjectFile("core", core_of_i386(notes)))


def fxsave(top: int = 6) -> bytes:
    data = bytearray(512)
    struct.pack_into("<HHBxHIHxxI", data, 0, 0x37F, top << 11, 0x40, 0x123, 0x1000, 0x23, 0x2000)
    struct.pack_into("<I", data, 24, 0x1F80)
    for n in range(8):
        data[32 + 16 * n : 42 + 16 * n] = bytes([0x50 + n]) * 10
        data[160 + 16 * n : 176 + 16 * n] = bytes([0xA0 + n]) * 16
    return bytes(data)


def fsave(top: int = 6) -> bytes:
    words = (0xFFFF037F, 0xFFFF0000 | top << 11, 0xFFFFCFFF, 0x1000, 0x01230023, 0x2000, 0xFFFF002B)
    return struct.pack("<7I", *words) + b"".join(bytes([0x50 + n]) * 10 for n in range(8))


def xsave(in_use: int) -> bytes:
    """An area with AVX, as the kernel writes it."""
    data = bytearray(fxsave() + bytes(320))
    struct.pack_into("<Q", data, 464, 7)
    struct.pack_into("<Q", data, 512, in_use)
    data[576:592] = b"\xc0" * 16
    return bytes(data)


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def test_general_registers() -> None:
    dump = read(STATUS)
    [thread] = dump.threads
    assert (thread.lwp, thread.signal, dump.problems) == (77, 11, ())
    assert {name: number(data) for name, data in thread.registers.items()} == GENERAL
    assert "ymm0h" in thread.lacking and "k0" in thread.lacking


@pytest.mark.parametrize(
    "notes",
    [
        [note("CORE", 2, fsave())],
        [note("LINUX", 0x46E62B7F, fxsave())],
        [note("CORE", 2, bytes(108)), note("LINUX", 0x46E62B7F, fxsave())],
        [note("LINUX", 0x202, xsave(7))],
        [note("LINUX", 0x46E62B7F, fxsave()), note("LINUX", 0x202, xsave(0))],
    ],
)
def test_the_floating_point_unit(notes: list[bytes]) -> None:
    """FXSAVE has everything; FSAVE lacks xmm, and GDB's gcore writes the XSAVE area alone."""
    [thread] = read(STATUS, *notes).threads
    registers = thread.registers
    assert [registers[f"st{n}"][:10] for n in range(8)] == [
        bytes([0x50 + n]) * 10 for n in range(8)
    ]
    assert registers["mm6"][:8] == b"\x50" * 8  # TOP is 6
    names = ["fctrl", "fstat", "fioff", "fiseg", "fooff", "fop"]
    assert {name: number(registers[name]) for name in names} == {
        "fctrl": 0x37F, "fstat": 0x3000, "fioff": 0x1000, "fiseg": 0x23, "fooff": 0x2000,
        "fop": 0x123,
    }  # fmt: skip
    assert number(registers["ftag"]) >> 12 & 3 != 3 and number(registers["ftag"]) & 0xFFF == 0xFFF
    has_sse = len(notes) > 1 or b"LINUX" in notes[0]
    assert registers.get("xmm7") == (b"\xa7" * 16 if has_sse else None)


def test_registers_in_their_initial_state() -> None:
    """XSTATE_BV says that the area does not have them."""
    registers = read(STATUS, note("LINUX", 0x202, xsave(4))).threads[0].registers
    assert number(registers["fctrl"]) == 0x37F and number(registers["ftag"]) == 0xFFFF
    assert registers["st0"] == bytes(16) and registers["xmm7"] == bytes(16)
    assert registers["ymm0h"] == b"\xc0" * 16 and number(registers["mxcsr"][:4]) == 0x1F80


@pytest.mark.parametrize(
    ("entries", "base"),
    [
        ([(11, 0x5000), (12, 0xF7D6AB40)], 0xF7D6AB40),
        ([(13, 0x5000)], None),
        ([], None),
    ],
)
def test_the_thread_pointer(entries: list[tuple[int, int]], base: int | None) -> None:
    """gs selects an entry of the global descriptor table; NT_386_TLS has those of the thread."""
    content = b"".join(struct.pack("<IIII", entry, at, 0xFFFFF, 0x51) for entry, at in entries)
    registers = read(STATUS, note("LINUX", 0x200, content)).threads[0].registers
    assert (number(registers["gs_base"]) if "gs_base" in registers else None) == base


def test_the_process() -> None:
    info = bytearray(124)
    struct.pack_into("<I", info, 12, 4711)
    info[28:32], info[44:53] = b"prog", b"./prog -x"
    files = struct.pack("<5I", 1, 4096, 0x8048000, 0x8049000, 1) + b"/bin/prog\0"
    dump = read(
        note("CORE", 3, bytes(info)), note("CORE", 0x46494C45, files),
        note("CORE", 6, struct.pack("<4I", 9, 0x8048100, 0, 0)),
        STATUS, note("CORE", 0x53494749, struct.pack("<4I", 11, 0, 1, 0x10).ljust(128, b"\0")),
    )  # fmt: skip
    assert dump.process is not None
    assert (dump.process.pid, dump.process.name, dump.process.command) == (
        4711,
        "prog",
        "./prog -x",
    )
    assert dump.mapped == (MappedFile(0x8048000, 0x8049000, 4096, "/bin/prog"),)
    assert dump.auxiliary == {9: 0x8048100, 0: 0} and dump.problems == ()
    why = dump.threads[0].why
    assert why is not None and why.text == "at address 0x10: nothing is mapped there (SEGV_MAPERR)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (note("CORE", 1, bytes(336)), "NT_PRSTATUS has 336 bytes, not 144"),
        (note("CORE", 2, bytes(512)), "NT_FPREGSET has 512 bytes, not 108"),
        (note("LINUX", 0x46E62B7F, bytes(108)), "NT_PRXFPREG has 108 bytes, not 512"),
        (note("CORE", 3, bytes(136)), "NT_PRPSINFO has 136 bytes, not 124"),
        (note("LINUX", 0x202, bytes(100)), "NT_X86_XSTATE has 100 bytes, less than its header"),
        (note("CORE", 0x46494C45, struct.pack("<2I", 9, 4096)), "NT_FILE has no room for its 9"),
    ],
)
def test_a_wrong_note_is_a_problem(content: bytes, message: str) -> None:
    problems: tuple[DwarfGpuError, ...] = read(STATUS, content).problems
    assert len(problems) == 1 and message in str(problems[0])


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("info registers gs", "gs             0x63                99"),
        ("print $ax", "$1 = 7"),
        ("print $mm6.v8_int8", "$1 = {80, 80, 80, 80, 80, 80, 80, 80}"),
        ("whatis $mm0", "type = union builtin_type_vec64i"),
        ("print $ymm1", "$1 = void"),
        ("x/2xw $sp", "0x10:\t0x44332211\t0x88776655"),
        ("print $_siginfo._sifields._sigfault.si_addr", "$1 = (void *) 0x10"),
        ("print sizeof($_siginfo._sifields)", "$1 = 116"),
        ("print $fp", "$1 = (void *) 0xc"),  # there is no code at $pc
    ],
)
def test_at_the_prompt(
    tmp_path_factory: pytest.TempPathFactory, command: str, expected: str
) -> None:
    """As GDB 13, but for the MMX registers: these are the x87 registers from R0 on (SDM 9.2.1)."""
    siginfo = struct.pack("<4I", 11, 0, 1, 0x10).ljust(128, b"\0")
    notes = STATUS, note("CORE", 0x53494749, siginfo), note("LINUX", 0x46E62B7F, fxsave())
    path = tmp_path_factory.mktemp("core") / "core"
    path.write_bytes(core_of_i386(notes, [Load(16, bytes.fromhex("1122334455667788"))]))
    assert load_core(path).architecture.name == "i386"
    assert run("debug", path, "--batch", "-ex", command).lines[-1] == expected
