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
  compiles each state's markers into one pattern, which finds whole markers; whether the text ends
  in the beginning of one is found by walking their trie. The runs inside a marker are bounded, so
  this suffix is bounded too.
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
* *What a name or input is dressed in* (quotes, fences, emphasis, prose): `repairs/`.
* *What a call may lack* (a closing brace, a tag, quotes around a key): its call reader in `calls/`,
  on top of the lenient JSON reader of `outputs.growing_json`.
* *What the end of the text may lack*: `reading/rules/`, by how the text ended (`"stop"`,
  `"length"`, or unknown). Nothing that may be half a call ever acts.
* *What is only quoted*, in backticks, fences or a sentence: `reading/quoting/`.

Every repair is reported with its kind and its span. Strict reading makes none.

Three ways to read a turn
=========================

::

    text --match--> turn              a turn spelt as its Form writes it: one match
      or else --respell--> match      labels, commas and fences undressed: text to text, once
          or else --stream--> turn    any other turn, and every turn that arrives in chunks

`reading.stream.TurnStream` takes chunks and reads any text. It is the reference: what it gives is
what a turn means. Most callers have a whole text, spelt as the dialect writes it, and want only the
result. For them a `reading.matching.matcher.Matcher`, made from the dialect's `Form`, reads a turn
in one match of a regular expression, and makes no events: `StepMatcher` a step with one action,
`TurnMatcher` a turn of calls in JSON, in tags or in Python. Their patterns take only text in which
nothing can be anything but what the Form says. Where something may be meant otherwise (what may be
a marker or hide one, half a stop sequence at the end, a name that takes repairs), they return
`None`, and the stream decides.

A lenient turn that does not match may only be dressed. `reading.matching.respelling` writes it
again, once, with the repairs and their places, and the match is tried on that. Respelling takes off
nothing but the dress of labels, commas before closing brackets, and fences around calls, so
whether a call is quoted is still asked of the text as it was written.

`whole.WholeReader` is where the three meet. A table of texts is a loop over it, and a log of clean
steps is the match between two observations (`reading.matching.clean_runs`). Laws compare the match
with the stream on every text of the tests, and a test of the house lists which functions make a
turn, a call or a repair from text, so that no fourth way comes unseen. Another pattern may be added
only if a turn that *we render* is not matched, never for an odd one.

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
