"""Names of Pascal: `pascal.names` has their letters."""

from __future__ import annotations

from dwarfgpu.language.name_rules import NameRules
from dwarfgpu.language.pascal.names import pascal_spelling


class PascalNames(NameRules):
    hides_others = True

    def spelled(self, name: str) -> str:
        """Return a name in whichever letters the nearest such name has."""
        return pascal_spelling(self.session, name)
