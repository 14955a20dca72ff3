"""The embedded Hub."""
