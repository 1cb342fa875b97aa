"""The code speaks the language of its field: no private vocabulary in names, documentation and
messages (docs/contributing.md)."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

import pytest

WORDS = frozenset({"told", "tell", "tells", "nobody", "somebody", "whoever", "spot", "spots"})
"""Words in names that do not say what something is, and to whom."""
NAMES = WORDS | {
    *("both", "done", "each", "elsewhere", "found", "given", "held", "lost", "made", "seen"),
    *("near", "nowhere", "others", "ours", "stuff", "theirs", "thing"),
}
"""Whole names in place of a noun."""
PLACES = frozenset({"place", "places"})
"""A location, an address, an index, a source line or a linespec: which one, says its noun."""
USERS_PLACES = {
    "base/limits.py": {"places"},  # --max-places
    "cli/disas.py": {"place"},  # the argument PLACE
    "cli/lanes.py": {"verify_places"},  # --verify-places
    "language/code_positions.py": {"code_places", "place_at"},  # docs/library.md
    "machine/state/state_target.py": {"place_wave", "place_scratch"},  # the verb
    "objfile/borrowed_file.py": {"_in_place"},
    "objfile/relocate.py": {"place"},  # P of the ELF ABIs
    "options/given_contents.py": {"place_scratch"},  # the verb
    "options/integer_options.py": {"PLACE", "PLACE_HELP"},  # the argument PLACE
    "service/value/printf_fields.py": {"places"},  # of a decimal number
    "view/text_of_bits.py": {"_is_in_place"},
}
PROSE = re.compile(
    r"\b(told|tells|nobody|somebody|whoever|of which|stands? for|so many|that go on"
    r"|(cannot|could not) go on|goes on (from|after|with|where|until)|by a jump|at hand"
    r"|says nothing|is not there|assigns nothing"
    r"|in (GDB|ROCgdb|LLVM)'s words|in the words of (C|GDB|LLVM|debuggers|`llvm-objdump`))\b",
    re.IGNORECASE,
)
SUSPECT = re.compile(
    r"told|tell|nobody|somebody|whoever|of which|stands? for|so many| go on|goes on|by a jump"
    r"|at hand|says nothing|is not there|assigns nothing|'s words|in the words",
    re.IGNORECASE,
)
"""A file without a match has no finding; parsing all of them takes long."""


class Facts(NamedTuple):
    """What the checks ask of a module; its tree would be walked by each collection of garbage."""

    names: list[tuple[int, str]]
    called_at: list[int]
    elliptic: list[tuple[int, str]]
    noun_phrases: list[tuple[int, str]]


@functools.cache
def facts(path: Path) -> Facts:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Facts(
        [*named(tree)], [*variables_called_at(tree)], [*elliptic(tree)], [*noun_phrases(tree)]
    )


@functools.lru_cache(maxsize=1)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a tree: a walk takes longer than the checks of its nodes."""
    return tuple(ast.walk(tree))


def named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of everything that the module defines."""
    for node in nodes(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def parts(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")


def is_private(name: str) -> bool:
    return name.strip("_") in NAMES or not WORDS.isdisjoint(parts(name))


def variables_called_at(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of parameters and local variables with the name of a preposition."""
    if not any(map(_is_at, nodes(tree))):
        return
    for function in nodes(tree):
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            yield from (node.lineno for node in ast.walk(function) if _is_at(node))


def _is_at(node: ast.AST) -> TypeGuard[ast.Name | ast.arg]:
    if isinstance(node, ast.Name):
        return node.id == "at" and isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.arg) and node.arg == "at"


def is_place(name: str) -> bool:
    return not PLACES.isdisjoint(parts(name))


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of docstrings, comments and messages."""
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            for count, line in enumerate(token.string.split("\n")):
                yield token.start[0] + count, line


ELLIPTIC = re.compile(
    r"(Of|As|By|For|From|With|Without|Behind|Likewise|After|Those|Whoever|Whatever|"
    r"The same( \w+)? (of|as|for))\b(?! an? argument passed by)"
)
"""Beginnings of docstrings that lack what they speak of: "Of all waves." """


def elliptic(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and beginning of docstrings of classes and functions without a subject."""
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = ast.get_docstring(node) or ""
            if ELLIPTIC.match(text):
                yield node.lineno, text.partition("\n")[0]


NOUN = re.compile(
    r"(The|An?|What|Where|Which|Who|Whether|Why|How|All|Both|Each|Every|Everything|One|Two|First|Those|That"
    r"|Bits|Bytes|Text|Lines?|Names|Numbers|Registers|Values)\b|`"
)
"""Beginnings of docstrings of functions that are not a verb (PEP 257)."""
PROPERTIES = re.compile(r"property|setter")


