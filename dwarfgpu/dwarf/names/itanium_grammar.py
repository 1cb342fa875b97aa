"""The grammar of Itanium C++ ABI names (its section 5.1).

Supported are names in namespaces and classes, template arguments that are types and numbers,
functions with their parameters, lambdas, and compiler-generated class symbols (`vtable for X`).
Law: what is not supported raises `NotSupported`; nothing is guessed.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.names.mangled_types import last_name, marked, member, qualified

_MAX_DIGITS: Final = 20
_DEEPEST: Final = 60
_MAX_CHARACTERS: Final = 20_000
"""Maximum length of a demangled name: each letter of a mangled one can double it."""

_SPECIAL: Final = {
    "TV": "vtable for ",
    "TT": "VTT for ",
    "TI": "typeinfo for ",
    "TS": "typeinfo name for ",
}
_OF_VARIABLE: Final = {
    "GV": "guard variable for ",
    "TH": "TLS init function for ",
    "TW": "TLS wrapper function for ",
}
_BUILTIN: Final = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char",
    "h": "unsigned char", "s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int",
    "l": "long", "m": "unsigned long", "x": "long long", "y": "unsigned long long",
    "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double", "e": "long double",
    "g": "__float128", "z": "...",
}  # fmt: skip
_BUILTIN_D: Final = {
    "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t", "Dn": "decltype(nullptr)", "Da": "auto",
    "Dc": "decltype(auto)",
    "Dh": "_Float16",
}  # fmt: skip
_STREAM: Final = "<char, std::char_traits<char> >"
_SHORT: Final = {
    "Sa": "std::allocator",
    "Sb": "std::basic_string",
    "Ss": "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
    "Si": f"std::basic_istream{_STREAM}",
    "So": f"std::basic_ostream{_STREAM}",
    "Sd": f"std::basic_iostream{_STREAM}",
}
"""In full, as GDB and the binutils have them."""
_OPERATORS: Final = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "ng": "-", "ps": "+",
    "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%",
    "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=",
    "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=",
    "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
    "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",",
    "pm": "->*", "pt": "->", "cl": "()", "ix": "[]",
}  # fmt: skip
_CONVERSION: Final = "cv"
_DECLARATOR: Final = pattern(r"\([*&]+\)(?=[ (])")
_AUTO: Final = "auto:"
_SUFFIX: Final = {"j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull", "i": ""}


def operator_codes(name: str) -> tuple[str, ...]:
    """Return what a mangled name may have for `operator+`, `operator new` or `operator bool`."""
    written = "".join(name.removeprefix("operator").split())
    codes = [code for code, text in _OPERATORS.items() if text.replace(" ", "") == written]
    return tuple(codes) or (_CONVERSION,)


class NotSupported(Exception):
    """Part of the name is not read here."""


class ItaniumName:
    """A mangled name, read from its begin."""

    def __init__(self, text: str, *, variables_count: bool | None = None) -> None:
        """`variables_count`: whether a variable that a lambda initializes is a substitution, on
        which compilers do not agree; None reads no substitution whose number depends on it."""
        self.text = text
        self.variables_count = variables_count
        self.position = 2
        self.depth = self.made_count = 0
        self.known: list[str | tuple[str, ...]] = []
        """Substitutions of `S_`, `S0_`; in a pack expansion, one per element."""
        self.sources: dict[int, tuple[int, int]] = {}
        """Where types among the substitutions are written, and how many substitutions are before
        them."""
        self.scope: list[str | tuple[str, ...]] = []
        """The arguments that template parameters of the type denote."""
        self.scopes: dict[int, tuple[bool, list[str | tuple[str, ...]]]] = {}
        """For substitutions that may contain template parameters, those that these denote; whether
        they are of a lambda."""
        self.parameters_read = 0
        self.is_generic: bool | None = None
        """Whether the lambda has an `auto` of its own; None if only substitutions say so."""
        self.known_alike = _MAX_CHARACTERS
        """Substitutions before this one have the same number for every compiler."""
        self.arguments: list[str | tuple[str, ...]] = []
        """Substitutions of `T_`, `T0_`: an argument, or the arguments of a pack."""
        self.element: int | None = None
        """Which one of packs is read; None outside of their expansions."""
        self.pack_size: int | None = None
        """The number of elements of the pack that was read last."""
        self.last = ""
        """The last simple name, which constructors have."""
        self.has_arguments = False
        """Whether the name that was read ends in template arguments."""
        self.has_no_result = False
        self.is_in_lambda = False
        """Whether the parameters of a lambda are read, whose `auto` are template parameters."""
        self.qualifiers = ""

    # Text

    def at(self, *options: str) -> str | None:
        """Consume and return the option that comes next; None if none matches."""
        for option in options:
            if self.text.startswith(option, self.position):
                self.position += len(option)
                return option
        return None

    def peek(self, count: int = 1) -> str:
        return self.text[self.position : self.position + count]

    def expect(self, expected: str) -> None:
        if self.at(expected) is None:
            raise NotSupported

    def number(self) -> int:
        start = self.position
        while is_decimal(self.peek()) and self.position - start < _MAX_DIGITS:
            self.position += 1
        if start == self.position:
            raise NotSupported
        return int(self.text[start : self.position])

    def keep(self, text: str) -> str:
        if self.parameters_read:
            self.scopes[len(self.known)] = self.is_in_lambda, self.scope
        self.known.append(text)
        return text

    def bounded(self, text: str) -> str:
        self.made_count += len(text)
        if self.made_count > 10 * _MAX_CHARACTERS or len(text) > _MAX_CHARACTERS:
            raise NotSupported
        return text

    # Names

    def whole(self) -> str:
        text = self.encoding()
        if self.position != len(self.text):
            raise NotSupported
        return text

    def encoding(self, *, is_inner: bool = False) -> str:
        """Read an entity with its parameters; `is_inner`: a function that encloses a name, without
        its result type."""
        special = self.at(*_SPECIAL)
        if special is not None:
            return _SPECIAL[special] + self.type()
        if self.at("TC") is not None:
            derived = self.type()
            self.number()
            self.expect("_")
            return f"construction vtable for {self.type()}-in-{derived}"
        if self.at("TA") is not None:
            (object_text,) = self.argument()
            return f"template parameter object for {object_text}"
        variable = self.at(*_OF_VARIABLE)
        if variable is not None:
            return _OF_VARIABLE[variable] + self.name()
        thunk = self.thunk()
        if thunk is not None:
            self.enter()
            return thunk + self.encoding()
        name = self.name()
        if self.position == len(self.text) or self.peek() == "E":
            return name
        qualifiers, has_result = self.qualifiers, self.has_arguments and not self.has_no_result
        result = self.type() if has_result else ""
        function = f"{name}{self.parameters()}{qualifiers}"
        return function if is_inner or not result else _returning(result, function)

    def thunk(self) -> str | None:
        """Read a thunk, which adjusts `this` and calls the function."""
        kind = self.at("Th", "Tv", "GTt")
        if kind is None:
            return None
        if kind == "GTt":
            return "transaction clone for "
        for _ in kind[1:] if kind == "Th" else "vv":
            self.at("n")
            self.number()
            self.expect("_")
        return "non-virtual thunk to " if kind == "Th" else "virtual thunk to "

    def parameters(self) -> str:
        parts: list[str] = []
        start = self.position
        while self.position < len(self.text) and self.peek() != "E":
            parts += self.types()
        if self.position == start:
            raise NotSupported
        return "()" if parts == ["void"] else f"({', '.join(parts)})"

    def name(self) -> str:
        self.qualifiers = ""
        self.has_no_result = self.has_arguments = False
        if self.peek() == "N":
            return self.nested()
        if self.peek() == "Z":
            return self.local()
        if self.peek(2) == "St":
            self.position += 2
            text = "std::" + self.simple()
        elif self.peek() == "S":
            text = self.substitution()
        else:
            text = self.simple()
            if self.peek() != "I":
                return text
            self.keep(text)
            return self.with_arguments(text)
        if self.peek() == "I":
            if text.startswith("std::") and self.text[self.position - 1] != "_":
                self.keep(text)
            return self.with_arguments(text)
        return text

    def local(self) -> str:
        """Read `f(int)::x`."""
        self.expect("Z")
        self.enter()
        function = self.encoding(is_inner=True)
        self.expect("E")
        if self.at("s") is not None:
            raise NotSupported
        if self.at("d") is not None:  # of the last parameter: 1
            function += f"::{{default arg#{self.compact_number()}}}"
        name = self.name()
        self.discriminator()
        self.depth -= 1
        return f"{function}::{name}"

    def compact_number(self) -> int:
        """Read `_`, `0_`, `1_`…: 1, 2, 3…"""
        count = 1 if self.at("_") is not None else self.number() + 2
        if count > 1:
            self.expect("_")
        return count

    def discriminator(self) -> None:
        """Skip `_0`, `__10_`: which of that name in the function; demanglers omit it."""
        if self.at("_") is None:
            return
        is_long = self.at("_") is not None
        if is_long:
            self.number()
            self.expect("_")
        elif is_decimal(self.peek()):
            self.position += 1
        else:
            raise NotSupported

    def unnamed(self) -> str:
        """Return the name of an unnamed entity with its number: `{lambda(int)#1}`, `{unnamed
        type#1}`."""
        text = "unnamed type"
        is_guessed = False
        if self.at("Ut") is None:
            self.expect("Ul")
            self.enter()
            # `T_`, and its substitution, are parameters of its own.
            outer, self.is_in_lambda = self.is_in_lambda, True
            is_generic, self.is_generic = self.is_generic, False
            text = f"lambda{self.parameters()}"
            is_guessed = self.is_generic is None
            self.is_generic = is_generic
            self.expect("E")
            self.is_in_lambda = outer
            self.depth -= 1
        count = self.compact_number()
        if is_guessed and self.peek(3) != "clI":
            raise NotSupported  # maybe a parameter of the function around
        return f"{{{text}#{count}}}"

    def nested(self) -> str:
        self.expect("N")
        words = ""
        while (qualifier := self.at("r", "V", "K")) is not None:
            words = {"r": " restrict", "V": " volatile", "K": " const"}[qualifier] + words
        qualifiers = words
        reference = self.at("R", "O")
        qualifiers += {"R": " &", "O": " &&", None: ""}[reference]
        text = ""
        self.has_arguments = self.has_no_result = False
        while self.at("E") is None:
            if self.peek() == "S" and not text:
                text = "std" if self.at("St") is not None else self.substitution()
                continue
            if text and self.at("M") is not None:
                self.leave_variable(text)
                continue
            if self.peek() == "I" and text:
                text = self.with_arguments(text)
            elif self.peek() == "T" and not text:
                text = self.parameter()
                self.has_arguments = False
            else:
                simple = self.simple()
                text = f"{text}::{simple}" if text else simple
                self.has_arguments = False
            if self.peek() != "E":
                self.keep(self.bounded(text))
        if not text:
            raise NotSupported
        self.qualifiers = qualifiers
        return text

    def leave_variable(self, text: str) -> None:
        """Begin the scope of a lambda that initializes a variable, which was read last."""
        last = len(self.known) - 1
        if self.variables_count is None:
            self.known_alike = min(self.known_alike, last)
        elif not self.variables_count and self.known[-1:] == [text]:
            self.known.pop()
            self.sources.pop(last, None)
            self.scopes.pop(last, None)

    def simple(self) -> str:
        """Return a source name, an operator, a constructor, with its ABI tags."""
        self.at("L")
        text = self.untagged()
        while self.at("B") is not None:
            size = self.number()
            text += f"[abi:{self.peek(size)}]"
            self.position += size
        return text

    def untagged(self) -> str:
        if is_decimal(self.peek()):
            size = self.number()
            name = self.text[self.position : self.position + size]
            if len(name) != size or not size:
                raise NotSupported
            self.position += size
            if name.startswith("_GLOBAL__N"):
                return "(anonymous namespace)"
            self.last = name
            self.has_no_result = False
            return name
        if self.peek() == "U":
            return self.unnamed()
        if self.peek() in ("C", "D") and is_decimal(self.peek(2)[1:]):
            mark = self.peek()
            self.position += 2
            self.has_no_result = True
            return ("~" if mark == "D" else "") + self.last
        if self.at("CI1", "CI2") is not None:
            base = self.type()  # its inherited constructor has its name
            self.has_no_result = True
            return _simple_name(base)
        if self.at("cv") is not None:
            kind = self.type()
            self.has_no_result = True
            return f"operator {kind}"
        operator = self.at(*_OPERATORS)
        if operator is not None:
            return "operator" + _OPERATORS[operator]
        if self.at("li") is not None and is_decimal(self.peek()):
            return f'operator"" {self.untagged()}'
        raise NotSupported

    def with_arguments(self, text: str) -> str:
        self.expect("I")
        self.enter()
        last, has_no_result = self.last, self.has_no_result
        arguments: list[str | tuple[str, ...]] = []
        shown: list[str] = []
        while self.at("E") is None:
            is_pack = self.peek() == "J" or self.peek(2) == "Dp" or self.peek(3) == "Xsp"
            parts = self.argument()
            arguments += [tuple(parts)] if is_pack else parts
            shown += parts
        self.arguments = arguments
        self.last, self.has_arguments, self.has_no_result = last, True, has_no_result
        self.depth -= 1
        inside = ", ".join(shown)
        space = " " if inside.endswith(">") else ""
        opening = " <" if text.endswith("<") else "<"
        return self.bounded(f"{text}{opening}{inside}{space}>")

    def argument(self) -> list[str]:
        """Read a type or number; of a pack, any number of them."""
        if self.at("J") is not None:
            self.enter()
            arguments: list[str] = []
            while self.at("E") is None:
                arguments += self.argument()
            self.depth -= 1
            return arguments
        if self.at("XadL_Z") is not None:
            name, parameters = self.entity()
            self.expect("E")
            self.expect("E")
            is_member = "::" in name  # as in binutils
            return [f"&{name}" if is_member or not parameters else f"&({name}{parameters})"]
        if self.at("L_Z") is not None:
            name, parameters = self.entity()
            self.expect("E")
            return [name + parameters]
        if self.at("X") is not None:
            elements = self.types("sp") if self.peek(2) == "sp" else [self.expression()]
            self.expect("E")
            return elements
        if self.at("L") is None:
            return self.types()
        kind = self.peek()
        if kind == "b":
            self.position += 1
            text = {"0": "false", "1": "true"}.get(self.peek())
            if text is None:
                raise NotSupported
            self.position += 1
        else:
            where = self.position
            spelled = self.type()
            sign = "-" if self.at("n") is not None else ""
            digits = sign + str(self.number())
            plain = kind in _SUFFIX and self.position > where
            text = digits + _SUFFIX[kind] if plain else f"({spelled}){digits}"
        self.expect("E")
        return [text]

    def expression(self) -> str:
        """Read an expression: of a parameter, an object without initializers, `L{}`, or an instance
        of a template outside of namespaces."""
        if self.at("tl") is not None:
            text = self.type()
            self.expect("E")
            return f"{text}{{}}"
        if not is_decimal(self.peek()):
            return self.parameter()
        before = self.last, self.arguments, self.has_arguments, self.has_no_result
        text = self.with_arguments(self.untagged())
        self.last, self.arguments, self.has_arguments, self.has_no_result = before
        return text

    def entity(self) -> tuple[str, str]:
        """Read a variable or function in an argument: its name, and the parameters of a function
        with its qualifiers."""
        self.enter()
        before = self.last, self.arguments, self.has_arguments, self.has_no_result, self.qualifiers
        self.arguments, self.has_arguments, self.has_no_result = [], False, False
        name = self.name()
        parameters = ""
        if self.peek() != "E":
            qualifiers = self.qualifiers
            if self.has_arguments and not self.has_no_result:
                self.type()
            parameters = f"{self.parameters()}{qualifiers}"
        self.last, self.arguments, self.has_arguments, self.has_no_result, self.qualifiers = before
        self.depth -= 1
        return name, parameters

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotSupported

    def substitution(self) -> str:
        short = self.at(*_SHORT)
        if short is not None:
            self.last = last_name(_SHORT[short])
            return _SHORT[short]
        self.expect("S")
        index = self.sequence()
        if index >= min(len(self.known), self.known_alike):
            raise NotSupported
        text = self.known[index]
        scope = self.scopes.get(index)
        if scope is not None:
            self.parameters_read += 1
            if scope != (self.is_in_lambda, self.scope):
                is_generic = self.is_generic or None
                text = self.read_again(index)
                self.is_generic = is_generic
        if not isinstance(text, str):
            text = self.of_pack(text)
        self.last = last_name(text)
        return text

    def read_again(self, index: int) -> str:
        """Read the type of a substitution where template parameters mean something else."""
        if index not in self.sources:
            raise NotSupported
        begin, count = self.sources[index]
        if self.text.startswith("Dp", begin):
            raise NotSupported
        (text,) = self.types_from(begin, count)
        return text

    def types_from(self, begin: int, count: int) -> list[str]:
        """Read again the types at `begin`, where the first `count` substitutions were known."""
        after = self.position, self.known, self.sources, self.scopes
        self.position, self.known = begin, self.known[:count]
        self.sources, self.scopes = dict(self.sources), dict(self.scopes)
        texts = self.types()
        self.position, self.known, self.sources, self.scopes = after
        return texts

    def sequence(self) -> int:
        """Read `_`, `0_`, `1_`… in base 36: 0, 1, 2…"""
        start = self.position
        while self.peek() not in ("_", "") and self.position - start < 5:
            self.position += 1
        digits = self.text[start : self.position]
        self.expect("_")
        if not digits:
            return 0
        if not (digits.isascii() and digits.isalnum()) or digits != digits.upper():
            raise NotSupported
        return int(digits, 36) + 1

    def parameter(self) -> str:
        """Read `T_`: a template parameter."""
        self.expect("T")
        index = self.sequence()
        self.parameters_read += 1
        if self.is_in_lambda:
            self.is_generic = True
            return f"{_AUTO}{index + 1}"
        if index >= len(self.arguments):
            raise NotSupported
        argument = self.arguments[index]
        return argument if isinstance(argument, str) else self.of_pack(argument)

    def of_pack(self, parts: tuple[str, ...]) -> str:
        """Return the part for the current element; empty if the pack is empty and nothing is
        shown."""
        if self.element is None or self.pack_size not in (None, len(parts)):
            raise NotSupported
        self.pack_size = len(parts)
        return parts[self.element] if parts else ""

    # Types

    def types(self, expansion: str = "Dp") -> list[str]:
        """Read a type; of the expansion of a pack (`Dp`, `sp`) one for each of its elements."""
        begin = self.position
        if self.at(expansion) is None:
            pack = self.pack_of_lambda()
            return [self.type()] if pack is None else pack
        if self.is_in_lambda:
            text = self.keep(f"({self.type()})...")
            self.sources[len(self.known) - 1] = begin, len(self.known) - 1
            return [text]
        read = self.type if expansion == "Dp" else self.parameter
        start, before = self.position, len(self.known)
        around = self.element, self.pack_size
        texts: list[str] = []
        known: list[list[str | tuple[str, ...]]] = []
        count: int | None = 1
        while not texts or (count is not None and len(texts) < count):
            self.position, self.element, self.pack_size = start, len(texts), None
            del self.known[before:]
            texts.append(read())
            known.append(self.known[before:])
            count = self.pack_size
        self.element, self.pack_size = around
        if count is None or len({*map(len, known)}) > 1:
            raise NotSupported
        if expansion == "Dp":
            self.known[before:] = [
                tuple(map(str, parts[:count])) for parts in zip(*known, strict=True)
            ]
            self.keep("")
            self.known[-1] = tuple(texts[:count])
        return texts[:count]

    def pack_of_lambda(self) -> list[str] | None:
        """Read the substitution of a pack in the parameters of a lambda, outside of these."""
        start = self.position
        if self.is_in_lambda or self.peek() != "S" or self.peek(2) in (*_SHORT, "St"):
            return None
        self.position += 1
        index = self.sequence()
        end = self.position
        begin, count = self.sources.get(index, (start, 0))
        if not self.text.startswith("Dp", begin) or self.known[index][0] != "(":
            self.position = start
            return None
        self.position = end
        return self.types_from(begin, count)

    def type(self) -> str:
        self.enter()
        arguments, has_arguments = self.arguments, self.has_arguments
        start, count, read = self.position, len(self.known), self.parameters_read
        scope, self.scope = self.scope, arguments
        text = self.bounded(self._type())
        if len(self.known) > count and self.known[-1] == text:
            self.sources[len(self.known) - 1] = start, count
            if read == self.parameters_read:
                self.scopes.pop(len(self.known) - 1, None)
        self.scope = scope
        self.arguments, self.has_arguments = arguments, has_arguments
        self.depth -= 1
        return text

    def _type(self) -> str:
        head = self.peek()
        two = self.at(*_BUILTIN_D)
        if two is not None:
            return _BUILTIN_D[two]
        if head in _BUILTIN:
            self.position += 1
            return _BUILTIN[head]
        if head in ("r", "V", "K"):
            return self.keep(self.qualified())
        if head in ("P", "R", "O"):
            self.position += 1
            return self.keep(marked(self.type(), {"P": "*", "R": "&", "O": "&&"}[head]))
        if head == "F":
            return self.keep(self.function())
        if head == "A":
            self.position += 1
            count = "" if self.peek() == "_" else str(self.number())
            self.expect("_")
            element = self.type()
            index = element.find(" [")
            whole = f"{element} [{count}]"
            if index >= 0:
                whole = f"{element[:index]} [{count}]{element[index + 1 :]}"
            return self.keep(whole)
        if head == "M":
            self.position += 1
            container = self.type()
            return self.keep(member(self.type(), container))
        if head == "T":
            text = self.keep(self.parameter())
            return self.keep(self.with_arguments(text)) if self.peek() == "I" else text
        if head == "S" and self.peek(2) != "St":
            is_short = self.peek(2) in _SHORT
            text = self.substitution()
            if self.peek() == "I":
                return self.keep(self.with_arguments(text))
            if is_short or text:
                return text
        saved = self.last
        text = self.name()
        self.last = saved
        return self.keep(text)

    def qualified(self) -> str:
        words = ""
        while (qualifier := self.at("r", "V", "K")) is not None:
            words = {"r": " restrict", "V": " volatile", "K": " const"}[qualifier] + words
        inner = self.type()
        text = qualified(inner, words)
        if text is None:
            raise NotSupported
        return text

    def function(self) -> str:
        self.expect("F")
        self.at("Y")
        result = self.type()
        if result.endswith((")", "]")):
            raise NotSupported
        parameters = self.parameters()
        self.expect("E")
        return f"{result} {parameters}"


def _returning(result: str, function: str) -> str:
    """Return a function after its result type: in the declarator of an array or a function."""
    depth = 0
    for index, character in enumerate(result):
        depth += (character == "<") - (character == ">")
        declarator = None if depth else _DECLARATOR.match(result, index)
        if declarator is not None:
            end = declarator.end() - 1
            return f"{result[:end]}{function}{result[end:]}"
    return f"{result} {function}"


def _simple_name(text: str) -> str:
    """Return the name of a class without scopes and template arguments."""
    depth, begin, end = 0, 0, None
    for index, character in enumerate(text):
        if character == "<":
            end = index if not depth else end
            depth += 1
        elif character == ">":
            depth -= 1
        elif character == ":" and not depth:
            begin, end = index + 1, None
    return text[begin:end]
