"""The command ``reply``: one reply of a model, or tables with a reply in each record."""
