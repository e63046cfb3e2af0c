"""Languages without a grammar: their definitions and imports are found by line patterns.

Also the parts of files that contain code among other things: components and notebooks.
"""

import json
import re
from collections.abc import Iterator, Sequence

from sidecar.codebase.summary.model import PROSE, Definition, Language
from sidecar.core.lazy_regex import lazy_regex


def line_patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a language's row."""
    return tuple(lazy_regex(source) for source in sources)


_TEMPLATE_SUFFIXES = tuple((
    ".erb .haml .slim .heex .eex .leex .cshtml .razor .vbhtml .jsp .ftl .twig .j2 .jinja .jinja2 .njk .liquid "
    ".hbs .handlebars .mustache .ejs .pug .jade .tmpl .gotmpl .gohtml .tpl .mjml .xaml .axaml"
).split())  # fmt: skip
_OTHER_SUFFIXES = tuple((
    ".nim .cr .d .bicep .vb .pas .fs .fsx .cu .cuh .hx .purs .gleam .tcl .asm .rkt .lisp .el .scm .ino .sv .vhd .vhdl "
    ".f90 .f95"
).split())  # fmt: skip

_DART_MODIFIERS = r"(?:(?:external|static|final|const|late|covariant|factory|abstract|augment)\s++){0,4}"
_NOT_A_NAME = (
    r"(?!(?:return|if|for|while|switch|catch|else|do|assert|await|yield|throw|super|this|case|new|import"
    r"|export|part|class|enum|mixin|extension|typedef)\b)"
)
_QUOTED_IMPORT = r"(?m)^[ \t]*+(?:import|export|part)\b[^\"'\n;]*+[\"'](?P<module>[^\"'\n]++)[\"']"
_DOTTED_IMPORT = r"(?m)^[ \t]*+import\s++(?:static\s++)?(?P<module>\w++(?:\.\w++)*+)(?:\.?\{(?P<names>[^{}]{1,800})\})?"

