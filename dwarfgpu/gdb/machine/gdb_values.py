"""Messages and values of GDB's Python as text and bytes: only inside GDB's own Python."""

from __future__ import annotations

import gdb

from dwarfgpu.base.bits import Endian


def gdb_message(error: BaseException) -> str:
    """Return GDB's message as part of a message of dwarfgpu."""
    text = " ".join(str(error).split()).rstrip(".")
    return text[:1].lower() + text[1:]


def value_bytes(value: gdb.Value, endian: Endian) -> bytes:
    """Return the bytes of a register's value: only newer GDBs have `gdb.Value.bytes`."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_UNION:
        # The views of a vector register; the last one has the widest integers.
        return value_bytes(value[kind.fields()[-1]], endian)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        first, last = kind.range()
        return b"".join(value_bytes(value[index], endian) for index in range(first, last + 1))
    text = value.format_string(format="x")
    if not text.startswith("0x"):
        raise ValueError(f"GDB shows it as {text}")
    return int(text, 16).to_bytes(kind.sizeof, endian)
