"""The scopes of D around an entry, and how the linkage names of their static variables begin.

What says it, the surest first: the linkage name of a function, or the symbol at its code; of a
class, the linkage names of its functions; else the scopes around the entry, with its name.
Names of C++ leave out the module, and have the namespaces of `extern(C++, "space")`, too, which
are no scopes of D.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, zip_longest
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.d_names import MANGLED, Step, d_name
from dwarfgpu.dwarf.names.qualified import MAIN_OF_D, parts
from dwarfgpu.dwarf.scope.declarations import around, module_around
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS, FUNCTIONS, entry_of

_OF_CPLUSPLUS: Final = Step("_Z")
"""How linkage names of C++ begin: here the first step of their paths, in the place of a module."""
_CONVENTIONS: Final = {"C": "U", "C++": "R"}
"""How the parameters of functions begin behind the modifiers of methods."""
_MODIFIERS: Final = "MxyONg"
_MOST_SPACES: Final = 6
"""Namespaces inside one another that may be no scopes."""


@frozen
class Path:
    """The path that linkage names may give a scope or variable."""

    steps: tuple[Step, ...]
    texts: tuple[str, ...]
    """How names of D begin: for each step before it, and for what is in the last one."""
    known: int
    """How many of the steps are those of linkage names; others have only names of entries."""
    convention: str = ""
    """How the parameters of the last step begin, as far as they are known."""
    is_tail: bool = False
    """Whether unknown namespaces may be before the steps."""

    @property
    def is_of_cplusplus(self) -> bool:
        return self.steps[0] == _OF_CPLUSPLUS

    @property
    def is_exact(self) -> bool:
        """Whether a linkage name has the path."""
        return self.known == len(self.steps) and not self.is_tail

    @property
    def beginning(self) -> str:
        """How the linkage names of static variables begin; empty where it is unknown."""
        return self.texts[-1]

    def is_around(self, variable: Path | None) -> bool:
        """Return whether the path of a static variable is in this one."""
        if variable is None or variable.steps[-1].is_function:
            return False
        path = variable.steps[:-1]
        if self.is_tail:
            count = len(self.steps) - 1
            return path[:1] == self.steps[:1] and path[1:][-count:] == self.steps[1:]
        if path[: self.known] != self.steps[: self.known]:
            return False
        if not _is_called(path[self.known :], self.steps[self.known :]):
            return False
        parameters = path[-1].parameters if path and self.convention else None
        return parameters is None or parameters.lstrip(_MODIFIERS).startswith(self.convention)

    def is_above(self, variable: Path) -> bool:
        """Return whether the path of a static variable of C++ is in a scope in this one."""
        count, path = len(self.steps), variable.steps[:-1]
        is_of_it = self.is_exact and self.is_of_cplusplus and path[:count] == self.steps
        return is_of_it and len(path) > count

    def outer(self, count: int) -> Path:
        """Return the path of some of its first steps."""
        return Path(self.steps[:count], self.texts[: count + 1], min(count, self.known))

    def within(self, name: str) -> Path:
        """Return that of a module or namespace in one."""
        path = self.inner(*name.split("."))
        return evolve(path, known=len(path.steps))

    def inner(self, *words: str) -> Path:
        """Return that of a class or function, without its parameters."""
        texts = [*self.texts]
        before = {step.word for step in self.steps}
        for word in words:
            is_plain = texts[-1] != "" and not self.steps[self.known :] and word not in before
            is_plain = is_plain and not (self.steps and self.steps[-1].is_function)
            before.add(word)  # a reference follows, as compilers since 2017 write it
            texts.append(f"{texts[-1]}{len(word)}{word}" if is_plain else texts[-1])
        steps = (*self.steps, *map(Step, words))
        return evolve(self, steps=steps, texts=tuple(texts), convention="")


_CPLUSPLUS: Final = Path((_OF_CPLUSPLUS,), ("", ""), 1)
_D: Final = Path((), (MANGLED,), 0)


@frozen
class Scope:
    """A scope of D."""

    dies: tuple[Die, ...]
    """Its entries; without one of its own, that of the scope directly in it."""
    paths: tuple[Path, ...]
    """Those that it may have."""
    is_entry: bool = True


def linked_path(linked: str) -> Path | None:
    """Return the path that a linkage name says, the entity itself at the end; None if it says
    none."""
    if not linked.startswith(_OF_CPLUSPLUS.word):
        known = d_name(linked)
        texts = () if known is None else (*known.before, known.beginning)
        return None if known is None else Path(known.steps, texts, len(known.steps))
    from dwarfgpu.dwarf.names.demangle import demangled  # few entities are extern(C++)

    words = [part.text for part in parts(demangled(linked) or "")]
    return _in_cplusplus(words) if words else None


def path_of(die: Die) -> Path | None:
    """Return the path that the linkage name of an entry says."""
    return linked_path(die.linkage_name or "")


def namespace(words: Sequence[str], module: Die | None) -> tuple[Path, ...]:
    """Return the paths of what qualifies a name in a module, if that is a namespace of C++."""
    if module is None or not words:
        return ()
    above = _paths([module])
    return tuple(
        _in_cplusplus(words) if path.is_of_cplusplus else _in(path, words) for path in above
    )


def scope_of(dies: Iterable[Die]) -> Scope:
    """Return the scope that is a class, or functions of one name."""
    dies = tuple(dies)
    return Scope(dies, tuple(path for die in dies for path in _paths(_entries(die))))


def scopes_of(die: Die) -> Iterator[Scope]:
    """Yield the scopes that are an entry and around it, the nearest first: between those that have
    entries what only linkage names show, as instances of templates, mixins and namespaces."""
    entries = _entries(die)
    for number, entry in enumerate(entries):
        paths = _paths(entries[number:])
        yield Scope((entry,), paths)
        outer = entries[number + 1 :]
        if not outer:
            return
        between = [_between(path, outer) for path in paths if not path.is_tail]
        for around_it in zip_longest(*between):
            inside = tuple(filter(None, around_it))
            yield Scope((entry,), (*inside, *_twins(inside, entries)), is_entry=False)


def spelled(steps: Sequence[Step]) -> str:
    """Return a path as it is written, but for the arguments of templates."""
    words: list[str] = []
    for step in steps[steps[:1] == (_OF_CPLUSPLUS,) :]:
        word, mark, _ = step.word.partition("!")
        if words and words[-1] == f"{word}!(…)":
            continue  # what the template declares with its own name
        words.append(f"{word}!(…)" if mark else word)
    return ".".join(words)


def _in(path: Path, words: Iterable[str]) -> Path:
    for word in words:
        path = path.within(word)
    return path


def _in_cplusplus(words: Iterable[str]) -> Path:
    steps = (_OF_CPLUSPLUS, *map(Step, words))
    return Path(steps, ("",) * (len(steps) + 1), len(steps))


def _entries(die: Die) -> list[Die]:
    """Return an entry and those of the scopes around it, the module at the end."""
    scopes = [scope for scope in (die, *around(die)) if _is_scope(scope)]
    module = module_around(die)
    return scopes if module is None or module in scopes else [*scopes, module]


def _is_scope(die: Die) -> bool:
    """Return whether an entry is a scope with a path of its own; ldc2 also has entries for
    instances of templates and for mixins, whose linkage names are others."""
    if die.tag == dw.TAG_NAMESPACE:
        return (die.name or "").isidentifier()
    is_named = die.name is not None or die.has(dw.AT_SPECIFICATION)
    return die.tag in FUNCTIONS | CONTAINERS or (die.tag in CLASSES and is_named)


def _paths(entries: Sequence[Die]) -> tuple[Path, ...]:
    """Return the paths of the first of some scopes from the inside outwards: several if it may have
    several."""
    if not entries:
        return ()
    entry, *outer = entries
    above = _paths(outer)
    name = entry.name or ""
    if entry.tag in CONTAINERS:
        if not above and entry.tag == dw.TAG_MODULE:
            return (_D.within(name), _CPLUSPLUS)
        return tuple(path.within(name) for path in above)
    linked = _linked_paths(entry)
    of_cplusplus = [path for path in linked if path.is_of_cplusplus]
    if len(of_cplusplus) == len(linked):  # none of D
        word = "main" if name == MAIN_OF_D else name
        namesakes = outer[0].children(CLASSES) if outer and entry.tag in CLASSES else ()
        has_namesake = any(die != entry and die.name == name for die in namesakes)
        of_it = of_cplusplus[0] if of_cplusplus else None
        of_d = _from_outside(entry, word, above, of_it)
        linked += of_d[:1] if has_namesake else of_d  # one of them is in a namespace
    if entry.tag in CLASSES and not of_cplusplus:
        linked += _class_of_cplusplus(entry, above, is_beside=not _has_container(entry))
    return tuple(linked)


def _linked_paths(entry: Die) -> list[Path]:
    """Return what linkage names say of a function or class: at most one path of D, and of C++."""
    paths: dict[bool, Path] = {}
    if entry.tag not in CLASSES:
        path = path_of(entry) or _path_of_symbol(entry)
        return [] if path is None else [path]
    for function in entry.children((dw.TAG_SUBPROGRAM,)):
        path = path_of(function)
        if path is not None and (path.is_of_cplusplus or path.steps[-1].is_function):
            paths.setdefault(path.is_of_cplusplus, path.outer(len(path.steps) - 1))
    return list(paths.values())


def _path_of_symbol(function: Die) -> Path | None:
    """Return the path that the symbol of a function says; None if it has none of its name, as
    where the linker folded functions of the same code."""
    path = linked_path(_symbol_of(function))
    is_it = path is not None and path.steps[-1].word.partition("!")[0] == function.name
    return path if is_it else None


def _symbol_of(function: Die) -> str:
    """Return the symbol at the beginning of a function's code; empty where there is none."""
    if function.tag != dw.TAG_SUBPROGRAM:
        return ""
    address, sections = entry_of(function), function.unit.sections
    if address is not None:
        for file in dict.fromkeys((sections.program.loaded, sections.object)):
            symbol = file.symbol_covering(address)
            if symbol is not None and symbol.address == address:
                return symbol.name
    return ""


