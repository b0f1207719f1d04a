"""Grammars for constrained decoding: a server that has one lets a model write only valid turns."""
