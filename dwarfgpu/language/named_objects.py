"""Whether a word is the name of an object where the code is, as names with points ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.fortran_ada import RENAMES
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax.expression_language import SourceLanguage
from dwarfgpu.session.session import Session


class Names(Protocol):
    """What a lookup of names for a focus answers."""

    session: Session
    remarks: dict[str, None]

    @property
    def language(self) -> SourceLanguage:
        """The language of that unit."""

    @property
    def current_unit(self) -> CompilationUnit | None:
        """The unit in focus."""

    def is_name(self, name: str) -> bool:
        """Return whether a name means anything."""

    def meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a name."""

    def spelled(self, name: str) -> str:
        """Return a name as the file has it."""

    def literal(self, name: str) -> str | None:
        """Return the literal that a name is."""

    def in_enclosing_functions(self, name: str, meanings: Sequence[Meaning]) -> Variable | None:
        """Return the variable of a function around the one in focus."""


def is_object(names: Names, word: str, *, with_global: bool) -> bool:
    """Return whether a word is the name of an object, perhaps only of one that is not global."""
    try:
        meanings = names.meaning(word)
    except UsageError:
        return False
    return is_of_enclosing(names, word) or any(
        (with_global or meaning.kind != "global") and not _is_package(meaning.name)
        if isinstance(meaning, Variable)
        else meaning.tag == dw.TAG_MEMBER  # of the object of a member function
        for meaning in meanings
    )


def _is_package(name: str) -> bool:
    """Return whether the name of a variable in the file is the renaming of a package of Ada."""
    if RENAMES not in name:
        return False
    from dwarfgpu.dwarf.names.ada_renamings import renaming_of  # few variables are so

    renaming = renaming_of(name)
    return renaming is not None and renaming.is_package


def is_of_enclosing(names: Names, name: str) -> bool:
    """Return whether a function around the one in focus has an object of a name."""
    try:
        variable = names.in_enclosing_functions(names.spelled(name), ())
    except UsageError:
        return False
    return variable is not None and not _is_package(variable.name)
