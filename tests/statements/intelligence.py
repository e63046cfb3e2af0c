"""Every statement of intelligence-layer.md that binds the program, and the tests that prove it.

Paths are below `tests/`. Where decisions.md reads a statement otherwise, the entry says so. §1, §8 and §10 tell of the
document itself; of §2 and §9 only the lists of IDEs, schemas and folders bind (decisions.md, Which file is what).
"""

_ENGINE = "flows/test_context_engine.py::test_"
_BRACKETS = "context/test_brackets.py::test_"
_BRACKET = "context/test_bracket_method.py::test_"
_COMPOSE = "context/test_compose.py::test_"
_BLOCK = "context/test_memory_layer.py::test_"
_LAWS = "context/test_block_laws.py::test_"
_BEFORE = "context/test_pre_compact.py::test_"
_AFTER = "context/test_post_compact.py::test_"
_ON = "context/test_continuation.py::test_"
_SPAWN = "context/test_restart.py::test_"
_CAPTURE = "flows/test_memory_capture.py::test_"
_MEMORIES = "flows/test_memories.py::test_"
_INSTRUCTIONS = "flows/test_standing_instructions.py::test_"
_SOURCES = "flows/test_instruction_sources.py::test_"
_UPKEEP = "flows/test_memory_upkeep.py::test_"
_RECALL = "flows/test_memory_recall.py::test_"
_INJECTED = "flows/test_memory_injection.py::test_"
_ATTENTION = "memory/test_memory_tiers.py::test_"
_PRIVACY = "memory/test_privacy.py::test_"
_EDITED = "memory/test_memory_edits.py::test_"
_REGISTRY = "flows/test_registry.py::test_"
_PRINTED = "registry/test_specification.py::test_"
_HEALTH = "registry/test_health.py::test_"
_LOCK = "flows/test_session_lock.py::test_"
_ROUTING = "session/test_message_kind.py::test_"
_SUPPORTED = "session/test_supported_ides.py::test_"

