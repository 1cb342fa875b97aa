"""Names of functions as users type them: the path of scopes, template arguments and parameters.

`K::m`, `twice<int>`, `f(int)::Local::m() const`. Leading scopes, the arguments of templates, ABI
tags and parameters may be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.names import cxx, qualified

_SHIFT: Final = r"<<(?![\w&'{-]|\(anonymous)=?"
"""Not `operator<` with arguments, `operator<<int>` as clang writes it."""
_WITH_BRACKETS: Final = rf"operator\s*(?:\(\)|<=>|{_SHIFT}|>>=?|->\*?|[<>]=?)"
OPERATOR: Final = pattern(_WITH_BRACKETS)
"""The name of an operator with brackets."""
_SPACE_IN_OPERATOR: Final = pattern(r"\b(operator(?=\s*[^\w\s])(?:\"\")?)\s+")
_CONVERSION: Final = pattern(r"\s*operator\s+(?!(?:new|delete|co_await)\b)(?=[^\W\d])")
_MARK: Final = pattern(
    rf"(?P<operator>{_WITH_BRACKETS})|(?P<anonymous>\(anonymous namespace\))"
    r"|(?P<scope>::)|(?P<comma>,)|(?P<bracket>[<>()\[\]{}])"
    r"""|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)'"""
)
"""What splits a name, and what is around such a text and is none; strings of D are no marks."""
_MAY_BE_NO_SCOPE: Final = pattern(r"[<>()\[\]{}\"]|operator")
"""Without any of these, each `::` in a name is between two of its components."""
_TAG: Final = pattern(r"\[abi:\w+\]")
_AROUND: Final = ("<", "{")
_AROUND_ENDS: Final = (">", "}")
"""Around the arguments of templates, and the names of lambdas."""
_CV: Final = {"const", "volatile"}
_WORD_BEHIND: Final = pattern(r"\w+|[^\w\s]+")
_MOST_KEPT: Final = 2_000
"""Characters of a name whose form is kept."""


class TypedPath:
    """The path of a function as a user types it, perhaps with parameters. Its parts are read once,
    not for each name that they are compared with: a typed name may be long, and the names in a file
    are many."""

    def __init__(self, path: str, parameters: str | None = None) -> None:
        self.components = components(path)
        self._parameters = parameters

    def ends(self, own: Sequence[str]) -> bool:
        """Return whether the components of a path end in these."""
        typed = self.components
        if len(own) < len(typed):
            return False
        return all(map(_is_component, own[len(own) - len(typed) :], typed, self._forms))

    def exact_end(self, own: Sequence[str]) -> tuple[str, ...]:
        """Return the components that a path ends in with the types of values among arguments of
        templates: of those alone that are typed with such values."""
        if not any("<" in typed for typed in self.components):
            return ()
        from dwarfgpu.dwarf.names.comparable import has_values  # few names have arguments

        ends = own[len(own) - len(self.components) :]
        return tuple(
            qualified.exact(end)
            for end, typed in zip(ends, self.components, strict=True)
            if has_values(typed)
        )

    @cached_property
    def exact(self) -> tuple[str, ...]:
        """What `exact_end` returns for the typed path itself."""
        return self.exact_end(self.components)

    def exact_types(self, own: Sequence[str]) -> tuple[str, ...]:
        """Return those of the exact parameters of a function that are typed with values among
        arguments of templates: `W<3l>*`."""
        return tuple(own[index] for index in self._with_values if index < len(own))

    @cached_property
    def exact_parameters(self) -> tuple[str, ...]:
        """What `exact_types` returns for the typed parameters themselves."""
        return self.exact_types(exact_parameters(self._parameters or ""))

    @cached_property
    def _with_values(self) -> list[int]:
        """The indexes of the parameters with such values."""
        if "<" not in (self._parameters or ""):
            return []
        from dwarfgpu.dwarf.names.comparable import has_values  # few names have arguments

        listed = enumerate(_listed(self._parameters or ""))
        return [index for index, parameter in listed if has_values(parameter)]

    @cached_property
    def may_be_printed_otherwise(self) -> bool:
        """Whether compilers may name an entry otherwise than its function is printed."""
        return any(
            "<" in component or "[abi:" in component or is_conversion(component)
            for component in self.components
        )

    @cached_property
    def _forms(self) -> list[str]:
        return [*map(canonical, self.components)]


def is_full_name(name: str, text: str) -> bool:
    """Return whether a text is the whole name of a function, its parameters and ABI tags apart."""
    return _are_whole(*_paths(name, text))


def has_whole_scopes(name: str, text: str) -> bool:
    """Return whether a text has the whole names of the scopes of a function."""
    own, typed = _paths(name, text)
    return _are_whole(own[:-1], typed[:-1])


def _paths(name: str, text: str) -> list[Sequence[str]]:
    return [components(split(item.strip())[0].removeprefix("::")) for item in (name, text)]


def _are_whole(own: Sequence[str], typed: Sequence[str]) -> bool:
    return len(own) == len(typed) and all(
        _is_whole_component(name, component, canonical(component))
        for name, component in zip(own, typed, strict=True)
    )


def is_in_same_scopes(name: str, path: str) -> bool:
    """Return whether a function that matches a path has no more scopes."""
    return len(components(split(name.strip())[0])) == len(components(split(path.strip())[0]))


def qualifiers_of(name: str) -> str | None:
    """Return what follows the parameters of a function in one spelling and order, `& const`; None
    if a name has no parameters."""
    parameters = split(name.strip())[1]
    return None if parameters is None else " ".join(sorted(_words_behind(parameters)))


