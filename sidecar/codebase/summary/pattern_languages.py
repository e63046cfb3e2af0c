"""Languages without a grammar: their definitions are found by line patterns."""

import re

from sidecar.codebase.summary.model import PROSE, Language
from sidecar.core.lazy_regex import lazy_regex


def _patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(lazy_regex(source) for source in sources)


_TEMPLATE_SUFFIXES = tuple((
    ".erb .haml .slim .heex .eex .leex .cshtml .razor .vbhtml .jsp .ftl .twig .j2 .jinja .jinja2 .njk .liquid "
    ".hbs .handlebars .mustache .ejs .pug .jade .tmpl .gotmpl .gohtml .tpl .mjml .xaml .axaml"
).split())  # fmt: skip
_OTHER_SUFFIXES = tuple((
    ".zig .nim .cr .d .sol .bicep .nix .erl .hrl .jl .vb .pas .clj .cljs .cljc .hs .lhs .fs .fsx .ml .mli .cu .cuh .hx "
    ".elm .purs .gleam .tcl .asm .rkt .lisp .el .scm .ino .sv .vhd .vhdl .f90 .f95"
).split())  # fmt: skip

PATTERN_LANGUAGES: tuple[Language, ...] = (
    Language(
        "SQL",
        (".sql",),
        _patterns(
            r"(?i)^\s*+create\s++(?:or\s++replace\s++)?(?:(?:unique|temp|temporary|virtual|materialized)\s++)?"
            r"(?:table|view|index|function|procedure|trigger|type)\s++(?:if\s++not\s++exists\s++)?(?P<name>[\w.\"`]++)"
        ),
        "--",
        checks=lazy_regex(r"(?i)\b(?:check\s*+\(|references\s|foreign\s++key|unique\b|not\s++null)"),
    ),
    Language("Markdown", (".md", ".mdx"), _patterns(r"^#{1,4}\s++(?P<name>\S.*+)$"), PROSE),
    Language("reStructuredText", (".rst",), (), PROSE),
    Language("TOML", (".toml", ".ini", ".cfg"), _patterns(r"^\[{1,2}(?P<name>[^\[\]]++)\]")),
    Language("YAML", (".yml", ".yaml"), _patterns(r"^(?P<name>[\w./-]++):")),
    Language("JSON", (".json", ".jsonc"), _patterns(r"^(?P<depth>[ \t]*+)\"(?P<name>[^\"\\]++)\"\s*+:"), "//"),
    Language(
        "Dockerfile",
        (".dockerfile",),
        _patterns(r"(?i)^from\s++\S++\s++as\s++(?P<name>\S++)"),
        names=("dockerfile", "containerfile"),
    ),
    Language(
        "Makefile",
        (".mk",),
        _patterns(r"^(?P<name>[A-Za-z0-9][\w./%-]*+)\s*+:(?![=:])"),
        names=("makefile", "gnumakefile"),
    ),
    Language(
        "CMake",
        (".cmake",),
        _patterns(r"(?i)^\s*+(?:function|macro|add_library|add_executable|project)\s*+\(\s*+(?P<name>[\w.:-]++)"),
        names=("cmakelists.txt",),
    ),
    Language("Protocol Buffers", (".proto",), _patterns(r"^\s*+(?:message|enum|service|rpc)\s++(?P<name>\w++)"), "//"),
    Language(
        "GraphQL",
        (".graphql", ".gql"),
        _patterns(
            r"^(?:extend\s++)?(?:type|input|enum|interface|union|scalar|query|mutation|fragment)\s++(?P<name>\w++)"
        ),
    ),
    Language(
        "Terraform",
        (".tf", ".hcl"),
        _patterns(r"^(?:resource|data|module|variable|output|provider)\s++(?:\"[\w-]++\"\s++)?\"(?P<name>[\w-]++)\""),
    ),
    Language(
        "Template",
        _TEMPLATE_SUFFIXES,
        (),
        "<!--",
    ),
    Language(
        "CSS", (".css", ".scss", ".sass", ".less", ".pcss", ".styl"), _patterns(r"^(?P<name>[.#@:\w][^{};]*+)\{$"), "/*"
    ),
    Language("HTML", (".html", ".htm"), (), "<!--"),
    Language(
        "Elixir", (".ex", ".exs"), _patterns(r"^\s*+(?:defmodule|defp?|defmacro|defprotocol)\s++(?P<name>[\w.?!]++)")
    ),
    Language(
        "Scala",
        (".scala", ".sc"),
        _patterns(
            r"^\s*+(?:(?:private|protected|final|sealed|abstract|case|implicit|override|lazy)\s++)*+(?:class|object|trait|def|type|enum)\s++(?P<name>\w++)"
        ),
        "//",
    ),
    Language(
        "Dart",
        (".dart",),
        _patterns(r"^(?:abstract\s++)?(?:class|enum|mixin|extension|typedef)\s++(?P<name>\w++)"),
        "//",
    ),
    Language("Lua", (".lua",), _patterns(r"^\s*+(?:local\s++)?function\s++(?P<name>[\w.:]++)"), "--"),
    Language(
        "GDScript",
        (".gd",),
        _patterns(r"^(?:static\s++)?(?:func|class_name|class|signal|enum|const)\s++(?P<name>\w++)"),
        "##",
    ),
    Language(
        "Groovy",
        (".groovy", ".gradle"),
        _patterns(
            r"^\s*+(?:(?:public|private|protected|static|final|abstract)\s++)*+"
            r"(?:class|interface|enum|trait|def|void|task)\s++(?P<name>\w++)"
        ),
        "//",
    ),
    Language(
        "Objective-C",
        (".m", ".mm"),
        _patterns(
            r"^@(?:interface|implementation|protocol)\s++(?P<name>\w++)", r"^[-+]\s*+\([^)]*+\)\s*+(?P<name>\w++)"
        ),
        "//",
    ),
    Language("PowerShell", (".ps1", ".psm1"), _patterns(r"(?i)^\s*+(?:function|filter)\s++(?P<name>[\w:-]++)")),
    Language("R", (".r", ".rmd"), _patterns(r"^\s*+(?P<name>[\w.]++)\s*+(?:<-|=)\s*+function\b")),
    Language("Perl", (".pl", ".pm"), _patterns(r"^\s*+(?:sub|package)\s++(?P<name>[\w:]++)"), interpreters=("perl",)),
    Language(
        "Shader",
        (".glsl", ".vert", ".frag", ".hlsl", ".wgsl", ".shader", ".gdshader", ".metal"),
        _patterns(r"^\s*+(?:fn|void|float|[biu]?vec\d|half\d?|fixed\d|mat\d)\s++(?P<name>\w++)\s*+\("),
        "//",
    ),
    Language("Prisma", (".prisma",), _patterns(r"^(?:model|enum|type|view)\s++(?P<name>\w++)"), "//"),
    Language(
        "Just",
        (".just",),
        _patterns(r"^@?(?P<name>[A-Za-z_][\w-]*+)[^:\n]*+:(?!=)"),
        names=("justfile", ".justfile"),
    ),
    Language("Notebook", (".ipynb",), ()),
    Language(
        "Other code",
        _OTHER_SUFFIXES,
        (),
        "//",
    ),
)
