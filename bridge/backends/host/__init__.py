"""What every backend needs of the host: kernel libraries, arrays, packing of host arrays."""
