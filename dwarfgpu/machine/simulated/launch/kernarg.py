"""The kernarg segment: the arguments of a kernel, and the hidden ones (AMDGPU usage, "Code Object
Metadata").

Law: a missing argument is an error, unless declared unknown or without data; a hidden one that only
a runtime could make is unknown.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final

from dwarfgpu.base.float_format import BFLOAT16, BINARY16, BINARY32, BINARY64, FloatFormat
from dwarfgpu.base.records import frozen
from dwarfgpu.base.suggest import nearest
from dwarfgpu.errors import LimitExceeded, Malformed, UsageError, counted, shown
from dwarfgpu.machine.simulated.launch.dispatch_packet import Allocator, Pieces
from dwarfgpu.machine.simulated.launch.kernel_arguments import (
    ARGUMENT_FORMS,
    BY_VALUE,
    STRUCTURES,
    ArgumentValue,
    Buffer,
    EarlierBuffer,
    Enumerator,
    GeneratedNumbers,
    Integers,
    Number,
    Parameter,
    SharedMemory,
    UnknownArgument,
)
from dwarfgpu.machine.topology import Geometry
from dwarfgpu.objfile.metadata import Argument, argument_fault

_FLOAT_CODES: Final = {"binary16": "e", "binary32": "f", "binary64": "d", "bfloat16": "f"}
"""How `struct` writes the formats; bfloat16 is rounded from binary32."""
FLOAT_FORMATS: Final = {2: BINARY16, 4: BINARY32, 8: BINARY64}
"""The formats of floating point numbers that only metadata or NumPy describes, by their sizes in
bytes."""
MAX_BYTES: Final = 1 << 16
"""Maximum size in bytes of a kernarg segment."""
_BUFFER_ALIGNMENT: Final = 256
_MAX_LISTED: Final = 8
"""Arguments named in a message."""
_MAX_ARGUMENTS: Final = 40
"""Arguments named in a message about a wrong name."""
_SHARED: Final = "dynamic_shared_pointer"
_POINTERS: Final = frozenset({"global_buffer", "image", "sampler", "pipe", "queue"})


@frozen
class HiddenValues:
    """What hidden arguments are made of."""

    geometry: Geometry
    queue_address: int
    local_base: int
    private_base: int
    dynamic_lds_bytes: int = 0
    """Dynamic LDS besides that of arguments."""

    def of(self, kind: str, dynamic_lds_bytes: int) -> int | None:
        """Return the value of a hidden argument; None for one that only a runtime could make."""
        name, _, axis = kind.removeprefix("hidden_").rpartition("_")
        if axis in ("x", "y", "z"):
            values = {
                "block_count": self.geometry.whole_counts,
                "group_size": self.geometry.workgroup,
                "remainder": self.geometry.remainders,
                "global_offset": (0, 0, 0),
            }.get(name)
            return None if values is None else values["xyz".index(axis)]
        return {
            "hidden_grid_dims": self.geometry.dimensions,
            "hidden_dynamic_lds_size": dynamic_lds_bytes + self.dynamic_lds_bytes,
            "hidden_private_base": self.private_base >> 32,
            "hidden_shared_base": self.local_base >> 32,
            "hidden_queue_ptr": self.queue_address,
        }.get(kind)


@frozen
class Kernarg:
    """A kernarg segment, and the memory that its arguments point to."""

    pieces: Pieces
    """The pieces of the segment, by offset."""
    buffers: tuple[tuple[int, Buffer, str], ...]
    """Address, buffer, and the argument for which it was made."""
    dynamic_lds_bytes: int
    unknown: tuple[str, ...]
    """Arguments with unknown values, and why."""
    absent: tuple[tuple[int, str], ...] = ()
    """Hidden arguments that only a runtime makes: their offsets and kinds."""


def bind(
    parameters: Sequence[Parameter],
    arguments: Sequence[Argument],
    values: Mapping[str, ArgumentValue],
    hidden: HiddenValues,
    allocator: Allocator,
    fixed_lds_bytes: int,
    earlier: Mapping[str, int] = MappingProxyType({}),
    segment_bytes: int = MAX_BYTES,
) -> Kernarg:
    """Return the segment for the arguments, by name or number; `UsageError` if they do not fit.

    `segment_bytes`: the size that the code object gives; `Malformed` for arguments that are not in
    it, or that overlap. `earlier`: addresses of the buffers of earlier dispatches, by their names.
    """
    _require_bounds(arguments)
    _require_apart(arguments, segment_bytes)
    chosen = _chosen(parameters, arguments, values)
    pieces: Pieces = []
    buffers: list[tuple[int, Buffer, str]] = []
    unknown: list[str] = []
    absent: list[tuple[int, str]] = []
    lds_bytes = fixed_lds_bytes
    for parameter in parameters:
        argument = parameter.argument
        if id(argument) not in chosen:
            continue  # padding
        value: ArgumentValue = _named(parameter, chosen[id(argument)])
        if isinstance(value, UnknownArgument):
            unknown.append(f"{parameter.title}: declared unknown")
            continue
        if isinstance(value, GeneratedNumbers):
            value = _generated(parameter, value)
        if isinstance(value, EarlierBuffer):
            _require_pointer(parameter, argument.value_kind in _POINTERS, "a buffer")
            value = _address_of(value, earlier)
        if isinstance(value, Buffer) and _is_bytes_of(parameter, value):
            value = value.data or b""
        if isinstance(value, Buffer):
            _require_pointer(parameter, argument.value_kind in _POINTERS, "a buffer")
            _require_items(parameter, value)
            address = allocator.take(value.size_bytes, _BUFFER_ALIGNMENT)
            buffers.append((address, value, parameter.title))
            value = address
        elif isinstance(value, SharedMemory):
            _require_pointer(parameter, argument.value_kind == _SHARED, "LDS")
            _require_items(parameter, Buffer(value.size_bytes))
            alignment = argument.pointee_align_bytes or 16
            lds_bytes = -(-lds_bytes // alignment) * alignment
            end = lds_bytes + value.size_bytes
            value, lds_bytes = lds_bytes, end
        pieces.append((argument.offset_bytes, _encoded(parameter, value)))
    dynamic_lds_bytes = lds_bytes - fixed_lds_bytes
    for argument in arguments:
        if not argument.is_hidden or argument.value_kind == "hidden_none":
            continue
        chosen_value = chosen.get(id(argument), hidden.of(argument.value_kind, dynamic_lds_bytes))
        if chosen_value is None or isinstance(chosen_value, UnknownArgument):
            absent.append((argument.offset_bytes, argument.value_kind))
        else:
            data = _encoded(Parameter(argument, argument.value_kind), chosen_value)
            pieces.append((argument.offset_bytes, data))
    return Kernarg(sorted(pieces), tuple(buffers), dynamic_lds_bytes, tuple(unknown), tuple(absent))


def _address_of(buffer: EarlierBuffer, earlier: Mapping[str, int]) -> int:
    if buffer.name in earlier:
        return earlier[buffer.name]
    there = f"there are {', '.join(earlier)}" if earlier else "this is the first dispatch"
    raise UsageError(
        f"{buffer.option}: no earlier dispatch has a buffer {buffer.name[:40]}; "
        f"{there}{nearest(buffer.name, earlier)}"
    )


def _named(parameter: Parameter, value: ArgumentValue) -> ArgumentValue:
    """Return the number of an enumerator; `UsageError` if the parameter's type does not have it."""
    if not isinstance(value, Enumerator):
        return value
    enumerators = parameter.declared.enumerators
    if enumerators is None:
        raise UsageError(f"{value.option}: {value.name[:40]!r} is not {ARGUMENT_FORMS}")
    simple = value.name.rpartition("::")[2]
    for name, number in enumerators:
        if name == simple:
            return number
    listed = [name for name, _ in enumerators[:_MAX_LISTED]]
    more = ", …" if len(enumerators) > _MAX_LISTED else ""
    raise UsageError(
        f"{value.option}: {parameter.text} has no enumerator {value.name[:40]}; "
        f"there are {', '.join(listed)}{more}"
    )


