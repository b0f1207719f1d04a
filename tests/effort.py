"""How much is tried: a sample by default, everything when there is time."""

from hypothesis import settings

THOROUGH = settings.get_current_profile_name() in {"ci", "deep"}
"""Whether everything is tried: each row, shape and message, and on each dialect alike."""

MANY = settings(max_examples=3 * settings().max_examples)
"""For laws of one reader, which has to do with any text; those of dialects are tried on each."""
