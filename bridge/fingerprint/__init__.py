"""Fingerprint: all that decides the bits of a run, as lines of text, and what differs in two.

`parts` finds what there is; `lines` writes and reads the text and says in words what differs;
`ranks` compares the ranks of a communicator; `command` is `bridge fingerprint`.
"""
