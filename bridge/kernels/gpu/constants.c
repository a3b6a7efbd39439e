/* constants.c: see constants.h. */
#include "constants.h"

#include <string.h>

#include "../exact.h"
#include "orderstate.h"

/* What ranks tell each other first: whether one cannot go on, a number of what was asked for, to be
 * the largest and the least of all, and the keys of the first component. */
enum { FAILS, CHECK, OTHER_CHECK, KEYS, TOLD = KEYS + 2 };
_Static_assert(sizeof(bridge_grains) == BRIDGE_GRAINS, "room for grains");
typedef int (*reduction_of_ranks)(const void*, void*, int, void*, void*, void*);

BRIDGE_EXPORT int64_t bridge_constant_key(double value) { return bridge_key(value); }

/* ---- Ranks --------------------------------------------------------------------------------------- */

/* Of all ranks, of which each has n words, in their place. */
static int of_ranks(bridge_constant* constant, int64_t* words, int n, int64_t operation) {
    const bridge_allreduce* ranks = constant->ranks;
    reduction_of_ranks reduce;
    int error;
    if (ranks == NULL) return 0;
    *(void**)&reduce = at(ranks->allreduce);
    error = reduce(words, constant->told, n, at(ranks->integer), at(operation),
                   at(ranks->communicator));
    if (error != 0) return BRIDGE_CONSTANT_MPI;
    memcpy(words, constant->told, (size_t)n * sizeof *words);
    return 0;
}

static int disagreed(bridge_constant* constant) {
    constant->disagreed = 1;
    return constant->error != 0 ? constant->error : BRIDGE_CONSTANT_DISAGREED;
}

/* ---- Sources -------------------------------------------------------------------------------------- */

static int asked(bridge_constant* constant, int step, int64_t* words, int threads) {
    int error = 0;
    for (int i = 0; error == 0 && i < constant->n_sources; ++i) {
        const bridge_constant_source* source = &constant->sources[i];
        int (*ask)(void*, int, const void*, int64_t*, int);
        *(void**)&ask = at(source->function);
        error = ask(at(source->argument), step, constant->grains, words, threads);
    }
    return error;
}

static int64_t larger(int64_t one, int64_t other) { return one > other ? one : other; }

/* ---- Values on a device ---------------------------------------------------------------------------- */

static int launched(const bridge_constant_device* device, int first, int n, int stream) {
    int error = 0;
    for (int i = first; error == 0 && i < first + n; ++i)
        error = order_launch(device->order, &device->launches[i], stream);
    return error;
}

static int begun(const bridge_constant_device* device, int* error) {
    int stream = bridge_order_begin(device->order, device->reads, device->n_reads, device->writes,
                                    device->n_writes, -1);
    order_note(device->order, device->name);
    *error = stream < 0 ? -stream : 0;
    return stream;
}

/* One step, whose words come to the host. */
static int waited(const bridge_constant_device* device, int step, const void* grains) {
    const bridge_order* order = device->order;
    int error, stream = begun(device, &error), n = device->n_words[step];
    char* kept = (char*)at(device->staging) + n * sizeof(int64_t);
    if (error == 0 && step == BRIDGE_SECOND) {
        memcpy(kept, grains, (size_t)device->n_grains);
        error =
            order_copy(order, 1, device->near, (int64_t)(intptr_t)kept, device->n_grains, stream);
    }
    if (error == 0)
        error = step == BRIDGE_FIRST
                    ? launched(device, 0, device->n_first, stream)
                    : launched(device, device->n_first + 1, device->n_second, stream);
    if (error == 0)
        error = order_copy(order, 0, device->staging, device->words[step],
                           n * (int64_t)sizeof(int64_t), stream);
    return error == 0 ? order_synchronize(order, stream) : error;
}

BRIDGE_EXPORT int bridge_constant_of_device(void* argument, int step, const void* grains,
                                            int64_t* words, int threads) {
    const bridge_constant_device* device = argument;
    const int64_t* mine = at(device->staging);
    int error = order_enter(device->order);
    (void)threads;
    if (error != 0) return error;
    error = waited(device, step, grains);
    if (error == 0) device->order->state[BRIDGE_NOTED] = 0; /* the device has answered */
    order_leave(device->order);
    for (int i = 0; error == 0 && i < device->n_words[step]; ++i)
        words[i] =
            step == BRIDGE_FIRST && device->keys ? larger(words[i], mine[i]) : words[i] + mine[i];
    return error;
}

/* All of it, of one rank; the host waits for nothing. From then on the device has a value that the
 * host has not. */
static int ordered(const bridge_constant_device* device) {
    int error, stream = begun(device, &error), n = device->n_first;
    if (device->n_second > 0) n += 1 + device->n_second;
    if (error == 0) error = launched(device, 0, n + 1, stream);
    if (error == 0)
        error = device->order->record(at(device->event), device->order->streams[stream]);
    if (error == 0) {
        ((int64_t*)device->values->words)[device->place] = BRIDGE_ON_DEVICE;
        device->values->known[device->place] = BRIDGE_ON_DEVICE;
    }
    return error;
}

