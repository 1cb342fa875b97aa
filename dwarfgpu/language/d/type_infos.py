"""The tables of objects of D: `TypeInfo_Class` and `Interface` of the module `object`, which say
what an object is (spec/abi, "Classes", "Interfaces").

Law: they are searched in the order of druntime (`_d_isbaseof2`), so that an object with several
parts of an interface gives the one that the program gets.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.declarations import around, module_around
from dwarfgpu.dwarf.types.types import Struct
from dwarfgpu.errors import EvaluationError, LimitExceeded, Unsupported, UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.value_text import read_memory

OBJECT: Final = "object.Object"
"""The class from which every class of D is derived."""
_NAME: Final = 4
"""The members of `TypeInfo_Class`, in words from its beginning: an array has its length first."""
_INTERFACES: Final = 8
_BASE: Final = 10
_INTERFACE_WORDS: Final = 4
"""The words of an `Interface`; its offset is the last one."""
_CLASSES: Final = (dw.TAG_CLASS_TYPE, dw.TAG_INTERFACE_TYPE, dw.TAG_STRUCTURE_TYPE)
_MOST_OF_NAME: Final = 10_000
_MOST: Final = 10_000
"""Maximum number of tables that a search reads."""
_DEEPEST: Final = 100
"""Maximum number of interfaces that name one another."""


@frozen
class Name:
    """The name of a class as its `TypeInfo_Class` has it."""

    spelled: str
    is_certain: bool
    """Whether no other name may be that of the class: DWARF describes the arguments of templates
    and the functions around a class with less."""

    def may_be(self, other: str) -> bool:
        """Return whether the class of a table may have it."""
        return self.spelled == other or (
            not self.is_certain and self.spelled.rpartition(".")[2] == other.rpartition(".")[2]
        )

    def is_of(self, other: str) -> bool:
        """Return whether the class of a table has it; `Unsupported` if that is unknown."""
        if self.spelled != other and self.may_be(other):
            raise Unsupported(f"whether {self.spelled} is {other}, which the object is, is unknown")
        return self.spelled == other


def class_name(struct_type: Struct) -> Name:
    """Return the name of a class: that of an instance of a template is in the template."""
    die = struct_type.die
    own = (struct_type.name or "").rpartition("::")[2]
    if die is None:
        return Name(own, is_certain=False)
    scopes = [scope for scope in around(die) if scope.name and scope.parent() is not None]
    module = module_around(die)
    is_certain = module in scopes and "!" not in own
    if module is not None and module not in scopes:
        scopes.append(module)
    words = [own]
    for scope in scopes:
        words.insert(0, scope.name or "")
        is_plain = scope.tag in (dw.TAG_MODULE, *_CLASSES) and "!" not in words[0]
        is_certain = is_certain and is_plain
    steps = [f"{word}.{word.partition('!')[0]}" if "!" in word else word for word in words]
    return Name(".".join(steps), is_certain)


@frozen
class Part:
    """What a reference leads to: an object, or its part for an interface."""

    whole: int
    """The address of the object."""
    infos: tuple[int, ...]
    """The `TypeInfo_Class` of its class, of the base class of that, and so on."""
    interface: int = 0
    """That of the interface that the part is; 0 for an object."""


class TypeInfos:
    """The tables that one evaluation reads."""

    def __init__(self, objects: ObjectAccess, word: int) -> None:
        self._objects = objects
        self._size = word
        self._left = _MOST

    def object(self, address: int) -> Part:
        """Return the object of a class; `UsageError` if there is none."""
        table = self._word(address, 0)
        with _as_no_table("a class"):
            infos = (*self._chain(self._word(table, 0)),)
            if infos and self.name(infos[-1]) == OBJECT:
                return Part(address, infos)
        raise _no_table("a class")

    def object_of_interface(self, address: int) -> Part:
        """Return the object that has a part for an interface; `UsageError` if there is none."""
        table = self._word(address, 0)
        with _as_no_table("an interface"):
            own, distance = self._interface(self._word(table, 0))
            part = self.object(address - distance)
            for interface, offset in chain.from_iterable(map(self._interfaces, part.infos)):
                if offset == distance and self.name(interface) == self.name(own):
                    return evolve(part, interface=interface)
        raise _no_table("an interface")

    def beginning(self, info: int, wanted: Name) -> int | None:
        """Return the interface of a name among one and those that it begins with; None for none."""
        uncertain = []
        while info:
            name = self.name(info)
            if name == wanted.spelled:
                return info
            if wanted.may_be(name):
                uncertain.append(info)
            first = next(self._interfaces(info), None)
            info = 0 if first is None else first[0]
        return uncertain[0] if len(uncertain) == 1 else None

    def offsets(self, info: int, wanted: Name, depth: int = 0) -> Iterator[int]:
        """Yield where an object of a class, or a part for an interface, is one of a class or an
        interface; `depth`: of interfaces in one another."""
        if depth > _DEEPEST:
            raise LimitExceeded(f"more than {_DEEPEST} interfaces of D are in one another")
        for current in self._chain(info):
            if wanted.is_of(self.name(current)):
                yield 0
                return
            for interface, offset in self._interfaces(current):
                for inner in self.offsets(interface, wanted, depth + 1):
                    yield offset + inner

    def name(self, info: int) -> str:
        length = min(self._word(info, _NAME), _MOST_OF_NAME)
        data = self._read(self._word(info, _NAME + 1), length) if length else b""
        return data.decode(errors="replace")

    def _chain(self, info: int) -> Iterator[int]:
        """Yield the table of a class, of its base class, and so on."""
        while info:
            yield info
            info = self._word(info, _BASE)

    def _interfaces(self, info: int) -> Iterator[tuple[int, int]]:
        """Yield the tables of the interfaces that a class or an interface names, and where the
        parts for them are."""
        first = self._word(info, _INTERFACES + 1)
        for number in range(self._word(info, _INTERFACES)):
            yield self._interface(first + number * _INTERFACE_WORDS * self._size)

    def _interface(self, entry: int) -> tuple[int, int]:
        return self._word(entry, 0), self._word(entry, _INTERFACE_WORDS - 1)

    def _word(self, address: int, number: int) -> int:
        data = self._read(address + number * self._size, self._size)
        return int.from_bytes(data, self._objects.architecture.endian)

    def _read(self, address: int, size_bytes: int) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise LimitExceeded(f"more than {_MOST} parts of the tables of an object")
        return read_memory(self._objects, address % (1 << 8 * self._size), 0, size_bytes)


@contextmanager
def _as_no_table(kind: str) -> Iterator[None]:
    """Say of what cannot be read that it is no table."""
    try:
        yield
    except EvaluationError as error:
        raise _no_table(kind) from error


def _no_table(kind: str) -> UsageError:
    return UsageError(f"no table of {kind} of D is there")
