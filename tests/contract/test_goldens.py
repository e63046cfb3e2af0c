"""Golden messages: models and published schemas agree on what is valid."""

import json
from functools import cache
from typing import Any

import jsonschema
import referencing
from pydantic import ValidationError

from sidecar.core.wire_types import WireModel
from sidecar.json_schemas import definitions
from sidecar.method import Method
from tests.contract.catalog import CATALOG, GOLDEN, PUBLISHED, ROWS, file_name, golden_of, goldens
from tests.support.cases import together

CASES = [(f"{name} {part}: {title}", name, part, valid, message) for name, part, valid, title, message in goldens()]
RESULTS = [(case, name, message) for case, name, part, valid, message in CASES if part == "result" and valid]


@cache
def registry() -> referencing.Registry[Any]:
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((PUBLISHED / "schemas").glob("*.json"))]
    resources = ((schema["$id"], referencing.Resource.from_contents(schema)) for schema in schemas)
    return referencing.Registry().with_resources(resources)


@cache
def schema_names() -> dict[tuple[str, str], str]:
    known = definitions(CATALOG, "{model}")
    params = {(name, "params"): f"{known.params(row)}.json" for name, row in ROWS.items()}
    return params | {(row.name, "result"): f"{known.result(row)}.json" for row in CATALOG.methods}


@cache
def validator(name: str, part: str) -> Any:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    reference = {"$ref": schema_names()[name, part]}
    return jsonschema.Draft202012Validator(reference, registry=registry(), format_checker=checker)


def model_of(name: str, part: str) -> type[WireModel]:
    row = ROWS[name]
    return row.result if part == "result" and isinstance(row, Method) else row.params


def is_read(model: type[WireModel], message: Any) -> bool:
    try:
        model.model_validate(message, by_alias=True, by_name=False)
    except ValidationError:
        return False
    return True


@together("name", ROWS)
def test_every_row_has_valid_and_invalid_messages(name: str) -> None:
    assert (GOLDEN / file_name(name)).exists(), f"tests/contract/golden/{file_name(name)} is missing"
    golden = golden_of(name)
    parts = {"params", "result"} if isinstance(ROWS[name], Method) else {"params"}
    assert golden.keys() == parts
    for part, messages in golden.items():
        assert messages["valid"], f"{part}: at least one valid message"
        assert messages["invalid"], f"{part}: at least one invalid message"


def test_every_golden_file_belongs_to_a_row() -> None:
    assert {path.name for path in GOLDEN.glob("*.json")} <= {file_name(name) for name in ROWS}


@together("case, name, part, valid, message", CASES)
def test_model_and_schema_agree(case: str, name: str, part: str, valid: bool, message: Any) -> None:
    problems = [error.message for error in validator(name, part).iter_errors(message)]
    assert (not problems) is valid, (case, problems)
    assert is_read(model_of(name, part), message) is valid


@together("case, name, message", RESULTS)
def test_a_valid_result_round_trips(case: str, name: str, message: Any) -> None:
    model = model_of(name, "result")
    read = model.model_validate(message, by_alias=True, by_name=False)
    assert json.loads(read.model_dump_json(by_alias=True)) == message, case
