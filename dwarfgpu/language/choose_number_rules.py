"""Which class says how a language computes; each is imported where it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwarfgpu.language.syntax.expression_language import SourceLanguage

if TYPE_CHECKING:
    from dwarfgpu.dwarf.types.types import Base
    from dwarfgpu.language.builtin_types import Builtins
    from dwarfgpu.language.number_rules import NumberRules


def rules_of(language: SourceLanguage) -> type[NumberRules] | None:
    """Return the class of the arithmetic of a language; None where it is that of C."""
    if language.is_ada:
        from dwarfgpu.language.ada.number_rules import AdaRules

        return AdaRules
    if language.is_fortran:
        from dwarfgpu.language.fortran.number_rules import FortranRules

        return FortranRules
    if language.is_pascal:
        from dwarfgpu.language.pascal.number_rules import PascalRules

        return PascalRules
    if language.is_d:
        from dwarfgpu.language.d.number_rules import DRules

        return DRules
    if language.is_go:
        from dwarfgpu.language.go.number_rules import GoRules

        return GoRules
    if language.is_rust:
        from dwarfgpu.language.rust.number_rules import RustRules

        return RustRules
    return None


def number_type(builtins: Builtins, language: SourceLanguage, name: str) -> Base | None:
    """Return the number type that a name is in a language; None for another name."""
    rules = rules_of(language)
    if rules is None:
        return None
    from dwarfgpu.language.c_numbers import Numbers

    return rules(Numbers(builtins), _ignored).named(name)


def _ignored(doubt: str) -> None:
    """Take no doubt: nothing is computed."""
