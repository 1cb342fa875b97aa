"""Notes of core files: threads, registers, the process, mapped files; what is wrong with them."""

from __future__ import annotations

import struct
import tracemalloc

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError
from dwarfgpu.machine.core.notes import CoreDump, MappedFile, read_core
from dwarfgpu.machine.core.signals import signal_text
from dwarfgpu.objfile.elf import ObjectFile
from tests.machine.cores import AARCH64, AMDGPU, core, mapped_files, note, order, status


def read(*notes: bytes, machine: int = 62, endian: Endian = "little") -> CoreDump:
    return read_core(ObjectFile("core", core(notes, machine=machine, endian=endian)))


def words(count: int, endian: Endian = "little") -> bytes:
    """A word for each register, of its index from 1 on, in the byte order."""
    return b"".join(struct.pack(f"{order(endian)}Q", index + 1) for index in range(count))


def test_general_registers_of_x86_64() -> None:
    """`elf_gregset_t` is `struct user_regs_struct`."""
    dump = read(status(77, words(27), signal=6))
    [thread] = dump.threads
    assert (thread.lwp, thread.signal, dump.problems) == (77, 6, ())
    names = (
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs"
    )
    result = {name: int.from_bytes(data, "little") for name, data in thread.registers.items()}
    assert result == {name: index + 1 for index, name in enumerate(names.split())}


def test_threads_share_the_names_of_the_registers_that_they_lack() -> None:
    """A hundred names, and a hostile core file may have as many thousand threads."""
    with_avx = bytearray(832)
    struct.pack_into("<Q", with_avx, 464, 7)
    thread = status(1, words(27))
    other = note("LINUX", 0x202, bytes(with_avx))
    threads = read(*[thread] * 20, *[thread, other] * 20).threads
    assert [len({id(one.lacking) for one in some}) for some in (threads[:20], threads[20:])] == [
        1, 1,
    ]  # fmt: skip
    assert threads[0].lacking - threads[20].lacking == {f"ymm{n}h" for n in range(16)}


def test_threads_take_little_memory() -> None:
    """Their registers stay in the file: decoded, those of a thread with AVX-512 have 15 KB."""
    area = bytearray(2696)
    for at in (464, 512):  # XCR0 and XSTATE_BV
        struct.pack_into("<Q", area, at, 0x2E7)
    notes = status(1, words(27)), note("CORE", 2, bytes(512)), note("LINUX", 0x202, bytes(area))
    file = ObjectFile("made", core(notes * 500))
    tracemalloc.start()
    try:
        dump = read_core(file)
        for thread in dump.threads:
            assert (thread.registers["rip"][0], len(thread.registers["zmm31h"])) == (17, 32)
        assert tracemalloc.get_traced_memory()[0] < 500 * 2_000
    finally:
        tracemalloc.stop()
    assert len(dump.threads) == 500 and not dump.problems


@pytest.mark.parametrize("signals", [(11, 0, 11), (11, 11, 0), (11, 6, 6), (5, 11, 11)])
def test_signals_of_a_kernel_that_contradict_are_named(signals: tuple[int, int, int]) -> None:
    first, signal, number = signals
    dump = read(status(7, words(27), signal, kernel_signal=first), siginfo(number))
    why = dump.threads[0].why
    assert why is not None and (dump.threads[0].signal, why.number) == (signal, number)
    assert [str(problem) for problem in dump.problems] == [
        f"core: the signals of LWP 7 contradict: pr_cursig of NT_PRSTATUS is {signal}, its "
        f"pr_info.si_signo {first}, si_signo of NT_SIGINFO {number}: pr_cursig is believed, and "
        "$_siginfo is as in NT_SIGINFO"
    ]


@pytest.mark.parametrize("signals", [(11, 11, 11), (0, 0, 19), (0, 2, 19), (10, 0, None)])
def test_signals_of_producers_do_not_contradict(signals: tuple[int, int, int | None]) -> None:
    """gcore of a process that was only attached has the SIGSTOP of ptrace in NT_SIGINFO."""
    first, signal, number = signals
    notes = [] if number is None else [siginfo(number)]
    assert not read(status(7, words(27), signal, kernel_signal=first), *notes).problems


