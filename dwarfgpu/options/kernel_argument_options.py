"""The arguments of `dwarfgpu dispatch`: their values, and their declarations in the source."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from dwarfgpu.base import json_reader
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.npy import Npy, read_array_or_bytes
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import define, evolve
from dwarfgpu.dwarf.calls.kernel_parameters import (
    kernel_function,
    parameters_of,
    undeclared_parameters,
)
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Array,
    Base,
    Enum,
    Pointer,
    Struct,
    Type,
    strip,
    unqualified,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.machine.simulated.launch.kernel_arguments import (
    ARGUMENT_FORMS,
    COMPLEX,
    COPIES,
    FLOATS,
    INTEGERS,
    STRUCTURES,
    ArgumentValue,
    Buffer,
    DeclaredParameter,
    EarlierBuffer,
    Enumerator,
    GeneratedNumbers,
    Number,
    SharedMemory,
    UnknownArgument,
)
from dwarfgpu.objfile.gpu_code import GpuKernel
from dwarfgpu.options.numpy_types import (
    data_members,
    form_of,
    has_elements,
    integers_of,
    is_complex,
    is_empty,
    is_float,
    numbers_of,
    numpy_type,
    structure_fields,
    vector_of,
)
from dwarfgpu.service.error_text import error_line
from dwarfgpu.terminal.input import is_existing

MAX_BUFFER_BYTES: Final = 1 << 30
_FLOAT: Final = pattern(r"[+-]?(?:[0-9]+\.[0-9]*|\.?[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|nan)")
_NAME: Final = pattern(r"(?:::)?[^\W\d]\w*(?:::[^\W\d]\w*)*")
MAX_NUMBERS: Final = 1 << 22
_GENERATED: Final = pattern(r"(?:range|random:(?P<seed>[0-9]{1,18})):(?P<count>\w+)")
_FORMS: Final = {
    "zeros": "zeros:SIZE in bytes, such as zeros:512",
    "buffer": "buffer:SIZE in bytes, such as buffer:512",
    "lds": "lds:SIZE in bytes, such as lds:512",
    "range": "range:COUNT, such as range:128",
    "random": "random:SEED:COUNT, such as random:7:128; a seed has at most 18 digits",
    "same": "same:NAME, the name of a buffer of an earlier dispatch",
    "bytes": "bytes:HEX, two digits for each byte",
}
"""How arguments are written that have a word before a colon."""
_SIZE: Final = pattern(r"(buffer|zeros|lds):(\w+)")


def declared_parameters(
    code_object: CodeObject, kernel: GpuKernel
) -> tuple[list[DeclaredParameter], list[str]]:
    """Return the declarations of the parameters, or why they are unknown."""
    out: list[DeclaredParameter] = []
    try:
        function = kernel_function(code_object, kernel)
        if function is None and (unread := code_object.info.unsearched) is not None:
            raise unread
        for variable in () if function is None else parameters_of(function):
            out.append(DeclaredParameter(None) if variable is None else declared(variable))
        if function is not None:
            arguments = () if kernel.metadata is None else kernel.metadata.arguments
            passed = sum(not argument.is_hidden for argument in arguments)
            names = undeclared_parameters(function, len(out), passed)
            out += [DeclaredParameter(name) for name in names]
    except DwarfGpuError as error:
        return [], [f"the names of the parameters are not known: {error_line(error)}"]
    return out, []


def declared(variable: Variable) -> DeclaredParameter:
    """Return what the declaration of a parameter accepts as its value."""
    return declaration(variable.name, variable.type)


def declaration(name: str | None, type_: Type | None) -> DeclaredParameter:
    """Return what a declaration with a name and a type accepts."""
    kind = strip(type_)
    try:
        if not isinstance(kind, Pointer):
            has_fraction = isinstance(kind, Base) and is_float(kind)
            is_compound = isinstance(kind, Array | Struct) or is_complex(kind)
            compound = type_name(type_) if is_compound else None
            declared = DeclaredParameter(
                name, has_fraction, form_of(kind), integers_of(kind), compound, vector_of(kind)
            )
            if isinstance(kind, Struct):
                declared = evolve(declared, is_empty=is_empty(kind))
            constants = tuple(kind.enumerators) if isinstance(kind, Enum) else None
            return evolve(declared, enumerators=constants, part=_first_part(kind))
        item_type = unqualified(_items(kind.target))
        item = strip(item_type)
        is_named = not isinstance(item, Struct) or item.name is not None
        number, lanes = numbers_of(item)
        return DeclaredParameter(
            name,
            item=type_name(item if is_named else item_type),
            item_bytes=None if item is None else size_bytes(item),
            is_number=isinstance(number, Base),
            item_lanes=lanes,
            item_integers=integers_of(number),
            item_form=form_of(number),
            item_numpy=numpy_type(number),
            item_kind=_kind(numpy_type(number) or "|u1"),
            item_fields=structure_fields(item),
        )
    except DwarfGpuError:
        return DeclaredParameter(name)  # a pointer needs no more


def _items(type_: Type | None) -> Type | None:
    """Return what the arrays of an array consist of, as `float` of `float[8][8]`; vectors stay."""
    for _ in range(MAX_CHAIN):
        bare = strip(type_)
        if not isinstance(bare, Array) or bare.is_vector:
            break
        type_ = bare.element
    return type_


def _first_part(kind: Type | None) -> str | None:
    """Return what follows the name of an object for its first part that may be given by itself."""
    if isinstance(kind, Array) and has_elements(kind):
        return "[0]" * len(kind.dimensions) + (_first_part(strip(kind.element)) or "")
    if not isinstance(kind, Struct) or kind.kind == "union":
        return None
    names = (member.name for _, member in data_members(kind) if not member.is_base_class)
    return next((f".{name}" for name in names), None)


def _kind(descr: str) -> str:
    """Return what the numbers of an array of a type of NumPy are."""
    return {"f": FLOATS, "c": COMPLEX}.get(descr[1], INTEGERS)


@define
class _Room:
    """The memory for the buffers of a dispatch, which are in it as given and as a kernel changes
    them."""

    most_bytes: int
    taken_bytes: int = 0

    def take(self, size_bytes: int, option: str) -> None:
        """Count a buffer before it is made; `LimitExceeded` where there is no room."""
        total = COPIES * (self.taken_bytes + size_bytes)
        if total > self.most_bytes:
            besides = f" and {self.taken_bytes} of others" if self.taken_bytes else ""
            raise LimitExceeded(
                f"{option}: buffers of {size_bytes} bytes{besides}, as given and as the kernel "
                f"changes them: {total} bytes of memory, more than {self.most_bytes}",
                "--max-state-bytes",
            )
        self.taken_bytes += size_bytes


def argument_values(
    texts: list[str], most_bytes: int = DEFAULT_FILE_LIMITS.state_bytes
) -> dict[str, ArgumentValue]:
    """Parse every `NAME=VALUE`; `UsageError` for invalid and repeated ones, `LimitExceeded` for
    buffers that take more than `most_bytes` of memory."""
    out: dict[str, ArgumentValue] = {}
    room = _Room(most_bytes)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--arg {text[:60]}: expected NAME=VALUE")
        if name.strip() in out:
            raise UsageError(f"argument {name.strip()} is given twice")
        out[name.strip()] = _value(value.strip(), f"--arg {name.strip()}", room)
    return out


def argument_files(texts: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield the arguments of `NAME=@FILE` and `NAME=FILE.npy`, and their files."""
    for text in texts:
        name, _, value = text.partition("=")
        if _is_file(value.strip()):
            yield name.strip(), Path(value.strip().removeprefix("@"))


