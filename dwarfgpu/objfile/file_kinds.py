"""The magic numbers of file formats, separate from their readers."""

from __future__ import annotations

from typing import Final

BUNDLE_MAGIC: Final = b"__CLANG_OFFLOAD_BUNDLE__"
"""The magic of a bundle of code objects (Clang Offload Bundler, "Bundled Binary File Layout")."""
COMPRESSED_BUNDLE_MAGIC: Final = b"CCOB"
"""The magic of a compressed bundle."""
FATBIN_MAGIC: Final = b"\x50\xed\x55\xba"
"""The magic of a fat binary of CUDA."""
FATBIN_SECTIONS: Final = (".nv_fatbin", "__nv_relfatbin")
"""The sections of host files that have some: linked code, and code that is linked once more."""
ELF_MAGIC: Final = b"\x7fELF"
AR_MAGIC: Final = b"!<arch>\n"
"""The magic of an archive of `ar`; a Debian package is one."""
THIN_MAGIC: Final = b"!<thin>\n"
"""The magic of a thin archive, which has the names of its files alone."""
DEBIAN_PACKAGE_MAGIC: Final = AR_MAGIC + b"debian-binary"
"""How a Debian package begins (deb(5))."""
ZIP_MAGIC: Final = b"PK\3\4"
"""How an archive of zip that is not empty begins; a wheel is one."""
COMPRESSED: Final = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\0": "xz",
    b"\x1f\x8b": "gzip",
    b"\x04\x22\x4d\x18": "lz4",
}
"""The program that compressed a file, by the file's first bytes: so systems keep core files."""
_SKIPPABLE_FRAME: Final = b"\x2a\x4d\x18"
"""Bytes 1 to 3 of a frame of Zstandard that has no contents (RFC 8878, 3.1.2)."""
LONGEST_MAGIC_BYTES: Final = 6
"""Maximum size in bytes of the first bytes above."""
OBJECT_MAGICS: Final = (ELF_MAGIC, BUNDLE_MAGIC, COMPRESSED_BUNDLE_MAGIC, FATBIN_MAGIC)
"""How object files and files of code objects begin."""
ARCHIVE_MAGICS: Final = (AR_MAGIC, THIN_MAGIC, ZIP_MAGIC)
"""How archives of object files begin."""
BITCODE_MAGICS: Final = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
"""How LLVM bitcode begins, without and with a wrapper (LLVM Bitcode File Format)."""
SOURCE_ENDINGS: Final = (
    ".c", ".cc", ".cl", ".cpp", ".cu", ".cxx", ".f90", ".h", ".hip", ".hpp", ".ll", ".py", ".rs",
    ".s",
)  # fmt: skip
"""How the names of source files end."""
ET_CORE: Final = 4
"""The type of a core file (System V ABI, "ELF Header")."""
_DATA_AT, _TYPE_AT = 5, 16
"""Where an ELF file says its byte order and its type."""
CORE_HEADER_BYTES: Final = _TYPE_AT + 2
"""As many bytes as `is_core_header` needs."""


def compressed_by(header: bytes) -> str | None:
    """Return the program that compressed a file with this beginning; None if it is not
    compressed."""
    if header[1:4] == _SKIPPABLE_FRAME and 0x50 <= header[0] <= 0x5F:
        return "zstd"  # as pzstd writes it, or with metadata before the contents
    return next((name for magic, name in COMPRESSED.items() if header.startswith(magic)), None)


def archive_kind(header: bytes) -> str | None:
    """Return what a file with this beginning is, and how its files are extracted; None if it is no
    archive."""
    if header.startswith(DEBIAN_PACKAGE_MAGIC):
        return "a Debian package; extract its files with `dpkg-deb -x`"
    if header.startswith((AR_MAGIC, THIN_MAGIC)):
        return "an ar archive of object files; extract one with `ar x`"
    if header.startswith(ZIP_MAGIC):
        return "a zip archive; extract a file with `unzip`"
    return None


def is_core_header(header: bytes) -> bool:
    """Return whether a file that begins so is an ELF core file."""
    is_big = header[_DATA_AT : _DATA_AT + 1] == b"\2"
    number = int.from_bytes(header[_TYPE_AT:CORE_HEADER_BYTES], "big" if is_big else "little")
    return header.startswith(ELF_MAGIC) and number == ET_CORE
