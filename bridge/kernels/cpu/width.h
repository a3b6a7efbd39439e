/* Points of a vector of this library: lanes of a register, times the registers of a number. */
#ifndef BRIDGE_KERNELS_CPU_WIDTH_H
#define BRIDGE_KERNELS_CPU_WIDTH_H

/* Two vectors side by side fill each other's waits. AVX-512 has 32 registers for them; with the 16 of
 * AVX2 some go through memory, and it still pays; with vectors of two points it does not. */
#if defined(BRIDGE_NEST) /* the rounds of its loop fill each other's waits; rows may be short */
#define BRIDGE_REGISTERS 1
#elif BRIDGE_LANES >= 4
#define BRIDGE_REGISTERS 2
#else
#define BRIDGE_REGISTERS 1
#endif
#define BRIDGE_WIDTH (BRIDGE_LANES * BRIDGE_REGISTERS)

/* Of a lambda, which has no other place for it. */
#define BRIDGE_INLINED __attribute__((always_inline))

#endif
