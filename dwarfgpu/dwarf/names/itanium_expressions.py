"""Expressions in the tree of a mangled name, as GDB writes them: `decltype ({parm#1}+(1))`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.itanium_names import FunctionName
from dwarfgpu.dwarf.names.itanium_tree import (
    UNDONE,
    WHOLE_PACK,
    Nested,
    Node,
    PackExpansion,
    Writer,
    enclosed,
)

_SUFFIX: Final = {
    "int": "", "unsigned int": "u", "long": "l", "unsigned long": "ul", "long long": "ll",
    "unsigned long long": "ull",
}  # fmt: skip
_FLOATING: Final = frozenset(("float", "double", "long double", "__float128"))


@frozen
class Operation(Node):
    """An expression with operands, in which packs are sought."""

    operands: tuple[Node, ...]

    def parts(self) -> tuple[Node, ...]:
        return self.operands


@frozen
class Literal(Node):
    """`5ul`, `(char)65`; numbers of floating point are shown by their bytes."""

    type: Node
    digits: str

    def text(self, write: Writer) -> str:
        kind = write.text(self.type)
        if kind in _SUFFIX:
            return self.digits + _SUFFIX[kind]
        if kind == "bool" and self.digits in ("0", "1"):
            return ("false", "true")[int(self.digits)]
        return f"({kind})" + (f"[{self.digits}]" if kind in _FLOATING else self.digits)

    def parts(self) -> tuple[Node, ...]:
        return (self.type,)


@frozen
class FunctionParameter(Node):
    """`fp_`: {parm#1}."""

    text_of_it: str

    @property
    def is_plain(self) -> bool:
        return True

    def text(self, write: Writer) -> str:
        return self.text_of_it


@frozen
class Listed(Operation):
    """Operands with commas between them."""

    def text(self, write: Writer) -> str:
        return write.listed(self.operands).replace(UNDONE, "")


@frozen
class Braced(Operation):
    """`int{1}`, `{1, 2}`."""

    type: Node

    @property
    def is_plain(self) -> bool:
        return True

    def text(self, write: Writer) -> str:
        inside = write.listed(self.operands).replace(UNDONE, "")
        return f"{write.text(self.type)}{{{inside}}}"

    def parts(self) -> tuple[Node, ...]:
        return self.type, *self.operands


@frozen
class Designated(Operation):
    """`.a=1`, `[1]=2`, `[1 ... 2]=3`, in braces."""

    kind: str

    def text(self, write: Writer) -> str:
        *designators, value = self.operands
        inside = " ... ".join(map(write.text, designators))
        designator = f".{inside}" if self.kind == "di" else f"[{inside}]"
        is_next = isinstance(value, Designated)
        return designator + (write.text(value) if is_next else f"={enclosed(value, write)}")


@frozen
class Prefix(Operation):
    """An operator before its operand."""

    sign: str

    def text(self, write: Writer) -> str:
        (operand,) = self.operands
        if self.sign == "&" and isinstance(operand, FunctionName) and not operand.suffixes:
            operand = operand.name if isinstance(operand.name, Nested) else operand
        if self.sign == "::":
            return f"::{write.text(operand)}"
        return f"{self.sign}{enclosed(operand, write)}"


@frozen
class Postfix(Operation):
    """`a++`, `a--`."""

    sign: str

    def text(self, write: Writer) -> str:
        return f"{enclosed(self.operands[0], write)}{self.sign}"


@frozen
class Infix(Operation):
    """An operator between operands; `>` is in parentheses of its own."""

    sign: str

    def text(self, write: Writer) -> str:
        left, right = self.operands
        whole = f"{enclosed(left, write)}{self.sign}{enclosed(right, write)}"
        return f"({whole})" if self.sign == ">" else whole


@frozen
class Subscript(Operation):
    """`a[1]`."""

    def text(self, write: Writer) -> str:
        array, index = self.operands
        return f"{enclosed(array, write)}[{write.text(index)}]"


@frozen
class Call(Operation):
    """A call: its first operand is the function, whose types are not shown."""

    def text(self, write: Writer) -> str:
        function, *arguments = self.operands
        if isinstance(function, FunctionName):
            function = function.name
        inside = write.listed((*arguments,)).replace(UNDONE, "")
        return f"{enclosed(function, write)}({inside})"


@frozen
class Cast(Operation):
    """`static_cast<int>(a)`; with an empty word `(int)a`."""

    word: str

    def text(self, write: Writer) -> str:
        kind, operand = self.operands
        if self.word:
            return f"{self.word}<{write.text(kind)}>({write.text(operand)})"
        return f"({write.text(kind)}){enclosed(operand, write)}"


@frozen
class Conditional(Operation):
    """`a?b : c`."""

    def text(self, write: Writer) -> str:
        condition, first, second = (enclosed(item, write) for item in self.operands)
        return f"{condition}?{first} : {second}"


@frozen
class New(Operation):
    """`new (where) int(1)`; the operands are where it is placed."""

    word: str
    type: Node
    initializer: Node | None

    def text(self, write: Writer) -> str:
        inside = write.listed(self.operands).replace(UNDONE, "")
        placement = f"({inside}) " if self.operands else ""
        after = "" if self.initializer is None else enclosed(self.initializer, write)
        return f"{self.word} {placement}{write.text(self.type)}{after}"


@frozen
class Fold(Operation):
    """`(...+pack)`, `(pack+...)`, and with an initial value."""

    kind: str
    """`fl`, `fr`, `fL` or `fR`."""
    sign: str

    def text(self, write: Writer) -> str:
        with write.for_element(WHOLE_PACK):
            texts = [enclosed(item, write) for item in self.operands]
        if self.kind == "fl":
            return f"(...{self.sign}{texts[0]})"
        if self.kind == "fr":
            return f"({texts[0]}{self.sign}...)"
        return f"({texts[0]}{self.sign}...{self.sign}{texts[1]})"


@frozen
class PackSize(Operation):
    """`sizeof...`: how many elements the packs have; GDB writes 0 for a pack of parameters, whose
    size the name does not say."""

    def text(self, write: Writer) -> str:
        count = 0
        for item in self.operands:
            if not isinstance(item, PackExpansion):
                count += 1
                continue
            size = item.count(write)
            if size is None:
                return f"sizeof...({write.listed(self.operands).removesuffix('...')})"
            count += size
        return str(count)


@frozen
class Requires(Operation):
    """`requires (int x) { requirements; }`, whose operands are the requirements."""

    parameters: tuple[Node, ...]

    def text(self, write: Writer) -> str:
        inside = write.listed(self.parameters).replace(UNDONE, "")
        parameters = f" ({inside})" if self.parameters else ""
        return f"requires{parameters} {{ {'; '.join(map(write.text, self.operands))}; }}"


@frozen
class Compound(Operation):
    """A requirement with braces: `{a} noexcept -> C`."""

    is_noexcept: bool

    def text(self, write: Writer) -> str:
        expression, *constraints = map(write.text, self.operands)
        after = " noexcept" if self.is_noexcept else ""
        return f"{{{expression}}}{after}" + "".join(f" -> {item}" for item in constraints)
