"""How much is tried: a sample by default, everything when there is time."""

from hypothesis import settings

DEEP = settings.get_current_profile_name() == "deep"
"""Whether there are hours."""

THOROUGH = DEEP or settings.get_current_profile_name() == "ci"
"""Whether each row and message is tried, and as much on each dialect."""

MANY = settings(max_examples=3 * settings().max_examples)
"""For laws of one reader, which has to do with any text; those of dialects are tried on each."""
