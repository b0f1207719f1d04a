"""How long the property tests look: ``fast`` by default, ``HYPOTHESIS_PROFILE=deep`` to search."""

import os

from hypothesis import HealthCheck, settings

FAST_EXAMPLES = 24

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
    "deep",
    max_examples=4_000,
    deadline=None,
    suppress_health_check=SLOW_TO_DRAW,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
