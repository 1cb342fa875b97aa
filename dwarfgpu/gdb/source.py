"""The file that GDB sources: `source FILE`, with the path that `dwarfgpu gdb-path` prints.

Law: every Python of any GDB can read this file, to report which version is needed.
"""

import os
import runpy
import sys

import gdb

NEEDED = (3, 11)


def load(folders=None):  # type: (list[str] | None) -> None
    """Add the commands; the packages are in these folders, else where this file finds them."""
    if sys.version_info[:2] < NEEDED:
        raise gdb.GdbError(
            "dwarfgpu needs a GDB with Python %d.%d or newer; this one has Python %d.%d"  # noqa: UP031
            % (NEEDED + tuple(sys.version_info[:2]))
        )
    # GDB leaves __file__ alone where a script of Python sources this one.
    here = os.path.dirname(os.path.abspath(load.__code__.co_filename))
    names = runpy.run_path(os.path.join(here, "loader.py"), run_name="dwarfgpu_gdb_loader")
    names["load"](names["folders"]() if folders is None else folders)


if __name__ == "__main__":
    load()
