"""The engine: reads and writes the turns of any dialect. This page is the theory behind it.

A dialect is data (`tables.dialect.Dialect`). The engine compiles it into a state machine and runs
the text through it. There are no branches for particular dialects: anything specific to one is a
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
  invented. A single turn ends there: lenient mode reports the rest as skipped, strict mode raises.
  A transcript continues.
* `Note` leaves the marker in the text and changes the state. An opening code fence is a note:
  labels do not count until it closes.

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
quotations", "not in a value of the call". A guard returns the reason why the marker is plain text,
or `""` if it counts. The first reason wins, and `explain` shows it. Some guards come with the
marker (an inline label has to begin a sentence), some with the state (a call reader knows what is
inside a string), some are added by a rewriting. A new rule of this kind is one function, and the
transitions that ask it.

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
  compiles each state's markers into one pattern, which finds whole markers; a trie of the markers
  shows whether the text ends in the beginning of one. The runs inside a marker are bounded, so this
  suffix is bounded too.
* White space next to a possible marker, because it belongs to the marker if one follows.
* The name of a tool, which is short and only useful when it is whole.

Deltas of thoughts, inputs and answers do not wait. `ActionComplete` does: it comes when it is
certain that the turn is this action. A turn that turns out to be wrong raises when it is closed,
after its last event. A caller that acts only on `ActionComplete` never acts on half a call.

Where leniency lives
====================

Every dialect has two tables: `strict` is the contract, `lenient` accepts what models really write.
The engine reads both in the same way. Each kind of leniency has one place:

* *Spelling* of a label or tag (`## action:`, `**Action**:`, full-width colons): the markers,
  `markers/kinds.py`. A marker knows its canonical form, and anything else is reported as a repair.
* *What may follow what* (an answer without a thought, a second action, a missing label): one
  matrix for all dialects with labels (`agent_parsers.families.steps`); elements and blocks of calls
  have such rules beside it. A dialect adds the rows that are its own.
* *Formatting around a name or input* (quotes, fences, emphasis, prose): `repairs/`.
* *What a call may lack* (a closing brace, a tag, quotes around a key): its call reader in `calls/`,
  on top of the lenient JSON reader of `outputs.growing_json`.
* *What the end of the text may lack*: `reading/rules/`, by how the text ended (`"stop"`,
  `"length"`, or unknown). A call that may be incomplete is never executed.
* *What is only quoted*, in backticks, fences or a sentence: `reading/quoting/`.

Every repair is reported with its kind and its span. Strict reading makes none.

Three ways to read a turn
=========================

::

    text --match--> turn              a turn spelt as its Form writes it: one match
      or else --respell--> match      labels, commas and fences undressed: text to text, once
          or else --stream--> turn    any other turn, and every turn that arrives in chunks

`reading.stream.TurnStream` takes chunks and reads any text. It is the reference: a turn means what
the stream makes of it. Most callers have a whole text, spelt as the dialect writes it, and want
only the result. For them a `reading.matching.matcher.Matcher`, made from the dialect's `Form`,
reads a turn in one match of a regular expression, without events (`Turn.events` are read by a
stream when someone asks for them): `StepMatcher` a step with one action, `TurnMatcher` a turn of
calls in JSON, in tags or in Python. Their patterns match only text with one possible reading. If
any part is ambiguous (text that may be a marker or hide one, half a stop sequence at the end, a
name that needs a repair), they return `None` and the stream decides. So it does if the caller says
where the text begins or that it was cut, and for dialects without a `Form`.

In lenient mode, a turn that does not match may differ only in spelling.
`reading.matching.respelling` rewrites it once, recording each repair and its span, and the result
is matched again. A rewritten turn is used only if it has calls. Respelling changes only the
spelling of labels, trailing commas, and fences around calls. Whether a call is quoted is decided as
for any other turn.

`whole.WholeReader` is where the three meet. A table of texts is a loop over it. A log whose steps
all match is read by the match between two observations (`RunMatcher` in
`reading.matching.clean_runs`); any other run takes the stream. Property tests compare the match
with the stream on every test text, and `tests/test_ways_to_read.py` lists the functions that make a
turn, a call or a repair from text, so nobody adds a fourth way unnoticed. Add a pattern only if a
turn that *we render* is not matched, never for an unusual one.

The floors, top first
=====================

::

    whole, stream_parser      what parsers use: whole texts and chunks, with errors for the model
    writing/                  render, prompts, scratchpads, escapes, wording of errors
    reading/                  matching/, and scanner > collecting/ > rules/ > quoting/
    tables/                   tables, rewritings, guards, dialects, problems, prompt words
    calls/                    call readers: json/, tags/, code/, brackets
    repairs/                  names, inputs, answers as models dress them
    markers/                  labels, literals, and the patterns that find them

A floor imports only from the floors below it; what it needs from above is passed in. The wording of
errors, for example, needs examples that `writing` renders, so readers are given it (`advise`).
"""
