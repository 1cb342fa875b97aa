"""Register positions in the notes of a core file (Linux, `struct elf_prstatus`, `elf_gregset_t`,
`elf_fpregset_t`; Intel SDM volume 1, "XSAVE Area" and "x87 State" of it).

Law: a register is found only if its layout is fixed, or the core describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import Malformed

NT_PRSTATUS: Final = 1
NT_FPREGSET: Final = 2
NT_PRXFPREG: Final = 0x46E62B7F
NT_X86_XSTATE: Final = 0x202
NT_X86_XSAVE_LAYOUT: Final = 0x205
NT_386_TLS: Final = 0x200
NT_ARM_TLS: Final = 0x401
NT_ARM_PAC_MASK: Final = 0x406

GENERAL_AT: Final = 112
"""The offset of the general registers in a `struct elf_prstatus` of a 64-bit system."""
_GENERAL_AT_32: Final = 72
"""That of a 32-bit system."""
FXSAVE_BYTES: Final = 512
_FSAVE_BYTES: Final = 108
_INITIAL_FCTRL: Final = 0x37F
_HEADER_END: Final = 576
"""The end of the header of an XSAVE area, which comes after the FXSAVE area."""
_AVX: Final = 2
_OPMASK: Final = 5
_ZMM_HI256: Final = 6
_HI16_ZMM: Final = 7
_PKRU: Final = 9
_ZMM_BYTES: Final = 64
_SIZES: Final = {_AVX: 256, _OPMASK: 64, _ZMM_HI256: 512, _HI16_ZMM: 16 * _ZMM_BYTES, _PKRU: 8}
"""The sizes in bytes of the components that are read."""
_APX: Final = 19
_EXTENSIONS: Final = {
    (_AVX,): frozenset(f"ymm{n}h" for n in range(16)),
    (_OPMASK, _ZMM_HI256, _HI16_ZMM): frozenset(
        (
            *(f"k{n}" for n in range(8)),
            *(f"xmm{n}" for n in range(16, 32)),
            *(f"ymm{n}h" for n in range(16, 32)),
            *(f"zmm{n}h" for n in range(32)),
        )
    ),
    (_PKRU,): frozenset(("pkru",)),
    (_APX,): frozenset(f"r{n}" for n in range(16, 32)),
}
"""Components to the registers that a processor has if one of them is enabled. The components of
AVX-512 are enabled together (SDM volume 1, 13.3)."""
_COMPONENT_BYTES: Final = 16
_XCR0_AT: Final = 464
"""`xfeatures` of `struct user_xstateregs`, in the bytes of FXSAVE that are for software."""
_X87_AND_SSE: Final = 3
_AVX_AT: Final = _HEADER_END
"""AVX is the first component behind the header (SDM volume 1, 13.4.3), whatever comes after it."""
_OF_INTEL: Final = {_OPMASK: 1088, _ZMM_HI256: 1152, _HI16_ZMM: 1664}
_OF_AMD: Final = {_OPMASK: 832, _ZMM_HI256: 896, _HI16_ZMM: 1408}
_LAYOUTS_BY_SIZE: Final[Mapping[tuple[int, int], Mapping[int, int]]] = {
    (0x0E4, 2688): _OF_INTEL,
    (0x0E4, 2432): _OF_AMD,
    (0x2E4, 2696): _OF_INTEL | {_PKRU: 2688},
    (0x2E4, 2440): _OF_AMD | {_PKRU: 2432},
    (0x204, 2696): {_PKRU: 2688},
    (0x204, 2440): {_PKRU: 2432},
    (0x204, 840): {_PKRU: 832},
}
"""Keyed by XCR0 without x87 and SSE, and the size of NT_X86_XSTATE: where the components of AVX-512
and PKRU begin on the processors with such an area. AMX and the components that Intel removed (MPX)
are excluded."""


@frozen
class Layout:
    """The fixed layouts of an architecture."""

    general: Mapping[str, int]
    """Register to its offset in bytes in NT_PRSTATUS."""
    status_bytes: int
    """The size in bytes of NT_PRSTATUS."""
    floating: Mapping[str, int]
    """Register to its offset in bytes in NT_FPREGSET."""
    floating_bytes: int
    """The size in bytes of NT_FPREGSET."""
    word_bytes: int = 8
    """The size of a general register, an address and a `long` in notes."""
    is_x86: bool = False
    lwp_at: int = 32
    """The offset of the thread's id in NT_PRSTATUS."""
    process_bytes: int = 136
    """The size in bytes of NT_PRPSINFO."""
    pid_at: int = 24
    """The offset in it of the process's id, and below of the names of its file and command."""
    name_at: int = 40