def _is_file(value: str) -> bool:
    return value.startswith("@") or value.endswith(".npy")


def _value(text: str, option: str, room: _Room) -> ArgumentValue:
    """Parse a value; `UsageError` for any other text."""
    number = json_reader.integer_of(text)
    if number is not None:
        return number
    if not text:
        raise UsageError(f"{option}: a value is missing after =")
    if text == "?":
        return UnknownArgument()
    if text in ("null", "true", "false"):
        return int(text == "true")
    if text.startswith("[") and text.endswith("]"):
        return tuple(_element(element.strip(), option) for element in text[1:-1].split(","))
    if _is_file(text):
        return _file(text.removeprefix("@"), option, room)
    if text.startswith("same:") and text != "same:":
        return EarlierBuffer(text.removeprefix("same:"), option)
    if text.startswith("bytes:"):
        try:
            return bytes.fromhex(text.removeprefix("bytes:"))
        except ValueError:
            raise _wrong_form(text, option) from None
    sized = _SIZE.fullmatch(text)
    if sized is not None:
        count = _count(text, sized[2], f"1 to {MAX_BUFFER_BYTES} bytes", MAX_BUFFER_BYTES, option)
        if sized[1] == "lds":
            return SharedMemory(count)
        if sized[1] == "buffer":
            return Buffer(count)
        room.take(count, option)
        return Buffer(count, bytes(count))
    match = _GENERATED.fullmatch(text)
    if match is not None:
        count = _count(text, match["count"], f"1 to {MAX_NUMBERS} numbers", MAX_NUMBERS, option)
        seed = match["seed"]
        return GeneratedNumbers(count, None if seed is None else int(seed))
    if _FLOAT.fullmatch(text):
        return _float(text, option)
    if _NAME.fullmatch(text):
        return Enumerator(text, option)
    if text.partition(":")[0] in _FORMS:
        raise _wrong_form(text, option)
    if is_existing(text) and text.endswith(".npz"):
        raise UsageError(f"{option}: {text} is an archive of arrays; save one of them as .npy")
    if is_existing(text):
        raise UsageError(f"{option}: {text[:40]!r} is a file: write @{text} for its bytes")
    raise UsageError(f"{option}: {text[:40]!r} is not {ARGUMENT_FORMS}{_meant(text)}")