PATTERN_LANGUAGES: tuple[Language, ...] = (
    Language(
        "SQL",
        (".sql",),
        line_patterns(
            r"(?i)^\s*+create\s++(?:or\s++replace\s++)?(?:(?:unique|temp|temporary|virtual|materialized|recursive)\s++)*+"
            r"(?:table|view|index|type|policy|role|sequence|schema|domain|extension)\s++(?:concurrently\s++)?"
            r"(?:if\s++not\s++exists\s++)?(?P<type>[\w.\"`]++)",
            r"(?i)^\s*+create\s++(?:or\s++(?:replace|alter)\s++)?(?:constraint\s++)?"
            r"(?:function|procedure|proc|trigger|aggregate)\s++(?:if\s++not\s++exists\s++)?(?P<function>[\w.\"`]++)",
            r"^\s*+\{%-?\s*+(?:macro|test|materialization|snapshot|docs)\s++(?P<macro>\w++)",
            r"(?i)^\s*+(?:with\s++(?:recursive\s++)?|,\s*+)?(?P<query>[a-z_\"]\w*+\"?)\s++as\s*+(?:(?:not\s++)?materialized\s*+)?\($",
        ),
        "--",
        checks=lazy_regex(r"(?i)\b(?:check\s*+\(|references\s|foreign\s++key|unique\b|not\s++null)"),
        imports=line_patterns(r"\bref\(\s*+(?:['\"]\w++['\"]\s*+,\s*+)?['\"](?P<module>\w++)['\"]"),
        ends="statement",
    ),
    Language("Markdown", (".md", ".mdx"), line_patterns(r"^#{1,4}\s++(?P<name>\S.*+)$"), PROSE, ends="next"),
    Language("reStructuredText", (".rst",), (), PROSE),
    Language("TOML", (".toml", ".ini", ".cfg"), line_patterns(r"^\[{1,2}(?P<name>[^\[\]]++)\]"), ends="next"),
    Language("YAML", (".yml", ".yaml"), line_patterns(r"^(?P<name>[\w./-]++):"), ends="next"),
    Language(
        "JSON",
        (".json", ".jsonc"),
        line_patterns(r"^(?P<depth>[ \t]*+)\"(?P<name>[^\"\\]++)\"\s*+:"),
        "//",
        ends="next",
    ),
    Language(
        "Dockerfile",
        (".dockerfile",),
        line_patterns(r"(?i)^from\s++\S++\s++as\s++(?P<name>\S++)"),
        names=("dockerfile", "containerfile"),
        ends="next",
    ),
    Language(
        "Makefile",
        (".mk",),
        line_patterns(r"^(?P<name>[A-Za-z0-9][\w./%-]*+)\s*+:(?![=:])"),
        names=("makefile", "gnumakefile"),
        ends="next",
    ),
    Language(
        "CMake",
        (".cmake",),
        line_patterns(r"(?i)^\s*+(?:function|macro|add_library|add_executable|project)\s*+\(\s*+(?P<name>[\w.:-]++)"),
        names=("cmakelists.txt",),
        ends="next",
    ),
    Language(
        "Protocol Buffers",
        (".proto",),
        line_patterns(r"^\s*+(?:message|enum|service|rpc)\s++(?P<name>\w++)"),
        "//",
        imports=line_patterns(r"(?m)^import\s++(?:public\s++|weak\s++)?\"(?P<module>[^\"\n]++)\""),
    ),
    Language(
        "GraphQL",
        (".graphql", ".gql"),
        line_patterns(
            r"^(?:extend\s++)?(?:type|input|enum|interface|union|scalar|query|mutation|fragment)\s++(?P<name>\w++)"
        ),
        imports=line_patterns(r"(?m)^#\s?import\s[^\"'\n]*+[\"'](?P<module>[^\"'\n]++)"),
    ),
    Language(
        "Terraform",
        (".tf", ".hcl"),
        line_patterns(
            r"^(?:resource|data|ephemeral)\s++\"(?P<owner>[\w-]++)\"\s++\"(?P<block>[\w-]++)\"",
            r"^(?:module|variable|output|provider|check|run)\s++\"(?P<block>[\w-]++)\"",
            r"^(?P<block>locals|terraform|moved|import|removed)\s*+\{",
        ),
        public=lazy_regex(r"\b\w++ \""),
        imports=line_patterns(r"(?m)^[ \t]*+source\s*+=\s*+\"(?P<module>\.{1,2}/[^\"\n]*+)\""),
    ),
    Language(
        "Template",
        _TEMPLATE_SUFFIXES,
        (),
        "<!--",
        imports=line_patterns(r"\{%-?\s*+(?:extends|include|import|from|render)\s++[\"'](?P<module>[^\"'\n]++)[\"']"),
    ),
    Language(
        "CSS",
        (".css", ".scss", ".sass", ".less", ".pcss", ".styl"),
        line_patterns(
            r"^@(?:mixin|function)\s++(?P<function>[\w-]++)",
            r"^(?P<name>[.#@:\w%&][^{};]*+)\{$",
        ),
        "/*",
        imports=line_patterns(r"(?m)^[ \t]*+@(?:import|use|forward)\s++[\"'](?P<module>[^\"'\n]++)"),
    ),
    Language("HTML", (".html", ".htm"), (), "<!--"),
    Language(
        "Elixir",
        (".ex", ".exs"),
        line_patterns(
            r"^\s*+(?:defmodule|defprotocol|defimpl)\s++(?P<module>[\w.]++)",
            r"^\s*+(?:defmacrop?|defguardp?)\s++(?P<macro>[\w.?!]++)",
            r"^\s*+(?:defp?|defdelegate|defnp?)\s++(?P<function>[\w.?!]++)",
            r"^\s*+(?:test|property)\s++\"(?P<test>[^\"]++)\"",
        ),
        imports=line_patterns(
            r"(?m)^[ \t]*+(?:alias|import|use|require)\s++(?P<module>[A-Z]\w*+(?:\.\w++)*+)"
            r"(?:\.\{(?P<names>[^{}]{1,800})\})?"
        ),
        quotes='"""',
        clauses=True,
    ),
    Language(
        "Erlang",
        (".erl", ".hrl"),
        line_patterns(
            r"^-(?:record|define|type|opaque|callback)\s*+\(?\s*+(?P<name>\w++)",
            r"^(?P<function>[a-z]\w*+)\s*+\(",
        ),
        "%",
        clauses=True,
    ),
    Language(
        "Scala",
        (".scala", ".sc"),
        line_patterns(
            r"^\s*+(?:(?:private|protected|final|sealed|abstract|case|implicit|override|lazy|inline|transparent|open"
            r"|opaque|infix)(?:\[\w++\])?\s++){0,6}(?:(?:class|object|trait|type|enum|given)\s++(?P<name>\w++)"
            r"|def\s++(?P<function>[^\s(\[:=]++)|(?:val|var)\s++(?P<variable>\w++))"
        ),
        "//",
        imports=line_patterns(_DOTTED_IMPORT),
        quotes='"""',
    ),
    Language(
        "Dart",
        (".dart",),
        line_patterns(
            r"^(?:(?:abstract|base|final|interface|sealed|mixin|macro|augment)\s++){0,4}"
            r"(?:class|enum|mixin|extension(?:\s++type)?)\s++(?:const\s++)?(?P<class>(?!on\b)\w++)",
            r"^typedef\s++(?P<type>\w++)(?:<[^>]*+>)?\s*+=",
            rf"^(?:[ ]{{2}})?{_DART_MODIFIERS}(?:\w[\w$<>,?.\[\] ]{{0,120}}?\s)?(?:get|set)\s++(?P<function>\w++)",
            rf"^(?:[ ]{{2}})?{_NOT_A_NAME}{_DART_MODIFIERS}(?:{_NOT_A_NAME}[\w$][\w$<>,?.\[\] ]{{0,120}}?\s)??"
            rf"{_NOT_A_NAME}(?P<call>[A-Za-z_$][\w$.]*+)(?:<[^>()]*+>)?\((?!['\"])[^;]*+;?$",
        ),
        "//",
        imports=line_patterns(_QUOTED_IMPORT),
        quotes='"""',
    ),
    Language(
        "Lua",
        (".lua", ".luau"),
        line_patterns(
            r"^\s*+(?:local\s++)?function\s++(?P<function>[\w.:]++)",
            r"^\s*+(?:local\s++)?(?P<function>[\w.:]++)(?:\[[^\]]*+\])?\s*+=\s*+function\b",
            r"^\s*+(?:it|test)\s*+\(\s*+[\"'](?P<test>[^\"']++)",
            r"^(?:local\s++)?(?P<variable>[\w.]++)\s*+=\s*+[\w.]*+\s*+[({]++\s*+$",
        ),
        "--",
        imports=line_patterns(r"\brequire\s*+\(?\s*+[\"'](?P<module>[\w./-]++)[\"']"),
    ),
    Language(
        "GDScript",
        (".gd",),
        line_patterns(
            r"^\s*+(?:@\w++\s++)*+(?:static\s++)?func\s++(?P<function>\w++)",
            r"^\s*+(?:class_name|class)\s++(?P<class>\w++)",
            r"^\s*+enum\s++(?P<enum>\w++)",
            r"^signal\s++(?P<variable>\w++)",
            r"^(?:@\w++(?:\([^)]*+\))?\s++)*+(?:static\s++)?(?:const|var)\s++(?P<variable>\w++)",
        ),
        "##",
        imports=line_patterns(r"(?:load\(|\bextends[ ]++)[ ]*+[\"'](?:res://)?(?P<module>[^\"'\n]++)[\"']"),
        quotes='"""',
    ),
    Language(
        "Groovy",
        (".groovy", ".gradle"),
        line_patterns(
            r"^\s*+(?:(?:public|private|protected|static|final|abstract)\s++)*+"
            r"(?:class|interface|enum|trait|def|void|task)\s++(?P<name>\w++)"
        ),
        "//",
        imports=line_patterns(_DOTTED_IMPORT),
    ),
    Language(
        "Objective-C",
        (".m", ".mm"),
        line_patterns(
            r"^@(?:interface|implementation|protocol)\s++(?P<class>\w++)",
            r"^[-+]\s*+\([^)]*+\)\s*+(?P<function>\w++)",
            r"^(?:static\s++|inline\s++){0,2}(?!return\b|else\b|typedef\b)\w++(?:[\s*]++\w++){0,3}[\s*]++(?P<call>\w++)\s*+\([^;]*+$",
        ),
        "//",
        imports=line_patterns(r"(?m)^#\s*+(?:import|include)\s++[\"<](?P<module>[^\">\n]++)"),
    ),
    Language("PowerShell", (".ps1", ".psm1"), line_patterns(r"(?i)^\s*+(?:function|filter)\s++(?P<function>[\w:-]++)")),
    Language(
        "R",
        (".r", ".rmd"),
        line_patterns(
            r"^\s*+(?P<call>[\w.]++|`[^`]++`)\s*+(?:<<?-|=)\s*+(?:function\b|\\\()",
            r"^(?P<class>[\w.]++)\s*+(?:<-|=)\s*+(?:R6::)?R6Class\(",
            r"^set(?:Generic|Method|Class|Validity|RefClass)\(\s*+[\"'](?P<function>[^\"']++)",
            r"^(?:test_that|it)\(\s*+[\"'](?P<test>[^\"']++)",
            r"^(?P<variable>[\w.]++)\s*+(?:<-|=)\s*+[\w.:]*+[({]\s*+$",
        ),
        imports=line_patterns(r"\bsource\(\s*+[\"'](?P<module>[^\"'\n]++)"),
    ),
    Language(
        "Perl",
        (".pl", ".pm", ".t"),
        line_patterns(
            r"^\s*+(?:sub|method)\s++(?P<function>[\w:]++)",
            r"^\s*+(?:package|class|role)\s++(?P<module>[\w:]++)",
            r"^\s*+subtest\s++[\"']?(?P<test>[^\"']++)[\"']?\s*+=>",
        ),
        interpreters=("perl",),
        imports=line_patterns(
            r"(?m)^[ \t]*+(?:use|require)[ ]++(?P<module>[A-Z]\w*+(?:::\w++)++)",
            r"(?m)^[ \t]*+use[ ]++[\w:]++[ ]++(?:-norequire,[ ]*+)?(?:qw[(\[/][ ]*+|['\"])"
            r"(?P<module>[A-Z]\w*+(?:::\w++)++)",
        ),
    ),
    Language(
        "Zig",
        (".zig",),
        line_patterns(
            r"^\s*+(?:pub\s++)?(?:export\s++|extern\s++(?:\"\w++\"\s++)?|inline\s++|noinline\s++)*+fn\s++(?P<function>\w++)",
            r"^\s*+(?:pub\s++)?const\s++(?P<struct>\w++)\s*+(?::[^=]++)?=\s*+(?:packed\s++|extern\s++)?"
            r"(?:struct|enum|union|opaque|error)\b",
            r"^(?:pub\s++)?(?:const|var|threadlocal\s++var)\s++(?P<variable>\w++)",
            r"^\s*+test\s++\"?(?P<test>[^\"{]++)",
        ),
        "//",
        imports=line_patterns(r"@(?:import|embedFile)\(\"(?P<module>[^\"\n]++)\"\)"),
        public=lazy_regex(r"pub\b"),
    ),
    Language(
        "Solidity",
        (".sol",),
        line_patterns(
            r"^\s*+(?:abstract\s++)?(?:contract|interface|library)\s++(?P<class>\w++)",
            r"^\s*+(?:struct|enum)\s++(?P<struct>\w++)",
            r"^\s*+(?:function|modifier)\s++(?P<function>\w++)",
            r"^\s*+(?:event|error)\s++(?P<variable>\w++)\s*+\(",
            r"^\s*+(?P<function>constructor|receive|fallback)\s*+\(",
        ),
        "//",
        imports=line_patterns(r"(?m)^(?:[ \t]*+import\b|\})[^\"'\n;]*+[\"'](?P<module>[^\"'\n]++)[\"']"),
    ),
    Language(
        "Haskell",
        (".hs", ".lhs", ".elm"),
        line_patterns(
            r"^(?:data|newtype|class|type(?:\s++(?:family|alias))?)\s++(?:[^=\n]{0,200}?=>\s*+)?(?P<type>[A-Z][\w']*+)",
            r"^instance\s++(?:[^=\n]{0,200}?=>\s*+)?(?P<class>[A-Z][\w'. ()]{0,80}?)(?=\s++where\b|\s*+$)",
            r"^(?P<function>(?!(?:module|import|where|infix[lr]?|deriving|default|foreign|pattern)\b)[a-z_][\w']*+)"
            r"(?:\s*+,\s*+[\w']++)*+\s*+(?:::|:\s|$)",
        ),
        "--",
        imports=line_patterns(
            r"(?m)^import\s++(?:safe\s++)?(?:qualified\s++)?(?:\"[^\"\n]*+\"\s++)?(?P<module>[A-Z]\w*+(?:\.\w++)*+)"
        ),
        ends="equations",
    ),
    Language(
        "OCaml",
        (".ml", ".mli"),
        line_patterns(
            r"^\s{0,2}(?:let(?:\s++rec)?|and|val|external|method)\s++(?P<function>[a-z_][\w']*+)",
            r"^\s{0,2}(?:module(?:\s++(?:type|rec))?|class)\s++(?P<module>[A-Za-z]\w*+)",
            r"^\s{0,2}(?:type|exception)\s++(?:nonrec\s++)?(?:\([^)]*+\)\s*+|'\w++\s++)?(?P<type>\w++)",
        ),
        "(*",
    ),
    Language(
        "Julia",
        (".jl",),
        line_patterns(
            r"^\s*+(?:@[\w.]++\s++)*+(?:function|macro)\s++(?P<function>[\w.!]++)",
            r"^\s*+(?:@[\w.]++\s++)*+(?:mutable\s++)?struct\s++(?P<struct>\w++)",
            r"^\s*+(?:abstract|primitive)\s++type\s++(?P<type>\w++)",
            r"^(?:bare)?module\s++(?P<module>\w++)",
            r"^(?:@[\w.]++\s++)*+(?P<function>[A-Za-z_][\w.!]*+)(?:\{[^{}]*+\})?\((?:[^()]|\([^()]*+\))*+\)"
            r"(?:::[\w.{}, ]++)?(?:\s*+where\s[^=]++)?\s*+=(?!=)",
            r"^\s*+@testset\s++\"(?P<test>[^\"]++)",
        ),
        imports=line_patterns(r"\binclude\(\"(?P<module>[^\"\n]++)\"\)"),
        quotes='"""',
        clauses=True,
    ),
    Language(
        "Clojure",
        (".clj", ".cljs", ".cljc"),
        line_patterns(
            r"^\s{0,2}\((?:defn-?|defmacro|defmulti|defmethod)\s++(?:\^\S++\s++)*+(?P<function>[^\s\[(){}\"]++)",
            r"^\s{0,2}\((?:deftest|defspec)\s++(?:\^\S++\s++)*+(?P<test>[^\s\[(){}\"]++)",
            r"^\s{0,2}\((?:defprotocol|defrecord|deftype)\s++(?P<class>[^\s\[(){}\"]++)",
            r"^\s{0,2}\((?:def|defonce|s/def|s/fdef)\s++(?:\^\S++\s++)*+(?P<variable>[^\s\[(){}\"]++)",
        ),
        ";",
        imports=line_patterns(r"\[(?P<module>[a-z][\w*+-]*+(?:\.[\w*+-]++)++)(?=[\s\]])"),
    ),
    Language(
        "Nix",
        (".nix",),
        line_patterns(r"^\s{0,6}(?P<variable>[A-Za-z_][\w.'-]*+)\s*+=\s*+(?:\S.*+)?(?<!;)$"),
        imports=line_patterns(r"(?<![\w.])(?P<module>\.{1,2}/[\w./-]++)"),
    ),
    Language(
        "Shader",
        (".glsl", ".vert", ".frag", ".hlsl", ".wgsl", ".shader", ".gdshader", ".metal"),
        line_patterns(r"^\s*+(?:fn|void|float|[biu]?vec\d|half\d?|fixed\d|mat\d)\s++(?P<function>\w++)\s*+\("),
        "//",
    ),
    Language("Prisma", (".prisma",), line_patterns(r"^(?:model|enum|type|view)\s++(?P<name>\w++)"), "//"),
    Language(
        "Just",
        (".just",),
        line_patterns(r"^@?(?P<name>[A-Za-z_][\w-]*+)[^:\n]*+:(?!=)"),
        names=("justfile", ".justfile"),
    ),
    Language(
        "Notebook",
        (".ipynb",),
        (),
        imports=line_patterns(r"(?m)^(?:from|import)\s++(?P<module>[\w.]++)"),
    ),
    Language(
        "Other code",
        _OTHER_SUFFIXES,
        line_patterns(
            r"(?i)^\s*+(?:(?:pub|public|private|export|static|async|shared|inline|override)\s++){0,4}"
            r"(?:fn|func|fun|function|proc|def|sub|procedure|subroutine|method|template|macro)\s++(?P<function>[\w.]++)",
            r"(?i)^\s*+(?:(?:pub|public|private|export|abstract)\s++){0,3}"
            r"(?:class|struct|interface|enum|trait|record|module|type)\s++(?P<class>[\w.]++)",
            r"^\s{0,2}\((?:defun|defmacro|define|defvar|defcustom)\s++\(?(?P<function>[^\s()]++)",
        ),
        "//",
    ),
)

