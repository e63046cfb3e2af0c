"""Every scenario of the specifications, and the tests that prove it; `test_requirements.py` checks both ways.

A scenario that no code serves yet stands under `NOT_YET` with what is missing. Each test in `tests/flows/` proves a
scenario here, or a decision under `DECISIONS`. What the specifications state in prose beside their scenarios is listed
statement by statement in `tests/statements/`.
"""

from tests.statements import continuity, intelligence

STATEMENTS = {
    **{f"continuity, {name}": tests for name, tests in continuity.STATEMENTS.items()},
    **{f"intelligence-layer {name}": tests for name, tests in intelligence.STATEMENTS.items()},
}

FLOWS = "tests/flows/"

PROVEN: dict[str, tuple[str, ...]] = {
    "Automatic Continuity Pack Injection: Build packs on code-oriented request": (
        "test_injection.py::test_a_coding_request_gets_an_anchor_and_a_budgeted_context_without_being_asked",
    ),
    "Automatic Continuity Pack Injection: Incremental iteration reuses prior context": (
        "test_second_shot.py::test_what_always_changes_with_a_touched_file_is_offered_next",
        "test_second_shot.py::test_another_task_does_not_start_from_the_files_of_the_last_one",
        "test_injection.py::test_a_follow_up_in_an_unchanged_repository_reuses_the_pack_and_gets_a_small_delta_only",
        "test_injection.py::test_a_delta_has_what_others_changed_since_the_last_run_and_not_what_the_agent_wrote",
        "test_injection.py::test_a_commit_by_somebody_else_is_told_with_its_subject_and_files",
        "test_deltas.py::test_of_a_changed_file_that_changes_again_only_the_new_hunk_is_told",
        "test_deltas.py::test_a_turn_in_which_nothing_changed_takes_sixty_bytes",
        "test_caching.py::test_after_a_run_that_edited_the_next_pre_run_finds_its_pack_ready",
        "test_capture.py::test_a_failing_test_is_told_until_it_passes_again",
    ),
    "Hash-Based Continuity Caching: File cache hit": (
        "test_caching.py::test_a_file_of_known_content_is_not_analysed_again_also_after_a_restart",
    ),
    "Hash-Based Continuity Caching: Context pack invalidation": (
        "test_confirmed.py::test_a_write_through_an_open_mapping_is_seen_before_the_file_is_told_of",
        "test_caching.py::test_a_changed_file_or_head_makes_the_cached_pack_invalid_and_a_new_one_is_stored",
    ),
    "Automatic Memory Capture on Meaningful Events: Boundary-impacting refactor": (
        "test_boundaries.py::test_a_changed_signature_that_others_import_drafts_an_entry_and_a_decision_stub",
        "test_boundaries.py::test_the_same_change_told_in_other_words_is_one_stub_also_when_it_was_thrown_away",
        "test_boundaries.py::test_a_task_that_touches_more_adds_to_its_own_stub_until_the_user_has_it",
        "test_boundaries.py::test_what_moved_to_a_new_file_is_told_as_moved",
        "test_boundaries.py::test_a_changed_body_or_what_nobody_imports_is_no_boundary",
        "test_boundaries.py::test_a_stated_decision_stands_in_the_stub",
        "test_boundaries.py::test_a_boundary_that_the_agent_committed_is_seen_too",
        "test_boundaries.py::test_a_module_that_moved_away_from_those_who_import_it_is_a_boundary",
        "test_boundaries.py::test_schemas_migrations_entry_points_and_what_the_settings_name_are_boundaries",
    ),
    "Automatic Memory Capture on Meaningful Events: Direction change capture": (
        "test_direction.py::test_an_approach_given_up_in_so_many_words_is_noted_with_its_reason_and_its_task",
        "test_direction.py::test_an_accepted_note_warns_the_projects_next_session",
        "test_direction.py::test_one_approach_is_noted_once_however_it_is_told",
        "test_direction.py::test_work_of_an_earlier_run_that_is_taken_back_is_noted_though_nobody_says_so",
        "test_direction.py::test_work_that_goes_on_is_not_taken_back",
        "test_direction.py::test_work_that_its_own_run_committed_is_known_when_it_is_taken_back",
        "test_direction.py::test_work_that_the_user_took_out_between_two_runs_is_not_taken_back_by_the_next",
        "test_direction.py::test_what_the_user_takes_back_or_a_scratch_file_is_no_change_of_direction",
        "test_direction.py::test_a_step_under_way_that_is_dropped_for_another_is_noted",
        "test_direction.py::test_other_words_and_aborted_runs_change_no_direction",
    ),
    "Governor-Based Snapshot and Rehydrate: Pressure remains low": (
        "test_pressure.py::test_a_short_conversation_goes_on_without_turnover",
    ),
    "Governor-Based Snapshot and Rehydrate: Rehydrate trigger": (
        "test_pressure.py::test_pressure_over_the_thresholds_snapshots_and_starts_a_fresh_session_with_what_was_reached",
        "test_pressure.py::test_with_rehydrate_off_the_pressure_snapshots_and_says_what_is_withheld",
    ),
    "Budget and Rate-Limit Controls: New context exceeds budget": (
        "test_injection.py::test_new_context_over_the_budget_is_trimmed_from_the_least_important_and_named",
    ),
    "Budget and Rate-Limit Controls: Rapid repeated edits": (
        "test_injection.py::test_a_burst_of_edits_and_requests_builds_one_pack_per_state_of_the_repository",
        "test_caching.py::test_once_a_burst_of_edits_is_over_its_pack_is_made_before_the_next_prompt",
    ),
    "Safe Default Artifact Write Policy: Default policy": (
        "test_capture.py::test_artifacts_stay_in_the_state_file_and_the_repository_is_untouched_byte_for_byte",
        "test_capture.py::test_a_run_that_changed_something_leaves_a_devlog_draft_a_reader_understands",
    ),
    "Safe Default Artifact Write Policy: Optional isolated commit path": (
        "test_memory_branch.py::test_an_entry_reaches_the_memory_branch_by_itself_and_every_other_byte_stays",
        "test_memory_branch.py::test_the_branch_a_user_has_checked_out_is_refused_and_the_draft_stays",
    ),
    "Memory Layer 4.1: what a session digest captures": (
        "test_memory_capture.py::test_a_sessions_digest_is_one_readable_file_of_decisions_errors_and_corrections",
        "test_memory_capture.py::test_one_session_has_one_file_a_day_and_another_session_another",
    ),
    "Memory Layer: what differs in numbers, paths or ids only is the same, and evidence": (
        "test_memory_upkeep.py::test_what_an_agent_repeats_of_what_it_was_told_is_no_evidence",
        "test_memory_capture.py::test_the_same_again_is_evidence_once_per_source_even_when_numbers_and_paths_differ",
    ),
    "Memory Layer: what is superseded or contradicted is linked and trusted less": (
        "test_remembering.py::test_what_was_superseded_or_contradicted_is_told_to_no_run_and_is_still_found",
        "test_memory_capture.py::test_what_takes_anothers_place_is_linked_and_the_others_confidence_sinks",
        "test_memory_capture.py::test_an_agents_conclusion_against_the_users_word_is_the_one_that_is_doubted",
    ),
    "Memory Layer: an error without a resolution is no fact; three within a day are a gotcha": (
        "test_memory_capture.py::test_an_error_without_a_resolution_is_none_but_three_times_a_day_it_is_a_gotcha",
    ),
    "Memory Layer: capture is provable, junk is refused and counted": (
        "test_memory_capture.py::test_junk_is_refused_and_every_drop_is_counted_with_its_reason",
        "test_memory_capture.py::test_what_happens_by_itself_is_withheld_and_counted_unless_the_mode_is_active",
    ),
    "Memory Layer: what was deleted stays deleted": (
        "test_memory_capture.py::test_what_the_user_deleted_stays_deleted_when_it_is_met_again",
    ),
    "Memory Layer 4.6, Article XIII.7: tiers by attention score, natural decay": (
        "test_memory_upkeep.py::test_the_tier_follows_the_score_down_and_use_and_evidence_lift_it",
        "test_remembering.py::test_a_cold_memory_is_found_by_who_searches_and_told_to_no_run",
        "test_memory_upkeep.py::test_evidence_and_confidence_make_a_warm_memory_hot",
        "test_memory_recall.py::test_a_sectors_half_life_counts_in_a_searchs_recency_down_to_the_floor",
        "test_memory_upkeep.py::test_a_memory_whose_score_stays_below_a_tenth_for_ninety_days_is_archived",
    ),
    "Memory Layer 4.2: session, daily and durable": (
        "test_memory_upkeep.py::test_a_daily_memory_goes_to_the_archive_after_thirty_days_and_a_durable_one_never",
        "test_memory_upkeep.py::test_what_was_kept_for_a_session_is_gone_a_day_later_and_is_no_deletion",
        "test_session_lock.py::test_a_new_session_drops_the_previous_sessions_memories",
    ),
    "Memory Layer: upkeep by itself, at most daily, rewriting nothing": (
        "test_memory_upkeep.py::test_upkeep_runs_by_itself_once_a_day_behind_a_run_and_only_in_active_mode",
        "test_memory_upkeep.py::test_what_did_not_change_is_not_written_anew",
        "test_memory_upkeep.py::test_what_killed_writers_left_and_long_gone_openings_are_swept_away",
    ),
    "Memory Layer 4.9: memories are captured automatically": (
        "test_memory_upkeep.py::test_a_run_is_remembered_by_itself_in_active_mode",
        "test_memory_upkeep.py::test_a_passive_run_is_counted_as_withheld_and_writes_nothing",
        "test_memory_upkeep.py::test_an_artifact_that_the_user_accepts_is_remembered_for_good",
        "test_memory_upkeep.py::test_the_memory_of_an_artifact_follows_what_the_user_makes_of_it",
    ),
    "Memory Layer 4.9, Article XIII.5: heuristic proposals": (
        "test_memory_upkeep.py::test_a_rule_is_proposed_when_it_is_sure_and_met_five_times_and_the_user_says_so",
        "test_memory_upkeep.py::test_an_accepted_rule_stands_among_the_anchors_rules_word_for_word_until_the_user_takes_it_back",
        "test_memory_upkeep.py::test_a_proposal_that_was_rejected_does_not_come_again",
        "test_memory_upkeep.py::test_neither_doubt_nor_an_agent_makes_a_rule",
    ),
    "Memory Layer 4.2: storage in files, gitignored": (
        "test_memories.py::test_a_memory_is_a_markdown_file_with_front_matter_that_is_shown_and_listed",
        "test_memories.py::test_the_folders_of_the_specification_say_whose_a_memory_is_and_how_long_it_is_kept",
    ),
    "Memory Layer 4.3: the format of a memory": (
        "test_memories.py::test_a_memory_as_the_specification_shows_it_is_read_and_keeps_its_form_when_changed",
    ),
    "Memory Layer 4.4: progressive retrieval": (
        "test_memory_recall.py::test_a_memory_is_told_by_its_line_by_what_matters_of_it_or_whole",
    ),
    "Memory Layer 4.5: the sectors each agent prefers": (
        "test_memory_recall.py::test_each_agent_finds_memories_of_its_preferred_sectors_first",
    ),
    "Memory Layer 4.5, Article XIII.2: four cognitive sectors": (
        "test_memories.py::test_each_kind_of_memory_belongs_to_one_of_four_sectors",
    ),
    "Memory Layer 4.7: memories enter by what is left of the window": (
        "test_context_engine.py::test_memories_enter_the_block_at_the_level_of_the_bracket",
        "test_remembering.py::test_a_memory_of_an_earlier_session_is_told_to_the_run_it_bears_on_and_once",
        "test_remembering.py::test_a_run_is_not_told_of_memories_that_have_nothing_to_do_with_it",
        "test_remembering.py::test_a_memory_written_or_deleted_by_hand_counts_from_the_next_run",
        "test_remembering.py::test_a_memory_written_by_hand_counts_from_the_next_run_among_hundreds_too",
        "test_remembering.py::test_private_memories_reach_no_run_unasked",
        "test_remembering.py::test_a_title_that_repeats_how_the_text_begins_is_not_told_twice",
        "test_remembering.py::test_a_filled_window_is_reminded_by_a_line_and_one_that_forgets_gets_what_it_says",
        "test_remembering.py::test_the_user_can_mute_a_memory_and_sees_why_it_was_told",
        "test_remembering.py::test_a_passive_run_is_told_nothing_and_counts_what_it_would_have_been",
    ),
    "Memory Layer 4.8, Article XIII.3: agent privacy": (
        "test_memories.py::test_an_agent_has_its_own_memories_and_the_shared_ones_and_never_anothers",
        "test_memory_capture.py::test_an_agents_own_findings_are_its_own_and_what_the_user_said_is_for_all",
    ),
    "Memory Layer 4.9, Article XIII.4: user files are never modified": (
        "test_memories.py::test_nothing_outside_the_memories_folder_is_touched_by_whatever_is_asked",
        "test_memories.py::test_a_look_at_memories_makes_no_folder",
    ),
    "Memory Layer 4.9, Article XIII.6: users review, edit and delete": (
        "test_memories.py::test_a_user_reviews_edits_and_deletes_any_memory_with_an_editor_or_by_asking",
    ),
    "Context Engine 3.4, Article XII.1, XII.2: the bracket before every interaction, layers by bracket": (
        "test_context_engine.py::test_the_bracket_is_calculated_before_each_interaction_and_the_layers_follow_it",
    ),
    "Context Engine 3.3: the block's format": (
        "test_context_engine.py::test_the_block_has_the_specifications_elements_in_its_order_and_fits_its_published_schema",
    ),
    "Context Engine 3.2, Article XII.4, XII.5: constitution and mode always, never over the budget": (
        "test_context_engine.py::test_constitution_and_mode_are_there_in_every_bracket_within_its_budget_whatever_the_files_say",
    ),
    "Context Engine 3.5, Article XII.3a, XIII.1: captured before a compaction, a session goes on by itself after it": (
        "test_context_engine.py::test_after_a_compaction_the_agent_goes_on_where_it_stopped_and_the_next_block_is_plain_again",
        "test_context_engine.py::test_what_a_session_just_decided_is_captured_before_its_compaction_and_told_right_after_it",
    ),
    "Context Engine 3.5, Article XII.3b: a worn session is turned over": (
        "test_context_engine.py::test_a_worn_session_is_turned_over_with_every_reason_and_a_file_to_go_on_from",
        "test_context_engine.py::test_the_third_compaction_of_a_session_asks_for_a_new_one_that_knows_where_it_stopped",
    ),
    "Context Engine 3.5, Article XII.6: which IDEs go on by themselves": (
        "test_context_engine.py::test_three_ides_begin_the_new_session_themselves_and_three_get_the_file",
    ),
    "Sync State Persistence: Save sync state after operation": (
        "test_knowledge.py::test_a_sync_stores_the_time_the_commit_and_every_items_hash_and_pointer",
    ),
    "Sync State Persistence: Load sync state on startup": (
        "test_knowledge.py::test_the_state_survives_a_restart_and_starts_empty",
    ),
    "Delta Detection: Detect new knowledge items": ("test_knowledge.py::test_only_the_new_item_is_added",),
    "Delta Detection: Detect updated knowledge items": (
        "test_knowledge.py::test_changed_content_constraints_or_status_is_an_update",
    ),
    "Delta Detection: Detect deleted knowledge items": ("test_knowledge.py::test_only_the_removed_item_is_deleted",),
    "Delta Detection: Detect unchanged items": ("test_knowledge.py::test_an_item_with_the_same_hash_is_unchanged",),
    "Pointer Memory Creation: Generate pointer content": (
        "test_knowledge.py::test_a_pointer_has_title_summary_type_three_blocking_constraints_and_the_id",
    ),
    "Pointer Memory Creation: Map knowledge layer to memory layer": (
        "test_knowledge.py::test_a_pointer_has_its_items_layer",
    ),
    "Sync Operations: Full sync all knowledge": (
        "test_knowledge.py::test_a_full_sync_creates_a_checkpoint_and_adds_updates_and_deletes",
    ),
    "Sync Operations: Incremental sync since last commit": (
        "test_knowledge.py::test_an_incremental_sync_covers_changed_items_up_to_the_limit",
    ),
    "Sync Operations: Single item sync": (
        "test_knowledge.py::test_a_single_item_is_updated_created_or_marked_as_orphaned",
    ),
    "Conflict Detection: Detect hash mismatch conflict": (
        "test_knowledge.py::test_a_pointer_with_a_different_hash_is_a_conflict",
    ),
    "Conflict Detection: Detect orphaned pointer": (
        "test_knowledge.py::test_a_pointer_to_a_removed_item_is_a_conflict",
    ),
    "Conflict Detection: Detect duplicate pointers": (
        "test_knowledge.py::test_the_newest_of_two_pointers_to_an_item_remains",
    ),
    "Conflict Detection: Detect status change": (
        "test_knowledge.py::test_a_change_to_deprecated_or_superseded_is_a_conflict",
    ),
    "Conflict Resolution: Apply update_memory resolution": (
        "test_knowledge.py::test_an_update_refreshes_the_pointers_content_hash_and_time",
    ),
    "Conflict Resolution: Apply delete_memory resolution": (
        "test_knowledge.py::test_a_resolved_orphan_is_removed_from_memory_and_state",
    ),
    "Conflict Resolution: Custom resolution strategy": (
        "test_knowledge.py::test_custom_resolutions_apply_by_type_and_item_and_defaults_to_the_rest",
    ),
    "Sync Triggers: Evaluate staleness threshold": (
        "test_knowledge.py::test_a_sync_is_due_when_the_last_one_is_older_than_the_threshold",
    ),
    "Sync Triggers: Evaluate session threshold": (
        "test_knowledge.py::test_a_sync_is_due_after_the_configured_number_of_sessions",
    ),
    "Sync Triggers: No trigger met": ("test_knowledge.py::test_without_configuration_no_sync_is_due",),
    "Checkpoint and Rollback: Create checkpoint before sync": (
        "test_knowledge.py::test_every_sync_has_a_checkpoint_and_the_last_five_are_stored",
    ),
    "Checkpoint and Rollback: Rollback on catastrophic failure": (
        "test_knowledge.py::test_a_failed_sync_changes_nothing",
    ),
    "Sync Observability: Emit sync operation metrics": (
        "test_knowledge.py::test_every_sync_is_counted_with_its_type_and_duration",
    ),
    "Sync Observability: Emit item sync metrics": ("test_knowledge.py::test_items_are_counted_by_outcome",),
    "Sync Observability: Emit conflict metrics": ("test_knowledge.py::test_conflicts_are_counted_by_type",),
    "Sync Observability: Emit error metrics": ("test_knowledge.py::test_failures_are_counted_by_code",),
    "Sync Error Handling: Knowledge unavailable error": (
        "test_knowledge.py::test_an_unreachable_repository_is_tried_three_times",
    ),
    "Sync Error Handling: State corrupted error": (
        "test_knowledge.py::test_a_damaged_state_is_reported_set_aside_and_rebuilt_from_the_pointers",
    ),
    "Sync Error Handling: Partial failure handling": (
        "test_knowledge.py::test_a_partly_failed_sync_names_the_failed_items_and_is_not_complete",
    ),
    "Performance Requirements: Delta detection performance": (
        "test_knowledge.py::test_the_delta_of_a_thousand_items_takes_less_than_five_seconds",
    ),
    "Performance Requirements: Single item sync latency": (
        "test_knowledge.py::test_a_single_item_is_synced_within_a_hundred_milliseconds",
    ),
    "Performance Requirements: Full sync performance": (
        "test_knowledge.py::test_a_full_sync_of_a_thousand_items_takes_less_than_thirty_seconds_below_a_hundred_a_second",
    ),
    "Context injection commands: Add context appends to per-change context file": (
        "test_ralph.py::test_added_context_is_appended_to_the_changes_file_and_confirmed",
    ),
    "Context injection commands: Clear context empties the per-change context file": (
        "test_ralph.py::test_cleared_context_is_empty_and_confirmed",
    ),
    "Context is reloaded every iteration: Mid-loop context updates appear on the next iteration": (
        "test_ralph.py::test_context_that_is_added_while_the_loop_runs_is_in_the_next_prompt",
        "test_ralph_told.py::test_only_one_loop_takes_part_in_a_change_while_additions_come_in",
    ),
    "Iteration prompt includes structured preamble and context: Preamble is included in iteration prompt": (
        "test_ralph.py::test_the_prompt_says_which_iteration_it_is_how_to_work_and_the_task_verbatim",
    ),
    "Iteration prompt includes structured preamble and context: Context section is labeled when context exists": (
        "test_ralph.py::test_the_contexts_section_is_there_exactly_when_there_is_context",
    ),
    "Robust completion promise detection: Completion promise detection ignores whitespace": (
        "test_ralph.py::test_a_promise_counts_whatever_white_space_is_around_it",
    ),
    "Loop resilience on harness failure: Non-zero harness exit does not stop the loop": (
        "test_ralph.py::test_a_failing_harness_is_recorded_and_the_next_iteration_runs",
    ),
    "Loop resilience on harness failure: Fail-fast stops the loop on harness failure": (
        "test_ralph.py::test_with_fail_fast_a_failing_harness_ends_the_loop_and_the_command_fails",
    ),
    "Rich iteration history and reporting: Each iteration records exit code and git change summary": (
        "test_ralph.py::test_each_iteration_records_the_exit_code_and_how_many_files_changed",
    ),
    "Rich iteration history and reporting: Status command reports recent iteration outcomes": (
        "test_ralph.py::test_status_shows_the_count_and_the_recent_outcomes",
    ),
    "Prompt file input: Prompt loaded from file": (
        "test_ralph.py::test_the_prompt_may_come_from_a_file_or_from_stdin",
    ),
    "Streaming control: No-stream disables live output streaming": (
        "test_ralph.py::test_output_is_shown_live_unless_that_is_not_wanted_and_promises_are_found_all_the_same",
    ),
}