def _meant(text: str) -> str:
    """Return `; did you mean zeros:64?` for a text that begins nearly as one of `_FORMS`."""
    word, colon, rest = text.partition(":")
    if not colon:
        return ""
    from dwarfgpu.base.suggest import nearest_meaning  # most values are right

    return nearest_meaning(word, {form: _written(form, rest) for form in _FORMS})


def _written(form: str, rest: str) -> str:
    """Return the text with another word before its colon, or how values of that form are written if
    the text is not one then."""
    text = f"{form}:{rest}"
    if form in ("same", "bytes") or _SIZE.fullmatch(text) or _GENERATED.fullmatch(text):
        return text[:40]
    return _FORMS[form].partition(",")[0]


def _count(text: str, digits: str, expected: str, most: int, option: str) -> int:
    """Return the number after the colon of a value; `UsageError` for none from 1 to `most`."""
    count = json_reader.integer_of(digits)
    if count is None:
        raise UsageError(
            f"{option}: {text[:40]}: {digits[:40]!r} is not an integer; expected {expected}, "
            "such as 4096 or 0x1000"
        )
    if not 0 < count <= most:
        raise UsageError(f"{option}: {text[:40]}: expected {expected}")
    return count


def _wrong_form(text: str, option: str) -> UsageError:
    """Return the error about a text that begins as one of `_FORMS`."""
    return UsageError(f"{option}: {text[:40]!r}: expected {_FORMS[text.partition(':')[0]]}")


def _element(text: str, option: str) -> Number:
    """Return a number of a vector."""
    number = json_reader.integer_of(text)
    if number is None and not _FLOAT.fullmatch(text):
        raise UsageError(f"{option}: {text[:40]!r} is not a number")
    return _float(text, option) if number is None else number


def _float(text: str, option: str) -> float:
    """Return a floating point number; `UsageError` for one that only infinity is left of, and for
    an integer with a zero before it, which is octal in C."""
    digits = text.lstrip("+-")
    if digits.startswith("0") and json_reader.is_decimal(digits):
        raise UsageError(
            f"{option}: {text[:40]!r} is octal in C: give a decimal number, or 0o and its digits"
        )
    number = float(text)
    if math.isinf(number) and "inf" not in text.lower():
        raise UsageError(f"{option}: {text[:40]!r} is beyond the largest number of a double")
    return number


def _file(path: str, option: str, room: _Room) -> Buffer:
    """Return a buffer with the numbers of a .npy file, or with all bytes of any other but a
    .npz."""
    if not path:
        raise UsageError(f"{option}: a file is missing after @")
    try:
        with suppress(OSError, ValueError):  # reading it says why
            room.take(os.stat(path).st_size, option)
        contents = read_array_or_bytes(Path(path), structures=True)
        record_input(path, "argument")
    except UsageError as error:
        raise UsageError(f"{option}: {error.message}") from None
    array, data = (contents, contents.data) if isinstance(contents, Npy) else (None, contents)
    if array is None and path.endswith(".npy") and data:
        raise UsageError(f"{option}: {path} is not an array of NumPy; raw bytes need another name")
    if array is None and path.endswith(".npz"):
        raise UsageError(f"{option}: {path} is an archive of arrays; save one of them as .npy")
    if not data:
        raise UsageError(f"{option}: {path} is empty")
    if array is None:
        return Buffer(len(data), data)
    kind = STRUCTURES if array.fields else _kind(array.descr)
    return Buffer(len(data), data, array.item_bytes, kind, array.descr, array.shape, array.fields)
