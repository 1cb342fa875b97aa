"""The syntax tree of an expression.

Law: no tree is higher than `MAX_HEIGHT`, whatever was written, so that walking one may recurse.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, TypeAlias

from dwarfgpu.base.records import field, force_setattr, frozen
from dwarfgpu.errors import LimitExceeded

MAX_HEIGHT: Final = 100
"""Operations inside one another."""


@frozen
class Part:
    """A part of an expression, and how many others are inside one another in it."""

    height: int = field(default=0, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        names: tuple[str, ...] = type(self).__match_args__
        values = [getattr(self, name) for name in names]
        parts = [part for value in values for part in (value if type(value) is tuple else (value,))]
        inner = [part for part in parts if isinstance(part, Part)]
        height = 1 + max((part.height for part in inner), default=-1)
        if height > MAX_HEIGHT:
            raise LimitExceeded(f"an expression nested more than {MAX_HEIGHT} deep")
        force_setattr(self, "height", height)


@frozen
class Integer(Part):
    """`12`, `0xffu`."""

    number: int
    suffix: str = ""
    """Made of `u`, `l` and `ll`, in lower case and that order."""
    is_decimal: bool = True


@frozen
class Floating(Part):
    """`1.5f`, exactly."""

    number: Fraction
    suffix: str = ""
    """`f`, `l`, `h` of OpenCL C, or empty for double."""
    is_imaginary: bool = False
    """Whether it is a multiple of i, as in `1.5i` of gcc."""


@frozen
class Character(Part):
    """`'a'`, with the prefix `L`, `u` or `U` of a wide one, or `b` of a byte of Rust."""

    code: int
    prefix: str = ""


@frozen
class String(Part):
    """`"abc"`; the codes of its characters, without the NUL at its end."""

    codes: tuple[int, ...]
    prefix: str = ""
    is_counted: bool = False
    """`'abc'` of Fortran and `"abc"` of Rust, which have no NUL at their end."""


@frozen
class Logical(Part):
    """`.true.` or `.false.`, of Fortran."""

    is_true: bool


@frozen
class Complex(Part):
    """`(1.5, 2)`, of Fortran."""

    real: Node
    imaginary: Node


@frozen
class Name(Part):
    """A variable, function or enumerator: `x`, `ns::x`, `function::x`."""

    name: str
    file: str | None = None
    """The source file to search: `'file.c'::x`."""
    is_quoted: bool = False
    """`'ns::x'`: the whole name, which may be that of any symbol."""


@frozen
class OnEntry(Part):
    """`n@entry`: what the caller passed for an argument."""

    name: str


@frozen
class Dollar(Part):
    """`$v3`, `$_lane`, `$1`: the name without its first `$`."""

    name: str


@frozen
class Declarator:
    """One step from a type to one that is derived from it."""

    kind: str
    """`*`, `&`, `&&`, `[]` or `()`."""
    count: int | None = None
    """Elements of an array; None if not written."""
    parameters: tuple[TypeName, ...] = ()
    qualifiers: tuple[str, ...] = ()
    """For a pointer: `const` … and `@local` for the address space of the pointer."""
    is_variadic: bool = False
    is_prototyped: bool = True
    """Not `()`, which in C does not declare the parameters."""
    prefix: str = ""
    """How Rust writes a pointer, before what it points to: `*const `."""


@frozen
class TypeName:
    """A type as it is written in a cast."""

    words: tuple[str, ...]
    """`unsigned long`, or one name."""
    tag: str | None = None
    """`struct`, `union`, `class` or `enum` before the name."""
    qualifiers: tuple[str, ...] = ()
    declarators: tuple[Declarator, ...] = ()
    """From the named type outwards."""
    operand: Node | TypeName | None = None
    """That of `typeof(x)` or `typeof(type)`, in place of the words."""


@frozen
class AddressOf(Part):
    """`local#0x10`: an address of an address space."""

    space: str
    address: Node


@frozen
class Unary(Part):
    """An operator before its operand: one of `* & - + ! ~ sizeof ++ --`, or `after++`."""

    operator: str
    operand: Node


@frozen
class Binary(Part):
    """An operator between its operands, `,` and `@` included."""

    operator: str
    left: Node
    right: Node


@frozen
class Assign(Part):
    """`left = right`, or with an operator `left += right`."""

    operator: str | None
    left: Node
    right: Node


@frozen
class Conditional(Part):
    """`condition ? yes : no`."""

    condition: Node
    yes: Node
    no: Node


@frozen
class Access(Part):
    """`operand.name` or `operand->name`."""

    operand: Node
    name: str
    is_arrow: bool


@frozen
class Index(Part):
    """`operand[index]`."""

    operand: Node
    index: Node


@frozen
class Call(Part):
    """`function(…)`: only functions of the debugger itself are run."""

    function: Node
    arguments: tuple[Node, ...] = ()


@frozen
class Triplet(Part):
    """`2:5` or `1:9:2` between the parentheses after an array, of Fortran."""

    low: Node | None
    high: Node | None
    stride: Node | None


@frozen
class Keyword(Part):
    """`kind=8` between the parentheses after an intrinsic function, of Fortran."""

    name: str
    value: Node


@frozen
class Slice(Part):
    """What is between the brackets after an array: `1 .. 3` of D, `1..3` or `1..=2` of Rust, `1:3`
    or `1:3:4` of Go."""

    low: Node | None
    high: Node | None
    has_last: bool = False
    """Whether the element with the second index is in it."""
    limit: Node | None = None
    """Where the capacity ends: the third index of Go."""


@frozen
class Cast(Part):
    """`(type) operand`, or `{type} operand`: the object of that type at an address."""

    type: TypeName
    operand: Node
    is_memory: bool = False
    how: str = ""
    """`static`, `const`, `reinterpret` or `dynamic`, of the casts of C++; `vector`: the operand is
    the elements of a vector, as in `(float4)(1, 2, 3, 4)` of OpenCL; `conversion`: `type(x)` of
    Ada; `literal`: the type behind a number, as in `1u8` of Rust."""


@frozen
class Attribute(Part):
    """`a'first`, `color'pos(red)`: an attribute of an object or a type of Ada."""

    prefix: Node | TypeName
    name: str
    """In full and in lower case."""
    arguments: tuple[Node, ...] = ()


@frozen
class Membership(Part):
    """`x in 1 .. 5 | 8`, of Ada: whether a value is one of these, or of a range or a type."""

    operand: Node
    choices: tuple[Node | TypeName, ...]
    is_negated: bool = False
    """Whether it is `not in`."""


@frozen
class Elements(Part):
    """`{1, 2}`, or `[1, 2]` of Rust: an array of values."""

    elements: tuple[Node, ...]
    repeats: int = 1
    """How often they are in the array: `[0; 4]`."""


@frozen
class SizeOf(Part):
    """`sizeof (type)`, `_Alignof (type)`."""

    type: TypeName
    is_alignment: bool = False


@frozen
class TypeProperty(Part):
    """`int.max`: a property of a type of D."""

    type: TypeName
    name: str


Literal: TypeAlias = Integer | Floating | Character | String | Logical | Complex
Operation: TypeAlias = Unary | Binary | Assign | Conditional | Access | Index | Call | Cast | SizeOf
Bounds: TypeAlias = Triplet | Slice
Node: TypeAlias = (
    Literal
    | Name
    | OnEntry
    | Dollar
    | AddressOf
    | Elements
    | Operation
    | Bounds
    | Keyword
    | Attribute
    | TypeProperty
    | Membership
)