MAX_IMPORTS = 300
_NAME = lazy_regex(r"[A-Za-z_]\w*+")


def imported_modules(text: str, language: Language) -> tuple[str, ...]:
    """Return the modules that a text imports, in order, as its language writes them."""
    modules: dict[str, None] = {}
    for pattern in language.imports:
        for match in pattern.finditer(text):
            names = match.groupdict().get("names")
            inner = [f"{match['module']}.{name}" for name in _NAME.findall(names)] if names else [match["module"]]
            modules.update(dict.fromkeys(inner))
            if len(modules) >= MAX_IMPORTS:
                break
    return tuple(modules)[:MAX_IMPORTS]


COMPONENT, NOTEBOOK = "Vue", "Notebook"
"""Languages whose files have code in some of their lines."""

MARKUP = "markup"
"""Kind of the parts of a component that are no script."""

_SCRIPT_TAG, _SCRIPT_END = lazy_regex(r"(?i)\s{0,8}<script\b[^>]*+(>?)"), lazy_regex(r"(?i)\s*+</script\s*+>")


def script_lines(lines: Sequence[str]) -> list[str]:
    """Return a component's lines, empty but for those of its scripts, or of what is between dashes at its top."""
    script: list[str] = []
    inside = in_tag = False
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    is_dashed = first < len(lines) and lines[first].strip() == "---"
    for number, line in enumerate(lines):
        is_border = is_dashed and line.strip() == "---"
        if (is_border and number > first) or _SCRIPT_END.match(line):
            is_dashed, inside = is_dashed and not is_border, False
        script.append(line if inside else "")
        if is_border:
            inside = number == first
        elif in_tag:
            in_tag, inside = ">" not in line, ">" in line
        elif not inside and (tag := _SCRIPT_TAG.match(line)) is not None:
            inside = bool(tag[1]) and "</script" not in line.lower()
            in_tag = not tag[1]
    return script


