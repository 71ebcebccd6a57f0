"""Lesson 12: the published experiments again, on the reader's own kernel.

The runs are those of the package `livelab`, which this one does not import.
"""
