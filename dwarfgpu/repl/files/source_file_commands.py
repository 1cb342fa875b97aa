"""The files of the program: sources, code objects and their sections, with GDB's wording."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Set
from typing import Final

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.absolute_path import absolute_path, real_path
from dwarfgpu.base.printable import one_line
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.file_table import short_name
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.line.line_unit import LineUnit
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError, counted
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    PF_W,
    PF_X,
    PT_LOAD,
    SHF_ALLOC,
    SHF_WRITE,
    Section,
    Segment,
)
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.list_commands import default_or_frame
from dwarfgpu.repl.files.posix_regexps import compiled
from dwarfgpu.repl.files.shown_source import line_count, note_unreadable_line, text_path
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.file.source_language import language_of
from dwarfgpu.service.symbol.symbol_description import full_path
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_name import MACROS
from dwarfgpu.view.json_object import JsonObject, Plain

_SHF_EXECINSTR: Final = 0x4
_SHT_NOBITS: Final = 8
_TABLES: Final = frozenset({0, 2, 3, 4, 9, 17, 18})
"""Types of sections that are not contents of the program unless they are loaded: SHT_NULL, SYMTAB,
STRTAB, RELA, REL, GROUP, SYMTAB_SHNDX."""
_PATH_PARTS: Final = ("-basename", "-dirname")
_NO_PROGRAM: Final = "command cannot be used without an exec file"
_MAX_BYTES: Final = 1 << 30
_MISSING: Final = "(*): Shared library is missing debugging information."


@command("info source", topic="files")
def info_source(shell: Shell, argument: str) -> Iterator[Part]:
    """Show information about the current source file.

    Usage: info source
    """
    position = _current(shell)
    if position is None:
        yield Output("No current source file.", {"file": None})
        return
    unit = position.source.table.unit
    yield Output(
        f"Current source file is {position.file}",
        {"file": position.file, "fullname": position.path},
    )
    folder = unit.root.string(dw.AT_COMP_DIR)
    if folder is not None:
        yield Output(f"Compilation directory is {folder}", {"comp-dir": folder})
    path = text_path(shell, position)
    if path is not None:
        located = one_line(real_path(path))
        yield Output(f"Located in {located}", {"located-in": located})
    count = line_count(shell, position)
    if count is not None:
        text = f"Contains {counted(count, 'line')}."
        yield Output(text, {"line-count": count})
    version, unit = unit.format.version, _with_entries(unit)
    language = language_of(unit)
    yield Output(f"Source language is {language}.", {"language": language})
    if unit.producer:
        yield Output(f"Producer is {unit.producer}.", {"producer": unit.producer})
    yield Output(f"Compiled with DWARF {version} debugging format.", {"dwarf-version": version})
    has_macros = any(unit.root.has(macro) for macro in MACROS)
    text = f"{'Includes' if has_macros else 'Does not include'} preprocessor macro info."
    yield Output(text, {"macro-info": has_macros})


def _with_entries(unit: LineUnit) -> LineUnit:
    """Return the split unit of a skeleton, which alone has a language and a producer, if it is
    found; else the unit itself."""
    if isinstance(unit, CompilationUnit):
        with contextlib.suppress(DwarfGpuError):
            return unit.full
    return unit


def _current(shell: Shell) -> FramePosition | None:
    """Return the file listed last, else that of the frame in focus, else that shown last,
    else the default one that a line without a file meant."""
    if shell.listed is not None and shell.listed.first:
        return shell.listed.position
    position = default_or_frame(shell)
    if position is None:
        note_unreadable_line(shell, shell.session)
    return position or shell.last_shown or shell.default_shown


@command("info sources", topic="files", complete=completion.with_options(_PATH_PARTS))
def info_sources(shell: Shell, argument: str) -> Iterator[Part]:
    """List the source files of the program.

    Usage: info sources [-basename | -dirname] [--] [REGEXP]

    Lists the files in the line tables, by code object: where their texts are, or else as the
    tables have them. REGEXP must match in the path of a file, with -basename in its last component,
    with -dirname in the components before that.
    """
    part, text = _part_and_pattern(argument)
    pattern = compiled(text) if text else None
    for code_object in shell.session.code_objects:
        yield heading(one_line(f"{full_path(shell.session, code_object)}:"))
        if not code_object.info.has_units:
            yield heading("(Objfile has no debug information.)")
        files = LineLookup(code_object.scopes).files_by_path().values()
        names = sorted({*map(shell.source_path.full_path, files)})
        shown: list[Plain] = [
            short_name(name)
            for name in names
            if pattern is None or pattern.search(_part_of(name, part))
        ]
        data: JsonObject = {"filename": full_path(shell.session, code_object), "sources": shown}
        text = f"\n{', '.join(map(str, shown))}\n" if shown else ""
        yield Output(text or "\n", data, "files", ends_line=bool(text))


def _part_and_pattern(argument: str) -> tuple[str | None, str]:
    """Return the option and the regular expression; `UsageError` with GDB's wording."""
    options: set[str] = set()
    text = argument
    while text.startswith("-"):
        word, _, rest = text.partition(" ")
        if word == "--":
            text = rest.strip()
            break
        meant = next(
            (part for part in _PATH_PARTS if len(word) > 1 and part.startswith(word)), None
        )
        if meant is None:
            raise UsageError(f"Unrecognized option at: {text}")
        options.add(meant)
        text = rest.strip()
    if len(options) > 1:
        raise UsageError("You cannot give both -basename and -dirname to 'info sources'.")
    if options and not text:
        raise UsageError("Missing REGEXP for 'info sources'.")
    return next(iter(options), None), text