def noun_phrases(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and beginning of docstrings of functions that begin with a noun; that of an
    `__init__` describes its parameters."""
    for node in nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name == "__init__":
            continue
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        text = ast.get_docstring(node) or ""
        if PROPERTIES.search(decorators) is None and NOUN.match(text):
            yield node.lineno, text.partition("\n")[0]


def test_docstrings_of_functions_begin_with_a_verb(repository: Path) -> None:
    """Those of declared operations say what the operation is; they are its manual."""
    manuals = {"expr/ops", "expr/segments.py", "expr/dialect/dwarf6.py", "cfi/instructions.py"}
    package = repository / "dwarfgpu"
    findings = [
        f"{path.relative_to(repository)}:{line}: {text}"
        for path in sorted(package.rglob("*.py"))
        if not manuals & {str(path.relative_to(package)), str(path.parent.relative_to(package))}
        for line, text in facts(path).noun_phrases
    ]
    assert not findings, "\n".join(findings)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('def f():\n    """The lanes."""', 1),
        ('class A:\n    def f(self):\n        """`UsageError` for no lane."""', 1),
        ('def f():\n    """Return the lanes."""', 0),
        ('class A:\n    @property\n    def f(self):\n        """The lanes."""', 0),
        ('def _f():\n    """The lanes."""', 1),
        ('class A:\n    def __init__(self, n):\n        """`n`: lanes."""', 0),
    ],
)
def test_noun_phrases_that_are_found(source: str, count: int) -> None:
    assert len([*noun_phrases(ast.parse(source))]) == count


def test_docstrings_have_a_subject(repository: Path) -> None:
    findings = [
        f"{path.relative_to(repository)}:{line}: {text}"
        for path in sorted((repository / "dwarfgpu").rglob("*.py"))
        for line, text in facts(path).elliptic
    ]
    assert not findings, "\n".join(findings)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('def f():\n    """Of all waves."""', 1),
        ('class A:\n    def f(self):\n        """As in B."""', 1),
        ('def f():\n    """The same as data."""', 1),
        ('def f():\n    """Return the same session."""', 0),
        ('def _f():\n    """Of all waves."""', 1),
        ('def f():\n    """The same session, looking at a lane."""', 0),
    ],
)
def test_docstrings_that_are_found(source: str, count: int) -> None:
    assert len([*elliptic(ast.parse(source))]) == count


def test_private_names(repository: Path) -> None:
    findings = [
        f"{path.relative_to(repository)}:{line}: {name}"
        for path in sorted((repository / "dwarfgpu").rglob("*.py"))
        for line, name in facts(path).names
        if is_private(name)
    ]
    assert not findings, "\n".join(findings)


def test_offsets_and_addresses_are_not_called_at(repository: Path) -> None:
    """What is at something is an offset, an address, an index or a position."""
    findings = [
        f"{path.relative_to(repository)}:{line}"
        for path in sorted((repository / "dwarfgpu").rglob("*.py"))
        for line in sorted({*facts(path).called_at})
    ]
    assert not findings, "\n".join(findings)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f(at): ...", [1]),
        ("def f():\n    at = 1", [2]),
        ("def f():\n    return [at for at in x]", [2]),
        ("class A:\n    at: int\n    def at(self): self.at = 1", []),
    ],
)
def test_variables_called_at_are_found(source: str, lines: list[int]) -> None:
    assert [*variables_called_at(ast.parse(source))] == lines


def test_places_have_the_word_for_what_they_are(repository: Path) -> None:
    package = repository / "dwarfgpu"
    names: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        for _, name in facts(path).names:
            if is_place(name):
                names.setdefault(path.relative_to(package).as_posix(), set()).add(name)
    assert names == USERS_PLACES
    modules = [path.name for path in package.rglob("*.py") if is_place(path.stem)]
    assert not modules


def test_private_vocabulary(repository: Path) -> None:
    findings = []
    files = [
        path for folder in ("dwarfgpu", "tools") for path in (repository / folder).rglob("*.py")
    ]
    for path in sorted(files):
        source = path.read_text(encoding="utf-8")
        if SUSPECT.search(source) is None:
            continue
        where = path.relative_to(repository)
        findings += [
            f"{where}:{line}: {match[0]!r} in {text.strip()!r}"
            for line, text in prose(source)
            if (match := PROSE.search(text)) is not None
        ]
    assert not findings, "\n".join(findings)


def test_documentation(repository: Path) -> None:
    """Decisions and the changelog are history; the conformance page has names of tests."""
    pages = {*(repository / "docs").glob("*.md"), repository / "README.md"}
    pages -= {repository / "docs/changelog.md", repository / "docs/conformance.md"}
    findings = [
        f"{path.relative_to(repository)}:{count}: {match[0]!r} in {line.strip()[:80]!r}"
        for path in sorted(pages)
        for count, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if (match := PROSE.search(line)) is not None
    ]
    assert not findings, "\n".join(findings)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(each): ...", ["each"]),
        ("told = 1", ["told"]),
        ("def _made(given): ...", ["_made", "given"]),
        ("self.is_told = 1", ["is_told"]),
        ("class WhoeverAsks: ...", ["WhoeverAsks"]),
        ("for variable in variables: ...", []),
        ("untold = 1", []),
    ],
)
def test_names_that_are_found(source: str, names: list[str]) -> None:
    assert [name for _, name in named(ast.parse(source)) if is_private(name)] == names


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""What\nnobody knows."""', [2]),
        ("x = 1  # told below", [1]),
        ('raise E(f"{name} tells nothing")', [1]),
        ('"""Numbers, the last of which is 0."""', [1]),
        ("x = 1  # for so many bits", [1]),
        ('"the wave cannot go on"', [1]),
        ('"Return the lane."', []),
    ],
)
def test_prose_that_is_found(source: str, lines: list[int]) -> None:
    assert [line for line, text in prose(source) if PROSE.search(text)] == lines


@pytest.mark.parametrize(
    ("name", "expected"),
    [("place", True), ("_saved_places", True), ("PlaceOf", True), ("replaced", False)],
)
def test_places_that_are_found(name: str, expected: bool) -> None:
    assert is_place(name) is expected


SPELLINGS = re.compile(
    r"\b(colored|coloring|neighbor\w*|\w*(initial|recogn|optim|organ|normal)is(ed|es|e|ing)\b|analys(ed|es|e)\b)",
    re.IGNORECASE,
)


def test_pages_have_one_spelling(repository: Path) -> None:
    """British, with -ize and analyze: colour, neighbour, recognized. Generated pages quote GDB."""
    wrong = {
        page.name: SPELLINGS.findall(text)
        for page in (repository / "docs").glob("*.md")
        if SPELLINGS.search(text := page.read_text("utf-8"))
    }
    assert not wrong
