"""The command that starts dwarfgpu here, for advice that can be copied."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

INSTALLED: Final = "dwarfgpu"
_PACKAGE: Final = Path(__file__).resolve().parents[1]


def program_name() -> str:
    """`dwarfgpu` where it is installed, else how the script of this checkout is reached from the
    working folder: `tools/dwarfgpu`; `python -m dwarfgpu` where there is neither."""
    script = _PACKAGE.parent / "tools" / "dwarfgpu"
    if not script.is_file():
        return INSTALLED if shutil.which(INSTALLED) else "python -m dwarfgpu"
    try:
        return str(script.relative_to(Path.cwd()))
    except (OSError, ValueError):  # another working folder, or none
        return os.fspath(script)
