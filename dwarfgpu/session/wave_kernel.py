"""The kernel that a wave runs: by its dispatch, or else by its outermost frame."""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.calls.gpu_callers import kernel_in
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.topology import model_of
from dwarfgpu.session.frame import FrameSession
from dwarfgpu.session.kernel_start import kernel_of


@frozen
class WaveKernel:
    """A kernel that runs."""

    name: str
    address: int
    """Of its code, as loaded: not of all of it."""


def kernel_of_wave(session: FrameSession) -> WaveKernel | None:
    """Return the kernel that the wave in focus runs; None if that is unknown."""
    if type(session.wave) is not int:
        from dwarfgpu.model.lane_integers import Divergence  # NumPy has the waves

        raise Divergence(None)  # they may be of several dispatches
    machine = model_of(session.target)
    dispatch = None if machine is None else machine.dispatch_of(session.wave)
    if dispatch is not None:
        with suppress(DwarfGpuError):
            code_object, kernel = kernel_of(session, dispatch)
            if kernel.entry is not None:
                return WaveKernel(kernel.name, kernel.entry + code_object.load_address)
    stack = session.call_stack
    frame = None if stack is None else stack.outermost
    loaded = None if frame is None else code_object_at(session.code_objects, frame.location)
    if frame is None or loaded is None:
        return None
    name = kernel_in(loaded, frame.location)
    return None if name is None else WaveKernel(name, frame.location)
