"""Names of template instances in C++ with their arguments (DWARF 5 2.23).

With `-gsimple-template-names` clang writes DW_AT_name without the arguments where the entries below
an instance determine them: `Box` for `Box<int, 3>`. GDB appends what is missing. The spelling is
that which clang writes without the option, so that one type has one name in all units.

Law: an instance with an argument that has no spelling here keeps the name in the file, as does each
one with that instance among its arguments, and each one that a unit has after its names took
`_MAX_PARTS`.
"""

from __future__ import annotations

from _thread import _local
from collections.abc import Iterator
from string import digits
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die, constant_bytes
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.unit import CompilationUnit

_OUTERMOST: Final = frozenset(
    {
        dw.TAG_COMPILE_UNIT,
        dw.TAG_LEXICAL_BLOCK,
        dw.TAG_PARTIAL_UNIT,
        dw.TAG_SKELETON_UNIT,
        dw.TAG_SUBPROGRAM,
        dw.TAG_TYPE_UNIT,
    }
)
"""Scopes that clang leaves out of names, with those around them."""
_NAMED: Final = frozenset(
    {
        dw.TAG_BASE_TYPE,
        dw.TAG_CLASS_TYPE,
        dw.TAG_ENUMERATION_TYPE,
        dw.TAG_STRUCTURE_TYPE,
        dw.TAG_TEMPLATE_ALIAS,
        dw.TAG_TYPEDEF,
        dw.TAG_UNION_TYPE,
    }
)
_POINTERS: Final = {
    dw.TAG_POINTER_TYPE: "*",
    dw.TAG_REFERENCE_TYPE: "&",
    dw.TAG_RVALUE_REFERENCE_TYPE: "&&",
}
_QUALIFIERS: Final = {dw.TAG_CONST_TYPE: "const", dw.TAG_VOLATILE_TYPE: "volatile"}
_INTEGERS: Final = {
    "short": ("(short)", ""),
    "unsigned short": ("(unsigned short)", ""),
    "int": ("", ""),
    "unsigned int": ("", "U"),
    "long": ("", "L"),
    "unsigned long": ("", "UL"),
    "long long": ("", "LL"),
    "unsigned long long": ("", "ULL"),
}
"""What precedes and follows the values of a type."""
_SUFFIXES: Final = {"float": "f", "long double": "l"}
"""What follows the numbers of a type of floating-point."""
_CHARACTERS: Final = {
    "char": "",
    "signed char": "(signed char)",
    "unsigned char": "(unsigned char)",
    "wchar_t": "L",
    "char8_t": "u8",
    "char16_t": "u",
    "char32_t": "U",
}
"""What precedes the characters of a type."""
_ESCAPES: Final = {ord(code): f"\\{code}" for code in "\\'"} | {
    value: f"\\{code}" for value, code in zip(range(7, 14), "abtnvfr", strict=True)
}
_MAX_NAME: Final = 1 << 16
"""Characters of a name; one with more keeps the name in the file."""
_MAX_NAMES: Final = 1 << 26
"""Characters of all names of a unit."""
_MAX_PARTS: Final = 1_000_000
"""Types, parameters, dimensions and scopes that are read for all names of a unit."""
_MAX_VALUE_BITS: Final = 128
"""Of an argument that is a number."""
_MAX_DEPTH: Final = 100
"""Templates inside one another."""
_MAX_CHAIN: Final = 1_000
"""Types that refer to one another, and scopes inside one another."""


class _NotSpelled(Exception):
    """An argument has no spelling."""


class _TooDeep(Exception):
    """An instance is inside too many others to be spelled with them."""

    def __init__(self, die: Die, name: str) -> None:
        super().__init__()
        self.die = die
        self.name = name


class _Pending(_local):
    """The offsets of the entries whose names a thread of Python is spelling."""

    def __init__(self) -> None:
        self.offsets: set[int] = set()


