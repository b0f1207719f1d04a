"""One log under the prefixes of loggers, containers and systems."""

import codecs
import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log, read_runs
from agent_runs.detecting.prefixes import find_prefix
from agent_runs.reading.parts import is_open_end
from agent_runs.splitting.labels import begins_any

from ..run_values import values

LOG = """\
Question: What does the ferry cost?
Thought: The page on fares knows.
Action: fares
Action Input: {"pier": "Horgen", "adult": true}
Observation: | who | single |
|---|---|
| adult | 3.40 |

INFO: valid from 2026-01-01 00:00:00
  - dogs: free
Thought: I know it now.
Final Answer: An adult pays 3.40.

- dogs travel free
"""
OTHER = """\
Question: How late is it?
Thought: A clock.
Action: clock
Action Input: Bern
Observation: 12:00
Final Answer: Noon.
"""


def seconds() -> Iterator[str]:
    return (f"{number // 60:02}:{number % 60:02}" for number in range(10_000))


def each_line(form: str) -> Callable[[str], str]:
    def written(log: str) -> str:
        lines = zip(log.splitlines(), seconds(), range(100_000), strict=False)
        return "".join(
            f"{form.format(s=second, ms=f'{n * 137 % 1000:03}', n=n)}{line}\n"
            for line, second, n in lines
        )

    return written


PREFIXES = {
    "logging": "2026-01-05 09:{s},{ms} INFO agent ",
    "logging, dashes": "2026-01-05 09:{s},{ms} - agent.run - INFO - ",
    "logging, basic": "INFO:agent:",
    "logging, levels only": "INFO: ",
    "logging, brackets": "[2026-01-05 09:{s}] [INFO] [agent] ",
    "logging, a line number": "09:{s} agent.py:{n} DEBUG: ",
    "uvicorn": "INFO:     ",
    "iso": "2026-01-05T09:{s}.{ms}Z ",
    "iso, offset": "2026-01-05T09:{s}+01:00 ",
    "clock": "09:{s} ",
    "am": "1/5/2026 9:{s} AM ",
    "loguru": "2026-01-05 09:{s}.{ms} | INFO     | agent:run:{n} - ",
    "loguru, coloured": "\x1b[32m2026-01-05 09:{s}.{ms}\x1b[0m | \x1b[1mINFO    \x1b[0m | "
    "\x1b[36magent\x1b[0m:\x1b[36mrun\x1b[0m:\x1b[36m{n}\x1b[0m - ",
    "log4j": "09:{s}.{ms} [main] INFO  c.e.Agent - ",
    "compose": "agent-1  | ",
    "compose v1": "agent_1  | ",
    "compose, coloured": "\x1b[36magent-1  | \x1b[0m",
    "compose with times": "agent-1  | 2026-01-05T09:{s}.{ms}000000Z ",
    "compose of logging": "agent-1  | 2026-01-05 09:{s},{ms} INFO agent ",
    "GitHub": "2026-01-05T09:{s}.{ms}1234Z ",
    "GitHub, gh": "build\tRun python agent.py\t2026-01-05T09:{s}.{ms}1234Z ",
    "GitHub, gh, unknown": "build (3.12)\tUNKNOWN STEP\t\ufeff2026-01-05T09:{s}.{ms}1234Z ",
    "journald": "Jan 05 09:{s} box agent[4711]: ",
    "journald, iso": "2026-01-05T09:{s}+0100 box agent[4711]: ",
    "kubectl": "[pod/agent-7f/agent] ",
    "concurrently": "[agent] ",
    "pm2": "0|agent    | ",
    "foreman": "09:{s} agent.1   | ",
    "swarm": "team_agent.1.x7f@node    | ",
    "logging, a file": "2026-01-05 09:{s},{ms} [INFO] agent (agent.py:{n}): ",
    "logging, threads": "2026-01-05 09:{s},{ms} [4711] [MainThread] INFO agent - ",
    "gunicorn": "[2026-01-05 09:{s} +0000] [7] [INFO] ",
    "celery": "[2026-01-05 09:{s},{ms}: INFO/MainProcess] ",
    "airflow": "[2026-01-05, 09:{s} UTC] {{agent.py:{n}}} INFO - ",
    "spring": "2026-01-05 09:{s}.{ms}  INFO 4711 --- [main] c.e.Agent : ",
    "structlog": "2026-01-05 09:{s} [info     ] ",
    "lambda": "2026-01-05T09:{s}.{ms}Z\t0f6c-11\tINFO\t",
    "heroku": "2026-01-05T09:{s}.{ms}000+00:00 app[worker.1]: ",
    "gitlab": "2026-01-05T09:{s}.{ms}000Z 01O ",
    "azure": "2026-01-05T09:{s}.{ms} [Information] ",
    "jenkins": "[2026-01-05T09:{s}.{ms}Z] ",
    "syslog": "Jan  5 09:{s} box agent: ",
    "epoch": "1767603600.{ms} ",
}


