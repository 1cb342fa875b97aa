"""The bits of an object as read, with masks of the unknown ones (AMD text A.2.5.4.4.2).

Law: an undefined or unavailable bit is never shown as a number.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.argument_types import (
    names_wrong_arguments,
    refuse_wrong_field,
    require_right_arguments,
)
from dwarfgpu.base.arguments import FOREIGN, integer, plain_integer, wrong_value
from dwarfgpu.base.bits import Endian, extract, join, to_bytes
from dwarfgpu.base.records import field, frozen, no_number, plain_fields
from dwarfgpu.errors import OutOfRange, Unavailable, UndefinedBits

MAX_BITS: Final = 1 << 30
"""Maximum number of bits of a slice, whose missing bits take memory."""
REASON_UNDEFINED = "undefined storage"
"""The reason for bits without a location."""
REASON_LOST = "lost: "
REASON_UNDESCRIBED = "the location describes"
"""How the reason begins for bits that no piece of a location describes."""
REASON_UNDECIDED = " are undecided: it "
"""What the reason contains for bits that pieces describe in more than one way."""


@no_number("value", has_truth=True)
@frozen
class Bits:
    """A run of bits (see `dwarfgpu.base.bits`) with masks of the unknown ones."""

    value: int = field(repr=hex)
    """The run; its unknown bits mean nothing."""
    size_bits: int
    undefined: int = field(default=0, repr=hex)
    """Set bits are undefined: no location describes them. In the orientation of `value`."""
    unavailable: int = field(default=0, repr=hex)
    """Set bits are somewhere, but the machine does not give them."""
    reasons: tuple[str, ...] = ()
    """Why bits are unknown, in the order of discovery."""

    @property
    def unknown(self) -> int:
        """The mask of the bits that are undefined or unavailable."""
        try:
            return self.undefined | self.unavailable
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @property
    def is_complete(self) -> bool:
        """Whether all bits are known."""
        try:
            return not (self.undefined or self.unavailable)
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    def _require_fit(self) -> None:
        """Raise `UsageError` unless the integers are within the size: objects are made too often
        to be checked then."""
        size_bits = self.size_bits
        if type(size_bits) is not int:
            plain_fields(self, "size_bits")
            size_bits = self.size_bits
        if not 0 <= size_bits <= MAX_BITS:
            integer("Bits.size_bits", size_bits, 0, MAX_BITS)
        for name, run in (
            ("value", self.value),
            ("undefined", self.undefined),
            ("unavailable", self.unavailable),
        ):
            if type(run) is int:  # or of many lanes
                if run < 0 or run.bit_length() > size_bits:
                    raise wrong_value(f"Bits.{name}", run, f"an integer of {size_bits} bits")
            else:
                plain_fields(self, name)

    @property
    def why_undefined(self) -> str | None:
        """The first reason for undefined bits; None if there is none."""
        try:
            reasons = () if self.unavailable else self.reasons
            return next(filter(is_of_undefined, self.reasons), next(iter(reasons), None))
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @property
    def why_unavailable(self) -> str | None:
        """The first reason for unavailable bits; None if there is none."""
        try:
            return next((text for text in self.reasons if not is_of_undefined(text)), None)
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    def slice(self, first_bit: int, count: int, endian: Endian) -> Bits:
        """Return `count` bits from `first_bit`, in storage order; bits past the end are undefined.

        `OutOfRange` for bits before the object.
        """
        try:
            if not first_bit and count == self.size_bits:
                return self
            self._require_fit()
            if type(first_bit) is not int or type(count) is not int:
                first_bit, count = plain_integer(first_bit), plain_integer(count)
            if first_bit < 0:
                raise OutOfRange(f"bit offset {first_bit} is before the object")
            if not 0 <= count <= MAX_BITS:
                raise wrong_value("count", count, f"an integer from 0 to {MAX_BITS:#x}")
            _require_endian(endian)
            inside = max(0, min(count, self.size_bits - first_bit))
            runs = [
                extract(run, self.size_bits, first_bit, inside, endian) if inside else 0
                for run in (self.value, self.undefined, self.unavailable)
            ]
            missing = count - inside
            if endian == "big":
                runs = [run << missing for run in runs]
            runs[1] |= (1 << missing) - 1 << (inside if endian == "little" else 0)
            reasons = self.reasons if runs[1] or runs[2] else ()
            return Bits(runs[0], count, runs[1], runs[2], reasons)
        except FOREIGN:
            require_right_arguments(Bits.slice, self, first_bit, count, endian)
            raise

    @names_wrong_arguments
    def reversed(self) -> Bits:
        """Return the run with its bytes reversed; it must consist of whole bytes."""
        self._require_fit()
        runs = [
            int.from_bytes(to_bytes(run, self.size_bits, "little"), "big")
            for run in (self.value, self.undefined, self.unavailable)
        ]
        return Bits(runs[0], self.size_bits, runs[1], runs[2], self.reasons)

    @names_wrong_arguments
    def undefined_ranges(self, endian: Endian) -> list[tuple[int, int]]:
        """Return the first bit and the number of bits of each undefined range, in storage order."""
        self._require_fit()
        return _ranges(self.undefined, self.size_bits, endian)

    @names_wrong_arguments
    def unavailable_ranges(self, endian: Endian) -> list[tuple[int, int]]:
        """Return the first bit and the number of bits of each unavailable range, in storage
        order."""
        self._require_fit()
        return _ranges(self.unavailable, self.size_bits, endian)

    def to_bytes(self, endian: Endian) -> bytes:
        """Return the bytes; `UndefinedBits` or `Unavailable` unless every bit is known."""
        try:
            self._require_fit()
            if self.unavailable:
                first, count = self.unavailable_ranges(endian)[0]
                raise Unavailable(self.unknown_bits_message("unavailable", first, count))
            if self.undefined:
                first, count = self.undefined_ranges(endian)[0]
                raise UndefinedBits(self.unknown_bits_message("undefined", first, count))
            return to_bytes(self.value, self.size_bits, endian)
        except FOREIGN:
            require_right_arguments(Bits.to_bytes, self, endian)
            raise

    @names_wrong_arguments
    def unknown_bits_message(self, problem: str, first: int, count: int) -> str:
        """Return which of the bits are unknown, and why."""
        reason = self.why_unavailable if problem == "unavailable" else self.why_undefined
        why = "" if reason is None else f": {reason}"
        return f"bits {first} to {first + count - 1} of {self.size_bits} are {problem}{why}"

    @names_wrong_arguments
    def hex(self, endian: Endian) -> str:
        """Return two digits per byte; `?` for a digit with an unknown bit, `??` for an unknown
        byte."""
        self._require_fit()
        unknown = self.unknown
        digits = to_bytes(self.value & ~unknown, self.size_bits, endian).hex()
        if not unknown:
            return digits
        out = list(digits)
        present = to_bytes((1 << self.size_bits) - 1, self.size_bits, endian)
        for index, mask in enumerate(to_bytes(unknown, self.size_bits, endian)):
            if mask == present[index]:
                out[2 * index : 2 * index + 2] = "??"
                continue
            if mask & 0xF0:
                out[2 * index] = "?"
            if mask & 0x0F:
                out[2 * index + 1] = "?"
        return "".join(out)


def _require_endian(endian: Endian) -> None:
    if endian != "little" and endian != "big":
        raise wrong_value("endian", endian, "'little' or 'big'")


def is_of_undefined(reason: str) -> bool:
    """Return whether a reason is one for undefined bits, not for unavailable ones."""
    return (
        reason == REASON_UNDEFINED
        or reason.startswith((REASON_LOST, REASON_UNDESCRIBED))
        or REASON_UNDECIDED in reason
    )


def _ranges(mask: int, size_bits: int, endian: Endian) -> list[tuple[int, int]]:
    _require_endian(endian)
    if not mask:
        return []
    digits = format(mask, f"0{size_bits}b")
    if endian == "little":
        digits = digits[::-1]
    return [(run.start(), run.end() - run.start()) for run in re.finditer("1+", digits)]


def concatenate(runs: list[Bits], endian: Endian) -> Bits:
    """Return the concatenation of runs, in storage order; O(n log n) in their
    total size."""
    while len(runs) > 1:
        runs = [
            _joined(runs[i], runs[i + 1], endian) if i + 1 < len(runs) else runs[i]
            for i in range(0, len(runs), 2)
        ]
    return runs[0] if runs else Bits(0, 0)


def _joined(a: Bits, b: Bits, endian: Endian) -> Bits:
    value, undefined, unavailable = (
        join(left, a.size_bits, right, b.size_bits, endian)
        for left, right in (
            (a.value, b.value),
            (a.undefined, b.undefined),
            (a.unavailable, b.unavailable),
        )
    )
    reasons = a.reasons + b.reasons if a.reasons and b.reasons else a.reasons or b.reasons
    if type(reasons) is tuple and reasons:  # those of many lanes repeat none
        reasons = tuple(dict.fromkeys(reasons))
    return Bits(value, a.size_bits + b.size_bits, undefined, unavailable, reasons)
