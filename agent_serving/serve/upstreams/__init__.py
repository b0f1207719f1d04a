"""The upstream servers: of which kind they are, how each is asked, and what it sends."""