def first_line(log: str) -> str:
    """Return *log* with a prefix before each message, which has several lines."""
    pieces = log.replace("\nThought", "\0Thought").replace("\nObs", "\0Obs").rstrip().split("\0")
    return "".join(
        f"2026-01-05 09:00:0{number},260 INFO agent: {piece}\n"
        for number, piece in enumerate(pieces)
    )


@cache
def expected(log: str = LOG) -> tuple[object, ...]:
    (run,) = read_runs(log)
    return values(run)


@pytest.mark.parametrize("name", PREFIXES)
def test_a_log_under_a_prefix_is_read_as_the_log(name: str) -> None:
    log = each_line(PREFIXES[name])(LOG)
    (run,) = read_runs(log)
    assert values(run) == expected()
    assert all(map(is_open_end, run.notices))
    assert run.source is not None
    assert (run.source.within[0], run.source.reader, run.source.line) == ("prefixed", "plain", 1)


@pytest.mark.parametrize("name", ["logging", "iso", "GitHub", "GitHub, gh", "logging, a file"])
@pytest.mark.parametrize("log", [
    "---------- TextMessage (user) ----------\nWhich?\n" * 3,
    "\n\n> Entering\n\n\nInvoking: `a`\n\n\nfound: 9\n\n\n\nNine.\n\n",
])  # fmt: skip
def test_the_prefix_ends_before_lines_of_dashes_and_empty_lines(name: str, log: str) -> None:
    prefix = find_prefix(each_line(PREFIXES[name])(log))
    assert prefix is not None
    lines = each_line(PREFIXES[name])(log).splitlines(keepends=True)
    split = [prefix.split(line) for line in lines]
    assert [part and part[1] for part in split] == log.splitlines(keepends=True)


@pytest.mark.parametrize("name", ["logging", "logging, basic", "iso", "logging, brackets"])
def test_lines_without_the_prefix_may_be_more_and_have_fields(name: str) -> None:
    message = "Which?\n" + " Call ID: c1\n  Args:\n    city: Bern\n" * 5
    log = "".join(each_line(PREFIXES[name])(f"{at}")[:-2] + message for at in range(4))
    prefix = find_prefix(log)
    assert prefix is not None
    found = [part for line in log.splitlines(keepends=True) if (part := prefix.split(line))]
    assert [each.text for each in found] == ["Which?\n"] * 4


def test_a_prefix_may_stand_before_the_first_line_of_a_message_only() -> None:
    (run,) = read_runs(first_line(LOG))
    assert values(run) == expected()


@pytest.mark.parametrize("line", ["Thought: hm", "Final Answer: 12", "Action: x\nAction Input: y"])
def test_what_a_message_with_an_observation_holds_is_no_step(line: str) -> None:
    log = LOG.replace("  - dogs: free", line)
    messages = first_line(log).replace(
        "\n2026-01-05 09:00:03,260 INFO agent: Thought: hm", "\nThought: hm"
    )
    (run,) = read_runs(messages)
    assert line in (run.all_steps[0].observation or "")
    assert len(run.all_steps) == 2


