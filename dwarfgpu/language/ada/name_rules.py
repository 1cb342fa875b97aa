"""Names of Ada: `ada.names` has the packages, `ada.types` those of the package Standard."""

from __future__ import annotations

from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.ada.names import ada_spelling, nested_subprograms
from dwarfgpu.language.ada.types import ada_type
from dwarfgpu.language.name_rules import NameRules


class AdaNames(NameRules):
    hides_others = True

    def spelled(self, name: str) -> str:
        """Return a name with the packages around it, `p__x`."""
        return ada_spelling(self.session, name)

    def rarer_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the subprograms of a name that are declared in others."""
        return nested_subprograms(self.session, name)

    def predeclared(self, name: str) -> Type | None:
        """Return the type of the package Standard."""
        return ada_type(self.builtins, name) or super().predeclared(name)
