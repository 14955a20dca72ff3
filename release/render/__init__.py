"""Templates run over fixtures, in the engines that users run, in running order.

json_text     strict JSON that remembers where its keys stand
reading       the files of a fixture package, and all that is wrong with them
expansions    long texts in fixtures, as data
expectations  what must come of a conversation
fixtures      the package: conversations with their expectations
requests      a captured request → variables, inventory, metrics
suite         templates, fixtures and engines → outcomes and findings
engines       one file an engine, each in a process of its own
"""
