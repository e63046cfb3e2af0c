"""Real changes in 21 languages with long texts as prompts: the judging set of the region ranking.

    python -m tests.benchmarks.other_language_cases --mirrors FOLDER --write

References only, as in `region_cases`. The draw knows nothing of any ranking: it filters by the text and by the shape of
the change, then takes evenly spaced commits. Nothing was learned from these repositories. The last nine languages have
no grammar: line patterns find their definitions.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.localization_cases import evenly_spread, git
from tests.benchmarks.region_cases import ROUTINE, RegionCase, case_of, prompt_of

REPOSITORIES = {
    "hashicorp/consul-template": "Go", "restic/restic": "Go", "caddyserver/caddy": "Go",
    "angular/angular-cli": "TypeScript", "apollographql/apollo-client": "TypeScript", "trpc/trpc": "TypeScript",
    "mochajs/mocha": "JavaScript", "jquery/jquery": "JavaScript",
    "tokio-rs/axum": "Rust", "clap-rs/clap": "Rust", "sharkdp/bat": "Rust",
    "mockito/mockito": "Java", "google/truth": "Java",
    "libuv/libuv": "C", "nginx/nginx": "C", "memcached/memcached": "C",
    "google/googletest": "C++", "abseil/abseil-cpp": "C++", "catchorg/Catch2": "C++",
    "serilog/serilog": "C#", "dotnet/BenchmarkDotNet": "C#", "JamesNK/Newtonsoft.Json": "C#",
    "thoughtbot/factory_bot": "Ruby", "thoughtbot/shoulda-matchers": "Ruby", "puma/puma": "Ruby",
    "composer/composer": "PHP", "nikic/PHP-Parser": "PHP", "twigphp/Twig": "PHP",
    "ktorio/ktor": "Kotlin", "square/okio": "Kotlin", "Kotlin/kotlinx.coroutines": "Kotlin",
    "apple/swift-nio": "Swift", "vapor/vapor": "Swift", "apple/swift-argument-parser": "Swift",
    "phoenixframework/phoenix_live_view": "Elixir", "luarocks/luarocks": "Lua", "r-lib/testthat": "R",
    "philips-labs/terraform-aws-github-runner": "Terraform", "tuva-health/tuva": "SQL", "Uniswap/v4-core": "Solidity",
    "riverwm/river": "Zig", "mojolicious/mojo": "Perl", "clj-kondo/clj-kondo": "Clojure",
}  # fmt: skip
SUFFIXES = {
    "Go": (".go",), "TypeScript": (".ts", ".tsx", ".mts", ".cts"), "JavaScript": (".js", ".jsx", ".mjs", ".cjs"),
    "Rust": (".rs",), "Java": (".java",), "C": (".c", ".h"), "C++": (".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh"),
    "C#": (".cs",), "Ruby": (".rb", ".rake"), "PHP": (".php",), "Kotlin": (".kt", ".kts"), "Swift": (".swift",),
    "Elixir": (".ex", ".exs"), "Lua": (".lua",), "R": (".R", ".r"), "Terraform": (".tf",), "SQL": (".sql",),
    "Solidity": (".sol",), "Zig": (".zig",), "Perl": (".pm", ".pl"), "Clojure": (".clj", ".cljc", ".cljs"),
}  # fmt: skip
CASES = Path(__file__).with_name("other_language_cases.jsonl")
AMONG, PER_REPOSITORY, MIN_WORDS, MIN_PARAGRAPH = 2_500, 8, 35, 12

_SUBJECT = re.compile(
    r"(?ix)\W*(?:update\s(?:dependenc|all\b|module|depend)|deps?\b|test|style|build\b|lint|typo|fix(?:ed)?\stypo"
    r"|changelog|readme|roll\s|export\sof\sinternal|upgrade|downgrade|copyright|licen[cs]e|automatic|rollback"
    r"|back\s?out|squashed\scommit|(?:address|apply)\w*\s(?:\w+\s)?(?:review|feedback)"
    r"|(?:update|fix|add|improve|stop|make|more)\w*\s(?:\w+\s){0,2}tests?\b)"
    r"|.*\b(?:dependabot|renovate|copybara|typos?|changelog|readme|spelling|javadoc|docs?|documentation|comments?"
    r"|clang-?format|gofmt|prettier|rubocop|clippy|warnings?|submodules?|reverts?|rollback|feedback|undo)\b"
)
_BOT = re.compile(
    r"(?i)renovate|dependabot|release notes</summary>|automated rollback|rolls? back"
    r"|\brevert(?:s|ed|ing)?\s(?:commit|#|gh-|https?:|[0-9a-f]{7})"
)
_HIDDEN = re.compile(
    r"(?s)auto-generated comment.*|Summary by CodeRabbit.*|\n\#+[^\n]*(?i:checklist|check list)[^\n]*\n.*?(?=\n\#|\Z)"
    r"|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<!--.*?-->|<details>.*?</details>"
)
_NOT_PROSE = re.compile(
    r"(?im)^\s*(?:\*\s.*|[-*]\s*\[[ xX]\].*|\#+\s.*|[|>].*|(?:PiperOrigin|RELNOTES|Change-Id|\w+(?:-\w+)+:).*"
    r"|(?:\w+\s)?(?:clos|fix|resolv|relate|see|refs?|issue)\w*:?\s+\S*[#/]\S*\.?"
    r"|(?:[ ]{4,}|\t)\S*[^\w\s,.'\"()-]{2,}.*)$"
)
_ADDRESS = re.compile(r"https?://\S+|`[^`\n]*`|\S*[/\\_]\S*|\S+@\S+")
_ASIDE = re.compile(
    r"(?:.*/)?(?:[\w.-]*[a-z0-9.]Tests?(?:Helpers|Utils?|Support)?|[Ee]xamples?|[Ss]amples?|benchmarks?|[Bb]ench"
    r"|fixtures|docs?|features|\.\w+)/|(?:t|build|buildSrc|scripts|www)/"
    r"|(?:.*/)?(?:[^/]*[a-z0-9]Tests?|testapp|package-scripts|[^/]*\.config)\.\w+$|.*\.(?:kts|sh)$"
)
"""Tests that `is_test` does not know, examples and build scripts: no case asks for them."""
_PROSE_WORD = re.compile(r"[A-Za-z][a-z']{1,}")


def is_telling(text: str) -> bool:
    """Whether a text has enough prose in paragraphs below its subject, and describes no routine."""
    subject, _, body = text.partition("\n")
    if ROUTINE.match(subject) or _SUBJECT.match(subject) or _BOT.search(text):
        return False
    prose = _ADDRESS.sub(" ", _NOT_PROSE.sub("", _HIDDEN.sub("", body)))
    words = [len(_PROSE_WORD.findall(paragraph)) for paragraph in re.split(r"\n\s*\n", prose)]
    return sum(count for count in words if count >= MIN_PARAGRAPH) >= MIN_WORDS


def find_cases(clone: Path, repository: str, language: str) -> list[RegionCase]:
    """Return the changes with a long text, evenly spread over the latest ones."""
    every = list(_candidates(clone, repository, language))
    chosen = evenly_spread(every, PER_REPOSITORY)
    print(f"{repository:28} {language:11} {len(every):4} fit, {len(chosen):3} drawn", flush=True)
    return chosen


def _candidates(clone: Path, repository: str, language: str) -> Iterator[RegionCase]:
    log = git(clone, "log", "--no-merges", f"-n{AMONG}", "--format=%H %P%x1f%an%x1f%B%x1e", "HEAD")
    prompts: set[str] = set()
    for entry in log.split("\x1e"):
        ids, author, message = [*entry.strip().split("\x1f", 2), "", ""][:3]
        commit, *parents = ids.split(" ")
        if len(parents) != 1 or "[bot]" in author or not is_telling(message.strip()):
            continue
        prompt = prompt_of(clone, commit)
        if not is_telling(prompt) or prompt in prompts:  # a change can be applied twice
            continue
        try:
            case = case_of(clone, repository, commit, parents[0])
        except subprocess.CalledProcessError:  # a copy can lack its largest files
            continue
        if case is None:
            continue
        case = case._replace(
            lines=_without_aside(case.lines), inserted=_without_aside(case.inserted), language=language
        )
        if any(path.endswith(SUFFIXES[language]) for path in case.lines):
            prompts.add(prompt)
            yield case


def _without_aside(lines: dict[str, list[int]]) -> dict[str, list[int]]:
    return {path: found for path, found in lines.items() if not _ASIDE.match(path)}


def main() -> int:
    """Compute the set from clones and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="store the set beside this module")
    options = parser.parse_args()
    lines = []
    for repository, language in REPOSITORIES.items():
        cases = find_cases(options.mirrors / repository.replace("/", "+") / "repo", repository, language)
        lines += [json.dumps(case._asdict(), separators=(",", ":")) for case in cases]
    if options.write:
        CASES.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
