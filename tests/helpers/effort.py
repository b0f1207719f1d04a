"""How much the tests try: a sample by default, everything in thorough runs."""

import os

from hypothesis import settings

DEEP = settings.get_current_profile_name() == "deep"
"""Whether the tests may run for hours."""

THOROUGH = DEEP or settings.get_current_profile_name() == "ci"
"""Whether each transition and message is tried, on every dialect."""

EVERY_DIALECT = THOROUGH or bool(os.environ.get("EVERY_DIALECT"))
"""Whether each law is tried on each dialect, as CI does on one Python."""

MANY = settings(max_examples=3 * settings().max_examples)
"""For laws of a single reader; laws of dialects are tried on each dialect."""