def _words(names: str, first: int, size_bytes: int = 8) -> dict[str, int]:
    """Return registers one after the other."""
    return {name: first + size_bytes * index for index, name in enumerate(names.split())}


_X86_64: Final = Layout(
    general=_words(
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs",
        GENERAL_AT,
    ),
    status_bytes=336,
    floating={
        "mxcsr": 24,
        **_words(" ".join(f"st{n}" for n in range(8)), 32, 16),
        **_words(" ".join(f"xmm{n}" for n in range(16)), 160, 16),
    },
    floating_bytes=FXSAVE_BYTES,
    is_x86=True,
)
_I386: Final = Layout(
    general=_words(
        "ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp ss", _GENERAL_AT_32, 4
    ),
    status_bytes=144,
    floating={
        "mxcsr": 24,
        **_words(" ".join(f"st{n}" for n in range(8)), 32, 16),
        **_words(" ".join(f"xmm{n}" for n in range(8)), 160, 16),
    },
    floating_bytes=_FSAVE_BYTES,
    word_bytes=4,
    is_x86=True,
    lwp_at=24,
    process_bytes=124,
    pid_at=12,
    name_at=28,
)
"""Its NT_FPREGSET is an FSAVE area; the other registers are those of FXSAVE, in NT_PRXFPREG."""
_X87_WORDS: Final = (
    ("fctrl", 0, 2), ("fstat", 2, 2), ("fioff", 8, 4), ("fiseg", 12, 4), ("fooff", 16, 4),
    ("foseg", 20, 4),
)  # fmt: skip
"""Where FXSAVE has them, and how many bytes."""
_AARCH64: Final = Layout(
    general=_words(" ".join([*(f"x{n}" for n in range(31)), "sp", "pc", "cpsr"]), GENERAL_AT),
    status_bytes=392,
    floating={**_words(" ".join(f"v{n}" for n in range(32)), 0, 16), "fpsr": 512, "fpcr": 516},
    floating_bytes=528,
)
_AARCH64_BE: Final = evolve(
    _AARCH64, general={**_AARCH64.general, "cpsr": _AARCH64.general["cpsr"] + 4}
)
"""`pstate` has 8 bytes, and the register is the lower half of it."""
LAYOUTS: Final = {"x86_64": _X86_64, "i386": _I386, "aarch64": _AARCH64, "aarch64_be": _AARCH64_BE}
"""Keyed by the name of the architecture."""


def floating_registers(data: bytes, layout: Layout) -> Mapping[str, bytes]:
    """Return the registers of NT_FPREGSET, each in at most 16 bytes."""
    check_floating_bytes(data, layout)
    return _fsave_registers(data) if layout is _I386 else fxsave_registers(data, layout)


def fxsave_registers(data: bytes, layout: Layout) -> Mapping[str, bytes]:
    """Return the registers of an FXSAVE area, or of the `struct user_fpsimd_state` of AArch64.

    The MMX registers are x87 registers too, whose stack begins at TOP, bits 11 to 13 of the status
    word.
    """
    x87 = {name: data[offset : offset + 16] for name, offset in layout.floating.items()}
    if layout.is_x86:
        top = int.from_bytes(data[2:4], "little") >> 11 & 7
        x87 |= {f"mm{n}": x87[f"st{n - top & 7}"] for n in range(8)}
        x87 |= dict(_x87_state(data, [x87[f"st{n - top & 7}"] for n in range(8)]))
    return x87


def _fsave_registers(data: bytes) -> Mapping[str, bytes]:
    """Return the registers of an FSAVE area, which unlike FXSAVE has the whole tag word (SDM
    volume 1, 8.1.10)."""
    fctrl, fstat, ftag, fioff, code, fooff, foseg = (
        int.from_bytes(data[offset : offset + 4], "little") for offset in range(0, 28, 4)
    )
    top = fstat >> 11 & 7
    numbers = [data[28 + 10 * n : 38 + 10 * n] for n in range(8)]
    words = {
        "fctrl": fctrl & 0xFFFF, "fstat": fstat & 0xFFFF, "ftag": ftag & 0xFFFF, "fioff": fioff,
        "fiseg": code & 0xFFFF, "fooff": fooff, "foseg": foseg & 0xFFFF, "fop": code >> 16 & 0x7FF,
    }  # fmt: skip
    return {
        **{f"st{n}": number for n, number in enumerate(numbers)},
        **{f"mm{n}": numbers[n - top & 7] for n in range(8)},
        **{name: word.to_bytes(4, "little") for name, word in words.items()},
    }


