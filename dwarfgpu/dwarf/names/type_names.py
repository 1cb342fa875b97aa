"""Type names as C spells them and GDB prints them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, assert_never

from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C, AsInCplusplus, Style
from dwarfgpu.dwarf.names.cxx import canonical, parsed
from dwarfgpu.dwarf.names.fortran_ada import ada_name, fortran_name
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.types.class_parts import Method
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Qualified,
    Qualifier,
    Struct,
    Type,
    Typedef,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError


def type_name(
    type_: Type | None,
    *,
    cplusplus: AsInCplusplus = False,
    style: Style = "c",
    shown_as: TypeSpelling | None = None,
    shown_inside: TypeSpelling | None = None,
    declared: str = "",
) -> str:
    """Return the type in C syntax, as GDB prints it: `struct s *`, `char (*)[4]`, `void (*)(int)`.

    `declared`: the name of an object, to declare it: `char (*lines)[4]`.
    `style`: in Fortran's or Ada's words instead. `cplusplus`: structures are named without their
    tag. `shown_as` gives the words for a type, or another type in its place; `shown_inside` does so
    for parameters and the classes of members.
    Never raises: a type that refers to itself by no name ends in `...`, one that refers to what
    cannot be read is `<error: …>`.
    """
    if style not in WITH_TYPES_OF_C:
        return fortran_name(type_) if style == "fortran" else ada_name(type_)
    try:
        return _Speller(cplusplus, shown_inside).spelled(type_, shown_as, declared)
    except DwarfGpuError as error:
        return f"<error: {error.kind}: {error}>"


def full_name(kind: Struct | Enum | Typedef, replaced: Mapping[str, str] | None = None) -> str:
    """Return a name with the enclosing namespaces and classes: `ns::Box<char const*>`.

    `replaced`: what types in it are shown as.
    """
    name = kind.name or ""
    if "<" not in kind.scope + name:
        return kind.scope + name
    return canonical_in(kind.scope, name, replaced)


def enumerator_scope(kind: Enum) -> str:
    """Return what is before the names of enumerators: `ns::` of `ns::red`, `ns::Box<int>::Scoped::`
    of an enumeration with a scope."""
    joint = "." if kind.scope.endswith(".") else "::"  # of D
    scope = f"{kind.scope}{kind.name}{joint}" if kind.is_scoped and kind.name else kind.scope
    if "<" not in scope or joint == ".":
        return scope
    return canonical_in("", scope[:-2]) + "::"


def canonical_in(scope: str, name: str, replaced: Mapping[str, str] | None = None) -> str:
    """Return a name in a scope (`ns::Box<int>::`) as `canonical` shows it.

    As in GDB, a class around a name that cannot be parsed, such as an instance for a lambda, has
    its canonical form.
    """
    whole, rest = scope + name, ""
    for _ in range(_NAME_SCOPES):
        read = parsed(whole, replaced, is_shown=True)
        outer, last = split_last(whole) if read is None else ("", "")
        if not outer:
            return (whole if read is None else read) + rest
        whole, rest = outer, f"::{last}{rest}"
    return whole + rest


def this_qualifiers(method: Method) -> str:
    """Return ` const volatile`: the qualifiers of a member function."""
    if not method.has_this:
        return ""
    pointer = strip(method.type.parameters[0])
    inner = pointer.target if isinstance(pointer, Pointer) else None
    names: set[str] = set()
    while isinstance(inner, Qualified) and inner.qualifier not in names:
        names.add(inner.qualifier)
        inner = inner.target
    return "".join(f" {word}" for word in ("const", "volatile") if word in names)


def method_name(container: Type | None, method: Method) -> str:
    """Return `Point::scaled(int) const &`."""
    parameters = method.written
    names = [type_name(parameter, cplusplus=True) for parameter in parameters[:_NAME_PARTS]]
    if method.type.is_variadic or len(parameters) > _NAME_PARTS:
        names.append("...")
    where = type_name(container, cplusplus=True)
    name = canonical(method.name, is_shown=True)
    behind = f"{this_qualifiers(method)} {method.reference}".rstrip()
    return f"{where}::{name}({', '.join(names)}){behind}"


TypeSpelling: TypeAlias = Callable[[Type | None], str | Type | None]
"""The words for a type, or the type that is spelled in its place: itself, as usual."""
_NAME_PARTS: Final = 100
"""Types in one name; those beyond it are `...`."""
_NAME_SCOPES: Final = 40
"""Scopes around a name that cannot be parsed; those around these are shown as they are written."""
_NAME_DIMENSIONS: Final = 32


class _Speller:
    """Spells one name; `parts_left` bounds its length and the depth of the recursion."""

    def __init__(self, cplusplus: AsInCplusplus, shown_inside: TypeSpelling | None) -> None:
        self.cplusplus = cplusplus
        self.shown_inside = shown_inside
        self.parts_left = _NAME_PARTS

    def spelled(self, type_: Type | None, shown_as: TypeSpelling | None, declared: str = "") -> str:
        """Build a declarator from the name outwards: `*` to the left, `[3]` and `(…)` right.

        A blank follows the qualifiers of a pointer before a name and another pointer, as in GDB:
        `* const *`, `* const (*)[3]`, `* const[3]`. A typedef that is looked through ends that.
        """
        declarator = declared
        needs_blank = bool(declared)
        qualifiers: set[Qualifier] = set()
        leaf: str | None = None
        after_pointer = is_dynamic = is_inside = False
        while self.parts_left > 0:
            self.parts_left -= 1
            if isinstance(type_, Qualified):
                qualifiers.add(type_.qualifier)
                type_ = type_.target
                continue
            shown: str | Type | None = type_
            if shown_as is not None and not (is_inside and _is_derived(type_)):
                shown = shown_as(type_)  # as in GDB, inside another type only one with a name
            if isinstance(shown, str):
                leaf = shown
                break
            if shown is not type_:
                if isinstance(type_, Typedef):
                    self.parts_left += 1  # it has no part in the text; its target is no typedef
                type_, needs_blank = shown, needs_blank and bool(qualifiers)
                continue
            if isinstance(type_, MemberPointer) or (
                isinstance(type_, Pointer) and type_.own_name is None
            ):
                if qualifiers:
                    words = self.words(qualifiers)
                    space = " " if needs_blank else ""
                    declarator = f" {words}{space}{declarator}"
                    qualifiers = set()
                declarator = self.pointer_mark(type_) + declarator
                needs_blank = isinstance(type_, MemberPointer) or type_.kind == "pointer"
                type_, after_pointer, is_inside = type_.target, True, True
                continue
            if isinstance(type_, Dynamic | Absent):
                is_dynamic = isinstance(type_, Dynamic)
                type_ = type_.form
                continue
            if not _is_derived(type_):
                break
            declarator = f"({declarator})" if after_pointer else declarator
            after_pointer, is_inside = False, True
            if isinstance(type_, Array):  # a qualified array is one of qualified elements: C 6.7.3
                declarator = _array_mark(type_, declarator, "variable length" if is_dynamic else "")
                type_, is_dynamic = type_.element, False
            elif isinstance(type_, Function):
                declarator += self.parameters(type_)
                type_, needs_blank = type_.result, False
        else:  # what it would go on with is left out; the name of a typedef is not that
            shown = type_ if shown_as is None or _is_derived(type_) else shown_as(type_)
            if shown is not type_:
                leaf = shown if isinstance(shown, str) else "..."
        if leaf is None:
            leaf = "..." if _is_derived(type_) else _leaf(type_, self.cplusplus)
        return " ".join(part for part in (self.words(qualifiers), leaf, declarator) if part)

    def words(self, qualifiers: set[Qualifier]) -> str:
        """Return the words in GDB's order."""
        words: dict[Qualifier, str] = {
            "const": "const",
            "volatile": "volatile",
            "restrict": "__restrict__" if self.cplusplus is True else "restrict",
            "atomic": "_Atomic",
            "immutable": "immutable",
            "packed": "packed",
            "shared": "shared",
        }
        return " ".join(word for qualifier, word in words.items() if qualifier in qualifiers)

    def pointer_mark(self, kind: Pointer | MemberPointer) -> str:
        if isinstance(kind, MemberPointer):
            outside, self.cplusplus = self.cplusplus, self.cplusplus or "names"  # it has no tag
            name = self.spelled(kind.container, self.shown_inside)
            self.cplusplus = outside
            return f"{name}::*"
        return {"pointer": "*", "reference": "&", "rvalue_reference": "&&"}[kind.kind]

    def parameters(self, kind: Function) -> str:
        names: list[str] = []
        parameters = kind.parameters
        for parameter in parameters:
            if self.parts_left <= 0:
                break
            names.append(self.spelled(parameter, self.shown_inside))
        if kind.is_variadic or len(names) < len(parameters):
            names.append("...")
        if not names and (kind.is_prototyped or self.cplusplus is True):
            names.append("void")
        return f"({', '.join(names)})"


