"""Call readers, for formats that write the tool's name and its input together."""
