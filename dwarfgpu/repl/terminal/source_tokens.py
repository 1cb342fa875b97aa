"""Source text of C and C++ as tokens with colours.

Law: the texts of the tokens, joined, are the text. Each line is taken by itself, as a listing may
begin anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

Token: TypeAlias = tuple[str, str]
"""A kind, which is empty for what has no colour, and a text."""

COLOURS: Final = {
    "keyword": ("#5f5fff", 63),
    "type": ("#008787", 30),
    "builtin": ("#008787", 30),
    "function": ("#008700", 28),
    "number": ("#008700", 28),
    "string": ("#af5f00", 130),
    "variable": ("#af5faf", 133),
    "directive": ("#af5faf", 133),
    "comment": ("#767676", 243),
}
"""Kinds, their colours, and these among the 256 of a terminal. All have the same contrast with
black as with white."""
_KEYWORDS: Final = (
    " alignas alignof and and_eq asm auto bitand bitor break case catch class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do dynamic_cast else enum explicit export extern final for friend goto if "
    "import inline module mutable namespace new noexcept not not_eq operator or or_eq override "
    "private protected public register reinterpret_cast requires restrict return sizeof static "
    "static_assert static_cast struct switch template this thread_local throw try typedef typeid "
    "typename typeof union using virtual volatile while xor xor_eq _Alignas _Alignof _Atomic "
    "_Noreturn _Static_assert _Thread_local __attribute__ __restrict__ "
    "__constant__ __device__ __global__ __host__ __shared__ "
)
_TYPES: Final = (
    " bool char double float int long short signed unsigned void _Bool _Complex __int128 "
)
_BUILTINS: Final = " true false nullptr NULL "
_SOURCE: Final = re.compile(
    r"(?P<comment>//.*|/\*.*?(?:\*/|$))|(?P<directive>^[ \t]*\#[ \t]*\w+)"
    r"|(?P<string>\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?)"
    r"|(?P<word>[^\W\d]\w*)(?P<call>(?=[ \t]*\())?"
    r"|(?P<number>\.?[0-9](?:[eEpP][+-]|'?\w|\.)*)"
)


def source_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a line of source text."""
    position = 0
    for match in _SOURCE.finditer(text):
        kind = match.lastgroup or ""
        yield "", text[position : match.start()]
        is_word = match["word"] is not None
        yield _kind_of(match[0], is_call=kind == "call") if is_word else kind, match[0]
        position = match.end()
    yield "", text[position:]


def _kind_of(word: str, *, is_call: bool) -> str:
    if f" {word} " in _KEYWORDS:
        return "keyword"
    if f" {word} " in _TYPES or word.endswith("_t"):
        return "type"
    if f" {word} " in _BUILTINS:
        return "builtin"
    return "function" if is_call else ""
