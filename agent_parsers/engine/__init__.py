"""The engine: reads and writes the turns of any dialect. This page is the theory behind it.

A dialect is data (`tables.dialect.Dialect`). The engine turns that data into a state machine and
leads a text through it. It has no branch for a particular dialect: what only one dialect needs is a
function in that dialect's file.

What a state is
===============

A state answers one question: *what is plain text while we are here?* The answer is its part
(`tables.table.Part`): thought, tool, input, call, content, answer, observation, question, or
skipped. Text in a state becomes deltas of that part. Markers move the machine from state to state:

    question --"Thought:"--> thought --"Action:"--> tool --"Action Input:"--> input
                                |                                              |
                                +--"Final Answer:"--> answer      "Observation:" ends the turn

A table (`tables.table.Table`) lists the transitions, `(state, marker) -> Go | EndTurn | Note`:

* `Go` leads to another state. If a single turn must not make this transition, `clash` names the
  problem, such as an answer after an action.
* `EndTurn` leads to text that the model must not write in this turn, such as an observation that it
  invented. One turn stops there, and the rest is reported as skipped; a transcript goes on.
* `Note` leaves the marker in the text and remembers it. An opening code fence is a note: labels do
  not count until it closes.

A marker without a transition in the current state is plain text. That one rule is why an input may
contain `Thought:` in the middle of a line, and an answer may contain anything.

Where a tool and its input stand together, as in JSON, tags or Python calls, the part is `call`, and
a call reader (`calls/`) owns the text until the call is over. It knows whether the text is inside a
string, where a marker is only text. It emits the name and the input as they come, and judges the
call at its end. One object does both, since only what repairs JSON knows where a string ends.

Whether a marker counts: guards
===============================

A transition may have guards (`tables.guards`): conditions on the place of the marker, such as
"begins a sentence", "not within backticks", "dressed like the label before", "outside of
quotations", "not in a value of the call". A guard returns the reason why the marker is only text,
or nothing. The first reason decides, and `explain` quotes it. Some guards come with the marker (an
inline label has to begin a sentence), some with the state (a call reader knows what is inside a
string), some are added by a rewriting. A new rule of this kind is one function, and the transitions
that ask it.

What a mode is: rewritings
==========================

Strict, lenient and transcript, `on_conflict`, reasoning blocks and end tokens are not branches of
the reader. Each is a function from table to table (`tables.rewritings`), and `table_for` is the
recipe:

    the strict or the lenient table of the dialect
    + values that an observation ends if it is dressed like them   with_dressed_results
    + marks of what the model is given, which end the turn         with_given
    + labels in quotations are text                                with_quotations
    + the end tokens of other models                               with_end_tokens
    + blocks of reasoning, and calls in them                       with_reasoning, with_thoughts,
                                                                   with_calls_in_thoughts
    one turn, which ends where another begins                      one_turn
    or many turns, which follow one another                        many_turns

Every transition of the table that comes out is a `Go` or a `Note`. It is compiled
(`reading.rules.states`), and neither the scanner nor the guards know the mode.

What is held back, and why
==========================

Text arrives in chunks, cut anywhere. An event is emitted as soon as no later chunk can change it,
and not before, which is why the events do not depend on where the text is cut. Three things wait:

* The longest suffix that may still become a marker *valid in this state*. `markers.patterns`
  compiles each state's markers into one pattern, which finds whole markers, and the beginning of
  one at the very end. The runs inside a marker are bounded, so this suffix is bounded too.
* White space next to a possible marker, because it belongs to the marker if one follows.
* The name of a tool, which is short and only useful when it is whole.

Deltas of thoughts, inputs and answers do not wait. `ActionComplete` does: it comes when it is
certain that the turn is this action. A turn that turns out to be wrong raises when it is closed,
after its last event. A caller that acts only on `ActionComplete` never acts on half a call.

Most chunks only continue a text. Until a marker may have come, the scanner only emits them, and
takes them later, all at once. A call reader says when it is inside a value, and what may end that
(`CallReader.inside`), so the same holds there. That is another cut of the same text, so it makes no
difference to what is read.

Where leniency lives
====================

Every dialect has two tables: `strict` is the contract, `lenient` accepts what models really write.
The engine reads both in the same way. Each kind of leniency has one place:

* *Spelling* of a label or tag (`## action:`, `**Action**:`, full-width colons): the markers,
  `markers/kinds.py`. A marker knows its canonical form, and anything else is reported as a repair.
* *What may follow what* (an answer without a thought, a second action, a missing label): one
  matrix for all dialects with labels (`agent_parsers.families.steps`); elements and blocks of calls
  have such rules beside it. A dialect adds the rows that are its own.
* *What a name or input is dressed in* (quotes, fences, emphasis, prose): `repairs/`.
* *What a call may lack* (a closing brace, a tag, quotes around a key): its call reader in `calls/`,
  on top of the lenient JSON reader of `outputs.growing_json`.
* *What the end of the text may lack*: `reading/rules/`, by how the text ended (`"stop"`,
  `"length"`, or unknown). Nothing that may be half a call ever acts.
* *What is only quoted*, in backticks, fences or a sentence: `reading/quoting/`.

Every repair is reported with its kind and its span. Strict reading makes none.

Two roads through one table
===========================

`reading.stream.TurnStream` takes chunks and reads any text. Most callers have a whole text and want
only the result, so `whole.WholeReader` reads most turns at a fraction of the cost, and makes no
events (`reading/canonical/`): a step is split at its markers, and a turn of calls is matched with
the dialect's form. Where something may be meant otherwise (a guard that asks for more than the text
before a marker, half a stop sequence at the end), the stream decides. A few oddities leave no doubt
and need no stream: dressed labels, turns that end too early, and what follows a turn (`odd_steps`),
JSON with commas before closing brackets, in a fence or in a string (`odd_calls`). A table of texts
is read by the same matches, column by column (`reading/canonical/*_columns.py`): short steps are
split in one scan of all texts, and what few texts have is looked for in all at once. A law compares
each turn in it with the turn read alone. All roads follow the same states and rules
(`reading/rules/`), and a law compares whole with streamed on every text of the tests.

The floors, top first
=====================

::

    whole, stream_parser      what parsers use: both roads, with errors worded for the model
    writing/                  render, prompts, scratchpads, escapes, wording of errors
    reading/                  scanner > collecting/ > rules/ > quoting/
    tables/                   tables, rewritings, guards, dialects, problems, prompt words
    calls/                    call readers: json/, tags/, code/, brackets
    repairs/                  names, inputs, answers as models dress them
    markers/                  labels, literals, and the patterns that find them

A floor imports only from the floors below it; what it needs from above is passed in. The wording of
errors, for example, needs examples that `writing` renders, so readers are given it (`advise`).
"""
