"""What the model is asked, and the tools that it has."""

from __future__ import annotations


def search(query: str) -> str:
    """Look up a page of an encyclopedia."""
    return f"Nothing is known of {query}."


def weather(city: str) -> str:
    """Tell the weather in a city now."""
    return f"It is cloudy in {city}, 12 °C."


def calculate(expression: str) -> str:
    """Compute an expression, such as 3 * 4."""
    return f"{expression} is 42"


def clock() -> str:
    """Tell the time."""
    return "14:05"


TOOLS = [search, weather, calculate, clock]
TOOL_SETS = [[search, weather], [calculate, clock], TOOLS]
"""Sets of tools."""

_ASKED = {
    "weather": (
        "What is the weather in {}?", "Is it raining in {} now?", "Do I need an umbrella in {}?",
        "How warm is it in {}?", "Is it colder in {} than in Rome?",
    ),
    "search": (
        "Who founded {}?", "How many people live in {}?", "Which river flows through {}?",
        "What is the oldest bridge in {}?", "What is {} known for?",
    ),
}  # fmt: skip
CITIES = ("Oslo", "Lima", "Turku")

QUESTIONS = [
    *(ask.format(city) for city in CITIES for asks in _ASKED.values() for ask in asks),
    "What is 17 * 23?", "How much is 1024 divided by 8?", "Add 19.5 and 22.7.",
    "What is the square of 45?", "How many minutes are there in 11 days?", "What time is it?",
    "Is it after noon already?", "Who wrote the first novel?", "How far away is the moon?",
    "When was the printing press invented?",
]  # fmt: skip
"""Forty questions."""
