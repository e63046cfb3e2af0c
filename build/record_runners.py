"""Record the real output of test runners, for the tests of the parsers.

    python3 build/record_runners.py [runner …]

Each runner on PATH (for JavaScript: in NODE_MODULES, an npm project's folder of that name) runs a small project four
times: all tests pass, one fails, one raises an error, and the run itself crashes. Some have a fifth case: tests that
the runner lists beside the failing one and that did not fail. Its output goes to
tests/capture/test_results/outputs/<runner>/, one file per case, after a first line with the command, the exit code and
the version. TOOLS lists folders whose paths are removed from the output. A runner that is not installed is skipped.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

OUTPUTS = Path(__file__).parent.parent / "tests" / "capture" / "test_results" / "outputs"


class Recipe(NamedTuple):
    """Way to run a runner: the common files, and the test file of each case."""

    command: str
    version: str
    test_file: str
    tests: Mapping[str, str]
    common: Mapping[str, str] = {}
    prepare: str = ""
    """A command that runs first and is not recorded."""


def _js(head: str, equal: str) -> dict[str, str]:
    """Return two groups of JavaScript tests; `equal` asserts that {} is 2."""
    body = 'describe("Cart", () => {{\n  it("is empty", () => {{ {ok} }})\n  it("adds up", () => {{ {it} }})\n}})\n'
    right, wrong = equal.format(2), equal.format(1)
    return {
        "pass": head + body.format(ok=right, it=right),
        "fail": head + body.format(ok=right, it=wrong),
        "error": head + body.format(ok=right, it="nowhere.toBeFound()"),
        "crash": head + 'import "./nowhere.js"\n' + body.format(ok=right, it=right),
    }


_PY = """import unittest


class CartTest(unittest.TestCase):
    def test_empty(self):
        pass

    def test_total(self):
        {}
"""
_PT = """import pytest


def test_empty():
    pass


@pytest.mark.parametrize('items', ['one', 'two of them'])
def test_total(items):
    {}
"""
_GO = """package cart

import "testing"

func TestEmpty(t *testing.T) {{}}

func TestTotal(t *testing.T) {{
\t{}
}}
"""
_RS = """#[cfg(test)]
mod tests {{
    #[test]
    fn is_empty() {{}}

    #[test]
    fn adds_up() {{
        {}
    }}
}}
"""
_RB = """RSpec.describe "Cart" do
  it("is empty") {{ expect(0).to eq(0) }}
  it("adds up") {{ {} }}
end
"""
_MINITEST = """require "minitest/autorun"

class CartTest < Minitest::Test
  def test_empty
    assert_equal 0, 0
  end

  def test_total
    {}
  end
end
"""
_PHP = """<?php
use PHPUnit\\Framework\\TestCase;

final class CartTest extends TestCase
{{
    public function testEmpty(): void {{ $this->assertSame(0, 0); }}
    public function testTotal(): void {{ {} }}
}}
"""
_JAVA = """import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;

class CartTest {{
  @Test void empty() {{}}
  @Test void total() {{ {} }}
}}
"""
_BUN = 'import { describe, it, expect } from "bun:test"\n'
_PLAYWRIGHT = """import {{ test, expect }} from "@playwright/test"

test.describe("Cart", () => {{
  test("is empty", () => {{ expect(2).toBe(2) }})
  test("adds up", () => {{ {} }})
}})
"""
_PLAYWRIGHT_FLAKY = """import { test, expect } from "@playwright/test"

test.describe.configure({ retries: 1 })
test("is empty", ({}, info) => { expect(info.retry).toBe(1) })
test("adds up", () => { expect(1).toBe(2) })
"""
_DENO = """function equal(a: number, b: number) {{ if (a !== b) throw new Error(`${{a}} is not ${{b}}`) }}

Deno.test("is empty", () => equal(2, 2))
Deno.test("Cart", async (t) => {{
  await t.step("adds up", () => {{ {} }})
}})
"""
_EX = """defmodule CartTest do
  use ExUnit.Case

  test "is empty" do
    assert 2 == 2
  end

  describe "cart" do
    test "adds up" do
      {}
    end
  end
