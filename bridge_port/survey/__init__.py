"""What of a source tree could be ported, and what it would gain.

In the order of the data: `tree` (files and where modules lie), `units` (one procedure and its
nests), `words` (options that are tried), `counting` (operations and bytes of a point), `gains`
(what they are on a machine), `profile` (seconds of routines), `processes` (files on some of them),
`survey` (all of it), `report`, `command`.
"""

from bridge_port.survey.survey import survey

__all__ = ["survey"]
