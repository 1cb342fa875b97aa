"""The grammar of expressions in mangled names (Itanium C++ ABI 5.1.6)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf.names.itanium_expressions import (
    Braced,
    Call,
    Cast,
    Compound,
    Conditional,
    Designated,
    Fold,
    FunctionParameter,
    Infix,
    Listed,
    Literal,
    New,
    PackSize,
    Postfix,
    Prefix,
    Requires,
    Subscript,
)
from dwarfgpu.dwarf.names.itanium_names import Constructor, Template
from dwarfgpu.dwarf.names.itanium_reader import Reader
from dwarfgpu.dwarf.names.itanium_tree import Name, Nested, Node, NotSupported, PackExpansion
from dwarfgpu.dwarf.names.itanium_types import Around, Array

OPERATORS: Final = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "ng": "-", "ps": "+",
    "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%",
    "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=",
    "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=",
    "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
    "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",",
    "pm": "->*", "pt": "->", "cl": "()", "ix": "[]", "aw": " co_await", "qu": "?",
}  # fmt: skip
"""After `operator`; those in words have a space."""
_UNARY: Final = {
    **{code: OPERATORS[code] for code in ("ng", "ps", "ad", "de", "co", "nt")},
    "dl": "delete ", "da": "delete[] ", "gs": "::", "aw": "co_await ", "tw": "throw ",
    "sz": "sizeof ", "az": "alignof ",
}  # fmt: skip
_IN_PARENTHESES: Final = {"st": "sizeof (", "at": "alignof (", "ti": "typeid (", "nx": "noexcept (",
                          "te": "typeid ("}  # fmt: skip
_CASTS: Final = {
    "sc": "static_cast", "dc": "dynamic_cast", "cc": "const_cast", "rc": "reinterpret_cast",
}  # fmt: skip
_INFIX: Final = {
    **{code: OPERATORS[code] for code in (
        "pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN",
        "oR", "eO", "ls", "rs", "lS", "rS", "eq", "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo",
        "cm", "pm",
    )},
    "ds": ".*",
}  # fmt: skip


class Expressions(Reader):
    """Reads expressions."""

    @abstractmethod
    def parameter(self) -> Node: ...

    def expression(self) -> Node:
        self.enter()
        before, self.is_conversion = self.is_conversion, False
        node = self._expression()
        self.is_conversion = before
        self.depth -= 1
        return node

    def _expression(self) -> Node:
        head, code = self.peek(), self.peek(2)
        if head == "L":
            return self.literal()
        if head == "T":
            return self.parameter()
        if is_decimal(head) or code == "on":
            return self.base_name()
        if head == "f":
            return self.of_function(code)
        self.position += 2
        if code in _UNARY:
            return Prefix((self.expression(),), _UNARY[code])
        if code in _IN_PARENTHESES:
            is_type = code in ("st", "at", "ti")
            operand = self.type() if is_type else self.expression()
            return Around(_IN_PARENTHESES[code], operand, ")")
        if code in _INFIX:
            left = self.expression()
            return Infix((left, self.expression()), _INFIX[code])
        if code in _CASTS:
            kind = self.type()
            return Cast((kind, self.expression()), _CASTS[code])
        return self.other(code)

    def other(self, code: str) -> Node:
        """Read an expression after its code."""
        match code:
            case "pp" | "mm":
                sign = OPERATORS[code]
                if self.at("_") is not None:
                    return Prefix((self.expression(),), sign)
                return Postfix((self.expression(),), sign)
            case "dt" | "pt":
                left = self.expression()
                return Infix((left, self.member_name()), "." if code == "dt" else "->")
            case "ix":
                left = self.expression()
                return Subscript((left, self.expression()))
            case "qu":
                first, second = self.expression(), self.expression()
                return Conditional((first, second, self.expression()))
            case "cl" | "cp":  # `cp`: the name is in parentheses, against lookup by argument
                called = self.expression()
                return Call((called, *self.expressions()))
            case "cv":
                kind = self.type()
                is_list = self.at("_") is not None
                operand = Listed(self.expressions()) if is_list else self.expression()
                return Cast((kind, operand), "")
            case "tr":
                return Name("throw")
            case "tl":
                kind = self.type()
                return Braced(self.initializers(), kind)
            case "il":
                return Braced(self.initializers(), Node())
            case "nw" | "na":
                return self.new(code)
            case "sr":
                return self.unresolved()
            case "so":
                return self.subobject()
            case "rq" | "rQ":
                return self.requires(code)
            case _:
                return self.of_pack(code)

    def of_pack(self, code: str) -> Node:
        if code == "sp":
            return PackExpansion(self.expression())
        if code == "sZ":
            return PackSize((PackExpansion(self.expression()),))
        if code == "sP":
            items: list[Node] = []
            while self.at("E") is None:
                items.append(self.argument())
            return PackSize((*items,))
        raise NotSupported

    def expressions(self) -> tuple[Node, ...]:
        """Read expressions and the `E` after them."""
        items: list[Node] = []
        while self.at("E") is None:
            items.append(self.expression())
        return (*items,)

    def initializers(self) -> tuple[Node, ...]:
        items: list[Node] = []
        while self.at("E") is None:
            items.append(self.initializer())
        return (*items,)

    def initializer(self) -> Node:
        """Read an expression in braces, with its designator if it has one."""
        kind = self.at("di", "dx", "dX")
        if kind is None:
            return self.expression()
        self.enter()
        first = Name(self.source_name()) if kind == "di" else self.expression()
        designators = (first, self.expression()) if kind == "dX" else (first,)
        node = Designated((*designators, self.initializer()), kind)
        self.depth -= 1
        return node

    def new(self, code: str) -> Node:
        placement: list[Node] = []
        while self.at("_") is None:
            placement.append(self.expression())
        kind = self.type()
        initializer: Node | None = None
        if self.at("pi") is not None:
            initializer = Listed(self.expressions())
        elif self.peek(2) == "il":
            initializer = self.expression()
        else:
            self.expect("E")
        return New((*placement,), "new" if code == "nw" else "new[]", kind, initializer)

    def of_function(self, code: str) -> Node:
        """Read a parameter of the function, `fp_`, or a fold expression."""
        self.position += 2
        is_level = code == "fL" and is_decimal(self.peek())
        if code in ("fl", "fr", "fL", "fR") and not is_level:
            operator = self.peek(2)
            if operator not in _INFIX:
                raise NotSupported
            self.position += 2
            first = self.expression()
            operands = (first,) if code in ("fl", "fr") else (first, self.expression())
            return Fold(operands, code, _INFIX[operator])
        if is_level:
            self.number()
            self.expect("p")
        elif code != "fp":
            raise NotSupported
        elif self.at("T") is not None:
            return Name("this")
        while self.at("r", "V", "K") is not None:
            pass
        return FunctionParameter(f"{{parm#{self.compact_number()}}}")

    def subobject(self) -> Node:
        """Read `soKiL_Z1aE4E`: the `int const` at an offset in bytes in `a`."""
        kind, whole = self.type(), self.expression()
        sign = "-" if self.at("n") is not None else ""
        offset_bytes = self.number() if is_decimal(self.peek()) else 0
        while self.at("_") is not None:  # which member of a union
            if is_decimal(self.peek()):
                self.number()
        self.at("p")  # one past the end
        self.expect("E")
        member = Around("<", kind, f" at offset {sign}{offset_bytes}>")
        return Nested(whole, member, ".")

    def literal(self) -> Node:
        """Read `Li1E`, or the address of an entity, `L_Z1fvE`."""
        self.expect("L")
        if self.at("_Z", "Z") is not None:
            before = self.last, self.suffixes
            node = self.encoding()
            self.last, self.suffixes = before
            self.expect("E")
            return node
        kind = self.type()
        if self.at("E") is not None:
            if kind == Name("decltype(nullptr)"):
                return kind
            if isinstance(kind, Array):
                return Around('"<', kind, '>"')
            raise NotSupported
        sign = "-" if self.at("n") is not None else ""
        end = self.text.find("E", self.position)
        digits = self.text[self.position : end]
        if end < 0 or not (digits.isascii() and digits.replace("_", "").isalnum()):
            raise NotSupported
        self.position = end + 1
        return Literal(kind, sign + digits)

    # Names that only an instance resolves

    def base_name(self) -> Node:
        """Read `1x`, `onpl`, `dn1A`, with arguments."""
        if self.at("dn") is not None:
            if is_decimal(self.peek()):
                return Constructor(f"~{self.source_name()}")
            return Around("~", self.type())
        self.at("on")
        name: Node = self.simple()
        return Template(name, self.arguments()) if self.peek() == "I" else name

    def member_name(self) -> Node:
        if is_decimal(self.peek()) or self.peek(2) in ("on", "dn"):
            return self.base_name()
        return self.expression()

    def unresolved(self) -> Node:
        """Read `sr` and what follows: a type, or levels of names and `E`, and the name in it."""
        if not self.way.has_levels or not is_decimal(self.peek()):
            return self.member_of(self.type())
        node = self.level()
        while self.at("E") is None:
            node = Nested(node, self.level())
        return self.member_of(node)

    def level(self) -> Node:
        """Read a name with its arguments, which is no substitution."""
        node = Name(self.source_name())
        return Template(node, self.arguments()) if self.peek() == "I" else node

    def member_of(self, node: Node) -> Node:
        base = self.base_name()
        if isinstance(base, Template):
            return Template(Nested(node, base.name), base.arguments)
        return Nested(node, base)

    def requires(self, code: str) -> Node:
        """Read a `requires` expression and its requirements."""
        parameters: list[Node] = []
        while code == "rQ" and self.at("_") is None:
            parameters.append(self.type())
        items: list[Node] = []
        while self.at("E") is None:
            items.append(self.requirement())
        return Requires((*items,), (*parameters,))

    def requirement(self) -> Node:
        kind = self.at("X", "T", "Q")
        if kind == "T":
            return Around("typename ", self.type())
        if kind == "Q":
            return Around("requires ", self.expression())
        if kind is None:
            raise NotSupported
        node = self.expression()
        is_noexcept, has_type = self.at("N") is not None, self.at("R") is not None
        if not is_noexcept and not has_type:
            return node
        return Compound((node, self.name()) if has_type else (node,), is_noexcept)
