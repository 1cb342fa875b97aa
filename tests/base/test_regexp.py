"""Regular expressions of users: what `re` says, in time that the text and the expression bound."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dwarfgpu
from dwarfgpu.base.regexp import Regexp, regexp
from dwarfgpu.errors import LimitExceeded, UsageError
from tests.cli.command import run
from tests.work import at_most

ATOMS = ("a", "b", ".", r"\w", r"\b", r"\B", "^", "$", "[ab]", "[^a]", r"[\w-]", r"\.", r"\Z", "_")


def expressions() -> st.SearchStrategy[str]:
    def made(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        counts = st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,2}", "{,1}", "{1,}"])
        return st.one_of(
            st.lists(inner, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
            st.tuples(inner, counts).map(lambda parts: f"(?:{parts[0]}){parts[1]}"),
        )

    return st.recursive(st.sampled_from(ATOMS), made, max_leaves=6)


@given(expressions(), st.text("ab_.- \n", max_size=6))
def test_errors_are_those_of_re(pattern: str, text: str) -> None:
    try:
        theirs = re.compile(pattern)
    except re.error:
        with pytest.raises(UsageError):
            Regexp(pattern)
        return
    ours = Regexp(pattern)
    assert ours.search(text) is (theirs.search(text) is not None)
    assert ours.match(text) is (theirs.match(text) is not None)
    assert ours.fullmatch(text) is (theirs.fullmatch(text) is not None)
    if (found := theirs.search(text)) is not None:
        assert all(any(part in found[0] for part in texts) for texts in ours.required)


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("foo|bar", ["bar foo"]), ("get[A-Z]x", ["get", "x"]), ("get[Gg]x", ["getGx getgx"]),
        ("(foo|ba(r|z)+)q", ["ba foo", "q"]), ("a|b*", []), ("((a{2}){3})", ["aaaaaa"]),
        ("a{2,}b", ["aa", "b"]), ("a{,3}b", ["b"]), ("[0-9]", []), ("", []),
        ("a|b|c|d|e|f|g|h|i", ["a b c d e f g h i"]), ("^x$", ["x"]),
    ],
)  # fmt: skip
def test_texts_that_every_match_has(pattern: str, required: list[str]) -> None:
    assert sorted(" ".join(sorted(texts)) for texts in Regexp(pattern).required) == sorted(required)


def test_texts_of_nested_repetitions_are_found_once() -> None:
    with at_most(20_000):
        assert Regexp(f"({'(' * 90}a{'){9}' * 90}){{0}}b").required == ({"b"},)


@pytest.mark.parametrize(
    "pattern",
    ["a**", "a{2}{3}", "*", "(", ")", "(?P<1>a)", "[a", "[b-a]", "\\", r"\q", r"\x1", "a{2,1}"],
)
def test_what_re_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(re.error):
        re.compile(pattern)
    with pytest.raises(UsageError, match="at position"):
        Regexp(pattern)


@pytest.mark.parametrize(
    "pattern", ["x{", "{2}", "a{b}", "a{,}", "]", "[]a]", "[a-]", r"\x41\n", "a-z"]
)
@pytest.mark.parametrize("text", ["x{", "{2}", "aaaa", "a{b}", "]", "-", "A\n", "a-z", ""])
def test_spellings(pattern: str, text: str) -> None:
    try:
        theirs = re.search(pattern, text) is not None
    except re.error:
        with pytest.raises(UsageError):
            Regexp(pattern)
    else:
        assert Regexp(pattern).search(text) is theirs


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)", "(?<!a)b", "(?i)a", "a++"])
def test_what_has_no_automaton_is_named(pattern: str) -> None:
    re.compile(pattern)
    with pytest.raises(UsageError, match="supported|are read"):
        Regexp(pattern)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a*)*b", "a*a*a*a*a*b", "(a|aa)+$"])
def test_what_hangs_in_re_is_linear(pattern: str) -> None:
    """A hundred times the text takes no more new steps: the sets are known."""
    short, long = ("a" * count + "!" for count in (100, 10_000))
    expression = Regexp(pattern)
    with at_most(2_000):
        assert not expression.search(short)
    before = expression._work_left
    assert not expression.search(long)
    assert expression._work_left == before


def test_many_sets_are_bounded_work() -> None:
    """An expression whose sets double with each character of it, on a text made for it."""
    expression = Regexp("(a|b)*a" + "(a|b)" * 400)
    text = "".join(Random(1).choices("ab", k=100_000))
    with pytest.raises(LimitExceeded, match="takes too many steps"):
        expression.fullmatch(text)


def test_large_expressions_are_refused() -> None:
    assert Regexp("a{1000}").fullmatch("a" * 1000)
    for pattern in ("a{2010}", "(a{100}){100}", "(((a{99}){99}){99}){99}"):
        with at_most(50_000), pytest.raises(UsageError, match="more than 2000 steps"):
            Regexp(pattern)
    with pytest.raises(UsageError, match="nested more than 100 deep"):
        Regexp("(" * 50_000)


def test_long_names_are_no_large_expressions() -> None:
    """The names of templates have thousands of characters; only repetitions can multiply them."""
    name = "Template_" * 1_000
    with at_most(1_000_000):
        expression = Regexp(rf"(?:^|::){name}(?:<.*)?$")
        assert expression.search(f"space::{name}<int>")
        assert not expression.search(f"space::{name}s")


def test_texts_of_users_are_compiled_here_alone() -> None:
    """Front ends give `re` patterns that they spell out, and none that they were given."""
    root = Path(dwarfgpu.__file__).parent
    result: list[str] = []
    for folder in ("language", "view", "service", "options", "cli", "repl"):
        for path in (root / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name(id="re"), attr=function),
                        args=[ast.Name() | ast.Attribute() | ast.Call(), *_],
                    ) if function != "escape":  # it compiles nothing
                        result.append(f"{path.name}:{node.lineno}")
    assert not result


def test_commands_end() -> None:
    """What hung: one text of the user's, and names of a file against an honest expression."""
    pattern, text = "(a+)+$", "a" * 200
    words = ("debug", "--demo", "--batch", "-ex", f'print $_regex("{text}!", "{pattern}")')
    run(*words)  # what is loaded once
    regexp.cache_clear()
    with at_most(20_000):
        assert run(*words).lines[0] == "$1 = false"
    long = "a" * 10_000
    expression = Regexp("a*a*a*b")
    with at_most(50_000):
        assert not any(expression.search(long + str(number)) for number in range(10))
