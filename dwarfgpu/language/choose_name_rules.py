"""Which class has the names of a language; each is imported where it is needed."""

from __future__ import annotations

from functools import lru_cache

from dwarfgpu.language.name_rules import NameRules
from dwarfgpu.language.syntax.expression_language import SourceLanguage


@lru_cache(maxsize=32)
def name_rules_of(language: SourceLanguage) -> type[NameRules]:
    """Return the class of the names of a language."""
    if language.is_ada:
        from dwarfgpu.language.ada.name_rules import AdaNames

        return AdaNames
    if language.is_fortran:
        from dwarfgpu.language.fortran.name_rules import FortranNames

        return FortranNames
    if language.is_pascal:
        from dwarfgpu.language.pascal.name_rules import PascalNames

        return PascalNames
    if language.is_d:
        from dwarfgpu.language.d.name_rules import DNames

        return DNames
    if language.is_go:
        from dwarfgpu.language.go.name_rules import GoNames

        return GoNames
    if language.is_rust:
        from dwarfgpu.language.rust.name_rules import RustNames

        return RustNames
    if language.is_opencl:
        from dwarfgpu.language.opencl.name_rules import OpenCLNames

        return OpenCLNames
    return NameRules
