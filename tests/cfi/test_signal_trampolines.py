"""Handlers of signals that return to instructions without call frame information.

The layouts are those of the interface of Linux (`asm/sigcontext.h`, `asm/ucontext.h`) and of its
`struct sigframe` and `struct rt_sigframe`; the instructions those that GDB 13 recognizes.
"""

from __future__ import annotations

import struct

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import Unavailable
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.view.location_text import location_text
from tests.cfi.test_unwind import Code, walked

HANDLER, RESTORER, INTERRUPTED, CALLER = 0x1000, 0x2000, 0x3000, 0x4000
STACK, OUTER, STATE = 0x7000, 0x9000, 0x8000
"""The stack pointers of the handler and of the interrupted function; the vector registers."""

RT_64 = bytes.fromhex("48c7c00f000000 0f05")  # mov $15,%rax; syscall
OLD_32 = bytes.fromhex("58 b877000000 cd80")  # pop %eax; mov $119,%eax; int $0x80
RT_32 = bytes.fromhex("b8ad000000 cd80")  # mov $173,%eax; int $0x80
RT_ARM = bytes.fromhex("681180d2 010000d4")  # mov x8, #139; svc #0


def stack(arch: str, pc: int, parts: dict[int, bytes], *covered: int) -> CallStack:
    """A stopped thread with memory; the handler and the interrupted function have pushed nothing
    but the return address. `covered`: other locations with such rules."""
    machine = architecture(arch)
    target = StateTarget(machine)
    target.add_wave(0)
    pointer, counter = machine.stack_pointer, machine.program_counter
    column = machine.return_address_register
    assert pointer is not None and counter is not None and column is not None
    word_bytes = machine.address_bits // 8
    for register in machine.registers.values():
        contents = 0x5A if register.number != pointer else STACK
        data = contents.to_bytes(-(-register.size_bits // 8), machine.endian)
        target.write_register(0, register, data)
    for register in machine.other_registers:
        data = (0x5A).to_bytes(-(-register.size_bits // 8), machine.endian)
        target.write_register(0, register, data)
    space = Memory(machine.address_space(0))
    for address, data in parts.items():
        target.set_memory(space, address, data)
    if column == counter:
        row = FrameRow(RegisterCfa(pointer, word_bytes), {column: OffsetRule(-word_bytes)}, column)
    else:
        row = FrameRow(RegisterCfa(pointer, 16), {column: OffsetRule(-16)}, column)
    rows = dict.fromkeys((HANDLER, INTERRUPTED, *covered), row)
    return CallStack(Context(machine, 0, target=target), pc, Code({**rows}))


def words(arch: str, *numbers: int) -> bytes:
    machine = architecture(arch)
    order = "<" if machine.endian == "little" else ">"
    return struct.pack(
        f"{order}{len(numbers)}{'Q' if machine.address_bits == 64 else 'I'}", *numbers
    )


def sigcontext_64(rip: int = INTERRUPTED, rsp: int = OUTER, state: int = STATE) -> bytes:
    """`struct sigcontext` of x86-64: r8 … r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags,
    selectors, err, trapno, oldmask, cr2, fpstate."""
    return words("x86_64", *range(0x108, 0x117), rsp, rip, 0x246, 0x33, 0, 0, 0, 0, state)


def sigcontext_32() -> bytes:
    """`struct sigcontext` of i386: gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trapno,
    err, eip, cs, eflags, esp_at_signal, ss, fpstate."""
    before = (0x63, 0, 0x2B, 0x2B, 0x107, 0x106, 0x105, OUTER, 0x103, 0x102, 0x101, 0x100)
    return words("i386", *before, 14, 0, INTERRUPTED, 0x23, 0x246, OUTER, 0x2B, STATE)


def frame_64(**saved: int) -> dict[int, bytes]:
    """What the handler returns with: `ucontext` of 40 bytes up to the registers."""
    return {STACK + 8 + 40: sigcontext_64(**saved)}


RETURN_64 = {STACK: words("x86_64", RESTORER), OUTER: words("x86_64", CALLER)}
CODE_64 = {RESTORER: RT_64}
RETURN_32 = {STACK: words("i386", RESTORER), OUTER: words("i386", CALLER)}
ENDED = f"stopped: no frame information for pc {CALLER:#x} in k.co"
ALL = [HANDLER, RESTORER, INTERRUPTED, CALLER]


def contents(frame: CfiFrame, name: str) -> int:
    number = frame.architecture.by_name[name].number
    assert number is not None
    bits = frame.contents(number)
    assert bits.is_complete
    return bits.value


def third(made: CallStack) -> CfiFrame:
    frame = made.frame(2)
    assert frame is not None
    return frame


def test_x86_64() -> None:
    made = stack("x86_64", HANDLER, RETURN_64 | CODE_64 | frame_64())
    assert walked(made) == (ALL, ENDED)
    signal, frame = made.frame(1), third(made)
    assert signal is not None and signal.is_signal_frame and signal.location == RESTORER
    names = "r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx"
    assert [contents(frame, name) for name in names.split()] == [*range(0x108, 0x117)]
    assert (contents(frame, "rsp"), contents(frame, "eflags")) == (OUTER, 0x246)
    assert contents(frame, "fs_base") == 0x5A  # which nothing saves
    assert frame.location == INTERRUPTED  # no call is before it


@pytest.mark.parametrize(
    ("restorer", "offset"),
    [
        (OLD_32, 4),  # the number of the signal; sigcontext
        (RT_32, 4 + 4 + 4 + 128 + 20),  # three arguments; siginfo; ucontext up to the registers
    ],
)
def test_i386(restorer: bytes, offset: int) -> None:
    parts = RETURN_32 | {RESTORER: restorer, STACK + 4 + offset: sigcontext_32()}
    made = stack("i386", HANDLER, parts)
    assert walked(made) == (ALL, ENDED)
    frame = third(made)
    names = "eax ecx edx ebx ebp esi edi"
    assert [contents(frame, n) for n in names.split()] == [
        0x100,
        0x101,
        0x102,
        0x103,
        0x105,
        0x106,
        0x107,
    ]
    names = "esp eflags cs ss ds es fs gs"
    assert [contents(frame, n) for n in names.split()] == [
        OUTER,
        0x246,
        0x23,
        0x2B,
        0x2B,
        0x2B,
        0,
        0x63,
    ]


@pytest.mark.parametrize(
    ("arch", "restorer", "starts", "popped"),
    [
        ("x86_64", RT_64, (0, 7), (0, 0)),
        ("i386", OLD_32, (0, 1, 6), (0, 4, 4)),
        ("i386", RT_32, (0, 5), (0, 0)),
    ],
)
def test_a_thread_that_is_at_the_instructions(
    arch: str, restorer: bytes, starts: tuple[int, ...], popped: tuple[int, ...]
) -> None:
    """As after stepping by instructions; between these none begins."""
    for start in range(len(restorer)):
        sp = STACK - popped[starts.index(start)] if start in starts else STACK
        offset = {RT_64: 40, OLD_32: 4, RT_32: 160}[restorer]
        context = sigcontext_64() if arch == "x86_64" else sigcontext_32()
        parts = {RESTORER: restorer, sp + offset: context, OUTER: words(arch, CALLER)}
        expected = (
            [RESTORER + start, INTERRUPTED, CALLER] if start in starts else [RESTORER + start]
        )
        assert walked(stack(arch, RESTORER + start, parts))[0] == expected


@pytest.mark.parametrize(
    "code", [b"\x48\xc7\xc0\x0e" + RT_64[4:], RT_64[:-1] + b"\x0b", RT_64[:-1]]
)
def test_other_instructions_are_none_of_these(code: bytes) -> None:
    made = stack("x86_64", HANDLER, RETURN_64 | frame_64() | {RESTORER: code})
    assert walked(made)[0] == ALL[:2]


def test_call_frame_information_comes_first() -> None:
    """That of the call before, as everywhere: GDB too."""
    parts = RETURN_64 | CODE_64 | frame_64() | {STACK + 8: words("x86_64", INTERRUPTED + 1)}
    made = stack("x86_64", HANDLER, parts, RESTORER - 1)
    assert walked(made)[0][:3] == [HANDLER, RESTORER, INTERRUPTED + 1]
    assert not any(
        frame is not None and frame.is_signal_frame for frame in map(made.frame, range(3))
    )


def test_the_vector_registers_of_x86() -> None:
    """By the layout of FXSAVE (Intel SDM volume 1, table 10-2), to which `fpstate` points."""
    area = bytearray(range(256)) * 2
    made = stack("x86_64", HANDLER, RETURN_64 | CODE_64 | frame_64() | {STATE: bytes(area)})
    frame = third(made)
    for name, offset, size in (
        ("xmm0", 160, 16),
        ("xmm15", 400, 16),
        ("st1", 48, 10),
        ("mxcsr", 24, 4),
    ):
        assert contents(frame, name) == int.from_bytes(area[offset : offset + size], "little")
    area[110:112] = 0, 0  # `magic`: X86_FXSR_MAGIC
    parts = RETURN_32 | {RESTORER: OLD_32, STACK + 8: sigcontext_32(), STATE: bytes(area)}
    frame = third(stack("i386", HANDLER, parts))
    for name, offset, size in (
        ("xmm0", 272, 16),
        ("xmm7", 384, 16),
        ("st1", 38, 10),
        ("mxcsr", 136, 4),
    ):
        assert contents(frame, name) == int.from_bytes(area[offset : offset + size], "little")


NOT_READ = (
    "{} of the frame that the signal interrupted: it is not read from what the kernel has saved"
)


@pytest.mark.parametrize(
    ("name", "parts", "reason"),
    [
        ("xmm16", {}, NOT_READ.format("xmm16")),
        ("k1", {}, NOT_READ.format("k1")),
        ("mm0", {}, NOT_READ.format("mm0")),
        ("fctrl", {}, NOT_READ.format("fctrl")),
        ("xmm0", frame_64(state=0), "the frame of the signal has no vector registers"),
    ],
)
def test_the_handler_gives_no_register(name: str, parts: dict[int, bytes], reason: str) -> None:
    made = stack("x86_64", HANDLER, RETURN_64 | CODE_64 | frame_64() | parts)
    number = architecture("x86_64").by_name[name].number
    assert number is not None
    with pytest.raises(Unavailable) as caught:
        third(made).contents(number)
    assert str(caught.value) == reason


def test_an_old_state_of_i386_has_no_vector_registers() -> None:
    parts = RETURN_32 | {RESTORER: OLD_32, STACK + 8: sigcontext_32(), STATE: b"\xff" * 512}
    frame = third(stack("i386", HANDLER, parts))
    with pytest.raises(Unavailable, match="no vector registers"):
        contents(frame, "xmm0")


@pytest.mark.parametrize("name", ["orig_rax", "ymm0h", "pkru", "ftag"])
def test_the_handler_gives_no_register_without_a_number(name: str) -> None:
    made = stack("x86_64", HANDLER, RETURN_64 | CODE_64 | frame_64())
    register = architecture("x86_64").by_name[name]
    inner = made.frame(1)
    assert inner is not None and location_text(inner.unnumbered(register)) == name
    for level in (2, 3):
        frame = made.frame(level)
        assert frame is not None
        with pytest.raises(Unavailable, match="of the frame that the signal interrupted"):
            frame.unnumbered(register)


# AArch64.

FPSIMD = 0x46508001
ESR = 0x45535201


def arm(arch: str, records: bytes, *, sp: int = OUTER, pc: int = INTERRUPTED) -> dict[int, bytes]:
    """`siginfo` of 128 bytes, `ucontext` of 176 up to `sigcontext`: fault_address, regs[31], sp,
    pc, pstate, and records from a multiple of 16 on."""
    registers = words(arch, 0, *range(0x100, 0x11F), sp, pc, 0x6000_0000)
    return {
        STACK: words(arch, RESTORER, 0),
        OUTER: words(arch, CALLER, 0),
        RESTORER: RT_ARM,
        STACK + 16 + 304: registers + bytes(8) + records,
    }


def record(arch: str, magic: int, data: bytes) -> bytes:
    return struct.pack("<II" if arch == "aarch64" else ">II", magic, 8 + len(data)) + data


def fpsimd(arch: str) -> bytes:
    order = architecture(arch).endian
    vectors = b"".join((n << 100 | n + 1).to_bytes(16, order) for n in range(32))
    return record(arch, FPSIMD, (0x18).to_bytes(4, order) + (0x19).to_bytes(4, order) + vectors)


@pytest.mark.parametrize("arch", ["aarch64", "aarch64_be"])
@pytest.mark.parametrize("start", [0, 4])
def test_aarch64(arch: str, start: int) -> None:
    records = record(arch, ESR, bytes(8)) + fpsimd(arch) + bytes(8)
    parts = arm(arch, records)
    parts[STACK] = words(arch, RESTORER + start, 0)
    made = stack(arch, HANDLER, parts)
    assert walked(made)[0] == [HANDLER, RESTORER + start, INTERRUPTED, CALLER]
    frame = third(made)
    assert [contents(frame, f"x{n}") for n in range(31)] == [*range(0x100, 0x11F)]
    assert contents(frame, "sp") == OUTER
    assert [contents(frame, f"v{n}") for n in range(32)] == [n << 100 | n + 1 for n in range(32)]
    for name, expected in (("cpsr", 0x6000_0000), ("fpsr", 0x18), ("fpcr", 0x19)):
        location = frame.unnumbered(architecture(arch).by_name[name])
        assert frame._context.access.retrieve(location, 32) == expected


@pytest.mark.parametrize(
    "records",
    [
        bytes(16),
        record("aarch64", ESR, bytes(8)) + bytes(16),
        struct.pack("<II", ESR, 0) + fpsimd("aarch64"),  # of no size
        struct.pack("<II", ESR, 0xFFFF_FFF0) + fpsimd("aarch64"),
    ],
)
def test_records_without_vector_registers(records: bytes) -> None:
    frame = third(stack("aarch64", HANDLER, arm("aarch64", records)))
    with pytest.raises(Unavailable, match="has no vector registers"):
        contents(frame, "v8")
    assert contents(frame, "x0") == 0x100


# What a damaged stack says.


def test_an_unreadable_stack_ends_with_the_reason() -> None:
    made = stack("x86_64", HANDLER, {STACK: words("x86_64", RESTORER)} | CODE_64)
    frames, end = walked(made)
    assert frames == ALL[:2]
    assert end.startswith("stopped: the caller of frame 1: ")
    assert f"{STACK + 8 + 40 + 128:#x}" in end


def test_a_trampoline_that_returns_to_itself_is_shown_once() -> None:
    made = stack("x86_64", HANDLER, RETURN_64 | CODE_64 | frame_64(rip=RESTORER, rsp=STACK + 8))
    assert walked(made) == (
        [HANDLER, RESTORER, RESTORER],
        "stopped: frame 2 repeats an earlier one: same CFA and pc",
    )


def test_trampolines_one_after_the_other_end_with_the_stack() -> None:
    parts = RETURN_64 | CODE_64
    for count in range(50):
        sp = STACK + 8 + 0x100 * count
        parts = parts | {sp + 40: sigcontext_64(rip=RESTORER, rsp=sp + 0x100)}
    frames, end = walked(stack("x86_64", HANDLER, parts))
    assert frames == [HANDLER] + [RESTORER] * 51
    assert end.startswith("stopped: the caller of frame 51: ")


def test_nothing_is_executed_where_no_code_is() -> None:
    made = stack("x86_64", HANDLER, RETURN_64)
    assert walked(made) == (
        [HANDLER, RESTORER],
        f"stopped: no frame information for pc {RESTORER:#x} in k.co",
    )
