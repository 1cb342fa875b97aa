"""Character and string literals, with their types in C, C++, Ada, Go and Rust (C 6.4.4.4, 6.4.5;
Ada 2012 3.5.2, 4.2; The Rust Reference, "Tokens")."""

from __future__ import annotations

from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Array, Type
from dwarfgpu.errors import NotUnderstood
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.words import BYTE
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits, concatenate


def text(
    names: Names, numbers: Numbers, node: ast.Character | ast.String, *, cplusplus: bool
) -> TypedValue:
    """Return the value of a literal; a string of C ends in a NUL."""
    kind = _character_type(names, node, cplusplus=cplusplus)
    size = 8 * (size_bytes(kind) or 1)
    codes = (node.code,) if isinstance(node, ast.Character) else (*node.codes, 0)
    if isinstance(node, ast.String) and node.is_counted:
        codes = node.codes
    runs = [Bits(code & (1 << size) - 1, size) for code in codes]
    bits = concatenate(runs, numbers.endian)
    if isinstance(node, ast.String):
        # Ada 2012 4.2, Fortran 2018 9.4.1, ISO 7185 6.1.7
        lower_bounds = (1,) if names.language.is_caseless else ()
        array = Array(kind, (len(codes),), is_value=node.is_counted, lower_bounds=lower_bounds)
        return TypedValue(array, bits=bits)
    is_int = not node.prefix and not cplusplus and not names.language.is_ada  # C 6.4.4.4p10
    return TypedValue(kind, bits=bits, constant_type=names.builtins.int_type if is_int else None)


def _character_type(names: Names, node: ast.Character | ast.String, *, cplusplus: bool) -> Type:
    builtins, prefix = names.builtins, node.prefix
    if names.language.is_go and isinstance(node, ast.String):
        from dwarfgpu.language.go.types import go_type  # few programs

        byte = go_type(builtins, "byte")
        assert byte is not None
        return byte
    if names.language.is_rust:
        from dwarfgpu.language.rust import types as rust_types  # few programs

        if isinstance(node, ast.String):
            of_text, of_bytes = rust_types.text_type, rust_types.byte_type
            return of_bytes(builtins) if prefix == BYTE else of_text(builtins)
        if prefix == BYTE:
            return names.type_of(ast.TypeName((rust_types.BYTE,))).type or builtins.char_type
    if names.language.is_ada and not prefix:
        from dwarfgpu.language.ada.types import ada_type  # few programs

        return ada_type(builtins, "character") or builtins.char_type
    if prefix == "L":
        if not names.is_type("wchar_t"):
            if cplusplus:  # a type of the language
                return builtins.wchar_type
            raise NotUnderstood("No type named wchar_t.")
        kind = names.type_of(ast.TypeName(("wchar_t",))).type
        assert kind is not None
        return kind
    if prefix == "U" and names.language.is_rust:
        return builtins.rust_char_type
    if prefix:
        two, four = ("wchar", "dchar") if names.language.is_d else ("char16_t", "char32_t")
        return builtins.wide(two if prefix == "u" else four)
    return builtins.char_type
