"""The tools of the agent."""

_TIDES = {"Whitby": "high water at 05:41 and 18:02", "Hull": "high water at 07:55 and 20:21"}
_DEPTHS_M = {"Whitby": 3.4, "Hull": 8.0}


def tides(harbour: str) -> str:
    """Tell when the water is high today."""
    return _TIDES.get(harbour, f"no tables for {harbour}")


def depth(harbour: str) -> str:
    """Tell how deep the harbour is at high water, in metres."""
    return f"{_DEPTHS_M[harbour]} m" if harbour in _DEPTHS_M else f"no soundings of {harbour}"


def convert(value: float, unit: str) -> str:
    """Convert metres to feet or fathoms."""
    return f"{value / {'feet': 0.3048, 'fathoms': 1.8288}[unit]:.1f} {unit}"


TOOLS = [tides, depth, convert]
