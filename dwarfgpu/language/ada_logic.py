"""`not` of an array of Boolean: the array of the negated components (Ada 2012 4.5.6)."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base, Dynamic, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.ada_indexing import array_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits, concatenate


def negated_array(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the negation of an array; `UsageError` for one of other components."""
    value = array_of(objects, value)
    bare = strip(value.type)
    form = bare.form if isinstance(bare, Dynamic) else bare
    element = strip(form.element) if isinstance(form, Array) else None
    is_boolean = isinstance(element, Base) and element.base.encoding == "boolean"
    if not isinstance(form, Array) or not is_boolean or len(form.dimensions) != 1:
        raise UsageError("not of Ada is for Booleans and modular numbers.")
    if isinstance(objects, Unevaluated):
        return value
    size, endian, first = objects.known(value).size_bits, objects.context.endian, form.lower_bound
    runs = [
        objects.known(objects.element(value, (first or 0) + number))
        for number in range(form.dimensions[0] or 0)
    ]
    runs = [Bits(run.value ^ 1, run.size_bits) for run in runs]
    rest = size - sum(run.size_bits for run in runs)
    if rest:  # behind the components of a packed array
        runs.append(Bits(0, rest))
    bits = concatenate(runs, endian)
    return evolve(value, bits=bits, location=None, variable=None)
