/* reductions.c: see reductions.h. */
#include "reductions.h"

#include "orderstate.h"

static void combined(const bridge_device_reduction* mine) {
    void (*combine)(int, int64_t, int64_t, void*, void*);
    *(void**)&combine = at(mine->combine);
    combine(mine->operation, mine->n_groups, mine->columns, at(*mine->groups), at(mine->results));
}

static int reduced(const bridge_device_reduction* mine) {
    bridge_order* order = mine->order;
    int stream = bridge_order_begin(order, mine->reads, mine->n_reads, mine->lanes, 1, -1);
    int error = stream < 0 ? -stream : 0;
    for (int i = 0; error == 0 && i < mine->n_launches; ++i)
        error = order_launch(order, &mine->launches[i], stream);
    if (error == 0) error = order_synchronize(order, stream);
    if (error == 0) {
        order->state[BRIDGE_NOTED] = 0; /* the device has answered */
        combined(mine);
    }
    return error;
}

BRIDGE_EXPORT int bridge_device_reduce(bridge_device_reduction* reduction) {
    bridge_order* order = reduction->order;
    int error = order_enter(order);
    if (error == 0) {
        order_note(order, reduction->name);
        error = reduced(reduction);
        order_leave(order);
    }
    reduction->error = error;
    return error;
}

BRIDGE_EXPORT int bridge_device_reduce_again(bridge_device_reduction* reduction, double* value,
                                             int* place, int threads) {
    void (*answer)(const void*, const void*, double*, int*);
    int error;
    order_count(1);
    error = bridge_device_reduce(reduction);
    order_count(0);
    (void)threads;
    *(void**)&answer = at(reduction->answer);
    if (error == 0) answer(at(reduction->form), at(reduction->results), value, place);
    return error;
}
