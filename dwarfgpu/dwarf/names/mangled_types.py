"""Type text in symbol names: where pointer and member declarators belong."""

from __future__ import annotations


def marked(text: str, mark: str) -> str:
    """Return a pointer or reference to a type; the mark of one to a function is inside."""
    index = _inside(text)
    if index is None:
        return _collapsed(text, mark)
    if text[index] == "(" and text[index + 1 : index + 2] in ("*", "&"):
        end = text.index(")", index)
        return f"{_collapsed(text[:end], mark)}{text[end:]}"
    return f"{text[:index]}({mark}){'' if text[index] == '(' else ' '}{text[index:]}"


def _collapsed(text: str, mark: str) -> str:
    """Collapse references to references; `&` on either side gives `&` (C++ 9.3.4.3)."""
    if not mark.startswith("&") or not text.endswith("&"):
        return text + mark
    return text[:-1] if text.endswith("&&") and mark == "&" else text


def qualified(text: str, words: str) -> str | None:
    """Return a constant or volatile type: for an array, its elements are qualified; None for a
    function, where the qualifiers would be those of a member function."""
    index = _inside(text)
    if index is None:
        return text + words
    if text[index + 1 : index + 2] in ("*", "&"):
        return marked(text, words)
    return f"{text[: index - 1]}{words}{text[index - 1 :]}" if text[index] == "[" else None


def member(text: str, container: str) -> str:
    """Return a pointer to a member of a class."""
    index = _inside(text)
    if index is None:
        return f"{text} {container}::*"
    return f"{text[:index]}({container}::*){'' if text[index] == '(' else ' '}{text[index:]}"


def _inside(text: str) -> int | None:
    """Return where the parameters of a function type, or the bounds of an array, begin, else
    None."""
    depth = 0
    for index, character in enumerate(text):
        if character == "<":
            depth += 1
        elif character == ">":
            depth -= 1
        elif not depth and character in "([" and text[index - 1] == " ":
            return index
    return None


def last_name(text: str) -> str:
    """Return `Box` for `ns::Box<int>`."""
    depth, end = 0, len(text)
    for index in range(len(text) - 1, -1, -1):
        if text[index] == ">":
            depth += 1
        elif text[index] == "<":
            depth -= 1
            end = index if not depth else end
        elif not depth and text[index] == ":":
            return text[index + 1 : end]
    return text[:end]