def _require_bounds(arguments: Sequence[Argument]) -> None:
    """Raise `LimitExceeded` for arguments that no kernel has: what a file says costs no more
    memory."""
    if len(arguments) > MAX_BYTES:
        raise LimitExceeded(f"a kernel of {len(arguments)} arguments: at most {MAX_BYTES}")
    for argument in arguments:
        if argument.end > MAX_BYTES:
            raise LimitExceeded(
                f"an argument of {counted(argument.size_bytes, 'byte')} at "
                f"{shown(argument.offset_bytes)}: "
                f"at most {MAX_BYTES} bytes of arguments are set up"
            )


def _require_apart(arguments: Sequence[Argument], segment_bytes: int) -> None:
    """Raise `Malformed` for metadata by which two arguments share bytes, or one is behind the
    segment: the bytes of one would change another, or the memory that another points to."""
    fault = argument_fault(arguments)
    for argument in arguments:
        if fault is None and argument.size_bytes and argument.end > segment_bytes:
            segment = f"the kernarg segment has {counted(segment_bytes, 'byte')}"
            fault = f"{argument.extent_text}, and {segment}"
    if fault is not None:
        raise Malformed(f"the metadata contradict themselves: {fault}")


def _is_bytes_of(parameter: Parameter, buffer: Buffer) -> bool:
    """Return whether contents are those of a structure or the like that is passed by value."""
    is_compound = parameter.declared.compound is not None
    return is_compound and parameter.argument.value_kind == BY_VALUE and buffer.data is not None


