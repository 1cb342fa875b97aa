"""The source line that determines the file of a line without a file, where no frame has one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.functions_by_name import first_function_named, functions_named
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.prologue import body_of
from dwarfgpu.language.source_lines import position_at, searched_files
from dwarfgpu.objfile.kernel_symbols import kernels
from dwarfgpu.session.focused_frame import FramePosition, position_in_file
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import declaration_at


def default_source(session: Session) -> FramePosition | None:
    """Return the line of the body of `main` or of the declaration of the first kernel, or else the
    first line of the last unit; None if kernels are declared in several files, and without
    debugging information. As in GDB, a `main` that only the symbol table has does not count, and
    one in a namespace only where there is no other."""
    with suppress(DwarfGpuError):
        for file in searched_files(session):
            main = first_function_named(file, "main")
            if main is not None and "::" in main.name:
                named = functions_named(file, "main")
                main = next((one for one in named if "::" not in one.name), main)
            if main is not None:
                return position_at(session, body_of(session, main.entry))
    declarations = list(_kernel_declarations(session))
    if not declarations:
        # The last file of a library is not the default one of a program that is missing.
        is_missing = session.program is None and not session.architecture.is_simt
        return None if is_missing else _last_source(session)
    is_one_file = len({position.path for position in declarations}) == 1
    return declarations[0] if is_one_file else None


def _kernel_declarations(session: Session) -> Iterator[FramePosition]:
    for code_object in session.code_objects:
        if code_object.file.machine != "AMDGPU":
            continue
        for kernel in kernels(code_object.file):
            with suppress(DwarfGpuError):  # the declarations of other kernels are sufficient
                declared = declaration_at(code_object, code_object.load_address + kernel.entry)
                if declared is not None:
                    yield declared


def _last_source(session: Session) -> FramePosition | None:
    """Return the first line of the primary file of the last unit that has lines."""
    for code_object in reversed(session.code_objects):
        for unit in reversed(code_object.info.units):
            with suppress(DwarfGpuError):  # a unit before it will do
                if not unit.root.has(dw.AT_STMT_LIST):
                    continue  # nothing is kept of each of many units
                table = unit.line_table
                files = () if table is None else table.files_named(unit.name)
                if files:
                    return position_in_file(files[0], 1, is_start=True)
    return None
