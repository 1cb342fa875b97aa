"""Names of Rust: `rust.names` has the modules around the code, `rust.types` the primitive types."""

from __future__ import annotations

from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, has_tag, ordinary
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import TAGGED
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.name_rules import NameRules
from dwarfgpu.language.rust.names import rust_spelling, written_scopes
from dwarfgpu.language.rust.types import rust_type


class RustNames(NameRules):
    hides_others = True

    def spelled(self, name: str) -> str:
        """Return a name with the crate or module that `crate::`, `self::` and `super::` mean."""
        return name if self.unit is None else rust_spelling(self.session, self.unit, name)

    def written_scopes(self) -> list[tuple[str, str]]:
        """Return `crate::` and `self::` for the crate `a::` and its modules."""
        return [] if self.unit is None else written_scopes(self.session, self.unit)

    def looked_up(self, lookup: NameLookup, name: str, takes: DieFilter) -> tuple[Meaning, ...]:
        """Return what a name means: as in GDB, also a type that C has after `struct` only."""
        meanings = lookup.of(name, takes)
        if meanings or takes is not ordinary or not name.isidentifier():
            return meanings
        return lookup.of(name, has_tag(TAGGED))

    def primitive(self, name: str) -> Type | None:
        return rust_type(self.builtins, name)
