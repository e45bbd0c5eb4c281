"""A project's environment in an image: found or made, and its Python asked what it has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import SandboxUnavailableError, UsageError
from afterburner.sandbox.extras import install_command
from afterburner.sandbox.types import ContainerSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.sandbox.project import StagedProject
    from afterburner.sandbox.sandbox import Sandbox
    from afterburner.sandbox.types import PythonEnvironment


def environment_in_image(
    sandbox: Sandbox,
    project: StagedProject,
    *,
    named: str | None,
    requested: str | None,
    import_paths: Sequence[str],
    working_directory: str,
    say: Callable[[str], object],
) -> PythonEnvironment:
    """What a program of the project needs to see that runs in an image made from what the project declares.

    Installing runs code of others, with a network: whoever decides about trust has to be asked before.

    Args:
        sandbox: one of Docker containers.
        project: the staged project.
        named: see `read_declaration`.
        requested: an interpreter in the image, by a path or a name; None: its `python3`.
        import_paths: folders that the program's modules are imported from.
        working_directory: where the program starts.
        say: is told what goes on, in lines for a person.

    Raises:
        UsageError: the sandbox has no images, or none can be made of what the project declares.
        SandboxInternalError: the Docker daemon is gone.
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    try:
        from afterburner.sandbox.docker_backend import DockerBackend
        from afterburner.sandbox.environments.declared import plain_declaration, read_declaration
        from afterburner.sandbox.environments.image_python import image_python
        from afterburner.sandbox.environments.images import ImageMaker, variables_of
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"--environment image needs the Python package {error.name}. Install it: {install_command('docker')}"
        ) from error
    backend = sandbox.backend
    if not isinstance(backend, DockerBackend):
        raise UsageError(
            f"--environment image needs the Docker sandbox, and this one is {backend.name}. Choose docker or auto."
        )
    if project.is_single_file:
        declaration = plain_declaration(named)
    else:
        declaration = read_declaration(project.root, Path(working_directory), named)

    def starts(image: str) -> None:
        """A container starts: the daemon sees the folder of our temporary files, and runs programs for its machine."""
        with sandbox.supplied(ContainerSpec(image=image)):
            pass

    maker = ImageMaker(backend.daemon, project.root, backend.install_network, say)
    image = maker.provide(declaration, starts)
    try:
        return image_python(
            sandbox,
            image,
            variables_of(backend.daemon, image),
            requested=requested,
            project=project,
            import_paths=import_paths,
            working_directory=working_directory,
        )
    except UsageError:
        backend.daemon.image(image)  # says so if it is the daemon that is gone
        raise
