"""Standard streams that are full or closed, in processes of their own."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.terminal.streams import HelpFormatter, terminal_columns
from tests.cli.command import REPOSITORY

FULL = "the output cannot be written: No space left on device"
LACKING = "the command needs more memory than is available"


def shell(command: str, unbuffered: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run `dwarfgpu COMMAND` as a shell does, redirections included."""
    program = f"{shlex.quote(sys.executable)} -m dwarfgpu"
    return subprocess.run(
        ["sh", "-c", f"{program} {command}"],
        cwd=REPOSITORY,
        env={"PYTHONUNBUFFERED": unbuffered, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_run_writes_its_files_although_its_output_is_lost(
    tmp_path: Path, unbuffered: str
) -> None:
    sizes = "--grid 64 --workgroup 64 --arg out=zeros:4096"
    path = tmp_path / "left.npy"
    command = f"run fixtures/hip/call.gfx90a.O0.v5.co call {sizes} --out out={path} >/dev/full"
    done = shell(command, unbuffered)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1] == f"dwarfgpu: {FULL}"
    assert path.stat().st_size > 4096


def test_a_report_is_written_although_the_output_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = shell(f"check fixtures/hip/call.gfx90a.O0.v5.co --report {path} >/dev/full")
    assert (done.returncode, done.stderr.decode().strip()) == (2, f"dwarfgpu: {FULL}")
    assert path.stat().st_size > 0


@pytest.mark.parametrize(
    ("command", "status", "out", "err"),
    [
        ("eval foo 2>/dev/full", 2, "", ""),
        ("eval foo 2>&-", 2, "", ""),
        ("eval lit1 2>/dev/full", 0, "1\n", ""),
        ("eval --demo --lane 1 t 2>/dev/full", 0, "t = 321\n", ""),  # it has notes
        ("eval --demo --lane 1 t 2>&-", 0, "t = 321\n", ""),
        ("debug --demo --batch -ex 'p t' 2>/dev/full", 0, "$1 = 320\n", ""),
        ("eval lit1 >/dev/full", 2, "", FULL),
        ("eval lit1 --json >/dev/full", 2, "", FULL),
        ("eval --json --bogus >/dev/full", 2, "", FULL),
        ("eval lit1 >&-", 2, "", "the output cannot be written: it is closed"),
        ("eval lit1 >&- 2>&-", 2, "", ""),
        ("--help >/dev/full", 2, "", FULL),
        ("eval --help >/dev/full", 2, "", FULL),
        ("--version >/dev/full", 2, "", FULL),
        ("--help >&-", 2, "", "the output cannot be written: it is closed"),
        ("asm <&-", 0, "\n", ""),
        ("debug --demo --quiet <&-", 0, "", ""),
        ("asm --file /dev/zero", 2, "", "/dev/zero cannot be read: it is not a regular file"),
        ("dis --file /dev/zero", 2, "", "/dev/zero cannot be read: it is not a regular file"),
        ("check --file /dev/zero", 2, "", "/dev/zero cannot be read: it is not a regular file"),
        ("asm --file /dev/stdin </dev/zero", 2, "", "/dev/stdin: more than 512 KiB"),
        ("eval --state /dev/stdin t </dev/zero", 2, "", "/dev/stdin: more than 64 MiB"),
        ("asm </dev/zero", 2, "", "standard input: more than 512 KiB"),
        ("dis --binary /dev/zero", 2, "", "/dev/zero cannot be read: it is not a regular file"),
        ("check --binary /dev/zero", 2, "", "/dev/zero cannot be read: it is not a regular file"),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_streams(command: str, status: int, out: str, err: str, unbuffered: str) -> None:
    done = shell(command, unbuffered)
    assert (done.returncode, done.stdout.decode()) == (status, out)
    assert done.stderr.decode() == (f"dwarfgpu: {err}\n" if err else "")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_commands_of_another_encoding_than_the_environments(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dwarfgpu", "debug", "--demo"],
        cwd=REPOSITORY,
        env={"PYTHONIOENCODING": encoding},
        input=b"print 1\n",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode(encoding) == f"standard input is not text in {encoding}\n"


def test_input_that_is_not_text_is_refused() -> None:
    done = shell("debug --demo --quiet <fixtures/README.md")
    assert done.returncode == 1
    done = shell("debug --demo --quiet <dwarfgpu/data/demo.co")
    assert done.returncode == 1 and b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "out"),
    [
        ("echo 'lit3; lit4; plus' | {} eval -", "7\n"),
        ("echo '33 34 22' | {} eval --hex -", "7\n"),
        ("echo 'lit3; lit4; plus' | {} explain - | tail -1", "=> the result is the value 7\n"),
        ("echo t + 1 | {} eval --demo --lane 1 - 2>/dev/null", "t + 1 = 322\n"),
        # A pipe with a name is refused: to open it would wait for its writer.
        ("mkfifo p; echo '33 34 22' >p & {} eval --hex - <p", "7\n"),
        ("echo 'print t' | {} debug --demo -x /dev/stdin --batch 2>/dev/null", "$1 = 320\n"),
        ('cat "$ROOT"/fixtures/cases/cfi_gimli_rows.json | {} conformance /dev/stdin | tail -1',
         "total: 3 passed, 0 failed, 0 skipped, 0 disputed\n"),
        ('mkfifo p; cat "$ROOT"/dwarfgpu/data/demo.co >p & {} info p 2>&1; cat p >/dev/null',
         "dwarfgpu: p cannot be read: it is not a regular file\n"),
    ],
)  # fmt: skip
def test_text_comes_from_streams(command: str, out: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", command.format(f"{shlex.quote(sys.executable)} -m dwarfgpu")],
        cwd=tmp_path,
        env={"LC_ALL": "C.UTF-8", "PYTHONPATH": str(REPOSITORY), "ROOT": str(REPOSITORY),
             "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
        timeout=60,
    )  # fmt: skip
    assert done.stdout.decode() == out, done.stderr


@pytest.mark.parametrize("columns", ["", "0", "-3", "57", "wide", None])
def test_help_is_as_wide_as_the_terminal(
    columns: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    expected = shutil.get_terminal_size().columns
    assert terminal_columns(is_terminal=True) == max(min(expected, 200), 40)
    assert HelpFormatter("dwarfgpu")._width == expected - 2


@pytest.mark.parametrize("module", ["dwarfgpu.cli.main", "argparse", "dwarfgpu.errors"])
def test_an_interrupt_while_modules_are_loaded(module: str) -> None:
    """It ends the process by the signal, so that the script of a shell ends too."""
    code = f"""
import sys
from dwarfgpu import __main__

class Interrupted:
    @staticmethod
    def find_spec(name, path, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted)
__main__.run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "eval", "lit1"],
        cwd=REPOSITORY, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


@pytest.mark.parametrize(
    ("raised", "words", "expected"),
    [
        ("KeyboardInterrupt", ["eval", "lit1"], (-signal.SIGINT, "", "")),
        ("KeyboardInterrupt", ["debug", "-batch", "-ex", "p 1"], (1, "", "Quit\n")),
        ("MemoryError", ["eval", "lit1"], (1, "", f"dwarfgpu: LimitExceeded: {LACKING}\n")),
        ("MemoryError", ["debug", "-batch", "-ex", "p 1"], (1, "", f"LimitExceeded: {LACKING}\n")),
    ],
)
def test_what_is_raised_while_a_class_is_made(
    raised: str, words: list[str], expected: tuple[int, str, str]
) -> None:
    """Before Python 3.12, what `__set_name__` raises becomes the cause of a `RuntimeError`."""
    module = "language.created_class" if words[0] == "debug" else "operation_budget"
    code = f"""
import sys
from dwarfgpu import __main__

class Named:
    def __set_name__(self, owner, name):
        raise {raised}

class Interrupted:
    @staticmethod
    def find_spec(name, path, target=None):
        if name.endswith({module!r}):
            type("Made", (), {{"by_pc": Named()}})

sys.meta_path.insert(0, Interrupted)
__main__.run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=REPOSITORY, capture_output=True, check=False, timeout=60, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == expected


def test_a_directory_as_input_is_named_by_the_script_of_the_checkout(tmp_path: Path) -> None:
    """Python itself ends before it runs a program: "init_sys_streams: <stdin> is a directory"."""
    script = REPOSITORY / "tools/dwarfgpu"
    made_for = REPOSITORY / ".venv/checkout"
    is_ready = (REPOSITORY / ".venv/filled-for-run").is_file() and made_for.is_file()
    if not is_ready or made_for.read_text().strip() != str(REPOSITORY):
        pytest.skip("the script would make .venv first")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        done = subprocess.run(
            [script, "debug", "--demo"], stdin=folder, capture_output=True, check=False
        )
    finally:
        os.close(folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"dwarfgpu: standard input is a directory\n"
    done = subprocess.run(
        [script, "eval", "lit1"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")
