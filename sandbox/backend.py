"""What the sandbox asks of a container technology."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from afterburner.sandbox.container import Container
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.toolchains import Toolchain
    from afterburner.sandbox.types import ContainerSpec, PythonEnvironment


class Backend(Protocol):
    """Makes containers that have the meter as their process 1. Several threads may use one at once."""

    @property
    def name(self) -> str:
        """Technology and version, for reports."""

    @property
    def tier(self) -> str:
        """What watches limits and memory beside the sampler: `cgroup v2`, `cgroup v1` or `rlimits`."""

    @property
    def follows_caller(self) -> bool:
        """Whether unpinned programs keep to the CPUs of the thread that opened their container."""

    @property
    def needs_images(self) -> bool:
        """Whether a project's code needs an image, since its containers cannot show this machine's interpreter."""

    def toolchain(self, language: Language) -> Toolchain:
        """What compiles and runs a language inside this backend's containers.

        Raises:
            ToolchainMissingError: it is not there; the message says how to get it.
        """

    def python(self) -> PythonEnvironment | None:
        """The interpreter of programs that bring none; None: the one of the toolchain."""

    def container(self, spec: ContainerSpec) -> Container:
        """A container for several runs; a context manager, to be used in one thread."""

    def close(self) -> None:
        """Ends everything that is kept ready."""
