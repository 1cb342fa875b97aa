"""What the tests inside GDB use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger, start_debugger


@pytest.fixture(scope="session")
def debugger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debugger]:
    """GDB that knows our commands, or a skip with the reason."""
    started = start_debugger(tmp_path_factory.mktemp("gdb-cache"))
    yield started
    started.copies.stop()


@pytest.fixture(scope="session")
def demo(repository: Path) -> Path:
    """A program without optimization."""
    return repository / "fixtures/x86_64/demo.gcc.O0.v5"


@pytest.fixture(scope="session")
def optimized(repository: Path) -> Path:
    """The same program, optimized."""
    return repository / "fixtures/x86_64/demo.gcc.O2.v5"