class TemplateNames:
    """The names of the template instances of one unit."""

    def __init__(self, unit: CompilationUnit) -> None:
        self._unit = unit
        self._known: dict[int, tuple[str, int]] = {}
        """The full name of an instance, and how deep templates are inside it, by its offset."""
        self._bare: set[int] = set()
        """The offsets of other entries."""
        self._pending = _Pending()
        self._characters_left, self._parts_left = _MAX_NAMES, _MAX_PARTS

    def full(self, die: Die, name: str) -> str:
        """Return the name of a class or function with its template arguments, if it has any."""
        known = self._known.get(die.offset)
        if known is None and "<" not in name and die.offset not in self._bare:
            _resolve(die, name)
            known = self._known.get(die.offset)
        return name if known is None else known[0]

    def count(self, characters: int) -> None:
        """Count a part of a name."""
        self._characters_left -= characters
        self._parts_left -= 1
        if self._characters_left < 0 or self._parts_left < 0:
            self._unit.info.main.note_bare_names(self._unit)
            raise _NotSpelled

    def keep(self, die: Die) -> None:
        """Leave the name of an instance as it is."""
        self._bare.add(die.offset)

    def spelled(self, die: Die, name: str, level: int = 0) -> tuple[str, int]:
        """Return the full name of a class or function, and how deep templates are inside it."""
        known = self._known.get(die.offset)
        if known is None:
            if die.offset in self._bare or die.offset in self._pending.offsets:
                raise _NotSpelled
            if level >= _MAX_DEPTH:
                raise _TooDeep(die, name)
            self._pending.offsets.add(die.offset)
            try:
                known = _with_arguments(die, name, level)
                if len(known[0]) > _MAX_NAME or known[1] > _MAX_DEPTH:
                    raise _NotSpelled
            except _NotSpelled:  # nor are those with this one among their arguments
                self.keep(die)
                raise
            finally:
                self._pending.offsets.remove(die.offset)
            self._known[die.offset] = known
        return known


def spelled_value(parameter: Die, text: str) -> str | None:
    """Return the argument of a parameter that is no type, which the name of its instance writes as
    a text; None of one without a spelling."""
    try:
        speller = _Speller(template_names(parameter.unit), 1)
        return speller.real(parameter, text) or speller.value(parameter)
    except _NotSpelled:
        return None


@kept_with(first)
def template_names(unit: CompilationUnit) -> TemplateNames:
    """Return the names of the instances of a unit, which are made once."""
    return TemplateNames(unit)


def _resolve(die: Die, name: str) -> None:
    """Spell an instance, after those that are too deep inside it to be reached by calls."""
    waiting = {die: name}
    while waiting:
        current = next(reversed(waiting))
        try:
            template_names(current.unit).spelled(current, waiting[current])
        except _TooDeep as inner:
            if inner.die not in waiting:
                waiting[inner.die] = inner.name
                continue
            template_names(inner.die.unit).keep(inner.die)  # it is inside itself
        except _NotSpelled:
            pass
        del waiting[current]


def _with_arguments(die: Die, name: str, level: int) -> tuple[str, int]:
    speller = _Speller(template_names(die.unit), level + 1)
    arguments: list[str] | None = None
    for parameter in die.children(dw.TEMPLATE_PARAMETERS):
        arguments = [] if arguments is None else arguments
        arguments += speller.arguments(parameter)
    if arguments is None:
        return name, 0
    text = ", ".join(arguments)
    return f"{name}<{text}{' ' if text.endswith('>') else ''}>", speller.depth + 1


