"""Requests and replies, in a form that belongs to no API."""
