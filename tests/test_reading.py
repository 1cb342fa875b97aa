"""Which files are read: none that waits, and none out of the folder in which it is looked for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.readable_files import beneath, is_regular, is_source, open_to_read
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.companions import candidate_paths, joined_below, open_companion
from dwarfgpu.repl.files.source_path import SourcePath
from dwarfgpu.session.focused_frame import FramePosition
from tests.cli.command import run
from tests.processes import finished
from tests.work import assert_linear

KMSG = Path("/proc/kmsg")
"""The messages of the kernel: a regular file by its type, in which root waits for the next."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/lib/libc.so", "lib/libc.so"),
        ("lib//./libc.so", "lib/libc.so"),
        ("/../../etc/passwd", "etc/passwd"),
        ("/lib/../../../../etc/passwd", "etc/passwd"),
        ("/absolute/passwd", "etc/passwd"),
        ("/up/etc/passwd", "etc/passwd"),
        ("/twice/passwd", "etc/passwd"),
        ("/lib/../absolute/passwd", "etc/passwd"),
        ("/no/such", "no/such"),
        ("/..", ""),
    ],
)
def test_beneath(tmp_path: Path, name: str, expected: str) -> None:
    root = tmp_path / "root"
    (root / "lib").mkdir(parents=True)
    (root / "etc").mkdir()
    (root / "absolute").symlink_to("/etc")
    (root / "up").symlink_to("../../../../..")
    (root / "twice").symlink_to("absolute")
    assert Path(beneath(str(root), name)) == root / expected


@pytest.mark.parametrize("links", [0, 41])
def test_long_names_are_resolved_in_linear_time(tmp_path: Path, links: int) -> None:
    """Each part of a name was joined with all before it, also behind a missing folder: 8,000 parts
    took 5 s."""
    (tmp_path / "up").symlink_to(".")
    begin = "up/" * links

    def work(count: int) -> Callable[[], object]:
        return lambda: beneath(str(tmp_path), begin + "a/" * count + "../" * count + "up/x")

    assert_linear(work, 1000)
    assert work(10)() == str(tmp_path / ("up/up/x" if links else "x"))


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert beneath(str(tmp_path), "/a/x").startswith(str(tmp_path))


@pytest.mark.parametrize("name", ["../x.dwo", "a/../../../x.dwo", "../../../../../../x.dwo"])
def test_names_out_of_files_stay_in_the_folders_of_the_user(name: str) -> None:
    assert joined_below("/debug", name) == "/debug/x.dwo"
    assert list(candidate_paths(name, ["/beside"], ["/debug"])) == [
        f"/beside/{name}", "/debug/x.dwo", "/beside/x.dwo", "/debug/x.dwo",
    ]  # fmt: skip
    assert joined_below("/debug", "./a/x.dwo") == "/debug/./a/x.dwo"


def test_files_of_the_kernel_are_not_sources(tmp_path: Path) -> None:
    link, pipe, file = (tmp_path / name for name in ("link", "pipe", "file"))
    link.symlink_to(KMSG)
    os.mkfifo(pipe)
    file.write_text("")
    assert is_source(file) and is_regular(file)
    for path in (KMSG, link, pipe, tmp_path, tmp_path / "none", Path("/dev/null"), Path("a\0")):
        assert not is_source(path) and not is_regular(path)


@pytest.mark.parametrize("name", ["/proc/kmsg", "/dev/zero", "/sys/kernel/notes"])
def test_list_reads_no_file_of_the_kernel(name: str) -> None:
    table = SimpleNamespace(compilation_directory=lambda to_open: str(Path(name).parent))
    source = SimpleNamespace(path_to_open=name, table=table)
    position = SimpleNamespace(file_to_open=name, path=name, source=source)
    assert SourcePath().text_file(cast(FramePosition, position)) is None


@pytest.mark.skipif(not KMSG.exists(), reason="no /proc/kmsg")
def test_a_companion_below_proc_is_refused() -> None:
    with pytest.raises(UsageError, match="/proc/kmsg cannot be read: it is not a regular file"):
        open_companion(str(KMSG), DEFAULT_FILE_LIMITS)


@pytest.mark.skipif(not KMSG.exists(), reason="no /proc/kmsg")
@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "--state", KMSG, "lit1"),
        ("disas", KMSG),
        ("debug", KMSG, "--batch"),
        ("where", KMSG, "x"),
        ("dis", "--file", KMSG),
        ("eval", "--mem", f"0=@{KMSG}", "lit1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_command_waits_for_the_kernel(
    arguments: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For root, reading it would wait for the next message."""
    opened: list[str] = []
    monkeypatch.setattr("pathlib.Path.open", lambda path, *_: opened.append(str(path)))
    done = run(*arguments)
    assert done.status == 2 and str(KMSG) in done.err
    assert str(KMSG) not in opened


def test_pipes_are_refused_but_for_open_ones(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="it is not a regular file"):
            open_to_read(path)
    both = os.open(pipe, os.O_RDWR)
    with open_to_read(f"/dev/fd/{both}") as file:
        os.write(both, b"x")
        assert file.read(1) == b"x"
    os.close(both)


@pytest.mark.parametrize(
    "arguments",
    [
        ("conformance", "PIPE"),
        ("dis", "--file", "PIPE"),
        ("asm", "--file", "PIPE"),
        ("eval", "--state", "PIPE", "lit1"),
        ("eval", "--file", "PIPE", "x"),
        ("info", "PIPE"),
        ("check", "PIPE"),
        ("check", "--baseline", "PIPE", "PIPE"),
        ("where", "PIPE", "--all"),
        ("eval", "--mem", "0=@PIPE", "lit1"),
        ("debug", "--demo", "--batch", "-x", "PIPE"),
        ("debug", "--demo", "--batch", "-ex", "source PIPE"),
        ("debug", "--demo", "--batch", "-ex", "load PIPE"),
        ("debug", "--demo", "--batch", "-ex", "diff PIPE"),
        ("debug", "--demo", "--batch", "-ex", "core-file PIPE"),
        ("dispatch", "PIPE", "--grid", "1", "--workgroup", "1"),
        ("bt", "--core", "PIPE"),
    ],
    ids=" ".join,
)
def test_no_command_waits_for_a_writer(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """In a process of its own, which would never end."""
    os.mkfifo(tmp_path / "PIPE")
    done = finished(*arguments, folder=tmp_path)
    assert done.returncode != 0 or "debug" in arguments, done.stdout
    assert "PIPE" in done.stderr and "regular" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_shell_gives_is_read(tmp_path: Path) -> None:
    shown = subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -m dwarfgpu dis --file <(printf 30)"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )  # fmt: skip
    assert "DW_OP_lit0" in shown.stdout, shown.stderr
    assert run("dis", "--file", "/dev/null").status in (0, 2)
