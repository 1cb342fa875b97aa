"""Directories that are searched for separate debug files, as in GDB."""

from __future__ import annotations

from typing import Final

DEBUG_DIRECTORIES: Final = ("/usr/lib/debug",)