def has_parameters(name: str, parameters: str) -> bool:
    """Return whether a function, perhaps inside others, has these parameters, however they are
    spelled."""
    own = innermost(name)[1]
    return own is not None and is_typed(own, parameters)


def innermost(name: str) -> tuple[str, str | None]:
    """Return the path and the parameters of a function, perhaps without what is outside of the
    functions that it is inside of."""
    while (inside := nested(name)) is not None:
        name = inside[1]
    return split(name)


def exact_parameters(parameters: str) -> list[str]:
    """Return each parameter in one spelling, with the types of the values among arguments of
    templates."""
    return [*map(exact_type, _listed(parameters))]


def exact_type(text: str) -> str:
    """Return a type in one spelling, with the types of such values."""
    return qualified.exact(cxx.canonical(text))


def is_typed(own: str, typed: str) -> bool:
    """Return whether parameters of a function are the typed ones, and so are the words that are
    typed behind them, such as `const volatile`, in any order."""
    behind, wanted = {*_words_behind(own)}, {*_words_behind(typed)}
    is_so = not wanted or (wanted <= behind and behind & _CV == wanted & _CV)
    return is_so and _plain(own) == _plain(typed)


def _words_behind(parameters: str) -> list[str]:
    return _WORD_BEHIND.findall(parameters.rpartition(")")[2])


def _plain(parameters: str) -> list[str]:
    """Return each parameter in one spelling: `char const*` for `const char *`."""
    # `_Z1fv.Frame *` is no C++.
    return [qualified.squeezed(canonical(part)) for part in _listed(parameters)]


def _listed(parameters: str) -> list[str]:
    inside = parameters.strip().removeprefix("(").rpartition(")")[0]
    return [] if inside.strip() in ("", "void") else _at_depth(inside, "comma")


def split(text: str) -> tuple[str, str | None]:
    """Return the path, and the parameters with their parentheses."""
    if text.isidentifier():
        return text, None
    depth = 0
    for mark in _MARK.finditer(text):
        bracket, begin = mark["bracket"], mark.start()
        if bracket == "(" and (depth > 0 or qualified.has_arguments_of_d(text, begin)):
            depth += 1
        elif bracket == "(":
            return text[:begin].strip(), text[begin:]
        elif bracket == ")":
            depth -= 1
        else:
            depth += (bracket in _AROUND) - (bracket in _AROUND_ENDS)
    return text, None


def nested(text: str) -> tuple[str, str] | None:
    """Return `f(int)` and `Local::m(int)` for `f(int)::Local::m(int)`, None for a function that is
    in no other one."""
    parameters = split(text.strip())[1]
    if parameters is None:
        return None
    own, *inside = components(parameters)
    if not inside:
        return None
    return text.strip()[: -len(parameters)] + own, "::".join(inside)


def whole_path(name: str) -> list[str]:
    """Return the components of the whole name of a function, perhaps inside other ones."""
    names: list[str] = []
    while (inside := nested(name)) is not None:
        outer, name = inside
        names += components(outer)
    return names + components(split(name)[0])


def components(path: str) -> list[str]:
    """Return the names in a path; `operator ns::T` is a single one."""
    if _MAY_BE_NO_SCOPE.search(path) is None:
        return [component.strip() for component in path.split("::")]
    return _at_depth(path, "scope")


def _at_depth(text: str, separator: str) -> list[str]:
    """Split a text at separators that are in no brackets."""
    if text.isidentifier():
        return [text]
    parts, depth, begin = list[str](), 0, 0
    is_conversion = separator == "scope" and _CONVERSION.match(text) is not None
    for mark in _MARK.finditer(text):
        bracket = mark["bracket"]
        if depth == 0 and mark[separator] is not None and not is_conversion:
            parts.append(text[begin : mark.start()].strip())
            begin = mark.end()
            is_conversion = separator == "scope" and _CONVERSION.match(text, begin) is not None
        elif bracket is not None:
            if bracket == "(" and depth == 0:
                is_conversion = False
            depth += (bracket in "<([{") - (bracket in ">)]}")
    return [*parts, text[begin:].strip()]


def without_tags(name: str) -> str:
    """Return a name without ABI tags: `get` of `get[abi:cxx11]`."""
    return _TAG.sub("", name) if "[abi:" in name else name


def without_arguments(name: str) -> str | None:
    """Return the name of a template of a component with arguments; None of one without."""
    operator = OPERATOR.match(name)
    end = name.find("<", 0 if operator is None else operator.end())
    return name[:end].rstrip() if end > 0 else None


def is_conversion(name: str) -> bool:
    """Return whether a component is the name of a conversion, `operator T`."""
    return _CONVERSION.match(name) is not None


def _is_component(name: str, typed: str, form: str) -> bool:
    """Return whether a component is the typed one, which may be without template arguments."""
    template = without_arguments(name)
    return _is_whole_component(name, typed, form) or (
        template is not None and _is_whole_component(template, typed, form)
    )


def _is_whole_component(name: str, typed: str, form: str) -> bool:
    """Return whether a component is the typed one, of a canonical form, which may be without ABI
    tags."""
    own = name if "[abi:" in typed else without_tags(name)
    return canonical(own) == form


def canonical(name: str) -> str:
    """Return the form of a name for comparison; of `operator +` and `operator"" _x` without the
    space."""
    return (_kept_form if len(name) <= _MOST_KEPT else _form)(name)


def _form(name: str) -> str:
    form = cxx.canonical(name)
    if "<" in form:
        from dwarfgpu.dwarf.names.comparable import comparable  # few names have arguments

        form = comparable(form)
    return _SPACE_IN_OPERATOR.sub(r"\1", form) if "operator" in form else form


@lru_cache(maxsize=4_096)
def _kept_form(name: str) -> str:
    return _form(name)