def _part_of(path: str, part: str | None) -> str:
    """Return the part of a path that is to match."""
    folder, _, name = path.rpartition("/")
    return path if part is None else name if part == "-basename" else folder


@command("info sharedlibrary", topic="files", aliases=("dll",))
def info_sharedlibrary(shell: Shell, argument: str) -> Iterator[Part]:
    """List the loaded code objects except the program.

    Usage: info sharedlibrary [REGEXP]

    For a GPU, lists all code objects. The addresses are those of the code. A library whose file is
    missing, or is not the one that was loaded, has none: a note gives the reason.
    """
    from dwarfgpu.service.core.shared_libraries import shared_libraries  # few ask for them

    pattern = compiled(argument) if argument else None
    session = shell.session
    shown = [
        library
        for library in shared_libraries(session, shell.machine.core)
        if pattern is None or pattern.search(library.path)
    ]
    if not shown:
        none = "No shared libraries loaded at this time."
        text = "No shared libraries matched." if argument else none
        yield Output(text, {"shared-libraries": []})
        return
    digits = session.architecture.address_bits // 4
    width = digits + 4
    yield heading(f"{'From':<{width}}{'To':<{width}}{'Syms Read':<12}Shared Object Library")
    for library in shown:
        data: JsonObject = {"id": library.path, "symbols-loaded": False, "ranges": []}
        begin, end, read = "", "", "No"
        if library.code_object is None:
            data["why"] = library.why_not_used
        else:
            has_units = bool(library.code_object.info.units)
            begin, end = (f"{address:#0{digits + 2}x}" for address in _code(library.code_object))
            read = "Yes" if has_units else "Yes (*)"
            data["symbols-loaded"], data["ranges"] = has_units, [{"from": begin, "to": end}]
        text = f"{begin:<{width}}{end:<{width}}{read:<12}{one_line(library.path)}"
        yield Output(text, data, "shared-libraries")
    objects = (library.code_object for library in shown)
    if not all(code_object.info.units for code_object in objects if code_object is not None):
        yield heading(_MISSING)
    for library in shown:
        if library.note is not None:
            shell.console.note(library.note)


def _code(code_object: CodeObject) -> tuple[int, int]:
    """Return where `.text` is, as loaded."""
    text = code_object.file.sections_by_name.get(".text")
    if text is None:
        return 0, 0
    begin = text.address + code_object.load_address
    return begin, begin + text.size_bytes


