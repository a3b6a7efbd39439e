"""From a loop nest to a procedure of one point, with what it reads around the point."""