static int on_device(const bridge_constant_device* device) {
    int error = order_enter(device->order);
    if (error != 0) return error;
    error = ordered(device);
    order_leave(device->order);
    return error;
}

/* ---- The host's ------------------------------------------------------------------------------------ */

static int set(bridge_constant* constant, double value, int threads) {
    *constant->value = value;
    return constant->values == NULL ? 0 : bridge_values_go(constant->values, threads);
}

/* From keys of the first component on, which all ranks have: sums of all components. */
static int totalled(bridge_constant* constant, int64_t* keys, double* value, int threads) {
    int columns = constant->columns, square = constant->measure == BRIDGE_OF_SQUARES;
    bridge_grains* grains = constant->grains;
    int64_t* sums = keys + 2 * columns + 1;
    int n = BRIDGE_EXACT_PARTS * columns, error = 0;
    if (columns > 1 && constant->ranks != NULL)
        error = of_ranks(constant, keys + 2, 2 * columns - 2, constant->ranks->most);
    if (error != 0) return error;
    for (int c = 0; c < columns; ++c)
        grains[c] = bridge_exact_grains(keys[2 * c], keys[2 * c + 1], constant->points, square,
                                        constant->measure == BRIDGE_OF_VALUES);
    memset(sums, 0, (size_t)n * sizeof *sums);
    constant->error = asked(constant, BRIDGE_SECOND, sums, threads);
    sums[-1] = constant->error != 0;
    if (constant->ranks != NULL) error = of_ranks(constant, sums - 1, n + 1, constant->ranks->sum);
    if (error != 0) return error;
    if (sums[-1] != 0) return disagreed(constant);
    *value = bridge_exact_total(grains, (const long long*)sums, columns, constant->root);
    return 0;
}

static int counted(bridge_constant* constant, int64_t number, double* value) {
    int error = 0;
    if (constant->ranks != NULL) error = of_ranks(constant, &number, 1, constant->ranks->sum);
    *value = (double)number;
    return error;
}

static int of_all(bridge_constant* constant, int fails, int threads) {
    int64_t *words = constant->words, *keys = words + KEYS, number = 0;
    int kind = constant->kind, columns = kind == BRIDGE_TOTAL ? constant->columns : 1, error = 0;
    double value;
    for (int i = 0; i < 2 * columns; ++i) keys[i] = BRIDGE_NO_KEY;
    constant->error = 0;
    if (!fails)
        constant->error =
            asked(constant, BRIDGE_FIRST, kind == BRIDGE_NUMBER ? &number : keys, threads);
    words[FAILS] = fails || constant->error != 0;
    words[CHECK] = constant->check;
    words[OTHER_CHECK] = -constant->check;
    if (constant->ranks != NULL) error = of_ranks(constant, words, TOLD, constant->ranks->most);
    if (error != 0) return error;
    if (words[FAILS] != 0 || words[CHECK] != -words[OTHER_CHECK]) return disagreed(constant);
    if (kind == BRIDGE_TOTAL)
        error = totalled(constant, keys, &value, threads);
    else if (kind == BRIDGE_NUMBER)
        error = counted(constant, number, &value);
    else if (kind == BRIDGE_LEAST)
        value = 0.0 - bridge_of_key(keys[0], -constant->none);
    else
        value = bridge_of_key(keys[0], constant->none);
    return error != 0 ? error : set(constant, value, threads);
}

BRIDGE_EXPORT int bridge_constant_go(bridge_constant* constant, int fails, int threads) {
    constant->disagreed = 0;
    if (constant->device == NULL) return of_all(constant, fails, threads);
    constant->error = fails ? 0 : on_device(constant->device);
    return fails || constant->error != 0 ? disagreed(constant) : 0;
}

BRIDGE_EXPORT int bridge_constant_again(bridge_constant* constant, int fails, int threads) {
    int error;
    order_count(1);
    error = bridge_constant_go(constant, fails, threads);
    order_count(0);
    return error;
}

BRIDGE_EXPORT int bridge_constant_value(bridge_constant_place* place, double* value, int threads) {
    bridge_order* order = place->order;
    void* context;
    int error;
    (void)threads;
    if (bridge_bits(*place->word) != BRIDGE_ON_DEVICE) {
        *value = *place->word;
        return 0;
    }
    error = order->push(order->context); /* others may ask for work meanwhile */
    if (error != 0) return error;
    error = order_settle(order, place->event);
    order->pop(&context);
    memcpy(value, place->there, sizeof *value);
    return error;
}

BRIDGE_EXPORT int bridge_constant_value_again(bridge_constant_place* place, double* value,
                                              int threads) {
    int error;
    order_count(1);
    error = bridge_constant_value(place, value, threads);
    order_count(0);
    return error;
}
