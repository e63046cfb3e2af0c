"""The anchor pack: what holds for the whole repository."""

from sidecar.packs.anchor.anchor_cache import (
    LINKABLE_FILES,
    AnchorCache,
    PointerCache,
    SharedAnchors,
    load_pointer_lines,
)
from sidecar.packs.anchor.build import (
    DEPENDENCIES,
    FRAGILE_FILES,
    LANDMINES,
    MAX_LANDMINES,
    MAX_OMITTED,
    NO_ANCHOR,
    STANDING_INSTRUCTIONS,
    Anchor,
    AnchorSources,
    build_anchor,
    changed_lines,
    late_lines,
    omissions,
    sections_of,
    user_anchor,
)
from sidecar.packs.anchor.code_style_settings import SETTINGS_FILES, setting_lines
from sidecar.packs.anchor.command_preferences import package_manager
from sidecar.packs.anchor.commands import Project, commands_of, purpose_of
from sidecar.packs.anchor.decisions import (
    NO_ACCEPTED_RECORDS,
    NO_POINTERS,
    UNKNOWN_POINTERS,
    AcceptedRecords,
    Pointers,
    accepted_digest,
    accepted_of,
    decision_in,
    rejected_line,
    specification_lines,
    split_decisions,
)
from sidecar.packs.anchor.markdown_parts import bullets, code_lines, document_title, introduction
from sidecar.packs.anchor.repo_map import (
    EMPTY,
    MAX_FRAGILE_FILES,
    count_files,
    dependency_lines,
    entry_point_lines,
    fragile_file_lines,
    import_names,
)
from sidecar.packs.anchor.rules import ProjectDocument, included_files, rule_lines, sent_paths, trap_lines
