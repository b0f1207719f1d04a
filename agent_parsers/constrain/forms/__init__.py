"""Writers of grammars, one for each form that servers take."""
