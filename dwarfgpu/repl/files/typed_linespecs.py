"""Linespecs that are typed at the prompt, with the values that their expressions may use."""

from __future__ import annotations

import os
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.language import linespec
from dwarfgpu.language.function_locations import CodeLocation
from dwarfgpu.language.linespec import LinespecNotFound
from dwarfgpu.language.source_lines import has_file, line_lookups
from dwarfgpu.language.untyped_symbols import symbol_of
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import BUILT_IN, convenience_integer, options_of
from dwarfgpu.session.focused_frame import FramePosition, position_in_file

_SOURCE: Final = pattern(r"(?P<before>(?:-s\w*\s+)?['\"]?)(?P<path>/[^:'\"\s]+)(?P<after>.*)")
_LONGEST_PATH: Final = 4_096
"""PATH_MAX of Linux: no file has a longer one, which `os.path.realpath` takes long for."""
_VARIABLE: Final = pattern(r"(?P<file>[^$]+:)?(?P<name>\$[$\w]*)")


def code_location_of(shell: Shell, text: str, around: FramePosition | None) -> CodeLocation:
    """Return the first of `code_locations_of`, with the code of all of them."""
    session = shell.session
    return linespec.code_location_of(
        session, as_resolved(shell, text), around, options_of(session, shell.values)
    )


def code_locations_of(
    shell: Shell, text: str, around: FramePosition | None
) -> tuple[CodeLocation, ...]:
    """Return the code locations that a text denotes (`dwarfgpu.language.linespec`)."""
    session = shell.session
    return linespec.code_locations_of(
        session, as_resolved(shell, text), around, options_of(session, shell.values)
    )


def as_resolved(shell: Shell, text: str) -> str:
    """Return a text with the number of a convenience variable, and with the name that the program
    has for a source file: absolute paths may be those of the files that are listed, as in GDB."""
    text = _with_number(shell, text)
    match = _SOURCE.fullmatch(text)
    if match is None or len(match["path"]) > _LONGEST_PATH:
        return text
    if has_file(shell.session, match["path"]):
        return text
    path = _path_in_program(shell, match["path"])
    return text if path is None else f"{match['before']}{path}{match['after']}"


def _path_in_program(shell: Shell, typed: str) -> str | None:
    """Return the path of the source file that is read from the path that was typed."""
    real = os.path.realpath(typed)
    compared: set[str] = set()  # thousands of units may include one header
    for lines in line_lookups(shell.session):
        for file in lines.files_named(os.path.basename(typed)):
            position = position_in_file(file, 1, is_start=True)
            path = position.source.path_to_open
            if path in compared:
                continue
            compared.add(path)
            opened = shell.source_path.text_file(position)
            if shell.source_path.rewritten(path) == typed or (
                opened is not None and os.path.realpath(opened) == real
            ):
                return path
    return None


def _is_known(shell: Shell, name: str) -> bool:
    """Return whether a name after `$` is that of a variable or function of the debugger. How the
    program ended is one, without a value, as soon as there is a program with threads."""
    from dwarfgpu.language.convenience_functions import FUNCTIONS  # few lines are named so

    if name in ("_exitcode", "_exitsignal") and shell.machine.threads:
        return True
    return name in shell.values.named or name in BUILT_IN or name in FUNCTIONS


def _with_number(shell: Shell, text: str) -> str:
    """Return `45` or `FILE:45` for a convenience variable as the line."""
    match = _VARIABLE.fullmatch(text) if "$" in text else None
    if match is None:
        return text
    file, name = match["file"] or "", match["name"]
    if name[1:].strip("$0123456789") and not _is_known(shell, name[1:]):
        if symbol_of(shell.session, name) is not None:  # as all functions of Swift
            return f"{file}'{name}'"
        where = f' in "{file.rstrip(":")}"' if file else ""
        unknown = f'Undefined convenience variable or function "{name}" not defined{where}.'
        raise LinespecNotFound(unknown)
    try:
        return f"{file}{convenience_integer(shell.session, shell.values, name)}"
    except UsageError:
        unfit = "Convenience variables used in line specs must have integer values."
        raise UsageError(unfit) from None
