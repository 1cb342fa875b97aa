"""The face of a cube that a direction meets, and where: v_cubeid, v_cubesc, v_cubetc, v_cubema.

Law: of components of one size the later one is the axis; a comparison with NaN is false.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes, quiet_nan


def cube_face(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return the number of the face: 0, 2 and 4 for the axes, one more where they are negative."""
    x, y, z = np.broadcast_arrays(x, y, z)
    is_z, is_y = _axes(x, y, z)
    faces = np.select([is_z, is_y], [4 + (z < 0), 2 + (y < 0)], 0 + (x < 0))
    return faces.astype(x.dtype)


def cube_s(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return the component along the first coordinate of the face."""
    x, y, z = np.broadcast_arrays(x, y, z)
    is_z, is_y = _axes(x, y, z)
    of_z, of_x = np.where(z < 0, -x, x), np.where(x < 0, z, -z)
    return quiet_nan(np.select([is_z, is_y], [of_z, x], of_x))


def cube_t(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return the component along the second coordinate of the face."""
    x, y, z = np.broadcast_arrays(x, y, z)
    is_z, is_y = _axes(x, y, z)
    return quiet_nan(np.where(~is_z & is_y, np.where(y < 0, -z, z), -y))


def cube_axis(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return the component along the axis of the face."""
    x, y, z = np.broadcast_arrays(x, y, z)
    is_z, is_y = _axes(x, y, z)
    return quiet_nan(np.select([is_z, is_y], [z, y], x))


def _axes(x: Lanes, y: Lanes, z: Lanes) -> tuple[Lanes, Lanes]:
    """Return whether z is the axis, and whether y is where z is not."""
    x, y, z = np.abs(x), np.abs(y), np.abs(z)
    return (z >= x) & (z >= y), y >= x


CUBE_FACES: Final[dict[str, Any]] = {
    function.__name__: function for function in (cube_face, cube_s, cube_t, cube_axis)
}
"""Keyed by the names that expressions use."""
