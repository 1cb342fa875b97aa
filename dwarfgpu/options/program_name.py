"""The command that starts dwarfgpu here, for advice that can be copied."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

INSTALLED: Final = "dwarfgpu"
_PACKAGE: Final = Path(__file__).resolve().parents[1]


def program_name() -> str:
    """Return `dwarfgpu` if it is installed; otherwise the path of this checkout's script from the
    working folder, `tools/dwarfgpu`, or `python -m dwarfgpu` if there is neither."""
    script = _PACKAGE.parent / "tools" / "dwarfgpu"
    if not script.is_file():
        return INSTALLED if shutil.which(INSTALLED) else "python -m dwarfgpu"
    try:
        return str(script.relative_to(Path.cwd()))
    except (OSError, ValueError):  # another working folder, or none
        return os.fspath(script)
