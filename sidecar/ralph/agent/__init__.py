"""Running a coding agent: command lines, processes, output formats, the completion promise, usage limits."""

from sidecar.ralph.agent.formats import PARSERS, Usage
from sidecar.ralph.agent.harnesses import (
    HARNESS_NAMES,
    HARNESSES,
    AgentCommand,
    AgentOptions,
    AgentResult,
    EndedBy,
    OutputFormat,
    TimeLimits,
    UsageLimit,
    Version,
    agent_command,
    find_program,
    installed_version,
    parse_version,
)
from sidecar.ralph.agent.output_lines import LINE_BYTES, AnsiStripper, LineSplitter, LongEventText
from sidecar.ralph.agent.output_parser import OutputParser, Tail
from sidecar.ralph.agent.promise import PromiseSearch, collapse_whitespace
from sidecar.ralph.agent.usage_limit import find_usage_limit
