"""Messages and values of GDB's Python as text and bytes: only inside GDB's own Python."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import gdb

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.printable import printable

_ALLOCATED = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING)
"""Types of values that GDB copies into the program's memory for an address."""
_STRUCTURES: Final = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
_WITH_TARGET: Final = (
    gdb.TYPE_CODE_PTR,
    gdb.TYPE_CODE_REF,
    gdb.TYPE_CODE_RVALUE_REF,
    gdb.TYPE_CODE_ARRAY,
    gdb.TYPE_CODE_FUNC,
)
_WARNING_OF_NAME: Final = re.compile(
    r"warning: could not convert '[^\n]*' from the host encoding \([^\n]*\) to UTF-32\.\n"
    r"This normally should not happen, please file a bug report\.\n"
    r"|warning: charset conversion failure for '[^\n]*'\.\n"
    r"You may have the wrong value for 'set ada source-charset'\.\n"
)
"""GDB searches a typedef in all languages, and warns in the middle of a value where Ada has no such
name (`ada_fold_name`)."""


def gdb_message(error: BaseException) -> str:
    """Return GDB's message as part of a message of dwarfgpu."""
    text = " ".join(str(error).split()).rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def exact(read: Callable[[], str | None]) -> str | None:
    """Return a text with names or paths, with bytes that are no UTF-8 as `os.fsdecode` has them.

    GDB's Python decodes texts by the host charset, which is ASCII in the locale C.
    """
    try:
        return read()
    except UnicodeDecodeError as error:
        return os.fsdecode(error.object)


def shown_value(read: Callable[[], str]) -> str:
    """Return a value as GDB shows it; the names in its type may be no text."""
    try:
        return read()
    except UnicodeDecodeError as error:
        text = error.object.decode("utf-8", "backslashreplace")
        return _WARNING_OF_NAME.sub("", text)


def path_of(file: gdb.Objfile | gdb.Progspace | gdb.Symtab) -> str | None:
    """Return the path of a file by GDB's name; None if it has none."""
    return exact(lambda: file.filename)


def source_path(file: gdb.Symtab) -> str | None:
    """Return the path of a source file as dwarfgpu writes it; None if it has none."""
    return _written(path_of(file))


def function_name(frame: gdb.Frame) -> str | None:
    """Return the name of a frame's function as dwarfgpu writes it; None if GDB has none."""
    return _written(exact(frame.name))


def symbol_name(symbol: gdb.Symbol) -> str:
    """Return a symbol's name as dwarfgpu writes it."""
    return _written(exact(lambda: symbol.name)) or ""


def name_in_file(symbol: gdb.Symbol) -> str:
    """Return the name that the file has for a symbol, as dwarfgpu writes it: in Ada, GDB puts one
    that a compiler made up into `<>`, as `<S26b>`."""
    name = symbol_name(symbol)
    if not name.startswith("<"):
        return name
    return _written(exact(lambda: symbol.linkage_name)) or name


def _written(name: str | None) -> str | None:
    return None if name is None else printable(os.fsencode(name))


def said(command: str) -> str:
    """Return what GDB prints for a command, without the command itself, which GDB prints first
    with `set trace-commands on`."""
    text: str = gdb.execute(command, False, True)
    is_traced = text.startswith("+") and gdb.parameter("trace-commands")
    return text.partition("\n")[2] if is_traced else text


@contextmanager
def without_calls() -> Iterator[None]:
    """Keep GDB from calling functions of the program for a block.

    It calls `malloc` there for the address of an array that is not in memory.
    """
    is_allowed = gdb.parameter("may-call-functions")
    try:
        if is_allowed:
            said("set may-call-functions off")
        yield
    finally:
        if is_allowed:
            said("set may-call-functions on")


@contextmanager
def language_selected(name: str) -> Iterator[None]:
    """Select the language of GDB's expressions for a block."""
    before = gdb.parameter("language")
    try:
        said(f"set language {name}")
        yield
    finally:
        said(f"set language {before}")


def type_text(kind: gdb.Type) -> str:
    """Return a type as GDB spells it; as in C where it has a structure without a name: in Fortran
    GDB 13 ends (SIGSEGV) at one (`f_language::f_type_print_base`)."""
    bare = kind
    while bare.name is None and bare.code in _WITH_TARGET:
        bare = bare.target()
    if bare.code in _STRUCTURES and bare.name is None:
        with language_selected("c"):
            return str(kind)
    return str(kind)


def address_of(value: gdb.Value) -> gdb.Value | None:
    """Return the address of a value; None if it is not in memory."""
    if value.type.strip_typedefs().code not in _ALLOCATED:
        return value.address
    with without_calls():
        return value.address


def value_bytes(value: gdb.Value, endian: Endian) -> bytes:
    """Return the bytes of a register's value: only newer GDBs have `gdb.Value.bytes`."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_UNION:
        # The views of a vector register; the last one has the widest integers.
        return value_bytes(value[kind.fields()[-1]], endian)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        first, last = kind.range()
        return b"".join(value_bytes(value[index], endian) for index in range(first, last + 1))
    text = value.format_string(format="x", raw=True)
    if not text.startswith("0x"):
        raise ValueError(f"GDB shows it as {text}")
    return int(text, 16).to_bytes(kind.sizeof, endian)
