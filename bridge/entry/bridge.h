/* bridge.h: the one contract between a Fortran (or C) host and the bridge.
 *
 * Every entry point is declared here once. The C trampolines, the cffi input and the page
 * docs/entry-points.md are generated from this file, and so are bridge_interfaces.f90,
 * bridge_absent.f90, bridge_f77.inc and module bridge of bridge.f90, by fortran_forms.py.
 *
 * Conventions. Names end in one underscore; aliases `name__` are there for -fsecond-underscore. An
 * integer is a C int passed by value (%VAL from Fortran 77), and so are single reals: the double
 * `scale` of the entries that bind, and `share`. An array is passed by address; the integers of
 * `offsets` have 64 bits. A string is NUL-terminated: 'Q'//char(0). `ierr` is the address of an
 * integer that receives a status: 0 success, negative failure. Entries without `ierr` are void, as
 * CASTLES calls them; frame_status_() gives their status. Units are SI unless a line says
 * otherwise.
 *
 * Positions are 1-based and inclusive and count storage, whatever lower bounds the array was
 * declared with. nx, ny, nz include fringes; the interior is SptX..EptX by SptY..EptY by
 * SptZ..EptZ. stripeStart and stripeEnd number interior points 1..N, x fastest; stripeEnd =
 * stripeStart - 1 is an empty stripe. Component SptData goes to the first view column, EptData to
 * the last.
 *
 * An axis has at most 2147483647 positions, an array at most 2^47 bytes.
 *
 * An interior that ends before it begins (EptX less than SptX, along any axis) is an empty block:
 * every call accepts it and does nothing. Start and end on that axis, and the components, are then
 * not checked; along the other axes a range is one of the array's positions, where it has some. The
 * array may have an extent of 0 and a null address.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Status codes. */
#define BRIDGE_OK 0          /* success */
#define BRIDGE_ABSENT -1     /* built with bridge_absent.f90: there is no bridge in this program */
#define BRIDGE_START -2      /* Python could not be started, or could not import bridge */
#define BRIDGE_ARGUMENT -3   /* a bad argument: its name, what came, what was wanted */
#define BRIDGE_STATE -4      /* a call out of order: before initialize, twice; data that no one gave */
#define BRIDGE_EXCEPTION -5  /* a Python exception, SystemExit included */
#define BRIDGE_MPI -6        /* MPI is not as the call needs it */
#define BRIDGE_DEVICE -7     /* no such device, or the device failed */
#define BRIDGE_MEMORY -8     /* out of host or device memory */
#define BRIDGE_POINTS -9     /* bad points, with status policy "stop": results are in the arrays */
/* clang-format on */

/* Types of the elements of an array. */
enum { BRIDGE_FLOAT64 = 0, BRIDGE_INT32 = 1, BRIDGE_FLOAT32 = 2 };

/* ---- Life cycle ------------------------------------------------------------------------- */

/* Start Python and say whether it did. frame_set_, frame_initialize_, frame_initialize_comm_ and
 * frame_doctor_ boot by themselves. Other calls before them are refused (BRIDGE_STATE);
 * frame_status_, frame_last_error_ and frame_error_policy_ need no Python. */
void frame_boot_(int* ierr);

/* Create the Frame's views and backend. device_id: GPU of this rank (the caller takes
 * its rank modulo the number of devices); nGridPoints: chunk, the largest number of points of one launch (MaxBlock); ns: number of
 * species, 0 for kernel packs that need none; nq: components of the caller's Q; iTurb: turbulence
 * model number, kept and reported. */
void frame_initialize_(int device_id, int nGridPoints, int ns, int nq, int iTurb);

/* The same, collective on the Fortran communicator comm: if it fails on one rank, it fails on all,
 * with the status and the message of the first rank that failed. */
void frame_initialize_comm_(int device_id, int nGridPoints, int ns, int nq, int iTurb, int comm,
                            int* ierr);

/* Free what the Frame owns and flush; frame_initialize_ works again afterwards. */
void frame_finalize_(void);

