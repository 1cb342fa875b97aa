"""The member `data` of a value in JSON: a typed value as plain data, part by part.

`dwarfgpu.service.value.reading_answer` makes the whole answer.

Law: an unknown bit is never a number; omitted parts are counted; one answer has at most
`MAX_PARTS` parts and `DEEPEST` nested structures and arrays.
"""

from __future__ import annotations

import math
from typing import Final, assert_never

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType, truth
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import (
    element_type,
    extent_bits,
    member_error,
    offset_bits,
    size_bits,
    strides_of,
)
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import field_bits, number_bits, with_padding
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.type_attributes import EnclosingObject
from dwarfgpu.session.variants import variant_members
from dwarfgpu.view import scalars
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.object_bits import (
    NO_FIELD,
    ClassOfMethod,
    ObjectBytes,
    ReadMemory,
    widened,
)
from dwarfgpu.view.object_printer import (
    Whole,
    address_of,
    has_sign_bit,
    is_signed,
    kept_descriptors,
)
from dwarfgpu.view.printer_text import printed_of
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import (
    Printed,
    Printer,
    Printers,
    SummaryPart,
    children_of,
    summary_parts,
)
from dwarfgpu.view.strings import character_kind

MAX_PARTS: Final = 2_000
DEEPEST: Final = 100
MAX_ELEMENTS: Final = 200
"""Maximum number of elements of one array, as in text."""
MAX_CHARACTERS: Final = 10_000
"""Maximum number of characters of one string that a printer shows."""
NO_PRINTERS: Final = Printers()


def value_data(
    bits: Bits,
    type_: Type | None,
    *,
    endian: Endian = "little",
    architecture: Architecture | None = None,
    location: Location | None = None,
    resolver: Resolver | None = None,
    around: EnclosingObject | None = None,
    read_memory: ReadMemory | None = None,
    class_of_method: ClassOfMethod | None = None,
    printers: Printers = NO_PRINTERS,
) -> Plain:
    """Return the object as numbers, texts, and objects of them: the object D of `dwarfgpu-eval-1`.

    `printers`: what they say of objects of classes is beside the members.
    """
    whole = None if location is None or resolver is None else Whole(location, resolver, around)
    return _Walk(architecture, resolver, read_memory, class_of_method, printers).value(
        _Seen(ObjectBytes.of(bits, endian), whole), type_, 0, 0
    )


@frozen(eq=False)
class _Seen:
    """An object that was read, and where it is."""

    object: ObjectBytes
    whole: Whole | None


def unknown(why: str) -> JsonObject:
    """Return the data of an object without contents."""
    return {"unknown": why}


