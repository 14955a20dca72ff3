"""Tests of each step, given the value before it."""
