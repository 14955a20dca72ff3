"""One file a command, thin: read the options, call the library, print.

init       a commented configuration for this repository
prepare    resolve, build, check
publish    plan; with --confirm: upload, verify, record
verify     a record against the Hub
status     each tag and where it stands
rehearse   all of it on a throw-away clone and an embedded Hub
render     a captured request through a template
compose    the built template of a family, or a one-line twin
proxy      a passive proxy that renders beside live traffic
hub        the embedded Hub by itself
authoring  what the commands for template authors share
options    options that several commands share
workshop   the adapters and steps that commands are made of
"""
