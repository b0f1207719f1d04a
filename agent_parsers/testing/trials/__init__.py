"""Texts and steps to try the laws on."""
