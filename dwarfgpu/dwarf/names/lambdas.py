"""Names of lambdas that initialize variables (Itanium C++ ABI 5.1.8, `<closure-prefix>`).

Compilers do not agree on whether the variable is a substitution. Law: a name is read in the only
way in which its substitutions exist and the parameters of `operator()` are those of its lambda, as
those of the function are to which the lambda is converted.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes, printable
from dwarfgpu.dwarf.names.itanium_grammar import ItaniumName
from dwarfgpu.dwarf.names.itanium_names import name_alone
from dwarfgpu.dwarf.names.itanium_reader import Way
from dwarfgpu.dwarf.names.itanium_tree import NotSupported, written

_LAMBDA: Final = "{lambda("
_OPERATOR: Final = pattern(r"#[0-9]+\}::(?:operator\(\)|_FUN|__invoke)")
"""What has the parameters of a lambda; gcc and clang add a function that pointers lead to."""
_AUTO: Final = pattern(r"auto:([0-9]+)")
_PACK: Final = pattern(r"\((.*)\)\.\.\.")
_OPENING: Final = "(<[{"
_CLOSING: Final = ")>]}"


def variables_count(text: str) -> bool | None:
    """Return whether a mangled name counts variables that lambdas initialize as substitutions; None
    if nothing decides."""
    names = {count: name for count in (True, False) if (name := _name(text, count)) is not None}
    if len(names) == 1 and not any(map(_has_operator, names.values())):
        return next(iter(names))  # otherwise it has a substitution that does not exist
    choices = [count for count, name in names.items() if _is_possible(name)]
    return choices[0] if len(choices) == 1 else None


def name_before_parameters(symbol: str) -> str | None:
    """Return the name of a function without its parameters, if it is the same whether or not the
    variables are counted; None otherwise."""
    try:
        text = name_bytes(symbol).decode("latin-1")
        nodes = [
            name_alone(ItaniumName(text, Way(variables_count=count)).whole())
            for count in (True, False)
        ]
        names = {None if node is None else written(node) for node in nodes}
    except (NotSupported, UnicodeError):
        return None
    name = names.pop()
    return None if names or name is None else printable(name.encode("latin-1"))


def _name(text: str, count: bool) -> str | None:
    try:
        return written(ItaniumName(text, Way(variables_count=count)).whole())
    except NotSupported:
        return None


def _has_operator(name: str) -> bool:
    return _OPERATOR.search(name) is not None


def _is_possible(name: str) -> bool:
    start = name.rfind(_LAMBDA) + len(_LAMBDA) - 1
    parameters, end = _listed(name, start)
    operator = _OPERATOR.match(name, end)
    if start < 0 or operator is None:
        return False
    position, arguments = operator.end(), list[str]()
    if name[position : position + 1] == "<":
        arguments, position = _listed(name, position)
    try:
        return _instantiated(parameters, arguments) == _listed(name, position)[0]
    except IndexError:
        return False


def _instantiated(parameters: list[str], arguments: list[str]) -> list[str]:
    """Return the parameters of an instance of a lambda; `IndexError` for too few arguments."""
    out: list[str] = []
    for parameter in parameters:
        pack, auto = _PACK.fullmatch(parameter), _AUTO.search(parameter)
        if pack is not None and auto is not None:
            out += [pack[1].replace(auto[0], item) for item in arguments[int(auto[1]) - 1 :]]
            continue
        out.append(_AUTO.sub(lambda match: arguments[int(match[1]) - 1], parameter))
    return out


def _listed(text: str, opening: int) -> tuple[list[str], int]:
    """Return the parts of the list in the brackets that open at an index, and where it ends."""
    parts, depth, begin = list[str](), 0, opening + 1
    for index in range(opening, len(text)):
        character = text[index]
        depth += (character in _OPENING) - (character in _CLOSING)
        if not depth or (depth == 1 and character == ","):
            parts.append(text[begin:index].strip())
            begin = index + 1
        if not depth:
            return [part for part in parts if part], begin
    return parts, len(text)