@pytest.mark.parametrize("name", ["logging", "logging, basic", "loguru", "journald", "compose"])
def test_lines_of_other_loggers_belong_to_no_value(name: str) -> None:
    prefix = PREFIXES[name]
    noise = prefix.replace("agent", "httpx")
    both = cycle((prefix, noise))
    lines = [line for line in LOG.splitlines() for _ in range(2)]
    log = "".join(
        f"{form.format(s=second, ms='260', n=7)}{line if form == prefix else 'POST 200 OK'}\n"
        for line, form, second in zip(lines, both, seconds(), strict=False)
    )
    (run,) = read_runs(log)
    assert values(run) == expected()


def test_levels_of_one_logger_are_one_log() -> None:
    """Each part of a run may have a level of its own; see `test_loggers` for what has no label."""
    levels = cycle(("INFO", "DEBUG", "WARNING"))
    level, log = "", ""
    for line, second in zip(LOG.splitlines(), seconds(), strict=False):
        level = next(levels) if begins_any(line) else level
        log += f"2026-01-05 09:{second},260 {level:8} agent {line}\n"
    (run,) = read_runs(log)
    assert values(run) == expected()


def test_parts_of_a_program_are_one_log() -> None:
    names = cycle(("agent.llm", "agent.tools"))
    log = "".join(
        f"2026-01-05 09:{second},260 INFO {name} {line}\n"
        for line, name, second in zip(LOG.splitlines(), names, seconds(), strict=False)
    )
    (run,) = read_runs(log)
    assert values(run) == expected()


def test_each_service_has_a_log_of_its_own() -> None:
    first = [f"agent-a-1  | {line}" for line in LOG.splitlines()]
    second = [f"agent-b-1  | {line}" for line in OTHER.splitlines()]
    third = ["db-1       | ready to accept connections"] * 3
    mixed = [line for lines in zip(first, second, third, strict=False) for line in lines]
    log = "\n".join(["Attaching to agent-a-1, agent-b-1, db-1", *mixed, *first[3:], *second[3:]])
    log += "\nagent-a-1 exited with code 0\n"
    runs = [*read_runs(log)]
    assert [values(run) for run in runs] == [expected(), expected(OTHER)]
    assert [run.source and run.source.line for run in runs] == [2, 3]


def test_a_service_that_writes_a_run_late_is_read_too() -> None:
    early = each_line("b-1  | ")("waiting\n" * 3000)
    runs = read_runs(each_line("a-1  | ")(LOG) + early + each_line("b-1  | ")(OTHER))
    assert [run.question for run in runs] == [expected()[0], expected(OTHER)[0]]


def test_the_frames_of_a_workflow_belong_to_no_value() -> None:
    stamp = "2026-01-05T09:00:00.1234567Z "
    before = "##[group]Run python agent.py\npython agent.py\nshell: bash -e {0}\n##[endgroup]\n"
    after = "##[error]Process completed with exit code 1.\nPost job cleanup.\n"
    log = before + LOG + after + "Cleaning up orphan processes\n"
    (run,) = read_runs("".join(f"{stamp}{line}\n" for line in log.splitlines()))
    assert values(run) == expected()
    assert all(map(is_open_end, run.notices))


def test_text_before_the_first_prefix_is_a_notice() -> None:
    (run,) = read_runs("$ python agent.py\n" + each_line(PREFIXES["logging"])(LOG))
    assert [(n.kind, n.text, n.line) for n in run.notices if not is_open_end(n)] == [
        ("unowned_text", "$ python agent.py\n", 1)
    ]


