"""Syntax trees: precedences as in C, types by asking, errors in GDB's words, limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from dwarfgpu.base.records import fields
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import LimitExceeded, Unsupported, UsageError
from dwarfgpu.language.syntax import ast, cursor
from dwarfgpu.language.syntax.expression_language import source_language
from dwarfgpu.language.syntax.parser import parse
from dwarfgpu.language.syntax.tokens import Token

UNKNOWN = ("nosuch", "static_cast", "alignof", "typeid", "decltype", "entry")


class Known:
    """A program with two types, a template and a function."""

    def is_type(self, name: str) -> bool:
        return name in ("T", "ns::T", "Box<int>", "Box<Box<int>>", "ns::Box<T, 2>")

    def is_unreserved(self, word: str) -> bool:
        return False

    language = source_language(0x04)  # C++

    def is_opencl_vector(self, name: ast.TypeName) -> bool:
        return False

    def joined_names(self, names: Sequence[str]) -> tuple[int, str]:
        return 1, names[0]

    def quoted(self, name: str) -> str:
        return name

    def is_name(self, name: str) -> bool:
        return self.is_type(name) or name not in UNKNOWN

    def unknown(self, name: str) -> UsageError:
        return UsageError(f'No symbol "{name}" in current context.')


KNOWN = Known()


def spelled(node: ast.Node) -> str:
    """The tree with all its parentheses."""
    match node:
        case ast.Integer() | ast.Floating():
            return str(node.number)
        case ast.Name():
            return node.name if node.file is None else f"'{node.file}'::{node.name}"
        case ast.Dollar():
            return f"${node.name}"
        case ast.Unary():
            return f"({node.operator}{spelled(node.operand)})"
        case ast.Binary():
            return f"({spelled(node.left)}{node.operator}{spelled(node.right)})"
        case ast.Assign():
            return f"({spelled(node.left)}{node.operator or ''}={spelled(node.right)})"
        case ast.Conditional():
            return f"({spelled(node.condition)}?{spelled(node.yes)}:{spelled(node.no)})"
        case ast.Access():
            return f"({spelled(node.operand)}{'->' if node.is_arrow else '.'}{node.name})"
        case ast.Index():
            return f"({spelled(node.operand)}[{spelled(node.index)}])"
        case ast.Cast():
            return f"(<{type_text(node.type)}>{spelled(node.operand)})"
        case ast.SizeOf():
            return f"sizeof<{type_text(node.type)}>"
        case ast.AddressOf():
            return f"({node.space}#{spelled(node.address)})"
        case _:
            return repr(node)


def type_text(name: ast.TypeName) -> str:
    words = [*name.qualifiers, *([name.tag] if name.tag else []), *name.words]
    steps = [
        f"[{step.count}]" if step.kind == "[]" else step.kind + "".join(step.qualifiers)
        for step in name.declarators
    ]
    return " ".join(words + steps)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1+2*3-4", "((1+(2*3))-4)"),
        ("a=b+=1", "(a=(b+=1))"),
        ("a ? b : c ? d : e", "(a?b:(c?d:e))"),
        ("a ? b, c : d, e", "((a?(b,c):d),e)"),
        ("a || b && c | d ^ e & f == g < h << i + j", "(a||(b&&(c|(d^(e&(f==(g<(h<<(i+j)))))))))"),
        ("x[0] + 1 @ 2 << 3", "((((x[0])+1)@2)<<3)"),
        ("*p@3", "((*p)@3)"),
        ("-a.b[3]->c++", "(-(after++(((a.b)[3])->c)))"),
        ("!~-+*&x", "(!(~(-(+(*(&x))))))"),
        ("sizeof x + 1", "((sizeofx)+1)"),
        ("sizeof(T) + 1", "(sizeof<T>+1)"),
        ("sizeof(x)", "(sizeofx)"),
        ("(T)x", "(<T>x)"),
        ("(ns::T *)x", "(<ns::T *>x)"),
        ("(Box<Box<int>> *)x", "(<Box<Box<int>> *>x)"),
        ("ns::Box<T, 2>::made", "ns::Box<T, 2>::made"),
        ("f(int)::n + 1", "(f(int)::n+1)"),
        ("f()::n", "f()::n"),
        ("f(T *, const char *) const", "f(T *, const char *) const"),
        ("x < y && z > 1", "((x<y)&&(z>1))"),
        ("x<1", "(x<1)"),
        ("x.m(char)", "(x.m(char))"),
        ("(x)", "x"),
        ("(x)+1", "(x+1)"),
        ("(char)-1", "(<char>(-1))"),
        ("(unsigned long int)1", "(<unsigned long int>1)"),
        ("(const char *const *)p", "(<const char *const *>p)"),
        ("(char const *)p", "(<const char *>p)"),
        ("(struct s *)p", "(<struct s *>p)"),
        ("(int (*)[4])p", "(<int [4] *>p)"),
        ("(int *[4])p", "(<int * [4]>p)"),
        ("(int [2][3])p", "(<int [3] [2]>p)"),
        ("(int (*)(char, ...))p", "(<int () *>p)"),
        ("(int @local *)p", "(<@local int *>p)"),
        ("{int} p", "(<int>p)"),
        ("local#0x10 + 1", "((local#16)+1)"),
        ("'file.c'::x", "'file.c'::x"),
        ("::x", "::x"),
        ("a::b::c", "a::b::c"),
        ("f :: x", "f::x"),
        ("'name with spaces'", "name with spaces"),
        ("$v3[1]", "($v3[1])"),
        ("$$2", "$$2"),
        ("three._vptr$shape", "(three._vptr$shape)"),  # GDB: `lex_one_token` takes `$` in names
        ("a$1+$b", "(a$1+$b)"),
        ("(nosuch)1", "(<nosuch>1)"),
        ("x.y.z", "((x.y).z)"),
    ],
)
def test_trees(text: str, expected: str) -> None:
    assert spelled(parse(text, KNOWN)) == expected


@pytest.mark.parametrize(
    ("text", "prefix", "codes"),
    [
        (r'"\u00e9"', "", (0xC3, 0xA9)),
        (r'"\x41\u0041"', "", (0x41, 0x41)),
        (r'"\U0001F600"', "", tuple("\U0001f600".encode())),
        (r'"\u12"', "", (0x12,)),
        (r'"\u004142"', "", (0x41, 0x34, 0x32)),
        (r'L"\u263a"', "L", (0x263A,)),
        (r'U"\U0001F600"', "U", (0x1F600,)),
        (r'u"\U0001F600"', "u", (0xD83D, 0xDE00)),
        (r"'\u0041'", "", (0x41,)),
        (r"L'\u263a'", "L", (0x263A,)),
        (r"U'\u263a'", "U", (0x263A,)),
    ],
)
def test_universal_character_names(text: str, prefix: str, codes: tuple[int, ...]) -> None:
    """As GDB: with fewer digits too, and encoded as the prefix says (C 6.4.3, 6.4.5)."""
    literal = parse(text, KNOWN)
    assert isinstance(literal, ast.String | ast.Character) and literal.prefix == prefix
    assert codes == (literal.codes if isinstance(literal, ast.String) else (literal.code,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "A syntax error in expression, near `'."),
        ("1 +", "A syntax error in expression, near `'."),
        ("1 + ) + 2", "A syntax error in expression, near `) + 2'."),
        ("a b", "A syntax error in expression, near `b'."),
        ("x.", "A syntax error in expression, near `'."),
        ("f(1,)", "A syntax error in expression, near `)'."),
        ("f(,1)", "A syntax error in expression, near `,1)'."),
        ("{1, 2,}", "A syntax error in expression, near `}'."),
        ("x.3", "A syntax error in expression, near `.3'."),
        ("a[1", "A syntax error in expression, near `'."),
        ("a ? b", "A syntax error in expression, near `'."),
        ("(int", "A syntax error in expression, near `'."),
        ("int", "Attempt to use a type name as an expression"),
        ("1;", "Invalid character ';' in expression."),
        ("\\", "Invalid character '\\' in expression."),
        ("'a", "Unmatched single quote."),
        ('"a', "Unterminated string in expression."),
        ("''", "A character constant must contain at least one character."),
        (r"'\u00e9'", "Could not convert character constant to target character set"),
        (r"u'\U0001F600'", "Could not convert character constant to target character set"),
        (r"'\u0041\u0041'", "Invalid character constant."),
        (r'"\x"', r"\x escape without a following hex digit"),
        (r'"\uz"', r"\u escape without a following hex digit"),
        (r'"\U"', r"\U escape without a following hex digit"),
        (r'"\uD800"', "Could not convert character to `UTF-8' character set"),
        (r'u"\uDFFF"', "Could not convert character to `UTF-16LE' character set"),
        (r'L"\U00110000"', "Could not convert character to `UTF-32LE' character set"),
        ('u"\udcff"', "Could not convert character to `UTF-16LE' character set"),
        ("08", 'Invalid number "08".'),
        ("1ulu", 'Invalid number "1ulu".'),
        ("0x", 'Invalid number "0x".'),
        ("1e9999999", "Numeric constant too large."),
        ("9" * 5000 + ".0", "Numeric constant too large."),
        ("(int[99999999999999999])x", "Invalid number of elements of an array type."),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text, KNOWN)
    assert caught.value.message == message


def test_names_in_an_unknown_scope_are_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a search of all units; the evaluation looks up the whole name."""
    asked: list[str] = []

    def is_name(name: str) -> bool:
        asked.append(name)
        return False

    monkeypatch.setattr(KNOWN, "is_name", is_name)
    assert spelled(parse("a<b>::a<b>::a<b>::a", KNOWN)) == "a<b>::a<b>::a<b>::a"
    assert {*asked} <= {"a<b>", "a", "a<b>::a<b>::a<b>::a"}


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "-" * 5000 + "1",
        "1" + "+1" * 4000,
        "a" + ".b" * 3000,
        "a" + "[0]" * 3000,
        "1?" * 2000,
        "a=" * 2000 + "1",
        "(int" + "(" * 2000,
        "(int" + "*" * 2000 + ")x",
        "(int" + "[2]" * 2000 + ")x",
        "(char)" * 1500 + "1",
        "sizeof " * 1000 + "1",
        "(" + "decltype(" * 1000 + "x",
        "x" * 10_001,
    ],
)
def test_depth_is_limited(text: str) -> None:
    with pytest.raises(LimitExceeded):
        parse(text, KNOWN)


