"""What GDB says to scripts, recorded: `NAME.gdb`, and in `NAME.txt` GDB 13's output and status.

Each is run with `--batch -x` on a program that does not run. `python -m tests.repl.gdb_scripts`
records all anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.cli.main import main

HERE = Path(__file__).parent
REPOSITORY = Path(__file__).parents[3]
PROGRAM = REPOSITORY / "fixtures/x86_64/demo.gcc.O0.v5"
PARTS = ("inner", "failing")
"""Scripts that others run."""
NAMES = tuple(sorted(path.stem for path in HERE.glob("*.gdb") if path.stem not in PARTS))
GDB = ("gdb", "-nx", "-q", "-batch", "-ex", "set width 0", str(PROGRAM))


@contextlib.contextmanager
def copied() -> Iterator[Path]:
    """A folder with the scripts: what one writes by mistake is not written into the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        for script in HERE.glob("*.gdb"):
            shutil.copyfile(script, Path(folder, script.name))
        yield Path(folder)


def transcript_of_ours(name: str) -> str:
    """All that `dwarfgpu debug` prints when it runs a script, without notes, which GDB does not
    have, and its exit status."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    with (
        copied() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        status = main(["debug", "-q", "--batch", str(PROGRAM), "-x", f"{name}.gdb"])
    text = re.sub(r"(?m)^note: .*\n", "", out.buffer.getvalue().decode("utf-8"))
    return f"{text}[status {status}]\n"


def transcript(program: tuple[str, ...], name: str) -> str:
    """All that a program prints when it runs a script, and its exit status."""
    with copied() as folder:
        done = subprocess.run(
            [*program, "-x", f"{name}.gdb"],
            cwd=folder,
            env={
                **os.environ,
                "LC_ALL": "C.UTF-8",
                # GDB warns where it has no folder for indexes.
                "XDG_CACHE_HOME": tempfile.gettempdir(),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
    return f"{done.stdout.decode('utf-8', 'backslashreplace')}[status {done.returncode}]\n"


def recorded(name: str) -> str:
    return (HERE / f"{name}.txt").read_text("utf-8")
