"""Types in full, as GDB's `ptype` prints them.

Of structures without a name inside one another only the first is in full, as in GDB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C, AsInCplusplus, Style
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.type_names import (
    enumerator_scope,
    full_name,
    this_qualifiers,
    type_name,
)
from dwarfgpu.dwarf.types.class_parts import Access, Method, VariantPart
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    declared_name,
    strip,
    unqualified,
    without_typedefs,
)
from dwarfgpu.errors import IllFormed
from dwarfgpu.view.definition_bounds import MAX_CHARACTERS, MAX_MEMBERS
from dwarfgpu.view.fortran_ada_types import definition
from dwarfgpu.view.local_names import LocalNames

_DEEPEST: Final = 40
"""Maximum number of structures whose members are shown inside one another."""


def type_text(
    type_: Type | None,
    *,
    cplusplus: AsInCplusplus = False,
    style: Style = "c",
    has_methods: bool = True,
    has_typedefs: bool = True,
    is_raw: bool = False,
) -> str:
    """Yield `struct s {…} *`: the type without typedefs, with the members of its structures.

    `style`: in Fortran's or Ada's words. `cplusplus`: as GDB does in C++, with access, member
    functions and typedefs, unless disabled. `is_raw`: template arguments and typedefs of a class
    are not used inside it. `IllFormed` for a cycle of typedefs; members beyond `MAX_MEMBERS`
    or `MAX_CHARACTERS` are `...`.
    """
    if style not in WITH_TYPES_OF_C:
        return definition(type_, style)
    text_maker = Definition(
        cplusplus, has_methods=has_methods, has_typedefs=has_typedefs, is_raw=is_raw
    )
    return text_maker.text(type_, 1, 0, LocalNames())


def declaration(
    type_: Type | None,
    name: str,
    *,
    cplusplus: AsInCplusplus = False,
    has_unnamed_bodies: bool = False,
) -> str:
    """Return `int (*fn)(int)`: the declaration of an object with the type.

    `has_unnamed_bodies`: a structure or enumeration without a name is shown with its members.
    """
    levels = 0 if has_unnamed_bodies else -1
    return Definition(cplusplus).declared(type_, name, levels, 0, LocalNames())


class Definition:
    """The text of one type; `members_left` and `characters_left` bound it."""

    def __init__(
        self,
        cplusplus: AsInCplusplus,
        *,
        has_methods: bool = True,
        has_typedefs: bool = True,
        is_raw: bool = False,
        structure: Callable[[Struct, int, int, LocalNames], Iterator[str]] | None = None,
    ) -> None:
        self.cplusplus = cplusplus
        self.has_methods = has_methods
        self.has_typedefs = has_typedefs
        self.is_raw = is_raw
        self._lines_of = structure or self._structure
        """Yields a structure with its members, of the same arguments as `_structure`."""
        self.members_left = MAX_MEMBERS
        self.characters_left = MAX_CHARACTERS
        self._begun: list[Struct] = []
        """The structures whose bodies are being shown, one in the other."""

    def text(
        self,
        type_: Type | None,
        levels: int,
        indent: int,
        names: LocalNames,
        declared: str = "",
    ) -> str:
        """Return the type, with the bodies of its structures.

        `declared`: the name of an object of the type. `levels`: how many structures in one another
        are shown; at 1 named ones are, too, and typedefs are looked through.
        """

        def shown_inside(part: Type | None) -> str | Type | None:
            local = names.of(part)
            if local is not None:
                return local
            if not isinstance(part, Struct | Enum | Typedef) or not part.name:
                return part
            if self.cplusplus:
                return names.spelled(part)
            return self._in_c(part, names) if names.names else part

        def shown_as(part: Type | None) -> str | Type | None:
            if isinstance(part, Typedef) and levels > 0:
                return without_typedefs(part)
            if isinstance(part, Pointer | Array) and levels > 0:
                return without_own_name(part)
            if isinstance(part, Base) and part.flags and levels > 0:
                return _flags(part)
            is_local = names.of(part) is not None and part is unqualified(type_)
            is_named = is_local or declared_name(part) is not None
            is_body = levels > 0 or (levels == 0 and not is_named)
            is_begun = any(part is structure for structure in self._begun)
            is_body = is_body and not is_begun and len(self._begun) < _DEEPEST
            if not is_body or not isinstance(part, Struct | Enum):
                return shown_inside(part) if levels <= 0 else part
            if isinstance(part, Enum):
                return self._enumeration(part)
            self._begun.append(part)
            text = "\n".join(self._lines_of(part, levels, indent, names))
            self._begun.pop()
            return text

        text = type_name(
            type_,
            cplusplus=self.cplusplus,
            shown_as=shown_as,
            shown_inside=shown_inside,
            declared=declared,
        )
        self.characters_left -= len(text)
        return text

    def _in_c(self, part: Struct | Enum | Typedef, names: LocalNames) -> str:
        """Return `class Box<T>`: as in C++, after the keyword."""
        name = names.spelled(part)
        if isinstance(part, Typedef):
            return name
        return f"{part.kind if isinstance(part, Struct) else 'enum'} {name}"

    def declared(
        self, type_: Type | None, name: str, levels: int, indent: int, names: LocalNames
    ) -> str:
        """Return the declaration of a name."""
        return self.text(type_, levels, indent, names, name)

    def _structure(
        self, struct_type: Struct, levels: int, indent: int, names: LocalNames
    ) -> Iterator[str]:
        declared = struct_type.declared
        inner, local = self.names_inside(struct_type, names)
        yield self.title(struct_type, names, inner)
        margin = " " * (indent + 4)
        if struct_type.is_declaration:  # as GDB: what the unit happens to mention is not the class
            yield margin + "<incomplete type>"
            yield " " * indent + "}"
            return
        fields = listed_members(struct_type)
        if not (struct_type.members or fields or declared.methods or declared.typedefs):
            yield margin + "<no data fields>"
        labels = Labels(" " * (indent + 2))
        is_labelled = needs_labels(struct_type)
        for field in fields:
            if field.is_artificial or self.is_too_much():
                continue
            if is_labelled:
                yield from labels.before(field.access)
            yield f"{margin}{self.member(field, levels - 1, indent + 4, local)};"
        yield from self.functions_and_typedefs(struct_type, levels, margin, labels, inner, local)
        if self.members_left < 0:
            yield f"{margin}..."
        yield " " * indent + "}"

    def functions_and_typedefs(
        self,
        struct_type: Struct,
        levels: int,
        margin: str,
        labels: Labels,
        inner: LocalNames,
        local: LocalNames,
    ) -> Iterator[str]:
        """Yield what is after the members of a class, as far as it is shown."""
        declared = struct_type.declared
        # Those that the compiler made count as the first of their name, as in GDB.
        methods = [method for method in _grouped(declared.methods) if not method.is_artificial]
        methods = methods if self.has_methods else []
        typedefs = declared.typedefs if self.has_typedefs else ()
        if methods and labels.current is not None:
            yield ""
        for method in methods:
            if self.is_too_much():
                break
            yield from labels.before(method.access)
            yield f"{margin}{self._method(struct_type, method, local)};"
        if typedefs and (listed_members(struct_type) or struct_type.members or declared.methods):
            yield ""
        is_labelled = bool(typedefs) and needs_labels(struct_type)
        for nested in typedefs:
            if self.is_too_much():
                break
            if is_labelled:
                yield from labels.before(nested.access)
            target, name = nested.type.target, nested.type.name
            yield f"{margin}typedef {self.declared(target, name, levels - 1, len(margin), inner)};"

    def is_too_much(self) -> bool:
        """Count one more member, and return whether there are more than are shown."""
        if self.characters_left < 0:
            self.members_left = 0
        self.members_left -= 1
        return self.members_left < 0

    def names_inside(self, struct_type: Struct, names: LocalNames) -> tuple[LocalNames, LocalNames]:
        """Return the names of types in the title and in the body of a class."""
        if self.is_raw:
            return names, names
        inner = names.with_parameters(struct_type.declared.template_types)
        return inner, inner.with_typedefs(struct_type)

    def title(self, struct_type: Struct, outer: LocalNames, inner: LocalNames) -> str:
        """Return `class Box<int> [with T = int] : public Base {`."""
        title = struct_type.kind + (f" {outer.spelled(struct_type)}" if struct_type.name else "")
        parameters = () if self.is_raw else struct_type.declared.template_types
        if parameters:
            parts = (
                f"{parameter.name} = {self.text(parameter.type, -1, 0, outer)}"
                for parameter in parameters
            )
            title += f" [with {', '.join(parts)}]"
        bases: list[str] = []
        for member in struct_type.members:
            if member.is_base_class:
                base = member.type  # clang keeps the typedef that the source names
                if not isinstance(base, Typedef):
                    base = strip(base)
                if isinstance(base, Struct | Typedef) and base.name:
                    name = inner.of(base) or inner.spelled(base)
                else:
                    name = type_name(base, cplusplus=True)
                virtual = " virtual" if member.is_virtual else ""
                bases.append(f"{member.access}{virtual} {name}")
        return f"{title}{' : ' + ', '.join(bases) if bases else ''} {{"

    def member(self, member: Member, levels: int, indent: int, names: LocalNames) -> str:
        if member.name is None:
            text = self.text(member.type, levels, indent, names)
        else:
            text = self.declared(member.type, member.name, levels, indent, names)
        return f"{'static ' if member.is_static else ''}{text}{_width(member)}"

    def _method(self, struct_type: Struct, method: Method, names: LocalNames) -> str:
        """Return `virtual int area(int) const`."""
        prefix = "virtual " if method.slot is not None else "" if method.has_this else "static "
        if not _is_without_result(struct_type, method):
            prefix += self.text(method.type.result, -1, 0, names) + " "
        parameters = [self.text(parameter, 0, 0, names) for parameter in method.written]
        if method.type.is_variadic:
            parameters.append("...")
        if not parameters and self.cplusplus is True:
            parameters = ["void"]
        name = canonical(method.name, is_shown=True)
        return f"{prefix}{name}({', '.join(parameters)}){this_qualifiers(method)}"

    def _enumeration(self, kind: Enum) -> str:
        shown: list[str] = []
        following, scope = 0, enumerator_scope(kind)
        for name, value in kind.enumerators:
            if self.is_too_much():
                shown.append("...")
                break
            full = scope + name
            self.characters_left -= len(full)
            shown.append(full if value == following else f"{full} = {value}")
            following = value + 1
        title = "enum class" if kind.is_scoped else "enum"
        if kind.name:
            title += f" {full_name(kind)}"
        if self.cplusplus is True and kind.underlying is not None:
            title += f" : {kind.underlying.name}"
        return f"{title} {{{', '.join(shown)}}}"


def _flags(kind: Base) -> str:
    """Return `flag i386_eflags {...}`: a register that is made of flags."""
    lines = [f"flag {kind.name} {{"]
    for flag in kind.flags:
        word = "bool" if flag.size_bits == 1 else f"uint{kind.base.bit_size}_t"
        word = f"enum {{{', '.join(flag.values)}}}" if flag.values else word
        last = f"-{flag.first_bit + flag.size_bits - 1}" if flag.size_bits > 1 else ""
        name = f" {flag.name}" if flag.name else ""
        lines.append(f"    {word}{name} @{flag.first_bit}{last};")
    return "\n".join([*lines, "}"])


def _width(member: Member) -> str:
    """Return ` : 3` of a bit-field; empty for any other member."""
    try:
        size = member.declared_bit_size
        return "" if size is None else f" : {size}"
    except IllFormed as error:
        return f" : <error: {error.message}>"


class Labels:
    """`public:` and others, where the access changes."""

    def __init__(self, margin: str) -> None:
        self.margin = margin
        self.current: Access | None = None

    def before(self, access: Access) -> Iterator[str]:
        if access != self.current:
            self.current = access
            yield f"{self.margin}{access}:"


def listed_members(struct_type: Struct) -> list[Member]:
    """Return the members except base classes, and those of every variant, as GDB lists them; and
    the bit-fields between them that have no bits, as the source declares them."""
    members = [member for member in struct_type.members if not member.is_base_class]
    entries = {member.entry for member in members}
    for member in _of_variants(struct_type.declared.variant_parts):
        if (
            member.entry is None or member.entry not in entries
        ):  # a discriminant of Ada is a member besides the part
            entries.add(member.entry)
            members.append(member)
    separators = struct_type.declared.separators
    if separators:
        members = sorted([*members, *separators], key=lambda member: member.entry or 0)
    return members


def _of_variants(parts: tuple[VariantPart, ...]) -> Iterator[Member]:
    for part in parts:
        if part.discriminant is not None:
            yield part.discriminant
        for variant in part.variants:
            yield from variant.members
            yield from _of_variants(variant.parts)


def without_own_name(derived: Pointer | Array) -> Type:
    """Return a pointer or an array that has a name, as `*main.T` of Go, as one that is spelled by
    what it is derived from; of a function value of Go, which leads to a closure, the function.

    One that is derived from itself, as `type P *P` of Go is, keeps its name.
    """
    if derived.own_name is None or _is_derived_from_itself(derived):
        return derived
    target = derived.target if isinstance(derived, Pointer) else None
    if isinstance(target, Pointer) and target.own_name is None:
        function = target.target
        if isinstance(function, Function):
            return evolve(function, own_name=None)
    return evolve(derived, own_name=None)


def _is_derived_from_itself(derived: Pointer | Array) -> bool:
    part: Type | None = derived
    for _ in range(MAX_CHAIN):
        match part:
            case Pointer() | MemberPointer() | Typedef() | Qualified():
                part = part.target
            case Array():
                part = part.element
            case Function():
                part = part.result
            case Dynamic() | Absent():
                part = part.form
            case _:
                return False
        if part is derived:
            return True
    return False


def needs_labels(struct_type: Struct) -> bool:
    """Return whether anything has not the access that all have without a word."""
    declared = struct_type.declared
    accesses: list[Access] = [
        "private" if member.is_artificial else member.access
        for member in listed_members(struct_type)
    ]
    accesses += [method.access for method in declared.methods]
    accesses += [typedef.access for typedef in declared.typedefs]
    usual: Access = "private" if struct_type.kind == "class" else "public"
    return any(access != usual for access in accesses)


def _grouped(methods: Sequence[Method]) -> list[Method]:
    """Return the functions, those of one name together, where the first of them is."""
    groups: dict[str, list[Method]] = {}
    for method in methods:
        groups.setdefault(method.name, []).append(method)
    return [member for group in groups.values() for member in group]


def _is_without_result(struct_type: Struct, method: Method) -> bool:
    """Return whether it is a constructor, a destructor or a conversion."""
    name, own = method.name, struct_type.name or ""
    # A constructor that is a template may have the arguments of the class in its name, too.
    if name.startswith("~") or name in (own, own.partition("<")[0]):
        return True
    after = name.removeprefix("operator")
    if after == name or not after.startswith(" "):
        return False
    return after.split()[:1] not in (["new"], ["delete"], ["new[]"], ["delete[]"])
