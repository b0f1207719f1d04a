"""The laws that every dialect keeps, as functions that raise `BrokenLawError` if one is broken.

`check_dialect` tries all of them on texts of its own. Call them directly to try them on other
texts, such as those that Hypothesis draws::

    @given(text=texts(MEMO, "lenient"), sizes=cuts())
    def test_any_cut(text, sizes):
        laws.any_cut_gives_the_same_events(MEMO, "lenient", text, sizes=sizes)

The mode is ``"strict"`` or ``"lenient"`` for one turn, or ``"transcript"`` for whole runs.
"""

from agent_laws.laws.acting import (
    a_call_emitted_early_is_a_call_of_the_turn,
    no_call_is_an_answer,
    no_key_counts_twice,
    no_mark_of_a_call_is_text,
    no_prefix_of_a_turn_acts_otherwise,
    no_value_holds_the_next,
    reasoning_and_quotation_never_act,
    what_is_given_is_never_said,
)
from agent_laws.laws.closure import what_is_returned_goes_to_any_api, what_is_returned_is_taken
from agent_laws.laws.failing import (
    a_label_that_is_spelt_otherwise_is_a_repair,
    a_repair_says_what_and_where,
    a_transcript_is_read_or_refused,
    a_turn_is_read_or_refused,
    strict_reading_repairs_nothing,
    the_limit_is_named_in_any_cut,
)
from agent_laws.laws.fidelity import (
    a_value_is_read_as_it_is_written,
    content_beside_a_call_is_kept,
    each_call_of_a_turn_is_made,
    every_result_is_written,
)
from agent_laws.laws.form import (
    a_prompt_ends_where_a_word_may_begin,
    a_stop_sequence_stops_no_step,
    the_example_is_an_action,
    the_instructions_name_every_tool,
    the_instructions_show_the_labels_that_are_read,
    the_replies_in_the_instructions_are_read,
    the_sample_is_one_flawless_run,
    the_steps_of_the_sample_are_written_as_they_stand,
    two_samples_are_two_runs,
    what_is_copied_from_the_instructions_is_no_turn,
    without_tools_no_call_is_shown,
)
from agent_laws.laws.modes import (
    a_call_ends_an_open_thought,
    a_thought_keeps_its_words,
    lenient_reads_what_strict_reads,
    no_answer_has_the_end_of_a_thought,
    without_a_repair_both_readings_are_the_same,
)
from agent_laws.laws.other_readings import (
    auto_reads_what_a_dialect_writes,
    nothing_beside_a_call_is_dropped,
    strict_reading_is_never_laxer,
)
from agent_laws.laws.reading import (
    any_cut_gives_the_same_events,
    any_cut_gives_the_same_runs,
    each_step_of_a_transcript_is_reported_once,
    no_character_is_lost_or_repeated,
    parse_gives_the_result_of_the_stream,
    text_outside_markers_is_reported_at_once,
    the_last_word_on_an_action_is_the_result,
    the_log_is_the_text_of_the_model,
    the_log_of_a_step_is_part_of_the_transcript,
)
from agent_laws.laws.streams import a_stream_ends_in_the_result_of_the_whole
from agent_laws.laws.table import (
    a_name_is_that_of_one_dialect,
    a_stop_sequence_is_a_marker,
    every_call_has_a_reader_of_its_own,
    every_marker_is_written,
    every_state_can_be_reached,
    every_transcript_has_a_beginning,
    no_mark_of_a_call_quotes,
    no_marker_ends_in_white_space,
    the_instructions_show_no_label_that_is_not_read,
)
from agent_laws.laws.work import (
    eight_times_the_text_takes_less_than_sixteen_times_as_long,
    twice_the_text_is_twice_the_work,
    twice_the_text_is_twice_the_work_of_parsing_it_at_once,
)
from agent_laws.laws.writing import (
    a_scratchpad_is_a_transcript,
    a_scratchpad_without_logs_is_rendered,
    a_step_is_read_back_or_refused,
    no_failed_turn_forges_a_mark,
    no_observation_changes_how_the_text_around_it_is_read,
    no_observation_forges_a_mark,
    plain_words_are_never_refused,
    the_last_question_before_a_step_is_the_question,
    the_spans_of_a_step_are_where_its_parts_stand,
    what_is_escaped_is_unescaped,
    what_is_read_is_read_back,
)