/* ---- Settings ---------------------------------------------------------------------------- */

/* Before initialize: species, species_file, backend, device, threads, qlayout and every option
 * of the physics by its name. Environment variables BRIDGE_<KEY> win. */
void frame_set_(const char* key, const char* value, int* ierr);

/* ---- Stripes: the calls of CASTLES ------------------------------------------------------- */

/* Interior points stripeStart..stripeEnd of data(nx,ny,nz,*) into view `name`. */
void frame_castles_populateinputstripe_(const char* name, double* data, int nx, int ny, int nz,
                                        int SptX, int EptX, int SptY, int EptY, int SptZ, int EptZ,
                                        int SptData, int EptData, int stripeStart, int stripeEnd);

/* View `name` into interior points stripeStart..stripeEnd of data(nx,ny,nz,*). */
void frame_castles_populateoutputstripe_(const char* name, double* data, int nx, int ny, int nz,
                                         int SptX, int EptX, int SptY, int EptY, int SptZ,
                                         int EptZ, int SptData, int EptData, int stripeStart,
                                         int stripeEnd);

/* Species constants from the host: W kg/mol, Tc K, Pc Pa, omega -, each (ns); nasa7(17,ns) =
 * Tlow, Tmid, Thigh, low a1..a7, high a1..a7; kij(ns,ns) or null. */
void frame_castles_populatepreosshareddata_(const double* W, const double* Tc, const double* Pc,
                                            const double* omega, const double* nasa7,
                                            const double* kij);

/* Transport constants from the host: Vc m3/mol, dipole debye, kappa -, each (ns). Here and above,
 * constants that no substance has are refused; setting override, 'unchecked=0,1', names a
 * pseudo-species. */
void frame_castles_populatechungshareddata_(const double* Vc, const double* dipole,
                                            const double* kappa);

/* ---- Composites: launches of kernels in dependency order on the current views ------------ */

void frame_tvproperties_preosthermalproperties_(int nActivePoints);
void frame_tvproperties_preosrhohfromtpprop_(int nActivePoints);
void frame_tvproperties_preosgammajacobianproperties_(int nActivePoints);
void frame_tvproperties_preosviscousproperties_(int nActivePoints);
void frame_tvproperties_preosviscousfluxproperties_(int nActivePoints);
void frame_tvproperties_chungcalctransprop_(int nActivePoints);
void frame_tvproperties_preoscalctfromhp_(int nActivePoints);
void frame_tvproperties_eosthermalproperties_(int nActivePoints);
void frame_tvproperties_eosrhohfromtpprop_(int nActivePoints);
void frame_tvproperties_eoscalcrhoh0fromtp_(int nActivePoints);
void frame_tvproperties_eosgammajacobianproperties_(int nActivePoints);
void frame_tvproperties_eosthermalandviscousproperties_(int nActivePoints);

/* Any kernel by its name (case-sensitive), also of a pack, or a composite, on the first n points
 * of the current views. */
void frame_launch_(const char* kernel, int n, int* ierr);

/* ---- Bound arrays: the bridge does the chunk loop ---------------------------------------- */

/* Name an array of a set of points (cells, faces, a plane, a block). intent: "in", "out" or
 * "inout". bounds = nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, nData; a
 * negative nData means component first, data(nData,nx,ny,nz). Inputs are multiplied by scale,
 * outputs are divided by it. The array must stay at this address until unbind; in Fortran it must
 * be a TARGET in every scope that reads or writes it while it is bound. */
void frame_bind_(const char* set, const char* name, const char* intent, double* data,
                 const int* bounds, double scale, int* ierr);

/* The same for an array of a type: 1 real(8), 2 real(4), 3 integer(4); 10 more for a section,
 * where the bounds are those of a larger array that this one is a part of. */
void frame_bind_typed_(const char* set, const char* name, const char* intent, int type, void* data,
                       const int* bounds, double scale, int* ierr);

