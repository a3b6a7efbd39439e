"""Twin of tests/packs/test_without_species.py on a GPU."""

from packs.test_without_species import *  # noqa: F403