def _from_outside(
    entry: Die, word: str, above: Sequence[Path], of_cplusplus: Path | None
) -> list[Path]:
    """Return the paths of D that a function or class may have in the scopes around it; each
    namespace in its name of C++ may be one of them: the first path has all."""
    language, spaces = "", tuple[str, ...]()
    if of_cplusplus is not None:
        language, count = "C++", min((len(p.steps) for p in above if p.is_of_cplusplus), default=1)
        spaces = tuple(step.word for step in of_cplusplus.steps[count:-1][:_MOST_SPACES])
    elif entry.tag in FUNCTIONS and _symbol_of(entry) == word:
        language = "C"
    convention = _CONVENTIONS.get(language, "") if entry.tag in FUNCTIONS else ""
    return [
        evolve(path.inner(*taken, word), convention=convention)
        for path in above
        if not path.is_of_cplusplus and word
        for length in range(len(spaces), -1, -1)
        for taken in combinations(spaces, length)
    ]


def _class_of_cplusplus(entry: Die, above: Sequence[Path], *, is_beside: bool) -> list[Path]:
    """Return the path of a class in names of C++ that none of its functions shows: gdc describes
    it beside its module, and the namespaces are unknown."""
    name, unit = entry.name, entry.unit
    for path in above:
        if path.is_of_cplusplus and name is not None:
            is_tail = path.is_tail or (is_beside and len(path.steps) == 1)
            same = (item for item in unit.root.children(CLASSES) if item.name == name)
            is_one = path.is_tail or not is_tail or len([*same]) == 1
            inside = evolve(path.inner(name), known=len(path.steps) + 1, is_tail=is_tail)
            return [inside] if is_one else []
    return []