/* frame_bind_ for a set of nb blocks of any sizes in one memory. bounds: the twelve integers of
 * each block, where SptData, EptData and nData are the same for all. offsets: the elements from
 * `data` to each block's own array. Binding a name again replaces all blocks. */
void frame_bind_blocks_(const char* set, const char* name, const char* intent, double* data,
                        int nb, const int* bounds, const int64_t* offsets, double scale,
                        int* ierr);
void frame_bind_blocks_typed_(const char* set, const char* name, const char* intent, int type,
                              void* data, int nb, const int* bounds, const int64_t* offsets,
                              double scale, int* ierr);

/* Let runs of a set read an array that is bound in another set, as faces read cells. shift(3):
 * distance in points along x, y and z from the first interior point of the other set to that of
 * this set. If the other set binds this name again later, the new array is read. */
void frame_bind_from_(const char* set, const char* name, const char* from, const int* shift,
                      int* ierr);

void frame_unbind_(const char* set, const char* name, int* ierr);

/* Evaluate a composite, or one kernel by its name, on every interior point of a set; the bound
 * arrays hold the results on return. */
void frame_run_(const char* set, const char* composite, int* ierr);

/* frame_run_ for several sets, one after the other; sets, composites: as many names, separated by
 * blanks. The first failure ends the call. */
void frame_run_several_(const char* sets, const char* composites, int* ierr);

/* frame_run_ in two calls: between them the run goes on, and the caller may exchange fringes.
 * Until frame_wait_ the caller must not use the interiors of the set's arrays. Refused until then:
 * another run, frame_bind_ and frame_unbind_ of this set, new species constants. frame_finalize_
 * waits by itself. */
void frame_run_begin_(const char* set, const char* composite, int* ierr);
void frame_wait_(const char* set, int* ierr);

/* The same on nBoxes boxes of six integers, i1, i2, j1, j2, k1, k2: first and last points, counted
 * from 1 at the set's first interior point. A box lies in the interior, or in the fringe (numbers
 * below 1 or past the end) as far as all arrays of the run have one. Boxes must not share points;
 * one with i2 less than i1 is empty. While such a run is pending the caller may use all points
 * that it neither reads nor writes. */
void frame_run_box_(const char* set, const char* composite, const int* boxes, int nBoxes,
                    int* ierr);
void frame_run_begin_box_(const char* set, const char* composite, const int* boxes, int nBoxes,
                          int* ierr);

/* Run a kernel with colours at the points of one colour: 1, points whose positions
 * (frame_position_) have an even sum, or 2, the others. */
void frame_run_colour_(const char* set, const char* kernel, int colour, int* ierr);

/* One number of all interior points of a set. operation: "sum", "min", "max", "minloc", "maxloc",
 * "any" (1.0 where a value is not zero, else 0.0), "count" (of values that are not zero), "nan"
 * (1.0 where a value is NaN, else 0.0), the norms "l1", "l2" and "linf", or "bits" (of integers:
 * how many have each bit, the lowest first: 32 values). A bound array, or a column of Q, is
 * reduced as it is. Any other quantity is computed by kernels; "rhs:work" is "work" as a composite
 * or kernel "rhs" makes it. component: from 1; 0 for all together; -1 for one value of each
 * component: then nValues is their number (else 1, for "bits" 32). place: null, or 4*nValues
 * integers: i, j, k, as SptX counts them, and the component of the first point with the value; 0
 * where there is none. */
void frame_reduce_(const char* set, const char* quantity, const char* operation, int component,
                   int nValues, double* value, int* place, int* ierr);

/* The same, with the block of each place, from 1: place has 5*nValues integers, i, j, k, the
 * component and the block. For a set of many blocks frame_reduce_ gives no place. */
void frame_reduce_blocks_(const char* set, const char* quantity, const char* operation,
                          int component, int nValues, double* value, int* place, int* ierr);

/* Several reductions of a set at once: quantities and operations are n words each, divided by
 * blanks. Every kernel that makes a quantity runs once for all of them. components: null (0 for
 * each), or the component of each. value: nValues numbers, those of the first reduction, then
 * those of the second and on; place: null, or 5*nValues integers, as of frame_reduce_blocks_. */