_STYLE_TAG, _STYLE_END = lazy_regex(r"(?i)\s{0,8}<style\b"), lazy_regex(r"(?i).*</style\s*+>")


def markup_of(lines: Sequence[str], script: Sequence[str]) -> Iterator[Definition]:
    """Yield a component's markup and its styles, which are what `script` leaves empty."""
    first = last = 0
    in_style = in_tag = False
    for number, (line, code) in enumerate(zip(lines, script, strict=True), 1):
        begins_script = not in_style and (tag := _SCRIPT_TAG.match(line)) is not None
        in_tag = in_tag or (begins_script and tag is not None and not tag[1])
        is_border = bool(code) or begins_script or in_tag or line.strip() == "---" or _SCRIPT_END.match(line)
        in_tag = in_tag and (begins_script or ">" not in line)
        begins_style = not in_style and _STYLE_TAG.match(line) is not None
        if first and (is_border or begins_style) and not in_style:
            yield _markup(first, last, "template")
            first = 0
        if begins_style:
            in_style, first = True, number
        elif not is_border and not first and line.strip():
            first = number
        last = number if line.strip() else last
        if in_style and _STYLE_END.match(line):
            yield _markup(first, number, "style")
            in_style, first = False, 0
    if first:
        yield _markup(first, last, "template")


