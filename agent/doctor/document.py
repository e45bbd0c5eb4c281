"""What `doctor` gives as JSON; `DoctorDocument.published_form` is its JSON Schema.

Readers ignore keys that they do not know: new ones may appear without a new schema number.
"""

from typing import Literal

from pydantic import Field

from afterburner.sandbox.commands.checks import Check
from afterburner.sandbox.terminal.document import Document


class DoctorDocument(Document):
    """The result of `afterburner-agent doctor --json FILE`."""

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this contract.")
    usable: bool = Field(description="Whether a sandbox can run Python here.")
    checks: list[Check] = Field(description="The checks, starting with what the others depend on.")
