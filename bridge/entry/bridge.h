/* bridge.h: the one contract between a Fortran (or C) host and the bridge.
 *
 * Every entry point is declared here once. The C trampolines, the cffi input and the page
 * docs/entry-points.md are generated from this file, and so are bridge_interfaces.f90,
 * bridge_absent.f90, bridge_f77.inc and module bridge of bridge.f90, by fortran_forms.py.
 *
 * Conventions. Names end in one underscore (the `name__` forms that -fsecond-underscore asks
 * for exist as aliases). An integer is a C int passed by value (%VAL from Fortran 77), and so are
 * single reals: the double `scale` of the entries that bind, and `share`. An array, of doubles or of
 * integers (bounds), is passed by address; the integers of `offsets` alone have 64 bits. A string
 * is NUL-terminated: 'Q'//char(0). `ierr` is the address of an integer that receives a status
 * below: 0 success, negative failure. Entries without `ierr` are void, as those that CASTLES
 * calls; their outcome is frame_status_(). Whether a failure ends the job or returns is set by
 * frame_error_policy_(); the default ends it. Units are SI unless a line says otherwise.
 *
 * Positions are 1-based and inclusive and count storage, whatever lower bounds the array was
 * declared with. nx, ny, nz include fringes; the interior is SptX..EptX by SptY..EptY by
 * SptZ..EptZ. stripeStart and stripeEnd number interior points 1..N, x fastest; stripeEnd =
 * stripeStart - 1 is an empty stripe. Component SptData goes to view column 0, and
 * EptData - SptData + 1 is the width of the view.
 *
 * An axis has at most 2147483647 positions; an array that the address space (2^47 bytes) cannot
 * hold is refused. The module of Fortran refuses by name what a C int would cut off.
 *
 * An interior with EptX = SptX - 1 is an empty block, and so is an array with an extent of 0, as a
 * rank has that owns nothing: every call takes it and does nothing. The address of such an array
 * is not looked at and may be null; along an extent of 0 any EptX less than SptX will do.
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
#define BRIDGE_STATE -4      /* a call out of order: before initialize, after finalize, twice */
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
 * frame_doctor_ boot by themselves. Any other call before them is refused (BRIDGE_STATE) and starts nothing;
 * frame_status_, frame_last_error_ and frame_error_policy_ need no Python. */
void frame_boot_(int* ierr);

/* Create the Frame's views and backend. device_id: GPU of this rank (rank modulo device count);
 * nGridPoints: chunk, the most points one launch takes (MaxBlock); ns: species, 0 where kernel packs
 * run that know none; nq: components of the caller's Q; iTurb: turbulence model number, kept and
 * reported. */
void frame_initialize_(int device_id, int nGridPoints, int ns, int nq, int iTurb);

/* The same, collective on the Fortran communicator comm: where it fails on one rank, it fails on
 * all, with the code of the first that failed and its message. */
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

/* Transport constants from the host: Vc m3/mol, dipole debye, kappa -, each (ns). */
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

/* Any kernel by its name (case-sensitive), a kernel pack's too, or a composite by its name, on the
 * first n points of the current views. */
void frame_launch_(const char* kernel, int n, int* ierr);

/* ---- Bound arrays: the bridge does the chunk loop ---------------------------------------- */

/* Name an array of a set of points (cells, faces, a plane, a block). intent: "in", "out" or
 * "inout". bounds = nx, ny, nz, SptX, EptX, SptY, EptY, SptZ, EptZ, SptData, EptData, nData;
 * a negative nData says component first, data(nData,nx,ny,nz). scale multiplies on the way in
 * and divides on the way out. The array must live, at this address, until unbind; in Fortran it is
 * a TARGET in every scope that reads or writes it meanwhile. */
void frame_bind_(const char* set, const char* name, const char* intent, double* data,
                 const int* bounds, double scale, int* ierr);

/* The same for an array of a type below: an integer one may stand for a real quantity that is only
 * read, a real(4) one for any real quantity. Values are converted, then scaled, on the way in, and
 * the other way round on the way out; a finite result beyond the range of real(4) becomes NaN.
 * type: 1 real(8), 2 real(4), 3 integer(4); 10 more for a section, where the bounds are those of a
 * larger array that this one is a part of. */