STATEMENTS: dict[str, tuple[str, ...]] = {
    # §2 IDEs
    "2: six IDEs are supported, each with its rules file": (
        f"{_SUPPORTED}each_ide_has_its_specified_rules_file",
        f"{_SUPPORTED}an_existing_claude_code_rules_file_is_preferred",
    ),
    "2: a local file that git ignores is preferred (decisions.md, Session Lock)": (
        "session/test_activation.py::test_removing_an_ides_block_restores_the_project",
        "session/test_activation.py::test_claude_codes_local_file_is_used_when_git_ignores_it",
    ),
    "2: Windsurf is no longer supported": (f"{_SUPPORTED}an_unsupported_ide_is_refused",),
    # §3.1 brackets
    "3.1: FRESH is 60-100 % remaining": (f"{_BRACKETS}a_bracket_starts_at_its_lower_bound",),
    "3.1: MODERATE is 40-60 % remaining (the lower bound is inclusive: decisions.md)": (
        f"{_BRACKETS}a_bracket_starts_at_its_lower_bound",
        f"{_BRACKET}each_bracket_has_its_layers_its_budget_and_its_level_of_memory",
    ),
    "3.1: DEPLETED is 25-40 % remaining (the lower bound is inclusive: decisions.md)": (
        f"{_BRACKETS}a_bracket_starts_at_its_lower_bound",
        f"{_BRACKET}each_bracket_has_its_layers_its_budget_and_its_level_of_memory",
    ),
    "3.1: CRITICAL is below 25 % remaining": (
        f"{_BRACKETS}a_bracket_starts_at_its_lower_bound",
        f"{_BRACKET}each_bracket_has_its_layers_its_budget_and_its_level_of_memory",
    ),
    "3.1: what remains is clamped to 0-100; what is no number is an error (decisions.md)": (
        f"{_BRACKET}the_remaining_percentage_is_clamped",
        f"{_BRACKET}invalid_usage_values_are_errors",
        f"{_BRACKET}nan_on_the_wire_is_an_error",
    ),
    "3.1: hysteresis is a separate step, off by default (decisions.md)": (
        f"{_BRACKET}hysteresis_is_off_by_default_and_configurable",
    ),
    "3.1: FRESH, all protocols active, minimal injection": (
        f"{_COMPOSE}a_fresh_block_has_all_five_layers",
        f"{_BLOCK}a_fresh_block_has_memories_only_after_a_compaction_or_resume",
    ),
    "3.1: DEPLETED recovers context via memory": (f"{_BLOCK}each_bracket_has_its_level_of_memory_detail",),
    '3.1: CRITICAL is constitution and mode only (Article XII wins over "+ Agent scope": decisions.md)': (
        f"{_COMPOSE}fuller_windows_get_fewer_layers",
    ),
    "3.1: CRITICAL triggers a hand-off to a new session, with a full memory dump": (
        f"{_ON}critical_three_times_in_a_row_restarts_the_session",
        f"{_ENGINE}memories_have_the_brackets_level_of_detail",
    ),
    # §3.2 layers
    "3.2: L0 is the constitution, always": (
        f"{_ENGINE}constitution_and_mode_fit_every_brackets_budget",
        f"{_COMPOSE}every_article_appears_in_every_bracket",
    ),
    "3.2: L1 is mode and global settings, always": (f"{_ENGINE}constitution_and_mode_fit_every_brackets_budget",),
    "3.2: L0 and L1 have a fallback with a warning where their source is missing (decisions.md)": (
        f"{_COMPOSE}an_empty_project_gets_fallbacks_with_warnings",
        f"{_COMPOSE}a_project_without_constitution_uses_its_instruction_files",
    ),
    "3.2: L2 is the agent's mission, inputs, outputs, criteria": (
        f"{_COMPOSE}a_fresh_block_has_all_five_layers",
        f"{_COMPOSE}requested_agent_mode_and_task_win_over_the_sessions",
    ),
    "3.2: L3 is the pipeline of session.yaml, when a session is active": (
        f"{_COMPOSE}a_fresh_block_has_all_five_layers",
        f"{_COMPOSE}a_damaged_session_file_is_ignored_with_a_warning",
    ),
    "3.2: L4 is the active artifact and the previous agent's hand-off": (
        f"{_COMPOSE}a_fresh_block_has_all_five_layers",
    ),
    "3.2: FRESH activates L0-L4, MODERATE L0-L4, DEPLETED L0-L2, CRITICAL L0-L1": (
        f"{_ENGINE}the_bracket_is_computed_per_interaction_and_selects_the_layers",
        f"{_COMPOSE}fuller_windows_get_fewer_layers",
        f"{_LAWS}a_block_has_only_its_brackets_layers_and_memory_level",
    ),
    "3.2: budgets of 2500, 2000, 1500, 800 tokens": (
        f"{_BRACKET}each_bracket_has_its_layers_its_budget_and_its_level_of_memory",
        f"{_LAWS}any_block_is_well_formed_and_within_its_budget",
    ),
    # §3.3 block
    "3.3: one structured XML block with the elements shown, in their order": (
        f"{_ENGINE}the_block_has_the_specified_elements_and_matches_its_schema",
    ),
    "3.3: the block always parses as XML, whatever the files say (decisions.md)": (
        f"{_LAWS}any_block_is_well_formed_and_within_its_budget",
        f"{_BLOCK}memories_cannot_forge_structure",
    ),
    "3.3: HOT memories are named in MODERATE with their number": (
        f"{_ENGINE}memories_have_the_brackets_level_of_detail",
    ),
    # §3.4 detection
    "3.4: usage is estimated by prompt count and average size, in percent of the window": (
        f"{_BRACKET}reported_tokens_win_over_a_percentage_and_that_over_an_estimate",
    ),
    "3.4: the host's reported usage is preferred (decisions.md)": (
        f"{_BRACKET}reported_tokens_win_over_a_percentage_and_that_over_an_estimate",
    ),
    "3.4: an estimate undercounts no CJK (decisions.md)": (f"{_BRACKET}an_estimate_does_not_undercount_chinese",),
    "3.4: the bracket is recalculated before each interaction and the injection adjusted": (
        f"{_ENGINE}the_bracket_is_computed_per_interaction_and_selects_the_layers",
    ),
    "3.4: the bracket scales the packs by its share, 1.0, 0.8, 0.6, 0.32 (decisions.md)": (
        f"{_ENGINE}a_filling_window_receives_smaller_packs",
        f"{_BRACKETS}a_tighter_bracket_has_a_smaller_budget",
    ),
    # §3.5 recovery
    "3.5: before a compaction the digest is captured": (
        f"{_ENGINE}recent_decisions_are_captured_before_a_compaction_and_restored_after_it",
    ),
    "3.5: before a compaction HOT and WARM memories are persisted": (
        f"{_ENGINE}recent_decisions_are_captured_before_a_compaction_and_restored_after_it",
    ),
    "3.5: before a compaction the continuation state is stored in session.yaml": (
        f"{_BEFORE}the_resume_point_is_saved_in_the_session_file_without_changing_other_bytes",
    ),
    "3.5: after a compaction the bracket is FRESH again": (
        f"{_AFTER}after_a_compaction_the_block_is_fresh_with_hot_memories_and_the_pipeline",
    ),
    "3.5: after a compaction HOT memories of the current agent are loaded": (
        f"{_AFTER}after_a_compaction_the_block_is_fresh_with_hot_memories_and_the_pipeline",
        f"{_BLOCK}a_fresh_block_has_memories_only_after_a_compaction_or_resume",
    ),
    "3.5: after a compaction the continuation prompt has the full pipeline state": (
        f"{_AFTER}after_a_compaction_the_block_is_fresh_with_hot_memories_and_the_pipeline",
        f"{_ENGINE}after_a_compaction_the_agent_resumes_and_the_next_block_is_normal",
    ),
    "3.5: the user need never manage context: told twice or out of order it is done once": (
        f"{_BEFORE}a_repeated_pre_compact_has_the_same_result",
        f"{_BEFORE}pre_and_post_compact_count_the_compaction_once",
        f"{_AFTER}a_repeated_post_compact_counts_once_with_the_same_result",
    ),
    "3.5: the continuation has pipeline, HOT memories, task and progress, pending decisions": (
        f"{_ON}the_continuation_file_has_pipeline_task_progress_decisions_and_memories",
    ),
    "3.5: the continuation has the next agent's HOT memories": (
        f"{_ON}the_continuation_file_has_a_section_for_the_next_agent",
    ),
    "3.5: the continuation is written to .chati/continuation/latest.md": (
        f"{_ON}the_continuation_file_has_pipeline_task_progress_decisions_and_memories",
        f"{_ENGINE}three_ides_start_the_new_session_and_three_get_the_file",
    ),
    "3.5: spawn at 3 or more compactions in a session": (
        f"{_AFTER}the_third_compaction_restarts_the_session",
        f"{_ENGINE}the_third_compaction_requests_a_new_session_with_the_resume_point",
    ),
    "3.5: spawn when the agent's score drops by more than 15 % (strictly: decisions.md)": (
        f"{_AFTER}a_score_drop_above_fifteen_percent_after_a_compaction_restarts_the_session",
        f"{_SPAWN}a_drop_of_exactly_fifteen_percent_is_not_a_criterion",
    ),
    "3.5: spawn after CRITICAL in 3 consecutive interactions": (
        f"{_ON}critical_three_times_in_a_row_restarts_the_session",
        f"{_ON}another_bracket_resets_the_critical_count",
    ),
    "3.5: spawn when the agent is done and the next one is pending": (
        f"{_ON}a_finished_agent_with_another_waiting_restarts_the_session",
    ),
    "3.5: any one condition suffices, and every reason that holds is listed (decisions.md)": (
        f"{_SPAWN}exactly_the_met_criteria_are_listed",
        f"{_ENGINE}an_exhausted_session_is_restarted_with_reasons_and_a_continuation_file",
    ),
    "3.5: Claude Code, AntiGravity and Gemini CLI begin the session themselves; the others get `/chati resume`": (
        f"{_ON}three_ides_restart_automatically_and_three_need_the_file",
    ),
    # §4.1, 4.2
    "4.1: decisions, errors, resolutions, corrections and validated patterns are captured": (
        f"{_CAPTURE}a_session_summary_is_one_readable_file",
        f"{_UPKEEP}a_run_is_captured_automatically_in_active_mode",
    ),
    "4.1: the digest is a Markdown file with structured metadata": (
        f"{_CAPTURE}a_session_summary_is_one_readable_file",
    ),
    "4.1: an error without a resolution is not a fact (decisions.md)": (
        f"{_CAPTURE}an_unresolved_error_becomes_a_gotcha_after_three_occurrences",
    ),
    "4.1: text of our own injection is never captured (decisions.md)": (
        f"{_CAPTURE}secrets_private_text_and_our_own_text_are_not_captured",
        f"{_CAPTURE}delivered_memories_are_not_captured_when_the_agent_repeats_them",
    ),
    "4.2: shared/ and one folder per agent, with durable/, daily/ and session/": (
        f"{_MEMORIES}folders_determine_a_memorys_owner_and_retention",
        f"{_MEMORIES}an_agent_sees_its_own_and_shared_memories_only",
    ),
    "4.2: session memories are cleaned on the next start": (
        f"{_LOCK}a_new_session_drops_the_previous_sessions_memories",
        f"{_UPKEEP}session_memories_expire_after_a_day_without_a_tombstone",
    ),
    "4.2: daily memories are archived after 30 days": (
        f"{_UPKEEP}a_daily_memory_goes_to_the_archive_after_thirty_days_and_a_durable_one_never",
    ),
    "4.2: durable memories never expire": (
        f"{_UPKEEP}a_daily_memory_goes_to_the_archive_after_thirty_days_and_a_durable_one_never",
        f"{_ATTENTION}upkeep_done_leaves_nothing_due_and_no_durable_memory_expires",
    ),
    "4.2: index.json is derived and rebuildable": (
        f"{_MEMORIES}the_index_is_rebuilt_from_files_even_in_another_state_file",
        f"{_EDITED}the_index_file_lists_all_memories_and_is_rewritten_only_after_changes",
    ),
    "4.2, 9: .chati/memories/ is gitignored": (
        f"{_MEMORIES}a_memory_is_a_markdown_file_with_front_matter_that_is_shown_and_listed",
    ),
    # §4.3-4.5
    "4.3: Markdown with the front matter shown": (
        f"{_MEMORIES}a_memory_in_the_specified_form_keeps_it_when_changed",
        f"{_MEMORIES}a_memory_is_a_markdown_file_with_front_matter_that_is_shown_and_listed",
    ),
    "4.3: the directory decides ownership, not the front matter (decisions.md)": (
        f"{_PRIVACY}the_folder_determines_the_owner_regardless_of_front_matter",
    ),
    "4.4: metadata takes about 50 tokens, chunks about 200, full 1000 and more": (
        f"{_RECALL}a_memory_has_three_levels_of_detail",
    ),
    "4.4: that is 60-95 % less than whole memories": (f"{_RECALL}a_memory_has_three_levels_of_detail",),
    "4.4: metadata in MODERATE, chunks in DEPLETED, full in CRITICAL and hand-offs": (
        f"{_ENGINE}memories_have_the_brackets_level_of_detail",
        f"{_BRACKET}each_bracket_has_its_layers_its_budget_and_its_level_of_memory",
    ),
    "4.4: in CRITICAL the full dump goes to the continuation, the block stays within 800 (decisions.md)": (
        f"{_ENGINE}memories_have_the_brackets_level_of_detail",
        f"{_LAWS}any_block_is_well_formed_and_within_its_budget",
    ),
    "4.5: each memory belongs to one of four sectors": (
        f"{_MEMORIES}each_kind_of_memory_belongs_to_one_of_four_sectors",
    ),
    "4.5: twelve agents have their preferred sectors": (
        f"{_RECALL}agents_find_their_preferred_sectors_first",
        "memory/test_search.py::test_preferred_sectors_rank_first_among_equals",
    ),
    # §4.6
    "4.6: score = base relevance × recency × access × confidence": (
        f"{_RECALL}a_memory_has_three_levels_of_detail",
        "memory/test_search_laws.py::test_a_score_is_the_product_of_its_factors_and_the_best_comes_first",
    ),
    "4.6: clamped to 1 (decisions.md)": (f"{_ATTENTION}a_score_is_between_0_and_1_and_never_rises_with_time_alone",),
    "4.6: recency decays exponentially since the last access; half-lives 14, 60, 90, 60 days (decisions.md)": (
        f"{_ATTENTION}the_factors_match_the_specification",
        f"{_RECALL}a_sectors_half_life_counts_in_a_searchs_recency_down_to_the_floor",
    ),
    "4.6: in search recency has a floor of 0.7 (decisions.md)": (
        f"{_RECALL}a_sectors_half_life_counts_in_a_searchs_recency_down_to_the_floor",
    ),
    "4.6: access is a logarithmic boost, 1 + 0.1·ln(1 + count) (decisions.md)": (
        f"{_ATTENTION}the_factors_match_the_specification",
    ),
    "4.6: HOT above 0.7, WARM from 0.3, COLD below": (f"{_ATTENTION}a_tier_begins_at_its_bound",),
    "4.6: HOT memories are loaded by themselves": (
        f"{_BLOCK}each_bracket_has_its_level_of_memory_detail",
        f"{_AFTER}after_a_compaction_the_block_is_fresh_with_hot_memories_and_the_pipeline",
    ),
    "4.6: WARM memories are loaded when relevant": (
        f"{_BLOCK}memories_on_the_task_follow_the_hot_ones_unless_cold",
        f"{_INJECTED}a_relevant_memory_is_sent_to_a_session_once",
    ),
    "4.6: COLD memories are only retrieved by explicit search": (
        f"{_INJECTED}a_cold_memory_is_searchable_and_never_injected",
        f"{_BLOCK}memories_on_the_task_follow_the_hot_ones_unless_cold",
    ),
    "4.6: COLD becomes WARM at 3 accesses or 2 pieces of evidence": (
        f"{_ATTENTION}a_tier_begins_at_its_bound",
        f"{_UPKEEP}a_memorys_tier_follows_its_score",
    ),
    "4.6: WARM becomes HOT with confidence above 0.7 and 5 pieces of evidence": (
        f"{_ATTENTION}a_tier_begins_at_its_bound",
        f"{_UPKEEP}evidence_and_confidence_make_a_warm_memory_hot",
    ),
    "4.6: HOT decays to WARM and COLD when not accessed": (f"{_UPKEEP}a_memorys_tier_follows_its_score",),
    "4.6: archived after 90 days below 0.1": (
        f"{_UPKEEP}a_memory_below_a_tenth_for_ninety_days_is_archived",
        f"{_ATTENTION}a_memory_becomes_stale_exactly_at_the_limit",
    ),
    "4.6: archived is moved, never deleted (decisions.md)": (
        f"{_UPKEEP}a_daily_memory_goes_to_the_archive_after_thirty_days_and_a_durable_one_never",
        f"{_MEMORIES}restoring_an_archived_memory_puts_it_back",
    ),
    "4.6: listing and searching are no access; being opened or cited is, once per session (decisions.md)": (
        f"{_MEMORIES}a_memory_counts_as_read_once_per_session_and_listing_does_not_count",
        f"{_UPKEEP}a_memory_named_in_an_answer_counts_as_used_once_per_session",
    ),
    # §4.7-4.9
    "4.7: FRESH injects no memory (but once after a compaction or resume: decisions.md)": (
        f"{_BLOCK}a_fresh_block_has_memories_only_after_a_compaction_or_resume",
    ),
    "4.7: MODERATE metadata, DEPLETED chunks, CRITICAL the full dump for the hand-off": (
        f"{_ENGINE}memories_have_the_brackets_level_of_detail",
    ),
    "4.8: private memories are visible to their agent only": (
        f"{_MEMORIES}an_agent_sees_its_own_and_shared_memories_only",
        f"{_PRIVACY}a_private_id_gets_the_same_error_as_a_missing_one",
    ),
    "4.8: shared memories are visible to all agents": (f"{_MEMORIES}an_agent_sees_its_own_and_shared_memories_only",),
    "4.9: memories are captured without an agent's doing": (
        f"{_UPKEEP}a_run_is_captured_automatically_in_active_mode",
    ),
    # §5.1
    "5.1: a YAML file catalogs every artifact; the printed one loads unchanged": (
        f"{_PRINTED}specification_registry_loads_unchanged",
        f"{_REGISTRY}one_file_catalogs_every_artifact_and_is_the_single_source_of_truth",
    ),
    "5.1: a declared count that differs is reported, not refused (decisions.md)": (
        f"{_PRINTED}wrong_entity_count_is_reported_not_rejected",
    ),
    "5.1: dependencies resolve by key, then without the type's suffix (decisions.md)": (
        f"{_PRINTED}dependencies_resolve_by_key_then_without_the_type_suffix",
    ),
    "5.1: checksums are sha256 of the files": (f"{_PRINTED}checksum_is_compared_with_the_file",),
    "5.1: adaptability is low, medium or high": (
        "registry/test_impact.py::test_impact_level_depends_on_dependents_and_adaptability",
    ),
    # §5.2
    "5.2: 60 % keyword overlap by TF-IDF and 40 % purpose similarity": (
        f"{_REGISTRY}existing_code_is_reused_similar_code_adapted_and_the_rest_created",
    ),
    "5.2: REUSE from 90, ADAPT from 60, CREATE below (compared unrounded: decisions.md)": (
        "registry/test_scoring.py::test_thresholds_are_compared_unrounded",
        f"{_REGISTRY}existing_code_is_reused_similar_code_adapted_and_the_rest_created",
    ),
    "5.2: ranked recommendations with decisions and their reasons": (
        f"{_PRINTED}recommendation_has_both_scores_terms_and_reasons",
        f"{_PRINTED}reuse_comes_before_adapt",
    ),
    "5.2: adaptability is checked before ADAPT; below 0.3 impact is mandatory (decisions.md)": (
        f"{_PRINTED}adapt_below_adaptability_of_0_3_includes_the_impact",
        f"{_REGISTRY}protected_entities_come_with_their_impact",
    ),
    # §5.3
    "5.3: entities exist, schemas are JSON, agents and templates are complete, checksums match": (
        f"{_HEALTH}complete_framework_is_healthy_in_all_seven_checks",
        f"{_HEALTH}each_check_reports_file_and_remedy",
    ),
    "5.3: the constitution has all articles, at least I-XIV without a gap (15 is right too: decisions.md)": (
        f"{_HEALTH}articles_are_counted_without_gaps",
    ),
    "5.3: no orphaned dependencies": (f"{_HEALTH}orphaned_dependency_is_reported",),
    '5.3: a missing checksum is "unverified" (decisions.md)': (
        f"{_HEALTH}entity_without_a_checksum_is_unverified_and_healthy",
    ),
    "5.3: the output is as shown": ("cli/test_health.py::test_the_summary_is_printed_as_the_specification_shows_it",),
    # §6
    "6: /chati loads the state, sets the lock, writes the block and routes to the agent": (
        f"{_LOCK}chati_activates_the_lock_with_the_session_files_agent_and_writes_the_block",
    ),
    "6: on-topic goes to the agent, off-topic stays locked, subcommands stay inside": (
        f"{_LOCK}every_message_goes_to_the_agent_until_an_exit_command",
        f"{_ROUTING}commands_are_recognized",
    ),
    "6: a message is on-topic unless a named rule says otherwise, and off-topic never blocks (decisions.md)": (
        f"{_ROUTING}off_topic_messages_match_their_rule",
        f"{_ROUTING}any_text_is_routed_and_a_very_long_text_is_on_topic",
    ),
    "6: the block has the six rules and names the agent": (
        "session/test_managed_block.py::test_the_active_block_has_the_six_rules_and_the_agent",
        f"{_LOCK}chati_activates_the_lock_with_the_session_files_agent_and_writes_the_block",
    ),
    "6: everything outside the block stays byte-identical (decisions.md)": (
        "session/test_managed_block.py::test_any_sequence_of_blocks_preserves_every_byte_outside",
        "session/test_block_files.py::test_removing_the_block_restores_any_file",
    ),
    "6: /chati exit, stop, quit and one phrase in each of four languages leave": (
        f"{_ROUTING}exit_messages_are_recognized",
    ),
    "6: stop, wait, go back and cancel do not leave": (f"{_ROUTING}all_other_messages_go_to_the_agent",),
    "6: whole intent only: questions, negations, quotations do not leave (decisions.md)": (
        f"{_ROUTING}quoted_questioned_or_marked_up_phrases_are_not_exits",
        f"{_ROUTING}an_additional_word_is_not_an_exit",
        f"{_ROUTING}case_spaces_and_accents_are_ignored",
    ),
    "6: leaving saves the agent's state to session.yaml": (
        f"{_LOCK}exit_saves_progress_deactivates_the_block_and_confirms_in_the_users_language",
        "session/test_session_yaml.py::test_saving_values_changes_nothing_else",
    ),
    "6: leaving makes a digest for the memories": (f"{_LOCK}exit_captures_the_session_summary_except_in_passive_mode",),
    "6: leaving replaces the block by Status: INACTIVE with how to resume": (
        f"{_LOCK}exit_saves_progress_deactivates_the_block_and_confirms_in_the_users_language",
    ),
    "6: leaving is confirmed in the user's language": (f"{_SUPPORTED}the_exit_confirmation_is_in_the_users_language",),
    "6: /chati after an exit resumes with the session detected": (
        f"{_LOCK}activation_after_an_exit_and_a_restart_resumes_agent_and_progress",
    ),
    # §7 XII
    "XII.1: the bracket SHALL be calculated before every interaction": (
        f"{_ENGINE}the_bracket_is_computed_per_interaction_and_selects_the_layers",
    ),
    "XII.2: layers SHALL be reduced by bracket": (f"{_COMPOSE}fuller_windows_get_fewer_layers",),
    "XII.3a: a compaction SHALL be met with digest, memories and a rebuilt context": (
        f"{_ENGINE}recent_decisions_are_captured_before_a_compaction_and_restored_after_it",
    ),
    "XII.3b: a new session SHALL be begun with full context when that does not suffice": (
        f"{_ENGINE}an_exhausted_session_is_restarted_with_reasons_and_a_continuation_file",
        "governor/test_snapshot.py::test_three_compactions_trigger_a_rehydrate",
        "governor/test_snapshot.py::test_three_critical_windows_in_a_row_and_a_handover_trigger_a_rehydrate",
    ),
    "XII.4: L0 and L1 SHALL be injected in all brackets": (
        f"{_ENGINE}constitution_and_mode_fit_every_brackets_budget",
    ),
    "XII.5: at most 2500, 2000, 1500, 800 tokens": (
        f"{_BRACKET}each_bracket_has_its_layers_its_budget_and_its_level_of_memory",
        f"{_LAWS}any_block_is_well_formed_and_within_its_budget",
    ),
    "XII.6: autonomy varies by IDE": (f"{_ENGINE}three_ides_start_the_new_session_and_three_get_the_file",),
    # §7 XIII
    "XIII.1: knowledge SHALL be captured before a compaction": (
        f"{_ENGINE}recent_decisions_are_captured_before_a_compaction_and_restored_after_it",
    ),
    "XIII.3: agents SHALL NOT reach others' private memories": (
        f"{_PRIVACY}an_agent_reaches_only_its_own_and_shared_memories",
        f"{_PRIVACY}counts_and_warnings_reveal_nothing_about_other_agents",
        f"{_PRIVACY}links_out_of_the_folder_or_into_another_agents_are_not_followed",
    ),
    "XIII.4: user files SHALL NEVER be modified by the system": (
        f"{_MEMORIES}no_request_touches_files_outside_the_memories_folder",
        f"{_UPKEEP}a_certain_rule_seen_five_times_is_proposed_and_the_user_decides",
    ),
    "XIII.5a: proposals SHALL need confidence above 0.9": (
        f"{_UPKEEP}uncertain_and_agent_memories_do_not_become_rules",
    ),
    "XIII.5b: proposals SHALL need 5 pieces of evidence": (
        f"{_UPKEEP}a_certain_rule_seen_five_times_is_proposed_and_the_user_decides",
    ),
    "XIII.5c: proposals SHALL need the user's approval": (
        f"{_UPKEEP}uncertain_and_agent_memories_do_not_become_rules",
        f"{_UPKEEP}an_accepted_rule_is_in_the_anchor_verbatim_until_revoked",
        f"{_INSTRUCTIONS}an_accepted_rule_is_suspended_by_a_contrary_statement_and_proposed_to_be_dropped",
    ),
    "XIII.6: users MAY review, edit or delete any memory, and their word stands": (
        f"{_MEMORIES}a_user_reviews_edits_and_deletes_memories_by_editor_or_method",
        f"{_CAPTURE}a_deleted_memory_is_not_captured_again",
    ),
    "XIII.7: scoring SHALL use natural decay": (
        f"{_ATTENTION}in_the_end_every_memory_is_cold_and_stale",
        f"{_ATTENTION}a_tier_falls_with_time_and_is_at_most_one_above_its_score",
    ),
    "XIII.7: permanent only what the user marks as durable": (
        f"{_EDITED}the_user_can_make_a_memory_durable",
        f"{_EDITED}only_the_user_can_make_an_agents_memory_durable",
        f"{_SOURCES}an_agents_token_neither_confirms_nor_undoes",
        f"{_SOURCES}what_the_user_did_not_write_himself_makes_no_instruction",
    ),
    # §7 XIV
    "XIV.1: the registry is the single source of truth": (
        f"{_REGISTRY}one_file_catalogs_every_artifact_and_is_the_single_source_of_truth",
    ),
    "XIV.2: health SHALL NEVER block; its status is always 0": (
        f"{_REGISTRY}health_checks_everything_and_never_blocks",
        "cli/test_health.py::test_problems_are_shown_with_remedies_and_the_exit_status_is_0",
        "cli/test_health.py::test_a_check_that_cannot_run_exits_with_status_0",
    ),
    "XIV.3: reusing SHALL be preferred over creating": (
        f"{_PRINTED}reuse_comes_before_adapt",
        f"{_REGISTRY}a_prompt_for_something_new_gets_a_hint_about_existing_code",
    ),
    "XIV.4: below an adaptability of 0.3 impact analysis SHALL come first": (
        f"{_REGISTRY}protected_entities_come_with_their_impact",
    ),
    "XIV.5: the registry SHALL follow what is added, modified, removed": (
        f"{_REGISTRY}the_registry_follows_added_modified_and_removed_files",
    ),
    "XIV.6: a checksum that differs shows an untracked modification": (
        f"{_REGISTRY}a_checksum_mismatch_reveals_an_unrecorded_modification",
    ),
    # §7 XV
    "XV.1: while a session is active the lock MUST be active and the file MUST have the block": (
        f"{_LOCK}chati_activates_the_lock_with_the_session_files_agent_and_writes_the_block",
        f"{_LOCK}a_block_deleted_by_the_user_is_reported_and_restored_by_activation",
    ),
    "XV.1: the lock is an explicit flag, not derived from the session file (decisions.md)": (
        f"{_LOCK}without_a_session_file_none_is_created_and_the_project_is_unchanged",
    ),
    "XV.2: every message MUST be routed to the active agent": (
        f"{_LOCK}every_message_goes_to_the_agent_until_an_exit_command",
    ),
    "XV.3: off-topic MUST NOT leave the session": (f"{_LOCK}every_message_goes_to_the_agent_until_an_exit_command",),
    "XV.4: the lock is released ONLY by explicit words": (
        f"{_ROUTING}exit_messages_are_recognized",
        f"{_ROUTING}all_other_messages_go_to_the_agent",
    ),
    "XV.5: on exit all state MUST be persisted and the file say INACTIVE": (
        f"{_LOCK}exit_saves_progress_deactivates_the_block_and_confirms_in_the_users_language",
        f"{_LOCK}activation_after_an_exit_and_a_restart_resumes_agent_and_progress",
    ),
    "XV.6: /chati after an exit activates the lock and the block again": (
        f"{_LOCK}activation_after_an_exit_and_a_restart_resumes_agent_and_progress",
    ),
    "XV.7: after a restart the lock persists and is taken up": (
        f"{_LOCK}the_lock_survives_a_restart_in_state_and_file",
    ),
    # §9
    "9: schemas for the context block and a memory's front matter": (
        "contract/test_documents.py::test_a_written_memory_matches_its_schema",
        "contract/test_documents.py::test_the_specified_example_is_valid_and_an_unknown_sector_is_not",
        "contract/test_documents.py::test_a_composed_block_matches_its_schema",
        f"{_COMPOSE}the_data_matches_the_block_and_the_published_schema",
        f"{_ENGINE}the_block_has_the_specified_elements_and_matches_its_schema",
    ),
}
