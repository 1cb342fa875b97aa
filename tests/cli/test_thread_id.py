"""How the threads of a core file are called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu.cli import main
from dwarfgpu.service.core import core_summary

_CORE = Path(__file__).parents[2] / "fixtures" / "core"
_PROGRAM = _CORE / "crash.x86_64.O0"


@pytest.mark.parametrize(
    ("libraries", "expected"),
    [
        ("libc.*", r"Thread 1 \(LWP [0-9]+\):"),
        (re.escape(_PROGRAM.name), r"Thread 1 \(Thread 0x[0-9a-f]+ \(LWP [0-9]+\)\):"),
    ],
)
def test_threads_of_a_known_library_are_identified_by_their_pointers(
    libraries: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(core_summary, "_OF_THREADS", re.compile(libraries))
    given = [str(_PROGRAM), "--core", f"{_PROGRAM}.core", "--sysroot", str(_CORE)]
    main.main(["debug", "--batch", *given, "-ex", "thread apply 1 echo x"])
    assert re.search(expected, capsys.readouterr().out)


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        ("libc.so.6", True),
        ("libpthread.so.0", True),
        ("libpthread-2.31.so", True),
        ("libc-2.31.so", True),
        ("libcrypt.so.1", False),
        ("ld-musl-x86_64.so.1", False),
    ],
)
def test_the_libraries_of_threads(name: str, is_known: bool) -> None:
    assert bool(core_summary._OF_THREADS.fullmatch(name)) is is_known


@pytest.mark.parametrize(("symbol", "is_known"), [("leaf", True), ("nosuch", False)])
def test_a_static_program_contains_the_version_of_the_library(
    symbol: str,
    is_known: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As GDB's libthread_db, which looks up `nptl_version`."""
    monkeypatch.setattr(core_summary, "_VERSIONS", (symbol,))
    given = [str(_PROGRAM), "--core", f"{_PROGRAM}.core", "--sysroot", str(_CORE)]
    main.main(["debug", "--batch", *given, "-ex", "thread apply 1 echo x"])
    assert ("Thread 1 (Thread 0x" in capsys.readouterr().out) is is_known
