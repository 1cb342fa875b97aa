"""Printers of the vector types of HIP: `float4` is a structure in a structure in its headers."""

from __future__ import annotations

from typing import Final

from dwarfgpu.view.printers.model import Child, Collection, Printed, Printer
from dwarfgpu.view.printers.object import Object, Unfit

_COMPONENTS: Final = "xyzw"


def _vector(value: Object) -> Printed:
    """`{x = 1, y = 2}`: its components, which are members or the elements of `data`."""
    found: list[Child] = []
    for name in _COMPONENTS:
        component = value.find(name)
        if component is None:
            break
        found.append((name, component))
    if not found or not _are_numbers(found):
        data = value["data"]
        found = [(name, data.element(n)) for n, name in enumerate(_COMPONENTS[: data.count()])]
    return Printed(None, tuple(found))


def _are_numbers(found: list[Child]) -> bool:
    """Older headers have accessors of no bits in the places of the components."""
    try:
        return all(isinstance(each, Object) and each.size_bytes and not each.bases() and
                   not each.members() for _, each in found)  # fmt: skip
    except Unfit:
        return False


HIP: Final = Collection("HIP", (Printer("HIP_vector_type", "HIP_vector_type", _vector),))
