"""From a procedure of one point to the C++ of a kernel header."""
