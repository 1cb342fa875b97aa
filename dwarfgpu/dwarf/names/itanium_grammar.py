"""The grammar of Itanium C++ ABI names (its section 5.1), and of what is around a name.

`itanium_type_grammar` has the types, `itanium_expression_grammar` the expressions.
Law: what is not supported raises `NotSupported`; nothing is guessed.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.dwarf.names.itanium_expression_grammar import OPERATORS
from dwarfgpu.dwarf.names.itanium_names import (
    Constraint,
    Constructor,
    Conversion,
    FunctionName,
    Lambda,
    Local,
    Operator,
    Special,
    Tagged,
    Template,
    has_result,
    last_word,
    template_levels,
)
from dwarfgpu.dwarf.names.itanium_tree import Name, Nested, Node, NotSupported
from dwarfgpu.dwarf.names.itanium_type_grammar import QUALIFIERS, Types
from dwarfgpu.dwarf.names.itanium_types import Around, Suffix

_OF_TYPE: Final = {
    "TV": "vtable for ",
    "TT": "VTT for ",
    "TI": "typeinfo for ",
    "TS": "typeinfo name for ",
    "TF": "typeinfo fn for ",
    "TJ": "java Class for ",
}
_OF_NAME: Final = {
    "GV": "guard variable for ",
    "TH": "TLS init function for ",
    "TW": "TLS wrapper function for ",
}
_OF_FUNCTION: Final = {
    "GTt": "transaction clone for ",
    "GTn": "non-transaction clone for ",
    "GA": "hidden alias for ",
}
_THUNKS: Final = {
    "Th": "non-virtual thunk to ",
    "Tv": "virtual thunk to ",
    "Tc": "covariant return thunk to ",
}
_CONVERSION: Final = "cv"


def operator_codes(name: str) -> tuple[str, ...]:
    """Return what a mangled name may have for `operator+`, `operator new` or `operator bool`."""
    written = "".join(name.removeprefix("operator").split())
    codes = [code for code, text in OPERATORS.items() if text.replace(" ", "") == written]
    return tuple(codes) or (_CONVERSION,)


class Module(Name):
    """A substitution that is the module of the name after it."""


class ItaniumName(Types):
    """A mangled name, read from its begin."""

    explicit_this = False
    """Whether the function that was named last declares its `this` as a parameter."""

    def whole(self) -> Node:
        node = self.encoding()
        if self.position != len(self.text):
            raise NotSupported
        return node

    def encoding(self, *, is_local: bool = False) -> Node:
        """Read an entity with its parameters; `is_local`: a function that encloses a name, without
        its result type."""
        if self.peek() in ("T", "G"):
            return self.special()
        name = self.name()
        suffixes: list[Node] = [*self.suffixes]
        has_this = self.explicit_this
        if self.at("Ua9enable_if") is not None:
            suffixes.append(Around(" [enable_if:", self.arguments(), "]"))
        if self.peek() in ("", "E"):
            return name
        result = self.type() if has_result(name) else None
        parameters = self.parameters()
        if has_this and parameters:
            parameters = (Around("this ", parameters[0]), *parameters[1:])
        if self.at("Q") is not None:
            suffixes.append(Constraint(self.expression(), (*template_levels(name),)))
        return FunctionName(name, parameters, (*suffixes,), None if is_local else result)

    # Functions and what the compiler makes

    def special(self) -> Node:
        """Read the name of what the compiler makes, such as a vtable."""
        self.enter()
        node = self._special()
        self.depth -= 1
        return node

    def _special(self) -> Node:
        code = self.at(*_OF_TYPE)
        if code is not None:
            return Special(_OF_TYPE[code], self.type())
        code = self.at(*_OF_NAME)
        if code is not None:
            return Special(_OF_NAME[code], self.name())
        code = self.at(*_OF_FUNCTION)
        if code is not None:
            return Special(_OF_FUNCTION[code], self.encoding())
        code = self.at(*_THUNKS)
        if code is not None:
            self.call_offset(code[1] if code != "Tc" else "")
            if code == "Tc":
                self.call_offset("")
            return Special(_THUNKS[code], self.encoding())
        if self.at("TC") is not None:
            derived = self.type()
            self.number()
            self.expect("_")
            return Special("construction vtable for ", self.type(), (derived,))
        if self.at("TA") is not None:
            return Special("template parameter object for ", self.argument())
        if self.at("GR") is not None:
            return self.reference_temporary()
        if self.at("GI") is not None:
            return Special("initializer for module ", Name(self.module()))
        raise NotSupported

    def call_offset(self, kind: str) -> None:
        """Skip how a thunk adjusts `this`."""
        kind = kind or self.at("h", "v") or ""
        for _ in {"h": "h", "v": "vv"}.get(kind, ""):
            self.at("n")
            self.number()
            self.expect("_")
        if not kind:
            raise NotSupported

    def reference_temporary(self) -> Node:
        name = self.name()
        if self.peek() == "":
            raise NotSupported
        return Special(f"reference temporary #{self.sequence()} for ", name)

    # Names

    def name(self) -> Node:
        self.enter()
        self.suffixes, self.explicit_this = (), False
        node = self._name()
        self.depth -= 1
        return node

    def _name(self) -> Node:
        if self.peek() == "N":
            return self.nested()
        if self.peek() == "Z":
            return self.local()
        if self.peek() == "S" and self.peek(2) != "St":
            node = self.substitution()
            if isinstance(node, Module):
                node = self.keep_template(self.simple(node.word))
            elif self.peek() == "B":
                node = self.keep(self.tagged(node))
            return Template(node, self.arguments()) if self.peek() == "I" else node
        is_of_std = self.at("St") is not None
        node = self.simple()
        if is_of_std:
            node = Nested(Name("std"), node)
        if self.peek() != "I":
            return node
        return Template(self.keep(node), self.arguments())

    def keep_template(self, node: Node) -> Node:
        return self.keep(node) if self.peek() == "I" else node

    def local(self) -> Node:
        """Read `f(int)::x`."""
        self.expect("Z")
        function = self.encoding(is_local=True)
        self.expect("E")
        if self.at("s") is not None:
            self.discriminator()
            self.suffixes = ()
            return Local(function, Name("string literal"))
        number = None
        if self.at("d") is not None:  # of the last parameter: 1
            number = self.compact_number()
        name = self.name()
        self.discriminator()
        return Local(function, name, number)

    def discriminator(self) -> None:
        """Skip `_0`, `__10_`: which of that name in the function; demanglers omit it."""
        if self.at("_") is None:
            return
        if self.at("_") is not None:
            self.number()
            self.expect("_")
        elif is_decimal(self.peek()):
            self.position += 1
        else:
            raise NotSupported

    def nested(self) -> Node:
        self.expect("N")
        has_this = self.at("H") is not None
        words: list[Suffix] = []
        while (qualifier := self.at("r", "V", "K")) is not None:
            words.append(Suffix(QUALIFIERS[qualifier]))
        suffixes = (*reversed(words),)
        reference = self.at("R", "O")
        if reference is not None:
            suffixes = (*suffixes, Suffix(" &" if reference == "R" else " &&"))
        node: Node | None = None
        while self.at("E") is None:
            node = self.prefix(node)
        if node is None:
            raise NotSupported
        self.suffixes, self.explicit_this = suffixes, has_this
        return node

    def prefix(self, outer: Node | None) -> Node:
        """Read one part of a nested name."""
        if outer is None:
            if self.at("St") is not None:
                return Name("std")
            if self.peek() == "S":
                node = self.substitution()
                if self.peek() == "B":
                    return self.keep(self.tagged(node))
                if not isinstance(node, Module):
                    return node
                node = self.simple(node.word)
            elif self.peek() == "T":
                node = self.parameter()
            elif self.peek(2) in ("Dt", "DT"):
                return self.type()
            else:
                node = self.simple()
        elif self.at("M") is not None:
            self.leave_variable(outer)
            return outer
        elif self.peek() == "I":
            node = Template(outer, self.arguments())
        else:
            word = ""
            if self.peek() == "S":
                module = self.substitution()
                if not isinstance(module, Module):
                    raise NotSupported
                word = module.word
            node = Nested(outer, self.simple(word))
        return node if self.peek() == "E" else self.keep(node)

    def leave_variable(self, node: Node) -> None:
        """Begin the scope of a lambda that initializes a variable, which was read last."""
        last = len(self.known) - 1
        if self.way.variables_count is None:
            self.known_alike = last if self.known_alike is None else min(self.known_alike, last)
        elif not self.way.variables_count and last >= 0 and self.known[last] is node:
            self.known.pop()

    def module(self) -> str:
        """Read the name of a module, `W3fooWP3bar`: `foo:bar`; its parts are substitutions."""
        text = ""
        while self.at("W") is not None:
            separator = ":" if self.at("P") is not None else "." if text else ""
            text += separator + self.source_name()
            self.keep(Module(text))
        return text

    def simple(self, module: str = "") -> Node:
        """Return a source name, an operator, a constructor, with its ABI tags."""
        friend = "friend " if self.at("F") is not None else ""
        self.at("L")
        module = self.module() or module
        node = self.untagged()
        if friend:
            node = Around(friend, node)
        if module:
            node = Tagged(node, f"@{module}")
        return self.tagged(node)

    def untagged(self) -> Node:
        head = self.peek()
        if is_decimal(head):
            name = self.source_name()
            if name.startswith("_GLOBAL__N"):
                return Name("(anonymous namespace)")
            self.last = name
            return Name(name)
        if head == "U":
            return self.unnamed()
        if self.at("DC") is not None:
            names = [self.source_name()]
            while self.at("E") is None:
                names.append(self.source_name())
            return Name(f"[{', '.join(names)}]")
        if head in ("C", "D"):
            return self.constructor(head)
        if self.at("cv") is not None:
            before, self.is_conversion = self.is_conversion, True
            kind = self.type()
            self.is_conversion = before
            return Conversion(kind)
        operator = self.at(*OPERATORS)
        if operator is not None:
            return Operator("operator" + OPERATORS[operator])
        if self.at("li") is not None:
            return Operator(f'operator"" {self.source_name()}')
        if head == "v" and is_decimal(self.peek(2)[1:]):  # of a vendor: its operands are counted
            self.position += 2
            return Operator(f"operator {self.source_name()}")
        raise NotSupported

    def constructor(self, head: str) -> Node:
        self.position += 1
        if head == "C" and self.at("I") is not None:
            kind = self.at("1", "2", "3", "4", "5")
            is_template = self.way.inherits_template and is_decimal(self.peek())
            base = self.keep(self.simple()) if is_template else self.type()
            self.last = last_word(base)  # its inherited constructor has its name
        else:
            kind = self.at("0", "1", "2", "3", "4", "5")
        if kind is None or not self.last:
            raise NotSupported
        return Constructor(("~" if head == "D" else "") + self.last)

    def unnamed(self) -> Node:
        """Return the name of an unnamed entity with its number: `{lambda(int)#1}`, `{unnamed
        type#1}`."""
        if self.at("Ut") is not None:
            return Name(f"{{unnamed type#{self.compact_number()}}}")
        self.expect("Ul")
        self.enter()
        before, self.is_conversion = (self.last, self.suffixes), False
        head = self.head()
        after_head = self.expression() if self.at("Q") is not None else None
        parameters = self.parameters()
        after = self.expression() if self.at("Q") is not None else None
        self.expect("E")
        self.last, self.suffixes = before
        self.depth -= 1
        return Lambda(head, parameters, (after_head, after), self.compact_number())
