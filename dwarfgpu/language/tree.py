"""What an expression is made of: the syntax tree.

Law: no tree is higher than `MAX_HEIGHT`, whatever was written, so that walking one may recurse.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, TypeAlias

from attrs import field, frozen

from dwarfgpu.errors import LimitExceeded

MAX_HEIGHT: Final = 100
"""Operations inside one another."""


def above(*nodes: Node) -> int:
    """The height of a node over others; `LimitExceeded` where that is too high."""
    height = 1 + max((node.height for node in nodes), default=0)
    if height > MAX_HEIGHT:
        raise LimitExceeded(f"an expression nested more than {MAX_HEIGHT} deep")
    return height


@frozen
class Integer:
    """`12`, `0xffu`."""

    number: int
    suffix: str = ""
    """Of `u`, `l` and `ll`, in lower case and that order."""
    is_decimal: bool = True
    height: int = field(default=0, init=False, repr=False)


@frozen
class Floating:
    """`1.5f`, exactly."""

    number: Fraction
    suffix: str = ""
    """`f`, `l`, or nothing for double."""
    height: int = field(default=0, init=False, repr=False)


@frozen
class Character:
    """`'a'`, with the prefix `L`, `u` or `U` of a wide one."""

    code: int
    prefix: str = ""
    height: int = field(default=0, init=False, repr=False)


@frozen
class String:
    """`"abc"`; the codes of its characters, without the NUL at its end."""

    codes: tuple[int, ...]
    prefix: str = ""
    height: int = field(default=0, init=False, repr=False)


@frozen
class Name:
    """A variable, function or enumerator: `x`, `ns::x`, `function::x`."""

    name: str
    file: str | None = None
    """The source file in which it is looked for: `'file.c'::x`."""
    height: int = field(default=0, init=False, repr=False)


@frozen
class Dollar:
    """`$v3`, `$_lane`, `$1`: the name without its first `$`."""

    name: str
    height: int = field(default=0, init=False, repr=False)


@frozen
class Declarator:
    """One step from a type to one that is derived from it."""

    kind: str
    """`*`, `&`, `&&`, `[]` or `()`."""
    count: int | None = None
    """Elements of an array; None where they are not told."""
    parameters: tuple[TypeName, ...] = ()
    qualifiers: tuple[str, ...] = ()
    """Of a pointer: `const` … and `@local` for the address space of the pointer."""
    is_variadic: bool = False


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


@frozen
class AddressOf:
    """`local#0x10`: an address of an address space."""

    space: str
    address: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.address)


@frozen
class Unary:
    """An operator before its operand: one of `* & - + ! ~ sizeof ++ --`, or `after++`."""

    operator: str
    operand: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.operand)


@frozen
class Binary:
    """An operator between its operands, `,` and `@` included."""

    operator: str
    left: Node
    right: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.left, self.right)


@frozen
class Assign:
    """`left = right`, or with an operator `left += right`."""

    operator: str | None
    left: Node
    right: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.left, self.right)


@frozen
class Conditional:
    """`condition ? yes : no`."""

    condition: Node
    yes: Node
    no: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.condition, self.yes, self.no)


@frozen
class Access:
    """`operand.name` or `operand->name`."""

    operand: Node
    name: str
    is_arrow: bool
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.operand)


@frozen
class Index:
    """`operand[index]`."""

    operand: Node
    index: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.operand, self.index)


@frozen
class Call:
    """`function(…)`: understood, and refused."""

    function: Node
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.function)


@frozen
class Cast:
    """`(type) operand`, or `{type} operand`: the object of that type at an address."""

    type: TypeName
    operand: Node
    is_memory: bool = False
    height: int = field(init=False, repr=False)

    @height.default
    def _height(self) -> int:
        return above(self.operand)


@frozen
class SizeOf:
    """`sizeof (type)`."""

    type: TypeName
    height: int = field(default=0, init=False, repr=False)


Literal: TypeAlias = Integer | Floating | Character | String
Operation: TypeAlias = Unary | Binary | Assign | Conditional | Access | Index | Call | Cast | SizeOf
Node: TypeAlias = Literal | Name | Dollar | AddressOf | Operation
