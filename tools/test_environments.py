"""Run the tests in the environments of fresh machines, and print a table of the results.

    python tools/test_environments.py [--only NAME]... [--at-once] [--table FILE] [ARGUMENT]...

Each environment gets a copy of the checkout's files as they are in git's index, with a link to the
.venv of this checkout, and its own folder for temporary files. ARGUMENTs, pytest's such as paths of
tests, represent the whole suite. The status is 1 where a test fails in any environment.

`--at-once` makes one environment out of all that are chosen; without `no-tools` it is the
strictest one that still runs every test. `--list` prints the environments. One that this machine
cannot make is reported as such.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv/bin/python"
NOBODY = 65534
TOOLS_LEFT_OUT = re.compile(r"gdb.*|clang.*|gcc.*|g\+\+.*|cc|c\+\+|.*-linux-gnu-g.*|node|nodejs")
COUNTS = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed)")


class CannotBeMade(Exception):
    """Why this machine has no such environment."""


@dataclass(frozen=True)
class Place:
    """Where and how the tests are run."""

    checkout: Path
    """A copy of the files, without .git."""
    temporary: Path
    variables: dict[str, str]
    command: list[str] = field(default_factory=list)
    """What the command is put behind: `nice`, `unshare`."""


@dataclass(frozen=True)
class Environment:
    """A kind of machine: its name, what is special, and how a place becomes one."""

    name: str
    what: str
    prepare: Callable[[Place, ExitStack], None]
    folder: str = "checkout"
    """The name of the folder of the checkout."""


def no_bytecode(place: Place, _: ExitStack) -> None:
    place.variables["PYTHONDONTWRITEBYTECODE"] = "1"


def c_locale(place: Place, _: ExitStack) -> None:
    for name in [name for name in place.variables if name.startswith("LC_") or name == "LANGUAGE"]:
        del place.variables[name]
    place.variables["LANG"] = "C"


def c_locale_for_all(place: Place, _: ExitStack) -> None:
    place.variables["LC_ALL"] = "C"


def read_only(place: Place, cleanup: ExitStack) -> None:
    """As an ordinary user: what root writes is never refused."""
    ordinary_user(place, cleanup)
    for path in [place.checkout, *place.checkout.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    cleanup.callback(writable, place.checkout)


def writable(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o200)


def no_home(place: Place, _: ExitStack) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        place.variables.pop(name, None)


def user_settings(place: Place, _: ExitStack) -> None:
    place.variables.update(
        DEBUGINFOD_URLS="https://debuginfod.invalid/", COLUMNS="20", LINES="7", TERM="dumb"
    )


def ordinary_user(place: Place, _: ExitStack) -> None:
    if os.geteuid() or "setpriv" in place.command:
        return  # it is one, or `read-only` has made one
    program = shutil.which("setpriv")
    if program is None:
        raise CannotBeMade("setpriv is not installed, with which root becomes an ordinary user")
    for folder in (place.temporary, place.checkout):
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    groups = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    prefix = ["setpriv", *groups, "--no-new-privs"]
    started = "import subprocess, sys; subprocess.run([sys.executable, '-c', ''], check=True)"
    tried = [*prefix, str(PYTHON), "-c", started]
    if subprocess.run(tried, check=False, capture_output=True, cwd=place.temporary).returncode:
        raise CannotBeMade(f"an ordinary user cannot run {PYTHON.resolve()}: it is root's")
    place.command[:0] = prefix
    if "HOME" in place.variables:
        place.variables["HOME"] = str(place.temporary)
    place.variables.pop("XDG_CACHE_HOME", None)


def loaded(place: Place, cleanup: ExitStack) -> None:
    """Beside two processes that are always busy, all of a low priority: half of two processors."""
    for _ in range(2):
        busy = subprocess.Popen(["nice", "-n", "10", sys.executable, "-c", "while True: pass"])
        cleanup.callback(busy.wait)
        cleanup.callback(busy.kill)
    place.command[:0] = ["nice", "-n", "10"]


def no_network(place: Place, _: ExitStack) -> None:
    program = shutil.which("unshare")
    prefix = [] if program is None else [program, "--net"]
    if os.geteuid():
        prefix.append("--map-root-user")
    tried = [*prefix, "true"]
    if program is None or subprocess.run(tried, check=False, capture_output=True).returncode:
        raise CannotBeMade("unshare --net is not allowed here")
    place.command[:0] = prefix


def no_tools(place: Place, _: ExitStack) -> None:
    """The folders of PATH as folders of links, but for those programs."""
    links = place.temporary / "programs"
    links.mkdir()
    for folder in place.variables["PATH"].split(os.pathsep):
        for path in sorted(Path(folder).glob("*")) if Path(folder).is_dir() else ():
            link = links / path.name
            if not TOOLS_LEFT_OUT.fullmatch(path.name) and not link.is_symlink():
                link.symlink_to(path)
    place.variables["PATH"] = str(links)


def nothing(place: Place, _: ExitStack) -> None:
    pass


ENVIRONMENTS = (
    Environment("plain", "nothing is special", nothing),
    Environment("no-bytecode", "`PYTHONDONTWRITEBYTECODE=1`", no_bytecode),
    Environment("lang-c", "`LANG=C`, no `LC_*`", c_locale),
    Environment("lc-all-c", "`LC_ALL=C`", c_locale_for_all),
    Environment("read-only", "no file of the checkout can be written", read_only),
    Environment("no-home", "no `HOME`, no `XDG_*`", no_home),
    Environment("settings", "`DEBUGINFOD_URLS`, `COLUMNS`, `LINES`, `TERM=dumb`", user_settings),
    Environment("spaces", "blanks in the path of the checkout", nothing, "a check out"),
    Environment("user", "an ordinary user", ordinary_user),
    Environment("no-network", "without network", no_network),
    Environment("loaded", "`nice -n 10`, beside two busy processes", loaded),
    Environment("no-tools", "without gdb, gcc, clang, node", no_tools),
)


def all_at_once(environments: Sequence[Environment]) -> Environment:
    """One environment that is special in every way in which these are."""

    def prepare(place: Place, cleanup: ExitStack) -> None:
        for environment in environments:
            environment.prepare(place, cleanup)

    names = " + ".join(environment.name for environment in environments)
    folder = next((one.folder for one in environments if one.folder != "checkout"), "checkout")
    return Environment(names, "all of these at once", prepare, folder)


@dataclass(frozen=True)
class Outcome:
    """The output of pytest."""

    environment: Environment
    counts: Mapping[str, int]
    failed: tuple[str, ...]
    processor_seconds: float
    seconds: float
    problem: str | None = None
    """Why nothing was run."""

    @property
    def is_good(self) -> bool:
        return self.problem is not None or (not self.failed and self.counts.get("passed", 0) > 0)

    @property
    def row(self) -> str:
        head = f"| {self.environment.name} | {self.environment.what} |"
        if self.problem is not None:
            return f"{head} not run: {self.problem} | | | |"
        number = self.counts.get
        time_used = f"{self.processor_seconds:.0f} s | {self.seconds:.0f} s"
        failed = number("failed", 0) + number("error", 0) + number("errors", 0)
        return f"{head} {number('passed', 0)} | {number('skipped', 0)} | {failed} | {time_used} |"


HEAD = (
    "| Environment | What is special | Passed | Skipped | Failed | Processor time | Time |\n"
    "|---|---|---|---|---|---|---|"
)


@contextmanager
def place_of(environment: Environment) -> Iterator[tuple[Place, ExitStack]]:
    """A copy of the checkout in a new folder, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="dwarfgpu-environment-") as name, ExitStack() as stack:
        top = Path(name)
        top.chmod(0o755)
        place = Place(top / environment.folder, top / "tmp", dict(os.environ))
        place.checkout.mkdir()
        place.temporary.mkdir()
        prefix = f"--prefix={place.checkout}/"
        subprocess.run(["git", "checkout-index", "--all", prefix], check=True, cwd=ROOT)
        (place.checkout / ".venv").symlink_to(ROOT / ".venv")
        place.variables["TMPDIR"] = str(place.temporary)
        # The link leads to this checkout's .venv, in which the package is installed as it is here.
        place.variables["PYTHONPATH"] = str(place.checkout)
        place.variables.pop("PYTHONDONTWRITEBYTECODE", None)
        environment.prepare(place, stack)
        yield place, stack


