"""Printers of the vector types of HIP: `float4` is a structure in a structure in its headers."""

from __future__ import annotations

from typing import Final

from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import Child, Collection, Printed, Printer

_COMPONENTS: Final = "xyzw"


def _vector(value: Object) -> Printed:
    """Return `{x = 1, y = 2}`: its components, which are members or the elements of `data`."""
    children: list[Child] = []
    for name in _COMPONENTS:
        component = value.find(name)
        if component is None:
            break
        children.append((name, component))
    if not children or not _are_numbers(children):
        data = value["data"]
        children = [(name, data.element(n)) for n, name in enumerate(_COMPONENTS[: data.count()])]
    return Printed(None, tuple(children))


def _are_numbers(children: list[Child]) -> bool:
    """Return whether the components are numbers: older headers have accessors of no bits in the
    places of the components."""
    try:
        return all(isinstance(child, Object) and child.size_bytes and not child.bases() and
                   not child.members() for _, child in children)  # fmt: skip
    except UnexpectedLayout:
        return False


HIP: Final = Collection("HIP", (Printer("HIP_vector_type", "HIP_vector_type", _vector),))
