"""The files of a command line: FILE and CORE before the names, and unreadable files.

Law: all commands have the same syntax. A core file is recognized by its ELF type, in any file
position; an unreadable file is a usage error, with exit status 2.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    UnreadableFile,
    Unsupported,
    UsageError,
    shortened,
)
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.terminal.input import (
    begins_as_path,
    is_existing,
    is_named_as_file,
    is_object,
    is_relative_path,
)

POSITIONAL: Final = "the first may be an ELF file with DWARF, or a core file"


def configure_names(parser: ArgumentParser) -> None:
    """Add `FILE|NAME ...`, which `take_files` separates, to the parser of a command."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="FILE|NAME",
        help=f"{POSITIONAL}; the others are variables or expressions",
    )


def take_files(args: Namespace, words: str) -> None:
    """Move leading files of the words of `args` into `args.file` and `args.core`.

    `words` is the attribute of the words, which keeps the others. A core file named by `--file` is
    a core file, too. `UsageError` for a second file of a kind, and for a first word that must be a
    file and is not, or for a file after the names.
    """
    _take(args, words)
    _require_before_names(args, getattr(args, words))


def _take(args: Namespace, words: str) -> None:
    files: list[str] = list(getattr(args, words) or ())
    if args.file is not None and args.core is None and is_core(args.file):
        args.file, args.core = None, args.file
    if not args.demo:
        while files and _is_operand(files[0]) and is_object(files[0]):
            option = "core" if is_core(files[0]) else "file"
            if getattr(args, option) is not None:
                break
            setattr(args, option, files.pop(0))
        _require_no_file(args, files)
    setattr(args, words, files)


def take_only_files(args: Namespace, words: str) -> None:
    """Take the files from words that must all be files."""
    files: list[str] = list(getattr(args, words))
    _take(args, words)
    if args.demo and files:
        raise UsageError(f"{files[0]}: give FILE or --demo, not both")
    remaining = getattr(args, words)
    if remaining:
        expected = (
            "one FILE, and one core file" if len(remaining) < len(files) else "an object file"
        )
        for word in files if is_object(remaining[0]) else remaining[:1]:
            require_object(word, whole=True)
        if is_object(remaining[0]) and args.core is None:
            raise UsageError(f"{_why_no_core(remaining[0])}: give {expected}")
        raise UsageError(f"{remaining[0]}: give {expected}, with or without --file and --core")


def require_file_first(file: str | None, word: str | None, name: str) -> None:
    """Raise `UsageError` if the file is in the place of an argument that comes after it.

    A file that does not exist and is written as a file is a misspelled one: that it cannot be read
    is the error.
    """
    if file is not None and word is not None and is_object(word) and not is_object(file):
        if not is_existing(file) and (begins_as_path(file) or is_named_as_file(file)):
            require_object(file)
        raise UsageError(f"{word}: FILE comes before {name}: give {word} {file}")


def _require_before_names(args: Namespace, names: Sequence[str]) -> None:
    """Raise `UsageError` for a file among the names of variables and expressions."""
    has_program = args.demo or any((args.file, args.core, args.state))
    for word in names:
        is_path = "/" in word or is_named_as_file(word) or not has_program
        if not is_path or not _is_operand(word) or not is_object(word):
            continue
        if args.demo:
            raise UsageError(f"{word}: give FILE or --demo, not both")
        if has_program:
            raise UsageError(f"{word}: give one FILE, before the names")
        remaining = " ".join(name for name in names if name != word)
        raise UsageError(f"{word}: FILE comes before the names: give {word} {shortened(remaining)}")


def _why_no_core(word: str) -> str:
    """Return why a second object file of a command line is not taken as its core file."""
    from dwarfgpu.objfile.container import open_object  # most requests name no wrong file
    from dwarfgpu.objfile.elf_structures import EV_CURRENT
    from dwarfgpu.objfile.file_kinds import ET_CORE

    with opening():
        file = open_object(word)
    why = f"{word} is not a core file: its e_type is {file.type:#x}, not {ET_CORE} (ET_CORE)"
    if file.header_version != EV_CURRENT:
        why += (
            f", and its e_version {file.header_version:#x}, not {EV_CURRENT} (EV_CURRENT): "
            f"it is damaged, or not {file.endian}-endian as its EI_DATA says"
        )
    return why


def _is_operand(word: str) -> bool:
    """Return whether a word is not an operation: `plus` is one, and the file of that name is
    `./plus`."""
    return word.removeprefix("DW_OP_") not in OPERATIONS


def _require_no_file(args: Namespace, files: list[str]) -> None:
    """Raise `UsageError` if the first word is meant as a file, but unreadable as one."""
    if not files or args.file is not None or args.core is not None:
        return
    word = files[0]
    is_path = begins_as_path(word) or (args.state is None and is_relative_path(word))
    is_one_word = is_path or len(word.split()) == 1 or is_existing(word)
    if word.startswith("$") or not is_one_word:
        return
    # Without a machine there is no member `.o` of anything.
    is_name = args.state is None and (is_named_as_file(word) or (bool(word) and is_existing(word)))
    if is_path or is_name:
        require_object(word)


def given_as_file(state: str) -> UsageError:
    """Return the error about a state in the place of an ELF file."""
    from dwarfgpu.base.printable import shell_word  # only for this message

    advice = f"give a state with --state {shell_word(state)}"
    return UsageError(f"{state} is not an ELF file; {advice}")


def require_object(word: str, *, whole: bool = False) -> None:
    """Raise `UsageError` with the reason if a word is not a readable object file.

    By its first bytes only, unless `whole`.
    """
    if is_object(word) and not whole:
        return
    if word.endswith(".json") and is_existing(word):
        raise given_as_file(word)
    from dwarfgpu.objfile.container import open_object  # most requests name no wrong file

    with opening():
        open_object(word)


@contextmanager
def opening() -> Iterator[None]:
    """Convert errors of a file that cannot be read to `UsageError`.

    What dwarfgpu does not support, and a limit, keep their names: the file may be a good one.
    """
    try:
        yield
    except UsageError:
        raise
    except DwarfGpuError as error:
        if isinstance(error, Unsupported | LimitExceeded):
            raise UsageError(f"{error.kind}: {error}") from None
        raise UnreadableFile(str(error)) from None


def require_no_core(path: str) -> None:
    """Raise `UsageError` for a core file, in commands for compiler output only."""
    if is_core(path):
        from dwarfgpu.objfile.elf_file import core_without_program  # few requests are wrong

        raise core_without_program(path)
