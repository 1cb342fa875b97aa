"""Which class has the operators of a language; each is imported where it is needed."""

from __future__ import annotations

from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax.expression_language import SourceLanguage


def operators_of(language: SourceLanguage) -> type[LanguageOperators]:
    """Return the class of the operators of a language."""
    if language.is_ada:
        from dwarfgpu.language.ada.operators import AdaOperators

        return AdaOperators
    if language.is_fortran:
        from dwarfgpu.language.fortran.operators import FortranOperators

        return FortranOperators
    if language.is_pascal:
        from dwarfgpu.language.pascal.operators import PascalOperators

        return PascalOperators
    if language.is_d:
        from dwarfgpu.language.d.operators import DOperators

        return DOperators
    if language.is_go:
        from dwarfgpu.language.go.operators import GoOperators

        return GoOperators
    if language.is_rust:
        from dwarfgpu.language.rust.operators import RustOperators

        return RustOperators
    if language.is_opencl:
        from dwarfgpu.language.opencl.operators import OpenCLOperators

        return OpenCLOperators
    return LanguageOperators
