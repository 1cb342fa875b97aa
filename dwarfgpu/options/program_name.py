"""The command that starts dwarfgpu here, for advice that can be copied."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

INSTALLED: Final = "dwarfgpu"
_PACKAGE: Final = Path(__file__).resolve().parents[1]


def _checkout() -> Path:
    """Return the checkout that `tools/venv.sh` has installed here, as it writes down."""
    try:
        return Path(Path(sys.prefix, "checkout").read_text("utf-8").strip()).resolve()
    except (OSError, ValueError):
        return _PACKAGE.parent


def program_name() -> str:
    """Return the path of this checkout's script from the working folder, `tools/dwarfgpu`; without
    a checkout `dwarfgpu` if it is installed, otherwise this Python and its `-m dwarfgpu`. In the
    syntax of a shell."""
    script = _PACKAGE.parent / "tools" / "dwarfgpu"
    if not os.path.isfile(script):
        script = _checkout() / "tools" / "dwarfgpu"
    if not os.path.isfile(script):
        python = shlex.quote(sys.executable)
        return INSTALLED if shutil.which(INSTALLED) else f"{python} -m dwarfgpu"
    try:
        return shlex.quote(str(script.relative_to(Path.cwd())))
    except (OSError, ValueError):  # another working folder, or none
        return shlex.quote(os.fspath(script))
