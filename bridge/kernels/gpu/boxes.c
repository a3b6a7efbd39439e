/* boxes.c: see boxes.h. */
#include "boxes.h"

#include "orderstate.h"

/* CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and CU_MEMORYTYPE_HOST of page-locked memory. */
enum { MEMORY_TYPE = 2, HOST = 1 };

/* Pageable memory is none that the driver knows. */
static int is_of_host(const bridge_order* order, void* buffer) {
    unsigned type = 0;
    return order->attribute(&type, MEMORY_TYPE, buffer) != 0 || type == HOST;
}

static void copied(const bridge_boxes* boxes, char* to, const char* from, int64_t size,
                   int threads) {
    int (*copy)(void*, const void*, int64_t, int);
    *(void**)&copy = at(boxes->copy);
    copy(to, from, size, threads);
}

/* The next one, whose memory of the host may be changed. */
static bridge_slot* next_slot(bridge_crossings* crossings, int* error) {
    bridge_slot* slot = &crossings->slots[crossings->next];
    crossings->next = (crossings->next + 1) % crossings->n_slots;
    *error = slot->copying ? order_settle(crossings->order, slot->event) : 0;
    if (*error == 0) slot->copying = 0;
    return slot;
}

/* The stream of work on the boxes and on `beside`, 0 for none. */
static int stream_of(const bridge_boxes* boxes, int inward, int64_t beside) {
    bridge_order* order = boxes->crossings->order;
    int64_t reads[2], writes[2];
    int n_reads = 0, n_writes = 0, error;
    if (boxes->memory == 0) {
        error = bridge_order_alone(order);
        return error != 0 ? -error : MAIN;
    }
    if (inward) {
        writes[n_writes++] = boxes->memory;
        if (beside != 0) reads[n_reads++] = beside;
    } else {
        reads[n_reads++] = boxes->memory;
        if (beside != 0) writes[n_writes++] = beside;
    }
    return bridge_order_begin(order, reads, n_reads, writes, n_writes, -1);
}

static int launched(const bridge_order* order, const bridge_boxes_part* part, int64_t near,
                    int inward, int stream) {
    *(int64_t*)at(part->near) = near;
    *(int32_t*)at(part->inward) = inward;
    return order_launch(order, &part->launch, stream);
}

/* The values of a slot go to the device. */
static int brought(const bridge_order* order, bridge_slot* slot, int64_t size, int stream) {
    int error = order_copy(order, 1, slot->near, slot->host, size, stream);
    if (error != 0) return error;
    error = order->record(at(slot->event), order->streams[stream]);
    slot->copying = 1;
    return error;
}

/* ---- To a buffer ------------------------------------------------------------------------------- */

/* Parts first .. last-1, which cross together. */
static int packed(const bridge_boxes* boxes, int first, int last, char* buffer, int threads) {
    bridge_order* order = boxes->crossings->order;
    const bridge_boxes_part* parts = boxes->parts;
    int64_t start = parts[first].start,
            size = parts[last - 1].start + parts[last - 1].size - start;
    int error, stream, by_copy = size > boxes->by_kernel;
    const bridge_slot* slot = next_slot(boxes->crossings, &error);
    int64_t near = by_copy ? slot->near : slot->host;
    if (error != 0) return error;
    stream = stream_of(boxes, 0, by_copy ? near : 0);
    if (stream < 0) return -stream;
    for (int i = first; error == 0 && i < last; ++i)
        error = launched(order, &parts[i], near + parts[i].start - start, 0, stream);
    if (error == 0 && by_copy) error = order_copy(order, 0, slot->host, near, size, stream);
    if (error == 0) error = order_synchronize(order, stream);
    if (error == 0) copied(boxes, buffer + start, at(slot->host), size, threads);
    return error;
}

static int all_packed(const bridge_boxes* boxes, char* buffer, int threads) {
    const bridge_boxes_part* parts = boxes->parts;
    int error = 0;
    for (int first = 0, last; error == 0 && first < boxes->n_parts; first = last) {
        int64_t end = parts[first].start + boxes->most;
        for (last = first + 1;
             last < boxes->n_parts && parts[last].start + parts[last].size <= end;)
            ++last;
        error = packed(boxes, first, last, buffer, threads);
    }
    return error;
}

/* ---- From a buffer ----------------------------------------------------------------------------- */

/* The values go to the device ahead of what the boxes have to follow. */
static int unpacked(const bridge_boxes* boxes, const bridge_boxes_part* part, const char* buffer,
                    int threads) {
    bridge_order* order = boxes->crossings->order;
    int error, stream;
    bridge_slot* slot = next_slot(boxes->crossings, &error);
    if (error != 0) return error;
    copied(boxes, at(slot->host), buffer + part->start, part->size, threads);
    stream = bridge_order_begin(order, NULL, 0, &slot->near, 1, order->n - 1);
    if (stream < 0) return -stream;
    error = brought(order, slot, part->size, stream);
    if (error != 0) return error;
    stream = stream_of(boxes, 1, slot->near);
    return stream < 0 ? -stream : launched(order, part, slot->near, 1, stream);
}

static int all_unpacked(const bridge_boxes* boxes, char* buffer, int threads) {
    int error = 0;
    for (int i = 0; error == 0 && i < boxes->n_parts; ++i)
        error = unpacked(boxes, &boxes->parts[i], buffer, threads);
    return error;
}

/* ---- Either ------------------------------------------------------------------------------------ */

