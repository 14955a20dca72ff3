"""What a tree must pass before it may leave, in the order it is asked. Each check is one file and knows no other.

names       every path can be written and read everywhere, and is a file with bytes of its own
size        nothing is larger than the Hub takes
secrets     no token or private key leaves, but for waived ones
card        the front matter of README.md is what the Hub accepts
whitespace  what changed since the last release is clean, as `git diff --check` means it
archive     what was released before is still what its record says
aliases     each template's four files are what the tag builds
lint        no template holds what an engine cannot read, or reads otherwise
render      each template renders its fixtures, in each engine
"""