class KnownOfRust(Known):
    language = source_language(dw.LANG_RUST)


@pytest.mark.parametrize(
    ("before", "after"),
    [("(", ",T)"), ("(", ")"), ("&(", ",)"), ("[", ";2]"), ("& ", ""), ("*const ", "")],
)
def test_depth_of_types_of_rust_is_limited(before: str, after: str) -> None:
    for depth in (101, 900):
        with pytest.raises(LimitExceeded, match="an expression nested more than 100 deep"):
            parse(f"x as {before * depth}T{after * depth}", KnownOfRust())


def test_a_height_counts_every_child() -> None:
    leaf = ast.Integer(1)
    low = ast.Unary("-", leaf)
    assert low.height == 1
    assert ast.Binary("+", leaf, low).height == ast.Index(low, leaf).height == 2
    assert ast.Conditional(leaf, leaf, low).height == 2
    assert all(field.name != "height" or not field.init for field in fields(ast.Call))


@pytest.mark.parametrize(
    ("expression", "word"),
    [("typeid(int)", "typeid"), ("1 + typeid(int)", "typeid")],
)
def test_operators_that_are_not_supported_are_named(expression: str, word: str) -> None:
    with pytest.raises(Unsupported, match=f"^{word} is not supported in expressions"):
        parse(expression, KNOWN)
    parse("typeof(x)", KNOWN)  # a name of the program
    parse(word, KNOWN)