class _Walk:
    """One answer and how many parts it may still have."""

    def __init__(
        self,
        architecture: Architecture | None,
        resolver: Resolver | None,
        read_memory: ReadMemory | None,
        class_of_method: ClassOfMethod | None,
        printers: Printers,
    ) -> None:
        self.architecture = architecture
        self.resolver = resolver
        self.read_memory = read_memory
        self.class_of_method = class_of_method
        self.printers = printers
        self.parts_left = MAX_PARTS
        self._printers_of: dict[Struct, Printer | None] = {}
        self.is_inside = False
        """Whether it is in the members of an object that a printer has shown."""

    def value(self, subject: _Seen, type_: Type | None, first_bit: int, depth: int) -> Plain:
        """Return the object of that type at a bit offset; an error in its place where there is
        one."""
        self.parts_left -= 1
        try:
            return self._value(subject, type_, first_bit, depth)
        except DwarfGpuError as error:
            return unknown(str(error))

    def _value(self, subject: _Seen, type_: Type | None, first_bit: int, depth: int) -> Plain:
        bare = strip(type_)
        match bare:
            case None | Function():
                return unknown("no contents")
            case Absent(state=state):
                return unknown(state)
            case Struct() | Array() if depth >= DEEPEST or self.parts_left <= 0:
                return unknown("omitted")
            case Dynamic():
                return self._placed(subject, None, type_, first_bit, depth)
            case Struct():
                return self._struct(subject, bare, first_bit, depth)
            case Array():
                return self._array(subject, bare, first_bit, depth)
            case Base(base=BaseType(vector_size=int() as count) as base) if count > 0:
                element = Base(evolve(base, bit_size=base.bit_size // count, vector_size=None))
                return self._array(subject, Array(element, (count,)), first_bit, depth)
            case Unspecified() if bare.is_unit:
                return {"members": []}
            case Base() | Pointer() | MemberPointer() | Enum() | Unspecified():
                size = size_bits(bare)
                if size is None or not 0 < size <= scalars.MAX_BITS:
                    return unknown("incomplete type" if size is None else f"{size} bits")
                bits = subject.object.bits(first_bit, size)
                if subject.whole is not None and subject.whole.is_implicit_pointer(
                    type_, first_bit, bits
                ):
                    return unknown("synthetic pointer")
                return self._scalar(bare, bits, subject.object.endian)
            case other:
                assert_never(other)

    def _placed(
        self,
        subject: _Seen,
        member: tuple[Struct, Member] | None,
        type_: Type | None,
        first_bit: int,
        depth: int,
    ) -> Plain:
        """Return a part that is at a place of its own, or has a shape of its own."""
        whole = subject.whole or kept_descriptors(subject.object, type_, self.resolver)
        if whole is None:
            return unknown("the object has no location from which this could be computed")
        part_location, around = whole.part(first_bit), whole.around
        if member is None:
            placed = whole.resolver.resolved(type_, part_location, around)
        else:
            placed = whole.resolver.member(member[0], part_location, member[1], around)
            around = EnclosingObject(member[0], part_location, around)
        if member is not None and member[1].bit_size is not None:
            bits = whole.resolver.bit_field(placed.location, member[1].bit_size, type_)
            return self._bit_field(type_, bits)
        bits = whole.resolver.contents(placed)
        contents = ObjectBytes.of(bits, subject.object.endian)
        inner = _Seen(contents, Whole(placed.location, whole.resolver, around))
        return self.value(inner, placed.type, 0, depth)

    # Aggregates

    def _struct(self, subject: _Seen, struct_type: Struct, first_bit: int, depth: int) -> Plain:
        if struct_type.size_bytes is None:
            return unknown("incomplete type")
        members: list[Plain] = []
        record: JsonObject = {"members": members}
        printed = None if self.is_inside else self._printed(subject, struct_type, first_bit, depth)
        if printed is not None:
            self.is_inside = True
            try:
                self._members(subject, struct_type, first_bit, depth, record, members)
            finally:
                self.is_inside = False
            return {**record, "printed": printed}
        self._members(subject, struct_type, first_bit, depth, record, members)
        return record

    def _members(
        self,
        subject: _Seen,
        struct_type: Struct,
        first_bit: int,
        depth: int,
        record: JsonObject,
        members: list[Plain],
    ) -> None:
        own_members: list[Member | DwarfGpuError] = [
            m for m in struct_type.members if not m.is_static
        ]
        own_members += variant_members(
            struct_type.declared.variant_parts,
            lambda discriminant: self._discriminant(subject, struct_type, discriminant, first_bit),
        )
        for index, member in enumerate(own_members):
            if self.parts_left <= 0:
                record["omitted"] = len(own_members) - index
                break
            if isinstance(member, DwarfGpuError):
                members.append({"name": None, "base_class": False, "value": unknown(str(member))})
                continue
            base = strip(member.type)
            name = member.name or (base.name if isinstance(base, Struct) else None)
            members.append(
                {
                    "name": name if member.is_base_class else member.name,
                    "base_class": member.is_base_class,
                    "value": self._member(subject, struct_type, member, first_bit, depth),
                }
            )

    def _printed(self, subject: _Seen, struct_type: Struct, first_bit: int, depth: int) -> Plain:
        """Return what the printer of a class produces; None if it has none."""
        size = size_bits(struct_type)
        if size is None or subject.object.known_bytes(first_bit, size) is None:
            return None
        arch = self.architecture
        pointer_bits = 64 if arch is None else arch.address_spaces[0].address_bits
        start = None if subject.whole is None else address_of(subject.whole.location)
        address = None if start is None else start + first_bit // 8
        value = Object(
            struct_type, subject.object.endian, pointer_bits // 8, self.read_memory,
            subject.object, first_bit,
            address, class_of_method=self.class_of_method,
        )  # fmt: skip
        try:
            printed = printed_of(self._printer, value)
            return None if printed is None else self._of_printer(printed, depth)
        except UnexpectedLayout:
            return None
        except DwarfGpuError as error:
            return unknown(str(error))

    def _printer(self, struct_type: Struct) -> Printer | None:
        """Return the printer of a class, looked up once."""
        if struct_type not in self._printers_of:
            self._printers_of[struct_type] = self.printers.of(struct_type)
        return self._printers_of[struct_type]

    def _of_printer(self, printed: Printed, depth: int) -> Plain:
        with printed.guard:
            summary = [self._summary(part, depth) for part in summary_parts(printed)]
        record: JsonObject = {"summary": summary}
        if printed.children is None:
            return record
        children: list[Plain] = []
        record["children"] = children
        try:
            with printed.guard:
                for name, child in children_of(printed):
                    if self.parts_left <= 0 or len(children) >= MAX_ELEMENTS:
                        record["omitted"] = True
                        break
                    shown = child if isinstance(child, str) else self._object(child, depth)
                    children.append({"name": name, "value": shown})
        except (DwarfGpuError, UnexpectedLayout) as error:
            record["error"] = str(error)
        return record

    def _summary(self, part: SummaryPart, depth: int) -> Plain:
        if isinstance(part, str):
            return part
        if isinstance(part, Object):
            return self._object(part, depth)
        kind = character_kind(part.first.type)
        width = 1 if kind is None else kind.unit_bytes
        count = max(0, min(part.count, MAX_CHARACTERS))
        data = part.first.memory(count * width) if count else b""
        encoding = {1: "latin-1", 2: "utf-16", 4: "utf-32"}[width]
        order = "" if width == 1 else "-le" if part.first.endian == "little" else "-be"
        record: JsonObject = {"characters": data.decode(encoding + order, "replace")}
        return {**record, "omitted": part.count - count} if count < part.count else record

    def _object(self, value: Object, depth: int) -> Plain:
        """Return an object that a printer gives."""
        if value.bit_size is not None:
            self.parts_left -= 1
            return self._bit_field(value.type, value.bits())
        contents, first_bit = value.contents()
        return self.value(_Seen(contents, None), value.type, first_bit, depth + 1)

    def _discriminant(
        self, subject: _Seen, struct_type: Struct, member: Member, first_bit: int
    ) -> Bits:
        if member.location is not None and subject.whole is not None:
            whole = subject.whole
            placed = whole.resolver.member(struct_type, whole.part(first_bit), member, whole.around)
            return whole.resolver.contents(placed)
        size = min(member.bit_size or size_bits(member.type) or 0, scalars.MAX_BITS)
        return subject.object.bits(first_bit + (member.bit_offset or 0), size)

    def _member(
        self, subject: _Seen, struct_type: Struct, member: Member, first_bit: int, depth: int
    ) -> Plain:
        try:
            error = member_error(struct_type, member, extent_bits(member))
            if error is not None:
                return unknown(error.message)
            is_whole = member.bit_size is None
            if member.location is not None or (is_whole and is_dynamic(member.type)):
                return self._placed(
                    subject, (struct_type, member), member.type, first_bit, depth + 1
                )
            first_bit += member.bit_offset or 0
            if is_whole:
                return self.value(subject, member.type, first_bit, depth + 1)
            size, endian = min(member.bit_size or 0, scalars.MAX_BITS), subject.object.endian
            bits = field_bits(subject.object.bits, first_bit, size, member.type, endian)
            return self._bit_field(member.type, bits)
        except DwarfGpuError as error:
            return unknown(str(error))

    def _bit_field(self, type_: Type | None, bits: Bits) -> Plain:
        bare = strip(type_)
        has_sign = bare.is_signed if isinstance(bare, Enum) else has_sign_bit(bare)
        number = widened(bits, size_bits(bare), has_sign=has_sign)
        if bare is None or number is None:
            return unknown(NO_FIELD)
        return self._number(bare, number)

    def _array(self, subject: _Seen, array_type: Array, first_bit: int, depth: int) -> Plain:
        count, strides = (
            array_type.dimensions[0] if array_type.dimensions else None,
            strides_of(array_type),
        )
        size = size_bits(array_type.element)
        if count is None or strides is None or (size is None and not strides[0]):
            return unknown("array of unknown length")
        stride, inner = strides[0], element_type(array_type)
        shown = min(max(count, 0), MAX_ELEMENTS)
        if strides[0] > 0:
            size = min(stride, size_bits(inner) or stride)  # no gap follows the last of a section
            shown = min(
                shown, max(0, subject.object.size_bits - first_bit - size + stride) // stride
            )
        text = self._characters(subject, array_type, first_bit, shown, stride)
        if text is not None:
            record: JsonObject = {"characters": text}
        else:
            elements: list[Plain] = []
            for index in range(shown):
                if self.parts_left <= 0:
                    break
                start = first_bit + offset_bits(stride, count, index)
                elements.append(self.value(subject, inner, start, depth + 1))
            shown = len(elements)
            record = {"elements": elements}
        if array_type.lower_bound:
            record["lower_bound"] = array_type.lower_bound
        if shown < count:
            record["omitted"] = count - shown if count.bit_length() <= 64 else f"{count - shown:#x}"
        return record

    def _characters(
        self, subject: _Seen, array_type: Array, first_bit: int, count: int, stride: int
    ) -> str | None:
        """Return one character for each element, whatever it is, if all of them are known."""
        if len(array_type.dimensions) > 1 or array_type.is_vector or stride != 8:
            return None
        character = character_kind(array_type.element)
        if character is None or character.unit_bytes != 1:
            return None
        data = subject.object.known_bytes(first_bit, 8 * count)
        return None if data is None else data.decode("latin-1")

    # Scalars

    def _scalar(self, bare: Type, bits: Bits, endian: Endian) -> Plain:
        if isinstance(bare, Base) and bare.storage_bits == bits.size_bits:
            bits = number_bits(bits, bare, endian)
        elif isinstance(bare, Base) and bare.base.endian != endian and bits.size_bits % 8 == 0:
            bits = evolve(bits, value=scalars.swapped(bits.value, bits.size_bits))
        return self._number(bare, bits)

    def _number(self, bare: Type, bits: Bits) -> Plain:
        bits = with_padding(bits, bare)
        if not bits.is_complete:
            return unknown("optimized out" if bits.undefined else "unavailable")
        number, size = bits.value, bits.size_bits
        match bare:
            case Base(base=base) if base.encoding == "decimal_float":
                from dwarfgpu.view.decimal_float import decimal_of  # few programs have such types

                decimal = decimal_of(base, number, self.architecture)
                return base_data(bare, bits) if decimal is None else {"decimal": str(decimal)}
            case Base():
                return base_data(bare, bits)
            case Enum():
                value = signed(number, size) if bare.is_signed else number
                return {"enumerator": bare.table.names.get(value), "value": _integer(value)}
            case Pointer():
                return self._pointer(bare, number)
            case _:
                return _integer(signed(number, size) if is_signed(bare) else number)

    def _pointer(self, bare: Pointer, number: int) -> Plain:
        record: JsonObject = {"address": _integer(number)}
        if bare.address_space:
            spaces = {} if self.architecture is None else self.architecture.address_spaces
            space = spaces.get(bare.address_space)
            record["address_space"] = space.name if space else str(bare.address_space)
        return record


def base_data(bare: Base, bits: Bits) -> Plain:
    """Return the number that known bits are, of a base type in the byte order of its object."""
    number, base = bits.value, bare.base
    if "float" in base.encoding:
        return _floating(base, bits)
    if base.encoding == "boolean":
        is_true = truth(base, number)
        return number if is_true is None else is_true
    if base.scale is not None:
        return float(scalars.fixed(base, number, bits.size_bits))
    return _integer(signed(number, bits.size_bits) if is_signed(bare) else number)


def _integer(number: int) -> int | str:
    """Return numbers beyond 64 bits, which few readers take, as 0x text."""
    return number if number.bit_length() <= 64 else f"{number:#x}"


def _floating(base: BaseType, bits: Bits) -> Plain:
    if base.encoding == "complex_float":
        half = bits.size_bits // 2
        part = evolve(base, encoding="float", bit_size=half)
        real, imaginary = (_floating(part, bits.slice(n * half, half, base.endian)) for n in (0, 1))
        return {"real": real, "imaginary": imaginary}
    form = scalars.format_of(base, bits.size_bits)
    if form is None:
        return {"hex": f"{bits.value:#x}"}
    number = form.to_float(bits.value)
    if math.isnan(number):
        return "nan"
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"
