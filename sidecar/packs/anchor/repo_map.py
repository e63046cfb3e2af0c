"""The repository's map: counts of files by folder, dependencies between folders, fragile files, warnings. Pure.

The counts carry over from state to state: only added and removed files are counted.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from sidecar.codebase import FragileFile, Landmine, PackageNames, is_code, is_test
from sidecar.core import config_tables
from sidecar.core.clean_text import one_line
from sidecar.core.lazy_regex import lazy_regex
from sidecar.packs.anchor.commands import MAX_FOLDERS, PACKAGE_SCRIPTS

MAX_AREAS = 14

_NOT_PRODUCT = lazy_regex(
    r"(?i)^(?:t|examples?|samples|playgrounds?|bench\w*|perf[\w-]*|docs?|scripts?|tools|fixtures|testdata|\w*-tests?)/"
)
"""Folders besides the product: their contents say nothing about it."""

_UNMAPPED = lazy_regex(
    r"(?i)^(?:\.|(?:examples?|samples|fixtures|testdata|node_modules|bower_components|vendor|third[_-]party|pods|venv|env|dist"
    r"|__pycache__)/)"
)
"""Folders that a map never names, whatever purpose they state."""

MIN_FOLDERS = 3
"""Fewer folders than this in an area without a purpose say nothing about it."""

MAX_FOLDER_CHARACTERS, LARGEST_FOLDERS = 300, 12
"""Longer lists name only the largest folders, with the number of all."""

_LANGUAGE_FOLDER = lazy_regex(r"[a-z]{2,3}(?:[_-]\w{2,12}){0,2}/")
_COMMON_LANGUAGES = frozenset(("de/", "es/", "fr/"))
"""Folders that translations into many languages have."""

_BUILD_KINDS = {
    name: kind
    for kind, names in {
        "node": ("package.json",),
        "python": ("pyproject.toml", "setup.py", "setup.cfg", "manage.py", "requirements.txt"),
        "rust": ("Cargo.toml",),
        "go": ("go.mod",),
        "maven": ("pom.xml",),
        "gradle": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        "php": ("composer.json",),
        "dart": ("pubspec.yaml",),
        "elixir": ("mix.exs",),
        "swift": ("Package.swift",),
        "foundry": ("foundry.toml",),
        "zig": ("build.zig",),
        "dbt": ("dbt_project.yml",),
    }.items()
    for name in names
}
"""Kinds of projects by the name of their build file."""

_CLASSIFIED = {
    "decisions": lazy_regex(
        r"(?i)^(?:.+/)?(?:adrs?|decisions|architecture-decisions|architecture/decisions)/(?!readme|index|template)[^/]+\.(?:md|mdx|rst)$"
    ),
    "specifications": lazy_regex(
        r"(?i)^(?:(?:docs?|openspec)/)?(?:specs?|specifications|rfcs?)/(?!(?:fixtures?|support|dummy|files|data)/)"
        r"(?:[^/]+/){0,2}(?!readme|index|template)[^/]+\.(?:md|mdx)$"
        r"|^openspec/changes/(?!archive/)[^/]+/proposal\.md$"
    ),
    "guides": lazy_regex(r"^(?:[^/]+/){1,6}(?:AGENTS|CLAUDE)\.md$"),
    "rule_files": lazy_regex(
        r"^(?:\.cursor/rules|\.claude/rules|\.github/instructions)/(?!(?:AGENTS|CLAUDE)\.md$)[^/]+\.(?:mdc|md)$"
    ),
    "projects": lazy_regex(
        r"^(?!(?:.+/)?(?:\.[^/]+|tests?|examples?|samples?|demos?|docs?|templates?|testdata|fixtures|benchmarks?|vendor"
        r"|third[_-]party|node_modules|deps|build|dist)/)"
        rf"(?:[^/]+/){{0,2}}(?:{'|'.join(map(re.escape, _BUILD_KINDS))})$"
    ),
    "test_projects": lazy_regex(r"(?i)^(?:.+/)?[^/]*(?:tests?|specs?)\.(?:cs|fs|vb)proj$"),
    "workflows": lazy_regex(r"^(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml)$"),
    "mains": lazy_regex(
        r"^(?!(?:.+/)?(?:tests?|examples?|docs?|testdata|fixtures|benchmarks?|scripts)/)"
        r"(?!.*(?:fixture|test))(?:(?:[^/]+/){0,3}(?:__main__\.py|manage\.py|main\.go)|(?:[^/]+/){0,2}src/(?:main|bin/[^/]+)\.rs)$"
    ),
}
"""Files an anchor needs, by kind."""

MAX_PROJECTS = 8

_PACKAGES = lazy_regex(r"((?:[^/]+/){0,4}src/\w{1,20}/(?:java|kotlin|scala)/)((?:[^/]+/){0,20})[^/]+$")
"""A file of a program in packages: the folder that these begin in, and its own package."""

_PACKAGE_SUFFIXES = (".java", ".kt", ".scala")
_CLASSIFIED_SUFFIXES = (
    ".md", ".mdx", ".rst", ".mdc", ".yml", ".yaml", "main__.py", "main.go", ".rs", ".csproj", ".fsproj", ".vbproj",
    *_BUILD_KINDS,
)  # fmt: skip
"""No other file can match: checking the suffix spares the patterns."""


class FolderCounts(NamedTuple):
    """The files below a folder at any depth: counts by suffix, and by subfolder."""

    suffixes: Counter[str]
    folders: Counter[str]

    @property
    def code(self) -> int:
        """Number of source files."""
        return sum(count for suffix, count in self.suffixes.items() if is_code(f"_{suffix}"))

    @property
    def files(self) -> int:
        """Number of files."""
        return self.suffixes.total()

    @property
    def is_product(self) -> bool:
        """Whether most of the files, apart from those that tools write beside them, are code or parts of a program."""
        parts = sum(count for suffix, count in self.suffixes.items() if suffix.lower() in _PROGRAM_SUFFIXES)
        beside = sum(count for suffix, count in self.suffixes.items() if suffix in _COMPANION_SUFFIXES)
        return (self.code + parts) * 2 > self.files - beside


_PROGRAM_SUFFIXES = frozenset(
    ".erb .haml .slim .cshtml .razor .xaml .axaml .twig .jinja .j2 .hbs .ejs .pug .html .css .scss .less .sql .tf .hcl"
    " .tscn .gdshader .unity .prefab .shader .glsl .xib .storyboard .qml .ui .fxml".split()
)
"""Suffixes of pages, styles, infrastructure, scenes and shaders: no code, but what a program consists of."""

_COMPANION_SUFFIXES = frozenset((".uid", ".import", ".meta"))
"""Suffixes of the files that game engines write beside each file."""


_TEST_FOLDERS = ("test", "tests", "spec", "t")


class Outline(NamedTuple):
    """The shape of a repository as an anchor shows it; equal outlines yield equal text."""

    areas: tuple[tuple[str, str], ...]
    """Folders a map may name, those with most code first: not all may fit; each with a fallback for a missing purpose,
    which is empty for most.
    """
    decisions: tuple[str, ...]
    specifications: tuple[str, ...]
    guides: tuple[str, ...]
    """Instruction files of single folders."""
    rule_files: tuple[str, ...]
    """Rules written for other agents."""
    projects: tuple[str, ...]
    """Build files of folders that are projects of their own, the outer ones first."""
    test_projects: tuple[str, ...]
    """Build files of .NET projects that hold tests by their names."""
    test_folders: tuple[str, ...]
    """Folders that the tools of a language look for tests in, each with a trailing slash."""
    workflows: tuple[str, ...]
    """Checks that a push runs."""
    mains: tuple[str, ...]
    """Entry points of programs."""
    build_folders: tuple[str, ...]
    """Every folder below the top with a build file, each with a trailing slash."""


@dataclass(frozen=True)
class RepoMap:
    """The counts of one set of files. Immutable."""

    total: int
    areas: Mapping[str, FolderCounts]
    """Folders of the first and second level, each name with a trailing slash."""
    classified: Mapping[str, frozenset[str]]
    """Files of special kinds, by kind."""
    packages: Mapping[str, Counter[str]] = field(default_factory=dict)
    """Number of files by package, below each folder that packages begin in; the packages of tests are left out."""

    def with_changes(self, added: Iterable[str], removed: Iterable[str]) -> "RepoMap":
        """Return the counts after files were added and removed."""
        areas, classified = dict(self.areas), {kind: set(paths) for kind, paths in self.classified.items()}
        packages = dict(self.packages)
        total, copied = self.total, set[str]()
        for paths, step in ((list(removed), -1), (list(added), 1)):
            total += step * len(paths)
            for (*folders, suffix), count in Counter(map(_place, paths)).items():
                _count(areas, folders, suffix, step * count, copied)
            for path in paths:
                if path.endswith(_CLASSIFIED_SUFFIXES):
                    _classify(classified, path, step)
                elif path.endswith(_PACKAGE_SUFFIXES):
                    _count_package(packages, path, step, copied)
        return RepoMap(total, areas, {kind: frozenset(paths) for kind, paths in classified.items()}, packages)

    @cached_property
    def outline(self) -> Outline:
        """The shape of the repository."""
        classified = {kind: tuple(sorted(paths)) for kind, paths in self.classified.items()}
        decisions = classified.pop("decisions")
        specifications = tuple(
            path for path in classified.pop("specifications") if path not in self.classified["decisions"]
        )
        build_files = classified.pop("projects")
        return Outline(
            tuple(self._area_entries()),
            decisions,
            specifications,
            projects=_inner_projects(build_files),
            build_folders=tuple(dict.fromkeys(f"{path.rpartition('/')[0]}/" for path in build_files if "/" in path)),
            test_folders=self._test_folders(),
            **classified,
        )

    def _test_folders(self) -> tuple[str, ...]:
        inner = (area + folder for area, tally in self.areas.items() for folder in tally.folders)
        tops = (area for area in self.areas if area.count("/") == 1)
        folders = {folder for folder in (*tops, *inner) if folder.split("/")[-2] in _TEST_FOLDERS}
        return tuple(sorted(folders))

    def _area_entries(self) -> list[tuple[str, str]]:
        """The folders a map may name: the top-level ones, and the subfolders of the one with most code."""
        tops = {
            name: tally.files
            for name, tally in self.areas.items()
            if name.count("/") == 1 and not _UNMAPPED.match(name)
        }
        shown = [name for name, _ in _most_common(tops, MAX_AREAS)]
        code = {name: self.areas[name].code for name in shown if not is_beside_product(name)}
        main = next((name for name, count in _most_common(code, 1) if count * 2 >= sum(code.values()) > 0), "")
        main = self._narrowed(main)
        top = main.partition("/")[0] + "/"
        inner = [f"{top}{folder}" for folder, _ in _most_common(self.areas[top].folders, MAX_AREAS)] if main else []
        listed = sorted((*shown, *inner), key=lambda name: (is_beside_product(name), -self._size_class(name), name))
        contents = {name: _area_contents(name, self.areas[name], main) for name in listed}
        return _with_packages(contents, self.packages)

    def _size_class(self, area: str) -> int:
        """The magnitude of a folder's code: a new file seldom changes it."""
        return self.areas[area].code.bit_length()

    def _narrowed(self, main: str) -> str:
        """The folder with most code, or the one inside it that holds nearly all of it, as with `src/name/`."""
        if not main:
            return ""
        tally = self.areas[main]
        folder = next((folder for folder, _ in _most_common(tally.folders, 1)), "")
        inner = self.areas.get(main + folder)
        return main + folder if folder and inner is not None and inner.code * 10 >= tally.code * 9 else main


