"""Names of Fortran, in which the case of letters does not matter (Fortran 2018 6.1.1)."""

from __future__ import annotations

from dwarfgpu.dwarf.names.qualified import fortran_spellings
from dwarfgpu.dwarf.scope.fortran_names import modules_in_reach
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.errors import UsageError
from dwarfgpu.language.name_rules import NameRules


class FortranNames(NameRules):
    hides_others = True

    def spelled(self, name: str) -> str:
        """Return a name in lower case if that means something, as compilers write it."""
        spellings = fortran_spellings(name)
        if spellings == (name,):
            return name
        for spelled in spellings:
            try:
                meanings = self.session.meanings(spelled)
                if meanings.of(spelled) or meanings.in_enclosing_functions(spelled) is not None:
                    return spelled
            except UsageError:
                if "::" not in spelled:
                    return spelled  # it is ambiguous
                # Otherwise a scope does not exist.
        return name if len(spellings) == 1 else spellings[-1]  # a symbol alone has it

    def written_scopes(self) -> list[tuple[str, str]]:
        """Return nothing for `m::`, where the code uses the module m."""
        return [("", f"{name}::") for name in modules_in_reach(self.session.meanings().chain)]

    def rarer_meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the namelist of a module."""
        if "::" not in name:
            return ()
        from dwarfgpu.language.fortran.namelists import of_module  # few programs have them

        return of_module(self.session, name)
