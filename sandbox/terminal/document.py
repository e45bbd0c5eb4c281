"""What commands write as JSON: pydantic models, from which the published JSON Schemas are generated."""

import json
import math
from typing import Any

from pydantic import BaseModel, ConfigDict

Number = int | float | None  # None: it could not be determined; NaN and infinity become None, too


class Document(BaseModel):
    """One JSON document, or a part of it. A part may be made from an object with the same attributes.

    Readers ignore keys that they do not know: new ones may appear without a new schema number.
    """

    model_config = ConfigDict(
        frozen=True, from_attributes=True, serialize_by_alias=True, json_schema_serialization_defaults_required=True
    )

    def to_json(self) -> dict[str, Any]:
        """What JSON can carry: neither NaN nor infinity, and no lone surrogates."""
        cleaned: dict[str, Any] = _clean(self.model_dump(mode="json"))
        return cleaned

    def to_text(self) -> str:
        """ASCII, with a newline at its end."""
        return json_text(self.to_json())

    @classmethod
    def published_form(cls) -> dict[str, Any]:
        """The JSON Schema of what is written, for readers and for tests."""
        return cls.model_json_schema(mode="serialization")


def json_text(value: object) -> str:
    """JSON as ASCII text, with a newline at its end; what JSON cannot carry is null or U+FFFD."""
    return json.dumps(_clean(value), indent=2, allow_nan=False) + "\n"


def _clean(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
