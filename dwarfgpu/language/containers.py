"""Access container elements and pointer targets without calling the container's operators.

The printers know where they are; GDB has Python functions for the same operators (the xmethods of
libstdc++).
"""

from __future__ import annotations

from functools import partial

from dwarfgpu.dwarf.names.type_names import this_qualifiers
from dwarfgpu.dwarf.scope.class_of_method import class_of_method
from dwarfgpu.dwarf.types.types import Pointer, Qualified, Struct, Type, strip, without_typedefs
from dwarfgpu.errors import UsageError
from dwarfgpu.language.class_operators import has_method, methods_named
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import read_memory
from dwarfgpu.model.object import Bits
from dwarfgpu.view.object_bits import ObjectBytes
from dwarfgpu.view.object_printer import address_of
from dwarfgpu.view.printer_text import printed_of
from dwarfgpu.view.printers.common import Elements, is_bool
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import Characters
from dwarfgpu.view.printers.standard import STANDARD


def element_of(objects: ObjectAccess, container: TypedValue, index: int) -> TypedValue | None:
    """Return `container[index]` of a vector, a deque, a string, a `std::array` or a smart pointer
    to an array, whose length is unknown; None for other types.

    `UsageError` if there is no such element, `UndefinedBits` if the container is optimized out.
    """
    value = _object(objects, container, "operator[]")
    try:
        element = None if value is None else _element(value, index)
    except UnexpectedLayout:
        return None
    return None if element is None else _typed(objects, container, element)


def operand_type(type_: Type | None, operator: str) -> Type | None:
    """Return the type of an element or a target according to the operator `[]`, `*` or `->` of a
    class of the standard library; None for other types."""
    struct_type = strip(type_)
    if not isinstance(struct_type, Struct) or not struct_type.scope.startswith("std::"):
        return None
    methods = methods_named(struct_type, f"operator{operator}")
    is_const = isinstance(type_, Qualified) and type_.qualifier == "const"
    overloads = [method for method in methods if ("const" in this_qualifiers(method)) is is_const]
    result = next((strip(method.type.result) for method in (*overloads, *methods)), None)
    kind = "pointer" if operator == "->" else "reference"
    if not isinstance(result, Pointer) or result.kind != kind:
        return None
    return without_typedefs(result.target)


def pointee_of(objects: ObjectAccess, pointer: TypedValue, operator: str) -> TypedValue | None:
    """Return the object to which a smart pointer of the library points; None for anything else.

    `UndefinedBits` if the smart pointer is optimized out.
    """
    value = _object(objects, pointer, f"operator{operator}")
    try:
        contents = None if value is None else _pointer(value)
        if contents is None:
            return None
        target = contents.target()
        return _typed(objects, pointer, target.cast(without_typedefs(target.type)))
    except UnexpectedLayout:
        return None


def _pointer(value: Object) -> Object | None:
    """Return the pointer that a smart pointer has, for which its owners need not be known."""
    printer = STANDARD.of(kind) if isinstance(kind := strip(value.type), Struct) else None
    pointer = None if printer is None else value.find("_M_ptr", "__ptr_")
    if pointer is not None and isinstance(strip(pointer.type), Pointer):
        return pointer
    printed = printed_of(STANDARD.of, value)
    children = () if printed is None or printed.children is None else printed.children
    name, contents = next(iter(children), ("", ""))
    return contents if name == "get()" and isinstance(contents, Object) else None


def _object(objects: ObjectAccess, value: TypedValue, operator: str) -> Object | None:
    """Return an object whose class has the operator."""
    kind = strip(value.type)
    if not isinstance(kind, Struct) or not has_method(kind, operator):
        return None
    objects = ObjectAccess(objects.session)  # `whatis` also reads what locates the element
    architecture = objects.architecture
    address, contents = address_of(value.location), None
    if address is None:
        read = objects.read(value)
        if read.error is not None:
            raise read.error
        contents = None if read.bits is None else ObjectBytes.of(read.bits, architecture.endian)
        if contents is None:
            return None
    pointer_bytes = architecture.address_space(0).address_bits // 8
    read_target = partial(read_memory, objects)
    return Object(
        value.type, architecture.endian, pointer_bytes, read_target, contents, address=address,
        class_of_method=partial(class_of_method, objects.session.loaded_objects()),
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
        pointer = _pointer(container)
        return None if pointer is None else _behind(pointer, index)
    if not isinstance(printed.children, Elements):
        raise UnexpectedLayout("its elements have no indexes")
    _check(index, printed.children.count)
    return printed.children.element(index)


def _behind(pointer: Object, index: int) -> Object:
    """Return `pointer[index]`."""
    first = pointer.target()
    bare = first.cast(without_typedefs(first.type))
    return bare.at(pointer.number + index * bare.size_bytes, bare.type)


def _check(index: int, count: int | None) -> None:
    if index < 0 or (count is not None and index >= count):
        raise UsageError(f"The container has no element {index}.")


def _typed(objects: ObjectAccess, whole: TypedValue, part: Object) -> TypedValue | None:
    if part.address is None and is_bool(part.type):  # of a `std::vector<bool>`
        return TypedValue(part.type, bits=Bits(part.number, 8), unit=whole.unit)
    if part.address is None:
        contents, first_bit = part.contents()
        bits = contents.bits(first_bit, 8 * part.size_bytes)
        return TypedValue(part.type, bits=bits, unit=whole.unit)
    location = objects.at(objects.architecture.address_space(0), part.address)
    return TypedValue(part.type, location, unit=whole.unit)
