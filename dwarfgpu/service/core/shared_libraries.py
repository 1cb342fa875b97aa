"""The libraries that a process has loaded, in their order, those without a file included."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.core.modules import IS_NOT_USED, MissingLibrary
from dwarfgpu.objfile.companions import shown_path
from dwarfgpu.objfile.separate_debug import is_debug_file
from dwarfgpu.service.symbol.symbol_description import full_path
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core


@frozen(eq=False)
class SharedLibrary:
    """A library of a process."""

    path: str
    code_object: CodeObject | None
    """None if no file of it is used."""
    why_not_used: str | None = None
    """Why not."""

    @property
    def note(self) -> str | None:
        """The note of the core file that no file is used; None if one is."""
        why = self.why_not_used
        return None if why is None else f"{shown_path(self.path)}{IS_NOT_USED}{why}"


def shared_libraries(session: Session, core: Core | None) -> Iterator[SharedLibrary]:
    """Yield the libraries in the order in which they were loaded; for a GPU all code objects."""
    if session.architecture.is_simt:
        yield from (_with_file(session, code_object) for code_object in session.code_objects)
        return
    program = session.program
    missing = deque(() if core is None else core.missing)
    for position, code_object in enumerate(session.code_objects):
        while missing and missing[0].position <= position:
            yield _without_file(missing.popleft())
        is_of_system = code_object.name.startswith("[")
        if not is_of_system and not _is_of_program(code_object, program):
            yield _with_file(session, code_object)
    yield from map(_without_file, missing)


def _with_file(session: Session, code_object: CodeObject) -> SharedLibrary:
    return SharedLibrary(full_path(session, code_object), code_object)


def _without_file(library: MissingLibrary) -> SharedLibrary:
    return SharedLibrary(library.path, None, library.why)


def _is_of_program(code_object: CodeObject, program: CodeObject | None) -> bool:
    """Return whether it is the program, or one of them is the separate debug file of the other."""
    if program is None or code_object is program:
        return program is not None
    is_at_one_address = code_object.load_address == program.load_address
    return is_at_one_address and (is_debug_file(code_object.file) or is_debug_file(program.file))
