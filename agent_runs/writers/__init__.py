"""Writers of runs, in the forms that training and tracing tools take."""