def _has_container(die: Die) -> bool:
    return any(scope.tag in CONTAINERS for scope in around(die))


def _between(path: Path, outer: Sequence[Die]) -> list[Path]:
    """Return the paths between that of a scope and those of the scopes around it, the nearest
    first."""
    same = [item for item in _paths(outer) if item.is_of_cplusplus == path.is_of_cplusplus]
    if outer[0].tag in CONTAINERS:
        same = [item for item in same if path.steps[: len(item.steps)] == item.steps]
    count = min((len(item.steps) for item in same), default=len(path.steps))
    return [path.outer(length) for length in range(len(path.steps) - 1, count, -1)]


def _twins(paths: Sequence[Path], entries: Sequence[Die]) -> list[Path]:
    """Return the paths of C++ for what may be namespaces by their paths of D."""
    if any(path.is_of_cplusplus for path in paths):
        return []
    above = _paths(entries[-1:])
    return [
        _in_cplusplus(step.word for step in path.steps[len(module.steps) :])
        for path in paths
        for module in above
        if path.is_exact and path.steps[: len(module.steps)] == module.steps
    ]


def _is_called(steps: Sequence[Step], wanted: Sequence[Step]) -> bool:
    """Return whether entries with some names may have a path: that of an instance of a template,
    `T!int`, is the template and the class of its name in it."""
    left = list(steps)
    for word in (step.word for step in wanted):
        template, mark, _ = word.partition("!")
        step = left.pop(0) if left else None
        if step is None or (not mark and step.word != word):
            return False
        if mark and not step.word.startswith(f"{template}!"):
            return False
        if mark and left and left[0].word == template:
            left.pop(0)
    return not left