def outcome_of(environment: Environment, arguments: list[str]) -> Outcome:
    """Run the tests in an environment."""
    with ExitStack() as stack:
        try:
            place, _ = stack.enter_context(place_of(environment))
        except CannotBeMade as why:
            return Outcome(environment, {}, (), 0, 0, str(why))
        options = ["-q", "-p", "no:cacheprovider", "--basetemp", str(place.temporary / "pytest")]
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(
            [*place.command, str(PYTHON), "-m", "pytest", *options, *(arguments or ["-n", "2"])],
            cwd=place.checkout, env=place.variables, check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        took = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = done.stdout.splitlines()
    failed = tuple(line for line in lines if line.startswith(("FAILED ", "ERROR ")))
    counts = {what: int(count) for count, what in COUNTS.findall(lines[-1] if lines else "")}
    if done.returncode and not failed:
        failed = tuple(lines[-5:])
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Outcome(environment, counts, failed, used, took)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [environment.name for environment in ENVIRONMENTS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME")
    parser.add_argument("--at-once", action="store_true", help="combine them in one run")
    parser.add_argument("--list", action="store_true", help="print the environments")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table there, too")
    options, arguments = parser.parse_known_args()
    if options.list:
        for environment in ENVIRONMENTS:
            print(f"{environment.name:12} {environment.what}")
        return 0
    chosen = [one for one in ENVIRONMENTS if not options.only or one.name in options.only]
    if options.at_once:
        chosen = [all_at_once(chosen)]
    rows = [HEAD]
    is_good = True
    print(HEAD, flush=True)
    for environment in chosen:
        outcome = outcome_of(environment, arguments)
        is_good &= outcome.is_good
        rows.append(outcome.row)
        print(outcome.row, flush=True)
        print(*(f"    {line}" for line in outcome.failed), sep="\n", file=sys.stderr, flush=True)
    if options.table:
        options.table.write_text("\n".join(rows) + "\n", "utf-8")
    return not is_good


if __name__ == "__main__":
    sys.exit(main())
