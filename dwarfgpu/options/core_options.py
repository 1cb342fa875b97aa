"""The options of a core file: its CPU and GPU parts, and where to find the loaded files."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace, _ArgumentGroup

from dwarfgpu.errors import UsageError

_NEED_CORE = {
    "sysroot": "--sysroot is for the libraries of a core file: give --core FILE",
    "gpu_core": "--gpu-core goes with the core file of the process: give --core FILE",
    "code_object": "--code-object is for the GPUs of a core file: give --core FILE",
}


def add_core_options(group: ArgumentParser | _ArgumentGroup) -> None:
    """Add `--core` and the options that belong to it."""
    group.add_argument("--core", metavar="FILE", help="a core file: threads, waves and memory")
    add_parts_of_core(group)


def add_parts_of_core(group: ArgumentParser | _ArgumentGroup) -> None:
    """Add the options for parts of a core file."""
    group.add_argument(
        "--gpu-core", metavar="FILE", help="the core file of the GPUs, if it is a separate file"
    )
    group.add_argument(
        "--code-object", action="append", default=[], metavar="URI=FILE",
        help="use FILE for a GPU code object of a core file that is missing at its URI",
    )  # fmt: skip
    group.add_argument(
        "--sysroot",
        metavar="DIR",
        help="the root directory of the libraries of a core file; default: /",
    )


def require_core(args: Namespace) -> None:
    """Raise `UsageError` for an option of core files without a core file."""
    for name, message in _NEED_CORE.items():
        if getattr(args, name):
            raise UsageError(message)


class WaveAction(Action):
    """Store the number of a wave, and in `wave_option` which of its options was typed."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)
        namespace.wave_option = option_string
