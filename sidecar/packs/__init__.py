"""Build what an agent receives before a run, and avoid sending the same text twice."""

from sidecar.packs.byte_budget import ANCHOR_BYTES, ByteLimits, ContextLimits, anchor_limit, fit
from sidecar.packs.carryover import carryover_items
from sidecar.packs.composition import Composition, compose_packs, plan_item, planning_item, render_anchor
from sidecar.packs.context_pack import ContextFile, ShownRegion, comes_last, reasons_for, shows_content
from sidecar.packs.delta_files import Differences, QueryRelevance, render_diff, sanitized_lines
from sidecar.packs.delta_pack import AnchorNews, delta_items, recent_failures, task_list_items
from sidecar.packs.file_cutoff import dominant_file, files_above_cutoff, with_evidence
from sidecar.packs.overrides import Override, apply_overrides, pinned_files, statement_key, visible_lines
from sidecar.packs.pack_blocks import (
    BLOCK_ORDER,
    OVERHEAD_BYTES,
    PackItem,
    Priority,
    render_block,
    render_prompt,
    session_has,
)
from sidecar.packs.pack_cache import RenderCache
from sidecar.packs.prefetch import prefetch_packs
from sidecar.packs.prompt_text import HEAD_CHARACTERS, clean_prompt, mentioned_paths, referenced_items
from sidecar.packs.task import matches_query, search_query, task_of, work_query
