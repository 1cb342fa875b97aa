"""Kernel arguments: declared by the metadata and the source, with values given by the user.

"Code Object Metadata" of the AMDGPU usage has the terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from dwarfgpu.base.float_format import FloatFormat
from dwarfgpu.base.npy_fields import Field
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import counted
from dwarfgpu.objfile.metadata import Argument

BY_VALUE: Final = "by_value"
"""An argument whose value, not its address, is in the kernarg segment."""
ARGUMENT_FORMS: Final = (
    "a number, @FILE, buffer:SIZE, zeros:SIZE, lds:SIZE, range:COUNT, random:SEED:COUNT, "
    "same:NAME, bytes:HEX, [1,2], an enumerator or ?"
)
"""How the user writes a value."""
INTEGERS: Final = "integers"
FLOATS: Final = "floating point numbers"
COMPLEX: Final = "complex numbers"
STRUCTURES: Final = "structures"
"""What the numbers of an array are."""
COPIES: Final = 2
"""How often the bytes of a buffer are in memory while a kernel runs: as they were given, for the
state that it began in, and as it changes them."""
_FLOAT_BYTES: Final = {"f16": 2, "f32": 4, "f64": 8}
"""The sizes of the floating point value types of the metadata."""


@frozen
class Buffer:
    """Memory allocated for an argument; without data its contents are unknown."""

    size_bytes: int
    data: bytes | None = None
    item_bytes: int | None = None
    """The size in bytes of the numbers of the array that it was read from."""
    kind: str = INTEGERS
    """What these numbers are."""
    numpy: str | None = None
    """Their type in NumPy, such as `<f4`; None for memory that was read from no array."""
    shape: tuple[int, ...] = ()
    """That of the array; empty for memory that was read from none, and for a single number."""
    fields: tuple[Field, ...] = ()
    """Those of an array of structures."""


@frozen
class SharedMemory:
    """LDS that is allocated for an argument when the kernel is dispatched."""

    size_bytes: int


@frozen
class UnknownArgument:
    """An argument that the user declares unknown."""


@frozen
class EarlierBuffer:
    """The buffer of an earlier dispatch."""

    name: str
    option: str
    """The option that set it."""


Number: TypeAlias = int | float


@frozen
class GeneratedNumbers:
    """Memory that is made for an argument: numbers of the type that it points to."""

    count: int
    seed: int | None = None
    """Of random ones: all integers of the type, or from 0 to 1; without it they are 0, 1, 2 …"""


@frozen
class Enumerator:
    """A constant of an enumeration, by its name."""

    name: str
    """With or without the scopes of C++."""
    option: str
    """The option that set it."""


ArgumentValue: TypeAlias = (
    Number
    | tuple[Number, ...]
    | bytes
    | Buffer
    | GeneratedNumbers
    | SharedMemory
    | UnknownArgument
    | Enumerator
    | EarlierBuffer
)
"""What a user gives for an argument; numbers together are the elements of a vector."""


@frozen
class Integers:
    """The numbers of an integer type."""

    name: str
    least: int
    most: int


@frozen
class Vector:
    """A parameter that has elements."""

    count: int
    item_bytes: int
    is_float: bool
    integers: Integers | None = None
    form: FloatFormat | None = None
    """The format of floating point numbers; None for one that is not encoded."""


@frozen
class DeclaredParameter:
    """What debugging information says of a parameter."""

    name: str | None = None
    is_float: bool = False
    form: FloatFormat | None = None
    """The format of a floating point number; None for one that is not encoded."""
    integers: Integers | None = None
    """What an integer for it can be."""
    compound: str | None = None
    """The type of a vector, a structure or the like, which one number cannot be."""
    vector: Vector | None = None
    item: str | None = None
    """The type of what a pointer points to."""
    item_bytes: int | None = None
    is_number: bool = False
    """Whether such an item is a number, or a vector of them."""
    item_lanes: int = 1
    """The numbers that it has room for: 4 for a vector of three, whose last is padding."""
    item_integers: Integers | None = None
    """What an integer there can be."""
    item_form: FloatFormat | None = None
    """The format of a floating point number there; None for one that is not encoded."""
    item_numpy: str | None = None
    """The type of NumPy that has such numbers, such as `<f4`, or for bfloat16 their bits, and of an
    enumeration or a pointer; None for bytes."""
    item_fields: tuple[Field, ...] = ()
    """The fields of NumPy of a structure; empty for any other type, and if it has none."""
    item_kind: str = INTEGERS
    """What the numbers of an array for it are."""
    enumerators: tuple[tuple[str, int], ...] | None = None
    """The constants of an enumeration; None for any other type."""
    part: str | None = None
    """How the first part of a structure or array whose parts may be given one by one is written
    after its name: `.x`, `[0]`, `[0].x`."""
    is_empty: bool = False
    """Whether it is a structure without data: its bytes are padding, and no value is needed."""

    @property
    def number_bytes(self) -> int | None:
        """The size of a number that a pointer leads to, also of one in a vector."""
        return None if self.item_bytes is None else self.item_bytes // self.item_lanes


NOT_DECLARED: Final = DeclaredParameter()


@frozen
class Parameter:
    """An argument of the metadata, and its description in the debugging information."""

    argument: Argument
    name: str | None
    is_float: bool = False
    """Whether a number for it is a floating point number."""
    declared: DeclaredParameter = NOT_DECLARED
    number: int = 0
    """Its index among the arguments that are not hidden."""

    @property
    def title(self) -> str:
        """What `--arg` and `--out` call it: its name, or else its number."""
        return self.name or str(self.number)

    @property
    def text(self) -> str:
        """`limit (by_value, 4 bytes at 16)`."""
        argument = self.argument
        title = self.name or f"argument {self.number}"
        extent = f"{counted(argument.size_bytes, 'byte')} at {argument.offset_bytes}"
        return f"{title} ({argument.value_kind}, {extent})"


def parameters(
    arguments: Sequence[Argument], declared: Sequence[DeclaredParameter]
) -> list[Parameter]:
    """Return the explicit arguments, with the names in the metadata, or else the declared names.

    The declarations belong to the arguments in order; they are used where they are as many.
    """
    own = [argument for argument in arguments if not argument.is_hidden]
    declarations = list(declared) if len(declared) == len(own) else [NOT_DECLARED] * len(own)
    return [
        _parameter(number, argument, declaration)
        for number, (argument, declaration) in enumerate(zip(own, declarations, strict=True))
    ]


def _parameter(number: int, argument: Argument, declared: DeclaredParameter) -> Parameter:
    """Return an argument with the facts of its value type, which apply only if it is passed by
    value.

    "For vector data types, the value is for the element type": the size identifies a vector.
    """
    name, is_float = argument.name or declared.name, declared.is_float
    if argument.value_kind == BY_VALUE:
        item = argument.value_type or ""
        item_bytes = _FLOAT_BYTES.get(item, argument.size_bytes)
        is_vector = item_bytes < argument.size_bytes
        if is_vector and declared.compound is None:
            declared = evolve(declared, compound=f"a vector of {item.upper()}")
        is_named = (argument.type_name or "") in ("float", "double", "half")
        is_float = is_float or is_named or (item in _FLOAT_BYTES and not is_vector)
    return Parameter(argument, name, is_float, declared, number)
