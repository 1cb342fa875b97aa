"""What the tests of running kernels share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import lru_cache

import pytest

from dwarfgpu.objfile import gpu_code


@pytest.fixture(scope="package", autouse=True)
def metadata_is_read_once() -> Iterator[None]:
    """Each of 30 kernels of a file is run from a file that is opened anew; its metadata describes
    all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_code, "joined_metadata", lru_cache(gpu_code.joined_metadata))
        yield


@pytest.fixture(autouse=True)
def machines_are_freed() -> Iterator[None]:
    """A machine has a megabyte in cycles of few objects: collections that come rarely leave 3 GB of
    them."""
    yield
    gc.collect(0)
