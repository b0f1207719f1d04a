"""Tries to make dialects act on calls that are not meant: ``python tools/benchmarks/attack.py``.

The texts are prefixes of turns, prefixes followed by another turn, values that contain markup,
quoted and disowned calls, calls in marks of thoughts and quotations of any kind, something beside
the arguments, duplicate keys, and random edits. Each is read in strict and in lenient mode, with
tools of several shapes, whole and as a stream, and with each value of ``ended``. The outcome is the
*same action*, which is meant; an *answer*; *refused*; or one of two exemptions: *raw text*, which
has no closer, so that it may end anywhere unless it is known to be cut; and *repaired*, a call that
is not meant but reported as a repair. Repairs are allowed for random edits; for calls closed by the
next call, see `docs/lenient.md`; for text that contains a label; and for a value that contains the
closer of its call, if the text is cut there. A *known* fault is one that the next change mends; the
tests name it as well. Everything else *acted wrongly* or *crashed*, and the exit code is 1. The
texts are the same in every run.

The last table counts texts: all of a kind, those with a wrong reading, known or not, and the
dialects that read one wrongly.

``--show`` prints examples, ``--dialect NAME`` and ``--kind KIND`` select the attacks, and
``--step 1`` uses every position instead of every third, and all seams are used in any case; the
usual run takes some twenty minutes on two cores.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool
from typing import TYPE_CHECKING, Final, NamedTuple

from _attacks import KINDS, attacks

from agent_laws.trials.sample_calls import (
    Meant,
    calls_in,
    is_cut_short,
    parser_for,
    same_input,
)
from agent_parsers import OutputParserException, get_dialect, list_dialects
from tests.helpers.known_faults import known_attack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _attacks import Attack

    from agent_parsers.authoring import Dialect
    from agent_parsers.engine.tables.modes import Mode
    from outputs.messages.ended import Ended

OUTCOMES: Final = (
    "same action", "answer", "refused", "raw text", "repaired", "known", "acted wrongly", "crashed",
)  # fmt: skip
BAD: Final = OUTCOMES[-2:]
MODES: Final[tuple[Mode, ...]] = ("strict", "lenient")


class Example(NamedTuple):
    """A text with a bad outcome."""

    kind: str
    mode: Mode
    ended: Ended
    attack: Attack
    outcome: str
    found: str

    def __str__(self) -> str:
        tools = "unknown" if self.attack.tools is None else list(self.attack.tools)
        head = f"{self.outcome} ({self.kind}, {self.mode}, ended={self.ended!r})"
        return (
            f"  {head}\n    text:  {self.attack.text!r}\n    read:  {self.found}\n"
            f"    meant: {[tuple(call) for call in self.attack.meant]}\n    tools: {tools}"
        )


def outcome(
    dialect: Dialect, mode: Mode, kind: str, attack: Attack, ended: Ended, *, as_stream: bool
) -> tuple[str, str]:
    """Return the outcome of an *attack*, and the result if the outcome is bad."""
    parser = parser_for(dialect, mode, attack.tools)
    try:
        if as_stream or attack.may_repair:
            turn = parser.read(attack.text, ended=ended)
            result, repairs = turn.result, turn.repairs
        else:
            result, repairs = parser.parse(attack.text, ended=ended), ()
    except OutputParserException:
        return "refused", ""
    except Exception as error:  # noqa: BLE001 - the attack looks for these
        return "crashed", f"{type(error).__name__}: {error}"
    calls = calls_in(result)
    if not calls:
        return "answer", ""
    wrong = list(_not_meant(calls, attack.meant))
    if not wrong:
        return "same action", ""
    if _is_raw(wrong, attack, ended):
        return "raw text", ""
    if attack.may_repair and repairs and ended != "length":
        return "repaired", ""
    if known_attack(kind, attack.what):
        return "known", ""
    return "acted wrongly", str([tuple(call) for call in calls])


def _not_meant(calls: list[Meant], meant: tuple[Meant, ...]) -> Iterator[Meant]:
    """Yield the *calls* that are not *meant*, or not in this order."""
    rest = iter(meant)
    for call in calls:
        if not any(call.tool == m.tool and same_input(call.tool_input, m.tool_input) for m in rest):
            yield call


def _is_raw(wrong: list[Meant], attack: Attack, ended: Ended) -> bool:
    """Return whether only raw text that was cut is wrong."""
    raw = attack.raw
    if raw is None or ended == "length":
        return False
    # If the tool rejects the whole input, no call is meant.
    meant = attack.meant or [Meant(call.tool, raw.text) for call in wrong]
    return all(any(is_cut_short(call, each, raw) for each in meant) for call in wrong)


def attack_on(
    name: str, kinds: tuple[str, ...], step: int, most: int
) -> tuple[Counter[str], list[Example]]:
    """Return the outcomes of all attacks on a dialect, by kind, and examples of the bad ones."""
    dialect = get_dialect(name)
    counts: Counter[str] = Counter()
    kept: Counter[tuple[str, str, str]] = Counter()
    examples: list[Example] = []
    texts: list[tuple[str, Mode, bool]] = []
    for mode in MODES:
        for number, (kind, attack) in enumerate(attacks(dialect, mode, step, kinds)):
            wrong = False
            for ended in attack.ended:
                # `parse` and the stream take turns.
                is_odd = (number + len(ended)) % 2 == 1
                came, found = outcome(dialect, mode, kind, attack, ended, as_stream=is_odd)
                wrong |= came in ("known", *BAD)
                counts[came] += 1
                counts[f"{kind} {came}"] += 1
                is_new = not examples or examples[-1].attack is not attack
                if came in BAD and is_new and kept[kind, mode, came] < most:
                    kept[kind, mode, came] += 1
                    examples.append(Example(kind, mode, ended, attack, came, found))
            texts.append((f"{kind}: {attack.what}" if attack.what else kind, mode, wrong))
    for what, mode, wrong in texts:
        counts[f"{what} {mode} texts"] += 1
        counts[f"{what} {mode} wrong"] += wrong
        counts[f"{what} {mode} dialects"] |= wrong
    return counts, examples


def table_of_texts(counts: Counter[str]) -> list[str]:
    """Return the number of texts, of those read wrongly, and of dialects, by kind and mode."""
    kinds = [key.removesuffix(" lenient texts") for key in counts if key.endswith("lenient texts")]
    kinds += [key.removesuffix(" strict texts") for key in counts if key.endswith("strict texts")]
    cells = ("texts", "wrong", "dialects")
    heads = "".join(f"{f'{mode} {cell}':>18}" for mode in MODES for cell in cells)
    rows = [
        f"{kind:40}"
        + "".join(f"{counts[f'{kind} {mode} {c}']:>18}" for mode in MODES for c in cells)
        for kind in sorted(
            dict.fromkeys(kinds), key=lambda kind: [*KINDS].index(kind.partition(":")[0])
        )
    ]
    return [f"{'kind':40}{heads}", *rows]


def head(title: str) -> str:
    """Return the column titles."""
    return f"{title:20}{''.join(f'{head:>14}' for head in OUTCOMES)}{'all':>10}"


def row(name: str, counts: Counter[str], of: str = "") -> str:
    """Return the counts of a dialect or of one kind, in columns."""
    cells = [counts[f"{of} {came}".strip()] for came in OUTCOMES]
    return f"{name:20}{''.join(f'{cell:>14}' for cell in cells)}{sum(cells):>10}"


def main() -> None:
    """Run the attacks, print the tables, and exit with 1 if anything acted wrongly."""
    arguments = argparse.ArgumentParser(description="Try to make the dialects act wrongly.")
    arguments.add_argument("--dialect", action="append", choices=list_dialects())
    arguments.add_argument("--kind", action="append", choices=KINDS)
    arguments.add_argument("--step", type=int, default=3, help="use every STEP-th position")
    arguments.add_argument("--jobs", type=int, default=2, help="number of processes")
    arguments.add_argument(
        "--show", nargs="?", type=int, const=3, default=0, metavar="MOST",
        help="print up to this many bad examples of each kind, mode and dialect",
    )  # fmt: skip
    options = arguments.parse_args()
    names = options.dialect or list_dialects()
    kinds = tuple(options.kind or KINDS)
    attack = partial(attack_on, kinds=kinds, step=options.step, most=options.show)
    total: Counter[str] = Counter()
    print(head("dialect"), flush=True)
    with Pool(options.jobs) as pool:
        for name, (counts, examples) in zip(names, pool.imap(attack, names), strict=True):
            total += counts
            print(row(name, counts), *examples, sep="\n", flush=True)
    print(row("all", total), "", head("kind"), sep="\n")
    print(*(row(kind, total, kind) for kind in kinds), "", *table_of_texts(total), sep="\n")
    sys.exit(any(total[came] for came in BAD))


if __name__ == "__main__":
    main()
