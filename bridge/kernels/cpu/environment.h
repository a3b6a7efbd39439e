/* The floating-point environment of kernels, and the host's around the start of threads.
 *
 * A thread inherits the environment of the thread that starts it. Inside a call from Fortran that
 * is the one Python works in, and an OpenMP pool is the host's too: without this, threads that our
 * regions start would have lost the host's traps or its flush-to-zero for good.
 */
#ifndef BRIDGE_ENVIRONMENT_H
#define BRIDGE_ENVIRONMENT_H

#include <cfenv>
#include <dlfcn.h>
#include <xmmintrin.h>

namespace BRIDGE_NAMESPACE {
namespace {

/* As FE_DFL_ENV has it, for SIMD instructions: kernels use no others. */
struct DefaultFloatingPoint {
    const unsigned saved = _mm_getcsr();
    DefaultFloatingPoint() { _mm_setcsr(0x1f80); }
    ~DefaultFloatingPoint() { _mm_setcsr(saved); }
    DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
    DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;
};

/* Alive around a parallel region: the calling thread is in the host's environment meanwhile. */
class HostEnvironment {
public:
    HostEnvironment() {
        /* libbridge.so knows it; a Python program has no libbridge.so, and no host. */
        using Answer = const void* (*)();
        static const auto ask =
            reinterpret_cast<Answer>(dlsym(RTLD_DEFAULT, "bridge_host_environment_"));
        host = ask ? static_cast<const std::fenv_t*>(ask()) : nullptr;
        if (!host) return;
        std::fegetenv(&ours);
        std::fesetenv(host);
    }
    ~HostEnvironment() {
        if (host) std::fesetenv(&ours);
    }
    HostEnvironment(const HostEnvironment&) = delete;
    HostEnvironment& operator=(const HostEnvironment&) = delete;

private:
    const std::fenv_t* host;
    std::fenv_t ours;
};

}  // namespace
}  // namespace BRIDGE_NAMESPACE

#endif
