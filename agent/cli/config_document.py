"""What `config --json` writes: schema 1, described in docs/settings.md; `config-schema.json` is generated from it."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from afterburner.agent.cli.settings import Layer
from afterburner.sandbox.terminal.document import Document

Value = str | int | float | bool | list[str | int | float | bool] | None
Name = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9_]*$")]


class SettingPart(Document):
    """A setting."""

    value: Value = Field(description="What run would use; null: nothing is set. Passwords in addresses are left out.")
    source: Layer = Field(description="Where the value comes from; selfcheck only for min_effect.")
    where: str | None = Field(description="The option, variable, file, or time of selfcheck; null for a default.")
    default: Value = Field(description="What holds if nothing is set.")
    option: str = Field(description="Its option on the command line.")
    variable: str = Field(description="Its variable in the environment.")


class ConfigDocument(Document):
    """The result of `afterburner-agent config --json`."""

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this contract.")
    project_file: str | None = Field(description="Absolute path of the pyproject.toml that counts; null: none.")
    settings: dict[Name, SettingPart] = Field(description="Every setting by its name in pyproject.toml.")