def _is_derived(type_: Type | None) -> bool:
    """Return whether the spelling of the type is that of another one plus a mark."""
    if isinstance(type_, Pointer | Array | Function):
        return type_.own_name is None
    return isinstance(type_, MemberPointer)


def _array_mark(array_type: Array, declarator: str, unknown: str) -> str:
    shown = array_type.dimensions[:_NAME_DIMENSIONS]
    counts = [
        unknown if count is None else str(count) if count < 1 << 64 else "..." for count in shown
    ]
    if len(shown) < len(array_type.dimensions):
        counts.append("...")
    if array_type.is_vector:
        mark = f"__attribute__ ((vector_size({', '.join(counts)})))"
        return f"{declarator} {mark}" if declarator else mark
    return declarator + "".join(f"[{count}]" for count in counts)


def _leaf(type_: Type | None, cplusplus: AsInCplusplus) -> str:
    match type_:
        case None:
            return "void"
        case Struct() | Enum():
            tag = "enum" if isinstance(type_, Enum) else type_.kind
            if type_.name is None:
                return f"{tag} {{...}}"
            name = full_name(type_)
            return name if cplusplus else f"{tag} {name}"
        case Typedef():
            return full_name(type_)
        case Base() | Unspecified():
            return type_.name
        case Pointer() | Array() | Function():
            return type_.own_name or "..."
        case MemberPointer() | Qualified() | Dynamic() | Absent():
            return "..."
        case other:
            assert_never(other)
