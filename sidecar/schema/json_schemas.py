"""Catalog → one JSON Schema (draft 2020-12) per named model, referring to each other by file name."""

from sidecar.schema.definitions import Catalog, Schema, definitions

DRAFT = "https://json-schema.org/draft/2020-12/schema"
REF = "{model}.json"


def json_schemas(catalog: Catalog) -> dict[str, Schema]:
    """Gives each model's schema under its file name, for example `PingParams.json`."""
    known = definitions(catalog, REF)
    return {
        REF.format(model=name): {"$schema": DRAFT, "$id": REF.format(model=name), **schema}
        for name, schema in known.schemas.items()
    }
