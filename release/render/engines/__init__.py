"""Template engines, one file each, every one in a process of its own.

catalogue      the engines by name: where a command or a check gets one
programs       what to start for an engine, and why there is nothing to start
places         where lies what pip does not bring;  install fetches it
process        ProcessEngine: an engine at the other end of two pipes
child          one process's life: started without our environment, asked, timed, killed
limits         what a render may use of time, memory and disk
worker         the other end: the program that the child runs
host           what a file below gives the worker: compile, render, and how both fail
given          what every host gives a template: variables, `tojson`, the clock
jinja_host     what the two Jinja2 engines share
transformers   Jinja2 as transformers sets it up
jinja2         Jinja2 as it comes
minijinja      minijinja as servers in Rust set it up
node           hf_jinja.mjs: @huggingface/jinja, with the lock file of what it needs
llama_cpp      llama.cpp's server;  minja the same before January 2026
llama_server   what these two share;  tiny_model the model that they load
llama_cpp_raw  llama.cpp's engine without the server
llama_errors   what llama.cpp says when a template fails
"""
