"""What the tests inside GDB use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gdb.debugger import Debugger, start_debugger


@pytest.fixture(scope="session")
def debugger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debugger]:
    """GDB that knows our commands, or a skip with the reason."""
    started = start_debugger(tmp_path_factory.mktemp("gdb-cache"))
    yield started
    started.copies.stop()
