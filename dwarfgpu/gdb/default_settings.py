"""GDB's settings that change how values are shown, at their defaults for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import gdb

from dwarfgpu.gdb.machine.gdb_values import said

_DEFAULTS: Final = {
    "language": "auto",
    "max-value-size": "65536",
    "output-radix": "10",
    "print address": "on",
    "print array": "off",
    "print array-indexes": "off",
    "print characters": "elements",
    "print demangle": "on",
    "print elements": "200",
    "print max-depth": "20",
    "print nibbles": "off",
    "print null-stop": "off",
    "print object": "off",
    "print pretty": "off",
    "print raw-values": "off",
    "print repeats": "10",
    "print sevenbit-strings": "off",
    "print static-members": "on",
    "print symbol": "on",
    "print union": "on",
    "print vtbl": "off",
}


@contextmanager
def default_settings() -> Iterator[None]:
    """Set GDB's defaults for a block, and restore the user's settings afterwards."""
    before: dict[str, str] = {}
    try:
        for name, value in _DEFAULTS.items():
            try:
                own = _text(gdb.parameter(name))
            except RuntimeError:
                continue  # of a newer GDB
            if own != value:
                before[name] = own
                _set(name, value)
        yield
    finally:
        for name, own in before.items():
            _set(name, own)


def _set(name: str, value: str) -> None:
    said(f"set {name} {value}")


def _text(value: object) -> str:
    """Return a setting as it is written: GDB's Python has None or -1 for `unlimited`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "unlimited" if value in (None, -1) else str(value)
