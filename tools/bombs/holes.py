"""Bombs of files with holes: as long as they say, and of few bytes on a disk or in a package."""

from __future__ import annotations

import gzip
import lzma
from typing import Final

from dwarfgpu.base.leb128 import encode_uleb
from tests.dwarf.builder import X86_64, elf
from tests.objfile import archives
from tools.bombs.elf import TEXT, word
from tools.bombs.model import Bomb, Files, Hollow

CORE: Final = ("bt --core bomb",)
_BGZIP_END: Final = "1f8b08040000000000ff0600424302001b0003000000000000000000"
FILES: Final = ("info bomb", "check bomb", "where --all bomb")


def linked_hole(size_bytes: int) -> Files:
    """A debug file whose checksum takes a reading of all of it."""
    link = b"bomb.debug\0\0" + word(0x12345678)
    stripped = elf({**TEXT, ".gnu_debuglink": link}, X86_64)
    return {"bomb": stripped, "bomb.debug": Hollow(elf(TEXT, X86_64), size_bytes)}


def long_names_hole(size_bytes: int) -> Files:
    """An archive whose table of long names is a hole."""
    table = archives.ar_member(b"//", b"")
    claimed = table.replace(b"0         `", str(size_bytes).encode().ljust(10) + b"`")
    return {"bomb": Hollow(b"!<arch>\n" + claimed, size_bytes + 200)}


def bundle_hole(size_bytes: int) -> Files:
    """An offload bundle without entries, and zeros behind it."""
    return {"bomb": Hollow(b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8), size_bytes)}


def xz_padding(size_bytes: int) -> Files:
    """Zeros behind a stream of xz, which may be there."""
    return {"bomb": Hollow(lzma.compress(b"\x7fELF"), size_bytes // 4 * 4)}


def gzip_padding(size_bytes: int) -> Files:
    """Zeros behind a member of gzip, which may be there."""
    return {"bomb": Hollow(gzip.compress(b"\x7fELF", mtime=0), size_bytes)}


def xz_blocks(count: int) -> Files:
    """An index of blocks of one byte."""
    index = b"\0" + encode_uleb(count) + b"\1\1" * count
    index += bytes(-len(index) % 4) + bytes(4)
    footer = bytes(4) + word(len(index) // 4 - 1) + b"\0\4YZ"
    return {"bomb": b"\xfd7zXZ\0\0\4" + bytes(4) + bytes(4 * count) + index + footer}


def bgzip_blocks(count: int) -> Files:
    """Blocks without contents, as the one at the end of each file."""
    return {"bomb": bytes.fromhex(_BGZIP_END) * count}


def zstd_frames(count: int) -> Files:
    """Frames to be skipped, behind one without contents."""
    return {"bomb": b"\x28\xb5\x2f\xfd\x20\0\1\0\0" + (word(0x184D2A50) + word(0)) * count}


BOMBS: Final = (
    Bomb("debug-link-hole", ".gnu_debuglink", "a debug file of {} bytes, most of them a hole",
         linked_hole, 1 << 40, FILES, says="LimitExceeded"),
    Bomb("long-names-hole", "ar archive", "a table of names of {} bytes, which is a hole",
         long_names_hole, 9_999_999_998, FILES),
    Bomb("bundle-hole", "offload bundle", "{} bytes, most of them a hole behind the bundle",
         bundle_hole, 1 << 40, FILES, says="LimitExceeded"),
    Bomb("xz-padding", "core file", "{} bytes, most of them a hole behind a stream of xz",
         xz_padding, 1 << 40, CORE, says="LimitExceeded"),
    Bomb("gzip-padding", "core file", "{} bytes, most of them a hole behind a member of gzip",
         gzip_padding, 1 << 40, CORE, says="LimitExceeded"),
    Bomb("xz-blocks", "core file", "{} blocks of xz", xz_blocks, 4_000_000, CORE,
         says="LimitExceeded"),
    Bomb("bgzip-blocks", "core file", "{} empty blocks of bgzip", bgzip_blocks, 2_000_000, CORE),
    Bomb("zstd-frames", "core file", "{} frames of Zstandard to be skipped", zstd_frames,
         4_000_000, CORE, says="LimitExceeded"),
)  # fmt: skip
