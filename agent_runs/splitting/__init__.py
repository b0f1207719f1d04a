"""Finding where the runs in the text of a log begin and end."""
