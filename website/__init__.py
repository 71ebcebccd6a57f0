"""The static site and what it runs on: made from the package, and never imported by it."""
