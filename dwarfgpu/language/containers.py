"""Access container elements and pointer targets without calling the container's operators.

The printers know where they are; GDB has Python functions for the same operators (the xmethods of
libstdc++).
"""

from __future__ import annotations

from functools import partial
from itertools import islice

from dwarfgpu.dwarf.scope.class_of_method import class_of_method
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.class_operators import has_method, method_named
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.value import TypedValue
from dwarfgpu.language.value_text import read_memory
from dwarfgpu.model.object import Bits
from dwarfgpu.view.object_printer import address_of
from dwarfgpu.view.printer_text import printed_of
from dwarfgpu.view.printers.common import is_bool
from dwarfgpu.view.printers.object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import Characters
from dwarfgpu.view.printers.standard import STANDARD


def element_of(objects: ObjectAccess, container: TypedValue, index: int) -> TypedValue | None:
    """Return `container[index]` of a vector, a deque, a string or a `std::array`; None for other
    types.

    `UsageError` if there is no such element.
    """
    value = _object(objects, container, "operator[]")
    try:
        element = None if value is None else _element(value, index)
    except UnexpectedLayout:
        return None
    return None if element is None else _typed(objects, container, element)


def element_type(container: Struct) -> Type | None:
    """Return the type of the elements according to the operator of a standard container; None for
    other classes."""
    method = method_named(container, "operator[]")
    reference = None if method is None else strip(method.type.result)
    if not isinstance(reference, Pointer) or reference.kind != "reference":
        return None
    return strip(reference.target) if container.scope.startswith("std::") else None


def pointee_of(objects: ObjectAccess, pointer: TypedValue, operator: str) -> TypedValue | None:
    """Return the object to which a smart pointer of the library points; None for anything else."""
    value = _object(objects, pointer, f"operator{operator}")
    try:
        printed = None if value is None else printed_of(STANDARD.of, value)
        children = () if printed is None or printed.children is None else printed.children
        name, contents = next(iter(children), ("", ""))
        if name != "get()" or not isinstance(contents, Object):
            return None
        return _typed(objects, pointer, contents.target())
    except UnexpectedLayout:
        return None


def _object(objects: ObjectAccess, value: TypedValue, operator: str) -> Object | None:
    """Return an object in memory whose class has the operator."""
    kind = strip(value.type)
    if not isinstance(kind, Struct) or not has_method(kind, operator):
        return None
    address = address_of(value.location)
    if address is None:
        return None
    objects = ObjectAccess(objects.session)  # `whatis` also reads what locates the element
    architecture = objects.architecture
    pointer_bytes = architecture.address_space(0).address_bits // 8
    read = partial(read_memory, objects)
    return Object(
        value.type, architecture.endian, pointer_bytes, read, address=address,
        class_of_method=partial(class_of_method, objects.session.code_objects),
    )  # fmt: skip


def _element(container: Object, index: int) -> Object | None:
    printed = printed_of(STANDARD.of, container)
    if printed is None:  # `std::array` needs no printer
        elements = container["_M_elems"] if container.find("_M_elems") else container["__elems_"]
        _check(index, elements.count())
        return elements.element(index)
    if isinstance(printed.summary, Characters):
        _check(index, printed.summary.count + 1)  # with the NUL
        first = printed.summary.first
        return first.part(first.type, 8 * index * first.size_bytes)
    if printed.children is None or printed.form != "array":
        return None
    _check(index, None)
    child = next(islice(printed.children, index, None), None)
    if child is None:
        raise UsageError(f"The container has no element {index}.")
    return child[1] if isinstance(child[1], Object) else None


def _check(index: int, count: int | None) -> None:
    if index < 0 or (count is not None and index >= count):
        raise UsageError(f"The container has no element {index}.")


def _typed(objects: ObjectAccess, whole: TypedValue, part: Object) -> TypedValue | None:
    if part.address is None:
        is_bit = is_bool(part.type)  # of a `std::vector<bool>`
        return TypedValue(part.type, bits=Bits(part.number, 8), unit=whole.unit) if is_bit else None
    location = objects.at(objects.architecture.address_space(0), part.address)
    return TypedValue(part.type, location, unit=whole.unit)
