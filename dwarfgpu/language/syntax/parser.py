"""Parse text into a syntax tree: a Pratt parser with the precedences of the language.

Law: a type can follow only `(`, `sizeof (` or `{`; the parser looks up whether a name is a type,
because C requires it.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.ada_tokens import ALL
from dwarfgpu.language.syntax.ast import MAX_HEIGHT, Node
from dwarfgpu.language.syntax.cursor import MAX_SHOWN, Cursor, Known
from dwarfgpu.language.syntax.fortran_tokens import (
    CONVERSIONS,
    NOT,
    POWER,
    constant,
    kind_of_number,
    logical,
)
from dwarfgpu.language.syntax.name_parser import (
    extended_name,
    is_conversion,
    is_converting,
    name_at,
    simple_type,
)
from dwarfgpu.language.syntax.precedences import (
    ASSIGNMENT,
    BY_LANGUAGE,
    COMMA,
    COMPARISONS,
    CONDITIONAL,
    UNARY,
    C,
)
from dwarfgpu.language.syntax.tokens import Token, character, number, string
from dwarfgpu.language.syntax.type_parser import TypeParser, fortran_type, is_opencl_space
from dwarfgpu.language.syntax.words import (
    ABS,
    AS,
    COMPLEMENT,
    IN,
    IN_TYPES,
    INVERSION,
    IS,
    IS_NOT,
    MUTABLE,
    NOT_IN,
    QUALIFIERS,
    RUNE,
    TAGS,
    TYPE_WORDS,
    WORDS,
)

_CASTS: Final = ("static_cast", "const_cast", "reinterpret_cast", "dynamic_cast")
_ALIGNMENTS: Final = ("alignof", "_Alignof", "__alignof__")
_TYPES_OF: Final = ("typeof", "__typeof", "__typeof__", "decltype")
_OPERANDS: Final = frozenset(
    {"number", "suffixed", "string", "character", "quoted", "name", "object", "dollar"}
)
_OPENING: Final = frozenset({"(", "[", "{"})
_CLOSING: Final = frozenset({")", "]", "}"})
_PREFIXES: Final = frozenset(
    {"*", "&", "-", "+", "!", "~", "++", "--", COMPLEMENT, INVERSION, MUTABLE, ABS}
)

_SAME: Final = {MUTABLE: "&", INVERSION: "~"}
"""Operators of Rust and Go that C spells otherwise."""


def parse(text: str, names: Known, radix: int = 10) -> Node:
    """Parse an expression; raises `UsageError` with GDB's wording, and `LimitExceeded` for a deeply
    nested one."""
    return Parser(text, names, radix).whole()


def parse_type(text: str, names: Known, radix: int = 10) -> ast.TypeName | None:
    """Return the type of a text that contains nothing else; None if it begins otherwise."""
    parser = Parser(text, names, radix)
    first = parser.token
    if first.text == "[" and parser.language.is_rust:
        from dwarfgpu.language.syntax.rust_type_names import array_type  # few programs

        return array_type(parser)
    if first.kind != "name":
        return None
    if parser.language.is_ada and is_converting(parser, parser.at):
        return None  # an expression
    if "(" in text and is_conversion(parser, parser.at) and not parser.is_type_of(parser.at):
        return None
    if parser.converts_in_fortran(parser.at) or parser.property_of_type() is not None:
        return None
    is_word = _is_type_word(first.text) or fortran_type(parser, parser.at) is not None
    is_word = is_word or parser.is_type_of(parser.at) or is_opencl_space(parser, parser.at)
    if not is_word and not names.is_type(extended_name(parser, parser.at)[0]):
        return None
    name = TypeParser(parser, parser.type_of).type_name()
    if parser.token.kind != "end":
        raise parser.syntax_error()
    return name


def _is_type_word(word: str) -> bool:
    return word in IN_TYPES


class Parser(Cursor):
    """Reads the operators and operands of an expression."""

    def __init__(self, text: str, names: Known, radix: int = 10) -> None:
        super().__init__(text, names, radix)
        self._precedences = BY_LANGUAGE.get(names.language.code, C)
        self._enclosed: list[Node] = []
        """Operations in parentheses, where these matter."""
        if names.language.has_dotted_names and ("." in text or "!" in text):
            from dwarfgpu.language.syntax.dotted_tokens import with_packages  # few programs

            self.tokens = with_packages(self.tokens, names)
        if "'::" in text and not self.language.has_own_words:
            from dwarfgpu.language.syntax.types_of_files import with_types_of_files  # few

            with_types_of_files(self)
        self.tokens = [
            self._unquoted(index, token) if token.kind == "quoted"
            else self._unreserved(index, token) if token.text in WORDS
            else token
            for index, token in enumerate(self.tokens)
        ]  # fmt: skip
        self.move_to(0)

    def _unreserved(self, index: int, token: Token) -> Token:
        """Return a word that C or C++ reserve as the object of that name, if there is one."""
        before, after = self.tokens[index - 1].text if index else "", self.tokens[index + 1]
        is_member = before in (".", "->") or (before == "%" and self.language.is_fortran)
        is_operator = token.text == "sizeof" and after.text == "("
        is_type = before in IN_TYPES or after.text in IN_TYPES
        if is_member or is_operator or is_type or not self.known.is_unreserved(token.text):
            return token
        return Token("object", token.text, token.start)

    def _unquoted(self, index: int, token: Token) -> Token:
        """Return a type or member in quotes as a name; other quotes have files and functions."""
        if self.tokens[index + 1].text.startswith("::"):
            return token
        if not self.language.is_d:
            token = Token("quoted", self.known.quoted(token.text), token.start)
        is_member = index > 0 and self.tokens[index - 1].text in (".", "->")
        is_type = self.known.is_type(token.text) and not self.known.is_hidden_symbol(token.text)
        return Token("name", token.text, token.start) if is_member or is_type else token

    def whole(self) -> Node:
        node = self.expression(COMMA)
        if self.token.kind == "end":
            return node
        self._require_no_comma()
        if self.token.text in (")", "]"):
            raise UsageError("Junk after end of expression.")
        raise self.syntax_error()

    def _require_no_comma(self) -> None:
        """Raise `UsageError` for a comma, which no other part of the parser takes."""
        if self.is_mark(","):
            excerpt = self.text[self.token.start :][:MAX_SHOWN]
            raise UsageError(f"This language has no comma operator, near `{excerpt}'.")

    def expression(self, least: int) -> Node:
        """Return an expression of operators that bind at least so strongly."""
        self.depth += 1
        if self.depth > MAX_HEIGHT:
            raise self.too_deep()
        left = self.unary(least)
        while self.token.kind == "mark":
            operator = self.token.text
            power = self._precedences.binary.get(operator, 0)
            if power < least or not power:
                break
            start = self.next().start
            left = self._joined(left, operator, power, start)
        self.depth -= 1
        return left

    def _joined(self, left: Node, operator: str, power: int, start: int) -> Node:
        if power == ASSIGNMENT:
            return ast.Assign(operator[:-1] or None, left, self.expression(ASSIGNMENT))
        if power == CONDITIONAL:
            yes = self.expression(COMMA)
            self.expect(":")
            return ast.Conditional(left, yes, self.expression(CONDITIONAL))
        if operator == AS:
            from dwarfgpu.language.syntax.rust_type_names import rust_type_name  # few programs

            return ast.Cast(rust_type_name(self), left)
        if operator in (IN, NOT_IN):
            from dwarfgpu.language.syntax.ada_expressions import membership  # few programs

            self._require_parentheses(start, operator, left)
            return membership(self, left, power + 1, is_negated=operator == NOT_IN)
        right = self.expression(power if operator == POWER else power + 1)
        self._require_parentheses(start, operator, left, right)
        return ast.Binary(operator, left, right)

    def _require_parentheses(self, start: int, operator: str, *operands: Node) -> None:
        """Raise `UsageError` for an operand without parentheses that does not mix with an operator,
        which begins at a character of the text."""
        kinds = self._precedences
        for operand in operands:
            inner = IN if isinstance(operand, ast.Membership) else ""
            inner = operand.operator if isinstance(operand, ast.Binary) else inner
            is_comparison = operator in kinds.apart and inner in (*COMPARISONS, IN, IS, IS_NOT)
            is_mixed = operator != inner and {operator, inner} <= {*kinds.unmixed}
            if not (is_comparison or is_mixed) or any(operand is one for one in self._enclosed):
                continue
            needs = "A comparison needs" if is_comparison else "Two logical operators need"
            excerpt = self.text[start:][:MAX_SHOWN]
            raise UsageError(f"{needs} parentheses here, near `{excerpt}'.")

    def unary(self, least: int = UNARY) -> Node:
        """Return an operand with the operators before it; those behind it bind at least as strongly
        as `least`."""
        if self.accept(NOT):
            return ast.Unary("!", self.expression(self._precedences.after_not))
        operator = self.accept(*_PREFIXES)
        if operator == "-" and self.token.kind == "suffixed" and self.language.is_rust:
            return self._postfix(self._suffixed(is_negative=True))
        if operator == "+" and self.language.is_rust:
            raise self._no_plus()
        if operator is not None:
            operator = _SAME.get(operator, operator)
            precedences = self._precedences
            after = precedences.after_sign if operator in "+-" else precedences.after_prefix
            operand = self.expression(max(after, min(least, UNARY)))
            # As in GDB, `&s.*m` is an address; in C++, it has no meaning.
            while operator == "&" and self.accept(".*"):
                operand = ast.Binary(".*", operand, self.expression(UNARY))
            return ast.Unary(operator, operand)
        if self.language.is_pascal and self.accept("@"):
            return ast.Unary("&", self.expression(UNARY))
        if not self.language.is_d and self.accept(POWER):  # of a pointer to a pointer, as in C
            return ast.Unary("*", ast.Unary("*", self.expression(UNARY)))
        if self.token == Token("name", "sizeof", self.token.start):
            self.next()
            if self._type_follows("("):
                self.next()
                return ast.SizeOf(self._type(")"))
            if self.language.is_rust:
                from dwarfgpu.language.syntax.rust_type_names import size_of_array_type  # few

                if (size := size_of_array_type(self)) is not None:
                    return size
            return ast.Unary("sizeof", self.expression(UNARY))
        if self._is_word(_ALIGNMENTS, "("):
            self.next()
            if not self._type_follows("("):  # C and C++ have no alignment of an expression
                self.expect("(")
                raise self.syntax_error()
            self.next()
            return ast.SizeOf(self._type(")"), is_alignment=True)
        if self._is_word(_CASTS, "<"):
            return self._postfix(self._named_cast())
        if self.language.is_d and self._is_word(("cast",), "("):
            self.next()
            self.expect("(")
            return ast.Cast(self._type(")"), self.expression(self._precedences.after_prefix))
        if self._type_follows("("):
            self.next()
            kind = self._type(")")
            if not self._type_follows("{") and self.accept("{"):  # a compound literal
                elements = self.listed("}")
                if not elements:
                    raise self.syntax_error()
                return self._postfix(ast.Cast(kind, ast.Elements(elements)))
            if self._is_list() and self.known.is_opencl_vector(kind):
                return self._vector_literal(kind)
            return ast.Cast(kind, self.expression(UNARY))
        if self._type_follows("{"):
            self.next()
            kind = self._type("}")
            return ast.Cast(kind, self.expression(UNARY), is_memory=True)
        if self.accept("{"):
            elements = self.listed("}")
            if not elements or self.language.is_ada:  # there they are a type before an address
                raise self.syntax_error()
            return self._postfix(ast.Elements(elements))
        return self._postfix(self._primary())

    def _is_list(self) -> bool:
        """Return whether several expressions in parentheses come here."""
        depth = 0
        for token in self.tokens[self.at :]:
            if token.kind == "mark":
                depth += (token.text in _OPENING) - (token.text in _CLOSING)
                if depth == 1 and token.text == ",":
                    return True
            if depth <= 0:
                break
        return False

    def _vector_literal(self, kind: ast.TypeName) -> Node:
        """Parse `(1, 2)` after the type of a vector: its elements (OpenCL C 6.1.6). What follows is
        of the vector, as in clang: `(int2)(1, 2).x`."""
        self.expect("(")
        return self._postfix(ast.Cast(kind, ast.Elements(self.listed(")")), how="vector"))

    def _is_word(self, words: tuple[str, ...], mark: str) -> bool:
        """Return whether one of these words comes here, with that mark behind it, and means no
        object."""
        token, following = self.token, self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        is_one = token.kind == "name" and token.text in words and following.text == mark
        return is_one and not self.known.is_name(token.text)

    def _named_cast(self) -> Node:
        """Parse `static_cast<type>(operand)`."""
        how = self.next().text.removesuffix("_cast")
        self.expect("<")
        kind = self._type(">")
        self.expect("(")
        operand = self.expression(COMMA)
        self.expect(")")
        return ast.Cast(kind, operand, how=how)

    def _unknown_tag(self) -> UsageError | None:
        """Return the error for `struct x` that is no type; None where anything else comes."""
        if self.token.text not in TAGS:
            return None
        return self.known.unknown_type(TypeParser(self, self.type_of).type_name())

    def is_type_of(self, index: int) -> bool:
        """Return whether `typeof(` comes at a position."""
        token = self.tokens[index]
        if token.kind != "name" or token.text not in _TYPES_OF:
            return False
        return self.tokens[index + 1].text == "(" and not self.known.is_name(token.text)

    def type_of(self) -> Node | ast.TypeName | None:
        """Parse `typeof(expression)` or `typeof(type)`, and return the operand; None where
        something else comes."""
        if not self.is_type_of(self.at):
            return None
        self.next()
        if self._type_follows("("):
            self.next()
            return self._type(")")
        self.expect("(")
        operand = self.expression(COMMA)
        self.expect(")")
        return operand

    def _is_component(self) -> bool:
        """Return whether `%name` of Fortran comes here."""
        if not self.language.is_fortran or self.token.text != "%" or self.token.kind != "mark":
            return False
        return self.tokens[self.at + 1].kind == "name"

    def _index(self) -> Node:
        if self.language.is_d or self.language.is_go or self.language.is_rust:
            from dwarfgpu.language.syntax.slices import index_or_slice  # few programs

            return index_or_slice(self)
        return self.expression(ASSIGNMENT if self.language.is_pascal else COMMA)

    def _indexed(self, node: Node) -> Node:
        """Parse what is between brackets after an array."""
        start = self.at
        index = self._index()
        # `a[1,2]` is `a[1][2]` (ISO 7185 6.5.3.2).
        while self.language.is_pascal and self.accept(","):
            node, index = ast.Index(node, index), self.expression(ASSIGNMENT)
        words = self.tokens[start : self.at]
        has_length = any(word.kind == "dollar" and word.text == "$" for word in words)
        if has_length and self.language.is_d:
            # spec/arrays, "Array Length"; it is the last value of the history in GDB's expressions.
            length = "its member length"
            if isinstance(node, ast.Name):
                length = f"{node.name.replace('::', '.')}.length"
            raise UsageError(f"$ is not the length here: that of a dynamic array is {length}")
        self._require_no_comma()
        self.expect("]")
        return ast.Index(node, index)

    def _postfix(self, node: Node) -> Node:
        while True:
            if self.token.kind == "attribute":
                from dwarfgpu.language.syntax.ada_expressions import attribute  # few programs

                node = attribute(self, node)
                continue
            mark = self.accept(".", "->", "[", "(", "++", "--", ALL)
            if mark is None and self._is_component():
                self.next()
                mark = "."
            if mark is None:
                return node
            if mark == ALL:
                node = ast.Unary("*", node)
            elif mark == "." and self.language.is_d and self.token.text == "sizeof":
                self.next()
                node = ast.Unary("sizeof", node)
            elif mark == "." and self._is_size_of_type_in_go(node):
                self.expect("(")
                node = ast.SizeOf(self._type(")"))
            elif mark in (".", "->"):
                prefix = self.accept("~") or ""  # of a destructor
                node = ast.Access(node, prefix + name_at(self, is_member=True), mark == "->")
            elif mark == "[":
                node = self._indexed(node)
            elif mark == "(":
                self._require_name_before_types(node)
                node = ast.Call(node, self._arguments())
            else:
                node = ast.Unary(f"after{mark}", node)

    def _is_size_of_type_in_go(self, operand: Node) -> bool:
        """Return whether `Sizeof(type)` of the package `unsafe` comes here; advance past the name
        if so. It is an extension of GDB, as Go takes an operand."""
        is_package = isinstance(operand, ast.Name) and operand.name == "unsafe"
        if not (self.language.is_go and is_package and self.token.text == "Sizeof"):
            return False
        before = self.at
        self.next()
        is_so = self._type_follows("(") and not self.known.is_name("unsafe")
        if not is_so:
            self.move_to(before)
        return is_so

    def _arguments(self) -> tuple[Node, ...]:
        """Parse what is in the parentheses behind an operand, after the first one."""
        if not self.language.is_fortran:
            return self.listed(")")
        from dwarfgpu.language.syntax.fortran_subscripts import subscripts  # few programs

        return subscripts(self)

    def _require_name_before_types(self, function: Node) -> None:
        """Raise `UsageError` for an unknown function with types in its parentheses."""
        if not isinstance(function, ast.Name) or function.is_quoted or function.file is not None:
            return
        is_type = _is_type_word(self.token.text) and not self.converts_in_fortran(self.at)
        if self.language.is_pascal and is_conversion(self, self.at):
            is_type = False  # `ord` is a function without a name of the program
        if is_type and not self.known.is_name(function.name):
            raise self.known.unknown(function.name)

    def _primary(self) -> Node:
        token = self.token
        match token.kind:
            case "number":
                return self._of_kind() or number(
                    self.next().text,
                    self.radix,
                    self.language.no_imaginary,
                    has_half=self.language.is_opencl,
                )
            case "suffixed":
                return self._suffixed()
            case "character":
                return character(self.next().text)
            case "string":
                return self._string()
            case "logical":
                is_true, words = logical(self.next().text)
                truth = ast.Logical(is_true)
                return truth if words is None else ast.Cast(ast.TypeName(words), truth)
            case "constant":
                return constant(self.next().text)
            case "null":
                self.next()
                to_void = ast.TypeName(("void",), declarators=(ast.Declarator("*"),))
                return ast.Cast(to_void, ast.Integer(0))
            case "dollar":
                return ast.Dollar(self.next().text[1:])
            case "quoted":
                return self._quoted()
            case "object":
                name = self.next().text
                return self._on_entry(name) or ast.Name(name)
            case "name":
                return self._name()
            case _:
                pass
        if self.accept("("):
            node = self.expression(COMMA)
            if self.token.text == "," and self.language.is_ada:
                from dwarfgpu.language.syntax.ada_expressions import NO_AGGREGATES  # few programs

                raise Unsupported(NO_AGGREGATES)
            if self.token.text == "," and self.language.is_rust:
                raise Unsupported("tuple expressions of Rust are not supported")
            if self.language.is_fortran and self.accept(","):
                node = ast.Complex(node, self.expression(ASSIGNMENT))
            self._require_no_comma()
            self.expect(")")
            if self._precedences.apart and isinstance(node, ast.Binary | ast.Membership):
                self._enclosed.append(node)
            if isinstance(node, ast.Name) and self.token.kind in _OPERANDS:
                # Only a cast can continue like this: its type is unknown, which is reported later.
                name = node.name if node.file is None else f"'{node.file}'::{node.name}"
                return ast.Cast(ast.TypeName((name,)), self.expression(UNARY))
            return node
        if self.language.is_rust and self.accept("["):
            from dwarfgpu.language.syntax.rust_expressions import array_expression  # few programs

            return array_expression(self)
        if self.language.is_d and self.accept("["):
            from dwarfgpu.language.syntax.d_expressions import array_literal  # few programs

            return array_literal(self)
        raise self.syntax_error()

    def _suffixed(self, *, is_negative: bool = False) -> Node:
        """Parse a number of Rust with its type, or a character of Go."""
        if self.language.is_go:
            return ast.Integer(int(self.next().text.partition(" ")[0]), RUNE)
        from dwarfgpu.language.syntax.rust_type_names import suffixed  # few programs

        return suffixed(self.next().text, is_negative=is_negative)

    def _of_kind(self) -> Node | None:
        """Parse a number of Fortran with its kind behind it, `0.5_8`; None where something else
        comes."""
        if not self.language.is_fortran:
            return None
        digits, words = kind_of_number(self.token.text)
        if words is None:
            return None
        self.next()
        return ast.Cast(ast.TypeName(words), number(digits, self.radix), how="literal")

    def _string(self) -> Node:
        """Parse adjacent string literals, which are one, but for Ada."""
        literal = string(self.next().text)
        while self.token.kind == "string" and not self.language.is_ada:
            more = string(self.next().text)
            if more.prefix and literal.prefix and more.prefix != literal.prefix:
                raise UsageError("Undefined string concatenation.")
            literal = ast.String(literal.codes + more.codes, literal.prefix or more.prefix)
        if self.language.has_counted_strings:
            return ast.String(literal.codes, literal.prefix, is_counted=True)
        return literal

    def _quoted(self) -> Node:
        """Parse `'file.c'::x`, or a name in quotes."""
        quoted = self.next().text
        if self.token.kind == "name" and self.token.text.startswith("::"):
            if self.known.is_type(quoted):
                return ast.Name(quoted + name_at(self))
            return ast.Name(name_at(self).removeprefix("::"), quoted)
        self.names.append(quoted)
        return ast.Name(quoted, is_quoted=True)

    def property_of_type(self) -> Node | None:
        """Parse `int.max` of D; None where something else comes."""
        if not self.language.is_d:
            return None
        from dwarfgpu.language.syntax.d_expressions import property_of_type  # few programs

        return property_of_type(self)

    def _no_plus(self) -> UsageError:
        """Return the error for the `+` before the current token, which Rust has only between two
        operands; beside another one it is `++`."""
        start = self.tokens[self.at - 1].start
        start -= self.text[max(start - 1, 0) : start] == "+"
        excerpt = self.text[start:][:MAX_SHOWN]
        name = "++" if excerpt.startswith("++") else "unary +"
        return UsageError(f"This language has no {name}, near `{excerpt}'.")

    def _name(self) -> Node:
        token = self.token
        if (cast := self._functional_cast()) is not None:
            return cast
        if self.language.is_d and (of_type := self.property_of_type()) is not None:
            return of_type
        if self.language.is_ada:
            from dwarfgpu.language.syntax.ada_expressions import conversion  # few programs

            if (converted := conversion(self)) is not None:
                return converted
        if self.converts_in_fortran(self.at):
            return ast.Name(self.next().text)
        if _is_type_word(token.text) or fortran_type(self, self.at) is not None:
            unknown = self._unknown_tag()
            raise unknown or UsageError("Attempt to use a type name as an expression")
        if self._is_word(("typeid",), "("):
            raise Unsupported("typeid is not supported in expressions")
        if self.is_type_of(self.at):
            raise UsageError("Attempt to use a type as an expression")
        if self._is_number(token.text):
            return number(self.next().text, self.radix)
        name = name_at(self)
        if self.accept("#"):
            return ast.AddressOf(name, self.expression(UNARY))
        self.names.append(name)
        return self._on_entry(name) or ast.Name(name)

    def _on_entry(self, name: str) -> Node | None:
        """Parse `@entry` after a name, unless an object is called so."""
        is_entry = self.token.text == "@" and self.tokens[self.at + 1].text == "entry"
        if not is_entry or self.known.is_name("entry"):
            return None
        self.next()
        self.next()
        return ast.OnEntry(name)

    def _is_number(self, word: str) -> bool:
        """Return whether a word is no name, but an integer in digits of the radix: `ff`, `ful`."""
        if self.radix <= 10 or not word.isalnum():
            return False
        try:
            is_integer = isinstance(number(word, self.radix), ast.Integer)
        except UsageError:
            return False
        return is_integer and not self.known.is_name(word)

    def converts_in_fortran(self, index: int) -> bool:
        """Return whether the function `int`, `real` or `char` of Fortran comes at a position:
        `real(kind=8)` is a type, which has no other argument, and `int(*)[3]` one of C."""
        if not self.language.is_fortran or self.tokens[index].text.lower() not in CONVERSIONS:
            return False
        texts = [token.text.lower() for token in self.tokens[index + 1 : index + 6]]
        is_type = texts[1:3] == ["kind", "="] and texts[4:] == [")"]
        return texts[:1] == ["("] and not is_type and texts[1:3] != ["*", ")"]

    def _functional_cast(self) -> Node | None:
        """Parse `int(5)`, of C++, Go and Pascal: a type with a single name, and its initializer."""
        if not self.language.has_functional_casts:
            return None
        token = self.token
        if self.tokens[self.at + 1].kind == "end":
            return None
        name, end = simple_type(self)
        if self.tokens[end].text != "(":
            return None
        if token.text not in TYPE_WORDS and not self.known.is_type(name):
            return None
        self.move_to(end + 1)
        operand = self.expression(ASSIGNMENT)
        self.expect(")")
        return ast.Cast(ast.TypeName((name,)), operand)

    def _type_follows(self, mark: str) -> bool:
        """Return whether a mark comes here and a type after it."""
        if self.token.kind != "mark" or self.token.text != mark:
            return False
        after = self.tokens[self.at + 1]
        if after.kind != "name":
            return False
        if self.language.is_ada and is_converting(self, self.at + 1):
            return False
        if self.is_type_of(self.at + 1) or is_opencl_space(self, self.at + 1):
            return True
        if self.converts_in_fortran(self.at + 1):
            return False
        if is_conversion(self, self.at + 1):
            return False
        if _is_type_word(after.text):
            return not (self.language.is_d and self.tokens[self.at + 2].text == ".")
        if (named_type := fortran_type(self, self.at + 1)) is not None:
            return self.tokens[named_type[1]].text == ")"
        name, end = extended_name(self, self.at + 1)
        if mark == "{" and self.tokens[end].text == "}":
            return self.known.is_type(name) or not self.known.is_name(name)
        follows = self.tokens[end]
        is_mark = follows.text in (")", "*", "&", "&&", "[", "(", "@")
        is_qualifier = follows.kind == "name" and follows.text in QUALIFIERS  # `(A const *)`
        may_be_type = is_mark or is_qualifier or is_opencl_space(self, end)
        return may_be_type and self.known.is_type(name)

    def _type(self, end: str) -> ast.TypeName:
        kind = TypeParser(self, self.type_of).type_name()
        self.expect(end)
        return kind
