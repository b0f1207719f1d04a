"""Vectors of what a parser of a dialect should read, and a runner that scores parsers by them."""
