"""The intrinsic types of Fortran by kind, as GDB names them: `integer*8`, `complex*4`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.float_format import X87_EXTENDED
from dwarfgpu.dwarf.types.types import Array, Base, Type
from dwarfgpu.errors import UsageError
from dwarfgpu.language.builtin_types import Builtins

_KINDS: Final = {
    "integer": (1, 2, 4, 8, 16),
    "logical": (1, 2, 4, 8, 16),
    "real": (4, 8, 10, 16),
    "complex": (4, 8, 10, 16),
    "character": (1,),
}
_DEFAULTS: Final = {"integer": 4, "logical": 4, "real": 4, "complex": 4, "character": 1}
_ENCODINGS: Final = {
    "integer": "signed",
    "logical": "boolean",
    "real": "float",
    "complex": "complex_float",
    "character": "unsigned_char",
}


EXTENDED_KIND: Final = 10
"""The kind of the x87 extended format, whatever room it takes."""


def default_name(family: str) -> str:
    """Return the name of a type without a kind: `integer*4`."""
    return family if family == "character" else f"{family}*{_DEFAULTS[family]}"


def intrinsic_type(builtins: Builtins, family: str, kind: int | None = None) -> Base:
    """Return `integer`, `logical`, `real`, `complex` or `character` of a kind.

    `UsageError` with GDB's wording for a kind that the type has not.
    """
    if kind is None:
        kind = _DEFAULTS[family]
    extended = builtins.floating("long double").base
    is_extended = kind == EXTENDED_KIND
    if kind not in _KINDS[family] or is_extended and extended.float_format != X87_EXTENDED:
        raise UsageError(f"unsupported kind {kind} for type {default_name(family)}")
    name = family if family == "character" else f"{family}*{kind}"
    form = float_format(f"real(kind={kind})", 8 * kind) if family in ("real", "complex") else None
    bits = 8 * kind
    if is_extended:
        form, bits = extended.float_format, extended.bit_size
    bits *= 2 if family == "complex" else 1
    encoding = _ENCODINGS[family]
    return Base(BaseType(name, encoding, bits, builtins.endian, float_format=form))


def written_type(builtins: Builtins, word: str) -> Type:
    """Return the type of a word that `fortran_type_at` makes: `integer*8`, `character*5`."""
    family, _, number = word.partition("*")
    if family == "character":
        kind = intrinsic_type(builtins, family)
        return Array(kind, (int(number),), lower_bounds=(1,)) if number else kind
    return intrinsic_type(builtins, family, int(number) if number else None)
