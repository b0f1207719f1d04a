"""The grammar of a dialect as data: tables, problems, the words of its prompt."""
