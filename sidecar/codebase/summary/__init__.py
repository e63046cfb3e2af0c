"""File summaries: definitions, invariants, imports, references, purpose and terms, parsed by grammars."""

from sidecar.codebase.summary.languages import LANGUAGES, find_definitions, language_of
from sidecar.codebase.summary.model import Language
from sidecar.codebase.summary.summarize import MAX_ANALYSED_BYTES, MAX_DEFINITIONS
