"""Names and types that a language has otherwise than C: what each language's class overrides.

Law: `Names` looks names up as C does and asks the object of the language first; only that object
knows the language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.overloads import overloaded
from dwarfgpu.dwarf.types.types import Base, Pointer, Type
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.syntax.expression_language import SourceLanguage

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session


class NameRules:
    """The names of one language in the focus of a session. This class itself has those of C and
    C++."""

    hides_others: bool = False
    """Whether a type that the language declares hides what other languages have of the name."""
    numbers_overloads: bool = False
    """Whether the file has another name for each function of a name."""
    reserves_types: bool = False
    """Whether nothing can have the name of a type that is a keyword."""

    def __init__(
        self,
        session: Session,
        unit: CompilationUnit | None,
        language: SourceLanguage,
        builtins: Builtins,
    ) -> None:
        """`unit`: that of the program location, whose language it is."""
        self.session = session
        self.unit = unit
        self.language = language
        self.builtins = builtins

    def spelled(self, name: str) -> str:
        """Return a name as the file has it; the name itself where it has none."""
        return name

    def written_scopes(self) -> list[tuple[str, str]]:
        """Return what may be written before a name in the focus, and what the file has in its
        place."""
        return []

    def rarer_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a name that is none of a scope around the program location."""
        return ()

    def doubt(self, name: str, spelled: str) -> str | None:
        """Return the note that a name may mean something else than its spelling in the file; None
        if it means nothing else."""
        return None

    def together(
        self, name: str, spelled: str, meanings: tuple[Meaning, ...]
    ) -> tuple[Meaning, ...]:
        """Return the meanings of a name as it is written, given those of its spelling in the
        file."""
        return meanings

    def overloaded(self, functions: Sequence[Die]) -> str:
        """Return the message that a name means several functions, and which."""
        return overloaded(functions)

    def looked_up(self, lookup: NameLookup, name: str, takes: DieFilter) -> tuple[Meaning, ...]:
        """Return what a lookup with a filter has for a name."""
        return lookup.of(name, takes)

    def keyword(self, name: str) -> Base | None:
        """Return the type that a keyword names, in C++ one of characters, whatever the name is in
        the code of other languages."""
        return self.builtins.wide_character(name) if self.language.is_cplusplus else None

    def primitive(self, name: str) -> Type | None:
        """Return the type of a word that is one of C, too, and that the language has otherwise."""
        return None

    def predeclared(self, name: str) -> Type | None:
        """Return the type that a name is where no code of the language declares it."""
        return self.primitive(name) or self.own_number_type(name)

    def unqualified_pointer(self, pointer: Pointer) -> Pointer:
        """Return the type of a pointer whose address space is not written."""
        return pointer

    def own_number_type(self, name: str) -> Base | None:
        """Return an integer or real type that the language has, and C has not."""
        if not self.language.has_own_arithmetic:
            return None
        # Most programs are in C or C++.
        from dwarfgpu.language.choose_number_rules import number_type

        return number_type(self.builtins, self.language, name)
