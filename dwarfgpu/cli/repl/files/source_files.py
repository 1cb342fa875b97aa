"""The files of the program: sources, code objects and their sections, in GDB's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.backtrace import Place
from dwarfgpu.cli.info_report import LANGUAGES
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.files.listing import line_count, place_or_none, text_path
from dwarfgpu.cli.repl.files.regexps import compiled
from dwarfgpu.cli.repl.files.symbols import full_path
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.lines import Lines
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.objfile.elf import SHF_ALLOC

_MACROS: Final = (0x79, 0x43, 0x2119)
"""DW_AT_macros, DW_AT_macro_info, DW_AT_GNU_macros."""
_MISSING: Final = "(*): Shared library is missing debugging information."


@command("info source", topic="files")
def info_source(shell: Shell, argument: str) -> Iterator[str]:
    """Tell about the source file that is listed.

    Usage: info source
    """
    place = _current(shell)
    if place is None:
        yield "No current source file."
        return
    unit = place.source.table.unit
    yield f"Current source file is {place.file}"
    folder = unit.root.string(dw.AT_COMP_DIR)
    if folder is not None:
        yield f"Compilation directory is {folder}"
    path = text_path(place)
    if path is not None:
        yield f"Located in {path}"
    count = line_count(place)
    if count is not None:
        yield f"Contains {count} line{'' if count == 1 else 's'}."
    yield f"Source language is {language_of(unit)}."
    if unit.producer:
        yield f"Producer is {unit.producer}."
    yield f"Compiled with DWARF {unit.format.version} debugging format."
    has_macros = any(unit.root.has(each) for each in _MACROS)
    yield f"{'Includes' if has_macros else 'Does not include'} preprocessor macro info."


def language_of(unit: CompilationUnit) -> str:
    """GDB's name of the language; of one that it has no name for, DWARF's."""
    if unit.language in dw.C:
        return "c"
    if unit.is_cplusplus:
        return "c++"
    if unit.style != "c":
        return unit.style
    return "unknown" if unit.language is None else LANGUAGES.get(unit.language, "unknown").lower()


def _current(shell: Shell) -> Place | None:
    """The file listed last, else that of the frame in focus."""
    if shell.listed is not None:
        return shell.listed.place
    return place_or_none(shell.session)


@command("info sources", topic="files")
def info_sources(shell: Shell, argument: str) -> Iterator[str]:
    """List the source files of the program.

    Usage: info sources [REGEXP]

    Those that the line tables name, by code object.
    """
    pattern = compiled(argument) if argument else None
    for code_object in shell.session.code_objects:
        yield f"{full_path(code_object)}:"
        if not code_object.info.units:
            yield "(Objfile has no debug information.)"
        yield ""
        names = sorted({each.path for each in Lines(code_object.scopes).files()})
        shown = [each for each in names if pattern is None or pattern.search(each)]
        if shown:
            yield ", ".join(shown)
            yield ""


@command("info sharedlibrary", topic="files", aliases=("dll",))
def info_sharedlibrary(shell: Shell, argument: str) -> Iterator[str]:
    """List the code objects that are loaded beside the program.

    Usage: info sharedlibrary [REGEXP]

    Of a GPU all code objects; addresses are those of the code.
    """
    pattern = compiled(argument) if argument else None
    session = shell.session
    found = (
        session.code_objects
        if session.architecture.is_simt
        else [each for each in session.code_objects[1:] if not each.name.startswith("[")]
    )
    shown = [each for each in found if pattern is None or pattern.search(full_path(each))]
    if not shown:
        yield (
            "No shared libraries matched."
            if argument
            else ("No shared libraries loaded at this time.")
        )
        return
    digits = session.architecture.address_bits // 4
    width = digits + 4
    yield f"{'From':<{width}}{'To':<{width}}{'Syms Read':<12}Shared Object Library"
    for each in shown:
        begin, end = (f"{address:#0{digits + 2}x}" for address in _code(each))
        read = "Yes" if each.info.units else "Yes (*)"
        yield f"{begin:<{width}}{end:<{width}}{read:<12}{full_path(each)}"
    if not all(each.info.units for each in shown):
        yield _MISSING


def _code(code_object: CodeObject) -> tuple[int, int]:
    """Where `.text` is, as loaded."""
    text = code_object.file.sections_by_name.get(".text")
    if text is None:
        return 0, 0
    begin = text.address + code_object.load_address
    return begin, begin + text.size_bytes


@command("info files", topic="files", aliases=("target",))
def info_files(shell: Shell, argument: str) -> Iterator[str]:
    """List the code objects with the sections that they load.

    Usage: info files
    """
    digits = shell.session.architecture.address_bits // 4 + 2
    for code_object in shell.session.code_objects:
        file = code_object.file
        yield f'Symbols from "{full_path(code_object)}".'
        yield "Local exec file:"
        yield f"\t`{full_path(code_object)}', file type elf{8 * file.address_bytes}."
        for section in file.sections:
            if section.flags & SHF_ALLOC and section.size_bytes:
                begin = section.address + code_object.load_address
                end = begin + section.size_bytes
                yield f"\t{begin:#0{digits}x} - {end:#0{digits}x} is {section.name}"
