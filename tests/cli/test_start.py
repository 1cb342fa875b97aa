"""What a command loads before it answers: modules are counted, not folders, and never time.

Each bound leaves room for one or two modules more. Whoever needs more of them finds out first
what loads them: `python -X importtime -m dwarfgpu …`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import finished

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "dwarfgpu/data"
PATHS = {
    "FILE": str(DATA / "demo.co"),
    "PROGRAM": str(ROOT / "fixtures/core/crash.x86_64.O0"),
}
"""Files by their words in the tables below; the program has a variable `greeting`."""
COUNT = """\
import sys
sys.modules["typing_extensions"] = None  # msgspec would import it, if there is one
from dwarfgpu.cli.main import main
status = main(sys.argv[1:])
own = {
    name
    for name, module in sys.modules.items()
    if name.partition(".")[0] == "dwarfgpu" and not hasattr(module, "__path__")
}
print(status, len(own), file=sys.stderr)
print(*sorted(own), *sorted(sys.modules.keys() & COSTLY), file=sys.stderr)
"""
COSTLY = {
    "dataclasses", "difflib", "fractions", "importlib.resources", "inspect", "json", "numpy",
    "pathlib", "prompt_toolkit", "shutil", "string", "threading",
}  # fmt: skip
"""Modules that import many others, or compile expressions. `tempfile` imports `shutil`."""


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"COSTLY = {COSTLY}\n{COUNT}", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    *_, counts, names = done.stderr.splitlines()
    assert counts.split()[0] == "0", done.stderr
    return set(names.split())


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        ("--version", 8),
        ("asm lit1", 75),
        ("eval lit1", 119),
        ("eval --demo t", 279),
        ("eval --file PROGRAM greeting", 286),
        ("info FILE", 163),
        ("check FILE", 298),
        ("where --demo t", 267),
        ("where --all FILE", 222),
        ("run --demo", 304),
        ("debug --demo -batch", 351),
        ("debug --demo -batch -ex bt", 399),
        ("debug --demo -batch -ex list", 456),
    ],
)
def test_a_command_loads_no_more_modules(arguments: str, most: int) -> None:
    names = loaded(*(PATHS.get(word, word) for word in arguments.split())) - COSTLY
    assert len(names) <= most, sorted(names)


@pytest.mark.parametrize(
    ("arguments", "costly"),
    [
        ("--version", set()),
        ("asm lit1", {"json"}),
        ("eval lit1", set()),
        ("eval --file PROGRAM greeting", set()),
        ("where --all FILE", set()),
        ("debug --demo -batch", {"json", "pathlib", "threading"}),
    ],
)
def test_a_command_imports_no_costly_modules(arguments: str, costly: set[str]) -> None:
    assert loaded(*(PATHS.get(word, word) for word in arguments.split())) & COSTLY <= costly


def test_call_frames_are_loaded_when_asked_for() -> None:
    for arguments in (("info", str(DATA / "demo.co")), ("where", "--demo", "t")):
        assert [name for name in loaded(*arguments) if name.startswith("dwarfgpu.cfi")] == []
    own_frame = loaded("eval", "--demo", "t")
    assert {
        name for name in own_frame if name.startswith(("dwarfgpu.cfi.", "dwarfgpu.dwarf.calls."))
    } == {"dwarfgpu.cfi.quirk_names"}


def test_operations_load_nothing_of_variables() -> None:
    folders = ("cfi", "check", "dwarf", "language", "session")
    names = loaded("eval", "lit1") - {"dwarfgpu.cfi.quirk_names"}
    assert [name for name in names if name.split(".")[1:2] and name.split(".")[1] in folders] == []


@pytest.mark.parametrize("own", [None, "2"])
def test_numpy_starts_no_threads(own: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear algebra has none, unless the user wants them."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    done = finished(
        "debug", "--batch", "-ex", "python import os; print(os.environ['OPENBLAS_NUM_THREADS'])",
        environment={} if own is None else {"OPENBLAS_NUM_THREADS": own},
    )  # fmt: skip
    assert done.stdout.strip() == (own or "1")