def legacy_area(data: bytes) -> bytes:
    """Return the FXSAVE area of NT_X86_XSTATE, with the initial state of what XSTATE_BV says is in
    that (SDM volume 1, 13.6)."""
    if len(data) < _HEADER_END:
        raise Malformed(f"NT_X86_XSTATE has {len(data)} bytes, less than its header")
    area, in_use = bytearray(data[:FXSAVE_BYTES]), data[FXSAVE_BYTES]
    if not in_use & 1:
        area[:24] = _INITIAL_FCTRL.to_bytes(2, "little") + bytes(22)
        area[32:160] = bytes(128)
    if not in_use & 2:
        area[160:416] = bytes(256)
    return bytes(area)


def check_floating_bytes(data: bytes, layout: Layout) -> None:
    """Raise `Malformed` for an NT_FPREGSET of another size."""
    if len(data) != layout.floating_bytes:
        raise Malformed(f"NT_FPREGSET has {len(data)} bytes, not {layout.floating_bytes}")


def _x87_state(data: bytes, numbers: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the words of the x87 state, each in 4 bytes; `numbers`: R0 to R7."""
    for name, offset, size_bytes in _X87_WORDS:
        yield name, data[offset : offset + size_bytes].ljust(4, b"\0")
    tags = sum(_tag(number) << 2 * n for n, number in enumerate(numbers) if data[4] >> n & 1)
    empty = sum(3 << 2 * n for n in range(8) if not data[4] >> n & 1)
    yield "ftag", (tags | empty).to_bytes(4, "little")
    yield "fop", (int.from_bytes(data[6:8], "little") & 0x7FF).to_bytes(4, "little")


def _tag(number: bytes) -> int:
    """Return what the tag word would say of a number: 0 valid, 1 zero, 2 special (SDM 8.1.7).

    FXSAVE keeps only which are empty (SDM volume 2, "Recreating the tag word").
    """
    exponent = int.from_bytes(number[8:10], "little") & 0x7FFF
    if exponent and exponent != 0x7FFF:
        return 0 if number[7] & 0x80 else 2
    return 2 if exponent or any(number[:8]) else 1


def segment_base(data: bytes, selector: int) -> int | None:
    """Return the base of the segment of a selector, from NT_386_TLS: entries with their number,
    base, limit and flags (`struct user_desc`). None if it has none."""
    for offset in range(0, len(data) - 15, 16):
        number, base = (
            int.from_bytes(data[first : first + 4], "little") for first in (offset, offset + 4)
        )
        if number == selector >> 3 and not selector & 4:  # of the global table
            return base
    return None


def extended_registers(data: bytes, layout_note: bytes | None) -> Mapping[str, bytes]:
    """Return the registers of NT_X86_XSTATE that are not in NT_FPREGSET: k0-k7, xmm16-xmm31, the
    parts of ymm and zmm above xmm, and pkru.

    The processor decides where they are. The note NT_X86_XSAVE_LAYOUT describes it; without it the
    size of the area determines it, if only one processor's layout has that size, except for AVX,
    whose place is the same in all. A component whose bit of XSTATE_BV is 0 is in its initial state,
    which is all zeros (SDM 13.6).
    """
    if layout_note is None:
        offsets = _known_offsets(data)
        components = [(number, _SIZES[number], offset) for number, offset in offsets.items()]
    else:
        components = list(_components(layout_note))
        _require_apart(components)
    if not components:
        return {}
    if len(data) < _HEADER_END:
        raise Malformed(f"NT_X86_XSTATE has {len(data)} bytes, less than its header")
    in_use = _in_use(data)
    registers: dict[str, bytes] = {}
    for component, size_bytes, offset in components:
        if _SIZES.get(component) != size_bytes:
            continue
        part = data[offset : offset + size_bytes] if in_use >> component & 1 else bytes(size_bytes)
        if offset < _HEADER_END or len(part) != size_bytes:
            raise Malformed(f"component {component} is outside of NT_X86_XSTATE")
        registers |= dict(_of_component(component, part))
    return registers


def _require_apart(components: Iterable[tuple[int, int, int]]) -> None:
    """Raise `Malformed` if two components of a layout share bytes, or one is there twice."""
    spans = sorted((offset, offset + size, number) for number, size, offset in components if size)
    for (_, end, number), (begin, _, other) in pairwise(spans):
        if begin < end:
            raise Malformed(f"components {number} and {other} of NT_X86_XSAVE_LAYOUT overlap")
    numbers = sorted(number for *_, number in spans)
    for number, other in pairwise(numbers):
        if number == other:
            raise Malformed(f"component {number} is in NT_X86_XSAVE_LAYOUT twice")


def _of_component(component: int, part: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the registers of a component."""
    if component == _OPMASK:
        yield from ((f"k{n}", part[8 * n : 8 * n + 8]) for n in range(8))
    elif component == _AVX:
        yield from ((f"ymm{n}h", part[16 * n : 16 * n + 16]) for n in range(16))
    elif component == _PKRU:
        yield "pkru", part[:4]
    elif component == _ZMM_HI256:
        yield from ((f"zmm{n}h", part[32 * n : 32 * n + 32]) for n in range(16))
    else:
        for n in range(16):
            zmm_bytes = part[_ZMM_BYTES * n :][:_ZMM_BYTES]
            yield f"xmm{16 + n}", zmm_bytes[:16]
            yield f"ymm{16 + n}h", zmm_bytes[16:32]
            yield f"zmm{16 + n}h", zmm_bytes[32:]


def lacking_registers(data: bytes | None) -> frozenset[str]:
    """Return the registers of x86-64 that the processor lacks, or that the system has not enabled.

    `data`: the contents of NT_X86_XSTATE, whose copy of XCR0 decides; None if the core has no such
    note, as on processors without XSAVE.
    """
    enabled = 0 if data is None else _enabled(data)
    return _without(
        frozenset(
            components
            for components in _EXTENSIONS
            if not any(enabled >> component & 1 for component in components)
        )
    )


@cache
def _without(extensions: frozenset[tuple[int, ...]]) -> frozenset[str]:
    """Return the registers of these extensions: one set for all threads, which may be many."""
    return frozenset(name for components in extensions for name in _EXTENSIONS[components])


def has_layout(data: bytes, layout_note: bytes | None) -> bool:
    """Return whether the location of all vector registers of NT_X86_XSTATE is known."""
    if layout_note is not None:
        return True
    present, offsets = _enabled(data) | _in_use(data), _known_offsets(data)
    vectors = (component for component in _SIZES if component != _PKRU)
    return all(component in offsets for component in vectors if present >> component & 1)


def _known_offsets(data: bytes) -> Mapping[int, int]:
    """Return where components are known to begin without NT_X86_XSAVE_LAYOUT."""
    enabled = _enabled(data)
    avx = {_AVX: _AVX_AT} if enabled >> _AVX & 1 else {}
    return {**avx, **_LAYOUTS_BY_SIZE.get((enabled, len(data)), {})}


def _in_use(data: bytes) -> int:
    """Return XSTATE_BV: which components are not in their initial state."""
    return int.from_bytes(data[FXSAVE_BYTES : FXSAVE_BYTES + 8], "little")


def _enabled(data: bytes) -> int:
    """Return XCR0: which components the system had enabled; Linux keeps it in the FXSAVE area."""
    return int.from_bytes(data[_XCR0_AT : _XCR0_AT + 8], "little") & ~_X87_AND_SSE


def _components(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Number, size and offset of each component in NT_X86_XSTATE."""
    for offset in range(0, len(data) - _COMPONENT_BYTES + 1, _COMPONENT_BYTES):
        words = [
            int.from_bytes(data[offset + step : offset + step + 4], "little") for step in (0, 4, 8)
        ]
        yield words[0], words[1], words[2]


SYSTEM_NOTES: Final[Mapping[int, tuple[str, ...]]] = {
    NT_ARM_TLS: ("tpidr_el0",),
    NT_ARM_PAC_MASK: ("pauth_dmask", "pauth_cmask"),
}
"""Notes of AArch64 to the registers of 8 bytes at their beginning (`struct user_pac_mask`)."""


def system_registers(kind: int, data: bytes) -> Mapping[str, bytes]:
    """Return the registers of one of these notes."""
    names = SYSTEM_NOTES[kind]
    if len(data) < 8 * len(names):
        note = "NT_ARM_TLS" if kind == NT_ARM_TLS else "NT_ARM_PAC_MASK"
        raise Malformed(f"{note} has {len(data)} bytes, not {8 * len(names)}")
    return {name: data[8 * index : 8 * index + 8] for index, name in enumerate(names)}