void frame_reduce_several_(const char* set, const char* quantities, const char* operations,
                           const int* components, int n, int nValues, double* value, int* place,
                           int* ierr);

/* frame_reduce_ over the points of all ranks of the communicator of frame_initialize_comm_;
 * collective. place has 6*nValues integers: those of frame_reduce_blocks_, and the rank that has
 * the place, from 0. */
void frame_allreduce_(const char* set, const char* quantity, const char* operation, int component,
                      int nValues, double* value, int* place, int* ierr);

/* frame_reduce_several_ over the points of all ranks, as frame_allreduce_. place: null, or
 * 6*nValues integers. */
void frame_allreduce_several_(const char* set, const char* quantities, const char* operations,
                              const int* components, int n, int nValues, double* value, int* place,
                              int* ierr);

/* Declare before a run that an array bound "in" ("*": each of them) has the same contents as in
 * the set's latest run. A GPU then does not copy it again if that run read it and succeeded. The
 * declaration holds for the next run alone, even if this is refused. */
void frame_unchanged_(const char* set, const char* name, int* ierr);

/* Set the position of the first interior point of a set in the whole domain, for kernels that read
 * position_i, position_j or position_k; the other points follow along x, y and z. Without this
 * call the position is SptX, SptY and SptZ, which must be the same for all arrays of the set. */
void frame_position_(const char* set, int i, int j, int k, int* ierr);

/* The same for a set of many blocks: ijk(3, nb), of each block's first interior point. */
void frame_position_blocks_(const char* set, int nb, const int* ijk, int* ierr);

/* ---- Beside a loop of the host ---------------------------------------------------------------- */

/* Call this before a loop of the host that computes the same as a composite or kernel. It runs the
 * composite on the present arrays of the set, with its outputs in memory of the bridge; the arrays
 * are only read. share: the share of the points to compute and compare, above 0.0 and up to 1.0.
 * Below 1.0 the points are boxes of a pseudo-random sequence, the same for any number of ranks. A
 * share below 1.0 is refused for a set of many blocks and for kernels with colours or a sweep. The
 * set's outputs must stay bound until frame_compare_. */
void frame_compare_begin_(const char* set, const char* composite, double share, int* ierr);

/* Call this after that loop: it compares the loop's results in the set's outputs with those of the
 * bridge. worst: the largest difference, relative to the largest magnitude of its component in the
 * loop's values at the compared points of this rank. NaN on one side alone is an infinite
 * difference, NaN on both sides is equal; integers are equal or infinitely different. Points where
 * the set's iblank is 0 do not count. The host's memory is compared, not the copy of a resident
 * array. The first difference of an array above setting compare_limit prints a line. */
void frame_compare_(const char* set, const char* composite, double* worst, int* ierr);

/* frame_compare_begin_ of several sets for one loop of the host: names separated by blanks. They
 * run in this order, and a later one reads results of earlier ones. Then call frame_compare_ for
 * each. If one reads results of another, or has colours or a sweep, a share below 1.0 is a share
 * of the calls: the other calls compare nothing. */
void frame_compare_begin_sets_(const char* sets, const char* composites, double share, int* ierr);

/* Call this after frame_compare_ for n numbers that the loop computes beside the arrays, such as
 * sums; the report has them under `name`. scale: a difference is relative to it; with 0.0 the
 * numbers are equal or infinitely different. */
void frame_compare_numbers_(const char* set, const char* composite, const char* name, int n,
                            const double* original, const double* bridge, const double* scale,
                            double* worst, int* ierr);

/* Leave an output of the set, which the host's loop does not compute, out of comparisons, until a
 * new bind of the array. in_place not 0: the host does not read it either, so a comparison writes
 * it as a run does, and frame_reduce_ can read it. */
void frame_compare_without_(const char* set, const char* name, int in_place, int* ierr);

