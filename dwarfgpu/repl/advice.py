"""Suggestions for errors about unknown names, with GDB's wording."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.declarations import Kind
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import DwarfGpuError, SeveralLines, UsageError, counted
from dwarfgpu.language.linespec import NO_SYMBOL_TABLE
from dwarfgpu.machine.topology import model_of
from dwarfgpu.service.value.condition import InvalidThere
from dwarfgpu.session.kernel_start import kernel_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_name import declaring_file, macros_not_read, outside_code, why_unknown

_OPTION: Final = re.compile(
    r"(?: It is in scope elsewhere:|; give --pc ADDR:) where .*? lists addresses\.?"
)
"""A hint that applies on a command line only, with the full stop before what follows it."""
_LDS_ARGUMENT: Final = "dynamic_shared_pointer"
"""An argument that the runtime allocates in LDS, as a `local` pointer of OpenCL."""
_NAME_ERROR: Final = re.compile(r'No symbol ".*" in current context\.|Function ".*" not defined')
"""Errors of names that are looked up in the symbol table."""
_OF_EXPRESSIONS: Final[tuple[Kind, ...]] = ("variable", "function")
_UNKNOWN: Final[tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...]] = (
    (re.compile(r'No symbol "(?P<name>[\w:~]+)" in current context\.'), _OF_EXPRESSIONS),
    (
        re.compile(r'No symbol "(?P<name>\w+)" in namespace "(?P<around>[^"]+)"\.'),
        _OF_EXPRESSIONS,
    ),
    (re.compile(r'Function "(?P<name>[^"]+)" not defined\.'), ("function",)),
    (re.compile(r"No struct type named (?P<name>\S+)\."), ("struct",)),
    (re.compile(r"No union type named (?P<name>\S+)\."), ("union",)),
    (re.compile(r"No enum type named (?P<name>\S+)\."), ("enum",)),
)


def advised(session: Session, error: UsageError) -> UsageError:
    """Return the error, with a suggestion."""
    if isinstance(error, InvalidThere):
        session = error.session
    if is_without_symbols(session, error):
        return UsageError(NO_SYMBOL_TABLE)
    if isinstance(error, SeveralLines):
        return error
    error = UsageError(_OPTION.sub(_full_stop, error.message))
    for pattern, kinds in _UNKNOWN:
        match = pattern.fullmatch(error.message)
        if match is not None:
            around = match.groupdict().get("around")
            name = f"{around}::{match['name']}" if around else match["name"]
            suggestion = ""
            if session.pc is None and kinds == _OF_EXPRESSIONS and not around:
                suggestion = _OPTION.sub(_full_stop, why_unknown(session, name))
            suggestion = suggestion or session.did_you_mean(name, *kinds)
            if not suggestion and kinds == _OF_EXPRESSIONS and not around:
                suggestion = _dynamic_lds(session, name) or macros_not_read(session)
                outside = outside_code(session)
                suggestion = suggestion or (f" {outside}" if outside else "")
            return UsageError(session.with_unsearched(f"{error.message}{suggestion}"))
    if _NAME_ERROR.fullmatch(error.message):
        return UsageError(session.with_unsearched(error.message))
    return error


def is_without_symbols(session: Session, error: DwarfGpuError) -> bool:
    """Return whether a name is unknown because no symbols are loaded."""
    if _NAME_ERROR.match(error.text) is None:
        return False
    is_in_context = error.text.endswith(" in current context.")
    files = session.code_objects
    return not (any(map(_has_names, files)) if is_in_context else files)


def _dynamic_lds(session: Session, name: str) -> str:
    """Return where the dynamic LDS of the dispatch in focus is; empty if there is none, or if the
    name is that of a variable which is not in scope.

    Compilers describe no variable and define no symbol for an `extern __shared__` array. Sources of
    Triton have none: its compiler alone uses the LDS.
    """
    unit = session.unit
    if unit is not None and parse_producer(unit.producer).is_triton:
        return ""
    machine = model_of(session.target) if session.architecture.is_simt else None
    dispatch = machine.dispatch_of(session.wave) if machine and type(session.wave) is int else None
    if dispatch is None or not dispatch.group_bytes:
        return ""
    try:
        _, kernel = kernel_of(session, dispatch)
    except DwarfGpuError:
        return ""
    arguments = () if kernel.metadata is None else kernel.metadata.arguments
    fixed_bytes = kernel.lds_bytes
    if fixed_bytes is None or any(item.value_kind == _LDS_ARGUMENT for item in arguments):
        return ""
    dynamic_bytes = dispatch.group_bytes - fixed_bytes
    if dynamic_bytes <= 0 or declaring_file(session, name) is not None:
        return ""
    return (
        ' An "extern __shared__" array has no debugging information: the '
        f"{counted(dynamic_bytes, 'byte')} of dynamic LDS begin at local#{fixed_bytes:#x}, "
        f"so try x/4dw local#{fixed_bytes:#x}"
    )


def _full_stop(match: re.Match[str]) -> str:
    """Return what takes the place of a hint: a full stop where it ends a sentence."""
    return "." if match[0].startswith(";") else ""


def _has_names(code_object: CodeObject) -> bool:
    """Return whether a file has debugging information or defines symbols."""
    defined = (symbol for file in symbol_files(code_object) for symbol in file.symbols)
    return code_object.info.has_units or any(symbol.is_in_section for symbol in defined)
