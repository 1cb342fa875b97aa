"""Write a state file of AArch64 as a core file that GDB reads, with the mask of signed addresses.

    tools/state_core.py STATE CORE

The program itself is not in the core: GDB is given it too.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

ET_CORE, EM_AARCH64, PT_LOAD, PT_NOTE = 4, 183, 1, 4
NT_PRSTATUS, NT_FPREGSET, NT_AUXV, NT_ARM_PAC_MASK = 1, 2, 6, 0x406
AT_HWCAP, HWCAP_OF_PAC = 16, 0xC0000003
PAC_MASK = 0x7F_FFFF_FFFF_FFFF & ~0xFFFF_FFFF_FFFF
"""Of the kernel where user addresses have 48 bits."""
GENERAL = (*(f"x{number}" for number in range(31)), "sp", "pc", "cpsr")


def note(kind: int, data: bytes, owner: bytes = b"CORE\0") -> bytes:
    head = struct.pack("<III", len(owner), len(data), kind)
    return head + owner.ljust(8, b"\0") + data + bytes(-len(data) % 4)


def notes(registers: dict[str, str | dict[str, str]]) -> Iterator[bytes]:
    general = b"".join(struct.pack("<Q", number(registers.get(name, "0"))) for name in GENERAL)
    yield note(NT_PRSTATUS, bytes(32) + struct.pack("<I", 1) + bytes(76) + general + bytes(8))
    vectors = b"".join(vector(registers.get(f"v{number}")) for number in range(32))
    yield note(NT_FPREGSET, vectors + bytes(16))
    yield note(NT_AUXV, struct.pack("<4Q", AT_HWCAP, HWCAP_OF_PAC, 0, 0))
    yield note(NT_ARM_PAC_MASK, struct.pack("<QQ", PAC_MASK, PAC_MASK), b"LINUX\0")


def number(held: str | dict[str, str]) -> int:
    assert isinstance(held, str)
    return int(held, 0)


def vector(held: str | dict[str, str] | None) -> bytes:
    return bytes.fromhex(held["bytes"]) if isinstance(held, dict) else bytes(16)


def core(state: dict[str, object]) -> bytes:
    """An ELF core file of the first wave and the memory of a state."""
    memory = [(int(m["address"], 0), bytes.fromhex(m["bytes"])) for m in state["memory"]]  # type: ignore[attr-defined]
    text = b"".join(notes(state["waves"][0]["registers"]))  # type: ignore[index]
    count = 1 + len(memory)
    at = 64 + 56 * count
    header = b"\x7fELF\2\1\1" + bytes(9)
    header += struct.pack(
        "<HHIQQQIHHHHHH", ET_CORE, EM_AARCH64, 1, 0, 64, 0, 0, 64, 56, count, 0, 0, 0
    )
    headers = [struct.pack("<IIQQQQQQ", PT_NOTE, 4, at, 0, 0, len(text), 0, 4)]
    at += len(text)
    for address, data in memory:
        size = len(data)
        headers.append(struct.pack("<IIQQQQQQ", PT_LOAD, 6, at, address, 0, size, size, 1))
        at += size
    return b"".join((header, *headers, text, *(data for _, data in memory)))


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(core(json.loads(Path(sys.argv[1]).read_text())))