static int moved(bridge_boxes* boxes, int inward, void* buffer, int threads,
                 int (*move)(const bridge_boxes*, char*, int)) {
    bridge_order* order = boxes->crossings->order;
    int error = order_enter(order), done = 1;
    if (error == 0) {
        done = boxes->most <= boxes->crossings->size && is_of_host(order, buffer);
        if (done) {
            order_note(order, boxes->name[inward]);
            error = move(boxes, buffer, threads);
        }
        order_leave(order);
    }
    boxes->error = error;
    return done ? error : BRIDGE_NOT_DONE;
}

BRIDGE_EXPORT int bridge_boxes_pack(bridge_boxes* boxes, void* buffer, int threads) {
    return moved(boxes, 0, buffer, threads, all_packed);
}

BRIDGE_EXPORT int bridge_boxes_unpack(bridge_boxes* boxes, void* buffer, int threads) {
    return moved(boxes, 1, buffer, threads, all_unpacked);
}

static int counted(bridge_boxes* boxes, void* buffer, int threads,
                   int (*move)(bridge_boxes*, void*, int)) {
    int error;
    order_count(1);
    error = move(boxes, buffer, threads);
    order_count(0);
    return error;
}

BRIDGE_EXPORT int bridge_boxes_pack_again(bridge_boxes* boxes, void* buffer, int threads) {
    return counted(boxes, buffer, threads, bridge_boxes_pack);
}

BRIDGE_EXPORT int bridge_boxes_unpack_again(bridge_boxes* boxes, void* buffer, int threads) {
    return counted(boxes, buffer, threads, bridge_boxes_unpack);
}

/* ---- An array of the host ---------------------------------------------------------------------- */

static void listed(int64_t function, int64_t list, const bridge_slot* slot, int threads) {
    int (*move)(const void*, void*, int);
    *(void**)&move = at(function);
    move(at(list), at(slot->host), threads);
}

static int rows_copied(const bridge_order* order, const bridge_update_part* part, int64_t beside,
                       int inward) {
    int error = 0;
    for (int i = 0; error == 0 && i < part->n_rows; ++i)
        error = order_copy_rows(order, inward, &part->rows[i], beside, MAIN);
    return error;
}

static int part_to_device(const bridge_update* update, const bridge_update_part* part,
                          bridge_slot* slot, int threads) {
    const bridge_order* order = update->crossings->order;
    int64_t size = part->boxes.size, beside = size > 0 ? slot->near : 0;
    int error = 0;
    if (part->list != 0) {
        listed(update->pack, part->list, slot, threads);
        error = brought(order, slot, size, MAIN);
    }
    if (error == 0) error = rows_copied(order, part, beside, 1);
    if (error == 0 && size > 0) error = launched(order, &part->boxes, beside, 1, MAIN);
    return error;
}

static int part_to_host(const bridge_update* update, const bridge_update_part* part,
                        bridge_slot* slot, int threads) {
    const bridge_order* order = update->crossings->order;
    int64_t size = part->boxes.size, beside = size > 0 ? slot->near : 0;
    int error = 0;
    if (size > 0) error = launched(order, &part->boxes, beside, 0, MAIN);
    if (error == 0) error = rows_copied(order, part, beside, 0);
    if (error == 0 && part->list != 0) {
        error = order_copy(order, 0, slot->host, beside, size, MAIN);
        if (error == 0) error = order_synchronize(order, MAIN);
        if (error == 0) listed(update->unpack, part->list, slot, threads);
    }
    return error;
}

/* On the main stream, which has followed all others then. */
static int all_updated(const bridge_update* update, int inward, int threads) {
    bridge_order* order = update->crossings->order;
    int error = bridge_order_alone(order);
    for (int i = 0; error == 0 && i < update->n_parts; ++i) {
        const bridge_update_part* part = &update->parts[i];
        bridge_slot* slot = part->boxes.size > 0 ? next_slot(update->crossings, &error) : NULL;
        if (error == 0)
            error = (inward ? part_to_device : part_to_host)(update, part, slot, threads);
    }
    if (error == 0) error = order_synchronize(order, MAIN);
    if (error == 0) order->state[BRIDGE_NOTED] = 0; /* the device has answered */
    return error;
}

static int updated(bridge_update* update, int inward, int threads) {
    bridge_order* order = update->crossings->order;
    int error = order_enter(order), done = 1;
    if (error == 0) {
        done = update->most <= update->crossings->size;
        order_note(order, update->name[inward]);
        if (done) error = all_updated(update, inward, threads);
        order_leave(order);
    }
    update->error = error;
    return done ? error : BRIDGE_NOT_DONE;
}

BRIDGE_EXPORT int bridge_update_host(bridge_update* update, void* nothing, int threads) {
    (void)nothing;
    return updated(update, 0, threads);
}

BRIDGE_EXPORT int bridge_update_device(bridge_update* update, void* nothing, int threads) {
    (void)nothing;
    return updated(update, 1, threads);
}

static int updated_again(bridge_update* update, int inward, int threads) {
    int error;
    order_count(1);
    error = updated(update, inward, threads);
    order_count(0);
    return error;
}

BRIDGE_EXPORT int bridge_update_host_again(bridge_update* update, void* nothing, int threads) {
    (void)nothing;
    return updated_again(update, 0, threads);
}

BRIDGE_EXPORT int bridge_update_device_again(bridge_update* update, void* nothing, int threads) {
    (void)nothing;
    return updated_again(update, 1, threads);
}
