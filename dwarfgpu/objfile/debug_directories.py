"""Where debug information in files of its own is looked for, as by GDB."""

from __future__ import annotations

from typing import Final

DEBUG_DIRECTORIES: Final = ("/usr/lib/debug",)
