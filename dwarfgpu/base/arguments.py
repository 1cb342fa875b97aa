"""Checks of arguments that a script gives: a wrong one is a `UsageError` that names it."""

from __future__ import annotations

from operator import index
from typing import Any, Final, SupportsIndex, cast

from dwarfgpu.errors import UsageError, shown

FOREIGN: Final = (
    AttributeError, LookupError, TypeError, ValueError, ArithmeticError, AssertionError,
)  # fmt: skip
"""What a function raises that gets something else than it expects."""


_INTEGERS: Final = ("numpy", "dwarfgpu.model.lane_integers")
"""Modules with integers that are no `int`."""


class WrongType(UsageError, TypeError):
    """An argument of another type than the documented one."""

    @property
    def kind(self) -> str:
        return "UsageError"


class WrongValue(UsageError, ValueError):
    """An argument of the documented type, whose value the function does not accept."""

    @property
    def kind(self) -> str:
        return "UsageError"


def is_hashable(value: object) -> bool:
    """Return whether a value can be a key: numbers of NumPy can, its arrays cannot."""
    return type(value).__hash__ is not None


def plain_integer(value: Any) -> Any:
    """Return an integer of NumPy as one of Python, which has no width that arithmetic exceeds; any
    other value as it is."""
    if type(value).__module__ != "numpy":
        return value
    return index(value) if isinstance(value, SupportsIndex) and is_hashable(value) else value


def plain_argument(value: Any) -> Any:
    """Return an integer or truth value of NumPy as one of Python; any other value as it is."""
    return bool(value) if is_truth_value(value) else plain_integer(value)


def is_truth_value(value: object) -> bool:
    """Return whether an object is a truth value of Python or NumPy."""
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def is_integer(value: object) -> bool:
    """Return whether an argument is an integer: also one of NumPy or one for each lane, no truth
    value, and no other object that can be an index."""
    if isinstance(value, int):
        return not isinstance(value, bool)
    if isinstance(value, SupportsIndex) and type(value).__module__ in _INTEGERS:
        return is_hashable(value) and not is_truth_value(value)  # no array
    return False


def wrong_value(name: str, value: object, expected: str, advice: str = "") -> WrongValue:
    """Return the error, one line, for an argument whose value is not accepted."""
    return WrongValue(_refusal(name, value, expected, advice))


def wrong_type(name: str, value: object, expected: str, advice: str = "") -> WrongType:
    """Return the error as `wrong_value`, for an argument of another type than the documented
    one."""
    return WrongType(_refusal(name, value, expected, advice))


def _refusal(name: str, value: object, expected: str, advice: str) -> str:
    return f"{name}: expected {expected}, not {received(value)}{advice}"


def received(value: object) -> str:
    """Return what messages call an argument that is not accepted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return shown(value)
    if value is None or isinstance(value, bool | float | str | bytes):
        return f"{value!r:.60}"
    return f"an object of {type(value).__name__}"


def require(name: str, value: object, *kinds: type) -> None:
    """Raise `WrongType` for an argument that is used much later; the first type is named."""
    if not isinstance(value, kinds):
        raise wrong_type(name, value, kinds[0].__name__)


def contents(name: str, data: object) -> bytes:
    """Return the bytes of an argument, of a view of wider elements, too; `WrongType` for none."""
    if type(data) is bytes:
        return data
    if not isinstance(data, bytes | bytearray | memoryview):
        raise wrong_type(name, data, "bytes")
    return bytes(data)


def integer(
    name: str,
    value: object,
    least: int | None = None,
    most: int | None = None,
    *,
    expected: str = "an integer",
) -> int:
    """Return an integer, also one of NumPy; `UsageError` for anything else, truth values too."""
    if least is not None:
        expected += f" of at least {least}" if most is None else f" from {least} to {most:#x}"
    if not is_integer(value):
        raise wrong_type(name, value, expected)
    number = index(cast(int, value))
    if (least is not None and number < least) or (most is not None and number > most):
        raise wrong_value(name, value, expected)
    return number


def byte_range(address: object, size_bytes: object) -> tuple[int, int]:
    """Return an address and a size as integers of Python; `UsageError` for anything else."""
    size = integer("size_bytes", size_bytes)
    if size < 0:
        raise wrong_value("size_bytes", size, "at least 0")
    return integer("address", address), size
