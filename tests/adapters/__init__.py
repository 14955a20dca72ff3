"""Tests of the edges: each against the real thing behind it."""
