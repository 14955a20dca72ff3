"""Tests of what a tree must pass: each check by itself."""
