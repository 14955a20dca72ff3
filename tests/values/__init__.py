"""Tests of what flows: each value by itself."""