def test_the_first_thread_lacks_the_signal_of_the_others() -> None:
    """All producers write one `pr_cursig` for all threads, or the failed one's alone."""
    others = status(8, words(27)), status(9, words(27))
    dump = read(status(7, words(27), 0), siginfo(11), *others)
    assert [str(problem) for problem in dump.problems] == [
        "core: the signals contradict: pr_cursig of the first NT_PRSTATUS is 0, si_signo of its "
        "NT_SIGINFO and pr_cursig of another thread are 11: no signal is taken to have stopped it"
    ]
    assert not read(status(7, words(27), 0), siginfo(19), *others).problems
    assert not read(status(7, words(27), 0), *others).problems
    assert not read(status(7, words(27)), siginfo(11), status(8, words(27), 0)).problems


def test_a_thread_without_an_id() -> None:
    process = note("CORE", 3, bytes(24) + struct.pack("<I", 7) + bytes(108))
    dump = read(status(7, words(27)), process, status(0, words(27)))
    assert [str(problem) for problem in dump.problems] == [
        "core: NT_PRSTATUS of thread 2 has no thread ID: pr_pid is 0"
    ]
    assert not read(status(0, words(27))).problems  # an idle thread of a kernel


def siginfo(number: int) -> bytes:
    return note("CORE", 0x53494749, struct.pack("<4I", number, 0, 1, 0).ljust(128, b"\0"))


def test_a_note_that_is_wrong_leaves_the_one_before() -> None:
    good, bad = note("CORE", 2, fxsave(0)), note("CORE", 2, bytes(500))
    dump = read(status(1, words(27)), good, bad)
    assert dump.threads[0].registers["xmm0"] == b"\xa0" * 16
    assert [str(problem) for problem in dump.problems] == [
        "core: NT_FPREGSET has 500 bytes, not 512"
    ]


@pytest.mark.parametrize("endian", ["little", "big"])
def test_general_and_vector_registers_of_aarch64(endian: Endian) -> None:
    vectors = b"".join(bytes([index]) * 16 for index in range(32))
    vectors += b"".join(word.to_bytes(4, endian) for word in (5, 6, 0, 0))  # fpsr, fpcr
    dump = read(
        status(9, words(34, endian), endian=endian, size_bytes=392),
        note("CORE", 2, vectors, endian),
        note("LINUX", 0x401, (0x1234).to_bytes(8, endian) + bytes(8), endian),
        note("LINUX", 0x406, (7).to_bytes(8, endian) + (8).to_bytes(8, endian), endian),
        machine=AARCH64,
        endian=endian,
    )
    [thread] = dump.threads
    registers = thread.registers
    names = [*(f"x{n}" for n in range(31)), "sp", "pc"]
    assert [int.from_bytes(registers[name], endian) for name in names] == list(range(1, 34))
    words_of = {
        name: int.from_bytes(registers[name][:4], endian) for name in ("cpsr", "fpsr", "fpcr")
    }
    assert words_of == {"cpsr": 34, "fpsr": 5, "fpcr": 6}
    masks = [int.from_bytes(registers[f"pauth_{kind}mask"], endian) for kind in "dc"]
    assert masks == [7, 8]
    assert registers["v0"] == bytes(16) and registers["v31"] == b"\x1f" * 16
    assert int.from_bytes(registers["tpidr_el0"], endian) == 0x1234
    assert dump.architecture is not None and dump.architecture.endian == endian


def fxsave(top: int = 0) -> bytes:
    """FXSAVE: FCW, FSW, MXCSR at 24, ST0 at 32, XMM0 at 160."""
    data = bytearray(512)
    struct.pack_into("<HH", data, 0, 0x37F, top << 11)
    struct.pack_into("<I", data, 24, 0x1F80)
    for n in range(8):
        data[32 + 16 * n : 42 + 16 * n] = bytes([0x50 + n]) * 10
    for n in range(16):
        data[160 + 16 * n : 176 + 16 * n] = bytes([0xA0 + n]) * 16
    return bytes(data)


