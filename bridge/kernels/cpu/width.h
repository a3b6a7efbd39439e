/* Points of a vector of this library: lanes of a register, times the registers of a number. */
#ifndef BRIDGE_KERNELS_CPU_WIDTH_H
#define BRIDGE_KERNELS_CPU_WIDTH_H

/* AVX-512 has 32 registers, enough for two vectors side by side; the others have 16. */
#if BRIDGE_LANES == 8
#define BRIDGE_REGISTERS 2
#else
#define BRIDGE_REGISTERS 1
#endif
#define BRIDGE_WIDTH (BRIDGE_LANES * BRIDGE_REGISTERS)

#endif
