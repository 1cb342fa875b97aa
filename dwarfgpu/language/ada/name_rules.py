"""Names of Ada, as `dwarfgpu.language.name_rules` asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.meaning import Meaning, is_function
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.ada.names import (
    ada_spelling,
    is_of_file,
    nested_subprograms,
    overloaded_in_ada,
    overloads,
)
from dwarfgpu.language.ada.spellings import STANDARD
from dwarfgpu.language.ada.subprograms_around import of_package_body
from dwarfgpu.language.ada.types import ada_type
from dwarfgpu.language.name_rules import NameRules


class AdaNames(NameRules):
    hides_others = True
    numbers_overloads = True

    def spelled(self, name: str) -> str:
        """Return a name with the packages around it, `p__x`."""
        return ada_spelling(self.session, name)

    def doubt(self, name: str, spelled: str) -> str | None:
        """Return the note that the code may be in the body of a package, which has the name."""
        return of_package_body(self.session, name, spelled)

    def together(
        self, name: str, spelled: str, meanings: tuple[Meaning, ...]
    ) -> tuple[Meaning, ...]:
        """Return a subprogram and its overloads, but for a name that the file has, `p__x__2`."""
        if is_of_file(name, spelled) or not meanings or not all(map(is_function, meanings)):
            return meanings
        return overloads(self.session, spelled) or meanings

    def overloaded(self, functions: Sequence[Die]) -> str:
        """Return the message that a name means several subprograms."""
        are_of_ada = all(function.unit.style == "ada" for function in functions)
        return overloaded_in_ada(functions) if are_of_ada else super().overloaded(functions)

    def rarer_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the subprograms of a name that are declared in others."""
        return nested_subprograms(self.session, name)

    def predeclared(self, name: str) -> Type | None:
        """Return the type of the package Standard."""
        simple = name.lower().replace(".", "__").removeprefix(STANDARD).removeprefix("::")
        return ada_type(self.builtins, simple) or super().predeclared(name)