/* Add the ranges and a sample of the present inputs of a composite or kernel to a recording. Each
 * rank writes its own, FILE.RANK.npz, in frame_finalize_ or frame_record_write_; the folder must
 * exist. */
void frame_record_(const char* set, const char* composite, const char* file, int* ierr);

/* Write the recordings as they are now; recording continues. A file that cannot be written is a
 * warning, and a status where the policy is "return". */
void frame_record_write_(int* ierr);

/* ---- Lists of points ------------------------------------------------------------------------- */

/* Interior points of a set are numbered from 1, x fastest. If the name of the set is empty, `name`
 * is a view. Values are doubles in the unit of the catalogue, also for integer arrays. An array on
 * a GPU is processed there. Refused while a run of the set is pending.
 *
 * Copy the values of some points: nValues = nPoints times the components of the array, the
 * component slowest. */
void frame_gather_(const char* set, const char* name, const int* points, int nPoints,
                   double* values, int nValues, int* ierr);

/* Write values to some points of an array bound "out" or "inout", or of a view; each point may be
 * named once, and the others keep their values. */
void frame_scatter_(const char* set, const char* name, const int* points, int nPoints,
                    const double* values, int nValues, int* ierr);

/* For each point the sum of all values up to it, without its own if exclusive is not 0. nValues:
 * points times components, the component slowest. */
void frame_scan_(const char* set, const char* name, int exclusive, double* values, int nValues,
                 int* ierr);

/* The numbers of the points where a mask or a flag is not 0 (there are nOn), then those of the
 * others, in their order. nPoints: all points of the set. */
void frame_split_(const char* set, const char* name, int* points, int nPoints, int* nOn,
                  int* ierr);

/* The numbers of the points sorted by their keys: the least first, NaN last, equal keys in their
 * order. nPoints: all points of the set. */
void frame_sort_by_key_(const char* set, const char* name, int* points, int nPoints, int* ierr);

/* All values, the components of a point side by side: nValues = components times points. */
void frame_transpose_(const char* set, const char* name, double* values, int nValues, int* ierr);

/* ---- Arrays that stay where they are used ---------------------------------------------------- */

/* Make the whole array resident: from here on runs of every set read and write the copy of its
 * memory on the GPU. clause: "copyin", or "create": a copy without values. If the memory is
 * resident already, one reference is added and nothing is copied. For many blocks the memory from
 * the first block's array to the end of the last one's becomes resident. layout of the copy:
 * "host", or "device": component last, for a component-first array of one block. On the CPU the
 * calls of this section check their arguments and move nothing, except frame_pack_ and
 * frame_unpack_. */
void frame_enter_data_(const char* set, const char* name, const char* clause, const char* layout,
                       int* ierr);

/* Remove one reference. With the last one the copy is freed: "copyout" copies all of it to the
 * array first, "delete" does not. Call this before a resident array is deallocated. */
void frame_exit_data_(const char* set, const char* name, const char* clause, int* ierr);

/* Copy boxes of a resident array from the host to the device, or from the device to the host.
 * boxes: 6*nBoxes integers, as of frame_run_box_. nBoxes = 0: all points with the fringe; sets of
 * many blocks take nothing else. The bound components are copied. */
void frame_update_device_(const char* set, const char* name, const int* boxes, int nBoxes,
                          int* ierr);
void frame_update_host_(const char* set, const char* name, const int* boxes, int nBoxes,
                        int* ierr);

/* Copy boxes of an array of real(8) (the copy of a resident one) into a buffer of the host or of
 * the GPU, and back: box after box, the component slowest inside a box, x fastest. nBuffer:
 * elements of the buffer, at least as many as the boxes have. Boxes of an unpack must not
 * overlap. */
void frame_pack_(const char* set, const char* name, const int* boxes, int nBoxes, double* buffer,
                 int nBuffer, int* ierr);
void frame_unpack_(const char* set, const char* name, const int* boxes, int nBoxes,
                   const double* buffer, int nBuffer, int* ierr);

