/* Kernels of a library by name: of the shipped ones and of those built from kernel packs. */
#include "launch.h"

#include <cstring>

using namespace BRIDGE_NAMESPACE;

#define BRIDGE_EXPORT extern "C" __attribute__((visibility("default")))

BRIDGE_EXPORT bridge_kernel bridge_cpu_kernel(const char* name) {
    for (int k = 0; k < numberOfKernels; ++k)
        if (!std::strcmp(namedKernels[k].name, name)) return namedKernels[k].launch;
    return nullptr;
}

BRIDGE_EXPORT bridge_line_kernel bridge_cpu_line_kernel(const char* name) {
    for (int k = 0; k < numberOfKernels; ++k)
        if (!std::strcmp(namedKernels[k].name, name)) return namedKernels[k].lines;
    return nullptr;
}

BRIDGE_EXPORT int bridge_cpu_kernel_arguments(const char* name) {
    for (int k = 0; k < numberOfKernels; ++k)
        if (!std::strcmp(namedKernels[k].name, name)) return namedKernels[k].arguments;
    return -1;
}
