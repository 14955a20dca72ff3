"""What it costs, beside what one would use instead. Run them with `make bench`, or one: `python -m benchmarks help`.

pairs      two commands in turn, A B A B …, and the ratio of each pair
help       `release --help` beside `import click` and `hf --help`
trees      building and preparing 1,000 and 10,000 files beside `git archive | tar` and `sha256sum`
blob       the memory of a 500 MB file, git's process included
hub        publish and verify beside `hf upload`, `hf download` and `hf cache verify`

Machines are shared and noisy: only ratios within one run mean anything, and no test asserts one.
"""
