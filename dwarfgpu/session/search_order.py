"""In which order the files of a process are searched for a name.

Law: it is that in which they were loaded, as in GDB and dynamic linkers, for the program and what
was loaded with it. A file that was loaded later, such as a plugin, has a scope of its own
(dlopen(3), RTLD_LOCAL): names in its code mean its own definitions, whatever files before it
define.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.needed_libraries import library_name, needed_libraries

_MAX_KEPT: Final = 16
"""Sets of loaded files whose order is kept."""


@kept_with(lambda _, here: here.file, _MAX_KEPT)
def search_order(code_objects: tuple[CodeObject, ...], here: CodeObject) -> tuple[CodeObject, ...]:
    """Return the files in the order in which they are searched for a name in the code of one.

    `code_objects`: as loaded, the program first. Where it is missing, the first one is a library
    that was loaded with it.
    """
    with_program = _with_needed(code_objects[0], code_objects)
    if here in with_program:
        return code_objects
    own = [item for item in _with_needed(here, code_objects) if item not in with_program]
    return tuple(dict.fromkeys((*own, *code_objects)))


def _with_needed(start: CodeObject, code_objects: Sequence[CodeObject]) -> dict[CodeObject, None]:
    """Return a file and the libraries that it needs, nearer ones first. Of those with one name, the
    one that was loaded first is meant: others are copies in other namespaces (dlmopen(3))."""
    by_name: dict[str, CodeObject] = {}
    for code_object in code_objects:
        by_name.setdefault(library_name(code_object.file), code_object)
    files, reached = {start: None}, [start]
    for code_object in reached:  # which grows
        for name in needed_libraries(code_object.file):
            needed = by_name.get(name)
            if needed is not None and needed not in files:
                files[needed] = None
                reached.append(needed)
    return files
