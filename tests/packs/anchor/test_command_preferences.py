"""Commands that the user's instructions reject, in the languages of the instructions."""

import pytest

from sidecar.packs.anchor.command_preferences import is_forbidden, preference_of, rejection_of, run_script
from tests.support.cases import together


@together(
    ("instruction", "replacement"),
    [
        ("Use pnpm instead of npm.", "pnpm test"),
        ("use pnpm, not npm", "pnpm test"),
        ("No, the tests run with `pnpm vitest`, never with npm test.", "pnpm test"),
        ("Wir nutzen pnpm statt npm.", "pnpm test"),
        ("Ab jetzt pnpm statt npm benutzen.", "pnpm test"),
        ("npm darf hier nie benutzt werden, nur pnpm.", "pnpm test"),
        ("No more npm, we moved to pnpm.", "pnpm test"),
        ("usa pnpm em vez de npm", "pnpm test"),
        ("no uses npm, usa pnpm", "pnpm test"),
        ("N'utilise pas npm, mais yarn.", "yarn test"),
        ("npmではなくpnpmを使う", "pnpm test"),
        ("npm は使わないで pnpm を使って", "pnpm test"),
        ("不要用 npm，用 pnpm", "pnpm test"),
        ("Don't use npm.", ""),
        ("No npm here", ""),
        ("npm test is forbidden, run make check", ""),
        ("pas de npm ici", ""),
    ],
)
def test_a_rejected_package_manager_is_replaced_by_the_named_one(instruction: str, replacement: str) -> None:
    rejection = rejection_of("npm test", ["Write tests first.", instruction])
    assert rejection is not None
    assert (rejection.program, rejection.instruction, rejection.replacement) == ("npm", 1, replacement)


@together(
    "instruction",
    [
        "Use npm instead of pnpm",
        "Use npm, not yarn or pnpm.",
        "Never run npm publish.",
        "npm should never be upgraded here.",
        "npm darf nie auf 11 gehen.",
        "Never push to main without running npm test.",
        "Don't forget to run npm test.",
        "Use yarn for the docs site.",
        "Use pnpm or yarn",
        "We never use yarn",
        "Run tests with vitest rather than jest",
        "We use pnpm here",
        "Use bun for everything",
        "Use pnpm instead of yarn from now on.",
    ],
)
def test_other_instructions_reject_nothing(instruction: str) -> None:
    assert rejection_of("npm test", [instruction]) is None


@pytest.mark.parametrize(
    ("command", "instruction", "program"),
    [
        ("npx jest", "vitest rather than jest", "jest"),
        ("uv run pytest", "never pytest, use tox", "pytest"),
        ("./gradlew test", "no gradlew, use bazel", "gradlew"),
        ("make test", "Don't run `make test`; use `just test`", "make"),
    ],
)
def test_a_program_behind_a_runner_can_be_rejected(command: str, instruction: str, program: str) -> None:
    rejection = rejection_of(command, [instruction])
    assert rejection is not None
    assert (rejection.program, rejection.replacement) == (program, "")


def test_one_rejected_script_leaves_the_others() -> None:
    assert rejection_of("npm run lint", ["never run npm test"]) is None
    assert rejection_of("npm ci", ["use pnpm, not npm"]) == ("npm", 0, "pnpm install", "pnpm")


@together(
    ("instruction", "program"),
    [
        ("Use pnpm instead of npm from now on.", "pnpm"),
        ("Ab jetzt immer pnpm statt npm verwenden.", "pnpm"),
        ("We use pnpm here", "pnpm"),
        ("Use yarn for everything", "yarn"),
        ("Use pnpm in web/.", None),
        ("Use pnpm, not bun.", None),
        ("Never use npm.", None),
        ("Write tests first.", None),
    ],
)
def test_a_tool_that_nobody_named_is_not_rejected_and_the_preferred_one_is_known(
    instruction: str, program: str | None
) -> None:
    preference = preference_of("bun run test", [instruction])
    assert (preference.program if preference else None) == program
    assert (rejection_of("bun run test", [instruction]) is None) == ("not bun" not in instruction)


@pytest.mark.parametrize(
    ("manager", "command"), [("npm", "npm test"), ("pnpm", "pnpm test"), ("yarn", "yarn test"), ("bun", "bun run test")]
)
def test_each_package_manager_runs_a_script_in_its_own_way(manager: str, command: str) -> None:
    assert run_script(manager, "test") == command


@together(
    ("command", "guide"),
    [
        ("flutter run", "- Never run `flutter run`; ask the user to start the app."),
        ("flutter run -d chrome", "Do not use flutter run."),
        ("npm run dev", "**Don't run `npm run dev`** - it is running already."),
        ("npm test", "Run `make check` instead of `npm test`."),
        ("flutter pub get", "Always use `fvm flutter` / `fvm dart`, never the bare `flutter` / `dart` binaries."),
        ("dart test", "Always use `fvm flutter` / `fvm dart`, never the bare `flutter` / `dart` binaries."),
        ("pip install -e .", "Do not use the system-wide `pip`."),
        ("cargo build", "A bare `cargo check`/`cargo build` fails because of the features."),
        ("cargo check", "A bare `cargo check`/`cargo build` **fails**."),
        ("npm test", "Currently `npm test` does not work."),
        ("cargo test", "Never run a plain `cargo test`."),
    ],
)
def test_a_guide_forbids_a_command_that_it_names(command: str, guide: str) -> None:
    assert is_forbidden(command, ["Write tests first.", guide])


@together(
    ("command", "guide"),
    [
        ("npm run test", "Never run `npm run dev`."),
        ("npm test", "Never run `npm test` in watch mode."),
        ("cargo test", "Never run `cargo test --all-features`."),
        ("cargo test", "Never commit without running cargo test."),
        ("npm test", "Don't forget to run `npm test`."),
        ("npm test", "The hook does not run `npm test`."),
        ("npm test", "Never run npm test:watch."),
        ("pytest -q", "Never run pytest by hand."),
        ("fvm flutter test", "Always use `fvm flutter`, never the bare `flutter`."),
        ("cargo build --features full", "A bare `cargo check`/`cargo build` fails."),
        ("npm test", "`npm test` fails if the database is missing."),
        ("npm test", "If `npm test` passes but `npm run lint` fails, fix it."),
        ("npm test", "Use the bare `shop` program."),
    ],
)
def test_a_guide_that_limits_a_command_does_not_forbid_it(command: str, guide: str) -> None:
    assert not is_forbidden(command, [guide])
