"""Text and bytes that a command reads: arguments, standard input, files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import BinaryIO, Final

from dwarfgpu.base.limits import MAX_OPERATION_BYTES, MAX_TEXT_BYTES
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.readable_files import is_regular, more_than, open_to_read
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.file_kinds import OBJECT_MAGICS, compressed_by, is_core_header
from dwarfgpu.terminal.streams import is_terminal

MAX_BYTES: Final = 64 << 20
"""Maximum size in bytes of a script of the prompt; a device that never ends has more."""
HEAD_BYTES: Final = 24
"""Enough to recognize the kind of a file."""
PACKED_HEAD_BYTES: Final = 1 << 16
"""As many compressed bytes as have these."""


FILE_ENDINGS: Final = (
    ".co", ".hsaco", ".cubin", ".fatbin", ".o", ".so", ".core", ".elf", ".out", ".exe", ".bundle",
    ".json", ".core.gz", ".core.xz", ".core.zst",
)  # fmt: skip
"""Endings of file names with which no expression ends."""
_COMPONENT: Final = r"[\w~][\w.+~@-]*(?: \w[\w.+~@-]*)*"
_RELATIVE_PATH: Final = pattern(rf"(?=[A-Za-z_~]){_COMPONENT}(?:/{_COMPONENT})+")


def text_input(words: Sequence[str], file: str | None, usage: str = "") -> str:
    """Return the words of the command line, else the file, else (or for `-`) standard input.

    Only `-` waits for input from a terminal, after showing `usage`. `UsageError` for words with a
    file, or an unreadable file. Bytes that are not UTF-8 become invalid characters, so that the
    error about the text locates them.
    """
    if words and file is not None:
        raise UsageError("give the text or --file, not both")
    if file is not None:
        return read_file(file, MAX_TEXT_BYTES).decode("utf-8-sig", "replace")
    if words and list(words) != ["-"]:
        return " ".join(words)
    if not words and usage and is_terminal(sys.stdin):
        raise UsageError(f"no input; usage: {usage}")
    try:
        data = read_all(sys.stdin.buffer, "standard input", MAX_TEXT_BYTES)
        return data.decode("utf-8-sig", "replace")
    except OSError as cause:
        raise UsageError(f"standard input: {cause.strerror or cause}") from None


def is_object(word: str) -> bool:
    """Return whether a word of the command line names a file that begins as an object file or a fat
    binary does, a compressed core file, or a folder with kernels of Triton, not an expression or a
    variable."""
    head = file_head(word)
    if head is not None:
        return head.startswith(OBJECT_MAGICS)
    if not os.path.isdir(word):
        return False
    from dwarfgpu.objfile.triton_cache import has_kernels  # few requests name a folder

    return has_kernels(word)


def file_head(path: str) -> bytes | None:
    """Return the first bytes of a file, decompressed if it is a compressed core file; None if it
    cannot be read or is not a file."""
    try:
        if not is_regular(path):
            return None
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
            if compressed_by(head) is None:
                return head
            from dwarfgpu.objfile.compressed_file import head_of  # few files are compressed

            unpacked = head_of(path, head + file.read(PACKED_HEAD_BYTES), HEAD_BYTES)
            return unpacked if is_core_header(unpacked) else head
    except (OSError, ValueError):
        return None


def read_all(file: BinaryIO, name: str, most_bytes: int = MAX_BYTES) -> bytes:
    """Return the rest of a file; `UsageError` if that is more than `most_bytes`."""
    data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise more_than(name, most_bytes)
    return data


def read_file(path: str, most_bytes: int = MAX_OPERATION_BYTES) -> bytes:
    """Read a whole file of operations; `UsageError` if it cannot be read, or is larger."""
    try:
        with open_to_read(path) as file:
            return read_all(file, path, most_bytes)
    except OSError as cause:
        raise UsageError(f"{path} cannot be read: {cause.strerror or cause}") from None
    except ValueError:  # a NUL in the name
        raise UsageError(f"{path!r} is not a file name") from None


def names_a_file(word: str) -> bool:
    """Return whether a word is meant as a file before names of variables: it exists, or looks like
    a path."""
    return is_existing(word) or "/" in word or is_named_as_file(word)


def words_behind_file(words: Sequence[str]) -> list[str]:
    """Return the words behind a single file that are not meant as files, perhaps names in it.

    None where the first word is no file, or a folder, or where another file follows: then each word
    is one, and reported if it cannot be read.
    """
    if not words or not names_a_file(words[0]) or os.path.isdir(words[0]):
        return []
    behind = [word for word in words[1:] if word != words[0]]
    return [] if any(map(names_a_file, behind)) else behind


def is_named_as_file(word: str) -> bool:
    """Return whether a word is a file name and no expression: `k.co`, `state.json`, `core.4711`."""
    if not word.startswith("core."):
        return word.endswith(FILE_ENDINGS)
    from dwarfgpu.base.json_reader import is_decimal  # few requests name a core file so

    return word.endswith(FILE_ENDINGS) or is_decimal(word.removeprefix("core."))


def begins_as_path(word: str) -> bool:
    """Return whether a word, perhaps with blanks, begins as a path and as no expression does;
    `//` and `/*` begin comments."""
    return word.startswith(("/", "./", "../")) and not word.startswith(("//", "/*"))


def is_relative_path(word: str) -> bool:
    """Return whether a word is written as a path in the current folder, `build/app`: no operations
    are, and as a source expression it needs the file whose names it has."""
    return _RELATIVE_PATH.fullmatch(word) is not None


def is_file_alone(words: Sequence[str]) -> bool:
    """Return whether a command line that should be text is one word that is meant as a file."""
    return len(words) == len(" ".join(words).split()) == 1 and names_a_file(words[0])


def is_existing(word: str) -> bool:
    """Return whether there is a file or folder; the empty name is the current folder. A link that
    leads nowhere is one that cannot be read."""
    return os.path.lexists(word or os.curdir)
