/* Kernels of a library by name: of the shipped ones and of those built from kernel packs. */
#include "launch.h"

#include <cstring>

using namespace BRIDGE_NAMESPACE;

#define BRIDGE_EXPORT extern "C" __attribute__((visibility("default")))

static const NamedKernel* named(const char* name) {
    for (const NamedKernel* const* part = kernelParts; *part; ++part)
        for (const NamedKernel* kernel = *part; kernel->name; ++kernel)
            if (!std::strcmp(kernel->name, name)) return kernel;
    return nullptr;
}

BRIDGE_EXPORT bridge_kernel bridge_cpu_kernel(const char* name) {
    const NamedKernel* const kernel = named(name);
    return kernel ? kernel->launch : nullptr;
}

BRIDGE_EXPORT bridge_line_kernel bridge_cpu_line_kernel(const char* name) {
    const NamedKernel* const kernel = named(name);
    return kernel ? kernel->lines : nullptr;
}

BRIDGE_EXPORT int bridge_cpu_kernel_arguments(const char* name) {
    const NamedKernel* const kernel = named(name);
    return kernel ? kernel->arguments : -1;
}
