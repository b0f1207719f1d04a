"""The commands, their options and exit statuses."""