@command("info files", topic="files", aliases=("target",))
def info_files(shell: Shell, argument: str) -> Iterator[Part]:
    """List the targets and files being debugged.

    Usage: info files

    Shows the segments of the core file, and the loaded sections of the code objects.
    """
    session, core = shell.session, shell.machine.core
    program = session.program
    if program is not None:
        yield heading(one_line(f'Symbols from "{full_path(session, program)}".'))
    if core is not None:
        yield from _segments(core.dump.file)
        if session.code_objects:
            yield heading("\tWhile running this, dwarfgpu does not access memory from...")
    if program is not None:
        yield from _sections(session, program, is_program=True)
    elif session.code_objects:
        yield heading("Local exec file:\n\t<no file loaded>")
    for code_object in session.code_objects:
        if code_object is not program:
            yield from _sections(session, code_object, is_program=False)


def _segments(file: ObjectFile) -> Iterator[Part]:
    """Yield the segments of a core file by BFD's names."""
    path, digits = absolute_path(file.path), 2 * file.address_bytes + 2
    title = f"Local core dump file:\n\t`{one_line(path)}', file type {_format(file)}."
    yield Output(title, {"core-file": path})
    for name, first, last, _ in _parts_of_segments(file):
        data: JsonObject = {"name": name, "begin": f"{first:#x}", "end": f"{last:#x}"}
        text = f"\t{first:#0{digits}x} - {last:#0{digits}x} is {name}"
        yield Output(text, data, "segments")


def _parts_of_segments(file: ObjectFile) -> Iterator[tuple[str, int, int, Segment]]:
    """Yield the name in BFD, the begin and the end of what a core file has of each segment and of
    what it leaves out at its end."""
    for number, segment in enumerate(file.segments):
        if segment.type != PT_LOAD or not segment.memory_bytes:
            continue
        begin, end = segment.address, segment.address + segment.memory_bytes
        middle = begin + min(segment.file_bytes, segment.memory_bytes)
        if middle in (begin, end):
            yield f"load{number}", begin, end, segment
            continue
        yield f"load{number}a", begin, middle, segment
        yield f"load{number}b", middle, end, segment


def _sections(session: Session, code_object: CodeObject, *, is_program: bool) -> Iterator[Part]:
    """Yield what a code object loads; of all but the program with its name."""
    file = code_object.file
    path, digits = full_path(session, code_object), 2 * file.address_bytes + 2
    group = Group("code-objects", {"filename": path, "type": _format(file)})
    if is_program:
        yield NestedOutput(
            group, heading(f"Local exec file:\n\t`{one_line(path)}', file type {_format(file)}.")
        )
        if not file.is_relocatable and not abi_of(file.machine).is_loaded_by_runtime:
            entry = f"{file.entry + code_object.load_address:#x}"
            yield NestedOutput(group, Output(f"\tEntry point: {entry}", {"entry": entry}))
    own = "" if is_program else f" in {one_line(path)}"
    for section in file.sections:
        if section.flags & SHF_ALLOC and section.size_bytes:
            begin = section.address + code_object.load_address
            end = begin + section.size_bytes
            data: JsonObject = {"name": section.name, "begin": f"{begin:#x}", "end": f"{end:#x}"}
            text = f"\t{begin:#0{digits}x} - {end:#0{digits}x} is {section.name}{own}"
            yield NestedOutput(group, Output(text, data, "sections"))


def _format(file: ObjectFile) -> str:
    """Return the name of the file format in BFD."""
    bits = 8 * file.address_bytes
    name = abi_of(file.machine).file_format or "{endian}"
    return f"elf{bits}-{name.format(endian=file.endian)}"


def _all_sections(file: ObjectFile) -> list[Section]:
    return [
        section
        for section in file.sections
        if section.flags & SHF_ALLOC or section.type not in _TABLES
    ]


def _flags(section: Section) -> str:
    """Return the names of the properties of a section in BFD."""
    is_loaded = bool(section.flags & SHF_ALLOC)
    has_contents = section.type != _SHT_NOBITS
    words = ["ALLOC"] * is_loaded + ["LOAD"] * (is_loaded and has_contents)
    if has_contents:
        words += ["READONLY"] * (not section.flags & SHF_WRITE)
        if is_loaded:
            words.append("CODE" if section.flags & _SHF_EXECINSTR else "DATA")
        words.append("HAS_CONTENTS")
    return " ".join(words)


