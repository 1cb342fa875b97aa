"""`dwarfgpu run --core`: the core file that a wave leaves which cannot go on."""

from __future__ import annotations

import lzma
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.records import evolve
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import machine_of_dispatch
from dwarfgpu.machine.state.state_document import LoadedFile, state_document
from dwarfgpu.machine.state.write import write
from dwarfgpu.options.opened_launch import prepare_run
from dwarfgpu.service.core.core_of_state import write_core_of_state
from dwarfgpu.service.run.run_kernel import run_kernel
from dwarfgpu.service.run.state_of_run import all_of_run
from tests.cli.command import FIXTURES, run, run_json
from tools.gen_gpu_core import CODE_OBJECT, CORE, Options, core_of_loop

KERNELS = FIXTURES / "opencl"
TARGETS = ("gfx90a", "gfx942", "gfx1100")


def crashed(target: str, folder: Path) -> tuple[Path, list[str]]:
    """The core file of `loop` with a buffer of 300 numbers, and the output of the run."""
    path = folder / "loop.core"
    done = run(
        "run", KERNELS / f"kernels.{target}.O0.v5.co", "loop", "--grid", 256, "--workgroup", 64,
        "--arg", "in=zeros:1200", "--arg", "out=zeros:1024", "--arg", "n=100", "--core", path,
    )  # fmt: skip
    assert done.status == 1
    return path, done.lines


@pytest.mark.parametrize("target", TARGETS)
def test_the_faulty_line_and_the_index(target: str, tmp_path: Path) -> None:
    core, lines = crashed(target, tmp_path)
    [at] = [line for line in lines if line.startswith("  at ")]
    info = run("info", core).lines
    [faulty] = [line for line in info if "memory_violation, thread" in line]
    assert "in loop (...) at opencl/kernels.cl:53" in faulty and at.endswith("kernels.cl:53:13")
    assert any(line.startswith("#0 ") and "n=100" in line for line in run("bt", core).lines)
    values = run_json("eval", core, "--lane", "all", "t+i").json["lanes"]
    indexes = [int(value["text"].rpartition("=")[2]) for value in values]
    [text] = [line for line in lines if "MEMORY_VIOLATION" in line]
    lane = int(text.partition("stopped: MEMORY_VIOLATION, lane ")[2].split()[0])
    assert indexes[lane] == 300 and all(index < 300 for index in indexes[:lane])
    assert run("eval", core, "--wave", "all", "n").lines[-1] == "n = 100"


def stopped_somewhere(name: str, kernel: str, random: Random, folder: Path) -> list[int]:
    """A state of waves that were stopped while they ran, and a core file of them on two GPUs; the
    numbers of the waves."""
    file = FIXTURES / name
    given = ["0=zeros:4000", "1=zeros:4096", "2=40"][: 1 if kernel in ("call", "lds") else 3]
    options = Options(
        file=str(file), kernel=kernel, arg=given,
        grid="192", workgroup=str(random.choice((64, 96))),
    )  # fmt: skip
    prepared = prepare_run(options)
    machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
    for wave in machine.waves:
        for _ in range(random.randrange(1, 200)):
            if wave.is_waiting or "s_endpgm" in machine.program.step_at(wave.pc).instruction.text:
                break
            machine.execute_next(wave)
    target, pcs = all_of_run(prepared.launched, machine)
    address = prepared.code_object.load_address
    records: list[Json] = []
    for number, apertures in target.wave_apertures.items():
        scratch = {"address": apertures.scratch_base, "size": apertures.scratch_bytes}
        records.append({"id": number} | ({"scratch": scratch} if scratch["size"] else {}))
    before: dict[str, Json] = {"waves": records}
    path = folder / "live.json"
    write(state_document(target, path, [LoadedFile(file, address)], before), path)
    loaded = [
        (image.address, image.read(0, image.size_bytes))
        for image in prepared.code_object.loaded_segments()
        if not image.is_writable
    ]
    uri = LoadedUri(f"file://{file}", address)
    image = image_of_state(target, pcs, [uri], loaded).image
    [agent], [queue] = image.agents, image.queues
    two = evolve(
        image,
        agents=(agent, evolve(agent, gpu_id=agent.gpu_id + 1)),
        queues=(queue, evolve(queue, agent=1)),
    )
    note, ranges = process_core(two)
    (folder / "live.core").write_bytes(b"".join(core_parts([core_state_note(note)], ranges)))
    return list(pcs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("opencl/kernels.gfx90a.O0.v5.co", "loop"),
        ("opencl/kernels.gfx942.O0.v5.co", "diverge"),
        ("opencl/kernels.gfx1100.O0.v5.co", "loop"),
        ("opencl/kernels.gfx942.O2.v5.co", "loop"),
        ("hip/nest.gfx1200.O0.v5.co", "nest"),
    ],
)
def test_variables_and_frames_of_a_wave_that_ran(
    name: str, kernel: str, seed: int, tmp_path: Path
) -> None:
    """As the live state shows them, on both GPUs of the core."""
    random = Random(f"{name}{seed}")
    waves = stopped_somewhere(name, kernel, random, tmp_path)
    state, core = tmp_path / "live.json", tmp_path / "live.core"
    assert run("waves", core).lines[0].startswith(f"{2 * len(waves)} waves on gfx")
    at = random.randrange(len(waves))
    lane = random.randrange(32)
    live = run_json("eval", "--state", state, "--wave", waves[at], "--lane", lane).json
    frames = run("bt", "--state", state, "--wave", waves[at], "--lane", lane).lines
    assert live["variables"]
    for number in (at + 1, len(waves) + at + 1):
        asked = ("--wave", number, "--lane", lane)
        seen = run_json("eval", core, *asked).json["variables"]
        for variable, other in zip(live["variables"], seen, strict=True):
            for key in ("name", "type", "text", "bytes"):
                assert other.get(key) == variable.get(key), (variable["name"], key)
        lines = [line for line in run("bt", core, *asked).lines if line.startswith("#")]
        assert lines == [line for line in frames if line.startswith("#")]


