"""Template engines, one file each, every one in a process of its own.

catalogue     the engines by name: where a command or a check gets one
process       ProcessEngine: an engine at the other end of two pipes
child         one process's life: started without our environment, asked, timed, killed
limits        what a render may use of time, memory and disk
worker        the other end: the program that the child runs
host          what a file below gives the worker: compile, render, and how both fail
jinja_host    what the two Jinja2 engines share
transformers  Jinja2 as transformers sets it up
jinja2        Jinja2 as it comes
"""