void frame_bind_typed_(const char* set, const char* name, const char* intent, int type, void* data,
                       const int* bounds, double scale, int* ierr);

/* frame_bind_ for a set of nb blocks of any sizes in one memory: bounds has the twelve integers of
 * each block, of which SptData, EptData and nData are the same for all, offsets the elements from
 * `data` to each block's own array. Binding a name again replaces all blocks, as after a regrid.
 * All arrays of the set have the same blocks: as many, with as many interior points along x, y and
 * z. A run goes over all blocks at once. type: as of frame_bind_typed_. */
void frame_bind_blocks_(const char* set, const char* name, const char* intent, double* data,
                        int nb, const int* bounds, const int64_t* offsets, double scale,
                        int* ierr);
void frame_bind_blocks_typed_(const char* set, const char* name, const char* intent, int type,
                              void* data, int nb, const int* bounds, const int64_t* offsets,
                              double scale, int* ierr);

/* Let runs of a set read an array that is bound in another one, as faces read cells. shift(3): where
 * the set's first interior point lies, in points along x, y and z from the first one of the other
 * set. What is bound there under this name later holds here too. */
void frame_bind_from_(const char* set, const char* name, const char* from, const int* shift,
                      int* ierr);

void frame_unbind_(const char* set, const char* name, int* ierr);

/* Evaluate a composite, or one kernel by its name, on every interior point of a set; the bound
 * arrays hold the results on return. Arrays that it neither reads nor gives are left alone. */
void frame_run_(const char* set, const char* composite, int* ierr);

/* frame_run_ in two calls: between them the run goes on, and the caller may exchange fringes. The
 * interiors of the set's arrays are the bridge's until frame_wait_; other sets, views and fringes
 * are free. Refused by name meanwhile: another run, frame_bind_ and frame_unbind_ of this set, new
 * species constants. frame_finalize_ waits by itself. */
void frame_run_begin_(const char* set, const char* composite, int* ierr);
void frame_wait_(const char* set, int* ierr);

/* The same on nBoxes boxes of six integers, i1, i2, j1, j2, k1, k2, first and last points counted
 * from 1 at the set's first interior point: parts of the interior, or of the fringe (numbers below
 * 1 or past the end) as far as all arrays of the run have one. Boxes share no point; one may be
 * empty. While such a run is pending the caller may use all points that it neither reads nor
 * writes. */
void frame_run_box_(const char* set, const char* composite, const int* boxes, int nBoxes,
                    int* ierr);
void frame_run_begin_box_(const char* set, const char* composite, const int* boxes, int nBoxes,
                          int* ierr);

/* A kernel with colours at the points of one of them, 1 or 2: those whose positions (frame_position_)
 * have an even sum, and the others. Between the two the host exchanges fringes. */
void frame_run_colour_(const char* set, const char* kernel, int colour, int* ierr);

/* One number of all interior points of a set. operation: "sum", "min", "max", "minloc", "maxloc",
 * "any" (1.0 where a value is not zero, else 0.0), "count" (of values that are not zero), "nan" (1.0
 * where a value is NaN, else 0.0), "l1", "l2" or "linf" (norms: the sum of the magnitudes, the root of
 * the sum of the squares, the largest magnitude) of a quantity in SI; "bits" (of integers such as
 * status: how many have each bit, the lowest first: 32 values). What is bound, or a column of
 * Q, is reduced as it is; another quantity is made by kernels of what is bound "in" or "inout", and
 * kept nowhere. component: from 1; 0 for all together; -1 for a value of each, nValues of them
 * (else nValues is 1, for "bits" 32). place: null, or 4*nValues integers: i, j, k, as SptX counts
 * them, and the component of the first point that has the value, for "any" is not zero, for "nan" is
 * NaN; 0 for none and for what is added. A NaN makes a sum, norm, min or max NaN, and is its place.
 * Points where the set's iblank is 0 do not count. Without any that counts: 0.0; +infinity (min), -infinity (max). Threads, chunks and
 * layouts change no bit of it. Over ranks: frame_allreduce_. */
