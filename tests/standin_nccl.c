/* A stand-in of NCCL: what it is asked goes by messages of the host's MPI, at once, as a stand-in of a
 * GPU does all it is asked. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST = 64, TAG = 32767, GOOD = 0, SYSTEM = 2, USAGE = 5 };

struct asked {
    void* memory;
    size_t bytes;
    int peer, inward;
};
static struct asked asked[MOST];
static int n_asked, depth, groups, fails, says = 22707;
static intptr_t post[2], finish, communicator, byte;
static int request;

EXPORT void standin_mpi(intptr_t isend, intptr_t irecv, intptr_t testall, intptr_t comm,
                        intptr_t mpi_byte, int size) {
    post[0] = isend;
    post[1] = irecv;
    finish = testall;
    communicator = comm;
    byte = mpi_byte;
    request = size;
}
EXPORT int standin_groups(void) { return groups; }
EXPORT void standin_fails(int now) { fails = now; }
EXPORT void standin_says(int version) { says = version; }

EXPORT int ncclGetVersion(int* version) {
    *version = says;
    return GOOD;
}
EXPORT const char* ncclGetErrorString(int code) {
    return code == SYSTEM ? "unhandled system error" : "another error";
}
EXPORT int ncclGroupStart(void) {
    ++depth;
    return GOOD;
}

static int ask(void* memory, size_t count, int type, int peer, void* comm, int inward) {
    if (depth != 1 || type != 0 || comm != (void*)0x2A || n_asked == MOST) return USAGE;
    asked[n_asked++] = (struct asked){memory, count, peer, inward};
    return GOOD;
}
EXPORT int ncclSend(const void* memory, size_t count, int type, int peer, void* comm, void* stream) {
    return stream == NULL ? USAGE : ask((void*)memory, count, type, peer, comm, 0);
}
EXPORT int ncclRecv(void* memory, size_t count, int type, int peer, void* comm, void* stream) {
    return stream == NULL ? USAGE : ask(memory, count, type, peer, comm, 1);
}

EXPORT int ncclGroupEnd(void) {
    int (*one)(void*, int, void*, int, int, void*, void*);
    int (*all)(int, void*, int*, void*);
    char *requests = calloc(MOST, (size_t)request), *statuses = calloc(MOST, 256);
    int flag = 0, n = n_asked, error = GOOD;
    n_asked = 0;
    if (--depth != 0) error = USAGE;
    if (fails) error = SYSTEM;
    for (int i = 0; error == GOOD && i < n; ++i) {
        *(void**)&one = (void*)post[asked[i].inward];
        error = one(asked[i].memory, (int)asked[i].bytes, (void*)byte, asked[i].peer, TAG,
                    (void*)communicator, requests + (size_t)i * (size_t)request);
    }
    *(void**)&all = (void*)finish;
    while (error == GOOD && !flag) error = all(n, requests, &flag, statuses);
    ++groups;
    free(requests);
    free(statuses);
    return error;
}
EXPORT int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation,
                         void* comm, void* stream) {
    (void)from, (void)to, (void)count, (void)type, (void)operation, (void)comm, (void)stream;
    return USAGE;
}