NOT_YET: dict[str, str] = {}

DECISIONS: dict[str, tuple[str, ...]] = {
    "Knowledge sync: pointers are memories that the anchor tells, budgeted and unforgeable": (
        "test_knowledge_anchor.py::test_blocking_constraints_become_invariants_and_decisions_are_referenced",
        "test_knowledge_anchor.py::test_a_sync_changes_the_pack_and_the_delta_lists_the_changes",
        "test_knowledge_anchor.py::test_a_deprecated_constraint_is_withdrawn_in_the_delta",
        "test_knowledge_anchor.py::test_a_rollback_removes_a_syncs_items_from_the_anchor",
        "test_knowledge_anchor.py::test_an_item_cannot_forge_an_anchor_line_or_carry_a_secret",
        "test_knowledge_anchor.py::test_pointers_in_the_anchor_are_not_recalled_again",
        "test_knowledge_anchor.py::test_many_items_leave_the_anchor_in_its_budget_with_the_projects_own_rules",
        "test_knowledge_anchor.py::test_before_memories_are_loaded_the_anchor_is_marked_incomplete",
        "test_knowledge_anchor.py::test_a_project_without_pointers_does_not_wait_for_memories",
    ),
    "Context Engine: the bracket scales the packs": (
        "test_context_engine.py::test_a_window_that_fills_up_gets_less_of_the_packs",
    ),
    "Context Engine: the governor takes the spawn criteria": (
        "test_context_engine.py::test_what_the_session_file_says_of_the_agent_reaches_the_governor",
    ),
    "Memory Layer: files are the truth, the index is derived": (
        "test_memories.py::test_the_index_is_made_anew_from_the_files_also_in_another_state_file",
    ),
    "Memory Layer: being opened counts, being listed does not": (
        "test_memories.py::test_a_memory_that_a_session_opens_counts_as_read_once_and_a_list_does_not_count",
        "test_memory_upkeep.py::test_a_memory_that_an_answer_names_counts_as_used_once_per_session",
    ),
    "Memory Layer: archived is moved and restorable": (
        "test_memories.py::test_an_archived_memory_comes_back_to_where_it_was",
    ),
    "Memory Layer: secrets, private words and our own text are not stored": (
        "test_memories.py::test_secrets_private_words_and_what_we_injected_are_never_stored",
        "test_memory_capture.py::test_secrets_private_words_and_our_own_text_are_not_captured",
        "test_memory_capture.py::test_what_a_run_was_told_of_memories_is_not_captured_when_the_agent_repeats_it",
    ),
    "Session Lock §6: how it works; Article XV.1: while a session is active CLAUDE.md has the block": (
        "test_session_lock.py::test_chati_activates_the_lock_with_the_session_files_agent_and_writes_the_block",
        "test_session_lock.py::test_a_handover_in_the_session_file_is_followed",
        "test_session_lock.py::test_a_block_deleted_by_the_user_is_reported_and_restored_by_activation",
    ),
    "Session Lock §6: exit commands; Article XV.2-4: every message is routed, only explicit words leave": (
        "test_session_lock.py::test_every_message_goes_to_the_agent_until_an_exit_command",
    ),
    "Session Lock §6: exit protocol; Article XV.5: state is kept, the block says INACTIVE": (
        "test_session_lock.py::test_exit_saves_progress_deactivates_the_block_and_confirms_in_the_users_language",
        "test_session_lock.py::test_exit_captures_the_session_summary_except_in_passive_mode",
    ),
    "Session Lock §6: resume; Article XV.6-7: /chati after an exit or a restart": (
        "test_session_lock.py::test_activation_after_an_exit_and_a_restart_resumes_agent_and_progress",
        "test_session_lock.py::test_the_lock_survives_a_restart_in_state_and_file",
    ),
    "Session Lock: nobody is trapped, no file of the user's is touched outside the block": (
        "test_session_lock.py::test_unreadable_and_unwritable_files_do_not_prevent_exit",
        "test_session_lock.py::test_the_block_is_not_a_project_rule_and_does_not_change_the_anchor",
        "test_session_lock.py::test_without_a_session_file_none_is_created_and_the_project_is_unchanged",
    ),
    "Registry 5.1, Article XIV 1: the single source of truth": (
        "test_registry.py::test_one_file_catalogs_every_artifact_and_is_the_single_source_of_truth",
    ),
    "Registry 5.2, Article XIV 3: REUSE before ADAPT before CREATE": (
        "test_registry.py::test_what_exists_is_reused_what_is_similar_adapted_and_the_rest_created",
        "test_registry.py::test_a_repository_without_the_framework_has_a_registry_of_its_code",
        "test_registry.py::test_a_prompt_that_asks_for_something_new_is_told_of_what_is_there",
    ),
    "Registry 5.2, Article XIV 4: impact before what must not simply be changed": (
        "test_registry.py::test_what_must_not_simply_be_changed_comes_with_its_impact",
    ),
    "Article XIV 5: the registry is kept up to date": (
        "test_registry.py::test_the_registry_follows_what_is_added_modified_and_removed",
    ),
    "Registry 5.3, Article XIV 2: health is advisory": (
        "test_registry.py::test_health_checks_everything_and_never_blocks",
    ),
    "Article XIV 6: checksums show untracked modifications": (
        "test_registry.py::test_a_mismatch_of_a_checksum_shows_a_modification_nobody_noted",
    ),
    "Continuity: modes": (
        "test_modes.py::test_passive_is_the_default_measures_everything_and_sends_nothing",
        "test_modes.py::test_what_passive_mode_pretended_to_deliver_does_not_count_once_it_is_active",
        "test_modes.py::test_off_does_nothing_at_all",
    ),
    "Continuity: metrics are computed from bytes": (
        "test_measures.py::test_passive_mode_shows_what_it_would_have_saved",
        "test_measures.py::test_one_projects_measures_do_not_count_for_another",
    ),
    "Continuity: the unit of delivery is the provider session": (
        "test_delivery.py::test_a_pre_run_whose_answer_the_host_did_not_use_delivered_nothing",
        "test_delivery.py::test_a_fork_or_fresh_session_that_began_without_packs_gets_them_all",
        "test_delivery.py::test_pressure_counts_only_what_was_really_given",
        "test_delivery.py::test_a_session_that_the_user_compacted_gets_everything_again_but_its_system_text",
    ),
    "Continuity: the user's word on an item": (
        "test_delivery.py::test_the_users_word_decides_what_is_sent_and_explain_shows_it",
    ),
    "Continuity: plan contract": (
        "test_delivery.py::test_a_plan_that_was_proposed_reaches_the_session_that_carries_it_out",
    ),
    "Continuity: pass through untouched": ("test_modes.py::test_what_passes_through_passes_byte_identical",),
    "Continuity: the anchor is pinned": (
        "test_modes.py::test_the_pinned_anchor_stays_on_a_slash_prompt_so_that_the_providers_cache_does_not_break",
    ),
    "Continuity: a run that only read": (
        "test_capture.py::test_a_run_that_only_read_drafts_nothing_whatever_was_dirty_before",
    ),
    "Continuity: artifacts enter packs once the user has accepted them": (
        "test_acceptance.py::test_an_accepted_approach_and_decision_are_told_to_the_next_session_until_they_are_discarded",
        "test_acceptance.py::test_a_session_that_goes_on_is_told_of_an_acceptance_in_its_delta",
        "test_acceptance.py::test_a_committed_decision_is_told_with_where_git_has_it_and_a_damaged_one_never",
    ),
    "Continuity: artifact policy": (
        "test_memory_branch.py::test_what_the_user_accepted_still_warns_once_it_is_committed_and_a_draft_does_not",
    ),
    "Continuity: idempotent by run id": (
        "test_capture.py::test_a_run_sent_twice_is_kept_once_and_answered_alike_also_after_a_restart",
    ),
    "Ralph: context is added whole, sticky, and no reason to stop": (
        "test_ralph_told.py::test_of_hundreds_of_additions_at_once_none_is_lost",
        "test_ralph_told.py::test_an_addition_goes_on_after_a_torn_one_on_a_line_of_its_own",
        "test_ralph_told.py::test_context_that_is_missing_or_cannot_be_read_stops_no_loop",
        "test_ralph_told.py::test_context_that_is_a_pipe_without_an_end_stops_no_loop",
        "test_ralph_told.py::test_context_stays_until_it_is_cleared_also_over_a_reset",
    ),
    "Ralph: a prompt of any size reaches the agent": (
        "test_ralph_told.py::test_a_task_of_any_size_reaches_the_agent_whole_and_never_as_an_argument",
        "test_ralph_told.py::test_a_harness_may_read_its_prompt_from_a_file",
        "test_ralph_runs.py::test_the_prompt_is_fed_to_an_agent_that_never_reads_it",
    ),
    "Ralph: each iteration runs through pre-run and post-run; --continuity is consent": (
        "test_ralph_told.py::test_consent_on_the_command_line_brings_the_packs_in_whatever_the_mode",
        "test_ralph_told.py::test_each_iteration_is_captured_and_the_next_ones_packs_know_of_it",
        "test_ralph_told.py::test_a_state_that_cannot_be_used_stops_no_loop",
    ),
    "Ralph: a promise counts in the agent's own final text of a run that did not fail": (
        "test_ralph_promise.py::test_a_promise_in_the_last_iteration_allowed_is_a_success",
        "test_ralph_promise.py::test_a_promise_of_a_failing_run_is_recorded_and_not_accepted",
        "test_ralph_promise.py::test_an_echo_of_the_prompt_or_what_stands_on_stderr_is_no_promise",
        "test_ralph_promise.py::test_before_the_least_number_of_iterations_no_promise_is_accepted",
        "test_ralph_promise.py::test_claudes_and_codexs_streams_are_understood_with_their_tokens_and_cost",
    ),
    "Ralph: checks decide on a promise": (
        "test_ralph_promise.py::test_with_checks_a_promise_counts_once_they_pass_and_their_output_is_in_the_next_prompt",
        "test_ralph_promise.py::test_of_a_checks_output_the_next_prompt_has_the_end_and_no_more",
    ),
    "Ralph: stuck and aborted": (
        "test_ralph_promise.py::test_an_agent_that_cannot_do_the_task_ends_the_loop",
        "test_ralph_promise.py::test_iterations_that_change_nothing_and_say_the_same_change_the_prompt_and_then_end_the_loop",
        "test_ralph_promise.py::test_what_changes_something_or_says_another_thing_is_not_stuck",
    ),
    "Ralph: limits, failures, usage limits": (
        "test_ralph_promise.py::test_time_cost_and_tokens_are_limits_with_a_status_of_their_own",
        "test_ralph_promise.py::test_failures_in_a_row_end_a_loop_where_that_is_asked_and_come_ever_slower",
        "test_ralph_promise.py::test_a_usage_limit_pauses_until_its_reset_and_is_no_iteration_of_those_allowed",
        "test_ralph_promise.py::test_a_usage_limit_beyond_the_loops_time_ends_it_at_once",
    ),
    "Ralph: processes end with all they started": (
        "test_ralph_runs.py::test_an_agent_is_in_a_group_of_its_own_and_has_not_the_loops_input",
        "test_ralph_runs.py::test_an_agent_that_hangs_is_ended_with_all_it_started_and_the_loop_goes_on",
        "test_ralph_runs.py::test_a_grandchild_that_holds_a_pipe_does_not_hold_the_loop",
        "test_ralph_runs.py::test_one_signal_ends_the_loop_cleanly",
        "test_ralph_runs.py::test_a_second_signal_ends_it_at_once",
        "test_ralph_runs.py::test_an_agent_that_is_missing_or_no_program_is_said_in_a_sentence_and_nothing_spins",
        "test_ralph_runs.py::test_a_hundred_megabytes_in_one_line_of_no_text_take_seconds_and_little_memory",
        "test_ralph_output.py::test_a_hundred_megabytes_in_one_line_leave_the_program_below_sixty_four_of_its_own",
        "test_ralph_output.py::test_a_tool_result_of_a_hundred_megabytes_hides_no_promise",
        "test_ralph_output.py::test_megabytes_on_both_streams_block_nothing",
    ),
    "Ralph: one loop per change, crash-safe": (
        "test_ralph_runs.py::test_a_loop_that_was_killed_leaves_a_state_that_is_read_and_a_lock_that_is_taken_over",
        "test_ralph_runs.py::test_a_history_with_a_torn_end_goes_on_behind_it",
        "test_ralph_runs.py::test_a_second_loop_for_a_change_is_refused_and_one_for_another_change_runs_beside_it",
        "test_ralph_runs.py::test_a_loop_that_waits_is_stopped_too",
        "test_ralph_runs.py::test_an_output_that_nobody_reads_any_more_ends_no_loop",
        "test_ralph_runs.py::test_an_output_that_is_full_or_closed_ends_no_loop_and_no_command_in_a_trace",
    ),
    "Ralph: spool ralph is onecode-sidecar ralph": (
        "test_ralph_runs.py::test_the_program_itself_and_the_spool_command_are_the_same",
    ),
    "Ralph: files changed and commits, null outside git": (
        "test_ralph_kept.py::test_outside_git_files_changed_is_null_and_what_came_of_nothing_is_known_all_the_same",
        "test_ralph_kept.py::test_only_what_the_iteration_itself_changed_counts_whatever_was_dirty_or_is_committed",
    ),
    "Ralph: nothing is committed unless --commit, and then only what the iteration changed": (
        "test_ralph_kept.py::test_nothing_is_committed_unless_asked_and_then_only_what_the_iteration_changed",
        "test_ralph_kept.py::test_a_commit_that_a_hook_refuses_is_told_and_stops_nothing",
        "test_ralph_kept.py::test_a_linked_worktree_has_loops_of_its_own",
    ),
    "Ralph: the state root ignores itself, ids are path-safe": (
        "test_ralph_kept.py::test_the_folder_of_the_loop_ignores_itself_and_lies_at_the_worktrees_top",
        "test_ralph_kept.py::test_an_id_that_is_no_path_safe_name_is_refused",
        "test_ralph_kept.py::test_a_folder_that_leads_out_of_the_project_is_refused",
        "test_ralph_kept.py::test_a_reset_forgets_iterations_and_keeps_the_context",
        "test_ralph_kept.py::test_a_reset_that_cannot_forget_says_so",
    ),
    "Ralph: usage": (
        "test_ralph_kept.py::test_wrong_usage_is_refused_before_anything_runs",
        "test_ralph_kept.py::test_where_there_is_no_folder_to_work_in_none_is_made",
        "test_ralph_kept.py::test_a_dry_run_shows_prompt_and_exact_command_line_and_touches_nothing",
        "test_ralph_kept.py::test_flags_may_stand_before_or_after_the_prompt_and_the_harnesss_own_behind_two_dashes",
        "test_ralph_kept.py::test_no_more_iterations_are_run_than_allowed_and_numbers_go_on_over_loops",
        "test_ralph_kept.py::test_unlimited_iterations_have_to_be_asked_for",
    ),
    "Ralph: ralph/* run a loop as a job": (
        "test_ralph_rpc.py::test_a_job_tells_of_each_iteration_and_answers_with_the_end",
        "test_ralph_rpc.py::test_a_loop_is_stopped_by_the_method_and_by_a_cancellation",
        "test_ralph_rpc.py::test_loops_for_several_changes_run_at_once_and_for_one_there_is_one",
        "test_ralph_rpc.py::test_when_the_sidecar_ends_its_loops_agents_do_too",
        "test_ralph_rpc.py::test_what_is_wrong_is_refused_with_its_code",
    ),
    "Claude Code outside of the app: packs are given once per session, and runs kept": (
        "test_claude_code.py::test_a_session_is_given_its_packs_once_and_its_runs_are_kept",
        "test_claude_code.py::test_after_a_compaction_the_session_is_given_everything_again",
        "test_claude_code.py::test_a_run_that_is_compacted_in_its_midst_is_given_its_packs_again_at_once",
        "test_claude_code.py::test_a_run_that_was_interrupted_is_known_as_one_and_what_it_was_given_counts",
        "test_claude_code.py::test_what_was_not_printed_in_time_counts_as_not_given",
        "test_claude_code.py::test_a_run_whose_hook_gave_up_is_kept_all_the_same_and_counts_as_given_nothing",
        "test_claude_code.py::test_nothing_is_said_in_passive_mode_and_all_is_measured",
    ),
    "Claude Code outside of the app: seen with the program as it is published": (
        "test_claude_code_itself.py::test_the_packs_are_in_the_conversation_once_and_what_the_tools_did_is_kept",
        "test_claude_code_itself.py::test_after_its_own_compaction_a_session_is_given_its_packs_again",
        "test_claude_code_itself.py::test_a_run_that_it_compacts_in_its_midst_is_given_its_packs_again_at_once",
        "test_claude_code_itself.py::test_a_sidecar_that_runs_is_asked",
        "test_claude_code_itself.py::test_the_tools_are_offered_and_answer",
    ),
    "Claude Code outside of the app: a hook's output stays within what is taken whole": (
        "test_claude_code.py::test_an_output_is_never_longer_than_claude_code_takes_whole",
    ),
    "Claude Code outside of the app: silent where a host gives the packs, and fails open": (
        "test_claude_code.py::test_an_agent_of_a_hosts_own_and_one_switched_off_get_nothing_and_start_nothing",
        "test_claude_code.py::test_a_running_sidecar_is_asked_and_stays_silent_in_the_sessions_it_serves_itself",
        "test_claude_code.py::test_only_its_user_can_come_through_the_door",
        "test_claude_code.py::test_a_sidecar_that_does_not_answer_holds_a_prompt_for_less_than_a_second",
        "test_claude_code.py::test_what_is_no_hooks_json_is_answered_with_nothing_and_a_line_in_the_log",
    ),
    "Everywhere: what a repository brings leads nowhere out of the project": (
        "test_links.py::test_a_loops_output_is_not_written_through_a_link",
        "test_links.py::test_context_that_is_a_link_is_not_told_to_the_agent",
        "test_links.py::test_a_loops_folder_that_is_a_link_is_refused",
        "test_links.py::test_the_registrys_copies_are_not_kept_nor_removed_behind_a_link",
        "test_links.py::test_a_file_that_waits_in_the_place_of_one_being_written_is_not_written_to",
        "test_links.py::test_the_state_file_is_its_users_alone_in_a_folder_that_is_not",
    ),
    "Agents that speak MCP: read-only unless asked, in the project they work in": (
        "test_mcp.py::test_an_agent_finds_memories_code_and_what_its_last_run_was_given",
        "test_mcp.py::test_nothing_can_be_written_unless_that_was_asked",
        "test_mcp.py::test_what_is_refused_is_told_in_a_sentence_and_the_server_goes_on",
        "test_mcp.py::test_the_project_is_the_clients_root_where_it_names_one_else_where_the_server_stands",
        "test_mcp.py::test_no_other_command_loads_the_sdk",
    ),
}