void frame_reduce_(const char* set, const char* quantity, const char* operation, int component,
                   int nValues, double* value, int* place, int* ierr);

/* The same, with the block of each place: place has 5*nValues integers, i, j, k, the component and
 * the block, from 1; 1 where the set's arrays are no blocks. For a set of many blocks frame_reduce_
 * takes no place. */
void frame_reduce_blocks_(const char* set, const char* quantity, const char* operation,
                          int component, int nValues, double* value, int* place, int* ierr);

/* The same over the points of all ranks of the communicator of frame_initialize_comm_; collective on
 * it, with the same result on all ranks, and where it fails on one rank, it fails on all. Ranks and
 * decompositions change no bit of it: sums are made of parts that are added without rounding, and
 * differ from those of frame_reduce_ by its rounding errors. place has 6*nValues integers: those of
 * frame_reduce_blocks_ on the rank that has the place, and this rank, from 0; of equal values the
 * lowest rank's first point counts. Refused in a program of several ranks without a communicator. */
void frame_allreduce_(const char* set, const char* quantity, const char* operation, int component,
                      int nValues, double* value, int* place, int* ierr);

/* Say before a run that an array bound "in" ("*": each of them) holds what it held at the set's
 * latest run: a GPU keeps it then, and does not copy it again if that run read it and succeeded.
 * Holds for the next run alone, even if that is refused. */
void frame_unchanged_(const char* set, const char* name, int* ierr);

/* Position of the first interior point of a set, for kernels that read position_i, position_j or
 * position_k: the others follow along x, y and z. A rank gives its place in the whole domain.
 * Without it SptX, SptY and SptZ of the set's arrays, which are the same then. */
void frame_position_(const char* set, int i, int j, int k, int* ierr);

/* The same for a set of many blocks: ijk(3, nb), of each block's first interior point. */
void frame_position_blocks_(const char* set, int nb, const int* ijk, int* ierr);

/* ---- Beside a loop of the host ---------------------------------------------------------------- */

/* Called before a loop of the host that does what a composite or kernel does: run that on the
 * set's arrays as they are, with its outputs in memory of the bridge; the arrays are only read.
 * share: of the points, above 0.0 and up to 1.0; 1.0: all of them. Less: boxes chosen by a
 * pseudo-random sequence from the number of the call and the points' positions (frame_position_),
 * so the same on every rank count; not for a set of many blocks, nor for points that follow each
 * other (colours, sweeps). Between this and frame_compare_ the set's outputs stay bound. */
void frame_compare_begin_(const char* set, const char* composite, double share, int* ierr);

/* Called after that loop: compare what it left in the set's outputs with what the bridge has. worst:
 * the largest difference, relative to the largest magnitude that its component has in the loop's
 * values among the compared points of this rank. NaN on one side alone is infinitely far, on both
 * sides equal; integers are equal or infinitely far. Points where the set's iblank is 0 do not
 * count. Both sides are the host's memory: of a resident array its copy is not looked at. frame_report_
 * prints all comparisons; the first difference of an array above setting compare_limit (1e-10; for
 * an array of real(4) at least its rounding) prints a line. */
void frame_compare_(const char* set, const char* composite, double* worst, int* ierr);

/* frame_compare_begin_ of several sets for one loop of the host: names with blanks between them, the
 * first composite or kernel on the first set. They run in this order, and later ones read what
 * earlier ones made; then frame_compare_ of each. Where they do so, and where points follow each
 * other, a share below 1.0 is one of the calls: the others compare nothing. */
void frame_compare_begin_sets_(const char* sets, const char* composites, double share, int* ierr);

/* Called after frame_compare_: n numbers that the host has beside the arrays, as sums, under a name of
 * theirs in the report. scale: what a difference is relative to; 0.0: equal or infinitely far. */
void frame_compare_numbers_(const char* set, const char* composite, const char* name, int n,
                            const double* original, const double* bridge, const double* scale,
                            double* worst, int* ierr);

/* An output of the set that the host's loop does not fill: comparisons do not look at it. in_place not 0:
 * nor does the host read it, so that they write it as runs do, and frame_reduce_ finds it there. A new
 * bind of it forgets that. */