__all__ = [
    "a_call_emitted_early_is_a_call_of_the_turn",
    "a_call_ends_an_open_thought",
    "a_label_that_is_spelt_otherwise_is_a_repair",
    "a_name_is_that_of_one_dialect",
    "a_prompt_ends_where_a_word_may_begin",
    "a_repair_says_what_and_where",
    "a_scratchpad_is_a_transcript",
    "a_scratchpad_without_logs_is_rendered",
    "a_step_is_read_back_or_refused",
    "a_stop_sequence_is_a_marker",
    "a_stop_sequence_stops_no_step",
    "a_stream_ends_in_the_result_of_the_whole",
    "a_thought_keeps_its_words",
    "a_transcript_is_read_or_refused",
    "a_turn_is_read_or_refused",
    "a_value_is_read_as_it_is_written",
    "any_cut_gives_the_same_events",
    "any_cut_gives_the_same_runs",
    "auto_reads_what_a_dialect_writes",
    "content_beside_a_call_is_kept",
    "each_call_of_a_turn_is_made",
    "each_step_of_a_transcript_is_reported_once",
    "eight_times_the_text_takes_less_than_sixteen_times_as_long",
    "every_call_has_a_reader_of_its_own",
    "every_marker_is_written",
    "every_result_is_written",
    "every_state_can_be_reached",
    "every_transcript_has_a_beginning",
    "lenient_reads_what_strict_reads",
    "no_answer_has_the_end_of_a_thought",
    "no_call_is_an_answer",
    "no_character_is_lost_or_repeated",
    "no_failed_turn_forges_a_mark",
    "no_key_counts_twice",
    "no_mark_of_a_call_is_text",
    "no_mark_of_a_call_quotes",
    "no_marker_ends_in_white_space",
    "no_observation_changes_how_the_text_around_it_is_read",
    "no_observation_forges_a_mark",
    "no_prefix_of_a_turn_acts_otherwise",
    "no_value_holds_the_next",
    "nothing_beside_a_call_is_dropped",
    "parse_gives_the_result_of_the_stream",
    "plain_words_are_never_refused",
    "reasoning_and_quotation_never_act",
    "strict_reading_is_never_laxer",
    "strict_reading_repairs_nothing",
    "text_outside_markers_is_reported_at_once",
    "the_example_is_an_action",
    "the_instructions_name_every_tool",
    "the_instructions_show_no_label_that_is_not_read",
    "the_instructions_show_the_labels_that_are_read",
    "the_last_question_before_a_step_is_the_question",
    "the_last_word_on_an_action_is_the_result",
    "the_limit_is_named_in_any_cut",
    "the_log_is_the_text_of_the_model",
    "the_log_of_a_step_is_part_of_the_transcript",
    "the_replies_in_the_instructions_are_read",
    "the_sample_is_one_flawless_run",
    "the_spans_of_a_step_are_where_its_parts_stand",
    "the_steps_of_the_sample_are_written_as_they_stand",
    "twice_the_text_is_twice_the_work",
    "twice_the_text_is_twice_the_work_of_parsing_it_at_once",
    "two_samples_are_two_runs",
    "what_is_copied_from_the_instructions_is_no_turn",
    "what_is_escaped_is_unescaped",
    "what_is_given_is_never_said",
    "what_is_read_is_read_back",
    "what_is_returned_goes_to_any_api",
    "what_is_returned_is_taken",
    "without_a_repair_both_readings_are_the_same",
    "without_tools_no_call_is_shown",
]