def _require_pointer(parameter: Parameter, is_one: bool, subject: str) -> None:
    if not is_one:
        advice = _lds_advice(parameter)
        if parameter.declared.compound is not None:
            advice = f": {_how_to_give(parameter)}"
        raise UsageError(f"{parameter.text} cannot be {subject}{advice}")


def _how_to_give(parameter: Parameter) -> str:
    """Return how a structure or the like is given."""
    declared = parameter.declared
    if declared.vector is not None:
        return "[1,2] gives elements"
    part = declared.part
    more = "" if part is None else f", and --arg {parameter.title}{part}=VALUE a part"
    return f"bytes:HEX or @FILE gives it{more}"


def _lds_advice(parameter: Parameter) -> str:
    """Return how LDS is given, for an argument that points to it."""
    if parameter.argument.value_kind != _SHARED:
        return ""
    return ": it is LDS of the workgroup, without initial contents; lds:SIZE allocates it"


def _generated(parameter: Parameter, numbers: GeneratedNumbers) -> Buffer:
    """Return memory with numbers; `UsageError` if their type is unknown."""
    declared, count = parameter.declared, numbers.count
    size, integers = declared.number_bytes, declared.item_integers
    code = None
    if size and declared.is_number:
        code = _FLOAT_CODES.get(declared.item_form.name) if declared.item_form is not None else None
        if integers is not None:
            code = {1: "b", 2: "h", 4: "i", 8: "q"}.get(size)
            code = code.upper() if code and integers.least >= 0 else code
    if code is None:
        if size:
            raise UsageError(
                f"{parameter.text}: it points to {declared.item}, not to numbers that range: and "
                "random: make; give zeros:SIZE, FILE.npy or @FILE"
            )
        raise UsageError(
            f"{parameter.text}: no debugging information says which numbers it points to"
        )
    rng = Random(numbers.seed)
    values: list[Number]
    if integers is None:
        values = [rng.random() if numbers.seed is not None else n for n in range(count)]
    else:
        low, most = integers.least, integers.most
        if numbers.seed is None and count > most + 1:
            raise UsageError(f"{parameter.text}: {count - 1} does not fit {declared.item}")
        values = [rng.randint(low, most) if numbers.seed is not None else n for n in range(count)]
    try:
        data = struct.pack(f"<{count}{code}", *values)
        if declared.item_form is BFLOAT16:
            data = _bfloats(struct.unpack(f"<{count}I", data))
    except (OverflowError, struct.error):  # the second for integers
        raise UsageError(f"{parameter.text}: {count - 1} does not fit {declared.item}") from None
    return Buffer(len(data), data, size, declared.item_kind)


def _bfloats(singles: Sequence[int]) -> bytes:
    """Return the bits of binary32 numbers, none of them NaN, rounded to bfloat16."""
    rounded = [(bits + 0x7FFF + (bits >> 16 & 1)) >> 16 for bits in singles]
    return struct.pack(f"<{len(rounded)}H", *rounded)


