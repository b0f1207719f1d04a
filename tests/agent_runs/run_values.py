"""What a run holds, for comparing runs."""

from agent_parsers import Transcript


def values(run: Transcript) -> tuple[object, ...]:
    """Return the question of a *run*, its steps and its answer, without blanks behind results."""
    steps = [
        (step.thought, getattr(step.action, "tool", ""), getattr(step.action, "tool_input", ""),
         (step.observation or "").rstrip(), step.error)
        for step in run.all_steps
    ]  # fmt: skip
    assert run.finish is None or isinstance(run.finish.return_values["output"], str)
    return run.question, steps, run.finish and run.finish.return_values["output"]