_PLATFORM_FOLDERS = ("android/", "ios/", "macos/", "linux/", "windows/")
"""Written by the tools of an app for several platforms, whose own commands build them."""


def _inner_projects(build_files: Sequence[str]) -> tuple[str, ...]:
    """The build files below the top whose kind no folder above has; packages may be apart from a package.json there.

    A pyproject.toml at the top may only list the projects below it, which come last then.
    """
    kinds = {(folder, _BUILD_KINDS[name]) for folder, _, name in (path.rpartition("/") for path in build_files)}
    apps = {folder for folder, kind in kinds if kind in ("node", "dart")}
    may_list = {path for path in build_files if _BUILD_KINDS.get(path) == "python"} == {"pyproject.toml"}
    inner = []
    for path in build_files:
        folder, _, name = path.rpartition("/")
        kind = _BUILD_KINDS[name]
        outer = folder.rpartition("/")[0]
        above = {(outer, kind), ("", kind)} - {(folder, kind)} - ({("", "node")} if outer == "" else set())
        is_listed = may_list and kind == "python"
        above -= {("", "python")} if is_listed else set()
        if folder and above.isdisjoint(kinds) and not _is_of_platform(folder, apps):
            inner.append((is_listed, path.count("/"), path))
    return tuple(path for _, _, path in sorted(inner)[:MAX_PROJECTS])