def _require_items(parameter: Parameter, buffer: Buffer) -> None:
    """Raise `UsageError` for memory that does not hold whole items of what the pointer points
    to."""
    declared = parameter.declared
    if not declared.item_bytes:
        return
    rest = buffer.size_bytes % declared.item_bytes
    if rest:
        less = buffer.size_bytes - rest
        whole = f"{less} and " if less else ""
        raise UsageError(
            f"{parameter.text}: {counted(buffer.size_bytes, 'byte')}, not a multiple of the size "
            f"of {declared.item}, which has {counted(declared.item_bytes, 'byte')} "
            f"({whole}{less + declared.item_bytes} would be)"
        )
    if buffer.kind == STRUCTURES and buffer.item_bytes != declared.item_bytes:
        raise UsageError(
            f"{parameter.text}: an array of structures of {counted(buffer.item_bytes or 0, 'byte')}"
            f", where {declared.item} has {declared.item_bytes}; a raw file gives any bytes"
        )
    is_of_numbers = declared.is_number or declared.item_numpy is not None
    if not is_of_numbers or buffer.item_bytes is None:
        return
    if buffer.item_bytes != declared.number_bytes:
        owner = declared.item if declared.item_lanes == 1 else f"a number of {declared.item}"
        raise UsageError(
            f"{parameter.text}: an array of numbers of {counted(buffer.item_bytes, 'byte')}, "
            f"where {owner} has {declared.number_bytes}; a raw file gives any bytes"
        )
    if buffer.kind != declared.item_kind:
        raise UsageError(
            f"{parameter.text}: an array of {buffer.kind}, where the pointer is to "
            f"{declared.item}; a raw file gives any bytes"
        )


def _chosen(
    parameters: Sequence[Parameter],
    arguments: Sequence[Argument],
    values: Mapping[str, ArgumentValue],
) -> dict[int, ArgumentValue]:
    """Return the value for each argument that has one: empty structures need none. `UsageError` for
    missing, repeated or nonexistent ones."""
    names: dict[str, Argument] = {}
    for parameter in parameters:
        names[str(parameter.number)] = parameter.argument
    for argument in arguments:
        if argument.is_hidden:
            names.setdefault(argument.value_kind, argument)
    for parameter in parameters:
        if parameter.name is not None:
            names[parameter.name] = parameter.argument
    out: dict[int, ArgumentValue] = {}
    for name, value in values.items():
        if name not in names:
            there = (
                ", ".join(parameter.title for parameter in parameters[:_MAX_ARGUMENTS]) or "none"
            )
            there += ", …" if len(parameters) > _MAX_ARGUMENTS else ""
            if parameters and all(parameter.name is None for parameter in parameters):
                there += ", whose names are not known"
            hint = nearest(name, names)
            raise UsageError(f"the kernel has no argument {name}; its arguments: {there}{hint}")
        if id(names[name]) in out:
            raise UsageError(f"argument {name} is given twice")
        out[id(names[name])] = value
    missing = [
        parameter
        for parameter in parameters
        if id(parameter.argument) not in out and not parameter.declared.is_empty
    ]
    if missing:
        first = missing[0]
        by_part = "" if first.declared.compound is None else f": {_how_to_give(first)}"
        listed = [parameter.text for parameter in missing[:_MAX_LISTED]]
        more = ["…"] if len(missing) > _MAX_LISTED else []
        raise UsageError(
            f"not given: {', '.join([*listed, *more])}; "
            f"give --arg {first.title}=VALUE, or {first.title}=? for an unknown one{by_part}"
        )
    return out


def _encoded(parameter: Parameter, value: ArgumentValue) -> bytes:
    """Return the bytes of an argument; for a vector those of its elements, without padding."""
    size_bytes, declared = parameter.argument.size_bytes, parameter.declared
    if isinstance(value, tuple):
        return _elements(parameter, value)
    if isinstance(value, int | float) and declared.compound is not None:
        how = _how_to_give(parameter)
        raise UsageError(f"{parameter.text}: {declared.compound} is not a number; {how}")
    if isinstance(value, bytes):
        if len(value) != size_bytes:
            raise UsageError(
                f"{parameter.text}: a value of {counted(len(value), 'byte')} does not fit: the "
                f"argument has {counted(size_bytes, 'byte')}"
            )
        return value
    if not isinstance(value, int | float):
        raise UsageError(f"{parameter.text} takes a number, or bytes:HEX")
    form = declared.form if declared.is_float else FLOAT_FORMATS.get(size_bytes)
    form = form if parameter.is_float else None
    return _number(parameter, value, size_bytes, declared.integers, declared.is_float, form)


