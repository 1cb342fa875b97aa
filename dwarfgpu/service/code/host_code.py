"""Disassemble host code (x86-64, i386, AArch64) with Capstone, an optional extra."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.errors import Unsupported

_AT_ONCE: Final = 1 << 12
"""Bytes of code that capstone decodes at once: it keeps over 1,000 bytes for each instruction."""
MOST_BYTES: Final = 16
"""An instruction is not longer: that of x86-64 has at most 15."""


class _Engines(threading.local):
    """The engines of capstone by machine. To make one takes as long as to decode a small function,
    and two threads must not use one at the same time."""

    def __init__(self) -> None:
        self.by_machine: dict[str, tuple[Any, Any]] = {}


_ENGINES: Final = _Engines()


def host_instructions(
    machine: str, data: bytes, begin: int
) -> Iterator[tuple[int, bytes, str, int | None]]:
    """Yield address, bytes, text and branch target of each instruction; `.byte` for undefined ones.

    `Unsupported` for other machines, and without capstone.
    """
    capstone, engine = _engine(machine)
    step = abi_of(machine).instruction_bytes
    offset = 0
    while offset < len(data):
        stop = offset + _AT_ONCE
        for item in engine.disasm(data[offset : stop + MOST_BYTES], begin + offset):
            if offset >= stop:
                break
            text = f"{item.mnemonic} {item.op_str}".rstrip()
            yield begin + offset, bytes(item.bytes), text, _target(capstone, item)
            offset += item.size
        if offset < min(stop, len(data)):
            piece = data[offset : offset + step]
            yield (
                begin + offset,
                piece,
                ".byte " + ", ".join(f"{byte:#04x}" for byte in piece),
                None,
            )
            offset += step


def _engine(machine: str) -> tuple[Any, Any]:
    """Return capstone and its engine for a machine. `Unsupported` as in `require_capstone`."""
    if machine in _ENGINES.by_machine:
        return _ENGINES.by_machine[machine]
    capstone = require_capstone(machine)
    mode = abi_of(machine).capstone_mode or ()
    engine: Any = capstone.Cs(*(getattr(capstone, name) for name in mode))
    if engine.arch == capstone.CS_ARCH_X86:
        engine.syntax = capstone.CS_OPT_SYNTAX_ATT
    engine.detail = True
    _ENGINES.by_machine[machine] = capstone, engine
    return capstone, engine


def require_capstone(machine: str) -> Any:
    """Return the package that decodes instructions of a host; `Unsupported` if it is not installed,
    or for a machine that it does not support here."""
    if abi_of(machine).capstone_mode is None:
        owner = "NVIDIA GPUs" if machine == "CUDA" else machine
        raise Unsupported(f"instructions of {owner} are not decoded")
    try:
        return import_module("capstone")
    except ImportError:
        from dwarfgpu.base.optional_packages import install_command

        raise Unsupported(
            f"instructions of {machine} need capstone: {install_command('capstone')}"
        ) from None


def _target(capstone: Any, item: Any) -> int | None:
    """Return where a jump or a call with an address in the instruction goes to."""
    if not (item.group(capstone.CS_GRP_JUMP) or item.group(capstone.CS_GRP_CALL)):
        return None
    for operand in item.operands:
        if operand.type == capstone.CS_OP_IMM:
            return int(operand.imm) & (1 << 64) - 1
    return None
