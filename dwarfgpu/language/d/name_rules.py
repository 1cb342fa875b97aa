"""Names of D: `d.types` has the types of keywords, `d.static_members` what gdc calls members."""

from __future__ import annotations

from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.types.types import Base, Type
from dwarfgpu.language.d.static_members import of_module_itself, static_member
from dwarfgpu.language.d.types import keyword_type, object_type
from dwarfgpu.language.name_rules import NameRules


class DNames(NameRules):
    hides_others = True
    reserves_types = True
    accepts = staticmethod(of_module_itself)

    def rarer_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the static member `S::made`."""
        return static_member(self.session, name) if "::" in name else ()

    def keyword(self, name: str) -> Base | None:
        return keyword_type(self.builtins, name)

    def predeclared(self, name: str) -> Type | None:
        """Return the type of a keyword or of the module `object`."""
        return keyword_type(self.builtins, name) or object_type(self.builtins, name)