end
"""
_MIX = """defmodule Shop.MixProject do
  use Mix.Project
  def project, do: [app: :shop, version: "0.1.0"]
end
"""
_CMAKE = """cmake_minimum_required(VERSION 3.10)
project(shop NONE)
enable_testing()
add_test(NAME cart.is_empty COMMAND ${{CMAKE_COMMAND}} -E true)
add_test(NAME cart.adds_up COMMAND {})
"""
_CMAKE_PROPERTIES = """set_tests_properties(cart.is_empty PROPERTIES DISABLED TRUE)
set_tests_properties(cart.adds_up PROPERTIES LABELS "fast;unit")
add_test(NAME cart.is_shipped COMMAND sh -c "exit 77")
set_tests_properties(cart.is_shipped PROPERTIES SKIP_RETURN_CODE 77)
"""
_VITEST_BROWSER = """import {{ defineConfig }} from "vitest/config"
import {{ playwright }} from "@vitest/browser-playwright"
const launchOptions = {{ executablePath: "{}", args: ["--no-sandbox"] }}
export default defineConfig({{ test: {{ browser: {{ enabled: true, headless: true, screenshotFailures: false,
  provider: playwright({{ launchOptions }}), instances: [{{ browser: "chromium" }}] }} }} }})
"""
_JS_ASSERT = 'import assert from "node:assert"\n'
_NODE_TODO = (
    'import { it } from "node:test"\n' + _JS_ASSERT + 'it("adds up", () => { assert.equal(2, 1) })\n'
    'it("is empty", { todo: "soon" }, () => { assert.equal(2, 1) })\nit.todo("is shipped", () => nowhere())\n'
)
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>shop</artifactId><version>1</version>
<properties><maven.compiler.release>17</maven.compiler.release>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>5.10.2</version><scope>test</scope></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version></plugin>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin></plugins></build>
</project>
"""


def _each(pattern: str, right: str, wrong: str, raises: str, broken: str) -> dict[str, str]:
    """Return the four cases of a template; `broken` is a whole file, or a body if it has no line break."""
    crash = broken if "\n" in broken else pattern.format(broken)
    return {
        "pass": pattern.format(right),
        "fail": pattern.format(wrong),
        "error": pattern.format(raises),
        "crash": crash,
    }


