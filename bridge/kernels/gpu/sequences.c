/* sequences.c: see sequences.h. */
#include "sequences.h"

#include <string.h>

#include "orderstate.h"

static void put(const bridge_given* given) {
    for (int i = 0; i < given->n; ++i) {
        const bridge_piece* piece = &given->pieces[i];
        memcpy(at(piece->to), at(piece->from), (size_t)piece->size);
    }
}

BRIDGE_EXPORT int bridge_given_again(void* argument, int threads) {
    const bridge_given* given = argument;
    int (*bring)(void*, int);
    put(given);
    if (given->bring == 0) return 0;
    *(void**)&bring = at(given->bring);
    return bring(at(given->argument), threads);
}

/* The words of the host that a piece lies in, from `first` on. */
static int words_of(const bridge_piece* piece, const bridge_values* values, int64_t* first) {
    int64_t begin = piece->to - (int64_t)(intptr_t)values->words;
    *first = begin / 8;
    return (int)((begin + piece->size + 7) / 8 - *first);
}

BRIDGE_EXPORT void bridge_given_forgotten(const bridge_given* given, bridge_values* values) {
    put(given);
    for (int i = 0; i < given->n; ++i) {
        int64_t first;
        int n = words_of(&given->pieces[i], values, &first);
        for (int word = 0; word < n; ++word)
            values->known[first + word] = ~values->words[first + word];
    }
}

/* What the graph has written on the device, the host has too. */
static void taken(const bridge_graph* graph) {
    for (int i = 0; i < graph->n_given; ++i) put(graph->given[i]);
    for (int i = 0; i < graph->n_given; ++i)
        for (int k = 0; k < graph->given[i]->n; ++k) {
            int64_t first;
            int n = words_of(&graph->given[i]->pieces[k], graph->values, &first);
            memcpy(&graph->values->known[first], &graph->values->words[first], (size_t)n * 8);
        }
}

BRIDGE_EXPORT int bridge_graph_reduced(const bridge_graph* graph) {
    const bridge_order* order = graph->order;
    int error = 0;
    for (int i = 0; error == 0 && i < graph->n_constants; ++i) {
        const bridge_constant_device* constant = graph->constants[i];
        error = order->record(at(constant->event), order->streams[MAIN]);
        ((int64_t*)constant->values->words)[constant->place] = BRIDGE_ON_DEVICE;
        constant->values->known[constant->place] = BRIDGE_ON_DEVICE;
    }
    return error;
}

BRIDGE_EXPORT int bridge_graph_go(void* argument, int threads) {
    bridge_graph* graph = argument;
    bridge_order* order = graph->order;
    int error = order_enter(order);
    (void)threads;
    if (error == 0) {
        order_note(order, graph->name);
        error = bridge_order_alone(order);
        if (error == 0) error = order->graph(at(graph->graph), order->streams[MAIN]);
        if (error == 0) {
            for (int i = 0; i < graph->n_runs; ++i) ++*graph->runs[i];
            taken(graph);
            error = bridge_graph_reduced(graph);
        }
        order_leave(order);
    }
    graph->error = error;
    return error;
}
