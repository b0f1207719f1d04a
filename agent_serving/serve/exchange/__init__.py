"""What a request asks and what is told of its reply, in no particular API."""
