"""Ctrl-C while a package is loaded that cannot be loaded a second time."""

from __future__ import annotations

import importlib
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.repl.terminal.whole_imports import WholeImports, load_whole

SLOW = """
import signal
begun = True
signal.raise_signal(signal.SIGINT)
value = 7
"""


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt`, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_the_interrupt_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_package.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        importlib.import_module("slow_package")
    monkeypatch.setattr(
        sys, "meta_path", [WholeImports(frozenset({"slow_package"})), *sys.meta_path]
    )
    with pytest.raises(KeyboardInterrupt):  # it arrives after the import
        module = importlib.import_module("slow_package")
        assert module.value == 7 and module.__spec__ is not None
        assert type(module.__spec__.loader) is type(module.__loader__)
        assert type(module.__loader__).__name__ == "SourceFileLoader"
        while True:
            time.sleep(0.01)
    assert sys.modules.pop("slow_package").value == 7


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = WholeImports(frozenset({"no_such_package"}))
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        importlib.import_module("no_such_package")


def test_two_prompts_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finder would ask the other one for ever."""
    (tmp_path / "quick_package.py").write_text("value = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    two = [WholeImports(frozenset({"quick_package"})) for _ in range(2)]
    monkeypatch.setattr(sys, "meta_path", [*two, *sys.meta_path])
    assert importlib.import_module("quick_package").value == 7
    del sys.modules["quick_package"]


def test_a_second_prompt_adds_no_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    load_whole()
    with_finder = list(sys.meta_path)
    load_whole()
    assert sys.meta_path == with_finder
