"""`info float` of x86: the stack of the x87 unit and its words, as GDB shows them (Intel SDM
volume 1, 8.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from dwarfgpu.base.float_format import X87_EXTENDED
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.scalars import general

_TAGS: Final = ("Valid   ", "Zero    ", "Special ", "Empty   ")
_PRECISION: Final = (
    "Single Precision (24-bits)", "Reserved", "Double Precision (53-bits)",
    "Extended Precision (64-bits)",
)  # fmt: skip
_ROUNDING: Final = ("Round to nearest", "Round down", "Round up", "Round toward zero")
_EXCEPTIONS: Final = ("I", "D", "Z", "O", "U", "P")
_MARGIN: Final = " " * 23
_MAX_EXPONENT: Final = 0x7FFF
_UNAVAILABLE: Final = "<unavailable>"

Read: TypeAlias = "Callable[[str], int | None]"
"""Returns the number in a register, None if unknown."""


def lines(read: Read, missing: str = _UNAVAILABLE) -> Iterator[str]:
    """Yield the report for people. `missing`: the text for unknown registers."""
    return (line.replace(_UNAVAILABLE, missing) for line in _lines(read))


def _lines(read: Read) -> Iterator[str]:
    status, control, tags = read("fstat"), read("fctrl"), read("ftag")
    top = None if status is None else status >> 11 & 7
    for number in reversed(range(8)):
        mark = "=>" if number == top else "  "
        tag = None if tags is None else tags >> 2 * number & 3
        bits = None if top is None else read(f"st{number - top & 7}")
        yield f"{mark}R{number}: {'Unknown ' if tag is None else _TAGS[tag]}{_number(bits, tag)}"
    yield ""
    yield from _status(status)
    yield from _control(control)
    yield f"Tag Word:            {_hexadecimal(tags, 4)}"
    for name, segment, offset in (("Instruction", "fiseg", "fioff"), ("Operand", "foseg", "fooff")):
        yield f"{name + ' Pointer:':<20} {_far(read, segment, offset)}"
    yield f"Opcode:              {_hexadecimal(_opcode(read), 4)}"


def record(read: Read) -> JsonObject:
    """Return the registers as data: the stack from R7 down to R0, and the words."""
    status, tags = read("fstat"), read("ftag")
    top = None if status is None else status >> 11 & 7
    stack: list[Plain] = []
    for number in reversed(range(8)):
        tag = None if tags is None else tags >> 2 * number & 3
        bits = None if top is None else read(f"st{number - top & 7}")
        is_number = bits is not None and tag not in (None, 3)
        stack.append({
            "name": f"R{number}",
            "tag": None if tag is None else _TAGS[tag].strip().lower(),
            "value": _hexadecimal(bits, 20),
            "natural": " ".join(_meaning(bits).split()) if is_number and bits is not None else None,
        })  # fmt: skip
    return {
        "top": top,
        "stack": stack,
        "status": _hexadecimal(status, 4),
        "control": _hexadecimal(read("fctrl"), 4),
        "tags": _hexadecimal(tags, 4),
        "instruction": _far(read, "fiseg", "fioff"),
        "operand": _far(read, "foseg", "fooff"),
        "opcode": _hexadecimal(_opcode(read), 4),
    }


def _far(read: Read, segment: str, offset: str) -> str:
    return f"{_hexadecimal(read(segment), 2)}:{_hexadecimal(read(offset), 8)}"


def _opcode(read: Read) -> int | None:
    """Return the opcode with the bits that each one begins with and the unit leaves out."""
    opcode = read("fop")
    return opcode | 0xD800 if opcode else opcode


def _hexadecimal(number: int | None, digits: int) -> str:
    return _UNAVAILABLE if number is None else f"{number:#0{digits + 2}x}"


def _number(bits: int | None, tag: int | None) -> str:
    if bits is None:
        return _UNAVAILABLE
    return f"{bits:#022x}" + ("" if tag in (None, 3) else _meaning(bits))


def _meaning(bits: int) -> str:
    """Return the number that is held, or why it is none."""
    sign, exponent, integer = bits >> 79, bits >> 64 & _MAX_EXPONENT, bits >> 63 & 1
    fraction = bits & (1 << 63) - 1
    if exponent == _MAX_EXPONENT and integer:
        if not fraction:
            return f" {'-' if sign else '+'}Inf"
        if sign and fraction == 1 << 62:
            return " Real Indefinite (QNaN)"
        return " QNaN" if fraction >> 62 else " SNaN"
    if exponent and (exponent == _MAX_EXPONENT or not integer):
        return " Unsupported"
    decoded = X87_EXTENDED.decode(bits)
    assert not isinstance(decoded, str)
    shown = general(abs(decoded), 19)
    text = f" {('-' if sign else '+') + shown:<27}"
    if exponent:
        return text
    return text + (" Pseudo-denormal" if integer else " Denormal" if fraction else "")


def _status(word: int | None) -> Iterator[str]:
    if word is None:
        yield f"Status Word:         {_UNAVAILABLE}"
        return

    def flags(names: tuple[str, ...], bits: tuple[int, ...]) -> str:
        pairs = zip(names, bits, strict=True)
        return "  " + "".join(f" {name if word >> bit & 1 else '  '}" for name, bit in pairs)

    exceptions = flags(tuple(f"{name}E" for name in _EXCEPTIONS), (0, 1, 2, 3, 4, 5))
    summary = flags(("ES",), (7,)) + flags(("SF",), (6,))
    conditions = flags(("C0", "C1", "C2", "C3"), (8, 9, 10, 14))
    yield f"Status Word:         {word:#06x}{exceptions}{summary}{conditions}"
    yield f"{_MARGIN}TOP: {word >> 11 & 7}"


def _control(word: int | None) -> Iterator[str]:
    if word is None:
        yield f"Control Word:        {_UNAVAILABLE}"
        return
    masks = (f" {name + 'M' if word >> n & 1 else '  '}" for n, name in enumerate(_EXCEPTIONS))
    yield f"Control Word:        {word:#06x}  {''.join(masks)}"
    yield f"{_MARGIN}PC: {_PRECISION[word >> 8 & 3]}"
    yield f"{_MARGIN}RC: {_ROUNDING[word >> 10 & 3]}"
