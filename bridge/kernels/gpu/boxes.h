/* boxes.h: boxes of an array of the device and a buffer of the host, or the same boxes of an array of
 * the host, for Python and for who calls C.
 *
 * Values cross by memory that is page-locked: kernels write there, or read what a copy engine has
 * brought, in the order of the streams (order.h).
 */
#ifndef BRIDGE_KERNELS_GPU_BOXES_H
#define BRIDGE_KERNELS_GPU_BOXES_H

#include "order.h"

/* begin order */

/* Page-locked memory of the host, and as much of the device. The event says when
 * what was copied from `host` is on the device; copying: whether somebody has to wait for that before
 * `host` changes. */
typedef struct {
    int64_t host, near, event;
    int32_t copying;
} bridge_slot;

/* Slots of so many bytes, used in turn: the host fills one while another is copied, and a third waits
 * for the kernel that puts its values into an array. */
typedef struct {
    bridge_order* order;
    int64_t size;
    bridge_slot* slots;
    int32_t n_slots, next;
} bridge_crossings;

/* Boxes that one launch moves between the array and memory beside it. start, size: their part of the
 * buffer, in bytes; near, inward: where the arguments of the kernel lie that say which memory, and
 * whether values go to the array. */
typedef struct {
    bridge_launch launch;
    int64_t start, size, near, inward;
} bridge_boxes_part;

/* memory: of the array, as the order of streams knows it, 0 for memory of others, which is worked on
 * when nothing else is; most: bytes that cross at once, no part has more; by_kernel: bytes that a
 * kernel writes into memory of the host, where a copy engine brings more; copy: the address of
 * bridge_cpu_copy; name: for messages, a number, of a pack and of an unpack; error: of the driver. */
typedef struct {
    bridge_crossings* crossings;
    const bridge_boxes_part* parts;
    int64_t memory, most, by_kernel, copy;
    int32_t n_parts, name[2], error;
} bridge_boxes;

/* The buffer is memory of the GPU, or the slots are too small. */
enum { BRIDGE_NOT_DONE = -1 };

/* Boxes into a buffer, whose values are there at the return; a buffer into boxes, which may be changed
 * then. threads: of copies of the host. They take the lock, as bridge_work_go. 0, an error of the
 * driver, or BRIDGE_NOT_DONE. */
int bridge_boxes_pack(bridge_boxes* boxes, void* buffer, int threads);
int bridge_boxes_unpack(bridge_boxes* boxes, void* buffer, int threads);
/* The same for who counts by himself what is asked for (order.h). */
int bridge_boxes_pack_again(bridge_boxes* boxes, void* buffer, int threads);
int bridge_boxes_unpack_again(bridge_boxes* boxes, void* buffer, int threads);

/* Boxes of an array of the host and its copy. rows: between the host and the copy, or else memory
 * beside it, where `near` counts from its beginning; list: a bridge_box_list of the host, which the
 * CPU packs and unpacks, 0 for none; boxes: the launch between the copy and memory beside it, of size
 * 0 for none. */
typedef struct {
    const bridge_rows* rows;
    int64_t list;
    bridge_boxes_part boxes;
    int32_t n_rows;
} bridge_update_part;

/* most: bytes of the largest part that has memory beside the copy; pack, unpack: the addresses of
 * bridge_cpu_pack_boxes and bridge_cpu_unpack_boxes; name: for messages, a number, of an update of the
 * host and of the device; error: of the driver. */
typedef struct {
    bridge_crossings* crossings;
    const bridge_update_part* parts;
    int64_t most, pack, unpack;
    int32_t n_parts, name[2], error;
} bridge_update;

/* The values of the copy to the host; those of the host to the copy. They are there at the return:
 * after all that was asked for before. nothing: in the place of a buffer. As bridge_boxes_pack. */
int bridge_update_host(bridge_update* update, void* nothing, int threads);
int bridge_update_device(bridge_update* update, void* nothing, int threads);
int bridge_update_host_again(bridge_update* update, void* nothing, int threads);
int bridge_update_device_again(bridge_update* update, void* nothing, int threads);

/* end order */

#endif