def test_a_run_that_ends_leaves_no_core(tmp_path: Path) -> None:
    path = tmp_path / "none.core"
    done = run(
        "run", KERNELS / "kernels.gfx942.O0.v5.co", "loop", "--grid", 64, "--workgroup", 64,
        "--arg", "in=zeros:1200", "--arg", "out=zeros:1024", "--arg", "n=3", "--core", path,
    )  # fmt: skip
    assert done.status == 0 and not path.exists()


def test_the_fixture_is_what_the_tool_makes() -> None:
    assert lzma.decompress(CORE.read_bytes()) == core_of_loop()


def test_a_name_that_some_waves_do_not_know(tmp_path: Path) -> None:
    """Waves of one core are at different places: each answers where it is."""
    options = Options(
        file=str(KERNELS / "kernels.gfx942.O0.v5.co"), kernel="loop", grid="256", workgroup="64",
        arg=["in=zeros:1200", "out=zeros:1024", "n=100"],
    )  # fmt: skip
    prepared = prepare_run(options)
    result = run_kernel(prepared.code_object, prepared.launched)
    target, pcs = all_of_run(prepared.launched, result.machine)
    register = target.architecture.register_named("pc")
    assert register is not None
    pcs[2] = 0x7F00_0000_3440  # of diverge
    target.set_register(2, register, pcs[2].to_bytes(8, "little"))
    core = tmp_path / "two.core"
    write_core_of_state(core, target, pcs, [prepared.code_object])
    for lanes in ((), ("--lane", "0-3")):
        done = run("eval", core, "--wave", "all", *lanes, "i")
        assert sum("dwarfgpu: i: " in line for line in done.err.splitlines()) == 1
        assert 'No symbol "i" in current context.' in done.err
        assert len([line for line in done.lines if line.endswith((" 45", " 50"))]) >= 3
        assert run("eval", core, "--wave", "all", *lanes, "nosuch").status == 2


def core_with(folder: Path, uris: list[LoadedUri], more: list[tuple[int, bytes]]) -> Path:
    """The core file of `loop` with another list of code objects, and more memory."""
    options = Options(
        file=str(CODE_OBJECT), kernel="loop", grid="256", workgroup="64",
        arg=["in=zeros:1200", "out=zeros:1024", "n=100"],
    )  # fmt: skip
    prepared = prepare_run(options)
    result = run_kernel(prepared.code_object, prepared.launched)
    target, pcs = all_of_run(prepared.launched, result.machine)
    loaded = [
        (image.address, image.read(0, image.size_bytes))
        for image in prepared.code_object.loaded_segments()
        if not image.is_writable
    ]
    image = image_of_state(target, pcs, uris, loaded).image
    note, ranges = process_core(evolve(image, memory=(*image.memory, *more)))
    path = folder / "loop.core"
    path.write_bytes(b"".join(core_parts([core_state_note(note)], ranges)))
    return path


def test_a_kernel_without_scratch_lacks_none(tmp_path: Path) -> None:
    core, state = tmp_path / "nest.core", tmp_path / "one.json"
    arguments = ("--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256")
    done = run(
        "run", FIXTURES / "run/integers.gfx1100.O2.v5.co", "nest", "--grid", 64,
        "--workgroup", 64, *arguments, "--break", "nest", "--stops", 1, "--core", core,
    )  # fmt: skip
    assert done.status == 0
    done = run("waves", core, "--save", state)
    assert (done.lines, done.err) == ([f"saved wave 1 in {state}"], "")
    done = run("eval", core, "--lane", 0, "*(int *) private_lane#0")
    reason = "wave 1 has no scratch memory: its WAVE word does not enable it"
    assert done.notes == [f"*(int *) private_lane#0 is not available: {reason}"]


def test_where_code_objects_are(tmp_path: Path) -> None:
    address, frame = 0x7F00_0000_0000, "#0  0x00007f0000003b98 in loop ("
    data, at = CODE_OBJECT.read_bytes(), 0x7A00_0000_1000

    def has_frame(*arguments: object) -> bool:
        return any(line.startswith(frame) for line in run("bt", *arguments).lines)

    uri = f"memory://77#offset={at:#x}&size={len(data)}"
    core = core_with(tmp_path, [LoadedUri(uri, address)], [(at, data)])
    assert has_frame(core)
    state, other_file = tmp_path / "one.json", tmp_path / "one-1.co"
    other_file.write_text("of the user", "utf-8")
    for _ in range(2):
        assert run("waves", core, "--save", state).status == 0
    assert has_frame("--state", state), "the code object is written beside the state"
    assert other_file.read_text("utf-8") == "of the user"
    assert len(list(tmp_path.glob("one.*.co"))) == 1, "by the hash of its contents"
    uri = f"file:///opt/x%20y/k.co#offset=0&size={len(data)}"
    core = core_with(tmp_path, [LoadedUri(uri, address)], [])
    for name in (uri, "/opt/x y/k.co"):
        assert has_frame(core, "--code-object", f"{name}={CODE_OBJECT}")
    other = CODE_OBJECT.with_name("kernels.gfx942.O2.v5.co")
    refused = run("bt", core, "--code-object", f"{uri}={other}")
    assert "is not the code object that was loaded: the memory at 0x7f" in refused.error
    core = core_with(tmp_path, [], [])
    assert not has_frame(core)
    assert has_frame(core, "--file", CODE_OBJECT, "--load-address", address)
