"""Make the checkout's .venv: `make_venv.py CHECKOUT run|test|docs`, called by tools/venv.sh.

Law: the stamps are written last, so that what was interrupted is made again; and only under the
lock, so that first runs side by side make one .venv. Needs only the standard library and pip.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

SHOWN_LINES = 15
"""How much of a failed command's output is shown."""


class SetupError(Exception):
    """Why there is no .venv, in words for the person who started the tool."""


def main(root: Path, purpose: str) -> int:
    project = root / "pyproject.toml"
    try:
        with project.open("rb+") as lock:
            # A lock of the kernel, not a lock file: it ends with the processes that hold it. Those
            # are pip too, which may outlive us and must not write into the next one's .venv.
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.set_inheritable(lock.fileno(), True)
            require(root, purpose, project.read_bytes())
    except (SetupError, OSError) as error:
        print(f"dwarfgpu: cannot set up .venv: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def require(root: Path, purpose: str, project: bytes) -> None:
    """Fill .venv for a purpose, from nothing unless it is sound and only lacks an extra."""
    venv = root / ".venv"
    sound = (venv / "bin/python").exists() and stamp(venv / "checkout") == os.fsencode(f"{root}\n")
    filled = {name: sound and stamp(venv / f"filled-for-{name}") == project for name in PURPOSES}
    if filled[purpose]:
        return
    version = ".".join(map(str, sys.version_info[:3]))
    print(
        f"dwarfgpu: setting up .venv for `{purpose}` with Python {version}, once", file=sys.stderr
    )
    if purpose != "run" and filled["run"]:
        # dwarfgpu is not installed again: another process may be importing it now.
        extras = tomllib.loads(project.decode())["project"]["optional-dependencies"]
        pip(venv, extras[purpose])
    else:
        make(venv)
        pip(venv, ["--editable", f"{root}{PURPOSES[purpose]}"])
        (venv / "checkout").write_bytes(os.fsencode(f"{root}\n"))
        (venv / "filled-for-run").write_bytes(project)
    (venv / f"filled-for-{purpose}").write_bytes(project)


PURPOSES = {"run": "", "test": "[test]", "docs": "[docs]"}
"""What .venv can be filled for, with the extras that it takes."""


def stamp(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def make(venv: Path) -> None:
    """An empty environment, without a pip of its own where Python has no ensurepip (Debian)."""
    if venv.is_symlink():
        venv.unlink()
    elif venv.exists():
        shutil.rmtree(venv)
    # The real name of the interpreter: when the system's python3 becomes another version, the
    # link in .venv dangles and .venv is made again, instead of failing on missing modules.
    python = os.path.realpath(sys.executable)
    command = [python, "-m", "venv", str(venv)]
    if run(command) is not None:
        shutil.rmtree(venv, ignore_errors=True)
        if run([*command, "--without-pip"]) is not None or run([*PIP, "--version"]) is not None:
            raise SetupError(
                f"{python} has neither ensurepip nor pip 22.3 or newer; "
                "install one (Debian: apt-get install python3-venv)"
            )


PIP = [sys.executable, "-m", "pip", "--python", sys.executable]
"""The pip of the Python that runs this, which can install into another one from 22.3 on."""


def pip(venv: Path, arguments: list[str]) -> None:
    """Install into `venv`, with its own pip or else with ours."""
    python = str(venv / "bin/python")
    own = run([python, "-m", "pip", "--version"]) is None
    command = [python, "-m", "pip"] if own else [*PIP[:-1], python]
    failure = run([*command, "install", "--quiet", "--disable-pip-version-check", *arguments])
    if failure is not None:
        print(failure, file=sys.stderr)
        raise SetupError("pip install failed (above); is there a network?")


def run(command: list[str]) -> str | None:
    """Run a command quietly; None if it worked, else the end of its output."""
    foreign = ("PYTHONHOME", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    environment |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    done = subprocess.run(
        command,
        env=environment,
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return None if done.returncode == 0 else "\n".join(done.stdout.splitlines()[-SHOWN_LINES:])


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2]))
