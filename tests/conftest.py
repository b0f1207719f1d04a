"""How long the property tests look.

``fast`` by default: a few examples of each law on each dialect, and a sample of what is listed.
``HYPOTHESIS_PROFILE=ci`` tries nearly all that is listed, and more examples, always the same ones;
``HYPOTHESIS_PROFILE=deep`` searches.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

FAST_EXAMPLES = 10

# Texts of a grammar need many small choices, which the health checks take for waste.
SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "fast",
    max_examples=FAST_EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=SLOW_TO_DRAW,
)
settings.register_profile(
    "ci",
    max_examples=32,
    deadline=None,
    derandomize=True,
    suppress_health_check=SLOW_TO_DRAW,
)
settings.register_profile(
    "deep",
    max_examples=4_000,
    deadline=None,
    suppress_health_check=SLOW_TO_DRAW,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def pytest_configure(config: pytest.Config) -> None:
    """Say what marks there are."""
    config.addinivalue_line("markers", "one_in(count): one in so many of these is a sample")


@pytest.fixture
def brief_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `check_dialect` try its laws on a part of the texts, unless there is time."""
    from agent_parsers.testing import plan as _plan

    from .helpers.effort import THOROUGH

    if not THOROUGH:
        for name in ("shapes", "small_inputs"):
            all_of = getattr(_plan, name)
            monkeypatch.setattr(_plan, name, lambda dialect, all_of=all_of: all_of(dialect)[::14])