def test_values_on_entry() -> None:
    """GDB's word binds tighter than every operator, and is no name of the program."""
    assert parse("x@entry", KNOWN) == ast.OnEntry("x")
    assert parse("*x@entry + 1", KNOWN) == parse("(*(x@entry)) + 1", KNOWN)
    assert parse("sizeof(x @ entry)", KNOWN) == parse("sizeof(x@entry)", KNOWN)
    assert isinstance(parse("x@y", KNOWN), ast.Binary)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("not x and y or z", "!x && y || z"),
        ("compl x bitand y bitor z xor x", "~x & y | z ^ x"),
        ("x not_eq y", "x != y"),
        ("x and_eq y", "x &= y"),
        ("x or_eq y", "x |= y"),
        ("x xor_eq y", "x ^= y"),
        ("int(x) + 1", "(int) (x) + 1"),
        ("T(x).y", "((T) (x)).y"),
        ("ns::T(5.5)", "(ns::T) (5.5)"),
    ],
)
def test_words_of_cplusplus(text: str, same: str) -> None:
    assert parse(text, KNOWN) == parse(same, KNOWN)


def test_lanes_share_the_words_of_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    split = cursor.tokens

    def counted(text: str, radix: int, **kinds: bool | None) -> Iterator[Token]:
        texts.append(text)
        return split(text)

    monkeypatch.setattr(cursor, "tokens", counted)
    text = "shared + words - 17"
    trees = [parse(text, KNOWN) for _ in range(64)]
    assert texts == [text] and all(tree == trees[0] for tree in trees)


class KnownToC(Known):
    """The same program in C."""

    language = source_language(0x0C)


@pytest.mark.parametrize(
    ("text", "in_cplusplus", "in_c"),
    [
        ("s.b < 5 > (0)", "(((s.b)<5)>0)", "(((s.b)<5)>0)"),
        ("s.b<5>", "(s.b<5>)", None),
        ("s.b<5>(0) + 1", None, "(((s.b)<5)>(0+1))"),
        ("s.nosuch < -3 > (t)", "(((s.nosuch)<(-3))>t)", "(((s.nosuch)<(-3))>t)"),
        ("s.get<int>", "(s.get<int>)", None),
    ],
)
def test_templates_of_members(text: str, in_cplusplus: str | None, in_c: str | None) -> None:
    """C has none; in C++ they adjoin the name, as in GDB, or have a type."""
    if in_cplusplus is not None:
        assert spelled(parse(text, KNOWN)) == in_cplusplus
    if in_c is not None:
        assert spelled(parse(text, KnownToC())) == in_c


@pytest.mark.parametrize("text", ["s.b <", "s.b < ", "s.b <int"])
def test_a_member_before_an_unfinished_comparison(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text, KNOWN)
