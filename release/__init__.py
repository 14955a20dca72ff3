"""From an immutable git tag to a verified, recorded commit on the Hugging Face Hub.

cli         the command line: the only place that exits
commands    one file a command
config      [tool.release] of the tagged tree → Config
values      what flows, in the order it comes to exist;  errors every way to stop, each with its exit code
ports       what steps need from outside, as protocols
pipeline    prepare() and publish(), step by step
steps       resolve → build → check → plan → upload → verify → record
checks      what a tree must pass before it may leave
compose     template sources → one file → one line
render      templates run over fixtures, in the engines that users run
adapters    git, the Hub, the `hf` command, disk, terminal: what touches the world
rehearsal   an embedded Hub to practise on
"""

__version__ = "0.1.0"