void frame_compare_without_(const char* set, const char* name, int in_place, int* ierr);

/* Add ranges and a sample of the inputs of a composite or kernel, as the set's arrays hold them now,
 * to a recording. Each rank writes its own, FILE.RANK.npz, in frame_finalize_ or when
 * frame_record_write_ asks for it; the folder exists. bound/recordings.py has the format. */
void frame_record_(const char* set, const char* composite, const char* file, int* ierr);

/* Write the recordings as they are now; they go on. */
void frame_record_write_(int* ierr);

/* ---- Lists of points ------------------------------------------------------------------------- */

/* Points of a set are numbered from 1, x fastest, through its interior; with an empty name of the set
 * `name` is a view, and its points are meant. Values are in the unit of the catalogue, of integers
 * as well. What lies on a GPU is worked on there. Refused while a run of the set is pending.
 *
 * Values of some points: nValues = nPoints times the components of the array, the component slowest. */
void frame_gather_(const char* set, const char* name, const int* points, int nPoints,
                   double* values, int nValues, int* ierr);

/* Values to some points, each of them once, of an array bound "out" or "inout", or of a view; the
 * others keep theirs. */
void frame_scatter_(const char* set, const char* name, const int* points, int nPoints,
                    const double* values, int nValues, int* ierr);

/* Sums of all values up to each point, with its own or, where exclusive is not 0, without. nValues:
 * points times components, the component slowest. */
void frame_scan_(const char* set, const char* name, int exclusive, double* values, int nValues,
                 int* ierr);

/* Numbers of the points where a mask or a flag is not 0, nOn of them, and behind these of the others;
 * both in their order. nPoints: all points of the set. */
void frame_split_(const char* set, const char* name, int* points, int nPoints, int* nOn,
                  int* ierr);

/* Numbers of the points in the order of their keys, the least first, NaN last, equal keys in their own
 * order. nPoints: all points of the set. */
void frame_sort_by_key_(const char* set, const char* name, int* points, int nPoints, int* ierr);

/* All values, the components of a point side by side: nValues = components times points. */
void frame_transpose_(const char* set, const char* name, double* values, int nValues, int* ierr);

/* ---- Arrays that stay where they are used ---------------------------------------------------- */

/* From here on the whole array behind a bound one (all nx*ny*nz*nData elements, fringes included) is
 * resident: runs of every set read and write the copy of that memory on the GPU. clause: "copyin",
 * or "create", a copy without values. Memory that is resident counts one reference more, and moves
 * nothing; a part of it in other memory is refused ("partially present"). Of many blocks all memory
 * from the first block's array to the end of the last one's is resident, what lies between them
 * included. layout: of the copy, "host", or "device": component last, of a component-first array of
 * one block. On the CPU an array stays where
 * it is: this and what follows checks and moves nothing, but for frame_pack_ and frame_unpack_. */
void frame_enter_data_(const char* set, const char* name, const char* clause, const char* layout,
                       int* ierr);

/* One reference less. With the last one the copy ends: "copyout" copies all of it to the array
 * before, "delete" nothing. A resident array ends so before it is deallocated; frame_unbind_ leaves
 * it resident. */
void frame_exit_data_(const char* set, const char* name, const char* clause, int* ierr);

/* Values of boxes of a resident array: the host's to the device, the device's to the host. boxes:
 * 6*nBoxes integers i1, i2, j1, j2, k1, k2, numbered as interior points 1..n along each axis; below 1
 * and above n lies the fringe, and i2 = i1 - 1 is no point. nBoxes = 0: all points with the fringe,
 * which alone is for many blocks. The components are those that are bound. */
void frame_update_device_(const char* set, const char* name, const int* boxes, int nBoxes,
                          int* ierr);
void frame_update_host_(const char* set, const char* name, const int* boxes, int nBoxes,
                        int* ierr);

/* Boxes of an array of real(8), from where its values are (the copy of a resident one), into a
 * buffer of the host or of the GPU, and back: box after box, the component slowest inside a box, x
 * fastest. nBuffer: elements of the buffer, as many as the boxes have or more. Boxes of an unpack do
 * not overlap. */