# -- how the file is written ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["logging", "compose", "GitHub"])
def test_line_ends_and_encodings(name: str) -> None:
    log = each_line(PREFIXES[name])(LOG)
    windows = log.replace("\n", "\r\n")
    for data in (
        windows.encode(), codecs.BOM_UTF8 + log.encode(), windows.encode("utf-16"),
        codecs.BOM_UTF16_BE + log.encode("utf-16-be"),
    ):  # fmt: skip
        (run,) = read_runs(data)
        assert values(run) == expected()


def test_blanks_at_the_ends_of_lines_may_be_missing() -> None:
    log = each_line(PREFIXES["logging"])(LOG)
    (run,) = read_runs("\n".join(map(str.rstrip, log.split("\n"))))
    assert values(run) == expected()


# -- JSON lines ----------------------------------------------------------------------------------

RECORDS: dict[str, Callable[[str], dict[str, str]]] = {
    "python-json-logger": lambda text: {"asctime": "2026", "name": "agent", "message": text},
    "structlog": lambda text: {"event": text, "level": "info", "timestamp": "2026"},
    "msg": lambda text: {"ts": "2026", "msg": text},
    "docker": lambda text: {"log": f"{text}\n", "stream": "stdout", "time": "2026"},
}


@pytest.mark.parametrize("name", RECORDS)
def test_messages_may_be_json(name: str) -> None:
    log = "".join(f"{json.dumps(RECORDS[name](line))}\n" for line in LOG.splitlines())
    (run,) = read_runs(log)
    assert values(run) == expected()
    assert run.source is not None
    assert run.source.within == ("json_lines",)


def test_a_message_of_json_may_have_many_lines() -> None:
    first, rest = LOG.split("\nObservation", 1)
    seen, last = rest.split("\nThought", 1)
    quoted = "\nThought: quoted\nAction: none"
    texts = [first, f"Observation{seen}{quoted}", f"Thought{last}"]
    log = "".join(f"{json.dumps(RECORDS['msg'](text))}\n" for text in texts)
    noise = f"{json.dumps({'ts': '2026', 'msg': 'GET 200', 'logger': 'httpx'})}\n"
    (run,) = read_runs(noise + log + noise)
    assert (run.all_steps[0].observation or "").endswith(quoted)
    assert len(run.all_steps) == 2


def test_a_line_that_is_no_message_is_refused() -> None:
    log = "".join(f"{json.dumps(RECORDS['msg'](line))}\n" for line in (LOG + LOG).splitlines())
    with pytest.raises(OutputParserException, match=r"not JSON: .* \(line 29"):
        list(read_runs(log + "broken\n"))
    errors: list[OutputParserException] = []
    assert len(list(read_runs(log + "broken\n", on_error=errors.append))) == 2
    assert len(errors) == 1


# -- what is no prefix ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        OTHER * 3,
        LOG.replace("|---|---|", "2026-01-05 09:00:00 INFO agent x\n" * 5),
        "[2026-01-05T09:00:00.000]\n\nSystem message:\n\nx\n" * 5,
        "Mia: hi\nTom: hello\nMia: bye\n",
        "a | b\n" + "text\n" * 9,
    ],
)
def test_a_log_without_a_prefix_has_none(text: str) -> None:
    assert find_prefix(text) is None


def test_a_prefix_over_no_run_is_an_error() -> None:
    log = each_line(PREFIXES["logging"])("started\nready\n" * 5)
    assert detect_log(log).reader == "prefixed"
    with pytest.raises(OutputParserException, match="found no run, and no known form of log"):
        list(read_runs(log))


def test_a_named_form_without_a_prefix_is_an_error() -> None:
    with pytest.raises(
        OutputParserException, match="found no prefix that the lines have in common"
    ):
        list(read_runs(LOG, format="prefixed"))


def test_the_evidence_shows_the_prefix() -> None:
    form = detect_log(each_line(PREFIXES["compose"])(LOG))
    assert (form.reader, form.evidence) == ("prefixed", ("lines begin like 'agent-1  | '",))
