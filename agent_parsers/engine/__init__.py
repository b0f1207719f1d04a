"""The engine: reads and writes the turns of any dialect. This page is the theory behind it.

A dialect is data (`tables.dialect.Dialect`). The engine compiles it for each mode into a state
machine (`reading.rules.machine.Machine`) and runs the text through it. There are no branches for
particular dialects: anything specific to one is a function in that dialect's file.

A turn is one action or the answer; in dialects of tool calls (`Table.several`), any number of calls
beside *content*, which is the answer if there are no calls. A transcript has many turns.

What a state is
===============

A state answers one question: *what is plain text while we are here?* The answer is its part
(`tables.table.Part`): thought, tool, input, call, content, answer, observation, question, or
skipped. Text in a state becomes deltas of that part. Markers move the machine from state to state.
They are *labels*, words that usually begin a line, or *marks*, literal text such as tags:

    question --"Thought:"--> thought --"Action:"--> tool --"Action Input:"--> input
                                |                                              |
                                +--"Final Answer:"--> answer      "Observation:" ends the turn

A table (`tables.table.Table`) lists the transitions, `(state, marker) -> Go | EndTurn | Note`:

* `Go` leads to another state. If it must not happen in a single turn, `clash` names the problem,
  such as an answer after an action.
* `EndTurn` leads to text that the model must not write in this turn, such as an observation that it
  invented. A single turn ends there: lenient mode reports the rest as skipped, strict mode raises.
  A transcript continues.
* `Note` leaves the marker in the text and changes the state. `Action Input:` before any `Action:`
  is a note: it stays in the thought, and only changes which error is reported.

A marker without a transition in the current state is plain text, which is why an answer may contain
`Action Input:`. (An input may contain `Thought:` within a line for another reason: there it is no
marker at all, since this label begins a line.)

Where a tool and its input stand together, as in JSON, tags or Python calls, the part is `call`, and
a call reader (`calls/`) owns the text until the call is over. It knows whether the text is inside a
string, where a marker is only text; it emits the name and the input as they come, and checks the
call at its end. Only the code that repairs JSON knows where a string ends.

Tools are given with the turn, as a `ToolSet`. Without them any name is a tool. With them an unknown
name is an error, unless lenient mode knows which tool it means (`repairs.names`), and so is a call
that does not fit its tool's schema.

Whether a marker counts: guards
===============================

A transition may have guards (`tables.guards`): conditions on the place of the marker, such as
"begins a sentence", "not within backticks", "formatted like the label before", "outside of
quotations", "not in a value of the call". A guard returns the reason why the marker is plain text,
or `""` if it counts. The first reason wins, and `explain` shows it. Some guards come with the
marker (an inline label has to begin a sentence), some with the state (a call reader knows what is
inside a string), some are added by a rewriting. A new rule is one function, named in the `guards`
of its transitions; if a refusal must be reported or counted, also in `Scanner._is_text`.

What a mode is: rewritings
==========================

Strict, lenient and transcript, `on_conflict`, reasoning blocks and end tokens are not branches of
the reader. Each is a function from table to table (`tables.rewritings`); `table_for` is the recipe:

    the strict or the lenient table of the dialect
    + an observation formatted like the last label ends a value    with_dressed_results
    + marks of results and of other roles end the turn             with_given
    + labels in quotations are text                                with_quotations
    + the end tokens of other models                               with_end_tokens
    + blocks of reasoning, and calls in them                       with_reasoning, with_thoughts,
                                                                   with_calls_in_thoughts
    one turn, which ends where another begins                      one_turn
    or many turns, which follow one another                        many_turns

A strict table takes only the first two. `with_given`, `with_reasoning` and `with_calls_in_thoughts`
are for turns of several calls, `with_quotations` and `with_thoughts` for those with one action. A
transcript takes neither quotations nor end tokens. `one_turn` and `many_turns` turn every `EndTurn`
into a `Go` (to skipped text, or to the next turn), so the table that comes out has only `Go` and
`Note`. It is compiled (`reading.rules.states`). Guards do not know the mode; scanner, collectors
and rules ask only whether the table is lenient: what to repair, and what to refuse.

One rule stands outside of tables: strict mode makes no call that lenient mode would not make. So it
reads a turn with calls in lenient mode as well (`_refusal` in `reading.stream`). In the fourth
mode, `"langchain"`, which is strict too, this holds only for texts with thoughts.

What is held back, and why
==========================

Text arrives in chunks, cut anywhere. An event is emitted as soon as no later chunk can change it,
and not before, which is why the events do not depend on where the text is cut. These wait:

* The longest suffix that may still become a marker *valid in this state*. `markers.patterns`
  compiles each state's markers into one pattern, which finds whole markers; a trie of the markers
  shows whether the text ends in the beginning of one. Repeats in a marker are bounded, so this
  suffix is, too.
* White space next to a possible marker, because it belongs to the marker if one follows.
* The name of a tool, which is short and only useful when it is whole.
* In turns of several calls: JSON that may still be a call; and, if a thought was opened within a
  thought, the text after the next closing mark, which may close both.

All other text goes out at once. `ActionComplete` comes when it is certain that the turn is this
action; a turn of several calls emits all of them at its end, or none if one is wrong (with
``calls="each"``, each when its block closes). `close` raises if the turn is wrong; its last events
are then in `last_events`. A caller that acts only on `ActionComplete` never acts on half a call.

Where leniency lives
====================

Every dialect has two tables: `strict` is the contract, `lenient` accepts what models really write.
The engine reads both in the same way. Each kind of leniency has one place:

* *Spelling* of a label (`## action:`, `**Action**:`, full-width colons): `markers/kinds.py`. All
  but a marker's canonical form is reported as a repair. Dialects give other spellings of marks.
* *What may follow what* (an answer without a thought, a second action, a missing label): `FOLLOWS`
  in `agent_parsers.families.steps`, one matrix for all dialects with labels, to which each adds
  rows of its own; for blocks of calls, `families.call_tables`.
* *Formatting around a name or input* (quotes, fences, emphasis, prose): `repairs/`.
* *What a call may lack* (a closing brace, a tag, quotes around a key): its call reader in `calls/`,
  on top of the lenient JSON reader of `outputs.growing_json`.
* *What the end of the text may lack*: `reading/rules/`, by how the text ended (`"stop"`,
  `"length"`, or unknown). A call that may be incomplete is never executed.
* *What is only quoted*, in backticks, fences or a sentence: `reading/quoting/`.
* *A call in a thought* is part of the thought. But if nothing closes the thought and a turn of
  several calls ends after the call, the call is made (`collecting/unclosed_thought.py`).
* *A call in the form of another dialect*: a lenient turn that would end as an answer is searched
  once more (`reading/rules/foreign.py`). A call found there is made; in doubt, it is an error, and
  so is another call in the content beside calls.

Every repair is reported with its kind and its span. Strict reading repairs nothing that the model
wrote; it reports that an answer was cut, and what a `ToolSet` dropped from an input.

Whether a *label* is quoted is asked when it comes (`quoting/watch.py`, or the call reader). Whether
a *call* is quoted is asked at the end, since a quotation has two sides: by `judge` for turns of
several calls, by `enclosing` or `call_meant` for a single action. A quoted call is content (repair
``quoted``); it is an error in strict mode, for `enclosing`, and if `call_meant` finds no other.

Where errors come from
======================

All readers record what is wrong as a `BadPayload`, a problem and a span; the first one counts. It
comes from a state in which no turn may end (`Table.ends`), the call reader, the tool's name or
schema, a quotation, or a call in another form. `Machine.error` words it when the turn is closed. In
a transcript only that step fails (`StepFailed`).

Three ways to read a turn
=========================

::

    text --match--> turn              a turn in the exact spelling of its dialect: one match
      or else --respell--> match      labels, commas and fences rewritten: text to text, once
          or else --stream--> turn    any other turn, and every turn that arrives in chunks

`reading.stream.TurnStream` takes chunks and reads any text. It is the reference: a turn means what
the stream makes of it. Most callers want only the result of a whole text, spelt as the dialect
writes it. For them a `reading.matching.matcher.Matcher`, made from the dialect's `Form` (the
templates that say how it spells a turn), reads a turn in one match of a regular expression, without
events: `StepMatcher` a step with one action, `TurnMatcher` a turn of calls. Their patterns match
only text with one possible reading. If any part is ambiguous (text that may be a marker or hide
one, half a stop sequence at the end, a name that needs a repair), they return `None` and the stream
decides. The stream also reads turns with `start=` or `prompt=`, turns that were cut, and dialects
without a `Form`. Strict mode takes calls that the lenient match reads without a repair.

In lenient mode, a turn that does not match may differ only in spelling: in labels, trailing commas,
or fences around calls. `reading.matching.respelling` rewrites these once, recording each repair and
its span. The result is matched again, and counts only if it has calls.

The three meet in `whole.WholeReader`. A run in a log whose steps all match is read from one
observation to the next (`RunMatcher` in `reading.matching.clean_runs`); any other takes the stream.
Property tests compare the match with the stream on every test text, and
`tests/test_ways_to_read.py` lists what makes a turn, a call or a repair from text, so nobody adds a
fourth way unnoticed. Add a pattern only if a turn that *we render* is not matched.

The floors, top first
=====================

::

    whole, stream_parser      what parsers use: whole texts and chunks, with errors for the model
    writing/                  render, prompts, scratchpads, escapes, wording of errors
    reading/                  matching/, and scanner > collecting/ > rules/ > quoting/
    tables/                   tables, rewritings, guards, dialects, problems, prompt words
    calls/                    call readers: json/, tags/, code/, brackets
    repairs/                  names, inputs, answers without the formatting of models
    markers/                  labels, literals, and the patterns that find them

A floor imports only from those below it; what it needs from above is passed in. The wording of
errors, for example, needs examples that `writing` renders, so readers are given it (`advise`).
"""
