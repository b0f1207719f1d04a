"""Texts and steps on which the laws are tried."""
