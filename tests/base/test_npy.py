"""`.npy` files, read and written without NumPy: compared with NumPy, and hostile ones."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwarfgpu.base.npy import Npy, is_npy, npy_bytes, parse_npy, read_npy
from dwarfgpu.errors import UsageError

np = pytest.importorskip("numpy")

SHAPES = [(), (1,), (5,), (0,), (2, 3), (4, 1, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("descr", ["|u1", "|b1", "<i2", "<u4", "<f4", "<f8", "<i8", "<c16"])
def test_numpy_and_we_read_the_same(descr: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = np.arange(int(np.prod(shape))).reshape(shape).astype(descr)
    np.save(tmp_path / "a.npy", array)
    npy = read_npy(tmp_path / "a.npy")
    assert (npy.descr, npy.shape, npy.data) == (descr, shape, array.tobytes())
    again = np.load(io.BytesIO(npy_bytes(npy)), allow_pickle=False)
    assert again.dtype == array.dtype and again.shape == shape
    assert again.tobytes() == array.tobytes()
    assert len(npy_bytes(npy)) == len((tmp_path / "a.npy").read_bytes()) or shape == ()


def test_rows() -> None:
    array = Npy("<u2", (3, 2), bytes(range(12)))
    assert array.row(1) == bytes(range(4, 8))


def saved(array: object) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.mark.parametrize(("name", "version"), [("größe", 1), ("größe", 2), ("größe", 3), ("长", 3)])
def test_names_of_fields_are_in_the_encoding_of_the_version(name: str, version: int) -> None:
    """NumPy writes latin-1 in versions 1.0 and 2.0, and UTF-8 in 3.0."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.zeros(3, [(name, "<i4")]), (version, 0))
    (field,) = parse_npy(out.getvalue(), "named", structures=True).fields
    assert field.name == name


def with_header(text: str) -> bytes:
    """A file of version 3 with a header, and eight bytes behind it."""
    header = text.encode()
    return b"\x93NUMPY\3\0" + len(header).to_bytes(4, "little") + header + bytes(8)


def shaped(sizes: str) -> str:
    return f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({sizes},)}}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a .npy file"),
        (b"\x93NUMPY", "not a .npy file"),
        (saved(np.zeros(4, ">i4")), "an array of '>i4'; only little-endian numbers are read"),
        (saved(np.zeros(2, [("a", "<i4")])), "only little-endian numbers are read"),
        (
            saved(np.array(["ab"])),
            r"an array of text \('<U2'\); only little-endian numbers are read",
        ),
        (
            saved(np.zeros(2, "V3")),
            r"an array of raw bytes \('\|V3'\); only little-endian numbers are read",
        ),
        (saved(np.asfortranarray(np.zeros((2, 3)))), "the array is in Fortran order"),
        (saved(np.zeros(4))[:-1], r"31 bytes for an array \(4,\) of <f8"),
        (saved(np.zeros(4)) + b"x", r"33 bytes for an array \(4,\) of <f8"),
        (saved(np.zeros(4)).replace(b"(4,)", b"(4*)"), "the header of the .npy file cannot"),
        (saved(np.zeros(4)).replace(b"(4,)", b"(-4)"), "the header of the .npy file cannot"),
        (
            with_header("{'descr': '<f" + "9" * 5000 + "', 'fortran_order': False, 'shape': (4,)}"),
            r"an array of '<f9{50,60}; only little-endian",
        ),
        (
            with_header("{'descr': '<f\uff18', 'fortran_order': False, 'shape': (4,)}"),
            "only little-endian numbers",
        ),
        (with_header(shaped("9" * 4000)), "the header of the .npy file cannot"),
        (with_header(shaped("0x" + "f" * 9000)), "the header of the .npy file cannot"),
        (with_header(shaped("1" + "0" * 400 + " + 1j")), "the header of the .npy file cannot"),
        (with_header(shaped("9" * 10_000)), "has 10066 bytes, at most 10000 are read"),
        (with_header(shaped("1, " * 80_000)), "has 240066 bytes, at most 10000 are read"),
        (with_header(shaped("1," * 64 + "1")), "65 dimensions, at most 64 are read"),
        (with_header(shaped("-" * 9000 + "1")), "the header of the .npy file cannot"),
        (with_header(shaped("(" * 9000)), "the header of the .npy file cannot"),
        (
            with_header("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': ()}"),
            "gives a member twice",
        ),
        (with_header("[" * 9000), "the header of the .npy file cannot"),
        (with_header("[1, 2]"), "the header of the .npy file cannot"),
        (
            saved(np.zeros(4)).replace(b"NUMPY\x01", b"NUMPY\x09"),
            r"of version 9\.0; 1\.0, 2\.0 and",
        ),
        (
            saved(np.zeros(4)).replace(b"NUMPY\1\0", b"NUMPY\1\1"),
            r"of version 1\.1; 1\.0, 2\.0 and",
        ),
        (saved(np.zeros(4)).replace(b"}", b"'a': 1}"), "the header of the .npy file cannot"),
        (saved(np.zeros(8, "u1")).replace(b"|u1", b"<b2"), "an array of '<b2'; only"),
        (saved(np.zeros(8, "u1")).replace(b"|u1", b"<f1"), "an array of '<f1'; only"),
        (saved(np.zeros(4)).replace(b"<f8", b"i16"), "an array of 'i16'; only"),
        (
            with_header(r"{'descr': '\d8', 'fortran_order': False, 'shape': ()}"),
            r"of '\\\\d8'; only",
        ),
        (b"\x93NUMPY\2\0\xff\xff\xff\xff", "is cut short: its header has 4294967307 bytes"),
    ],
)
def test_refused(data: bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_npy(data, "x.npy")


@given(st.binary(max_size=200), st.integers(0, 127), st.integers(0, 255))
def test_any_bytes_are_an_array_or_an_error(junk: bytes, at: int, byte: int) -> None:
    changed = bytearray(saved(np.zeros(4)) + junk)
    changed[at] = byte
    for data in (bytes(changed), b"\x93NUMPY\1\0" + junk):
        try:
            npy = parse_npy(data, "x")
        except UsageError:
            continue
        assert is_npy(data) and data.endswith(npy.data)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.npy cannot be read: No such file"):
        read_npy(tmp_path / "none.npy")


def test_the_bytes_of_a_file_are_in_memory_once(tmp_path: Path) -> None:
    """An array may have as many bytes as all of a state."""
    path, count = tmp_path / "a.npy", 1 << 22
    path.write_bytes(npy_bytes(Npy("|u1", (count,), bytes(count))))
    tracemalloc.start()
    try:
        array = read_npy(path)
        assert tracemalloc.get_traced_memory()[1] < 1.2 * count
    finally:
        tracemalloc.stop()
    assert array == Npy("|u1", (count,), bytes(count))
