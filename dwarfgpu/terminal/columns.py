"""The width of the terminal."""

from __future__ import annotations

import shutil
from typing import Final

_COLUMNS: Final = 80
_WIDEST: Final = 200


def terminal_columns(is_terminal: bool) -> int:
    """Return the width of the terminal; 80 without one."""
    if not is_terminal:
        return _COLUMNS
    return max(min(shutil.get_terminal_size((_COLUMNS, 24)).columns, _WIDEST), 40)