/* The same for an array and a buffer of a type of frame_bind_typed_. */
void frame_pack_typed_(const char* set, const char* name, const int* boxes, int nBoxes, int type,
                       void* buffer, int nBuffer, int* ierr);
void frame_unpack_typed_(const char* set, const char* name, const int* boxes, int nBoxes, int type,
                         const void* buffer, int nBuffer, int* ierr);

/* The address of the first element of a resident array in its copy, for an MPI that takes
 * addresses of a GPU, or OpenACC's deviceptr. On the CPU it is that of the array itself, for many
 * blocks the one that offsets count from. Refused for layout "device". */
void frame_device_address_(const char* set, const char* name, void** address, int* ierr);

/* ---- Exchange of fringes between blocks and ranks -------------------------------------------- */

/* Make an exchange ready, under a name. It is collective where the Frame has a communicator. sets,
 * arrays: names, separated by blanks; all these arrays move. Blocks are numbered from 1 through all
 * sets in their order: a set of many blocks has as many as it has, others have one. Line m of n:
 * box sendBoxes(6, m) of block sendBlocks(m) goes to rank peers(m) of the communicator (less than
 * 0, as MPI_PROC_NULL: this line moves nothing), and what that rank's line with the same tag sends
 * comes into box recvBoxes(6, m) of block recvBlocks(m). Block 0: no box. Within one rank two lines
 * with the same tag take from each other, and a single one from itself. Boxes: as of frame_pack_.
 * Ranks whose lines do not fit are named, on every rank. */
void frame_exchange_plan_(const char* name, const char* sets, const char* arrays, const int* peers,
                          const int* tags, const int* sendBlocks, const int* sendBoxes,
                          const int* recvBlocks, const int* recvBoxes, int n, int* ierr);

/* Move the boxes: from where their values are, on the device or the host, to where the others' are.
 * All boxes for one rank are one message. All boxes are read before any one is written. */
void frame_exchange_(const char* name, int* ierr);

/* The same in two calls: pack and send; take what comes. Runs may come between them, also of these
 * sets; the boxes that take values are the exchange's until the second call. */
void frame_exchange_begin_(const char* name, int* ierr);
void frame_exchange_wait_(const char* name, int* ierr);

/* ---- Calls that come again in the same order ----------------------------------------------- */

/* Record a sequence of calls under a name: those that follow are done, and remembered with their
 * arguments, until frame_sequence_end_. It may hold runs of all kinds with their waits, exchanges,
 * frame_constant_ and frame_constants_ (each with the value that it has now),
 * frame_allreduce_constant_, frame_pack_ and frame_unpack_ (each with its buffer, which has to stay), frame_update_host_ and
 * frame_update_device_. Another call is refused meanwhile, by its name (BRIDGE_STATE). A sequence
 * that had the name is forgotten. */
void frame_sequence_begin_(const char* name, int* ierr);
void frame_sequence_end_(int* ierr);

/* Do the calls of a sequence again, in their order; constants that it does not set have the values
 * of now. Where a GPU does all of it, and no rank has to wait for another one on the host, it is
 * one launch of a graph. After a bind, a regrid or a new plan of an exchange its calls are looked
 * up anew, once, which a line of the log says. */
void frame_sequence_run_(const char* name, int* ierr);

/* ---- Constants and tables of kernel packs ------------------------------------------------- */

/* Set a constant for all later runs and launches until frame_finalize_; n: number of values, as
 * many as the constant has columns. type: 1 double (real(8)), 2 float (real(4)), 3 int, 4 int64_t,
 * 5 an int that is a logical (.true. is not 0). A real constant takes reals and integers, others
 * their own kind. Refused while a run that reads it is pending. */
void frame_constant_(const char* name, const void* value, int type, int n, int* ierr);

/* Make a reduction the value of a constant for all later runs and launches; collective where the Frame
 * has a communicator. It is over all points of the sets (names, separated by blanks, each once; ranks may name
 * different sets) and of all ranks, and over all components, with the bits of frame_allreduce_.
 * quantity, operation: as of frame_allreduce_, without minloc, maxloc and bits. constant: of one
 * real(8), which gets the value in the unit of the quantity, NaN and infinities too. Of one rank with
 * the quantity on a GPU the host does not wait. A later frame_constant_ of the name replaces the value. */
