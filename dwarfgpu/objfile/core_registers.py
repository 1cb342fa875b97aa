"""Where the notes of a core file keep registers (Linux, `struct elf_prstatus`, `elf_gregset_t`,
`elf_fpregset_t`; Intel SDM volume 1, "XSAVE Area" and "x87 State" of it).

Law: a register is found only where the layout is a fixed one, or the core tells it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dwarfgpu.errors import Malformed
from dwarfgpu.nouns import frozen

NT_PRSTATUS: Final = 1
NT_FPREGSET: Final = 2
NT_X86_XSTATE: Final = 0x202
NT_X86_XSAVE_LAYOUT: Final = 0x205
NT_ARM_TLS: Final = 0x401

GENERAL_AT: Final = 112
"""Of the general registers in a `struct elf_prstatus` of a 64-bit system."""
_FXSAVE_BYTES: Final = 512
_HEADER_END: Final = 576
"""Of the header of an XSAVE area, which comes after the FXSAVE area."""
_OPMASK: Final = 5
_HI16_ZMM: Final = 7
_ZMM_BYTES: Final = 64
_SIZES: Final = {_OPMASK: 64, _HI16_ZMM: 16 * _ZMM_BYTES}
"""Of the components that are read."""
_COMPONENT_BYTES: Final = 16


@frozen
class Layout:
    """The fixed layouts of an architecture."""

    general: Mapping[str, int]
    """Register to its offset in bytes in NT_PRSTATUS."""
    status_bytes: int
    """Of NT_PRSTATUS."""
    floating: Mapping[str, int]
    """Register to its offset in bytes in NT_FPREGSET."""
    floating_bytes: int
    """Of NT_FPREGSET."""


def _words(names: str, first: int, size_bytes: int = 8) -> dict[str, int]:
    """Registers one after the other."""
    return {name: first + size_bytes * index for index, name in enumerate(names.split())}


_X86_64: Final = Layout(
    general=_words(
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs",
        GENERAL_AT,
    ),
    status_bytes=336,
    floating={
        "fctrl": 0,
        "fstat": 2,
        "mxcsr": 24,
        **_words(" ".join(f"st{n}" for n in range(8)), 32, 16),
        **_words(" ".join(f"xmm{n}" for n in range(16)), 160, 16),
    },
    floating_bytes=_FXSAVE_BYTES,
)
_AARCH64: Final = Layout(
    general=_words(" ".join([*(f"x{n}" for n in range(31)), "sp", "pc", "pstate"]), GENERAL_AT),
    status_bytes=392,
    floating=_words(" ".join(f"v{n}" for n in range(32)), 0, 16),
    floating_bytes=528,
)
LAYOUTS: Final = {"x86_64": _X86_64, "aarch64": _AARCH64, "aarch64_be": _AARCH64}
"""By the name of the architecture."""


def floating_registers(data: bytes, layout: Layout) -> Mapping[str, bytes]:
    """The registers of NT_FPREGSET, each in at most 16 bytes.

    The MMX registers are x87 registers too, whose stack begins at TOP, bits 11 to 13 of the status
    word.
    """
    if len(data) != layout.floating_bytes:
        raise Malformed(f"NT_FPREGSET has {len(data)} bytes, not {layout.floating_bytes}")
    found = {name: data[at : at + 16] for name, at in layout.floating.items()}
    if layout is _X86_64:
        top = int.from_bytes(data[2:4], "little") >> 11 & 7
        found |= {f"mm{n}": found[f"st{n - top & 7}"] for n in range(8)}
    return found


def extended_registers(data: bytes, layout_note: bytes | None) -> Mapping[str, bytes]:
    """The registers of NT_X86_XSTATE that NT_FPREGSET does not have: k0-k7, xmm16-xmm31.

    Where they are the processor decides; only the note NT_X86_XSAVE_LAYOUT tells. A component
    whose bit of XSTATE_BV is 0 is in its initial state, which is all zeros (SDM 13.6).
    """
    if layout_note is None:
        return {}
    if len(data) < _HEADER_END:
        raise Malformed(f"NT_X86_XSTATE has {len(data)} bytes, less than its header")
    in_use = int.from_bytes(data[_FXSAVE_BYTES : _FXSAVE_BYTES + 8], "little")
    found: dict[str, bytes] = {}
    for component, size_bytes, at in _components(layout_note):
        if _SIZES.get(component) != size_bytes:
            continue
        part = data[at : at + size_bytes] if in_use >> component & 1 else bytes(size_bytes)
        if at < _HEADER_END or len(part) != size_bytes:
            raise Malformed(f"component {component} is outside of NT_X86_XSTATE")
        if component == _OPMASK:
            found |= {f"k{n}": part[8 * n : 8 * n + 8] for n in range(8)}
        else:
            found |= {f"xmm{16 + n}": part[_ZMM_BYTES * n :][:16] for n in range(16)}
    return found


def _components(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Number, size and offset of each component in NT_X86_XSTATE."""
    for at in range(0, len(data) - _COMPONENT_BYTES + 1, _COMPONENT_BYTES):
        words = [int.from_bytes(data[at + step : at + step + 4], "little") for step in (0, 4, 8)]
        yield words[0], words[1], words[2]


def thread_pointer(data: bytes) -> Mapping[str, bytes]:
    """TPIDR_EL0, the first of the registers of NT_ARM_TLS."""
    if len(data) < 8:
        raise Malformed(f"NT_ARM_TLS has {len(data)} bytes, not 8")
    return {"tpidr_el0": data[:8]}