def _is_of_platform(folder: str, apps: Container[str]) -> bool:
    """Whether a folder is an app's part for one platform, or inside it."""
    parts = folder.split("/")
    return any(f"{part}/" in _PLATFORM_FOLDERS and "/".join(parts[:depth]) in apps for depth, part in enumerate(parts))


_PYTHON_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "manage.py", "requirements.txt")


def project_folders(projects: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """Return the folders of these build files that state their own commands.

    A package.json with scripts at the top is a workspace's, whose scripts run those of the folders. A pyproject.toml
    there covers those of the folders, unless it only lists them as a workspace.
    """
    top = config_tables.parse_toml(texts.get("pyproject.toml", ""))
    is_python = bool({"project", "build-system"} & top.keys()) or bool(
        {"poetry", "pytest", "hatch", "pdm"} & config_tables.subtable(top, "tool").keys()
    )
    scripts = config_tables.subtable(config_tables.parse_json(texts.get("package.json", "")), "scripts")
    is_workspace = any(name in scripts for names in PACKAGE_SCRIPTS.values() for name in names)
    folders = (
        path.rpartition("/")[0] + "/"
        for path in projects
        if not (is_workspace and path.endswith("package.json")) and not (is_python and path.endswith(_PYTHON_FILES))
    )
    return list(dict.fromkeys(folders))[:MAX_FOLDERS]


EMPTY = RepoMap(0, {}, {kind: frozenset() for kind in _CLASSIFIED})


def is_beside_product(area: str) -> bool:
    """Whether a folder holds tests, examples and the like instead of the product."""
    return is_test(f"{area}_") or bool(_NOT_PRODUCT.match(area))


def count_files(paths: Iterable[str]) -> RepoMap:
    """Count files for the first time."""
    return EMPTY.with_changes(paths, ())


def _place(path: str) -> tuple[str, ...]:
    """Return a file's first folders and its suffix, which many files have in common."""
    *folders, name = path.split("/", 3)
    name = name[name.rfind("/") + 1 :]
    dot = name.rfind(".")
    return (*folders, name[dot:] if dot > 0 else "other")


def _count(areas: dict[str, FolderCounts], folders: Sequence[str], suffix: str, step: int, copied: set[str]) -> None:
    """Count files of one place in its areas; a tally shared with another map is copied first."""
    for depth in range(1, min(len(folders), 2) + 1):
        area = "/".join(folders[:depth]) + "/"
        tally = areas.get(area)
        if tally is None or area not in copied:
            copied.add(area)
            before = tally or FolderCounts(Counter(), Counter())
            tally = areas[area] = FolderCounts(Counter(before.suffixes), Counter(before.folders))
        _step(tally.suffixes, suffix, step)
        if len(folders) > depth:
            _step(tally.folders, folders[depth] + "/", step)
        if not tally.suffixes:
            del areas[area]


def _step(counter: Counter[str], name: str, step: int) -> None:
    counter[name] += step
    if counter[name] <= 0:
        del counter[name]


def _classify(classified: Mapping[str, set[str]], path: str, step: int) -> None:
    for kind, pattern in _CLASSIFIED.items():
        if step < 0:
            classified[kind].discard(path)
        elif pattern.match(path):
            classified[kind].add(path)


def _count_package(packages: dict[str, Counter[str]], path: str, step: int, copied: set[str]) -> None:
    """Count a file in its package; a tally shared with another map is copied first."""
    found = _PACKAGES.match(path)
    if found is None or is_test(path):
        return
    root, package = found.groups()
    if root not in copied:
        copied.add(root)
        packages[root] = Counter(packages.get(root, {}))
    _step(packages[root], package, step)
    if not packages[root]:
        del packages[root]
        copied.discard(root)


def _area_contents(area: str, tally: FolderCounts, main: str) -> str:
    """A description of an area without a stated purpose: its code folders; empty for other areas."""
    if is_beside_product(area) or not tally.is_product:
        return ""
    folders = {folder: count for folder, count in tally.folders.items() if not folder.startswith(".")}
    if len(folders) < MIN_FOLDERS:
        return "most of the code" if area == main else ""
    return _listed(folders)


def _listed(folders: Mapping[str, int]) -> str:
    """The names of folders, or of the largest ones, whose numbers of files are given."""
    languages = [folder for folder in folders if _LANGUAGE_FOLDER.match(folder)]
    if len(languages) * 10 >= len(folders) * 9 and folders.keys() >= _COMMON_LANGUAGES:
        return f"contains a folder for each language, such as {', '.join(sorted(_COMMON_LANGUAGES))}"
    every = ", ".join(sorted(one_line(folder, 40) for folder in folders))
    if len(every) <= MAX_FOLDER_CHARACTERS:
        return f"contains {every}"
    largest = sorted(one_line(folder, 40) for folder, _ in _most_common(folders, LARGEST_FOLDERS))
    return f"contains {len(folders)} folders, among them {', '.join(largest)}"


def _with_packages(contents: Mapping[str, str], packages: Mapping[str, Counter[str]]) -> list[tuple[str, str]]:
    """Return the areas with their contents; the packages of the largest program stand for the folders around them."""
    files = {root: counts.total() for root, counts in packages.items()}
    root = next((root for root, count in _most_common(files, 1) if count * 2 >= sum(files.values())), "")
    package, folders = _branching(packages.get(root, {}))
    top = root.partition("/")[0] + "/"
    if len(folders) < MIN_FOLDERS or top not in contents:
        return list(contents.items())
    around = {name for name in contents if root.startswith(name) and (name != top or top == "src/")}
    areas: list[tuple[str, str]] = []
    for name, text in contents.items():
        areas.append((name, "" if name in around else text))
        if name == top:
            areas.append((root + package, _listed(folders)))
    return areas


def _branching(files: Mapping[str, int]) -> tuple[str, Counter[str]]:
    """Return the package that nearly all files are in, and the numbers of files in the packages below it."""
    package = ""
    while True:
        below = Counter[str]()
        for name, count in files.items():
            if name.startswith(package) and name != package:
                below[name[len(package) :].partition("/")[0] + "/"] += count
        inner = next((name for name, count in _most_common(below, 1) if count * 10 >= sum(files.values()) * 9), "")
        if not inner:
            return package, below
        package += inner


def _most_common(counted: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


MAX_DEPENDENCIES = 8

_GO_MODULE = lazy_regex(r"(?m)^module\s+(\S+)")


def import_names(areas: Sequence[str], texts: Mapping[str, str], files: Container[str]) -> PackageNames:
    """Return the names of the areas in import statements, from their manifests and from where Python packages begin."""
    packages = []
    for area in areas:
        package = config_tables.parse_json(texts.get(f"{area}package.json", "")).get("name")
        crate = config_tables.subtable(config_tables.parse_toml(texts.get(f"{area}Cargo.toml", "")), "package").get(
            "name"
        )
        packages += [(package, area)] if isinstance(package, str) else []
        packages += [(crate.replace("-", "_"), area)] if isinstance(crate, str) else []
    module = _GO_MODULE.search(texts.get("go.mod", ""))
    return PackageNames(tuple(packages), tuple(_modules(areas, files)), module[1] if module else "")


def _modules(areas: Iterable[str], files: Container[str]) -> Iterable[tuple[str, str]]:
    """Dotted names: from the workspace, and from the folder above the outermost package."""
    for area in areas:
        parts = area.rstrip("/").split("/")
        yield ".".join(parts), area
        if len(parts) > 1 and f"{parts[0]}/__init__.py" not in files and f"{area}__init__.py" in files:
            yield ".".join(parts[1:]), area


def dependency_lines(dependencies: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """Return a line for each folder that imports others, with the imported folders in alphabetical order."""
    lines = []
    for area in sorted(dependencies):
        imported = sorted(dependencies[area], key=lambda name: (-dependencies[area][name].bit_length(), name))
        shown = [name for name in imported if not is_beside_product(name)][:MAX_DEPENDENCIES]
        if shown and not is_beside_product(area):
            text = ", ".join(sorted(_relative_name(name, area) for name in shown))
            lines.append(f"- {one_line(area.rstrip('/') or 'files at the top', 120)} → {one_line(text, 200)}")
    return tuple(lines)


def _relative_name(other: str, area: str) -> str:
    """A folder's name relative to a sibling."""
    above = area.rstrip("/").rpartition("/")[0]
    return other.rstrip("/").removeprefix(f"{above}/" if above else "")


MAX_FRAGILE_FILES = 5


def fragile_file_lines(fragile_files: Sequence[FragileFile]) -> tuple[str, ...]:
    """Return a line for the files whose changes repeatedly went wrong in the same way, in the order of the first."""
    paths: dict[str, list[str]] = {}
    for fragile_file in fragile_files[:MAX_FRAGILE_FILES]:
        paths.setdefault(_fragility(fragile_file), []).append(one_line(fragile_file.path, 200))
    return tuple(f"- {', '.join(names)}: {fragility}" for fragility, names in paths.items())


def _fragility(fragile_file: FragileFile) -> str:
    phrases = []
    if fragile_file.reverted:
        phrases.append(f"changes were reverted more than once, for example “{one_line(fragile_file.reverted, 100)}”")
    if fragile_file.repeated_fixes:
        times = f"at least {fragile_file.repeated_fixes} times in a year"
        phrases.append(f"a fix was followed by another one within two weeks, {times}: test changes here with care")
    return "; ".join(phrases)


def landmine_lines(landmines: Iterable[tuple[str, Landmine]]) -> tuple[str, ...]:
    """Return a line for each warning above a definition."""
    return tuple(
        f"- `{one_line(landmine.name, 80)}`: {one_line(landmine.text, 160)} ({one_line(path, 200)}:{landmine.line})"
        for path, landmine in landmines
    )


def entry_point_lines(texts: Mapping[str, str], mains: Sequence[str]) -> list[str]:
    """Return a line for each entry point that a build file declares, then for files that are entry points by name."""
    declared = {
        name: target for read in (_python_entries, _node_entries, _rust_entries) for name, target in read(texts)
    }
    lines = [f"- `{one_line(name, 60)}` → {one_line(target, 120)}" for name, target in declared.items()]
    named = "\n".join(declared.values()).replace(".", "/")
    others = [
        path
        for path in mains
        if path.removesuffix(".py") not in named and not (declared and path.endswith("__main__.py"))
    ]
    return lines + ([f"- {one_line(', '.join(others), 300)}"] if others else [])


def _python_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    project = config_tables.parse_toml(texts.get("pyproject.toml", ""))
    for scripts in (
        config_tables.subtable(project, "project", "scripts"),
        config_tables.subtable(project, "tool", "poetry", "scripts"),
    ):
        yield from ((name, target) for name, target in scripts.items() if isinstance(target, str))


def _node_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    package = config_tables.parse_json(texts.get("package.json", ""))
    binary = package.get("bin")
    if isinstance(binary, str):
        yield str(package.get("name", "bin")), binary
    elif isinstance(binary, dict):
        yield from ((name, target) for name, target in binary.items() if isinstance(target, str))


def _rust_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for binary in config_tables.parse_toml(texts.get("Cargo.toml", "")).get("bin", []):
        if isinstance(binary, dict) and isinstance(binary.get("path"), str):
            yield str(binary.get("name", "")), binary["path"]
