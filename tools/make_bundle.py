#!/usr/bin/env python3
"""Write an offload bundle, as clang-offload-bundler does (clang documentation, "Clang Offload
Bundler"): `make_bundle.py BUNDLE ID=FILE...`; an entry without FILE is empty."""

import struct
import sys
from pathlib import Path

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
ALIGNMENT = 4096


def bundle(entries: list[tuple[bytes, bytes]]) -> bytes:
    """The table of IDs, then each code object at a multiple of the alignment."""
    out = bytearray(MAGIC + struct.pack("<Q", len(entries)))
    position = len(out) + sum(24 + len(id) for id, _ in entries)
    body = bytearray(position)
    for id, data in entries:
        body += bytes(-len(body) % ALIGNMENT)
        out += struct.pack("<QQQ", len(body), len(data), len(id)) + id
        body += data
    body[: len(out)] = out
    return bytes(body)


def main() -> None:
    path, *parts = sys.argv[1:]
    pairs = (part.partition("=") for part in parts)
    entries = [(id.encode(), Path(file).read_bytes() if file else b"") for id, _, file in pairs]
    Path(path).write_bytes(bundle(entries))


if __name__ == "__main__":
    main()
