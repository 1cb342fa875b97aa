"""The predeclared types of Go (The Go Programming Language Specification, "Numeric types"), which a
program describes only where it uses them."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.language.builtin_types import Builtins

_INTEGER: Final = pattern(r"(?P<unsigned>u?)int(?P<bits>8|16|32|64|ptr|)")
_FLOATS: Final = {"float32": "float", "float64": "double"}
_OTHER_NAMES: Final = {"byte": "uint8", "rune": "int32"}


def go_type(builtins: Builtins, name: str) -> Base | None:
    """Return the type of a name; None for any other name."""
    name = _OTHER_NAMES.get(name, name)
    if name == "bool":
        return builtins.bool_type
    if name in _FLOATS:
        return Base(evolve(builtins.floating(_FLOATS[name]).base, name=name))
    match = _INTEGER.fullmatch(name)
    if match is None or (match["bits"] == "ptr" and not match["unsigned"]):
        return None
    size = match["bits"]
    bits = int(size) if size not in ("", "ptr") else builtins.architecture.address_bits
    encoding = "unsigned" if match["unsigned"] else "signed"
    return Base(BaseType(name, encoding, bits, builtins.endian))
