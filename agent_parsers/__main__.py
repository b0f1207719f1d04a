"""The command ``agent-parsers``, also ``python -m agent_parsers``; it needs the extra ``cli``."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line and exit with its status, or explain how to install its libraries."""
    gc.set_threshold(100_000, 10, 10)  # what is imported is no garbage; looking takes 20 ms
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # they watch a program's own models
    try:
        from agent_parsers.cli.commands.app import run

        run()
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit(
            f"agent-parsers: the command line needs {error.name};"
            ' install it with: pip install "agent-parsers[cli]"'
        )
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
