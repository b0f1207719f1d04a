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
* `Note` leaves the marker in the text and changes the state. `Action Input:` before any `Action:`
  is a note: it stays in the thought, and only changes which error is reported.

A marker without a transition in the current state is plain text. That one rule is why an answer may
contain `Action Input:`. (An input may contain `Thought:` within a line for another reason: there it
is no marker at all, since a label begins a line.)

Where a tool and its input stand together, as in JSON, tags or Python calls, the part is `call`, and
a call reader (`calls/`) owns the text until the call is over. It knows whether the text is inside a
string, where a marker is only text. It emits the name and the input as they come, and judges the
call at its end. One object does both, because only the code that repairs JSON knows where a string
ends.

Tools are given with the turn. Without them any name is a tool; with them an unknown one is an
error, and a call that does not fit its tool's schema is one too.

Whether a marker counts: guards
===============================

A transition may have guards (`tables.guards`): conditions on the place of the marker, such as
"begins a sentence", "not within backticks", "dressed like the label before", "outside of
quotations", "not in a value of the call". A guard returns the reason why the marker is plain text,
or `""` if it counts. The first reason wins, and `explain` shows it. Some guards come with the
marker (an inline label has to begin a sentence), some with the state (a call reader knows what is
inside a string), some are added by a rewriting. A new rule of this kind is one function, and the
transitions that ask it; if the refusal must also be reported or counted, `Scanner._is_text` too.

What a mode is: rewritings
==========================

Strict, lenient and transcript, `on_conflict`, reasoning blocks and end tokens are not branches of
the reader. Each is a function from table to table (`tables.rewritings`), and `table_for` is the
recipe:

    the strict or the lenient table of the dialect
    + an observation in the formatting of the label before it      with_dressed_results
      ends the input or answer
    + marks of results and of other roles end the turn             with_given
    + labels in quotations are text                                with_quotations
    + the end tokens of other models                               with_end_tokens
    + blocks of reasoning, and calls in them                       with_reasoning, with_thoughts,
                                                                   with_calls_in_thoughts
    one turn, which ends where another begins                      one_turn
    or many turns, which follow one another                        many_turns

Not every table takes every step: marks of results are for turns of several calls, quotations and
end tokens for single lenient turns, and strict tables take none of the last four. `one_turn` and
`many_turns` replace every `EndTurn` by a `Go`, so the table that comes out has only `Go` and
`Note`. It is compiled (`reading.rules.states`). Guards do not know the mode; the scanner asks only
whether the table is lenient, in order to report a repair.

One rule stands outside of tables: strict mode makes no call that lenient mode would not make
(`reading.stream`, `_refusal`). The fourth mode, `"langchain"`, reads the strict table as
LangChain's parsers do.

What is held back, and why
==========================

Text arrives in chunks, cut anywhere. An event is emitted as soon as no later chunk can change it,
and not before, which is why the events do not depend on where the text is cut. These wait:

* The longest suffix that may still become a marker *valid in this state*. `markers.patterns`
  compiles each state's markers into one pattern, which finds whole markers; a trie of the markers
  shows whether the text ends in the beginning of one. The runs inside a marker are bounded, so this
  suffix is bounded too.
* White space next to a possible marker, because it belongs to the marker if one follows.
* The name of a tool, which is short and only useful when it is whole.
* In turns of several calls, JSON that may still be a call, and what follows the end of a thought
  within a thought.

All other text goes out at once. `ActionComplete` comes when it is certain that the turn is this
action; a turn of several calls emits all of them at its end (with ``calls="each"``, each when its
block closes), or none if one is wrong. `close` raises if the turn is wrong; its last events are
then in `last_events`. A caller that acts only on `ActionComplete` never acts on half a call.

Where leniency lives
====================

Every dialect has two tables: `strict` is the contract, `lenient` accepts what models really write.
The engine reads both in the same way. Each kind of leniency has one place:

* *Spelling* of a label (`## action:`, `**Action**:`, full-width colons): the markers,
  `markers/kinds.py`. A marker knows its canonical form, and anything else is reported as a repair.
  Spellings of the marks around calls and of tags are given by the dialect.
* *What may follow what* (an answer without a thought, a second action, a missing label): one
  matrix for all dialects with labels (`agent_parsers.families.steps`); elements and blocks of calls
  have such rules beside it. A dialect adds the rows that are its own.
* *Formatting around a name or input* (quotes, fences, emphasis, prose): `repairs/`.
* *What a call may lack* (a closing brace, a tag, quotes around a key): its call reader in `calls/`,
  on top of the lenient JSON reader of `outputs.growing_json`.
* *What the end of the text may lack*: `reading/rules/`, by how the text ended (`"stop"`,
  `"length"`, or unknown). A call that may be incomplete is never executed.
* *What is only quoted*, in backticks, fences or a sentence: `reading/quoting/`.
* *What is a call in the form of another dialect*: a lenient turn that would end as an answer is
  searched once more (`reading/rules/foreign.py`).

Every repair is reported with its kind and its span. Strict reading repairs nothing that the model
wrote; it reports that an answer was cut, and what the policy of a `ToolSet` dropped from an input.

Whether a *label* is quoted is asked when it comes (`quoting/watch.py`, or the call reader). Whether
a *call* is quoted is asked later, since a quotation has two sides: by `judge` at the end of a turn
of calls, by `enclosing` when a single action ends. A quoted call is content, with the repair
``quoted``. In strict mode, or where it is the only action of the turn, it is an error.

Where errors come from
======================

Everything here records what is wrong as a `BadPayload`, which is a problem and a span, and the
first one counts. It comes from a state in which no turn may end, from the call reader, the tool's
name or schema, from quotations and from calls in another form. `Machine.error` words it when the
turn is closed.

Three ways to read a turn
=========================

::

    text --match--> turn              a turn in the exact spelling of its dialect: one match
      or else --respell--> match      labels, commas and fences undressed: text to text, once
          or else --stream--> turn    any other turn, and every turn that arrives in chunks

`reading.stream.TurnStream` takes chunks and reads any text. It is the reference: a turn means what
the stream makes of it. Most callers have a whole text, spelt as the dialect writes it, and want
only the result. For them a `reading.matching.matcher.Matcher`, made from the dialect's `Form` (the
templates that say how it spells a turn), reads a turn in one match of a regular expression, without
events (`Turn.events` are read by a stream when someone asks for them): `StepMatcher` a step with
one action, `TurnMatcher` a turn of calls in JSON, in tags or in Python. Their patterns match only
text with one possible reading. If any part is ambiguous (text that may be a marker or hide one,
half a stop sequence at the end, a name that needs a repair), they return `None` and the stream
decides. The stream also reads the turn if the caller gives `start=` or `prompt=` or says that the
text was cut, or if the dialect has no `Form`. Strict mode takes what the lenient match reads
without a repair.

In lenient mode, a turn that does not match may differ only in spelling.
`reading.matching.respelling` rewrites it once, recording each repair and its span, and the result
is matched again. A rewritten turn is used only if it has calls. Respelling changes only the
spelling of labels, trailing commas, and fences around calls. Whether a call is quoted is decided as
for any other turn.

`whole.WholeReader` is where the three meet. A table of texts is a loop over it. A run in a log
whose steps all match is read step by step, from one observation to the next (`RunMatcher` in
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
