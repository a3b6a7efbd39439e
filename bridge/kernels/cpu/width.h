/* Points of a vector of this library: lanes of a register, times the registers of a number. */
#ifndef BRIDGE_KERNELS_CPU_WIDTH_H
#define BRIDGE_KERNELS_CPU_WIDTH_H

#ifndef BRIDGE_REGISTERS
#define BRIDGE_REGISTERS 1
#endif
#define BRIDGE_WIDTH (BRIDGE_LANES * BRIDGE_REGISTERS)

#endif