MISSING = "belongs to no thread: an NT_PRSTATUS before it is damaged, and its thread is missing"
UNNAMED = "is no name: it, or a note before it, is damaged, and threads may be missing"
FIRST, FLOATING = status(1, words(27)), note("CORE", 2, fxsave(0))
UNKNOWN = note("CORE", 0, bytes(336))
"""An NT_PRSTATUS whose type is overwritten."""


@pytest.mark.parametrize(
    ("notes", "lwps", "problems"),
    [
        ((FIRST, FLOATING, status(2, words(27)), FLOATING), [1, 2], []),
        ((FIRST, status(2, words(27)), FLOATING), [1, 2], []),
        ((UNKNOWN, FLOATING, FIRST, FLOATING), [1], [f"core: NT_FPREGSET {MISSING}"]),
        ((FIRST, FLOATING, UNKNOWN, FLOATING), [1], [f"core: NT_FPREGSET {MISSING}"]),
        ((FIRST, FLOATING, UNKNOWN, FLOATING, UNKNOWN, FLOATING), [1],
         [f"core: NT_FPREGSET {MISSING}"]),
        ((FIRST, note("\1\2", 1, bytes(4)), note("\3", 1, b""), FLOATING, FLOATING), [1],
         [f"core: the owner of the note at 0x1ec {UNNAMED}"]),
        ((FIRST, note("", 0x53494749, bytes(128)), FLOATING), [1],
         [f"core: the owner of the note at 0x1ec {UNNAMED}"]),
        ((FIRST, bytes(24)), [1], []),  # padding
        ((status(1, words(27), size_bytes=340), FLOATING), [],
         ["core: NT_PRSTATUS has 340 bytes, not 336"]),
    ],
)  # fmt: skip
def test_notes_that_show_that_a_thread_is_missing(
    notes: tuple[bytes, ...], lwps: list[int], problems: list[str]
) -> None:
    dump = read(*notes)
    assert [thread.lwp for thread in dump.threads] == lwps
    assert [str(problem) for problem in dump.problems] == problems
    assert "\1" not in "".join(dump.unread)


@pytest.mark.parametrize("top", [0, 3, 7])
def test_floating_registers_of_x86_64(top: int) -> None:
    [thread] = read(status(1, words(27)), note("CORE", 2, fxsave(top))).threads
    registers = thread.registers
    assert registers["fctrl"][:2] == b"\x7f\x03" and registers["mxcsr"][:4] == b"\x80\x1f\0\0"
    assert registers["st2"][:10] == b"\x52" * 10
    assert registers["xmm9"] == b"\xa9" * 16
    for n in range(8):  # SDM: the stack of x87 registers begins at the MMX register TOP
        assert registers[f"mm{(top + n) % 8}"][:8] == bytes([0x50 + n]) * 8


def xsave(in_use: int) -> bytes:
    """An XSAVE area with k0-k7 at 0x340 and ZMM16-31 at 0x400."""
    data = bytearray(fxsave() + bytes(64) + bytes(0x800 - 576))
    struct.pack_into("<Q", data, 512, in_use)
    for n in range(8):
        data[0x340 + 8 * n : 0x348 + 8 * n] = bytes([0xC0 + n]) * 8
    for n in range(16):
        data[0x400 + 64 * n : 0x440 + 64 * n] = bytes([0xD0 + n]) * 64
    return bytes(data)


LAYOUT = struct.pack("<IIIIIIII", 5, 64, 0x340, 0, 7, 1024, 0x400, 0)


def test_extended_registers_of_x86_64() -> None:
    notes = [status(1, words(27)), note("LINUX", 0x202, xsave(0xFF)), note("LINUX", 0x205, LAYOUT)]
    [thread] = read(*notes).threads
    assert thread.registers["k3"] == b"\xc3" * 8
    assert thread.registers["xmm31"] == b"\xdf" * 16


