"""The APIs that clients speak: how each is read, and how replies are written in it."""
