/* hash.h: FNV-1a, of what records are found by. */
#ifndef BRIDGE_HASH_H
#define BRIDGE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_BEGIN UINT64_C(14695981039346656037)

static inline uint64_t hash_bytes(uint64_t hash, const void* bytes, size_t size)
{
    const unsigned char* byte = (const unsigned char*)bytes;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Of whole words of 64 bits: sooner than byte after byte. */
static inline uint64_t hash_words(uint64_t hash, const void* words, size_t size)
{
    const char* next = (const char*)words;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, next + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 32;
    }
    return hash;
}

/* With its final NUL: two texts are not taken for two others. */
static inline uint64_t hash_text(uint64_t hash, const char* text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

#endif
