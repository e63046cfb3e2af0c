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
        "test_injection.py::test_a_coding_request_gets_an_anchor_and_a_budgeted_context_automatically",
    ),
    "Automatic Continuity Pack Injection: Incremental iteration reuses prior context": (
        "test_co_changed_files.py::test_files_that_change_together_are_suggested_next",
        "test_co_changed_files.py::test_another_task_does_not_start_from_the_files_of_the_last_one",
        "test_injection.py::test_a_follow_up_in_an_unchanged_repository_reuses_the_pack_and_gets_nothing",
        "test_injection.py::test_a_delta_contains_other_peoples_changes_and_not_the_agents_own",
        "test_injection.py::test_a_commit_by_somebody_else_is_reported_with_subject_and_files",
        "test_deltas.py::test_a_second_change_to_a_file_sends_only_the_new_hunk",
        "test_deltas.py::test_a_turn_without_changes_costs_nothing",
        "test_deltas.py::test_our_own_hooks_in_an_agents_settings_are_no_change_of_the_project",
        "test_caching.py::test_the_pack_is_prefetched_after_a_run_with_edits",
        "test_capture.py::test_a_failing_test_is_reported_until_it_passes",
    ),
    "Hash-Based Continuity Caching: File cache hit": (
        "test_caching.py::test_known_file_content_is_not_analyzed_again_even_after_a_restart",
    ),
    "Hash-Based Continuity Caching: Context pack invalidation": (
        "test_unwatched_writes.py::test_a_write_through_a_memory_map_is_detected_before_the_file_is_sent",
        "test_caching.py::test_a_changed_file_or_head_invalidates_the_cached_pack",
    ),
    "Automatic Memory Capture on Meaningful Events: Boundary-impacting refactor": (
        "test_boundaries.py::test_a_changed_signature_with_importers_drafts_an_entry_and_a_decision_stub",
        "test_boundaries.py::test_a_reworded_change_yields_one_stub_even_after_it_was_discarded",
        "test_boundaries.py::test_a_task_extends_its_own_stub_until_the_user_accepts_it",
        "test_boundaries.py::test_code_moved_to_a_new_file_is_reported_as_moved",
        "test_boundaries.py::test_changed_bodies_and_unimported_code_are_not_boundaries",
        "test_boundaries.py::test_a_stated_decision_is_in_the_stub",
        "test_boundaries.py::test_a_decision_occurs_once_in_its_record",
        "test_boundaries.py::test_a_stub_lists_sixteen_consequences_at_most",
        "test_boundaries.py::test_a_choice_is_split_into_reason_and_alternative_in_ten_languages",
        "test_boundaries.py::test_a_choice_is_split_into_purpose_and_alternative",
        "test_boundaries.py::test_a_stated_consequence_of_a_choice_is_no_decision",
        "test_boundaries.py::test_a_report_a_question_or_a_possibility_is_no_decision",
        "test_boundaries.py::test_a_boundary_committed_by_the_agent_is_detected",
        "test_boundaries.py::test_moving_an_imported_module_is_a_boundary",
        "test_boundaries.py::test_below_the_top_importers_of_the_whole_repository_count",
        "test_boundaries.py::test_schemas_migrations_entry_points_and_configured_paths_are_boundaries",
    ),
    "Automatic Memory Capture on Meaningful Events: Direction change capture": (
        "test_direction_change.py::test_an_explicitly_abandoned_approach_is_recorded_with_reason_and_task",
        "test_direction_change.py::test_only_sentences_on_what_went_or_on_a_fault_are_the_users_reason",
        "test_direction_change.py::test_a_note_names_no_task_that_is_the_users_complaint",
        "test_direction_change.py::test_a_note_names_no_task_that_corrects_the_agent",
        "test_direction_change.py::test_a_note_on_a_git_revert_names_the_earlier_work",
        "test_direction_change.py::test_a_note_on_work_that_was_stashed_has_the_reason",
        "test_direction_change.py::test_a_part_of_the_work_that_is_done_in_another_way_is_not_given_up",
        "test_direction_change.py::test_a_statement_of_the_user_on_other_removals_takes_no_work_of_a_run_back",
        "test_direction_change.py::test_an_order_to_drop_the_work_counts_whatever_its_size",
        "test_direction_change.py::test_what_the_user_wants_dropped_is_work_that_went_and_not_a_name",
        "test_direction_change.py::test_work_that_the_agent_gives_up_for_a_reason_is_recorded_in_the_words_of_its_account",
        "test_direction_change.py::test_work_that_the_user_took_out_by_hand_is_recorded_in_any_words",
        "test_direction_change.py::test_an_accepted_rejection_warns_the_projects_next_session",
        "test_direction_change.py::test_a_reworded_approach_is_recorded_once",
        "test_direction_change.py::test_work_that_the_user_takes_back_is_recorded_whatever_its_size",
        "test_direction_change.py::test_work_that_the_agent_names_as_removed_is_recorded_with_the_users_reason",
        "test_direction_change.py::test_a_deleted_file_is_recognized_by_its_name",
        "test_direction_change.py::test_the_prompt_of_a_loop_is_no_word_of_the_user",
        "test_direction_change.py::test_a_titles_reason_keeps_its_negation_and_is_no_mere_order",
        "test_direction_change.py::test_words_alone_and_small_removals_alone_reject_nothing",
        "test_direction_change.py::test_words_count_beside_lines_that_went_without_a_counterpart",
        "test_direction_change.py::test_two_parts_of_one_work_are_two_approaches",
        "test_direction_change.py::test_work_that_the_agent_takes_back_with_git_is_recorded",
        "test_direction_change.py::test_work_that_the_user_reverted_is_recorded_when_the_user_mentions_it",
        "test_direction_change.py::test_a_refused_plan_is_recorded_with_the_users_words",
        "test_direction_change.py::test_a_note_is_named_after_what_the_agent_took_out",
        "test_direction_change.py::test_a_users_sentence_that_names_nothing_is_no_title",
        "test_direction_change.py::test_the_users_words_are_not_repeated_in_a_title",
        "test_direction_change.py::test_a_title_has_the_users_reason_without_the_words_that_only_refuse",
        "test_direction_change.py::test_a_run_that_explains_a_failure_does_not_name_the_work",
        "test_direction_change.py::test_a_note_names_no_task_that_the_work_has_moved_on_from",
        "test_direction_change.py::test_an_accepted_rejection_reaches_a_session_on_its_file_or_symbol_behind_many_newer_ones",
        "test_direction_change.py::test_an_accepted_rejection_reaches_a_session_on_its_technology",
        "test_direction_change.py::test_silently_reverted_work_is_recorded",
        "test_direction_change.py::test_continued_work_is_not_a_reversal",
        "test_direction_change.py::test_reverting_work_committed_by_its_run_is_recognized",
        "test_direction_change.py::test_work_the_user_removed_between_runs_is_not_attributed_to_the_next",
        "test_direction_change.py::test_user_reverts_and_scratch_files_are_not_direction_changes",
        "test_direction_change.py::test_a_dropped_plan_step_is_recorded",
        "test_direction_change.py::test_other_wordings_and_aborted_runs_are_not_direction_changes",
    ),
    "Governor-Based Snapshot and Rehydrate: Pressure remains low": (
        "test_pressure.py::test_a_short_conversation_continues_without_a_restart",
    ),
    "Governor-Based Snapshot and Rehydrate: Rehydrate trigger": (
        "test_pressure.py::test_high_pressure_takes_a_snapshot_and_starts_a_fresh_session_with_it",
        "test_pressure.py::test_with_rehydrate_off_high_pressure_takes_a_snapshot_and_reports_the_suppressed_action",
    ),
    "Budget and Rate-Limit Controls: New context exceeds budget": (
        "test_injection.py::test_context_over_the_budget_is_trimmed_by_priority_and_named",
        "test_injection.py::test_the_anchor_of_a_session_keeps_its_bytes_when_the_budget_changes",
    ),
    "Budget and Rate-Limit Controls: Rapid repeated edits": (
        "test_injection.py::test_a_burst_of_edits_and_requests_builds_one_pack_per_state_of_the_repository",
        "test_caching.py::test_the_pack_is_prefetched_after_a_burst_of_edits",
    ),
    "Safe Default Artifact Write Policy: Default policy": (
        "test_capture.py::test_artifacts_are_in_the_state_file_and_the_repository_is_unchanged",
        "test_capture.py::test_a_run_with_changes_drafts_a_readable_devlog",
    ),
    "Safe Default Artifact Write Policy: Optional isolated commit path": (
        "test_memory_branch.py::test_an_entry_is_committed_to_the_memory_branch_and_nothing_else_changes",
        "test_memory_branch.py::test_a_checked_out_memory_branch_is_refused_and_the_draft_remains",
    ),
    "Memory Layer 4.1: what a session digest captures": (
        "test_memory_capture.py::test_a_session_summary_is_one_readable_file",
        "test_memory_capture.py::test_each_session_has_one_file_per_day",
    ),
    "Memory Layer: the same statement again is evidence; values are part of it, except in errors": (
        "test_memory_upkeep.py::test_an_agent_repeating_a_delivered_memory_is_not_evidence",
        "test_memory_capture.py::test_a_repeat_is_evidence_once_per_source",
        "test_memory_capture.py::test_decisions_and_deletions_stored_by_an_earlier_version_hold",
    ),
    "Memory Layer: what is superseded or contradicted is linked and trusted less": (
        "test_memory_injection.py::test_superseded_and_contradicted_memories_are_searchable_and_never_injected",
        "test_memory_capture.py::test_a_superseding_memory_is_linked_and_lowers_the_others_confidence",
        "test_memory_capture.py::test_a_ban_of_a_part_contradicts_no_statement_of_the_whole",
        "test_memory_capture.py::test_the_same_statement_with_another_value_supersedes_and_deleting_one_blocks_only_that",
        "test_memory_capture.py::test_two_bans_with_other_paths_are_both_valid",
        "test_memory_capture.py::test_an_agents_conclusion_that_contradicts_the_user_loses_confidence",
    ),
    "Memory Layer: an error without a resolution is no fact; three within a day are a gotcha": (
        "test_memory_capture.py::test_an_unresolved_error_becomes_a_gotcha_after_three_occurrences",
    ),
    "decisions, Memory: what a run added is visible at once and can be undone": (
        "test_statement_sources.py::test_a_run_answers_what_it_remembered_and_each_memory_can_be_undone",
        "test_statement_sources.py::test_a_rule_for_a_folder_is_stored_beside_the_general_one",
        "test_statement_sources.py::test_a_repeated_post_run_answers_the_same_memories",
        "test_statement_sources.py::test_the_next_message_takes_back_what_the_one_before_stated",
        "test_statement_sources.py::test_words_that_may_mean_something_else_take_nothing_back",
        "test_statement_sources.py::test_only_the_message_before_is_taken_back",
        "test_statement_sources.py::test_nothing_is_remembered_unless_active",
        "test_statement_sources.py::test_a_standing_instruction_is_in_the_next_sessions_anchor",
        "test_statement_sources.py::test_the_stop_hook_shows_what_was_remembered_with_its_undo",
        "test_statement_sources.py::test_a_run_answers_what_it_withdrew_and_how_it_holds_again",
        "test_statement_sources.py::test_what_a_later_statement_replaced_is_not_restored_from_the_archive_by_confirming_it",
        "test_statement_sources.py::test_the_stop_hook_shows_what_was_withdrawn_with_its_undo",
    ),
    "decisions, Memory: near misses are counted, and the last twenty are listed": (
        "test_statement_sources.py::test_near_misses_are_counted_and_the_last_are_listed_on_request",
    ),
    "decisions, Memory: what repeats something delivered is no memory": (
        "test_statement_sources.py::test_an_agent_that_paraphrases_a_standing_instruction_adds_nothing",
    ),
    "decisions, Memory: the user's words are those typed in a conversation at the top level": (
        "test_statement_sources.py::test_commands_summaries_and_quotes_are_not_the_users_words",
        "test_statement_sources.py::test_a_loops_prompt_is_no_standing_instruction",
        "test_statement_sources.py::test_an_answer_is_stored_with_its_question",
        "test_statement_sources.py::test_the_words_of_a_refusal_are_the_users",
        "test_statement_sources.py::test_an_interrupt_and_the_message_after_it_are_read_from_the_transcript",
        "test_statement_sources.py::test_a_statement_that_points_is_stored_with_what_it_answers",
        "test_statement_sources.py::test_a_corrected_value_reaches_another_chat_that_is_about_it",
        "test_statement_sources.py::test_a_corrected_value_reaches_other_chats_again_once_its_replacement_is_undone",
        "test_statement_sources.py::test_a_wish_of_two_sessions_becomes_a_preference_that_no_anchor_shows",
        "test_statement_sources.py::test_a_wish_that_the_user_adds_to_every_request_becomes_a_preference",
    ),
    "Memory Layer: capture is provable, junk is refused and counted": (
        "test_memory_capture.py::test_junk_is_dropped_and_counted_by_reason",
        "test_memory_capture.py::test_automatic_capture_is_suppressed_and_counted_unless_active",
    ),
    "Memory Layer: what was deleted stays deleted": (
        "test_memory_capture.py::test_a_deleted_memory_is_not_captured_again",
    ),
    "Memory Layer 4.6, Article XIII.7: tiers by attention score, natural decay": (
        "test_memory_upkeep.py::test_a_memorys_tier_follows_its_score",
        "test_memory_injection.py::test_a_cold_memory_is_searchable_and_never_injected",
        "test_memory_injection.py::test_a_memory_archived_by_its_age_is_not_reported_as_taken_back",
        "test_memory_upkeep.py::test_evidence_and_confidence_make_a_warm_memory_hot",
        "test_memory_recall.py::test_a_sectors_half_life_counts_in_a_searchs_recency_down_to_the_floor",
        "test_memory_upkeep.py::test_a_memory_below_a_tenth_for_ninety_days_is_archived",
    ),
    "Memory Layer 4.2: session, daily and durable": (
        "test_memory_upkeep.py::test_a_daily_memory_goes_to_the_archive_after_thirty_days_and_a_durable_one_never",
        "test_memory_upkeep.py::test_session_memories_expire_after_a_day_without_a_tombstone",
        "test_session_lock.py::test_a_new_session_drops_the_previous_sessions_memories",
    ),
    "Memory Layer: upkeep by itself, at most daily, rewriting nothing": (
        "test_memory_upkeep.py::test_upkeep_runs_daily_after_a_run_in_active_mode_only",
        "test_memory_upkeep.py::test_unchanged_memories_are_not_rewritten",
        "test_memory_upkeep.py::test_files_of_killed_writers_and_old_access_records_are_removed",
    ),
    "Memory Layer 4.9: memories are captured automatically": (
        "test_memory_upkeep.py::test_a_run_is_captured_automatically_in_active_mode",
        "test_memory_upkeep.py::test_a_passive_run_is_counted_as_suppressed_and_writes_nothing",
        "test_memory_upkeep.py::test_an_accepted_artifact_becomes_a_durable_memory",
        "test_memory_upkeep.py::test_an_artifacts_memory_follows_the_users_edits",
    ),
    "Memory Layer 4.9, Article XIII.5: heuristic proposals": (
        "test_memory_upkeep.py::test_a_certain_rule_seen_five_times_is_proposed_and_the_user_decides",
        "test_memory_upkeep.py::test_an_accepted_rule_is_in_the_anchor_verbatim_until_revoked",
        "test_memory_upkeep.py::test_a_rejected_proposal_is_not_repeated",
        "test_memory_upkeep.py::test_uncertain_and_agent_memories_do_not_become_rules",
    ),
    "Memory Layer 4.2: storage in files, gitignored": (
        "test_memories.py::test_a_memory_is_a_markdown_file_with_front_matter_that_is_shown_and_listed",
        "test_memories.py::test_folders_determine_a_memorys_owner_and_retention",
    ),
    "Memory Layer 4.3: the format of a memory": (
        "test_memories.py::test_a_memory_in_the_specified_form_keeps_it_when_changed",
    ),
    "Memory Layer 4.4: progressive retrieval": ("test_memory_recall.py::test_a_memory_has_three_levels_of_detail",),
    "Memory Layer 4.5: the sectors each agent prefers": (
        "test_memory_recall.py::test_agents_find_their_preferred_sectors_first",
    ),
    "Memory Layer 4.5, Article XIII.2: four cognitive sectors": (
        "test_memories.py::test_each_kind_of_memory_belongs_to_one_of_four_sectors",
    ),
    "Memory Layer 4.7: memories enter by what is left of the window": (
        "test_context_engine.py::test_memories_have_the_brackets_level_of_detail",
        "test_memory_injection.py::test_a_relevant_memory_is_sent_to_a_session_once",
        "test_memory_injection.py::test_irrelevant_memories_are_not_sent",
        "test_memory_injection.py::test_manual_edits_of_memories_take_effect_in_the_next_run",
        "test_memory_injection.py::test_manual_edits_take_effect_among_hundreds_of_memories",
        "test_memory_injection.py::test_private_memories_are_never_injected",
        "test_memory_injection.py::test_one_shared_name_path_or_rare_term_is_enough",
        "test_memory_injection.py::test_function_words_and_numbers_recall_nothing",
        "test_memory_injection.py::test_a_file_that_the_run_touches_recalls_memories_that_name_it",
        "test_memory_injection.py::test_a_memory_that_three_other_chats_got_needs_more_than_one_shared_term",
        "test_memory_injection.py::test_at_most_three_memories_reach_a_prompt_preferences_first",
        "test_memory_injection.py::test_the_session_that_stated_a_memory_gets_it_only_after_a_compaction",
        "test_standing_instructions.py::test_a_relevant_memory_returns_to_its_own_session_after_a_rollback",
        "test_standing_instructions.py::test_a_rule_that_is_not_in_the_anchor_is_shown_where_the_prompt_asks_for_its_step_of_the_work",
        "test_memory_injection.py::test_a_rule_that_shares_only_a_step_of_the_work_comes_after_what_shares_a_term",
        "test_memory_injection.py::test_a_title_repeated_in_the_text_is_sent_once",
        "test_memory_injection.py::test_stars_of_code_in_a_memory_are_sent_and_those_of_bold_type_are_not",
        "test_memory_injection.py::test_the_context_bracket_selects_a_memorys_level_of_detail",
        "test_memory_injection.py::test_a_memory_can_be_muted_and_explain_shows_its_reason",
        "test_memory_injection.py::test_a_passive_run_receives_nothing_and_counts_the_potential",
    ),
    "Memory Layer 4.8, Article XIII.3: agent privacy": (
        "test_memories.py::test_an_agent_sees_its_own_and_shared_memories_only",
        "test_memory_capture.py::test_an_agents_findings_are_private_and_the_users_statements_are_shared",
    ),
    "Memory Layer 4.9, Article XIII.4: user files are never modified": (
        "test_memories.py::test_no_request_touches_files_outside_the_memories_folder",
        "test_memories.py::test_reading_memories_creates_no_folder",
    ),
    "Memory Layer 4.9, Article XIII.6: users review, edit and delete": (
        "test_memories.py::test_a_user_reviews_edits_and_deletes_memories_by_editor_or_method",
    ),
    "Context Engine 3.4, Article XII.1, XII.2: the bracket before every interaction, layers by bracket": (
        "test_context_engine.py::test_the_bracket_is_computed_per_interaction_and_selects_the_layers",
    ),
    "Context Engine 3.3: the block's format": (
        "test_context_engine.py::test_the_block_has_the_specified_elements_and_matches_its_schema",
    ),
    "Context Engine 3.2, Article XII.4, XII.5: constitution and mode always, never over the budget": (
        "test_context_engine.py::test_constitution_and_mode_fit_every_brackets_budget",
    ),
    "Context Engine 3.5, Article XII.3a, XIII.1: captured before a compaction, a session goes on by itself after it": (
        "test_context_engine.py::test_after_a_compaction_the_agent_resumes_and_the_next_block_is_normal",
        "test_context_engine.py::test_recent_decisions_are_captured_before_a_compaction_and_restored_after_it",
    ),
    "Context Engine 3.5, Article XII.3b: a worn session is turned over": (
        "test_context_engine.py::test_an_exhausted_session_is_restarted_with_reasons_and_a_continuation_file",
        "test_context_engine.py::test_the_third_compaction_requests_a_new_session_with_the_resume_point",
    ),
    "Context Engine 3.5, Article XII.6: which IDEs go on by themselves": (
        "test_context_engine.py::test_three_ides_start_the_new_session_and_three_get_the_file",
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
        "test_knowledge.py::test_the_time_of_a_delta_grows_linearly_with_its_items",
    ),
    "Performance Requirements: Single item sync latency": (
        "test_knowledge.py::test_a_single_sync_reads_and_writes_only_its_item",
    ),
    "Performance Requirements: Full sync performance": (
        "test_knowledge.py::test_the_time_of_a_full_sync_grows_linearly_with_its_items",
        "test_knowledge.py::test_a_thousand_writes_wait_eleven_seconds_for_the_rate_limit",
    ),
    "Context injection commands: Add context appends to per-change context file": (
        "test_ralph.py::test_added_context_is_appended_to_the_changes_context_file_and_confirmed",
    ),
    "Context injection commands: Clear context empties the per-change context file": (
        "test_ralph.py::test_cleared_context_is_empty_and_confirmed",
    ),
    "Context is reloaded every iteration: Mid-loop context updates appear on the next iteration": (
        "test_ralph.py::test_context_added_during_a_loop_is_in_the_next_prompt",
        "test_ralph_context.py::test_one_loop_runs_per_change_during_additions",
    ),
    "Iteration prompt includes structured preamble and context: Preamble is included in iteration prompt": (
        "test_ralph.py::test_the_prompt_contains_iteration_instructions_and_the_task_verbatim",
    ),
    "Iteration prompt includes structured preamble and context: Context section is labeled when context exists": (
        "test_ralph.py::test_the_context_section_exists_only_with_context",
    ),
    "Robust completion promise detection: Completion promise detection ignores whitespace": (
        "test_ralph.py::test_white_space_around_a_promise_is_ignored",
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
        "test_ralph.py::test_live_output_is_optional_and_promises_are_found_either_way",
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
        "test_knowledge_anchor.py::test_while_many_memories_are_read_the_first_time_the_anchor_is_marked_incomplete",
        "test_knowledge_anchor.py::test_a_project_without_pointers_does_not_wait_for_memories",
    ),
    "Context Engine: the bracket scales the packs": (
        "test_context_engine.py::test_a_filling_window_receives_smaller_packs",
    ),
    "Context Engine: the governor takes the restart criteria": (
        "test_context_engine.py::test_the_agents_state_in_the_session_file_reaches_the_governor",
    ),
    "Memory Layer: files are the truth, the index is derived": (
        "test_memories.py::test_the_index_is_rebuilt_from_files_even_in_another_state_file",
    ),
    "Memory Layer: being opened counts, being listed does not": (
        "test_memories.py::test_a_memory_counts_as_read_once_per_session_and_listing_does_not_count",
        "test_memory_upkeep.py::test_a_memory_named_in_an_answer_counts_as_used_once_per_session",
    ),
    "Memory Layer: archived is moved and restorable": (
        "test_memories.py::test_restoring_an_archived_memory_puts_it_back",
    ),
    "Memory Layer: secrets, private words and our own text are not stored": (
        "test_memories.py::test_secrets_private_text_and_injected_text_are_never_stored",
        "test_memory_capture.py::test_secrets_private_text_and_our_own_text_are_not_captured",
        "test_memory_capture.py::test_delivered_memories_are_not_captured_when_the_agent_repeats_them",
    ),
    "Memory: standing instructions are in the anchor of every new session, bounded, once": (
        "test_standing_instructions.py::test_every_new_session_has_the_instructions_in_its_anchor_once",
        "test_standing_instructions.py::test_a_chat_in_a_linked_worktree_that_names_no_project_has_the_instructions_of_its_repository",
        "test_standing_instructions.py::test_a_wish_in_ordinary_words_is_in_the_anchor_of_the_next_session",
        "test_standing_instructions.py::test_a_complaint_that_recalls_an_instruction_is_evidence_of_it",
        "test_standing_instructions.py::test_a_mistake_that_the_user_admits_replaces_the_instruction",
        "test_standing_instructions.py::test_the_section_comes_first_and_stays_byte_identical_for_the_life_of_a_session",
        "test_standing_instructions.py::test_an_instruction_keeps_a_pattern_at_its_beginning",
        "test_standing_instructions.py::test_a_relevant_instruction_is_not_repeated_as_a_memory",
        "test_standing_instructions.py::test_many_instructions_take_at_most_their_bytes_and_the_rest_is_named",
        "test_standing_instructions.py::test_a_small_anchor_has_the_newest_instructions_and_nothing_else",
        "test_standing_instructions.py::test_passive_mode_sends_none",
        "test_standing_instructions.py::test_the_commands_of_a_tool_that_the_user_did_not_mention_stay_with_the_preferred_one_beside_them",
        "test_standing_instructions.py::test_what_is_to_be_followed_is_not_among_the_reference_data",
        "test_standing_instructions.py::test_a_memory_that_contradicts_a_standing_instruction_is_not_sent",
        "test_memory_injection.py::test_the_first_prompt_of_a_fresh_process_has_the_memories",
    ),
    "Memory: only what the user typed or confirmed is a standing instruction": (
        "test_instruction_sources.py::test_memory_files_of_a_cloned_repository_are_unconfirmed_and_found_by_relevance_only",
        "test_instruction_sources.py::test_what_the_user_typed_is_an_instruction_until_a_contrary_statement_replaces_it",
        "test_instruction_sources.py::test_a_pulled_file_with_the_id_of_an_instruction_does_not_replace_its_text",
        "test_instruction_sources.py::test_a_link_in_a_file_withdraws_no_instruction",
        "test_compacted_memories.py::test_what_a_later_statement_superseded_is_not_in_the_block_after_a_compaction",
        "test_compacted_memories.py::test_what_no_longer_holds_is_not_in_the_block_after_a_compaction",
        "test_compacted_memories.py::test_hot_memories_that_no_longer_hold_are_neither_in_a_block_nor_counted",
        "test_instruction_sources.py::test_adding_a_memory_in_the_users_name_makes_no_instruction",
        "test_instruction_sources.py::test_an_agents_token_neither_confirms_nor_undoes",
        "test_instruction_sources.py::test_private_archived_changed_and_pointer_memories_cannot_be_confirmed",
        "test_instruction_sources.py::test_a_summary_from_the_wire_makes_no_instruction_whoever_its_author_is",
        "test_instruction_sources.py::test_mcp_can_store_a_memory_and_no_instruction",
        "test_instruction_sources.py::test_what_the_user_did_not_write_himself_makes_no_instruction",
        "test_instruction_sources.py::test_prompts_of_loops_and_subagents_and_tool_output_make_no_instruction",
        "test_instruction_sources.py::test_side_chains_and_summaries_in_a_transcript_make_no_instruction",
    ),
    "Memory: the agent's notes block is asked for, verified, and delivered to the next session": (
        "test_notes_block.py::test_the_anchor_of_an_active_session_asks_for_notes_once",
        "test_notes_block.py::test_the_request_is_part_of_the_anchor_budget_and_can_be_switched_off",
        "test_notes_block.py::test_a_rule_that_the_user_typed_reaches_the_next_session",
        "test_notes_block.py::test_a_rule_that_only_points_is_found_by_relevance_and_not_in_the_anchor",
        "test_notes_block.py::test_a_rule_in_other_words_counts_as_a_repetition_of_the_known_one",
        "test_notes_block.py::test_a_rule_may_rest_on_an_earlier_prompt_but_only_until_the_next_notes",
        "test_notes_block.py::test_an_answer_to_a_proposal_supports_its_rule",
        "test_notes_block.py::test_pasted_and_expanded_text_supports_no_rule",
        "test_notes_block.py::test_prompts_of_a_loop_support_no_rule",
        "test_notes_block.py::test_what_holds_for_one_task_is_not_remembered",
        "test_notes_block.py::test_what_the_user_takes_back_in_the_next_sentence_supports_no_rule",
        "test_notes_block.py::test_passive_mode_reads_no_notes",
        "test_notes_block.py::test_offsets_count_utf16_units_as_javascript_does",
        "test_claude_code.py::test_a_rule_in_the_last_answer_reaches_the_next_session",
        "test_claude_code.py::test_what_a_stop_hook_could_not_show_is_shown_by_the_next_one_once",
        "test_claude_code_binary.py::test_a_rule_that_the_user_typed_reaches_the_next_session",
        "test_codex_binary.py::test_a_rule_in_the_answer_of_codex_reaches_its_next_session",
    ),
    "Memory: decisions and dropped approaches of the notes block feed drafts and memories": (
        "test_notes_block.py::test_decisions_dropped_approaches_and_facts_become_notes_of_the_agent",
        "test_standing_instructions.py::test_what_an_agent_repeats_of_such_a_note_is_no_memory",
        "test_standing_instructions.py::test_an_agents_note_of_a_rule_is_labelled_as_unconfirmed_until_the_user_confirms_it",
        "test_notes_block.py::test_a_sentence_of_a_reply_and_its_note_of_the_same_choice_are_one_memory",
        "test_notes_block.py::test_a_dropped_line_is_an_artifact_only_if_lines_went",
        "test_notes_block.py::test_a_decision_line_is_an_artifact_only_if_the_run_shows_it",
        "test_notes_block.py::test_a_decision_may_be_shown_by_lines_of_earlier_runs_that_are_still_there",
        "test_notes_block.py::test_a_decision_that_the_changes_do_not_show_or_contradict_is_a_memory_only",
        "test_notes_block.py::test_a_dropped_line_leaves_the_other_accounts_of_the_run_as_they_are",
        "test_notes_block.py::test_a_dropped_line_may_name_lines_that_went_before_the_run",
        "test_notes_block.py::test_a_dropped_line_on_lines_that_were_only_reworked_is_a_memory_only",
        "test_notes_block.py::test_a_dropped_line_takes_back_only_what_it_names",
        "test_notes_block.py::test_a_decision_that_only_a_new_files_text_shows_is_an_artifact",
        "test_notes_block.py::test_a_decision_on_how_to_work_is_an_unsupported_rule",
        "test_notes_block.py::test_a_decision_record_lists_what_the_run_tried_and_dropped",
    ),
    "Memory: the same through Claude Code's hooks": (
        "test_standing_instructions.py::test_a_claude_code_session_receives_each_instruction_once_through_the_hooks",
    ),
    "Memory: running sessions receive new, changed and withdrawn instructions": (
        "test_standing_instructions.py::test_a_statement_in_another_chat_reaches_a_running_session_once",
        "test_standing_instructions.py::test_a_replaced_instruction_is_corrected_in_sessions_that_have_it",
        "test_standing_instructions.py::test_only_the_later_of_two_contrary_statements_opens_a_new_session",
        "test_standing_instructions.py::test_what_the_user_takes_back_in_passing_opens_no_new_session",
        "test_standing_instructions.py::test_a_withdrawal_counts_beside_what_the_agent_notes",
        "test_standing_instructions.py::test_a_fact_with_a_new_value_replaces_the_old_one",
        "test_standing_instructions.py::test_a_reversal_that_nobody_typed_changes_no_instruction",
        "test_standing_instructions.py::test_a_reversal_for_the_task_at_hand_changes_no_instruction",
        "test_standing_instructions.py::test_a_reversal_that_the_agent_notes_too_is_one_instruction",
        "test_standing_instructions.py::test_a_replaced_statement_that_the_user_confirms_holds_again",
        "test_standing_instructions.py::test_a_statement_typed_in_a_session_and_replaced_in_another_chat_is_corrected_there",
        "test_standing_instructions.py::test_a_withdrawn_instruction_is_revoked_in_sessions_that_have_it",
        "test_standing_instructions.py::test_an_instruction_that_reached_a_session_by_its_delta_is_revoked_there_too",
        "test_standing_instructions.py::test_what_the_user_typed_in_a_session_is_repeated_there_once_after_each_compaction",
        "test_standing_instructions.py::test_what_the_user_typed_is_sent_once_after_its_message_was_rolled_back",
        "test_standing_instructions.py::test_an_instruction_that_a_session_received_is_sent_again_after_a_rollback",
        "test_standing_instructions.py::test_a_rollback_that_only_the_session_file_shows_brings_back_what_it_removed",
        "test_standing_instructions.py::test_a_rollback_past_a_correction_leaves_the_former_statement_to_be_corrected",
        "test_standing_instructions.py::test_a_muted_instruction_is_silent_and_a_wrong_one_is_retracted",
        "test_standing_instructions.py::test_a_statement_of_the_anchor_can_be_muted_by_its_own_name",
    ),
    "Memory: the context block has the standing instructions for sessions without an anchor": (
        "test_standing_instructions.py::test_the_context_block_has_them_in_every_bracket_within_its_budget",
        "test_standing_instructions.py::test_the_context_block_repeats_nothing_to_a_session_with_an_anchor",
        "test_standing_instructions.py::test_a_project_without_standing_instructions_has_no_such_element",
    ),
    "Memory: a contrary statement suspends an accepted rule and proposes its removal": (
        "test_standing_instructions.py::test_an_accepted_rule_is_suspended_by_a_contrary_statement_and_proposed_to_be_dropped",
        "test_standing_instructions.py::test_an_accepted_rule_that_is_also_stated_is_shown_once",
    ),
    "Memory: the anchor's commands do not contradict a standing instruction": (
        "test_standing_instructions.py::test_a_rejected_tool_is_not_among_the_commands",
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
        "test_registry.py::test_existing_code_is_reused_similar_code_adapted_and_the_rest_created",
        "test_registry.py::test_a_repository_without_the_framework_gets_a_code_registry",
        "test_registry.py::test_the_code_registry_follows_each_run",
        "test_registry.py::test_the_code_registry_follows_a_run_that_reports_no_tools",
        "test_registry.py::test_a_prompt_for_something_new_gets_a_hint_about_existing_code",
    ),
    "Registry 5.2, Article XIV 4: impact before what must not simply be changed": (
        "test_registry.py::test_protected_entities_come_with_their_impact",
    ),
    "Article XIV 5: the registry is kept up to date": (
        "test_registry.py::test_the_registry_follows_added_modified_and_removed_files",
    ),
    "Registry 5.3, Article XIV 2: health is advisory": (
        "test_registry.py::test_health_checks_everything_and_never_blocks",
    ),
    "Article XIV 6: checksums show untracked modifications": (
        "test_registry.py::test_a_checksum_mismatch_reveals_an_unrecorded_modification",
    ),
    "Continuity: modes": (
        "test_modes.py::test_the_default_mode_is_passive_and_only_measures",
        "test_modes.py::test_simulated_deliveries_do_not_count_in_active_mode",
        "test_modes.py::test_off_does_nothing_at_all",
    ),
    "Continuity: metrics are computed from bytes": (
        "test_savings.py::test_passive_mode_shows_potential_savings",
        "test_savings.py::test_metrics_are_separate_per_project",
    ),
    "Continuity: the unit of delivery is the provider session": (
        "test_delivery.py::test_an_unused_pre_run_response_delivers_nothing",
        "test_delivery.py::test_a_fork_or_fresh_session_without_packs_receives_all",
        "test_delivery.py::test_pressure_counts_only_confirmed_deliveries",
        "test_delivery.py::test_a_compacted_session_receives_everything_again_except_its_system_text",
    ),
    "Continuity: the user's word on an item": (
        "test_delivery.py::test_overrides_decide_what_is_sent_and_explain_shows_them",
    ),
    "Continuity: plan contract": ("test_delivery.py::test_a_proposed_plan_reaches_the_session_that_executes_it",),
    "Continuity: pass through untouched": ("test_modes.py::test_passthrough_prompts_are_byte_identical",),
    "Continuity: the anchor is pinned": (
        "test_modes.py::test_a_slash_prompt_retains_the_pinned_anchor_for_the_providers_cache",
    ),
    "Continuity: a run that only read": ("test_capture.py::test_a_read_only_run_drafts_nothing_in_a_dirty_worktree",),
    "Continuity: artifacts enter packs once the user has accepted them": (
        "test_acceptance.py::test_accepted_artifacts_reach_the_next_session_until_discarded",
        "test_acceptance.py::test_a_continued_session_receives_an_acceptance_in_its_delta",
        "test_acceptance.py::test_a_committed_decision_names_its_git_location_and_a_damaged_one_is_omitted",
    ),
    "Continuity: artifact policy": (
        "test_memory_branch.py::test_an_accepted_approach_still_warns_after_its_commit_and_a_draft_does_not",
    ),
    "Continuity: idempotent by run id": (
        "test_capture.py::test_a_repeated_post_run_is_recorded_once_even_after_a_restart",
    ),
    "Ralph: context is added whole, sticky, and no reason to stop": (
        "test_ralph_context.py::test_hundreds_of_concurrent_additions_are_all_stored",
        "test_ralph_context.py::test_an_addition_after_a_torn_one_starts_on_its_own_line",
        "test_ralph_context.py::test_missing_or_unreadable_context_does_not_stop_the_loop",
        "test_ralph_context.py::test_an_endless_pipe_as_context_does_not_stop_the_loop",
        "test_ralph_context.py::test_context_survives_a_reset_until_it_is_cleared",
        "test_ralph_context.py::test_context_survives_an_agent_that_cleans_the_worktree",
    ),
    "Ralph: a prompt of any size reaches the agent": (
        "test_ralph_context.py::test_a_task_of_any_size_reaches_the_agent_whole_via_stdin",
        "test_ralph_context.py::test_a_harness_may_read_its_prompt_from_a_file",
        "test_ralph_runs.py::test_an_agent_that_never_reads_its_prompt_does_not_block",
    ),
    "Ralph: each iteration runs through pre-run and post-run; --continuity is consent": (
        "test_ralph_context.py::test_consent_on_the_command_line_enables_packs_in_any_mode",
        "test_ralph_context.py::test_the_kill_switch_wins_over_consent_on_the_command_line",
        "test_ralph_context.py::test_each_iteration_is_captured_for_the_next_iterations_packs",
        "test_ralph_context.py::test_an_unusable_state_file_does_not_stop_the_loop",
    ),
    "Ralph: a promise counts in the agent's own final text of a run that did not fail": (
        "test_ralph_promise.py::test_a_promise_in_the_last_allowed_iteration_is_a_success",
        "test_ralph_promise.py::test_a_promise_of_a_failing_run_is_recorded_and_not_accepted",
        "test_ralph_promise.py::test_an_echoed_prompt_or_stderr_text_is_not_a_promise",
        "test_ralph_promise.py::test_promises_before_the_minimum_iterations_are_ignored",
        "test_ralph_promise.py::test_claude_and_codex_streams_are_parsed_with_tokens_and_cost",
    ),
    "Ralph: checks decide on a promise": (
        "test_ralph_promise.py::test_a_promise_requires_passing_checks_whose_output_enters_the_next_prompt",
        "test_ralph_promise.py::test_only_the_end_of_a_checks_output_is_in_the_next_prompt",
    ),
    "Ralph: stuck and aborted": (
        "test_ralph_promise.py::test_an_agent_that_cannot_do_the_task_ends_the_loop",
        "test_ralph_promise.py::test_repeated_idle_iterations_change_the_prompt_and_then_end_the_loop",
        "test_ralph_promise.py::test_iterations_with_changes_or_new_output_are_not_stalled",
    ),
    "Ralph: limits, failures, usage limits": (
        "test_ralph_promise.py::test_time_cost_and_token_limits_have_their_own_statuses",
        "test_ralph_promise.py::test_consecutive_failures_back_off_and_may_end_the_loop",
        "test_ralph_promise.py::test_a_usage_limit_pauses_until_its_reset",
        "test_ralph_promise.py::test_limits_on_iterations_and_failures_precede_a_usage_limit",
        "test_ralph_promise.py::test_pauses_in_a_row_are_capped",
        "test_ralph_promise.py::test_a_usage_limit_beyond_the_time_limit_ends_the_loop",
    ),
    "Ralph: processes end with all they started": (
        "test_ralph_runs.py::test_an_agent_has_its_own_process_group_and_not_the_loops_input",
        "test_ralph_runs.py::test_a_hanging_agent_is_killed_with_its_children_and_the_loop_continues",
        "test_ralph_runs.py::test_a_grandchild_holding_a_pipe_does_not_block_the_loop",
        "test_ralph_runs.py::test_one_signal_ends_the_loop_cleanly",
        "test_ralph_runs.py::test_a_second_signal_ends_it_without_the_agents_grace",
        "test_ralph_runs.py::test_a_missing_agent_program_is_one_clear_error_without_retries",
        "test_ralph_runs.py::test_a_binary_line_of_many_megabytes_takes_linear_time_and_little_memory",
        "test_ralph_output.py::test_a_line_of_many_megabytes_uses_less_than_sixty_four_megabytes",
        "test_ralph_output.py::test_a_huge_tool_result_does_not_hide_a_promise",
        "test_ralph_output.py::test_megabytes_on_both_streams_do_not_deadlock",
    ),
    "Ralph: one loop per change, crash-safe": (
        "test_ralph_runs.py::test_a_killed_loop_leaves_readable_state_and_a_lock_that_is_taken_over",
        "test_ralph_runs.py::test_an_agent_that_outlived_its_loop_is_ended",
        "test_ralph_runs.py::test_a_cleaned_worktree_keeps_its_loop",
        "test_ralph_runs.py::test_a_torn_history_is_continued_after_the_damage",
        "test_ralph_runs.py::test_one_change_has_one_loop_and_other_changes_run_in_parallel",
        "test_ralph_runs.py::test_a_waiting_loop_can_be_stopped",
        "test_ralph_runs.py::test_closed_output_does_not_end_the_loop",
        "test_ralph_runs.py::test_full_or_closed_output_causes_no_traceback",
    ),
    "Ralph: spool ralph is onecode-sidecar ralph": (
        "test_ralph_runs.py::test_the_ralph_command_equals_the_spool_command",
    ),
    "Ralph: files changed and commits, null outside git": (
        "test_ralph_options.py::test_outside_git_changed_files_are_null_and_idle_iterations_are_still_detected",
        "test_ralph_options.py::test_only_the_iterations_own_changes_count",
    ),
    "Ralph: nothing is committed unless --commit, and then only what the iteration changed": (
        "test_ralph_options.py::test_commits_are_opt_in_and_contain_only_the_iterations_changes",
        "test_ralph_options.py::test_a_commit_refused_by_a_hook_is_reported_and_the_loop_continues",
        "test_ralph_options.py::test_a_refused_commit_leaves_a_file_in_the_index_that_became_a_folder",
        "test_ralph_options.py::test_commits_leave_out_secrets_and_ignored_files",
        "test_ralph_options.py::test_files_that_a_check_changes_are_committed",
        "test_ralph_options.py::test_files_of_a_parallel_loop_are_not_committed",
        "test_ralph_options.py::test_a_linked_worktree_has_its_own_loops",
    ),
    "Ralph: the state root ignores itself, ids are path-safe": (
        "test_ralph_options.py::test_the_loop_folder_ignores_itself_at_the_worktrees_root",
        "test_ralph_options.py::test_an_unsafe_change_id_is_refused",
        "test_ralph_options.py::test_a_loop_folder_outside_the_project_is_refused",
        "test_ralph_options.py::test_a_reset_deletes_iterations_and_preserves_the_context",
        "test_ralph_options.py::test_a_failed_reset_is_reported",
    ),
    "Ralph: usage": (
        "test_ralph_options.py::test_wrong_usage_is_refused_before_anything_runs",
        "test_ralph_options.py::test_a_missing_working_folder_is_not_created",
        "test_ralph_options.py::test_a_mistyped_state_folder_is_refused_and_not_created",
        "test_ralph_options.py::test_a_working_folder_whose_name_is_not_utf8_is_not_reported_missing",
        "test_ralph_options.py::test_a_dry_run_shows_prompt_and_command_line_and_changes_nothing",
        "test_ralph_options.py::test_flags_work_before_or_after_the_prompt_and_harness_flags_after_two_dashes",
        "test_ralph_options.py::test_iterations_are_limited_and_numbered_across_loops",
        "test_ralph_options.py::test_unlimited_iterations_are_opt_in",
    ),
    "Ralph: ralph/* run a loop as a job": (
        "test_ralph_rpc.py::test_a_job_reports_each_iteration_and_returns_the_outcome",
        "test_ralph_rpc.py::test_a_loop_is_stopped_by_method_and_by_cancellation",
        "test_ralph_rpc.py::test_loops_run_in_parallel_for_several_changes_and_once_per_change",
        "test_ralph_rpc.py::test_agents_end_with_the_sidecar",
        "test_ralph_rpc.py::test_invalid_requests_are_refused_with_their_code",
        "test_ralph_rpc.py::test_errors_name_params_and_methods_to_clients_and_options_to_users",
    ),
    "Claude Code and Codex CLI outside of the app: packs are given once per session, and runs kept": (
        "test_claude_code.py::test_a_session_file_that_is_written_during_the_stop_hook_is_waited_for",
        "test_claude_code.py::test_a_client_of_the_local_socket_alone_receives_the_progress_of_its_job",
        "test_claude_code.py::test_a_session_receives_its_packs_once_and_its_runs_are_recorded",
        "test_claude_code.py::test_codex_receives_its_packs_once_and_its_patches_are_recorded",
        "test_claude_code.py::test_after_a_compaction_the_session_receives_everything_again",
        "test_claude_code.py::test_a_compaction_during_a_run_resends_the_packs_immediately",
        "test_claude_code.py::test_an_interrupted_run_is_recognized_and_its_delivery_counts",
        "test_claude_code.py::test_output_printed_too_late_counts_as_not_delivered",
        "test_claude_code.py::test_a_run_whose_hook_timed_out_is_recorded_without_a_delivery",
        "test_claude_code.py::test_passive_mode_prints_nothing_and_measures_everything",
    ),
    "Claude Code outside of the app: seen with the program as it is published": (
        "test_claude_code_binary.py::test_packs_are_in_the_conversation_once_and_tool_effects_are_recorded",
        "test_claude_code_binary.py::test_a_session_receives_its_packs_again_after_its_own_compaction",
        "test_claude_code_binary.py::test_an_automatic_compaction_during_a_run_resends_the_packs",
        "test_claude_code_binary.py::test_hooks_use_a_running_sidecar",
        "test_claude_code_binary.py::test_the_mcp_tools_are_available",
    ),
    "Claude Code outside of the app: a hook's output stays within what is taken whole": (
        "test_claude_code.py::test_output_fits_claude_codes_limit",
    ),
    "Claude Code outside of the app: silent where a host gives the packs, and fails open": (
        "test_claude_code.py::test_sub_agents_and_disabled_hooks_get_nothing_and_start_nothing",
        "test_claude_code.py::test_hooks_use_a_running_sidecar_and_stay_silent_in_its_own_sessions",
        "test_claude_code.py::test_only_its_user_can_connect_to_the_local_socket",
        "test_claude_code.py::test_an_unresponsive_sidecar_delays_a_prompt_by_less_than_a_second",
        "test_claude_code.py::test_invalid_hook_input_yields_no_output_and_a_log_line",
    ),
    "Everywhere: what a repository brings leads nowhere out of the project": (
        "test_symlinks.py::test_loop_output_is_not_written_through_a_link",
        "test_symlinks.py::test_linked_context_is_not_sent_to_the_agent",
        "test_symlinks.py::test_a_loops_folder_that_is_a_link_is_refused",
        "test_symlinks.py::test_registry_backups_are_neither_written_nor_removed_through_a_link",
        "test_symlinks.py::test_a_planted_temporary_file_is_not_written_to",
        "test_symlinks.py::test_the_state_file_is_private_even_in_a_shared_folder",
    ),
    "Agents that speak MCP: read-only unless asked, in the project they work in": (
        "test_mcp.py::test_an_agent_finds_memories_code_and_its_last_delivery",
        "test_mcp.py::test_the_ranking_of_a_search_is_within_its_budget_too",
        "test_mcp.py::test_a_search_shows_code_once_within_a_connection",
        "test_mcp.py::test_a_search_stays_within_its_budget_and_has_scores_only_on_request",
        "test_mcp.py::test_a_compaction_that_the_app_records_shows_code_again",
        "test_mcp.py::test_write_tools_are_opt_in",
        "test_mcp.py::test_unknown_arguments_are_named_and_refused",
        "test_mcp.py::test_an_error_is_one_sentence_and_the_server_continues",
        "test_mcp.py::test_the_project_is_the_clients_root_or_the_servers_working_folder",
        "test_mcp.py::test_the_last_run_is_that_of_the_project_however_many_others_ran_since",
        "test_mcp.py::test_a_folder_that_does_not_exist_is_named_at_the_start_and_not_created",
        "test_mcp.py::test_no_other_command_loads_the_sdk",
    ),
}