class _Speller:
    """Spells the arguments of one instance."""

    def __init__(self, names: TemplateNames, level: int) -> None:
        self.names = names
        self.level = level
        """How many templates and functions this one is inside of."""
        self.depth = 0
        """How deep templates are inside the arguments."""
        self.left = _MAX_NAME

    def count(self, text: str) -> None:
        """Count the characters of a part, before there are more parts than a name may have."""
        self.left -= len(text) + 1
        self.names.count(len(text) + 1)
        if self.left < 0:
            raise _NotSpelled

    def arguments(self, parameter: Die) -> Iterator[str]:
        """Yield the argument of a parameter, or those of a pack."""
        match parameter.tag:
            case dw.TAG_GNU_TEMPLATE_PARAMETER_PACK:
                for one in parameter.children(dw.TEMPLATE_PARAMETERS - {parameter.tag}):
                    yield from self.arguments(one)
            case dw.TAG_GNU_TEMPLATE_TEMPLATE_PARAM:
                name = parameter.string(dw.AT_GNU_TEMPLATE_NAME)
                if not name:
                    raise _NotSpelled
                self.count(name)
                yield name
            case dw.TAG_TEMPLATE_TYPE_PARAMETER:
                yield self.type(parameter.reference(dw.AT_TYPE))
            case _:
                value = self.value(parameter)
                self.count(value)
                yield value

    def value(self, parameter: Die) -> str:
        kind = self.type_of(parameter)
        value = parameter.signed_integer(dw.AT_CONST_VALUE)
        if kind is None or value is None or value.bit_length() > _MAX_VALUE_BITS:
            raise _NotSpelled
        if kind.tag == dw.TAG_ENUMERATION_TYPE:
            return f"({self.name(kind)}){value}"
        name = canonical(kind.string(dw.AT_NAME) or "")  # gcc's is `long int`
        if kind.tag != dw.TAG_BASE_TYPE:
            raise _NotSpelled
        if name.startswith("unsigned") and value < 0:
            bit_size = 8 * (kind.integer(dw.AT_BYTE_SIZE) or 0)
            if not 0 < bit_size <= _MAX_VALUE_BITS:
                raise _NotSpelled
            value += 1 << bit_size
        if name == "bool":
            return "true" if value else "false"
        if name in _CHARACTERS:
            return f"{_CHARACTERS[name]}'{_character(value)}'"
        if name not in _INTEGERS:
            raise _NotSpelled
        before, after = _INTEGERS[name]
        return f"{before}{value}{after}"

    def type_of(self, parameter: Die) -> Die | None:
        """Return the type of a parameter, below typedefs and qualifiers."""
        kind = parameter.reference(dw.AT_TYPE)
        for _ in range(_MAX_CHAIN):
            if kind is None or kind.tag not in (*dw.TYPEDEFS, *_QUALIFIERS):
                break
            self.count("")
            kind = kind.reference(dw.AT_TYPE)
        return kind

    def real(self, parameter: Die, text: str) -> str | None:
        """Return a number of floating-point as demanglers write it, `(float)[40200000]`: clang and
        gcc write digits as the text, to which the type belongs where clang leaves out the value.
        None of another argument."""
        kind, attribute = self.type_of(parameter), parameter.attribute(dw.AT_CONST_VALUE)
        name = ("" if kind is None else kind.string(dw.AT_NAME)) or ""
        if attribute is None and name in _SUFFIXES and text[-1:] in digits:
            return text + _SUFFIXES[name]
        size_bytes = {"float": 4, "double": 8}.get(name)
        if size_bytes is None or attribute is None:
            return None
        data = constant_bytes(attribute, size_bytes, parameter.unit.endian)
        value = int.from_bytes(data[:size_bytes], parameter.unit.endian)
        return f"({name})[{value:0{2 * size_bytes}x}]"

    def type(self, die: Die | None) -> str:
        """Return a type: `int (ns::Box<int> *)`."""
        declarator = ""
        is_pointer = False
        qualifiers: set[str] = set()
        member: Die | None = None
        """The class, if the declarator begins with a pointer to its member."""
        for _ in range(_MAX_CHAIN):
            tag = None if die is None else die.tag
            if die is None or tag in _NAMED or tag == dw.TAG_UNSPECIFIED_TYPE:
                name = "void" if die is None else self.name(die)
                words = [word for word in _QUALIFIERS.values() if word in qualifiers]
                base = " ".join([*words, name])
                self.count(declarator)
                return base + (" " if declarator[:1] not in ("", "[") else "") + declarator
            if tag in _QUALIFIERS:
                qualifiers.add(_QUALIFIERS[die.tag])
                self.count("")
                die = die.reference(dw.AT_TYPE)
                continue
            if tag in _POINTERS or tag == dw.TAG_PTR_TO_MEMBER_TYPE:
                words = [word for word in _QUALIFIERS.values() if word in qualifiers]
                qualified = " ".join([*words, declarator] if declarator else words)
                member = die.reference(dw.AT_CONTAINING_TYPE) if tag not in _POINTERS else None
                if member is None and tag not in _POINTERS:
                    raise _NotSpelled
                mark = _POINTERS[die.tag] if member is None else f"{self.name(member)}::*"
                declarator, qualifiers, is_pointer = mark + qualified, set(), True
            elif tag == dw.TAG_ARRAY_TYPE and not die.has(dw.AT_GNU_VECTOR):
                declarator = f"({declarator})" if is_pointer else declarator
                declarator += self.dimensions(die)
                is_pointer = False
            elif tag == dw.TAG_SUBROUTINE_TYPE:
                declarator = f"({declarator})" if is_pointer else declarator
                self.level += 1
                if self.level > _MAX_DEPTH:
                    raise _NotSpelled
                declarator += self.parameters(die, is_member=member is not None)
                self.level -= 1
                is_pointer = False
                if qualifiers:
                    raise _NotSpelled
            else:
                raise _NotSpelled
            member = member if is_pointer else None
            die = die.reference(dw.AT_TYPE)
            if len(declarator) > _MAX_NAME:
                break
        raise _NotSpelled

    def parameters(self, function: Die, *, is_member: bool) -> str:
        names: list[str] = []
        suffix = ""
        for child in function.children():
            self.count("")
            if child.tag == dw.TAG_UNSPECIFIED_PARAMETERS:
                names.append("...")
            elif child.tag == dw.TAG_FORMAL_PARAMETER:
                kind = child.reference(dw.AT_TYPE)
                if is_member and not names and not suffix and child.flag(dw.AT_ARTIFICIAL):
                    suffix = _object_qualifiers(kind)
                    is_member = False
                else:
                    names.append(self.type(kind))
        for attribute, mark in ((dw.AT_REFERENCE, " &"), (dw.AT_RVALUE_REFERENCE, " &&")):
            suffix += mark if function.flag(attribute) else ""
        return f"({', '.join(names)}){suffix}"

    def dimensions(self, array: Die) -> str:
        text = ""
        for dimension in array.children((dw.TAG_SUBRANGE_TYPE,)):
            count = dimension.integer(dw.AT_COUNT)
            last = dimension.integer(dw.AT_UPPER_BOUND)
            count = last + 1 if count is None and last is not None else count
            if count is not None and count.bit_length() > _MAX_VALUE_BITS:
                raise _NotSpelled
            bounds = "[]" if count is None else f"[{count}]"
            self.count(bounds)
            text += bounds
        return text

    def name(self, die: Die) -> str:
        """Return the name of a type with the scopes around it."""
        parts: list[str] = []
        scope: Die | None = die
        for _ in range(_MAX_CHAIN):
            if scope is None or scope.tag in _OUTERMOST:
                return "::".join(reversed(parts))
            scope = scope.described
            name = scope.string(dw.AT_NAME)
            if name is None and scope.tag == dw.TAG_NAMESPACE:
                name = "(anonymous namespace)"
            elif name is None:
                raise _NotSpelled
            elif scope.tag in dw.TEMPLATE_INSTANCES and "<" not in name:
                name, depth = template_names(scope.unit).spelled(scope, name, self.level)
                self.depth = max(self.depth, depth)
            elif scope.tag == dw.TAG_UNSPECIFIED_TYPE and name == "decltype(nullptr)":
                name = "std::nullptr_t"
            self.count(name)
            parts.append(name)
            scope = scope.parent()
        raise _NotSpelled


def _object_qualifiers(this: Die | None) -> str:
    """Return the qualifiers of a member function, which are those of its object."""
    kind = None if this is None else this.reference(dw.AT_TYPE)
    words: set[str] = set()
    while kind is not None and kind.tag in _QUALIFIERS and _QUALIFIERS[kind.tag] not in words:
        words.add(_QUALIFIERS[kind.tag])
        kind = kind.reference(dw.AT_TYPE)
    return "".join(f" {word}" for word in _QUALIFIERS.values() if word in words)


def _character(value: int) -> str:
    if value < 0:
        value &= 0xFF
    if value in _ESCAPES:
        return _ESCAPES[value]
    if 32 <= value < 127:
        return chr(value)
    if value < 256:
        return f"\\x{value:02x}"
    return f"\\u{value:04x}" if value < 1 << 16 else f"\\U{value:08x}"
