"""The commands that read the runs and replies of agents from files."""

from agent_runs.cli.commands.runs import commands as commands
