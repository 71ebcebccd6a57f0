"""The fluid's steps, compiled."""
