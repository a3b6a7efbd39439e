/* The C interface of a CPU kernel library: what Python builds and the executor runs.
 *
 * Plain C, so that cffi reads this very text at run time (lines starting with # are skipped) and
 * bridge/backends/cpu fills the structs. One library per instruction set offers the same names.
 * Points and columns count from 0. A run returns 0, or BRIDGE_CPU_NO_MEMORY.
 */
#ifndef BRIDGE_KERNELS_CPU_INTERFACE_H
#define BRIDGE_KERNELS_CPU_INTERFACE_H

#include <stdint.h>

#define BRIDGE_CPU_NO_MEMORY -8

#ifdef __cplusplus
extern "C" {
#endif

/* begin interface */

/* Interior points of an array, in elements: point (i, j, k), component c is at
 * offset + i*stride[0] + j*stride[1] + k*stride[2] + c*data_stride. */
typedef struct {
    int64_t extent[3];
    int64_t stride[3];
    int64_t data_stride;
    int64_t offset;
    int64_t axis[3]; /* from a point to its neighbour along x, y, z, whatever the rows */
} bridge_box;

/* The boxes of a set of many blocks: `first` has the number of each block's first point, counted
 * through all of them, and behind these the number of all points. Blocks may be empty. */
typedef struct {
    const bridge_box* boxes;
    const int64_t* first;
    int64_t count;
} bridge_blocks;

/* Types of the caller's elements; a point's values are doubles or 64-bit integers in a block. A
 * position has no memory: its elements are their own numbers. */
enum { BRIDGE_FLOAT64, BRIDGE_INT32, BRIDGE_FLOAT32, BRIDGE_POSITION };

/* An array whose cells kernels read by their positions, in bytes: `origin` is its cell at the
 * position `first`; positions are bounded by `low` and `high`, which it has. */
typedef struct {
    const char* origin;
    int64_t stride[3];
    int64_t column_stride;
    int64_t first[3], low[3], high[3];
    double scale;
    int32_t type;
} bridge_cells;

/* Memory of the caller: multiplied by scale on the way in, divided on the way out. One box; or many
 * blocks, whose elements along x are as far apart as the box says. */
typedef struct {
    void* address;
    bridge_box box;
    double scale;
    int32_t columns;
    int32_t type;
    bridge_blocks blocks;      /* count 0: none */
    const bridge_cells* cells; /* null where nobody reads it at any cell */
} bridge_array;

/* One value of one quantity. A block of it lies in the thread's scratch, `scratch` bytes from the
 * start, as [vector][column][lane]: what a kernel reads for one vector of points is contiguous.
 * Integers are 64 bits wide there, one per lane. */
typedef struct {
    int64_t scratch;
    int32_t columns;
    int32_t is_int32;
    int32_t input;  /* array it is read from, or -1 */
    int32_t output; /* array it is written to, or -1 */
    int32_t zero;   /* nonzero: starts at 0 (a status word that no kernel starts) */
    int32_t direct; /* nonzero: nobody reads the old contents of the output array once this value
                     * is written, so kernels may write it in place */
    int32_t neighbours; /* nonzero: kernels read its array around their points; 2: and in no other
                         * way, so that it is not copied */
} bridge_slot;

/* Vectors of a slot: row r of plane p begins at address + p*plane_stride + r*row_stride, and the
 * columns of a vector are column_stride apart. In bytes. */
typedef struct {
    char* address;
    int64_t plane_stride;
    int64_t row_stride;
    int64_t column_stride;
} bridge_place;

/* Where a block of a slot lies now: in scratch, or in place in the caller's array.
 *
 * `full` are the vectors with points of their own in every lane, vector_stride apart. A row's last
 * vector may hold fewer points than a vector has: an array in place has no room for the others, so
 * that vector lies in `tail`. In scratch both are the same memory. */
typedef struct {
    bridge_place full;
    int64_t vector_stride;
    bridge_place tail;
    int64_t flat; /* 1: vectors follow each other through all rows, tails included */
} bridge_argument;

/* A slot whose array kernels read around their points: `row` is the place of the first point of
 * each row, in the caller's array; strides are bytes. */
typedef struct {
    bridge_place row;
    int64_t point_stride; /* to the next point of the row */
    int64_t axis[3];      /* to the neighbour along x, y, z */
    double scale;
    int32_t type;
    int32_t plain; /* how they lie, below */
    const bridge_cells* cells;
} bridge_neighbours;
/* Of neighbours: any layout, type and scale; doubles without a scale that lie apart from each
 * other; such ones of which the components of a point follow each other; rows of them. */
enum { BRIDGE_NEAR_ANY, BRIDGE_NEAR_APART, BRIDGE_NEAR_RECORDS, BRIDGE_NEAR_ROWS };

/* Values that kernels look up: element (i, j, k) is data[i + size[0] * (j + size[1] * k)]. */
typedef struct {
    const double* data;
    int64_t size[3]; /* 1 of a dimension that it does not have */
} bridge_table;

/* A block: planes of rows of whole vectors, the last of which repeat the row's last point where it
 * ends. */
typedef struct {
    const bridge_argument* slots;
    int64_t rows;    /* of a plane */
    int64_t vectors; /* of a row */
    int64_t full;    /* of these, with points of their own in every lane: all or all but one */
    const bridge_table* const* tables;   /* of the plan */
    const bridge_neighbours* neighbours; /* by slot, of those that have any */
    int64_t tail;                        /* points of a row's last vector, where it is not full */
} bridge_block;

/* A named kernel on vectors first .. first+count-1 of a block, counted through its rows; argument
 * k is slots[arguments[k]]; behind these come its tables, tables[arguments[k]]. */
typedef void (*bridge_kernel)(const void* shared, const bridge_block* block,
                              const int32_t* arguments, int64_t first, int64_t count);

/* A kernel; or, where kernel is null, a loop: the next `span` steps are repeated, at most `limit`
 * times, on the vectors where the integer slot `done` is zero in some lane. */
typedef struct {
    bridge_kernel kernel;
    const int32_t* arguments;
    int32_t span;
    int32_t limit;
    int32_t done;
    int32_t unused;
} bridge_step;

/* Nanoseconds that blocks of a plan took which were looked at, over all threads. */
typedef struct {
    int64_t* steps; /* of each step of the plan; of a loop, that of its steps */
    int64_t whole;  /* of the blocks from beginning to end */
    int64_t blocks; /* how many were looked at */
} bridge_meter;

/* What regions of several threads have lost against one thread, in nanoseconds, and others of at most
 * twice as many points are to do in one; weight: of the next loss. See sharing.h. */
typedef struct {
    int64_t owed, points;
    int32_t weight;
} bridge_sharing;

/* rows: whether the rows of the arrays are those of a block, so that kernels work in place; else
 * points are packed across rows. All boxes have the extent of the plan then; or, with `blocks`, all
 * arrays have blocks of these extents.
 *
 * arrays: n_arrays for each of `components`, one after the other: every block of points is worked
 * on with the arrays of each in turn, while those that are the same for all lie in the cache. */
typedef struct {
    const void* shared;
    const bridge_step* steps;
    const bridge_slot* slots;
    const bridge_array* arrays;
    const bridge_table* const* tables;
    int64_t extent[3];
    int32_t rows;
    int32_t n_steps;
    int32_t n_slots;
    int32_t mask; /* slot of integers: points where it is 0 are not written; -1: all are */
    int32_t n_arrays;
    int32_t components;
    int32_t ends; /* nonzero: the last points of rows, where they are few, may be worked on as rows
                   * across them */
    int32_t sparse;  /* where no more points of a block than these of a hundred count by the mask,
                     * they are worked on apart from the others; 0: never */
    int64_t block;   /* points per block, a multiple of 8 */
    int64_t scratch; /* bytes of scratch for one block */
    int64_t share;   /* the fewest points that a thread is worth starting for */
    bridge_blocks blocks; /* whose rows are taken; count 0: one box, or points are packed */
    bridge_meter* meter;  /* null: nobody wants to know */
    bridge_sharing* sharing;
} bridge_plan;

/* ---- Kernels whose points follow each other: colours and sweeps ---- */

/* An argument of such a kernel, in memory of the caller or of the bridge. Bytes; of a position,
 * whose address is the number of the first point, by how much it grows. */
typedef struct {
    char* address;     /* of the first point of the box */
    int64_t stride[3]; /* to the next point along x, y, z */
    int64_t column_stride;
    double scale;
    int32_t columns;
    int32_t type;
} bridge_points;

/* Points of one launch: `points` of them side by side along the axis `across`, each of which has a
 * lane, and from all of these `steps` one behind the other along the axis `along`: those after the
 * first `done` ones of lines that have `length`. */
typedef struct {
    const bridge_points* arguments; /* of the kernel: inputs, outputs */
    const bridge_table* const* tables;
    const bridge_points* mask; /* integers: points where it is 0 are not written; null: all are */
    char* outputs;             /* room for the outputs of a vector of points */
    char* lines;               /* private storage of all lines, zero before the first step */
    int64_t start[3];          /* the first point of all, in the box */
    int64_t points, steps, done, length;
    int64_t odd_points;    /* of a colour: in rows with odd numbers */
    int32_t across, apart; /* points from lane to lane: 1, or 2 of a colour */
    int32_t along, way;    /* points from step to step: 1 or -1; a step of a colour is a row */
    int32_t padded; /* nonzero: lanes without a point of their own may be read and written */
    int32_t odd;    /* of a colour: where odd rows begin, 1 or -1 from the others */
} bridge_lines;

typedef void (*bridge_line_kernel)(const void* shared, const bridge_lines* lines);

/* Memory that a sweep may copy to and from tiles of lanes: one argument, or an input and the output
 * in its place. `below` and `above` say how far it is read along the sweep's axis, in positions;
 * `first` and `last` how many layers before and behind a line may be. */
typedef struct {
    int32_t input, output; /* numbers of arguments, or -1 */
    int32_t below, above, first, last;
} bridge_tile;

/* All points of a box, in the order of a kernel. */
typedef struct {
    const void* shared;
    bridge_line_kernel kernel;
    const bridge_points* arguments;
    const bridge_table* const* tables;
    const bridge_points* mask;
    const bridge_tile* tiles;
    int64_t extent[3];
    int32_t n_arguments, n_tiles;
    int32_t tiled;  /* nonzero: all lines in tiles; 0: what does not fill a vector, if any */
    int32_t padded; /* of a launch in tiles */
    int32_t across, along; /* axes; along is -1 of a colour */
    int32_t way;
    int32_t parity;   /* of a colour: of i + j + k of its points, counted from 0 in the box */
    int64_t together; /* the most lines of a launch, whole vectors */
    int64_t outputs;  /* bytes of a vector's outputs */
    int64_t line;     /* bytes of a vector of lines' private storage */
    int64_t share;    /* the fewest points that a thread is worth starting for */
    bridge_sharing* sharing;
} bridge_order;

int bridge_cpu_run_order(const bridge_order* order, int threads);

/* The launch wrapper of such a kernel, or null. */
bridge_line_kernel bridge_cpu_line_kernel(const char* name);

/* ---- Kernels in a loop nest of their own, on rows of the caller's arrays where they lie ---- */

/* An argument of a nest. Bytes. stride: from a point to the next point, row, plane. */
typedef struct {
    char* address; /* of the first point of the box; null: nobody takes this output */
    int64_t stride[3];
    int64_t column_stride;
    int64_t axis[3]; /* from a point to its neighbour along x, y, z */
    double scale;    /* as of bridge_array */
    int32_t columns;
    int32_t type;     /* of its elements */
    int32_t together; /* components that the nest finds next to each other, or 1 */
    int32_t input, output;
    int32_t low[3], high[3]; /* how far it is read around a point */
    int32_t copied;          /* nonzero: its rows do not lie as the nest reads and writes them */
    int32_t constant;        /* nonzero: the nest reads one value for all points */
} bridge_nest_array;

/* Rows of a box, counted through its planes: of each the points first .. first+points-1. */
typedef struct {
    int64_t of_plane, row, rows, first, points;
} bridge_nest_rows;

/* Kernels one after the other at each point; arrays[k] is that of the k-th slot that they name. */
typedef void (*bridge_nest_kernel)(const void* shared, const bridge_nest_array* arrays,
                                   const bridge_table* const* tables,
                                   const bridge_nest_rows* rows);

typedef struct {
    const void* shared;
    bridge_nest_kernel kernel; /* of rows of a register of points or more */
    bridge_nest_kernel few;    /* of rows of fewer points; null: all arrays are copied for these */
    const bridge_nest_array* arrays;
    const bridge_nest_array*
        mask; /* integers: points where it is 0 are not written; null: all are */
    const bridge_table* const* tables;
    int64_t extent[2]; /* points of a row, rows of a plane */
    int64_t n_arrays;
    int32_t singles; /* nonzero: kernels compute in single precision; reals that the nest finds are
                      * real(4), but constants */
    int64_t share;   /* the fewest points that a thread is worth starting for */
    bridge_sharing* sharing;
} bridge_nest;

/* Evaluate points first .. first+n-1. */
int bridge_cpu_run_nest(const bridge_nest* nest, int64_t first, int64_t n, int threads);

/* A nest of a series. row: points of a row; rows, planes: of its box; first: row and plane at which this
 * begins among the rows that all nests of the series have in common. Rows of memory that it shares with
 * earlier nests may lie `behind` rows further on than its own ones, or `above` rows before them: it
 * follows so many rows behind the first nest, and at the beginning of a thread's rows so many are left
 * to `goOverBorder`. */
typedef struct {
    const bridge_nest* nest;
    int64_t row, rows, planes, first[2], behind, above;
} bridge_series_part;

/* Nests one after the other, with the results of that, but a piece of their rows at a time, which a
 * cache keeps from one to the next. rows, of_plane: that all have in common, and of a plane of them; piece:
 * rows of it. `behind` and `above` of a part are those of earlier ones or more. */
typedef struct {
    const bridge_series_part* parts;
    int64_t n_parts, rows, of_plane, piece;
    int64_t share; /* the fewest rows that a thread is worth starting for */
    bridge_sharing* sharing;
} bridge_series;

/* All rows: first is 0, n is `rows`. */
int bridge_cpu_run_series(const bridge_series* series, int64_t first, int64_t n, int threads);

/* How a nest's arrays lie: in rows; the same, with the components of a point next to each other where it
 * has several; in rows of fewer points than a register. */
enum { BRIDGE_NEST_ROWS, BRIDGE_NEST_RECORDS, BRIDGE_NEST_FEW, BRIDGE_NEST_LAYOUTS };

/* The nest of a kernel pack's library by its name, or null. */
bridge_nest_kernel bridge_cpu_nest(const char* name, int layout);

/* Evaluate points first .. first+n-1 of every array of the plan. */
int bridge_cpu_run(const bridge_plan* plan, int64_t first, int64_t n, int threads);

/* How many threads a run of n points gets, of those it may have: each is fed. */
int bridge_cpu_threads(const bridge_plan* plan, int64_t n, int threads);

/* Points first .. first+n-1 of an array into columns of a flat view, point 0 of it onwards:
 * component c goes to view + c*view_stride (elements of its type); and back. */
int bridge_cpu_pack(const bridge_array* source, int64_t first, int64_t n, void* view,
                    int64_t view_stride, int view_is_int32, int threads);
int bridge_cpu_unpack(const bridge_array* target, int64_t first, int64_t n, const void* view,
                      int64_t view_stride, int view_is_int32, int threads);

/* Boxes of an array, each as an array of its own; at: of its elements in a flat buffer, in bytes. */
typedef struct {
    bridge_array array;
    int64_t points, at;
} bridge_listed_box;
typedef struct {
    const bridge_listed_box* boxes;
    int64_t n;
} bridge_box_list;

/* Boxes into a buffer of elements of their type, box after box, the component slowest; and back. */
int bridge_cpu_pack_boxes(const bridge_box_list* list, void* buffer, int threads);
int bridge_cpu_unpack_boxes(const bridge_box_list* list, const void* buffer, int threads);

/* Memory that does not overlap, by several threads where there is much of it. */
int bridge_cpu_copy(void* target, const void* source, int64_t bytes, int threads);

/* Reductions, column by column; see reduce.cpp for the order of the additions. */
enum { BRIDGE_SUM, BRIDGE_MIN, BRIDGE_MAX, BRIDGE_ANY };
/* What of a value is reduced: the value, its magnitude, its square, 1 where it is not zero, 1 where it
 * is NaN, 1 where a whole number has the bit of value grain[0]. */
enum { BRIDGE_VALUE, BRIDGE_MAGNITUDE, BRIDGE_SQUARE, BRIDGE_NONZERO, BRIDGE_IS_NAN, BRIDGE_BIT };
/* Points of a group, and how many partial results a group has: point p belongs to p mod lanes. */
enum { BRIDGE_GROUP = 1024, BRIDGE_GROUP_LANES = 32 };

/* What some points come to. point: the first that has the value (min, max), or is not zero (any);
 * -1 for none, and for a sum. */
typedef struct {
    double value;
    int64_t point;
} bridge_partial;

/* part: 0 for the whole of it. 1 to 3: the part of that number in a sum whose order is of no
 * consequence. Adding grain[0] and taking it away rounds a value to the multiples of a power of two;
 * that is part 1, of what is left with grain[1] part 2, and so on. */
typedef struct {
    int of;
    int part;
    double grain[3];
} bridge_measure;

/* All points of an array, in its unit times `scale`: results[c] of column c. mask: an array of as
 * many points, one column: where it is 0 a point does not count; null: all count. partials: room
 * for one of each column and each group begun. */
int bridge_cpu_reduce(const bridge_array* source, const bridge_array* mask, int operation,
                      const bridge_measure* measure, bridge_partial* partials,
                      bridge_partial* results, int threads);
/* The end of it: partials[c*groups + g] of column c and group g, which it overwrites. */
void bridge_cpu_combine(int operation, int64_t groups, int64_t columns, bridge_partial* partials,
                        bridge_partial* results);

/* What the results of columns are to a caller: one value of all together, or one of each column.
 * component: the number of the first column, from 1; place: integers of a place, i, j, k and component,
 * a fifth is the block, 1; first: position of the first point; empty: the value where no point counts;
 * root: of the value. */
typedef struct {
    int operation, together, root, place;
    int component, columns;
    int64_t ni, nj, first[3];
    double empty;
} bridge_answer;
void bridge_cpu_answer(const bridge_answer* answer, const bridge_partial* results, double* value,
                       int* place);

/* A reduction and its answer, done as often as is asked for; source: null where `results` have it
 * already. */
typedef struct {
    const bridge_array *source, *mask;
    bridge_measure measure;
    bridge_partial *partials, *results;
    bridge_answer answer;
} bridge_reduction;
int bridge_cpu_reduce_again(const bridge_reduction* reduction, double* value, int* place,
                            int threads);

/* Values of an array, of columns together, for a constant that is a reduction (kernels/gpu/constants.h).
 * source: null where `results` have the answer already; added: whether they are summed, then column has each
 * column alone; operation: BRIDGE_SUM counts. */
typedef struct {
    const bridge_array *source, *mask, *column;
    bridge_partial *partials, *results;
    int32_t operation, measure, added, columns;
} bridge_constant_array;
/* A source of values: keys of extremes or the number, then, `second`, parts of sums. */
int bridge_cpu_constant_values(void* array, int second, const void* grains, int64_t* words,
                               int threads);

/* Of some columns that a run makes: column, columns: the first of them, and how many; partials,
 * results: room as for bridge_cpu_reduce. */
typedef struct {
    int32_t operation, column, columns, unused;
    bridge_measure measure;
    bridge_partial *partials, *results;
} bridge_made_reduction;

/* A run whose outputs are reduced as they are made, and are nowhere else: each thread has a piece of
 * them at a time, `piece` points or fewer in whole groups, in memory of its own. plan, nest: the run,
 * one of them is null. outputs: numbers of its arrays, doubles that lie flat from the first point on,
 * whose columns are `apart` elements from each other, more than a piece has: their address is the
 * piece's. columns: of all of them, counted through in this order; mask: as for bridge_cpu_reduce. */
typedef struct {
    const bridge_plan* plan;
    const bridge_nest* nest;
    const int32_t* outputs;
    int32_t n_outputs, n_reductions, columns, unused;
    const bridge_array* mask;
    const bridge_made_reduction* reductions;
    int64_t piece, apart;
} bridge_made;

/* Make points 0 .. n-1, all that the run has, and reduce them; first: 0. */
int bridge_cpu_make(const bridge_made* made, int64_t first, int64_t n, int threads);

/* The launch wrapper of a kernel and its number of arguments, or null and -1. */
bridge_kernel bridge_cpu_kernel(const char* name);
int bridge_cpu_kernel_arguments(const char* name);

/* Doubles per register of this library, points per vector of a block; whether this machine runs
 * "v2", "v3" or "v4". */
int bridge_cpu_lanes(void);
int bridge_cpu_width(void);
int bridge_cpu_supports(const char* isa);

/* Where it stands how often scratch was allocated since the library was loaded, over all threads. */
const int64_t* bridge_cpu_allocations(void);

/* end interface */

#ifdef __cplusplus
}
#endif

#endif