def test_a_component_that_is_not_in_use_is_all_zeros() -> None:
    notes = [status(1, words(27)), note("LINUX", 0x202, xsave(0x20)), note("LINUX", 0x205, LAYOUT)]
    [thread] = read(*notes).threads
    assert (thread.registers["k3"], thread.registers["xmm31"]) == (b"\xc3" * 8, bytes(16))


@pytest.mark.parametrize(
    ("components", "message"),
    [
        (((2, 256, 833), (5, 64, 832)), "components 5 and 2 of NT_X86_XSAVE_LAYOUT overlap"),
        (((2, 256, 576), (2, 256, 832)), "component 2 is in NT_X86_XSAVE_LAYOUT twice"),
    ],
)
def test_a_layout_that_contradicts_itself_gives_no_registers(
    components: tuple[tuple[int, int, int], ...], message: str
) -> None:
    layout = b"".join(struct.pack("<IIII", *one, 0) for one in components)
    dump = read(
        status(1, words(27)), note("LINUX", 0x202, xsave(0xFF)), note("LINUX", 0x205, layout)
    )
    [problem] = dump.problems
    assert problem.message == message
    assert "ymm0h" not in dump.threads[0].registers


def area(size_bytes: int, enabled: int) -> bytes:
    """An XSAVE area in which each byte behind the header is its offset divided by 16."""
    data = bytearray(fxsave() + bytes(64))
    data += bytes(at // 16 & 0xFF for at in range(576, size_bytes))
    struct.pack_into("<Q", data, 464, enabled)
    struct.pack_into("<Q", data, 512, enabled)
    return bytes(data)


@pytest.mark.parametrize(
    ("size_bytes", "enabled", "places"),
    [
        (832, 0x07, {"ymm0h": 576, "ymm15h": 816}),
        (2688, 0xE7, {"ymm1h": 592, "k0": 1088, "zmm0h": 1152, "xmm16": 1664, "zmm16h": 1696}),
        (2432, 0xE7, {"ymm1h": 592, "k0": 832, "zmm0h": 896, "xmm16": 1408, "ymm16h": 1424}),
        (2440, 0x2E7, {"k0": 832, "zmm15h": 1376, "pkru": 2432}),
        (2696, 0x2E7, {"k0": 1088, "zmm15h": 1632, "pkru": 2688}),
        (840, 0x207, {"ymm0h": 576, "ymm15h": 816, "pkru": 832}),
        (2440, 0x207, {"ymm15h": 816, "pkru": 2432}),
        (2696, 0x207, {"ymm15h": 816, "pkru": 2688}),
        (2760, 0x207, {"ymm15h": 816}),  # with PKRU, wherever that is
    ],
)
def test_the_size_determines_the_layout(
    size_bytes: int, enabled: int, places: dict[str, int]
) -> None:
    dump = read(status(1, words(27)), note("LINUX", 0x202, area(size_bytes, enabled)))
    result = {name: dump.threads[0].registers[name][0] for name in places}
    assert result == {name: at // 16 & 0xFF for name, at in places.items()}
    assert dump.unread == ()


def test_avx_is_known_where_the_layout_of_other_components_is_not() -> None:
    """With AMX, the size does not determine where the components of AVX-512 are."""
    dump = read(status(1, words(27)), note("LINUX", 0x202, area(11008, 0x602E7)))
    registers = dump.threads[0].registers
    assert registers["ymm15h"][0] == 816 // 16
    assert "k0" not in registers
    assert dump.unread == ("NT_X86_XSTATE (without a layout)",)


def test_a_processor_without_protection_keys_has_no_register_of_them() -> None:
    with_keys, without = (
        read(status(1, words(27)), note("LINUX", 0x202, area(size_bytes, enabled))).threads[0]
        for size_bytes, enabled in ((2696, 0x207), (832, 0x07))
    )
    assert with_keys.registers["pkru"] == bytes([2688 // 16]) * 4
    assert "pkru" not in with_keys.lacking and "pkru" in without.lacking


def test_an_area_that_ends_before_avx_is_damage() -> None:
    dump = read(status(1, words(27)), note("LINUX", 0x202, area(816, 0x07)))
    [problem] = dump.problems
    assert problem.message == "component 2 is outside of NT_X86_XSTATE"
    assert "ymm0h" not in dump.threads[0].registers


def test_the_words_of_the_x87() -> None:
    """TOP is 6: ST0 is R6. R6 holds 1, R7 a zero, R0 an infinity; the others are empty."""
    data = bytearray(512)
    struct.pack_into("<HHBxHQQ", data, 0, 0x37F, 6 << 11, 0b11000001, 0xFFFF, 0x1122334455, 0x66)
    for index, number in enumerate([0x3FFF << 64 | 1 << 63, 0, 0x7FFF << 64 | 1 << 63]):
        data[32 + 16 * index : 42 + 16 * index] = number.to_bytes(10, "little")
    [thread] = read(status(1, words(27)), note("CORE", 2, bytes(data))).threads
    names = ("fctrl", "fstat", "ftag", "fop", "fioff", "fiseg", "fooff")
    words_of = [int.from_bytes(thread.registers[name], "little") for name in names]
    assert words_of == [0x37F, 6 << 11, 0b01_00_11_11_11_11_11_10, 0x7FF, 0x22334455, 0x11, 0x66]


def test_without_a_layout_extended_registers_are_not_known() -> None:
    dump = read(status(1, words(27)), note("LINUX", 0x202, xsave(0xFF)))
    assert "k3" not in dump.threads[0].registers
    assert dump.unread == ("NT_X86_XSTATE (without a layout)",)


def test_notes_belong_to_the_thread_before_them() -> None:
    signal = struct.pack("<iiiiQ", 11, 0, 1, 0, 0x10).ljust(128, b"\0")
    dump = read(
        status(1, words(27)),
        note("CORE", 0x53494749, signal),
        status(2, words(27), signal=0),
        note("CORE", 2, fxsave()),
    )
    first, second = dump.threads
    assert first.why is not None and second.why is None
    assert first.why.text == "at address 0x10: nothing is mapped there (SEGV_MAPERR)"
    assert "xmm0" not in first.registers and "xmm0" in second.registers


@pytest.mark.parametrize(
    ("number", "code", "field", "text"),
    [
        (
            11,
            2,
            0x1000,
            "at address 0x1000: this kind of access is not permitted there (SEGV_ACCERR)",
        ),
        # A fault whose address the processor does not report.
        (11, 128, 0, "of the kernel, without further details (SI_KERNEL)"),
        (11, 0, 42, "sent by process 42 (SI_USER)"),
        (6, -6, 42, "sent by process 42 (SI_TKILL)"),
        (8, 1, 0x401000, "at address 0x401000: integer division by zero (FPE_INTDIV)"),
        (5, 99, 0x401000, "at address 0x401000 (code 99)"),
        (17, 1, 42, "known by its code alone (code 1)"),
    ],
)
def test_why_a_signal_was_sent(number: int, code: int, field: int, text: str) -> None:
    signal = struct.pack("<iiiiQ", number, 0, code, 0, field).ljust(128, b"\0")
    [thread] = read(status(1, words(27)), note("CORE", 0x53494749, signal)).threads
    assert thread.why is not None and thread.why.text == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (6, "SIGABRT, Aborted"),
        (8, "SIGFPE, Arithmetic exception"),
        (10, "SIGUSR1, User defined signal 1"),
        (31, "SIGSYS, Bad system call"),
        (34, "SIG34, Real-time event 34"),
        (99, "99, Unknown signal"),
    ],
)
def test_signals_have_gdbs_names(number: int, text: str) -> None:
    assert signal_text(number) == text


def process(command: bytes) -> bytes:
    data = bytearray(136)
    struct.pack_into("<i", data, 24, 4711)
    data[40:44] = b"prog"
    data[56 : 56 + len(command)] = command
    return bytes(data)


def test_the_process() -> None:
    dump = read(note("CORE", 3, process(b"./prog one ")))
    assert dump.process is not None
    assert (dump.process.pid, dump.process.name) == (4711, "prog")
    assert dump.process.command == "./prog one"


def test_mapped_files_by_address() -> None:
    entries = [(0x5000, 0x6000, 1, "/b"), (0x1000, 0x3000, 0, "/a"), (0x7000, 0x7000, 0, "/none")]
    dump = read(mapped_files(*entries))
    assert dump.mapped == (
        MappedFile(0x1000, 0x3000, 0, "/a"),
        MappedFile(0x5000, 0x6000, 4096, "/b"),
    )


def test_other_notes_are_named() -> None:
    dump = read(
        note("LINUX", 0x204, b""), note("GNU", 0x99, b""), note("LINUX", 0x405, b""),
    )  # fmt: skip
    assert dump.unread == ("NT_X86_SHSTK", "GNU note 0x99", "NT_ARM_SVE")


def gpu_note(agent_bytes: int = 0x78, version: int = 1, more: bytes = b"") -> bytes:
    agent = bytearray(agent_bytes)
    struct.pack_into("<I", agent, 0x38, 5)
    struct.pack_into("<I", agent, 0x58, 90010)
    head = struct.pack("<QIIQIIII", version, 1, 18, 16, 1, agent_bytes, 2, 64)
    return note("AMDGPU", 33, head + bytes(16) + bytes(agent) + bytes(128) + more)


@pytest.mark.parametrize("machine", [62, AMDGPU])
def test_the_note_of_amd_gpus(machine: int) -> None:
    dump = read(gpu_note(), machine=machine)
    assert dump.gpu is not None
    assert [(agent.gpu_id, agent.processor) for agent in dump.gpu.agents] == [(5, "gfx90a")]
    assert len(dump.gpu.queues) == 2
    assert (dump.architecture is None) == (machine == AMDGPU)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (note("CORE", 1, bytes(335)), "core: NT_PRSTATUS has 335 bytes, not 336"),
        (note("CORE", 3, bytes(9)), "core: NT_PRPSINFO has 9 bytes, not 136"),
        (note("CORE", 2, bytes(9)), "core: NT_FPREGSET has 9 bytes, not 512"),
        (note("CORE", 0x53494749, bytes(9)), "core: 4 bytes needed at offset 0x8, 1 remain"),
        (
            note("CORE", 0x46494C45, struct.pack("<QQ", 1 << 40, 4096)),
            "core: NT_FILE has no room for its 1099511627776 entries",
        ),
        (
            note("CORE", 0x46494C45, struct.pack("<QQ", (1 << 18) + 1, 4096) + bytes(7_000_000)),
            "core: NT_FILE has 262145 entries, at most 262144 are read (--max-mapped-files)",
        ),
        (gpu_note(version=2), "core: version 2 of NT_AMDGPU_CORE_STATE"),
        (
            gpu_note(more=b"12345678"),
            "core: NT_AMDGPU_CORE_STATE has another size than its entries",
        ),
        (gpu_note(agent_bytes=0x60), "core: entries of NT_AMDGPU_CORE_STATE are too short"),
    ],
)
def test_a_broken_note_is_reported_and_the_others_are_read(broken: bytes, message: str) -> None:
    dump = read(status(1, words(27)), broken, status(2, words(27)))
    assert [str(problem) for problem in dump.problems] == [message]
    assert [thread.lwp for thread in dump.threads] == [1, 2]


def test_notes_after_a_broken_thread_belong_to_no_thread() -> None:
    dump = read(status(1, words(27)), note("CORE", 1, bytes(335)), note("CORE", 2, fxsave()))
    assert "xmm0" not in dump.threads[0].registers


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (core([], kind=3), UsageError, "core is not a core file"),
        (core([], machine=3), Unsupported, "is a core file of 64-bit i386; x86_64, i386 and"),
        (core([], machine=8), Unsupported, "MIPS"),
    ],
)
def test_what_is_not_read(data: bytes, error: type[DwarfGpuError], message: str) -> None:
    with pytest.raises(error, match=message):
        read_core(ObjectFile("core", data))
