"""The grammar of types in mangled names (Itanium C++ ABI 5.1.5), and of template arguments."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf.names.itanium_expression_grammar import Expressions
from dwarfgpu.dwarf.names.itanium_names import Tagged, Template, TemplateHead
from dwarfgpu.dwarf.names.itanium_tree import Arguments, Name, Node, NotSupported, PackExpansion
from dwarfgpu.dwarf.names.itanium_types import (
    Around,
    Array,
    Function,
    HeadParameter,
    Marked,
    MemberPointer,
    Qualified,
    Reference,
    Suffix,
    TemplateParameter,
    Vector,
    VendorQualified,
)

BUILTIN: Final = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char",
    "h": "unsigned char", "s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int",
    "l": "long", "m": "unsigned long", "x": "long long", "y": "unsigned long long",
    "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double", "e": "long double",
    "g": "__float128", "z": "...",
    "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t", "Dn": "decltype(nullptr)", "Da": "auto",
    "Dc": "decltype(auto)", "Dh": "half", "Df": "decimal32", "Dd": "decimal64", "De": "decimal128",
}  # fmt: skip
_TYPES: Final = {code: Name(word) for code, word in BUILTIN.items()}
QUALIFIERS: Final = {"r": " restrict", "V": " volatile", "K": " const"}
_ELABORATED: Final = {"Ts": "struct ", "Tu": "union ", "Te": "enum "}
_VOID: Final = _TYPES["v"]


class Types(Expressions):
    """Reads types and template arguments."""

    def type(self) -> Node:
        self.enter()
        node = self._type()
        self.depth -= 1
        return node

    def _type(self) -> Node:
        head, two = self.peek(), self.peek(2)
        built_in = head if head in _TYPES else two
        if built_in in _TYPES:
            self.position += len(built_in)
            return _TYPES[built_in]
        match head:
            case "r" | "V" | "K":
                return self.keep(self.qualified())
            case "P":
                self.position += 1
                return self.keep(Marked(self.type(), "*"))
            case "R" | "O":
                self.position += 1
                return self.keep(Reference(self.type(), "&" if head == "R" else "&&"))
            case "C" | "G":
                self.position += 1
                mark = " _Complex" if head == "C" else " _Imaginary"
                return self.keep(Marked(self.type(), mark))
            case "F":
                return self.keep(self.function(()))
            case "A":
                return self.keep(self.array())
            case "M":
                self.position += 1
                container = self.type()
                return self.keep(MemberPointer(container, self.type()))
            case "T" if two not in _ELABORATED:
                return self.parameter_type()
            case "S" if two != "St":
                return self.substituted()
            case "D":
                return self.d_type()
            case "u":
                return self.keep(self.vendor_type())
            case "U" if two not in ("Ul", "Ut"):
                return self.keep(self.vendor_qualified())
            case _:
                return self.keep(self.class_or_enum())

    def class_or_enum(self) -> Node:
        before = self.last, self.suffixes, self.is_conversion
        self.is_conversion = False
        word = self.at(*_ELABORATED)
        node = self.name()
        self.last, self.suffixes, self.is_conversion = before
        return node if word is None else Around(_ELABORATED[word], node)

    def parameter_type(self) -> Node:
        node = self.keep(self.parameter())
        if self.peek() != "I":
            return node
        if not self.is_conversion:
            return self.keep(Template(node, self.arguments()))
        # The arguments of the parameter, if those of the operator come after them.
        position, count = self.position, len(self.known)
        arguments = self.arguments()
        if self.peek() == "I":
            return self.keep(Template(node, arguments))
        self.position = position
        del self.known[count:]
        return node

    def substituted(self) -> Node:
        node = self.substitution()
        if self.peek() == "B":
            node = self.keep(self.tagged(node))
        if self.peek() == "I":
            return self.keep(Template(node, self.arguments()))
        return node

    def tagged(self, node: Node) -> Node:
        """Read ABI tags."""
        while self.at("B") is not None:
            node = Tagged(node, f"[abi:{self.source_name()}]")
        return node

    def qualified(self) -> Node:
        words: list[str] = []
        while (qualifier := self.at(*QUALIFIERS)) is not None:
            words.append(QUALIFIERS[qualifier])
        suffixes = [Suffix(word) for word in reversed(words)]
        if self.peek() == "F" or self.peek(2) in ("Do", "DO", "Dw", "Dx"):
            return self.function((*suffixes,))
        node = self.type()
        for word in reversed(words):
            node = Qualified(node, word)
        return node

    def function(self, qualifiers: tuple[Suffix, ...]) -> Node:
        """Read a function type after its qualifiers."""
        while self.peek() != "F":
            qualifiers = (self.exception_specification(), *qualifiers)
        self.expect("F")
        self.at("Y")
        result = self.type()
        parameters = self.parameters()
        reference = self.at("R", "O")
        if reference is not None:
            qualifiers = (*qualifiers, Suffix(" &" if reference == "R" else " &&"))
        self.expect("E")
        return Function(result, parameters, qualifiers)

    def exception_specification(self) -> Suffix:
        if self.at("Do") is not None:
            return Suffix(" noexcept")
        if self.at("Dx") is not None:
            return Suffix(" transaction_safe")
        qualifier = self.at("r", "V", "K")
        if qualifier is not None:
            return Suffix(QUALIFIERS[qualifier])
        if self.at("DO") is not None:
            condition = self.expression()
            self.expect("E")
            return Suffix(" noexcept", (condition,))
        self.expect("Dw")
        types: list[Node] = []
        while self.at("E") is None:
            types.append(self.type())
        return Suffix(" throw", (*types,))

    def parameters(self) -> tuple[Node, ...]:
        nodes: list[Node] = []
        ends = ("", "E", "Q")
        while self.peek() not in ends and self.peek(2) not in ("RE", "OE"):
            nodes.append(self.type())
        if not nodes:
            raise NotSupported
        return () if nodes == [_VOID] else (*nodes,)

    def array(self) -> Node:
        self.expect("A")
        bound: Node = Name("")
        if is_decimal(self.peek()):
            bound = Name(str(self.number()))
        elif self.peek() != "_":
            bound = self.expression()
        self.expect("_")
        return Array(bound, self.type())

    def parameter(self) -> Node:
        """Read `T_`: a template parameter."""
        self.expect("T")
        if self.at("L") is None:
            return TemplateParameter(self.compact_number() - 1)
        level = self.number() + 1
        self.expect("_")
        return TemplateParameter(self.compact_number() - 1, level)

    def d_type(self) -> Node:
        code = self.peek(2)
        if code in ("Do", "DO", "Dw", "Dx"):
            return self.keep(self.function(()))
        self.position += 2
        match code:
            case "Dp":
                return self.keep(PackExpansion(self.type()))
            case "Dt" | "DT":
                node = Around("decltype (", self.expression(), ")")
                self.expect("E")
                return self.keep(node)
            case "Dv":
                return self.keep(self.vector())
            case "DF":
                return self.floating()
            case "DB" | "DU":
                size = self.sized()
                return Around("_BitInt(" if code == "DB" else "unsigned _BitInt(", size, ")")
            case "Dk" | "DK":
                return Around("", self.name(), " auto" if code == "Dk" else " decltype(auto)")
            case _:
                raise NotSupported

    def sized(self) -> Node:
        """Read a number or an expression, and `_`."""
        size = Name(str(self.number())) if is_decimal(self.peek()) else self.expression()
        self.expect("_")
        return size

    def vector(self) -> Node:
        if self.at("_") is not None:
            size = self.expression()
            self.expect("_")
        else:
            size = self.sized()
        return Vector(size, self.type())

    def floating(self) -> Node:
        size = self.number()
        after = self.at("_", "b", "x")
        if after is None or (after == "b" and size != 16):
            raise NotSupported
        return Name("std::bfloat16_t" if after == "b" else f"_Float{size}{after.strip('_')}")

    def vendor_type(self) -> Node:
        self.expect("u")
        name = Name(self.source_name())
        if self.peek() != "I":
            return name
        return Around(f"{name.word}(", self.arguments(), ")")

    def vendor_qualified(self) -> Node:
        self.expect("U")
        name: Node = Name(self.source_name())
        if self.peek() == "I":
            name = Template(name, self.arguments())
        return VendorQualified(self.type(), name)

    # Arguments of templates

    def arguments(self) -> Arguments:
        self.expect("I")
        self.enter()
        before = self.last, self.is_conversion, self.suffixes
        self.is_conversion = False
        items: list[Node] = []
        while self.at("E") is None:
            if self.at("Q") is not None:
                self.expression()  # a constraint of a template in an argument, as LLVM: not shown
                continue
            items.append(self.argument())
        self.last, self.is_conversion, self.suffixes = before
        self.depth -= 1
        return Arguments((*items,))

    def argument(self) -> Node:
        """Read a type, an expression or a pack."""
        self.enter()
        node = self._argument()
        self.depth -= 1
        return node

    def _argument(self) -> Node:
        if self.at("J") is not None:
            items: list[Node] = []
            while self.at("E") is None:
                items.append(self.argument())
            return Arguments((*items,))
        if self.at("X") is not None:
            node = self.expression()
            self.expect("E")
            return node
        if self.peek() == "L":
            return self.literal()
        if self.peek(2) in ("Ty", "Tn", "Tt", "Tp", "Tk"):
            self.head_parameter()  # what the template declares: GDB shows the argument alone
            return self.argument()
        return self.type()

    def head(self) -> tuple[HeadParameter, ...]:
        """Read the template parameters that a lambda or a template in a head declares."""
        items: list[HeadParameter] = []
        while self.peek(2) in ("Ty", "Tn", "Tt", "Tp", "Tk"):
            items.append(self.head_parameter())
        return (*items,)

    def head_parameter(self) -> HeadParameter:
        self.enter()
        is_pack = self.at("Tp") is not None
        kind = self.at("Ty", "Tn", "Tt", "Tk")
        match kind:
            case "Ty":
                parameter = HeadParameter("T", Name("typename"), is_pack)
            case "Tn":
                parameter = HeadParameter("N", self.type(), is_pack)
            case "Tk":
                parameter = HeadParameter("T", self.name(), is_pack)
            case "Tt":
                parameter = HeadParameter("TT", TemplateHead(self.head()), is_pack)
                if self.at("Q") is not None:
                    self.expression()
                self.expect("E")
            case _:
                raise NotSupported
        self.depth -= 1
        return parameter
