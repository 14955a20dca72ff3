"""Templates run over fixtures, in the engines that users run, in running order.

json_text     strict JSON that remembers where its keys stand
reading       the files of a fixture package, and all that is wrong with them
expansions    long texts in fixtures, as data
expectations  what must come of a conversation
allowances    in which engines, with which exceptions
structure     what must hold of every prompt, whatever the conversation
differences   how engines are known to differ
family        which of these hold for all fixtures of a package
fixtures      the package: conversations with their expectations
requests      a captured request → variables, inventory, metrics
hosts         what a conversation has become when a template sees it
cases         a template with its fixtures, and what came of one of them
matrix        what is rendered where, two engines at a time
verdicts      what was made, beside what was expected
agreement     one engine beside the others
suite         templates, fixtures and engines → outcomes and findings
reports       outcomes → a table, JSON, JUnit
lint          what each construct of a template breaks
wording       findings that show a few dozen characters
engines       one file an engine, each in a process of its own
"""
