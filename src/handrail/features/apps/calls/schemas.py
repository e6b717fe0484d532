"""The schemas of a tool, JSON Schema 2020-12 where they don't say otherwise: are they any good, does a value fit."""

from collections.abc import Mapping
from typing import Any

from handrail.features.apps.calls.schema_weight import SchemaWeight
from handrail.kernel.validation import Validator

_FETCHED = "is not present in a registry"


def wrong_schema(schema: Mapping[str, Any], weight: SchemaWeight) -> tuple[tuple[str, ...], str] | None:
    """Where and why a schema is none, or none to be used; None where all is well."""
    import jsonschema_rs  # 40 ms, and a list of apps needs none of it

    if (reason := weight.too_heavy(schema)) is not None:
        return (), reason
    try:
        Validator(schema)
    except jsonschema_rs.ValidationError as error:
        if _FETCHED in error.message:
            return (), "refers to a schema outside of the descriptor, and nothing is fetched"
        return tuple(str(step) for step in error.instance_path), error.message[:300]
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        return (), str(error).partition("\n")[0][:300]
    return None
