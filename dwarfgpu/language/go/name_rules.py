"""Names of Go: gc writes the package before them, and names a unit after its package."""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.go.types import go_type
from dwarfgpu.language.name_rules import NameRules


class GoNames(NameRules):
    hides_others = True

    def spelled(self, name: str) -> str:
        """Return a name with the package of the code, if only that has it."""
        if self.unit is None or not name.isidentifier() or self.session.meanings(name).of(name):
            return name
        packaged = f"{self.unit.name}.{name}"
        return packaged if self.session.meanings(packaged).of(packaged) else name

    def written_scopes(self) -> list[tuple[str, str]]:
        """Return nothing for `main.`, in the package main."""
        return [] if self.unit is None else [("", f"{self.unit.name}.")]

    def primitive(self, name: str) -> Type | None:
        return go_type(self.builtins, name)
