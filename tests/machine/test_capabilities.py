"""What a target can do is looked up once for each class."""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.gpu.process_image import process_core
from dwarfgpu.machine.target import Extensible, Named, Sparse
from tests.machine.test_gpu_core_odd import machine, opened
from tests.work import calls_of


def test_asking_again_is_cheap() -> None:
    target = opened(*process_core(machine()))
    view = TargetWithCodeObjects(target, (), True)
    assert isinstance(view, Named) and isinstance(view, Sparse)
    assert not isinstance(target, Sparse) and not isinstance(target, Extensible)

    def ask() -> Callable[[], object]:
        return lambda: [isinstance(view, Named) for _ in range(100)]

    assert calls_of(ask()) < 500