def _markup(first: int, last: int, name: str) -> Definition:
    return Definition(first, name, name, last, MARKUP, public=False)


_SOURCE, _OUTPUTS = lazy_regex(r"\s*+\"source\":\s*+(\[|\")"), lazy_regex(r"\s*+\"outputs\":\s*+\[\s*+$")
_LIST_END = lazy_regex(r"\s*+\],?\s*+$")
_ENDS_WITH_LIST = lazy_regex(r"\"\],?\s*+$")
_CELL_TYPE = lazy_regex(r"\s*+\"cell_type\":\s*+\"(\w++)\"")
CELL_MARKER = "# %%"
_DEFINED = lazy_regex(r"(?:async\s++)?(?:def|class)\s++(\w++)")
_DIRECTIVES = ("#|", "# |", "%")
"""Lines that tell a notebook's tools what to do with a cell."""

MAX_CELL_NAME = 60


def is_notebook(path: str) -> bool:
    """Whether a file is a Jupyter notebook, by its name."""
    return path.endswith(".ipynb")


def notebook_text(text: str) -> str:
    """Return a notebook's text with the lines of its cells as they are in these; all other lines are empty.

    A line `# %%` stands for the opening of a cell's source, `# %% [markdown]` for that of a text. A source in one line
    stays as it is, and so does a text without any.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = [""] * len(lines)
    marker, closing, in_source = CELL_MARKER, "", False
    for at, line in enumerate(lines):
        if in_source:
            is_end = _LIST_END.match(line) is not None
            shown[at] = "" if is_end else _cell_line(line)
            in_source = not (is_end or _ENDS_WITH_LIST.search(line))
        elif closing:
            closing = "" if line.rstrip(", ") == closing else closing
        elif _OUTPUTS.match(line):
            closing = line[: len(line) - len(line.lstrip())] + "]"
        elif (source := _SOURCE.match(line)) is not None:
            in_source = source[1] == "[" and not line.rstrip().endswith(("]", "],"))
            first = _cell_line(line[source.end() :]) if in_source else ""
            shown[at] = f"{marker} {first}".rstrip() if in_source else line
        elif (kind := _CELL_TYPE.match(line)) is not None:
            marker = f"{CELL_MARKER} [markdown]" if kind[1] == "markdown" else CELL_MARKER
    return "\n".join(shown if any(shown) else lines)


def _cell_line(line: str) -> str:
    """Return the line of a cell that a string of JSON is; the string itself if it is several."""
    value = _string(line)
    return line.strip() if value is None or "\n" in value.rstrip("\n") else value.rstrip("\n")


def _string(line: str) -> str | None:
    try:
        value: object = json.loads(line.strip().rstrip(",").removesuffix("]"))
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def notebook_cells(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield each cell of a notebook's text, named after what it defines or begins with."""
    starts = [number for number, line in enumerate(lines, 1) if line.startswith(CELL_MARKER) or _SOURCE.match(line)]
    for first, following in zip(starts, (*starts[1:], len(lines) + 1), strict=False):
        last = next((number for number in range(following - 1, first, -1) if lines[number - 1].strip()), first)
        name = _cell_name(cell_texts(lines[first - 1 : last]))
        if name:
            yield Definition(first, name, name, last, "cell", public=False)


def cell_texts(lines: Sequence[str]) -> list[str]:
    """Return the lines of a cell without what opens it."""
    if not lines or (source := _SOURCE.match(lines[0])) is None:
        return list(lines[1:])
    return (_string(lines[0][source.end() - (source[1] == '"') :]) or "").rstrip("\n").split("\n")


def _cell_name(lines: Sequence[str]) -> str:
    filled = [line for line in lines if line.strip("# \t")]
    defined = [match[1] for text in filled if (match := _DEFINED.match(text))]
    begins = next((text for text in filled if not text.startswith(_DIRECTIVES)), filled[0] if filled else "")
    return (", ".join(defined) or begins.strip("#| \t"))[:MAX_CELL_NAME]
