"""Texts and formats that the printers of both C++ libraries share.

The texts are those of the printers that come with libstdc++, known from GDB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import Malformed, UndefinedBits, counted
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import Characters, Child, Printed, SummaryPart
from dwarfgpu.view.printers.template_names import (
    short_name,
    template_arguments,
    template_name,
    unversioned,
)

EMPTY: Final[tuple[Child, ...]] = ()


def own_name(value: Object) -> str:
    """Return `std::vector`: the name of its template, without inline version namespaces."""
    return unversioned(template_name(value.name))


def short_type(type_: Type | None, value: Object) -> str:
    """Return the name of a type, for the title of an object, as people write it; in C it has a
    keyword, and nothing is omitted, as in GDB."""
    if value.is_in_c:
        return type_name(type_)
    return short_name(type_name(type_, cplusplus=True))


def alternative_type(type_: Type | None, value: Object) -> str:
    """Return the same, but for the strings of the library, which have no arguments in C either."""
    name = type_name(type_, cplusplus=True)
    short = short_name(name)
    is_string = "<" in name and "<" not in short
    return short if is_string else short_type(type_, value)


def is_bool(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "boolean"


def is_number(value: Object) -> bool:
    return isinstance(strip(value.type), Base)


def word(value: Object) -> Base:
    """Return an unsigned number as wide as an address."""
    return Base(BaseType("unsigned long", "unsigned", 8 * value.pointer_bytes, value.endian))


def signed_word(value: Object) -> Base:
    """Return a number with a sign as wide as an address."""
    return Base(BaseType("long", "signed", 8 * value.pointer_bytes, value.endian))


def number_argument(value: Object, index: int) -> int:
    """Return a template argument that is a number; `UnexpectedLayout` if there is none."""
    arguments = template_arguments(value.name)
    try:
        return int(arguments[index].rstrip("ulUL"))
    except (IndexError, ValueError):
        raise UnexpectedLayout(f"{value.name} has no number as its argument {index}") from None


class Elements:
    """Children that have indexes as names; each can be asked for by its own."""

    def __init__(
        self,
        count: int,
        element: Callable[[int], Object],
        in_order: Callable[[], Iterator[Child]] | None = None,
    ) -> None:
        self.count = count
        self.element = element
        self._in_order = in_order
        """What yields all of them, where that takes less work than one after the other."""

    def __iter__(self) -> Iterator[Child]:
        if self._in_order is not None:
            return self._in_order()
        element = self.element
        return ((f"[{index}]", element(index)) for index in range(self.count))


def elements(first: Object, count: int) -> Elements:
    """Return consecutive objects in memory; `first` is the first."""
    size = 8 * first.size_bytes
    return Elements(count, lambda index: first.part(first.type, index * size))


def numbered(values: Iterable[Object]) -> Iterator[Child]:
    return ((f"[{index}]", value) for index, value in enumerate(values))


def with_elements(name: str, count: int) -> str:
    """Return `std::map with 3 elements`."""
    return f"{name} with {counted(count, 'element')}"


def string(first: Object, count: int) -> Printed:
    return Printed(Characters(first, count))


def check_length(length: int, capacity: int) -> None:
    """Raise `Malformed` for a string that is not constructed yet, or damaged, according to its
    length."""
    if length > capacity:
        raise Malformed(f"the length of the string, {length}, is beyond its capacity, {capacity}")


def vector(value: Object, start: Object, finish: Object, end: Object) -> Printed:
    """Return a vector from its three pointers; its elements depend on the first two alone."""
    count = _distance(start, finish, "end")
    capacity = capacity_text(lambda: _distance(start, end, "end of storage"))
    summary = f"std::vector of length {count}, capacity {capacity}"
    return Printed(summary, elements(start.target(), count), "array")


def capacity_text(capacity: Callable[[], int]) -> str:
    """Return a capacity, which optimized code may need no more: no element depends on it."""
    try:
        return str(capacity())
    except UndefinedBits:
        return "<optimized out>"


def _distance(start: Object, finish: Object, noun: str) -> int:
    """Return how many elements are between two pointers; `Malformed` where the second is the
    lower."""
    begin, end, size = start.number, finish.number, start.target().size_bytes
    if end < begin or not size:
        raise Malformed(f"the {noun} of the vector, {end:#x}, is before its begin, {begin:#x}")
    return (end - begin) // size


def bool_vector(words: Object, first_bit: int, count: int, capacity: str) -> Printed:
    """Return a `std::vector<bool>`, whose elements are bits of words."""
    if count < 0:
        raise Malformed(f"the length of the vector is {count}")
    size = 8 * words.size_bytes

    def element(index: int) -> Object:
        word, bit = divmod(first_bit + index, size)
        number = words.part(words.type, word * size).number
        return words.truth(bool(number >> bit & 1))

    summary = f"std::vector<bool> of length {count}, capacity {capacity}"
    return Printed(summary, Elements(count, element), "array")


def pair(value: Object) -> Printed:
    return Printed(None, (("first", value["first"]), ("second", value["second"])))


def bitset(value: Object, member: str) -> Printed:
    """Return the set bits of the words in a member; without one it has no bits."""
    words_member = value.find(member)
    if words_member is None:
        return Printed("std::bitset", EMPTY)
    words = words_member if is_number(words_member) else words_member.element(0)
    count = number_argument(value, 0)
    size = 8 * words.size_bytes
    # A number of Python is a `long` to GDB.
    long_type = Base(BaseType("long", "signed", 64, words.endian))

    def bits() -> Iterator[Child]:
        for index in range(-(-count // size)):
            number = words.part(words.type, index * size).number
            for bit in range(min(size, count - index * size)):
                if number >> bit & 1:
                    yield f"[{index * size + bit}]", words.of_number(1, long_type)

    return Printed("std::bitset", bits())


def linked_list(name: str, values: Iterator[Object]) -> Printed:
    """Return a list, whose length is unknown before its traversal: `empty std::list`."""
    first = next(values, None)
    if first is None:
        return Printed(f"empty {name}", EMPTY)

    def every() -> Iterator[Object]:
        yield first
        yield from values

    return Printed(name, numbered(every()))


def mapped(pairs: Iterable[tuple[Object, Object]]) -> Iterator[Child]:
    """Yield keys and values in turn."""
    for index, (key, value) in enumerate(pairs):
        yield f"[{2 * index}]", key
        yield f"[{2 * index + 1}]", value


def tuple_(values: list[Object]) -> Printed:
    if not values:
        return Printed("empty std::tuple", EMPTY)
    children = ((f"[{index}]", value) for index, value in enumerate(values, 1))
    return Printed("std::tuple containing", children)


def optional(title: str, value: Object | None) -> Printed:
    if value is None:
        return Printed(f"{title} [no contained value]", EMPTY)
    children = (("[contained value]", value),)
    return Printed(title, children, wrapped=value, lead=f"{title} containing ")


def any_(value: Object, manager: str, inside: Mapping[str, Object]) -> Printed:
    """Print a `std::any`, whose member `manager` is a function of a class that has the type.

    `inside`: the names of such classes, and where they keep the object.
    """
    title, function = own_name(value), value[manager].number
    if not function:
        return optional(title, None)
    holder = None if value.class_of_method is None else value.class_of_method(function)
    storage = inside.get(unversioned(template_name(type_name(holder, cplusplus=True))))
    if storage is None:
        raise UnexpectedLayout("its manager function belongs to no known class")
    storage = storage.cast(storage.cast(holder).template_type(0))
    children = (("[contained value]", storage),)
    lead = f"{title} containing "
    summary = f"{lead}{alternative_type(storage.type, value)}"
    return Printed(summary, children, wrapped=storage, lead=lead)


def variant(title: str, index: int, value: Object | None) -> Printed:
    if value is None:
        return Printed(f"{title} [no contained value]", EMPTY, "array")
    title = f"{title} [index {index}]"
    children = (("[contained value]", value),)
    return Printed(title, children, "array", wrapped=value, lead=f"{title} containing ")


def shared(title: str, pointer: Object, owners: tuple[int, int] | None) -> Printed:
    """Print a `std::shared_ptr` or `std::weak_ptr`; `owners`: the numbers of owners of each
    kind."""
    if owners is None:
        state = "empty"
    elif not owners[0]:
        state = f"expired, weak count {owners[1]}"
    else:
        state = f"use count {owners[0]}, weak count {owners[1]}"
    return Printed(f"{title} ({state})", (("get()", pointer),))


def adapter(value: Object) -> Printed:
    """Print a `std::stack`, `std::queue` or `std::priority_queue` as the container that it
    wraps."""
    inner = value["c"]
    title = f"{own_name(value)} wrapping: "
    return Printed(title, (("c", inner),), wrapped=inner, lead=title)


def atomic(value: Object, inner: Object) -> Printed:
    kind = value.template_type(0)
    parts: tuple[SummaryPart, ...] = (
        f"{own_name(value)}<{short_type(kind, value)}> = {{ ",
        inner,
        " }",
    )
    return Printed(parts)


def sequence(noun: str, first: Object, count: int) -> Printed:
    """Return `std::span of length 3`."""
    if count < 0:
        raise Malformed(f"the length of the {noun} is {count}")
    return Printed(f"{noun} of length {count}", elements(first, count), "array")


def pointed(value: Object, pointer: Object, container: str) -> Printed:
    """Return an iterator as what it points to."""
    if not pointer.number:
        return Printed(f"non-dereferenceable iterator for {container}")
    return Printed(pointer.target())


def bit_pointed(pointer: Object, mask: int) -> Printed:
    """Return whether a bit of the word that a pointer leads to is set."""
    word_of_bit = pointer.target()
    return Printed(word_of_bit.truth(word_of_bit.number & mask != 0))


def bit_iterator(pointer: Object, offset: int) -> Printed:
    """Return an iterator of a vector of `bool` as the bit that it points to."""
    if not pointer.number:
        return Printed("non-dereferenceable iterator for std::vector<bool>")
    return bit_pointed(pointer, 1 << offset)


def bit_reference(container: str, pointer: Object, mask: Object) -> Printed:
    """Return what refers to a bit of a container as that bit."""
    if not pointer.number:
        return Printed(f"invalid {container}::reference")
    return bit_pointed(pointer, mask.number)
