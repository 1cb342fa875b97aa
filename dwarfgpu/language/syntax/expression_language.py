"""The language of an expression, which is that of the unit in focus.

Law: what several languages have in common is a property here; what one language does otherwise is
in its own modules.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw

if TYPE_CHECKING:
    from dwarfgpu.dwarf.unit import CompilationUnit

_TRUTHS: Final = frozenset({"true", "false"})
_DESCRIBED: Final = {
    dw.LANG_GO: frozenset({"string", "error", "complex64", "complex128"}),
    dw.LANG_RUST: frozenset({"str"}),
    dw.LANG_PASCAL83: frozenset(
        {"integer", "string", "shortstring", "ansistring", "unicodestring", "widestring"}
        | {"boolean", "real", "pointer", "text", "variant", "pchar"}
    ),
}


@frozen
class SourceLanguage:
    """A language, or a family whose standards expressions do not tell apart."""

    code: int | None
    """DW_LANG; None without a unit in focus, where expressions are those of C."""
    is_cplusplus: bool
    """Whether it is C++, or C++ for OpenCL."""
    is_opencl: bool
    is_fortran: bool
    is_ada: bool
    is_pascal: bool
    is_d: bool
    is_go: bool
    is_rust: bool
    is_caseless: bool
    """Whether `N` and `n` are one name."""
    has_functional_casts: bool
    """Whether `type(x)` converts an operand."""
    has_increments: bool
    """Whether `--x` and `x++` change the object; elsewhere they are two signs."""
    has_own_arithmetic: bool
    """Whether it does not compute as C does."""
    described_types: frozenset[str]
    """The types that it has, and that are known only where a program describes them."""
    literals: frozenset[str]
    """The words that are values; in small letters where case means nothing."""

    @property
    def has_counted_strings(self) -> bool:
        """Whether a string literal has no NUL at its end."""
        return self.has_own_words

    @property
    def has_own_words(self) -> bool:
        """Whether operators, numbers or characters are not written as in C."""
        return self.is_caseless or self.is_d or self.is_go or self.is_rust

    @property
    def has_dotted_names(self) -> bool:
        """Whether points are between names and packages or modules."""
        return self.is_ada or self.is_d or self.is_go

    @property
    def no_imaginary(self) -> str:
        """The message for `1.5i` where expressions have no such numbers; empty where they have."""
        if self.is_go:
            return (
                "Imaginary numbers of Go are not supported in expressions; the parts of a complex"
                " number z are $_creal(z) and $_cimag(z)."
            )
        is_without = self.is_caseless or self.is_rust
        return "Imaginary numbers such as 1.5i are those of C." if is_without else ""

    @property
    def has_whole_arrays(self) -> bool:
        """Whether arrays have bounds and do not become pointers, besides those of Fortran and Ada,
        which the operators know."""
        return self.code in dw.WITH_WHOLE_ARRAYS

    def is_kin(self, other: SourceLanguage) -> bool:
        """Return whether another language is this one, in whichever of its standards."""
        return self.code == other.code or any(
            own and its
            for own, its in (
                (self.is_cplusplus, other.is_cplusplus),
                (self.is_fortran, other.is_fortran),
                (self.is_ada, other.is_ada),
            )
        )

    @property
    def has_own_operators(self) -> bool:
        """Whether some operators are not those of C."""
        return self.is_opencl or self.has_own_arithmetic


@lru_cache(maxsize=32)
def source_language(code: int | None) -> SourceLanguage:
    """Return the language of a DW_LANG code."""
    is_cplusplus, is_fortran, is_ada = code in dw.CPLUSPLUS, code in dw.FORTRAN, code in dw.ADA
    is_pascal, is_rust = code == dw.LANG_PASCAL83, code == dw.LANG_RUST
    literals = _TRUTHS if is_cplusplus or is_ada or is_pascal or is_rust else frozenset()
    own = {dw.LANG_D: _TRUTHS | {"null"}, dw.LANG_GO: _TRUTHS | {"nil"}}
    return SourceLanguage(
        code,
        is_cplusplus,
        code in dw.OPENCL,
        is_fortran,
        is_ada,
        is_pascal,
        code == dw.LANG_D,
        code == dw.LANG_GO,
        is_rust,
        is_fortran or is_ada or is_pascal,
        is_cplusplus or is_pascal or code == dw.LANG_GO,
        not (is_fortran or is_ada or is_pascal or is_rust),
        code in dw.OWN_ARITHMETIC,
        frozenset() if code is None else _DESCRIBED.get(code, frozenset()),
        literals if code is None else own.get(code, literals),
    )


def language_of(unit: CompilationUnit | None) -> SourceLanguage:
    """Return the language of a unit; without one, that of C. A unit of C++ that may be of OpenCL
    has the operators and names of OpenCL besides its own."""
    if unit is None:
        return source_language(None)
    may_be_opencl = unit.is_cplusplus and unit.is_opencl is not False
    return source_language(dw.LANG_CPP_FOR_OPENCL if may_be_opencl else unit.language)