void frame_pack_(const char* set, const char* name, const int* boxes, int nBoxes, double* buffer,
                 int nBuffer, int* ierr);
void frame_unpack_(const char* set, const char* name, const int* boxes, int nBoxes,
                   const double* buffer, int nBuffer, int* ierr);

/* The same for an array and a buffer of a type of frame_bind_typed_. */
void frame_pack_typed_(const char* set, const char* name, const int* boxes, int nBoxes, int type,
                       void* buffer, int nBuffer, int* ierr);
void frame_unpack_typed_(const char* set, const char* name, const int* boxes, int nBoxes, int type,
                         const void* buffer, int nBuffer, int* ierr);

/* Address of the first element of a resident array in its copy, for an MPI that takes addresses of
 * a GPU, or OpenACC's deviceptr; on the CPU of the array itself; of many blocks the address that
 * offsets count from. Refused for layout "device". */
void frame_device_address_(const char* set, const char* name, void** address, int* ierr);

/* ---- Constants and tables of kernel packs ------------------------------------------------- */

/* A value of a constant, for every run and launch from now on until frame_finalize_; n: values,
 * as many as the constant has columns. type: 1 double (real(8)), 2 float (real(4)), 3 int, 4
 * int64_t, 5 an int that is a logical (.true. is not 0). A real constant takes reals and integers,
 * an integer one integers, a logical one logicals. Refused while a run that reads it is pending. */
void frame_constant_(const char* name, const void* value, int type, int n, int* ierr);

/* New values of n constants that have one column each, of all of them or, refused, of none. names:
 * with blanks between; values: one a name, whole numbers for integers, 0 or 1 for logicals. */
void frame_constants_(const char* names, const double* values, int n, int* ierr);

/* Contents of a table, copied: doubles in Fortran's order, sizes(rank) of its dimensions. A table
 * may be filled again. Refused while a run that reads it is pending. */
void frame_table_(const char* name, const void* values, const int* sizes, int rank, int* ierr);

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

/* Write what `bridge doctor` prints, of this process: the Python it really uses and why, MPI on both
 * sides, devices, instruction set, libraries loaded twice, traps, caches, packs; each problem with
 * the line that mends it. file: JSON where its name ends in .json; "": the log. ranks: "first"
 * (of the communicator, which then says of all ranks which GPUs they share) or "all", each its own
 * FILE.RANK, or where there is one rank FILE. Collective where the Frame has a communicator. Boots by
 * itself, and works before frame_initialize_. */
void frame_doctor_(const char* file, const char* ranks, int* ierr);

/* All that decides the bits of a run, as lines of text, blank-padded to len characters, without NUL:
 * for logs and restart files. `bridge fingerprint --diff A B` says in words what differs. Refused
 * where len is too small; 8192 suffice for a dozen packs. */
void frame_fingerprint_(char* buffer, int len, int* ierr);

/* Points of a set by bit of their status words: counts(1) of bit 0, counts(n) of bit n-1; n up to
 * 32. Of its latest run where setting status_counts is on; else of what lies in the bound array
 * "status" now. Points where the set's iblank is 0 do not count. */
void frame_status_counts_(const char* set, int n, int64_t* counts, int* ierr);

/* Print the first `most` points of a set that have one of the bits, with their inputs. bits: a sum
 * of powers of two, as status words have; 0: those of setting status_bits. */
void frame_status_points_(const char* set, int bits, int most, int* ierr);

/* Print all that the kernels of a composite or kernel make at one point, kernel after kernel, of the
 * inputs that the arrays hold now; nothing is written to them. composite: "" for that of the set's
 * latest run. i, j, k: of the point, as SptX, SptY, SptZ count them. block: its number, from 1, in a
 * set of many blocks, else 0. */
void frame_probe_(const char* set, const char* composite, int i, int j, int k, int block,
                  int* ierr);

/* "continue" (default), or "stop": a run that leaves points with a bit of setting status_bits (BAD_T,
 * BAD_P, BAD_Y, NO_CONV) fails with BRIDGE_POINTS, after it has written its results. After
 * initialize; setting status_policy before. */
void frame_status_policy_(const char* policy, int* ierr);

#ifdef __cplusplus
}
#endif

#endif
