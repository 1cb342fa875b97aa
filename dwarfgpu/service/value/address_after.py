"""Find the address behind an object, where `x` continues after `print` has shown it."""

from __future__ import annotations

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.dwarf.types.type_sizes import spacing_bits
from dwarfgpu.dwarf.types.types import Function, strip
from dwarfgpu.language import TypedValue
from dwarfgpu.language.typed_value import is_in_register
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.storage import Memory


def address_after(value: TypedValue) -> tuple[AddressSpace, int] | None:
    """Return the address of the first byte behind an object; None for one that is not in memory.

    As in GDB, the contents of a register are not, even where a called function has saved them; a
    function has one byte.
    """
    single = single_location_in(value.location)
    size = 8 if isinstance(strip(value.type), Function) else spacing_bits(value.type)
    if single is None or size is None or is_in_register(value):
        return None
    if not isinstance(single.storage, Memory):
        return None
    first_bit = single.bit_offset
    if value.bit_size is not None:
        first_bit = _storage_unit(value, first_bit, size)
    return None if first_bit % 8 else (single.storage.space, first_bit // 8 + (size + 7) // 8)


def _storage_unit(value: TypedValue, first_bit: int, unit_bits: int) -> int:
    """Return the bit at which GDB reads a bit-field: that of a unit of its type, counted from the
    beginning of the structure, if the field does not cross a unit; otherwise its first byte."""
    around = None if value.around is None else single_location_in(value.around.location)
    start = 0 if around is None else around.bit_offset
    offset = first_bit - start
    crosses = unit_bits > 64 or offset % unit_bits + (value.bit_size or 0) > unit_bits
    return start + offset - offset % (8 if crosses else unit_bits)
