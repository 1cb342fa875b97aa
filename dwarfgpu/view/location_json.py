"""Locations, values and stack entries as plain data for `--json`.

Law: one answer has at most 100 nested composites, 4,096 single locations of distinct parts and a
megabyte of implicit values in parts; `parts_omitted` counts the omitted parts, including repeated
ones. A stack of an explanation has fewer, and counts the omitted entries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, TypeAlias, assert_never

from dwarfgpu.base.bits import Endian, to_bytes
from dwarfgpu.errors import LimitExceeded, Unsupported
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import (
    Composite,
    Compound,
    Implicit,
    ImplicitPointer,
    Memory,
    Register,
    Repeated,
    Selected,
    Undefined,
)
from dwarfgpu.model.value import Value
from dwarfgpu.view.composite_parts import DistinctPart, distinct_parts, part_count
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.scalars import MAX_BITS, format_of

MAX_PARTS: Final = 4_096
MAX_NESTING: Final = 100
_MAX_BYTES: Final = 1 << 20
_MAX_VALUE_BITS: Final = 1 << 20
_STACK_ENTRIES: Final = 8
_STACK_PARTS: Final = 32
_STACK_BYTES: Final = 1 << 12

DistinctParts: TypeAlias = dict[int, tuple[Composite, tuple[DistinctPart, ...]]]
"""By identity of a composite, which is kept: those of one that is part of many are found once."""


def entry_json(entry: Entry, endian: Endian = "little") -> JsonObject:
    """Return a stack entry or result: the object R of `dwarfgpu-eval-1`."""
    match entry:
        case Value():
            return stack_value_json(entry)
        case ImplicitPointerValue(storage=storage):
            return implicit_pointer_json(storage)
        case Location():
            return location_json(entry, endian)
        case IncompleteComposite():
            return {
                "kind": "incomplete_composite",
                "bit_size": entry.size_bits,
                "part_count": entry.count,
            }
        case other:
            assert_never(other)


def operand_json(operand: Operand) -> int | str:
    """Return an operand: blocks as hexadecimal digits; numbers beyond 64 bits, which few readers
    support, as 0x text."""
    if isinstance(operand, bytes):
        return operand.hex()
    return operand if operand.bit_length() <= 64 else f"{operand:#x}"


def stack_value_json(value: Value) -> JsonObject:
    """Return a value with its type; `value` is null if the type has no single number.

    Raises `LimitExceeded` for a type that is too large for every reader of JSON.
    """
    base = value.type
    if base.bit_size > _MAX_VALUE_BITS:
        raise LimitExceeded(f"value of more than {_MAX_VALUE_BITS} bits, of type {base.name}")
    return {
        "kind": "value",
        "type": {"name": base.name, "encoding": base.encoding, "bit_size": base.bit_size},
        "value": _number(value),
        "hex": to_bytes(value.bits, base.bit_size, base.endian).hex(),
    }


def _number(value: Value) -> Plain:
    base = value.type
    if base.vector_size is not None or base.bit_size > MAX_BITS:
        return None
    if base.encoding != "float":
        try:
            return value.number
        except Unsupported:
            return None
    form = format_of(base, base.bit_size)
    if form is None:
        return None
    number = form.to_float(value.bits)
    if math.isnan(number):
        return "nan"
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"


def location_json(location: Location, endian: Endian = "little") -> JsonObject:
    """Return a location description with all its single locations."""
    return {"kind": "location", "places": _PartBudget(endian).single_locations(location, 0)}


def stack_json(entries: Sequence[Entry], depth: int, parts: DistinctParts) -> list[Plain]:
    """Return the topmost entries that fit, the deepest first, after the number of the others.

    `entries`: those at the top of a stack of `depth` entries. `parts`: those of other stacks, to
    which those of this one are added.
    """
    budget = _PartBudget("little", _STACK_PARTS, _STACK_BYTES, parts)
    shown: list[Plain] = []
    for entry in reversed(entries[-_STACK_ENTRIES:]):
        if not budget.pays(entry):
            break
        if isinstance(entry, Location):
            shown.append({"kind": "location", "places": budget.single_locations(entry, 0)})
        else:
            shown.append(entry_json(entry))
    if len(shown) < depth:
        shown.append({"kind": "omitted", "entry_count": depth - len(shown)})
    return shown[::-1]


def implicit_pointer_json(storage: ImplicitPointer) -> JsonObject:
    """Return an implicit pointer as a value."""
    return {"kind": "implicit_pointer_value", **_implicit_pointer(storage)}


def _implicit_pointer(storage: ImplicitPointer) -> JsonObject:
    if storage.displacement_bytes.bit_length() > MAX_BITS:
        raise LimitExceeded(f"displacement of an implicit pointer of more than {MAX_BITS} bits")
    return {
        "die": storage.die.section_offset,
        "displacement_bytes": storage.displacement_bytes,
        "aspace": storage.space.number,
    }


class _PartBudget:
    """Counts down the parts of one answer and the bytes of their implicit values, over all its
    composites."""

    def __init__(
        self,
        endian: Endian,
        locations: int = MAX_PARTS,
        size_bytes: int = _MAX_BYTES,
        parts: DistinctParts | None = None,
    ) -> None:
        self.endian: Endian = endian
        self.locations_left = locations
        self.bytes_left = size_bytes
        self._parts: DistinctParts = {} if parts is None else parts

    def pays(self, entry: Entry) -> bool:
        """Return whether an entry can be afforded, without the parts of composites; then it is paid
        for."""
        match entry:
            case Value():
                count, size_bits = 1, entry.type.bit_size
            case Location():
                count = len(entry.single_locations)
                size_bits = sum(
                    single.storage.size_bits
                    for single in entry.single_locations
                    if isinstance(single.storage, Implicit)
                )
            case _:
                count, size_bits = 1, 0
        if count > self.locations_left or size_bits > 8 * self.bytes_left:
            return False
        self.locations_left -= count
        self.bytes_left -= size_bits // 8
        return True

    def single_locations(self, location: Location, nesting: int) -> list[Plain]:
        return [self.single_location(single, nesting) for single in location.single_locations]

    def single_location(self, single: SingleLocation, nesting: int) -> JsonObject:
        storage, bit_offset = single.storage, single.bit_offset
        match storage:
            case Memory():
                return {
                    "storage": "memory",
                    "address_space": storage.space.name,
                    "aspace": storage.space.number,
                    "address": bit_offset // 8,
                    "bit_offset": bit_offset % 8,
                    "wave": storage.wave,
                    "lane": storage.lane,
                }
            case Register():
                return {
                    "storage": "register",
                    "register": storage.register.name,
                    "number": storage.register.number,
                    "bit_offset": bit_offset,
                    "bit_size": storage.size_bits,
                    "wave": storage.wave,
                    "frame": storage.frame,
                }
            case Implicit():
                return {
                    "storage": "implicit",
                    "hex": to_bytes(storage.bits, storage.size_bits, self.endian).hex(),
                    "bit_size": storage.size_bits,
                    "bit_offset": bit_offset,
                }
            case ImplicitPointer():
                pointer = _implicit_pointer(storage)
                return {"storage": "implicit_pointer", **pointer, "bit_offset": bit_offset}
            case Undefined():
                return {"storage": "undefined"}
            case Composite() | Repeated() | Selected():
                return self.composite(storage, bit_offset, nesting)
            case other:
                assert_never(other)

    def composite(self, storage: Compound, bit_offset: int, nesting: int) -> JsonObject:
        parts: list[Plain] = []
        shown = 0
        record: JsonObject = {
            "storage": "composite",
            "bit_size": storage.size_bits,
            "bit_offset": bit_offset,
            "parts": parts,
        }
        if isinstance(storage, Composite) and storage.register is not None:
            record["register"] = storage.register
        too_deep = nesting >= MAX_NESTING
        for part in self.shown_parts(storage):
            if too_deep or not self.pays(part.location):
                record["parts_omitted"] = part_count(storage) - shown
                break
            parts.append(
                {
                    "bit_size": part.size_bits,
                    "count": part.count,
                    "places": self.single_locations(part.location, nesting + 1),
                }
            )
            shown += part.count
        return record

    def shown_parts(self, storage: Compound) -> Iterable[DistinctPart]:
        """Return as many distinct parts as can be shown, and one more.

        Found once for a composite that is part of many others.
        """
        if not isinstance(storage, Composite):
            return distinct_parts(storage)
        known = self._parts.get(id(storage))
        if known is None:
            known = storage, tuple(islice(distinct_parts(storage), MAX_PARTS + 1))
            self._parts[id(storage)] = known
        return known[1]
