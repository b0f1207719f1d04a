"""Chat templates for tests: our own, and those of TRL if it is installed."""

from importlib.util import find_spec
from pathlib import Path

__all__ = ["OWN", "TOKENS", "TRL"]

_FOLDER = Path(__file__).parents[1] / "cases" / "templates"

OWN = {path.stem: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.jinja"))}
"""Small templates in our own words, one in each style."""
TOKENS = {"eos_token": "</s>"}

_trl = find_spec("trl")
TRL = {
    path.stem: path.read_text(encoding="utf-8")
    for place in (_trl.submodule_search_locations or () if _trl else ())
    for path in sorted(Path(place, "chat_templates").glob("*.jinja"))
}
"""The templates that TRL ships; empty if it is not installed."""