void frame_allreduce_constant_(const char* sets, const char* quantity, const char* operation,
                               const char* constant, int* ierr);

/* The latest value of a constant of one number, of frame_constant_ or frame_allreduce_constant_; a logical
 * is 0 or 1. It waits for that reduction, and not for work that was asked for later. Refused where the
 * constant has no value. */
void frame_constant_value_(const char* constant, double* value, int* ierr);

/* Set n constants with one column each: all or none. names: separated by blanks; values: one for
 * each name, whole numbers for integers, 0 or 1 for logicals. */
void frame_constants_(const char* names, const double* values, int n, int* ierr);

/* Fill a table; the values are copied: doubles in Fortran's order, with the dimensions
 * sizes(rank). Refused while a run that reads it is pending. */
void frame_table_(const char* name, const void* values, const int* sizes, int rank, int* ierr);

/* ---- Python of the user ------------------------------------------------------------------- */

/* Call a function of the user with the arrays of a set: function is "module:function" of a module in
 * a folder of the setting python_path. It finds nValues doubles (values may be NULL for none) and
 * text. Refused while a run of the set is pending. */
void frame_python_(const char* set, const char* function, const double* values, int nValues,
                   const char* text, int* ierr);

/* ---- Outcome ------------------------------------------------------------------------------ */

/* Status of the latest call of this thread. */
int frame_status_(void);

/* Message of the latest failure in this thread, blank-padded to len characters, without NUL. */
void frame_last_error_(char* buffer, int len);

/* "abort" (default): a failure ends the job; "return": the caller reads the status. */
void frame_error_policy_(const char* policy, int* ierr);

/* Print devices, settings and timers; collective where the Frame has a communicator. */
void frame_report_(int* ierr);

/* ---- What runs, and what it met ----------------------------------------------------------- */

/* Write what `bridge doctor` prints, for this process. file: JSON if its name ends in .json; "":
 * the log. ranks: "first" (rank 0 of the communicator, which then also lists the GPUs that ranks
 * share) or "all": each rank writes FILE.RANK, a single rank FILE. Collective where the Frame has
 * a communicator. A file that cannot be written is a warning, and a status where the policy is
 * "return". */
void frame_doctor_(const char* file, const char* ranks, int* ierr);

/* What decides the bits of a run, but for the C library and the C++ compiler, as lines of text,
 * blank-padded to len characters, without NUL. Refused if len is too small; 8192 is enough for a
 * dozen packs. */
void frame_fingerprint_(char* buffer, int len, int* ierr);

/* Count the points of a set with each status bit: counts(1) for bit 0, counts(n) for bit n-1; n at
 * most 32. The counts are those of its latest run if setting status_counts is on; else those of
 * the bound array "status" now. */
void frame_status_counts_(const char* set, int n, int64_t* counts, int* ierr);

/* Print the first `most` points of a set that have one of the bits, with their inputs. bits: a sum
 * of powers of two, as status words have; 0: those of setting status_bits. */
void frame_status_points_(const char* set, int bits, int most, int* ierr);

/* Print everything that the kernels of a composite compute at one point, from the present inputs;
 * the arrays are not written. composite: "" for that of the set's latest run. i, j, k: of the
 * point, as SptX, SptY, SptZ count them. block: its number, from 1, in a set of many blocks, else
 * 0. */
void frame_probe_(const char* set, const char* composite, int i, int j, int k, int block,
                  int* ierr);

/* "continue" (default), or "stop": a run after which points have a bit of setting status_bits
 * (none named: BAD_T, BAD_P, BAD_Y, BAD_RHO, NO_CONV) fails with BRIDGE_POINTS; its results are written.
 * Call this after initialize; before it use setting status_policy. */
void frame_status_policy_(const char* policy, int* ierr);

#ifdef __cplusplus
}
#endif

#endif
