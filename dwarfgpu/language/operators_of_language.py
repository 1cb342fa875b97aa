"""Which class has the operators of a language; each is imported where it is needed."""

from __future__ import annotations

from dwarfgpu.language.own_operators import OwnOperators
from dwarfgpu.language.syntax.expression_language import SourceLanguage


def operators_of(language: SourceLanguage) -> type[OwnOperators]:
    """Return the class of the operators of a language."""
    if language.is_ada:
        from dwarfgpu.language.ada_operators import OperatorsOfAda

        return OperatorsOfAda
    if language.is_fortran:
        from dwarfgpu.language.fortran_operators import OperatorsOfFortran

        return OperatorsOfFortran
    if language.is_pascal:
        from dwarfgpu.language.pascal_operators import OperatorsOfPascal

        return OperatorsOfPascal
    if language.is_d:
        from dwarfgpu.language.d_operators import OperatorsOfD

        return OperatorsOfD
    if language.is_go:
        from dwarfgpu.language.go_operators import OperatorsOfGo

        return OperatorsOfGo
    if language.is_rust:
        from dwarfgpu.language.rust_operators import OperatorsOfRust

        return OperatorsOfRust
    if language.is_opencl:
        from dwarfgpu.language.opencl_operators import OperatorsOfOpenCL

        return OperatorsOfOpenCL
    return OwnOperators
