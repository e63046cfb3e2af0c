"""The list of requirements and the tests agree: no scenario without its proof, no flow that proves nothing."""

import ast
from pathlib import Path

from tests.requirements import DECISIONS, FLOWS, NOT_YET, PROVEN, STATEMENTS

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"


def flow_tests() -> set[str]:
    """Every test function under tests/flows, as `file::name`."""
    return {
        f"{path.name}::{node.name}"
        for path in (ROOT / FLOWS).glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def all_tests() -> set[str]:
    """Every test function there is, as `folder/file::name`."""
    return {
        f"{path.relative_to(TESTS).as_posix()}::{node.name}"
        for path in TESTS.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def named_tests() -> list[str]:
    return [test for table in (PROVEN, DECISIONS) for tests in table.values() for test in tests]


def test_every_test_that_a_requirement_names_exists() -> None:
    assert set(named_tests()) - flow_tests() == set()


def test_every_flow_proves_a_requirement_or_a_decision_and_is_listed_once() -> None:
    assert sorted(named_tests()) == sorted(flow_tests())


def test_every_scenario_has_a_proof_or_names_what_is_missing() -> None:
    assert all(PROVEN.values())
    assert all(NOT_YET.values())
    assert not PROVEN.keys() & NOT_YET.keys()


def test_every_statement_of_the_prose_is_proven_by_tests_that_exist() -> None:
    known = all_tests()
    assert {name: missing for name, tests in STATEMENTS.items() if (missing := set(tests) - known)} == {}
    assert all(STATEMENTS.values())
    assert all(len(set(tests)) == len(tests) for tests in STATEMENTS.values())