RECIPES = {
    "pytest": Recipe(
        "python -m pytest -q", "python -m pytest --version", "test_cart.py",
        _each(_PT, "assert items", "assert items == 'one'", "raise ValueError('no')", "import nowhere_to_be_found\n"),
    ),
    "unittest": Recipe(
        "python -m unittest", "python --version", "test_cart.py",
        _each(
            _PY, "self.assertEqual(1, 1)", "self.assertEqual(1, 2)", "raise ValueError('no')",
            "import nowhere_to_be_found\n",
        ),
    ),
    "jest": Recipe(
        "npx jest", "npx jest --version", "cart.test.js", _js("", "expect(2).toBe({})"),
        {"package.json": '{"name": "shop"}\n', "mail.test.js": 'test("sends", () => {})\n'},
    ),
    "vitest": Recipe(
        "npx vitest run", "npx vitest --version", "cart.test.js",
        _js('import { describe, it, expect } from "vitest"\n', "expect(2).toBe({})"),
        {"package.json": '{"name": "shop", "type": "module"}\n'},
    ),
    "vitest_browser": Recipe(
        "npx vitest run", "npx vitest --version", "cart.test.js",
        _js('import { describe, it, expect } from "vitest"\n', "expect(2).toBe({})"),
        {
            "package.json": '{"name": "shop", "type": "module"}\n',
            "vitest.config.js": _VITEST_BROWSER.format(shutil.which("chromium") or "chromium"),
        },
    ),
    "playwright": Recipe(
        "npx playwright test", "npx playwright --version", "tests/cart.spec.js",
        _each(
            _PLAYWRIGHT, "expect(2).toBe(2)", "expect(1).toBe(2)", "nowhere.toBeFound()", 'import "./nowhere.js"\n',
        ) | {"flaky": _PLAYWRIGHT_FLAKY},
        {"package.json": '{"name": "shop", "type": "module"}\n', "playwright.config.js": "export default {}\n"},
    ),
    "bun": Recipe(
        "npx bun test", "npx bun --version", "cart.test.ts", _js(_BUN, "expect(2).toBe({})"),
        {"mail.test.ts": 'import { test } from "bun:test"\ntest("sends", () => {})\n'},
    ),
    "bun_dots": Recipe(
        "npx bun test --reporter=dots", "npx bun --version", "cart.test.ts", _js(_BUN, "expect(2).toBe({})"),
        {"mail.test.ts": 'import { test } from "bun:test"\ntest("sends", () => {})\n'},
    ),
    "deno": Recipe(
        "npx deno test", "npx deno --version", "cart_test.ts",
        _each(_DENO, "equal(2, 2)", "equal(1, 2)", 'throw new TypeError("no")', 'import "./nowhere.ts"\n'),
        {"mail_test.ts": 'Deno.test("sends", () => {})\n'},
    ),
    "deno_junit": Recipe(
        "npx deno test --reporter=junit", "npx deno --version", "cart_test.ts",
        _each(_DENO, "equal(2, 2)", "equal(1, 2)", 'throw new TypeError("no")', 'import "./nowhere.ts"\n'),
        {"mail_test.ts": 'Deno.test("sends", () => {})\n'},
    ),
    "deno_tap": Recipe(
        "npx deno test --reporter=tap", "npx deno --version", "cart_test.ts",
        _each(_DENO, "equal(2, 2)", "equal(1, 2)", 'throw new TypeError("no")', 'import "./nowhere.ts"\n'),
        {"mail_test.ts": 'Deno.test("sends", () => {})\n'},
    ),
    "mix": Recipe(
        "mix test", "elixir --short-version", "test/cart_test.exs",
        _each(_EX, "assert 2 == 2", "assert 1 == 2", 'raise "no"', "nowhere()"),
        {"mix.exs": _MIX, "test/test_helper.exs": "ExUnit.start()\n"}, "mix compile",
    ),
    "ctest": Recipe(
        "ctest --test-dir build", "ctest --version", "CMakeLists.txt",
        _each(
            _CMAKE, "${CMAKE_COMMAND} -E true", "${CMAKE_COMMAND} -E false", "nowhere",
            'sh -c "kill -SEGV $$"',
        ) | {"disabled": _CMAKE.format("${CMAKE_COMMAND} -E false") + _CMAKE_PROPERTIES},
        {}, "cmake -S . -B build",
    ),
    "mocha": Recipe(
        "npx mocha cart.test.mjs", "npx mocha --version", "cart.test.mjs",
        _js(_JS_ASSERT, "assert.equal(2, {})"),
    ),
    "node": Recipe(
        "node --test", "node --version", "cart.test.mjs",
        _js('import { describe, it } from "node:test"\n' + _JS_ASSERT, "assert.equal(2, {})")
        | {"todo": _NODE_TODO},
    ),
    "go": Recipe(
        "go test ./...", "go version", "cart/cart_test.go",
        _each(_GO, "", 't.Errorf("got 1, want 2")', 'var m map[string]int; m["a"] = 1', "undefinedName()"),
        {
            "go.mod": "module example.org/shop\n\ngo 1.19\n",
            "cart/cart.go": "package cart\n",
            "mail/mail.go": "package mail\n",
            "mail/mail_test.go": 'package mail\n\nimport "testing"\n\nfunc TestSend(t *testing.T) {}\n',
        },
    ),
    "cargo": Recipe(
        "cargo test", "cargo --version", "src/lib.rs",
        _each(_RS, "assert_eq!(2, 2);", "assert_eq!(1, 2);", 'panic!("no");', "undefined_name();"),
        {"Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'},
    ),
    "rspec": Recipe(
        "rspec", "rspec --version", "spec/cart_spec.rb",
        _each(_RB, "expect(2).to eq(2)", "expect(1).to eq(2)", "nowhere_to_be_found", "require 'nowhere'\n"),
    ),
    "minitest": Recipe(
        "ruby test/cart_test.rb", "ruby -e 'require \"minitest\"; puts Minitest::VERSION'", "test/cart_test.rb",
        _each(_MINITEST, "assert_equal 2, 2", "assert_equal 2, 1", 'raise "no"', "require 'nowhere'\n"),
    ),
    "phpunit": Recipe(
        "phpunit tests", "phpunit --version", "tests/CartTest.php",
        _each(
            _PHP, "$this->assertSame(2, 2);", "$this->assertSame(1, 2);", "throw new RuntimeException('no');",
            "<?php\nrequire 'nowhere.php';\n",
        ) | {"risky": _PHP.format("$this->assertSame(1, 2);").replace("$this->assertSame(0, 0);", "")},
    ),
    "maven": Recipe(
        "mvn -B test", "mvn -B --version", "src/test/java/CartTest.java",
        _each(_JAVA, "assertEquals(2, 2);", "assertEquals(1, 2);", 'throw new RuntimeException("no");', "nowhere();"),
        {"pom.xml": _POM},
    ),
}  # fmt: skip


def main(arguments: list[str]) -> int:
    """Record the named runners, or all; report those that are not installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="runner", help=f"default: all of {', '.join(RECIPES)}")
    names = parser.parse_args(arguments).names
    if unknown := [name for name in names if name not in RECIPES]:
        parser.error(f"no such runner: {', '.join(unknown)}")
    for name in names or RECIPES:
        recipe = RECIPES[name]
        version = _run(recipe.version, Path.cwd())
        if version is None or version.returncode:
            print(f"record_runners: {name} is not installed; skipped")
            continue
        first = next((line for line in version.stdout.splitlines() if re.search(r"\d\.\d", line)), version.stdout)
        for case in recipe.tests:
            _record(name, case, recipe, re.sub(r"\x1b\[[\d;]*m", "", first).strip())
    return 0


def _record(name: str, case: str, recipe: Recipe, version: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "shop"
        for path, text in {**recipe.common, recipe.test_file: recipe.tests[case]}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        if modules := os.environ.get("NODE_MODULES"):
            (root / "node_modules").symlink_to(modules)
        if recipe.prepare:
            _run(recipe.prepare, root)
        done = _run(recipe.command, root)
        assert done is not None
        text = _without_places(done.stdout, root)
    target = OUTPUTS / name / f"{case}.txt"
    target.parent.mkdir(parents=True, exist_ok=True)
    clean = "\n".join(line.rstrip() for line in text.splitlines())
    target.write_text(f"$ {recipe.command} # exit {done.returncode}, {version}\n{clean}\n", encoding="utf-8")
    print(f"record_runners: {name}/{case}: exit {done.returncode}")


def _without_places(text: str, root: Path) -> str:
    """Remove paths of this machine: the project is in /shop, tools are in /tools."""
    text = text.replace(str(root), "/shop").replace(str(root.parent), "")
    text = re.sub(r"(?:\.\./|/)[^\s:('\"]*/node_modules/", "node_modules/", text)
    for place in (sys.base_prefix, *filter(None, os.environ.get("TOOLS", "").split(os.pathsep))):
        text = text.replace(place, "/tools")
    text = text.replace("\x1b[0m", "")
    return re.sub(r"^.*(?:Download|Progress).*\n", "", text, flags=re.MULTILINE)


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str] | None:
    words = shlex.split(command)
    words[0] = sys.executable if words[0] == "python" else words[0]
    local = os.path.join(os.environ.get("NODE_MODULES", ""), ".bin", words[1] if len(words) > 1 else "")
    if words[0] == "npx":
        words = [local, *words[2:]]
    if shutil.which(words[0]) is None:
        return None
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "1", "RUST_BACKTRACE": "0"}
    plain = {**os.environ, **alone, "NO_COLOR": "1", "CARGO_TERM_COLOR": "never"}
    return subprocess.run(
        words, cwd=folder, env=plain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        timeout=180,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
