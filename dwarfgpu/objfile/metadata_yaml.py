"""The YAML subset in the metadata of code objects V2 (AMDGPU usage, "Code Object V2 Metadata").

Compilers and CLRX write block maps and block sequences, flow sequences of scalars, and plain or
quoted scalars. Only those are read; anchors, tags, flow maps and block scalars, which none of them
writes, are `Unsupported`. Law: only line ends and indentation nest.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Malformed, Unsupported
from dwarfgpu.objfile.metadata_value import Metadata, ValueBudget, check_depth

# Possessive: nothing is kept for each character, should what follows not match.
_QUOTED: Final = re.compile(r"""'(?:[^']++|'')*+'|"(?:[^"\\]++|\\.)*+\"""")
_KEY: Final = re.compile(
    rf"""({_QUOTED.pattern}|[^\s'"\[\]{{}}#&*!|>%@,:-][^:#\s]*)\s*:(?:\s+|$)"""
)
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,20}|0x[0-9a-fA-F]{1,16}")
_WORDS: Final[dict[str, Metadata]] = {
    "true": True, "false": False, "null": None, "~": None, "": None,
}  # fmt: skip
_ESCAPES: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_SCALAR: Final = re.compile(rf"{_QUOTED.pattern}|[^,\[\]{{}}]*")
_NOT_READ: Final = tuple("{&*!|>%@`")


@frozen
class _Line:
    number: int
    indent: int
    text: str


def parse_yaml(text: str, budget: ValueBudget | None = None) -> Metadata:
    """Parse the only document of a text; `Malformed` or `Unsupported` beyond the subset,
    `LimitExceeded` for more values than the budget has, with two for each line, and one for each
    item of a sequence in lines of its own."""
    budget = budget or ValueBudget()
    budget.spend_size(len(text))
    budget.spend(2 * text.count("\n"))  # a line may have a key and a value
    lines: list[_Line] = []
    for number, line in enumerate(text.rstrip("\0").split("\n"), 1):
        body = line.strip()
        if body == "...":
            break
        if not body or body.startswith("#") or (body == "---" and not lines):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if line[indent] == "\t":
            raise Malformed(f"line {number} of the metadata is indented by a tab")
        lines.append(_Line(number, indent, body))
    if not lines:
        return None
    lines.reverse()  # the next line is the last one
    value = _node(lines, lines[-1].indent, budget, 0)
    if lines:
        raise Malformed(f"line {lines[-1].number} of the metadata is indented wrongly")
    return value


def _node(lines: list[_Line], indent: int, budget: ValueBudget, depth: int) -> Metadata:
    """Return the map, sequence or scalar that begins at the next line."""
    check_depth(depth)
    line = lines[-1]
    if _is_item(line.text):
        return _sequence(lines, indent, budget, depth)
    if _KEY.match(line.text):
        return _mapping(lines, indent, budget, depth)
    lines.pop()
    return _inline(line.text, lines, line.number, budget)


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _sequence(lines: list[_Line], indent: int, budget: ValueBudget, depth: int) -> list[Metadata]:
    out: list[Metadata] = []
    while lines and lines[-1].indent == indent and _is_item(lines[-1].text):
        line = lines.pop()
        budget.spend(1)  # beside the key and value that its line may have
        remainder = line.text[1:].lstrip()
        if remainder:
            inner = indent + len(line.text) - len(remainder)
            lines.append(_Line(line.number, inner, remainder))
            out.append(_node(lines, inner, budget, depth + 1))
        elif lines and lines[-1].indent > indent:
            out.append(_node(lines, lines[-1].indent, budget, depth + 1))
        else:
            out.append(None)
    return out


def _mapping(
    lines: list[_Line], indent: int, budget: ValueBudget, depth: int
) -> dict[str, Metadata]:
    out: dict[str, Metadata] = {}
    while lines and lines[-1].indent == indent and not _is_item(lines[-1].text):
        line = lines.pop()
        match = _KEY.match(line.text)
        if match is None:
            raise Malformed(f"line {line.number} of the metadata has no key")
        key = str(_scalar(match[1], line.number))
        if key in out:
            raise Malformed(f"line {line.number} of the metadata repeats the key {key}")
        remainder = line.text[match.end() :]
        if remainder and not remainder.startswith("#"):
            out[key] = _inline(remainder, lines, line.number, budget)
        elif lines and _is_below(lines[-1], indent):
            out[key] = _node(lines, lines[-1].indent, budget, depth + 1)
        else:
            out[key] = None
    return out


def _is_below(line: _Line, indent: int) -> bool:
    """Return whether a line is nested; items of a sequence may start in the column of their key."""
    return line.indent > indent or (line.indent == indent and _is_item(line.text))


def _inline(text: str, lines: list[_Line], number: int, budget: ValueBudget) -> Metadata:
    """Return a scalar or flow sequence that begins here; a flow sequence may reach over lines."""
    if not text.startswith("["):
        return _scalar(_without_comment(text), number)
    out: list[Metadata] = []
    position = 1
    while True:
        match = _SCALAR.match(text, _after_spaces(text, position))
        assert match is not None
        item, position = match[0].strip(), _after_spaces(text, match.end())
        ending = text[position : position + 1]
        if not ending:
            if item or not lines:
                raise Malformed(f"the sequence in line {number} of the metadata has no end")
            text, position = lines.pop().text, 0
            continue
        if ending not in ",]":
            raise Malformed(f"unexpected {ending} in line {number} of the metadata")
        if item or ending == ",":
            budget.spend(1)
            out.append(_scalar(item, number))
        position += 1
        if ending == "]":
            remainder = text[position:].strip()
            if remainder and not remainder.startswith("#"):
                raise Malformed(f"unexpected {remainder[:20]} in line {number} of the metadata")
            return out


def _after_spaces(text: str, position: int) -> int:
    while text[position : position + 1] == " ":
        position += 1
    return position


def _without_comment(text: str) -> str:
    if text[0] in "'\"":
        match = _SCALAR.match(text)
        assert match is not None
        remainder = text[match.end() :].strip()
        return match[0] if remainder.startswith("#") else text
    return text.split(" #", 1)[0].rstrip()


def _scalar(text: str, number: int) -> Metadata:
    """Return one scalar without the spaces around it."""
    if text[:1] in ("'", '"'):
        if _QUOTED.fullmatch(text) is None:
            raise Malformed(f"the string in line {number} of the metadata has no end")
        inside = text[1:-1]
        if text[0] == "'":
            return inside.replace("''", "'")
        return _ESCAPE.sub(lambda match: _unescaped(match, number), inside)
    if text.startswith(_NOT_READ):
        raise Unsupported(f"line {number} of the metadata uses {text[0]} of YAML")
    if text in _WORDS:
        return _WORDS[text]
    return int(text, 0 if text.startswith("0x") else 10) if _INTEGER.fullmatch(text) else text


def _unescaped(match: re.Match[str], number: int) -> str:
    digits = match[1] or match[2] or match[3]
    if digits:
        code = int(digits, 16)
        if code > 0x10FFFF:
            raise Malformed(f"line {number} of the metadata has no character {code:#x}")
        return chr(code)
    if match[4] not in _ESCAPES:
        raise Malformed(f"line {number} of the metadata escapes {match[4]}")
    return _ESCAPES[match[4]]
