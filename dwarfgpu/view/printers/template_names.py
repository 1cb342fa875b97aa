"""Names of C++ templates: without their arguments, the arguments, and the names that people use."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.base.pattern import pattern

_VERSIONS: Final = pattern(r"\bstd::(?:__[0-9]+|__ndk1)::")
"""Inline namespaces of versions: libc++ is in `std::__1`."""
_STRINGS: Final = pattern(r"std::(?:__cxx11::)?basic_(?P<kind>string|string_view)")
_PREFIXES: Final = {"char": "", "wchar_t": "w", "char8_t": "u8", "char16_t": "u16",
                    "char32_t": "u32"}  # fmt: skip
_OWN_ARGUMENTS: Final = {
    "deque": 1, "forward_list": 1, "list": 1, "__cxx11::list": 1, "vector": 1, "unique_ptr": 1,
    "set": 1, "multiset": 1, "unordered_set": 1, "unordered_multiset": 1,
    "map": 2, "multimap": 2, "unordered_map": 2, "unordered_multimap": 2,
}  # fmt: skip
"""Arguments that have no default."""
_DEFAULTS: Final = frozenset(
    f"std::{class_name}"
    for class_name in ("allocator", "less", "hash", "equal_to", "default_delete")
)


@lru_cache(maxsize=64)
def template_name(name: str) -> str:
    """Return `ns::Box<int>::Inner<2>` as `ns::Box::Inner`."""
    out: list[str] = []
    depth = 0
    for letter in name:
        depth += letter == "<"
        if not depth:
            out.append(letter)
        depth -= letter == ">" and depth > 0
    return "".join(out)


def template_arguments(name: str) -> list[str]:
    """Return the last template arguments of a name as text; empty if it has none."""
    if not name.endswith(">"):
        return []
    pieces: list[str] = []
    depth, end = 0, len(name) - 1
    for index in range(len(name) - 1, -1, -1):
        letter = name[index]
        depth += (letter in ">)]}") - (letter in "<([{")
        if (letter == "," and depth == 1) or not depth:
            pieces.append(name[index + 1 : end].strip())
            end = index
        if not depth:
            break
    return [piece for piece in reversed(pieces) if piece]


def unversioned(name: str) -> str:
    """Return a name without the inline namespaces of versions."""
    return _VERSIONS.sub("std::", name)


def short_name(name: str) -> str:
    """Return the usual name: `std::string`, `std::vector<int>`."""
    name = unversioned(name.strip())
    arguments = template_arguments(name)
    base = template_name(name)
    if not arguments or not base.startswith("std::"):
        return name
    string = _STRINGS.fullmatch(base)
    if string is not None and arguments[0] in _PREFIXES:
        return f"std::{_PREFIXES[arguments[0]]}{string['kind']}"
    count = _OWN_ARGUMENTS.get(base.removeprefix("std::"), 0)
    defaults = {template_name(argument) for argument in arguments[count:]}
    if not count or not defaults <= _DEFAULTS:
        return name
    base = base.replace("__cxx11::", "", 1)
    return f"{base}<{', '.join(short_name(argument) for argument in arguments[:count])}>"
