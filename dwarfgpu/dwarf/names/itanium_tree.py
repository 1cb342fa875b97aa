"""The tree of a mangled name, and how it is written: `Node`, `Writer`, `Declared`.

A template parameter, `T_`, is written as the argument that it has where it is written: a
substitution, `S1_`, can contain one, and means another type in another template.
Law: what a name does not decide raises `NotSupported`, and so does a text without bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from dwarfgpu.base.records import evolve, frozen

_DEEPEST: Final = 140
_MAX_CHARACTERS: Final = 20_000
"""Maximum length of a demangled name: each letter of a mangled one can double it."""
_MAX_WRITTEN: Final = 1_000_000
_MAX_STEPS: Final = 100_000
WHOLE_PACK: Final = -1
"""As an element: all elements of a pack, as a fold expression has them."""
UNDONE: Final = "\u0100"
"""Ends a list whose last parts are empty; no letter of a name has this number."""


class NotSupported(Exception):
    """Part of the name is not read here."""


class TooLong(NotSupported):
    """The name is longer than is written here."""


@frozen
class Declared:
    """A type around the name of what it declares: `int (*` and `) [3]`."""

    left: str
    right: str = ""
    qualifiers: tuple[str, ...] = ()
    """At the end of `left`: ` const`."""
    of: str = ""
    """`function` or `array` if a mark has to be in parentheses."""
    reference: str = ""
    """The `&` or `&&` at the end of `left`: a name may end so, too (`operator&`)."""

    @property
    def prefix(self) -> str:
        return self.left + "".join(self.qualifiers)

    @property
    def whole(self) -> str:
        return self.prefix + self.right

    def marked(self, mark: str) -> Declared:
        """Return a pointer to it (`*`), a reference, or a pointer to its member (`A::*`); with a
        space before it, a qualified type."""
        prefix = self.prefix
        if self.of:
            needs_space = self.of == "array" or mark[0].isalnum() or prefix[-1] not in "(*"
            space = " " if needs_space and prefix[-1] != " " else ""
            return Declared(f"{prefix}{space}({mark}", f"){self.right}")
        return Declared(f"{prefix}{' ' if mark[0] not in ' *&' else ''}{mark}", self.right)

    def referred(self, mark: str) -> Declared:
        """Return a reference to it; `&` on either side gives `&` (C++ 9.3.4.3)."""
        if self.qualifiers or not self.reference:
            return evolve(self.marked(mark), reference=mark)
        is_both = mark == "&" and self.reference == "&&"
        return evolve(self, left=self.left[:-1], reference=mark) if is_both else self

    def qualified(self, word: str) -> Declared:
        """Return a constant or volatile type: of an array, its elements are."""
        if self.of == "function":
            return self.marked(word)
        inner = tuple(item for item in self.qualifiers if item != word)
        return Declared(self.left, self.right, (*inner, word), self.of)


@frozen
class Node:
    """Part of a name; this one has no text."""

    def text(self, write: Writer) -> str:
        return ""

    def declared(self, write: Writer) -> Declared:
        return Declared(write.text(self))

    @property
    def is_plain(self) -> bool:
        """Whether it needs no parentheses as an operand."""
        return False

    def parts(self) -> tuple[Node, ...]:
        """Return the nodes in which an expansion finds its packs."""
        return ()

    def pack(self, write: Writer) -> Arguments | None:
        """Return the pack that a template parameter denotes, else None."""
        return None


@frozen
class Arguments(Node):
    """Arguments of a template, or the elements of a pack."""

    items: tuple[Node, ...]

    def text(self, write: Writer) -> str:
        return write.listed(self.items)

    def parts(self) -> tuple[Node, ...]:
        return self.items


@frozen
class Scope:
    """What `T_` denotes."""

    arguments: tuple[Node, ...]
    outer: Scope | None
    is_head: bool = False
    """Whether these are the template parameters of a lambda."""
    levels: tuple[tuple[Node, ...], ...] = ()
    """In a `requires` clause: the arguments of all templates of the name, from the outermost."""


class Writer:
    """Writes nodes; where it is decides what template parameters and packs are."""

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self.template: tuple[Node, ...] | None = None
        """The arguments of the template whose name is written; a conversion has them."""
        self.is_in_lambda = False
        """Whether the parameters of a lambda are written, whose `T_` are `auto`."""
        self.element: int | None = None
        """Which one of packs is written; None outside of their expansions."""
        self.scopes: dict[int, Scope | None] = {}
        """For parameters in `T_&&`, the scope of the first place, which they keep."""
        self._depth = self._steps = self._written = 0
        self._kept: dict[tuple[int, ...], tuple[Declared, object]] = {}
        """Types of functions, and templates with arguments, that were written, by where that was:
        substitutions repeat them. The objects of the numbers are kept with them."""

    def text(self, node: Node) -> str:
        self._enter()
        text = node.text(self)
        self._leave(len(text))
        return text

    def declared(self, node: Node) -> Declared:
        self._enter()
        result = node.declared(self)
        self._leave(len(result.left) + len(result.right))
        return result

    def kept(self, node: Node, write: Callable[[Writer], Declared]) -> Declared:
        """Return what was written for a node in the same place before, or else write it."""
        scope, template, element = self.scope, self.template, self.element
        where = (
            id(node),
            id(scope),
            id(template),
            self.is_in_lambda,
            -2 if element is None else element,
        )
        if where not in self._kept:
            self._kept[where] = write(self), (scope, template)
        return self._kept[where][0]

    def _enter(self) -> None:
        self._depth += 1
        self._steps += 1
        if self._depth > _DEEPEST or self._steps > _MAX_STEPS:
            raise TooLong

    def _leave(self, length: int) -> None:
        self._depth -= 1
        self._written += length
        if length > _MAX_CHARACTERS or self._written > _MAX_WRITTEN:
            raise TooLong

    def listed(self, items: tuple[Node, ...]) -> str:
        """Return a list with commas. An empty pack is nothing at its end, and else leaves its
        comma, as GDB has it."""
        texts = [self.text(item) for item in items]
        count = len(texts)
        while texts[1:] and not texts[-1].strip(UNDONE):
            texts.pop()
        return ", ".join(texts) + (UNDONE if len(texts) < count else "")

    @contextmanager
    def within(self, scope: Scope | None, *, is_in_lambda: bool = False) -> Iterator[None]:
        before = self.scope, self.is_in_lambda
        self.scope, self.is_in_lambda = scope, is_in_lambda
        yield
        self.scope, self.is_in_lambda = before

    @contextmanager
    def for_element(self, element: int | None) -> Iterator[None]:
        before, self.element = self.element, element
        yield
        self.element = before

    def argument(self, index: int) -> Node:
        """Return what a template parameter denotes; of a pack, its current element."""
        node = self.argument_or_pack(index)
        if not isinstance(node, Arguments) or self.element == WHOLE_PACK:
            return node
        if self.element is None or self.element >= len(node.items):
            raise NotSupported
        return node.items[self.element]

    def argument_or_pack(self, index: int) -> Node:
        if self.scope is None or index >= len(self.scope.arguments):
            raise NotSupported
        return self.scope.arguments[index]

    def pack_sizes(self, node: Node) -> set[int]:
        """Return the sizes of the packs that the expansion of a pattern goes through."""
        sizes, visited, left = set[int](), set[int](), [node]
        while left:
            node = left.pop()
            if id(node) in visited:
                continue
            visited.add(id(node))
            pack = node.pack(self)
            if pack is not None:
                sizes.add(len(pack.items))
            left += node.parts()
        return sizes


@frozen
class PackExpansion(Node):
    """`Dp`, `sp`: its pattern for each element of the packs in it."""

    pattern: Node

    def text(self, write: Writer) -> str:
        count = self.count(write)
        if count is None:
            return f"{enclosed(self.pattern, write)}..."
        texts: list[str] = []
        for element in range(count):
            with write.for_element(element):
                texts.append(write.text(self.pattern))
        return ", ".join(texts)

    def count(self, write: Writer) -> int | None:
        """Return the number of elements; None if the name does not have the packs."""
        sizes = set[int]() if write.is_in_lambda else write.pack_sizes(self.pattern)
        if len(sizes) > 1:
            raise NotSupported
        return next(iter(sizes), None)


@frozen
class Name(Node):
    """A word, or a text that the grammar gives a meaning, such as `std::allocator`."""

    word: str
    last: str = ""
    """The name of its constructors if `word` has more than that."""

    @property
    def is_plain(self) -> bool:
        return True

    def text(self, write: Writer) -> str:
        return self.word


@frozen
class Nested(Node):
    """`outer::name`."""

    outer: Node
    name: Node
    separator: str = "::"

    @property
    def is_plain(self) -> bool:
        return True

    def text(self, write: Writer) -> str:
        return f"{write.text(self.outer)}{self.separator}{write.text(self.name)}"

    def parts(self) -> tuple[Node, ...]:
        return self.outer, self.name


def enclosed(node: Node, write: Writer) -> str:
    """Return an operand of an expression: in parentheses, but for names."""
    text = write.text(node)
    return text if node.is_plain else f"({text})"


def written(node: Node) -> str:
    return Writer().text(node).replace(UNDONE, "")
