"""The folders of Triton's cache: a container of code objects, as a bundle is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from dwarfgpu.errors import UsageError
from dwarfgpu.objfile import triton_cache
from dwarfgpu.objfile.container import open_container, open_object
from dwarfgpu.objfile.triton_cache import cached_kernels, has_kernels
from tests.cli.command import FIXTURES, run, run_json

KERNELS = {
    "Y7PF": ("axpy", "gfx942"),
    "CSPR": ("axpy", "gfx1100"),
    "HFE5": ("loops", "gfx942"),
}
"""The folder of each kernel, which Triton names by a hash."""
IDS = ["axpy-gfx1100", "axpy-gfx942", "axpy-sm_90a", "loops-gfx942"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    for folder, (kernel, processor) in KERNELS.items():
        (tmp_path / folder).mkdir()
        source = FIXTURES / f"triton/{kernel}.{processor}.co"
        shutil.copy(source, tmp_path / folder / f"{kernel}.hsaco")
        (tmp_path / folder / f"{kernel}.ttir").write_text("module {}")
        (tmp_path / folder / f"__grp__{kernel}.json").write_text("{}")
    (tmp_path / "NVID").mkdir()
    shutil.copy(FIXTURES / "nvidia/axpy.sm_90.cubin", tmp_path / "NVID/axpy.cubin")
    return tmp_path


def test_its_kernels_by_name_and_gpu(cache: Path) -> None:
    kernels = cached_kernels(cache)
    assert [(kernel.index, kernel.id) for kernel in kernels] == list(enumerate(IDS))
    for kernel in kernels:
        assert kernel.path is not None and kernel.path.endswith((".hsaco", ".cubin"))
        assert bytes(kernel.data) == Path(kernel.path).read_bytes()


@pytest.mark.parametrize(
    ("target", "folder"),
    [
        ("axpy-gfx942", "Y7PF"),
        ("1", "Y7PF"),
        ("loops", "HFE5"),
        ("gfx1100", "CSPR"),
        ("axpy-sm_90a", "NVID"),
        ("sm_90a", "NVID"),
    ],
)
def test_a_target_picks_one(cache: Path, target: str, folder: str) -> None:
    assert Path(open_object(cache, target).path).parent.name == folder
    checked = run("check", cache, "--target", target).out
    assert f"/{folder}/" in checked and checked.count("FDE") == 1


def test_check_takes_all_kernels_of_a_gpu_or_a_named_one(cache: Path) -> None:
    assert "total: 2 files" in run("check", cache, "--target", "gfx942").out
    for target, why in (
        ("axpy", "holds 3 code objects for axpy: 0: axpy-gfx1100, 1: axpy-gfx942"),
        ("gelu-gfx942", "holds no code for gelu-gfx942; it has 0: axpy-gfx1100"),
        ("gfx906", "holds no code for gfx906"),
    ):
        done = run("check", cache, "--target", target)
        assert done.status == 2 and why in done.err


@pytest.mark.parametrize("target", [None, "axpy", "gfx942"])
def test_several_are_listed(cache: Path, target: str | None) -> None:
    with pytest.raises(UsageError, match="give the target or the number of one") as raised:
        open_object(cache, target)
    assert "1: axpy-gfx942" in str(raised.value)


def test_the_folder_of_one_kernel_needs_no_target(cache: Path) -> None:
    assert open_object(cache / "Y7PF").path == str(cache / "Y7PF/axpy.hsaco")


def test_a_damaged_file_is_listed_by_its_name(cache: Path) -> None:
    file = cache / "HFE5/loops.hsaco"
    file.unlink()  # a copy of a file that may be read-only
    file.write_bytes(b"\x7fELF")
    assert [kernel.id for kernel in open_container(cache).entries] == [*IDS[:3], "loops"]
    with pytest.raises(UsageError):
        open_object(cache, "nothing")


def test_a_file_that_is_gone_is_an_error(cache: Path) -> None:
    container = open_container(cache)
    shutil.rmtree(cache / "HFE5")
    with pytest.raises(UsageError, match="cannot be read"):
        container.open_entry(container.entries[3])


def test_another_folder_has_none(tmp_path: Path) -> None:
    assert not has_kernels(tmp_path) and not has_kernels(FIXTURES / "README.md")
    with pytest.raises(UsageError, match="is a folder, without kernels of Triton"):
        open_container(tmp_path)


def test_info_lists_a_cache(cache: Path) -> None:
    lines = run("info", cache).lines
    assert lines[0] == f"{cache}: kernels of Triton"
    path = cache / "Y7PF/axpy.hsaco"
    assert f"  1: axpy-gfx942 {path.stat().st_size} bytes in {path}" in lines
    entries = run_json("info", cache).json["code_objects"]
    assert isinstance(entries, list)
    assert [(entry["kind"], entry["id"]) for entry in entries] == [("triton", id) for id in IDS]


def test_commands_take_a_cache(cache: Path) -> None:
    target = ("--target", "axpy-gfx1100")
    assert run("where", cache, *target, "total").lines[0] == "local float total of axpy"
    machine = ("--pc", "0x172c", "--lane", 1, "--reg", "v3=[0x3f800000,0x40000000]")
    assert run("eval", cache, *target, *machine, "total").out == "total = 2\n"
    assert "of CIE 0x0" in run("frames", cache / "CSPR").out
    assert run("where", cache / "HFE5", "--all").lines[0].startswith("loops: 920 bytes")


def test_a_kernel_of_a_cache_runs(cache: Path) -> None:
    """Triton's launcher passes two pointers that the source does not declare."""
    done = run(
        "run", cache, "--target", "axpy-gfx942", "axpy", "--grid", 256, "--workgroup", 256,
        "--arg", "x=range:8", "--arg", "y=zeros:32", "--arg", "n=8", "--arg", "a=2.0",
        "--arg", "global_scratch=null", "--arg", "profile_scratch=null",
    )  # fmt: skip
    assert done.lines[-1] == "  y = float32[8] {0, 2, 4, 6, 8, 10, 12, 14}"


def test_a_folder_is_not_a_kernel(tmp_path: Path) -> None:
    """Links that lead nowhere or to themselves, pipes, devices, folders: others are shown."""
    folder = tmp_path / "cache"
    (folder / "hash").mkdir(parents=True)
    (folder / "hash" / "kernel.hsaco").write_bytes(
        (FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes()
    )
    (folder / "nowhere.hsaco").symlink_to("nothing")
    (folder / "itself.hsaco").symlink_to("itself.hsaco")
    (folder / "loop").symlink_to("loop")
    (folder / "zeros.cubin").symlink_to("/dev/zero")
    (folder / "folder.hsaco").mkdir()
    os.mkfifo(folder / "hash" / "pipe.hsaco")
    assert [entry.id for entry in cached_kernels(folder)] == ["kernel-gfx942"]
    (folder / "hash" / "kernel.hsaco").unlink()
    assert not has_kernels(folder)
    for command in ("info", "disas", "check"):
        done = run(command, folder)
        assert (done.status, done.out) == (2, "")
        assert "is in this folder" in done.err or "without kernels of Triton" in done.err


def test_a_kernel_that_is_removed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(triton_cache, "_paths", lambda _: [str(tmp_path / "gone.hsaco")])
    with pytest.raises(UsageError, match="gone.hsaco cannot be read: No such file"):
        cached_kernels(tmp_path)
