"""What the tests inside GDB use."""

from __future__ import annotations

import pytest

from tests.gdb.debugger import Debugger, start_debugger


@pytest.fixture(scope="session")
def debugger(tmp_path_factory: pytest.TempPathFactory) -> Debugger:
    """GDB that knows our commands, or a skip with the reason."""
    return start_debugger(tmp_path_factory.mktemp("gdb-cache"))