def _elements(parameter: Parameter, values: tuple[Number, ...]) -> bytes:
    vector = parameter.declared.vector
    if vector is None and parameter.argument.value_kind == "global_buffer":
        raise UsageError(
            f"{parameter.text} is a pointer, not a vector; @FILE, zeros:SIZE or range:COUNT makes "
            "a buffer for it"
        )
    if vector is None and parameter.argument.value_kind == _SHARED:
        raise UsageError(f"{parameter.text} cannot be a list{_lds_advice(parameter)}")
    if vector is None:
        is_compound = parameter.declared.compound is not None
        how = _how_to_give(parameter) if is_compound else "bytes:HEX gives its bytes"
        raise UsageError(f"{parameter.text} is not a list of numbers; {how}")
    if len(values) != vector.count:
        raise UsageError(f"{parameter.text}: {counted(len(values), 'element')}, not {vector.count}")
    return b"".join(
        _number(parameter, item, vector.item_bytes, vector.integers, vector.is_float, vector.form)
        for item in values
    )


def _no_float(parameter: Parameter, integers: Integers | None) -> str:
    """Return why an argument is no floating point number: it is another one, or of no known
    type."""
    argument = parameter.argument
    is_known = integers is not None or argument.value_type is not None
    if is_known or argument.value_kind != BY_VALUE:
        return "not an integer"
    return "and the file gives this argument no type"


def _number(
    parameter: Parameter,
    value: Number,
    size_bytes: int,
    integers: Integers | None,
    is_float: bool,
    form: FloatFormat | None,
) -> bytes:
    """Encode a number in `size_bytes` bytes, as a floating point number in its format."""
    if isinstance(value, float) or is_float or form is not None:
        if form is None or form.size_bits != 8 * size_bytes:
            number = shown(value) if isinstance(value, int) else value
            problem = f"{number} is a floating point number, {_no_float(parameter, integers)}"
            if is_float:
                size = counted(size_bytes, "byte")
                problem = f"{number} is no floating point number of its format, of {size}"
            raise UsageError(f"{parameter.text}: {problem}; bytes:HEX gives any bits")
        bits = _float_bits(form, value)
        if bits is None:
            number = shown(value) if isinstance(value, int) else value
            largest = (2 - 2.0**-form.fraction_bits) * 2.0**form.bias
            raise UsageError(
                f"{parameter.text}: the number {number} does not fit {form.name}, whose "
                f"largest number is {largest:.9g}; bytes:HEX gives any bits"
            )
        return bits.to_bytes(size_bytes, "little")
    if integers is not None and not integers.least <= value <= integers.most:
        raise UsageError(
            f"{parameter.text}: {shown(value)} does not fit {integers.name}, "
            f"which is {integers.least} to {integers.most}; bytes:HEX gives any bits"
        )
    if not size_bytes:  # what a file says: no compiler writes it
        raise UsageError(
            f"{parameter.text}: no number fits, because the metadata says that it has 0 bytes"
        )
    bits = 8 * size_bytes
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise UsageError(
            f"{parameter.text}: the number {shown(value)} does not fit "
            f"{counted(size_bytes, 'byte')}, which can be {-(1 << bits - 1)} to {(1 << bits) - 1}"
        )
    return (value & (1 << bits) - 1).to_bytes(size_bytes, "little")


def _float_bits(form: FloatFormat, value: Number) -> int | None:
    """Return a number rounded to nearest even; None if the format has no finite one for it."""
    from fractions import Fraction  # most commands give no floating point number

    sign = int(math.copysign(1, value) < 0) if isinstance(value, float) else 0
    if isinstance(value, float) and math.isnan(value):
        return form.negate(form.nan()) if sign else form.nan()
    if isinstance(value, float) and math.isinf(value):
        return form.infinity(sign)
    bits = form.encode(Fraction(value), sign)
    return None if isinstance(form.decode(bits), str) else bits
