"""The turns of a dialect as a grammar: how it spells them, and what may stand in them."""