@command("maintenance info sections", topic="data")
def maintenance_info_sections(shell: Shell, argument: str) -> Iterator[Part]:
    """List sections of the program and segments of a core file.

    Usage: maintenance info sections [NAME | PROPERTY]...

    With arguments, lists only those with one of them as name or property.
    """
    code_object, core, chosen = shell.session.program, shell.machine.core, {*argument.split()}
    if code_object is not None:
        yield from _listed_sections(shell, code_object, chosen)
    if core is not None:
        yield from _listed_segments(core.dump.file, chosen)


def _listed_sections(shell: Shell, code_object: CodeObject, chosen: Set[str]) -> Iterator[Part]:
    file = code_object.file
    yield heading(
        one_line(
            f"Exec file: `{full_path(shell.session, code_object)}', file type {_format(file)}."
        )
    )
    sections = _all_sections(file)
    width, digits = len(str(len(sections) - 1)) + 4, file.address_bytes + 2
    for index, section in enumerate(sections):
        flags = _flags(section)
        if chosen and chosen.isdisjoint((section.name, *flags.split())):
            continue
        begin = section.address
        begin += code_object.load_address if section.flags & SHF_ALLOC else 0
        end = begin + section.size_bytes
        where = f"{begin:#0{digits}x}->{end:#0{digits}x} at {section.offset:#010x}"
        text = f"{f' [{index}] ':<{width}}    {where}: {section.name} {flags}"
        yield heading(text)


def _listed_segments(file: ObjectFile, chosen: Set[str]) -> Iterator[Part]:
    """Yield the segments of a core file without the numbers of BFD, which counts notes, too."""
    path, digits = one_line(absolute_path(file.path)), file.address_bytes + 2
    yield heading(f"Core file: `{path}', file type {_format(file)}.")
    for name, begin, end, segment in _parts_of_segments(file):
        has_contents = begin == segment.address and segment.file_bytes > 0
        words = ["ALLOC"] + ["LOAD"] * has_contents + ["READONLY"] * (not segment.flags & PF_W)
        words += ["CODE"] * bool(segment.flags & PF_X) + ["HAS_CONTENTS"] * has_contents
        if not chosen or not chosen.isdisjoint((name, *words)):
            offset = segment.offset + begin - segment.address
            where = f"{begin:#0{digits}x}->{end:#0{digits}x} at {offset:#010x}"
            yield heading(f"{'':10}{where}: {name} {' '.join(words)}")


@command("compare-sections", topic="data")
def compare_sections(shell: Shell, argument: str) -> Iterator[Part]:
    """Compare section data in memory to the program's file.

    Usage: compare-sections [SECTION | -r]

    -r compares only read-only sections. Without an argument, all loaded sections; those that the
    program writes or that are relocated differ.
    """
    code_object = shell.session.program
    if code_object is None:
        raise UsageError(_NO_PROGRAM)
    file, objects = code_object.file, ObjectAccess(shell.session)
    space = objects.architecture.address_space(0)
    has_matched, has_any = True, False
    for section in file.sections:
        is_loaded = section.flags & SHF_ALLOC and section.type != _SHT_NOBITS
        if not is_loaded or not section.size_bytes:
            continue
        if argument == "-r" and section.flags & SHF_WRITE:
            continue
        if argument not in ("", "-r", section.name):
            continue
        if section.size_bytes > _MAX_BYTES:
            raise UsageError(f"{section.name} has more than {_MAX_BYTES} bytes.")
        has_any = True
        begin = section.address + code_object.load_address
        end = begin + section.size_bytes
        try:
            memory = objects.context.access.read_bytes(objects.at(space, begin), section.size_bytes)
        except DwarfGpuError:
            raise UsageError(
                f"target memory fault, section {section.name}, range {begin:#x} -- {end:#x}"
            ) from None
        is_equal = memory == file.data_of(section)
        has_matched = has_matched and is_equal
        verdict = "matched." if is_equal else "MIS-MATCHED!"
        yield heading(f"Section {section.name}, range {begin:#x} -- {end:#x}: {verdict}")
    if argument not in ("", "-r") and not has_any:
        yield heading(f"No loaded section named '{argument}'.")
    if not has_matched:
        shell.console.warn(
            "One or more sections of the target image does not match", "the loaded file", ""
        )
