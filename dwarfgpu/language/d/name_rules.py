"""Names of D: `d.types` has the types of keywords, `d.static_members` the static variables."""

from __future__ import annotations

from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.types.types import Base, Type
from dwarfgpu.language.d.static_members import looked_up
from dwarfgpu.language.d.types import keyword_type, object_type
from dwarfgpu.language.name_rules import NameRules


class DNames(NameRules):
    hides_others = True
    reserves_types = True

    def looked_up(self, lookup: NameLookup, name: str, takes: DieFilter) -> tuple[Meaning, ...]:
        """Return what a name means, a static variable of a class or function where it means that;
        `UsageError` for one that no entry describes."""
        return looked_up(self.session, lookup, name, takes)

    def keyword(self, name: str) -> Base | None:
        return keyword_type(self.builtins, name)

    def predeclared(self, name: str) -> Type | None:
        """Return the type of a keyword or of the module `object`."""
        return keyword_type(self.builtins, name) or object_type(self.builtins, name)
