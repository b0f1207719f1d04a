"""The version of the distribution that is installed."""

from importlib.metadata import PackageNotFoundError, version

__version__: str
try:
    __version__ = version("agent-parsers")
except PackageNotFoundError:  # the files are used without being installed
    __version__ = "0+unknown"
