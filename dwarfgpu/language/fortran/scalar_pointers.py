"""Scalar pointers of Fortran: as an operand, a pointer is its target (Fortran 2018 9.5.2, 10.1.2).

Law: only an object that is a pointer is its target; `&x` is an address, as in GDB.
"""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.types import Base, Dynamic, Pointer, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated


def target_of(arithmetic: Arithmetic, value: TypedValue) -> TypedValue:
    """Return the target of a pointer to an intrinsic type, any other value as it is; `UsageError`
    for a pointer that is not associated."""
    bare = strip(value.type)
    if not isinstance(bare, Pointer) or value.location is None or value.convenience is not None:
        return value
    target = strip(bare.target)
    form = target.form if isinstance(target, Dynamic) else target
    if not isinstance(form, Base) and not is_string(form):
        return value
    if not isinstance(arithmetic.objects, Unevaluated) and not arithmetic.truth(value):
        raise UsageError("The pointer is not associated, as associated(p) says.")
    return arithmetic.objects.dereferenced(value)
