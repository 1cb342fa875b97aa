"""What the names in an expression mean: variables, functions, enumerators and types.

Law: the unit at the program location is asked first; entries of other tags than those looked for
are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from attrs import evolve, frozen

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.imports import units_with_names
from dwarfgpu.dwarf.info import DebugInfo
from dwarfgpu.dwarf.lookup import is_inside
from dwarfgpu.dwarf.mentions import mentions
from dwarfgpu.dwarf.named_units import likely_units
from dwarfgpu.dwarf.scopes import BLOCKS, DATA, Subprogram, Variable, code_ranges
from dwarfgpu.dwarf.types import (
    Array,
    Enum,
    Function,
    PointerKind,
    Qualified,
    Qualifier,
    Type,
    Unspecified,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.prepare import prepare
from dwarfgpu.language.builtin import Builtins
from dwarfgpu.language.tree import Declarator, TypeName
from dwarfgpu.language.type_words import TYPE_WORDS
from dwarfgpu.session import Session

_TAGGED: Final = {
    "struct": frozenset({dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE}),
    "class": frozenset({dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE}),
    "union": frozenset({dw.TAG_UNION_TYPE}),
    "enum": frozenset({dw.TAG_ENUMERATION_TYPE}),
}
_NAMED: Final = frozenset({dw.TAG_TYPEDEF, dw.TAG_BASE_TYPE, dw.TAG_UNSPECIFIED_TYPE})
_TYPES: Final = _NAMED.union(*_TAGGED.values())
_INDEXED: Final = _TYPES | {dw.TAG_ENUMERATOR, dw.TAG_SUBPROGRAM}
_STATIC: Final = frozenset({"addr", "addrx", "GNU_addr_index"})
"""First operations of locations that depend on no frame."""
_POINTERS: Final[dict[str, PointerKind]] = {
    "*": "pointer",
    "&": "reference",
    "&&": "rvalue_reference",
}


@frozen
class Typed:
    """A type and the unit that it comes from."""

    type: Type | None
    unit: CompilationUnit | None

    @property
    def is_cplusplus(self) -> bool:
        """Whether it is spelled as in C++."""
        return is_cplusplus(self.unit)


def is_cplusplus(unit: CompilationUnit | None) -> bool:
    """Whether the unit is written in a language with the rules of C++."""
    return unit is not None and unit.is_cplusplus


@lru_cache(maxsize=10_000)
def _index(unit: CompilationUnit) -> Mapping[str, tuple[int, ...]]:
    """The types, enumerators and functions of a unit by their simple names."""
    found: dict[str, list[int]] = {}
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag in _INDEXED and dw.AT_NAME in abbreviation.positions:
            name = unit.die(index).string(dw.AT_NAME)
            found.setdefault(name or "", []).append(index)
    return {name: tuple(indices) for name, indices in found.items()}


class Names:
    """Looks up names for the focus of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.builtins = Builtins(session.architecture)

    def current_unit(self) -> CompilationUnit | None:
        """The unit at the program location; the only one where there is no location."""
        session = self.session
        try:
            code_object = session.code_object
            if code_object is None:
                return None
            pc = session.program_location
            if pc is not None:
                return code_object.scopes.unit_at(pc)
            units = [each for each in code_object.info.units if not each.header.is_type_unit]
            return units[0].full if len(units) == 1 else None
        except DwarfGpuError:
            return None

    def _units(self, name: str = "") -> Iterator[CompilationUnit]:
        """The units with names, the current one first, then those that likely have that one; those
        that cannot be found are left out."""
        current = self.current_unit()
        if current is not None:
            yield current
        for each in self.session.code_objects:
            likely = likely_units(each.info, name) if name else ()
            units = units_with_names(each.info, likely)
            yield from (unit for unit in units if unit is not current)

    def _entries(self, name: str, tags: frozenset[int]) -> Iterator[Die]:
        """The entries of a name, with `::` of a qualified one; unreadable units have none."""
        name = name.removeprefix("::")
        scopes, _, simple = name.rpartition("::")
        tests: dict[DebugInfo, Callable[[CompilationUnit], bool]] = {}
        for unit in self._units(name):
            try:
                if unit.info not in tests:
                    tests[unit.info] = mentions(unit.info, simple)
                if not tests[unit.info](unit):
                    continue
                dies = [unit.die(index) for index in _index(unit).get(simple, ())]
                dies = [die for die in dies if die.tag in tags]
                if scopes:
                    dies = [die for die in dies if self._is_within(die, scopes)]
            except DwarfGpuError:
                continue
            yield from dies

    def _is_within(self, die: Die, scopes: str) -> bool:
        """Whether an entry is in those scopes; an enumerator also in its enumeration."""
        if die.tag != dw.TAG_ENUMERATOR:
            return is_inside(die, scopes)
        enumeration = die.parent()
        assert enumeration is not None
        outer, _, last = scopes.rpartition("::")
        return is_inside(enumeration, scopes) or (
            last == enumeration.name and is_inside(enumeration, outer)
        )

    def is_type(self, name: str) -> bool:
        """Whether a name in an expression is a type: no variable hides it."""
        return self._type_entry(name, None) is not None and self.variable(name) is None

    def _type_entry(self, name: str, tag: str | None) -> Die | None:
        """The definition of a type; where there is none, a declaration."""
        declared = None
        for die in self._entries(name, _TYPES if tag is None else _TAGGED[tag]):
            if tag is None and die.tag not in _NAMED and not is_cplusplus(die.unit):
                continue
            if not die.flag(dw.AT_DECLARATION):
                return die
            declared = declared or die
        return declared

    def variable(self, name: str) -> Variable | None:
        """The variable of a name; None where there is none, or it is `function::x`.

        `::x` is the global one.
        """
        if name.startswith("::"):
            found = (each.scopes.global_named(name) for each in self.session.code_objects)
            return next((each for each in found if each is not None), None)
        try:
            return self.session.variable(name)
        except UsageError as error:
            if not error.message.startswith("No symbol"):
                raise
            return None

    def variable_in_function(self, name: str) -> Variable | None:
        """`function::x`; `UsageError` for one that only a frame of the function has."""
        function, _, simple = name.rpartition("::")
        die = self.function(function) if function else None
        if die is None:
            return None
        for found in _variables_below(die):
            if found.name == simple:
                self._require_frame(die, found)
                return found
        return None

    def _require_frame(self, die: Die, variable: Variable) -> None:
        pc = self.session.program_location
        if pc is not None and any(span.covers(pc) for span in Subprogram(die).ranges):
            return
        location = variable.location
        if isinstance(location, ExprLoc):
            unit = location.unit
            found = prepare(location.expression, unit.dialect, unit.format).instructions
            if found and found[0].operation.name in _STATIC:
                return
        raise UsageError(f"No frame is currently executing in block {die.name}.")

    def variable_in_file(self, name: str, file: str) -> Variable | Die | None:
        """A variable or function of a source file; `UsageError` where there is no such file."""
        is_known = False
        for unit in self._units():
            if not _is_file(unit.name, file):
                continue
            is_known = True
            for code_object in self.session.code_objects:
                if code_object.info is unit.info.main:
                    for found in code_object.scopes.globals_of(unit):
                        if found.name == name:
                            return found
            for die in self._entries(name, frozenset({dw.TAG_SUBPROGRAM})):
                if die.unit is unit and code_ranges(die):
                    return die
        if not is_known:
            if self.function(file) is None:
                raise UsageError(f'No file or function "{file}".')
            return self.variable_in_function(f"{file}::{name}")
        return None

    def function(self, name: str) -> Die | None:
        """The entry of a function with code."""
        for die in self._entries(name, frozenset({dw.TAG_SUBPROGRAM})):
            if code_ranges(die):
                return die
        return None

    def enumerator(self, name: str) -> tuple[Enum, int, CompilationUnit] | None:
        """An enumerator: its type and value."""
        for die in self._entries(name, frozenset({dw.TAG_ENUMERATOR})):
            above = die.parent()
            kind = None if above is None else die.unit.info.types.build(above)
            if isinstance(kind, Enum) and ("::" in name or not kind.is_scoped):
                for enumerator, value in kind.enumerators:
                    if enumerator == die.name:
                        return kind, value, die.unit
        return None

    def type_of(self, name: TypeName) -> Typed:
        """The type that is written; `UsageError` in GDB's words where there is none."""
        found = self._specified(name)
        kind = self._qualified(found.type, name.qualifiers)
        space = next((q[1:] for q in name.qualifiers if q.startswith("@")), None)
        for declarator in name.declarators:
            kind = self._derived(kind, declarator, space)
            space = None if declarator.kind in _POINTERS else space
        return Typed(kind, found.unit)

    def _specified(self, name: TypeName) -> Typed:
        words = name.words
        if name.tag is None and all(word in TYPE_WORDS for word in words):
            kind = self.builtins.named(words)
            if kind is None and words != ("void",):
                raise UsageError(f"No type named {' '.join(words)}.")
            return Typed(kind, self.current_unit())
        (simple,) = words
        die = self._type_entry(simple, name.tag)
        if die is None:
            tag = "struct" if name.tag == "class" else name.tag
            if tag is not None:
                raise UsageError(f"No {tag} type named {simple}.")
            raise UsageError(f'No symbol "{simple}" in current context.')
        return Typed(die.unit.info.types.build(die), die.unit)

    def _qualified(self, kind: Type | None, qualifiers: tuple[str, ...]) -> Type | None:
        meanings: dict[str, Qualifier] = {
            "const": "const",
            "volatile": "volatile",
            "restrict": "restrict",
            "atomic": "atomic",
        }
        for word in qualifiers:
            if word in meanings:
                kind = Qualified(meanings[word], kind)
        return kind

    def _derived(self, kind: Type | None, step: Declarator, space: str | None) -> Type:
        if step.kind == "[]":
            return array_of(kind, step.count)
        if step.kind == "()":
            parameters = tuple(self.type_of(each).type for each in step.parameters)
            return Function(kind, parameters, is_variadic=step.is_variadic)
        pointer = evolve(self.builtins.pointer(kind), kind=_POINTERS[step.kind])
        if space is not None:
            found = self.session.architecture.address_space_named(space)
            if found is None:
                raise UsageError(f'Unrecognized address space "{space}".')
            size = found.address_bits // 8
            pointer = evolve(pointer, address_space=found.number, size_bytes=size)
        derived = self._qualified(pointer, step.qualifiers)
        assert derived is not None and not isinstance(derived, Unspecified)
        return derived


def array_of(kind: Type | None, count: int | None) -> Array:
    """An array of objects; of arrays, one of a dimension more."""
    if isinstance(kind, Array) and kind.name is None and not kind.strides_bits:
        return Array(kind.element, (count, *kind.dimensions))
    return Array(kind, (count,))


def _variables_below(die: Die) -> Iterator[Variable]:
    """The variables of a function, those of its blocks included."""
    pending = [die]
    while pending:
        for child in pending.pop().children():
            if child.tag in DATA:
                name = child.name
                if name is not None:
                    is_parameter = child.tag == dw.TAG_FORMAL_PARAMETER
                    yield Variable(name, child, "parameter" if is_parameter else "local")
            elif child.tag in BLOCKS:
                pending.append(child)


def _is_file(path: str, wanted: str) -> bool:
    """Whether a path ends in the components of the one that is wanted."""
    parts, ends = PurePosixPath(path).parts, PurePosixPath(wanted).parts
    return bool(ends) and parts[-len(ends) :] == ends
