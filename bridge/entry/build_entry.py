"""Write the C of the entry from bridge.h: one trampoline per prototype, and the cffi module.

Called by meson: ``build_entry.py HEADER INTERNAL_HEADER TRAMPOLINES.c MODULE.c BODIES.h MAP``. The
trampolines belong to libbridge.so, the module is _bridge_entry, and the table of bodies is between
them. Adding an entry takes a prototype in bridge.h and a body in bodies.py. The linker map leaves
only the entries visible in libbridge.so.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

# Pointers that may be null; every other pointer is checked in C before Python is entered.
NULLABLE = {"kij", "ierr", "place", "components"}
# Entries that start Python by themselves: what a host calls first.
BOOTING = {
    *("frame_boot_", "frame_set_", "frame_initialize_", "frame_initialize_comm_"),
    "frame_doctor_",
}

# Written by hand in entry.c and host.c.
ANSWERED_IN_C = {
    "frame_status_",
    "frame_last_error_",
    "frame_error_policy_",
    "bridge_refuse_",
    "bridge_on_flush_",
    "bridge_host_environment_",
}
# Collective on `comm`: the ranks agree after what one may fail at alone, the start of Python and
# the body ..._check, before the body of the entry.
COLLECTIVE = {"frame_initialize_comm_"}
STRIPE = re.compile(r"frame_castles_populate(in|out)putstripe_$")
COMPOSITE = re.compile(r"frame_tvproperties_(\w+)_$")
# Done without Python where it is known (runs.h, constants.h, viewcalls.h); &answer: of the body
# that tells of a failure.
AGAIN = {
    "frame_run_": "runs_again(set, composite, NULL, 0, RUNS_WHOLE, &answer)",
    "frame_run_several_": "runs_again(sets, composites, NULL, 0, RUNS_SEVERAL, &answer)",
    "frame_run_box_": "runs_again(set, composite, boxes, nBoxes, RUNS_BOXES, &answer)",
    "frame_run_colour_": "runs_colour_again(set, kernel, colour, &answer)",
    "frame_run_begin_": "runs_begin(set, composite, NULL, 0, RUNS_WHOLE, &answer)",
    "frame_run_begin_box_": "runs_begin(set, composite, boxes, nBoxes, RUNS_BOXES, &answer)",
    "frame_wait_": "runs_wait(set)",
    "frame_constant_": "constant_set(name, value, type, n)",
    "frame_constants_": "constants_set(names, values, n)",
    "frame_table_": "table_set(name, values, sizes, rank)",
    **{
        f"frame_{move}_": f"moves_again(MOVES_{move.upper()}, set, name, boxes, nBoxes, {buffer}"
        ", &answer)"
        for move, buffer in {
            "update_device": "0, NULL, 0",
            "update_host": "0, NULL, 0",
            "pack": "ENTRY_REAL, buffer, nBuffer",
            "unpack": "ENTRY_REAL, buffer, nBuffer",
        }.items()
    },
    **{
        f"frame_{move}_typed_": f"moves_again(MOVES_{move.upper()}, set, name, boxes, nBoxes, type"
        ", buffer, nBuffer, &answer)"
        for move in ("pack", "unpack")
    },
    **{
        name: "reduces_again(set, quantity, operation, &component, 1, nValues, value, place, "
        f"{width}, &answer)"
        for name, width in {"frame_reduce_": 4, "frame_reduce_blocks_": 5}.items()
    },
    "frame_reduce_several_": "reduces_again(set, quantities, operations, components, n, nValues, "
    "value, place, 5, &answer)",
    "frame_allreduce_constant_": "constants_reduced_again(sets, quantity, operation, constant)",
    "frame_constant_value_": "constant_value_again(constant, value)",
    "frame_launch_": "views_launch(kernel, n, &answer)",
    "frame_exchange_": "exchanges_again(1, 1, name, &answer)",
    "frame_exchange_begin_": "exchanges_again(1, 0, name, &answer)",
    "frame_exchange_wait_": "exchanges_again(0, 1, name, &answer)",
    "frame_sequence_run_": 'runs_again("", name, NULL, 0, SEQUENCES, &answer)',
}


@dataclass(frozen=True)
class Argument:
    """One argument: C type without the name ("const double*"), name."""

    type: str
    name: str

    @property
    def declaration(self) -> str:
        return f"{self.type} {self.name}"

    @property
    def is_array(self) -> bool:
        return self.type.endswith(("double*", "void*"))

    @property
    def python_type(self) -> str:
        """What the Python body gets: strings as they are, arrays as integer addresses."""
        return "int64_t" if self.is_array else self.type

    @property
    def python_value(self) -> str:
        if self.is_array:
            return f"(int64_t)(intptr_t){self.name}"
        return self.name


@dataclass(frozen=True)
class Prototype:
    """One entry: result type, name with its underscore, arguments."""

    result: str
    name: str
    arguments: tuple[Argument, ...]

    @property
    def declaration(self) -> str:
        arguments = ", ".join(argument.declaration for argument in self.arguments) or "void"
        return f"{self.result} {self.name}({arguments})"

    @property
    def ierr(self) -> str:
        """The expression for the caller's status variable."""
        return "ierr" if any(a.name == "ierr" for a in self.arguments) else "NULL"

    @property
    def body_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.name != "ierr")

    @property
    def body(self) -> str:
        """Name of the Python body: python_ and the name without the last underscore."""
        return "python_" + self.name.removesuffix("_")


def prototypes(header: str) -> list[Prototype]:
    """Every function that a header in the regular style of bridge.h declares."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    found = []
    for result, name, inside in re.findall(r"([\w*]+)\s+(\w+_)\(([^;]*)\)\s*;", text):
        if inside.strip() == "void":
            inside = ""
        arguments = []
        for piece in filter(None, (" ".join(part.split()) for part in inside.split(","))):
            match = re.fullmatch(r"(.*?[\s*])(\w+)", piece)
            function = re.fullmatch(r"void \(\*(\w+)\)\(void\)", piece)
            if match:
                arguments.append(Argument(match[1].strip().replace(" *", "*"), match[2]))
            elif function:
                arguments.append(Argument("void (*)(void)", function[1]))
        found.append(Prototype(result, name, tuple(arguments)))
    return found


def checks(prototype: Prototype) -> list[str]:
    """C expressions that are BRIDGE_OK when a pointer argument is usable, in argument order; an
    array comes last, because its bounds say whether it has an address."""
    found = []
    for argument in prototype.body_arguments:
        if not argument.type.endswith("*") or argument.name in NULLABLE:
            continue
        if argument.name == "values" and prototype.name == "frame_python_":
            continue  # may be none
        if argument.name == "data":
            continue
        if argument.name == "boxes":  # none may have no address
            found.append("entry_want_boxes(entry, boxes, nBoxes)")
            continue
        want = "string" if argument.type == "const char*" else "pointer"
        found.append(f'entry_want_{want}(entry, "{argument.name}", {argument.name})')
    if any(argument.name == "nb" for argument in prototype.arguments) and found:
        found = [c for c in found if '"bounds"' not in c and '"offsets"' not in c]
        if any(argument.name == "data" for argument in prototype.arguments):
            found.append("entry_want_blocks(entry, data, nb, bounds, offsets)")
    elif any(argument.name == "data" for argument in prototype.arguments):
        found.append("entry_want_data(entry, data, bounds[0], bounds[1], bounds[2])")
    return found


def collective(prototype: Prototype) -> str:
    """The same for an entry in COLLECTIVE. A rank whose `comm` is none fails alone; so does one
    that may not speak for its process (a child of fork, the end of the program)."""
    values = ", ".join(argument.python_value for argument in prototype.body_arguments)

    def enter(body: str) -> str:
        return f"""\
if (status == BRIDGE_OK) {{
        guard_open(&guard);
        status = entry_result(entry, entry_bodies.{body}({values}));
        guard_close(&guard);
    }}"""

    return f"""\
{prototype.declaration}
{{
    static const char entry[] = "{prototype.name}";
    const struct host_communicator before = host_communicator;
    struct guard guard;
    const char* wanted;
    int status = entry_open(entry, {int(prototype.name in BOOTING)});
    int together = (status == BRIDGE_OK || entry_state.phase == PHASE_COLD) &&
                   mpi_unusable(comm, &wanted) == NULL;
    if (status == BRIDGE_OK)
        status = mpi_check(entry, comm);
    if (together) {{
        host_communicator.number = comm;
        host_communicator.given = 1;
    }}
    {enter(prototype.body + "_check")}
    if (together)
        status = mpi_agree(entry, comm, status);
    {enter(prototype.body)}
    entry_close(status, ierr);
    if (status != BRIDGE_OK)
        host_communicator = before;
}}
"""


def trampoline(prototype: Prototype, composites: list[str]) -> str:
    """The exported C function: checks, guard, Python body, policy; and its alias name__."""
    if prototype.name in COLLECTIVE:
        return collective(prototype)
    before: list[str] = []
    again = AGAIN.get(prototype.name)
    tests = [f"entry_open(entry, {int(prototype.name in BOOTING)})"]
    values = ", ".join(argument.python_value for argument in prototype.body_arguments)
    call = f"{prototype.body}({values})"
    if match := STRIPE.match(prototype.name):
        fields = [a.name for a in prototype.arguments[2:13]]
        before = ["struct entry_stripe stripe;"]
        tests += [
            "entry_stripe_name(entry, &stripe, name)",
            "entry_want_data(entry, data, nx, ny, nz)",
        ]
        fill = [f"stripe.{field} = {field};" for field in fields]
        fill = ["stripe.address = (int64_t)(intptr_t)data;", *fill]
        fill.append(f"stripe.output = {int(match[1] == 'out')};")
        fill.append("stripe.thread = entry_thread();")
        call = "python_stripe(&stripe, stripeStart, stripeEnd)"
        again = "views_stripe(&stripe, stripeStart, stripeEnd)"
    else:
        fill = []
        tests += checks(prototype)
        if match := COMPOSITE.match(prototype.name):
            call = f"python_composite({composites.index(match[1])}, nActivePoints)"
            again = f'views_launch("{match[1]}", nActivePoints, &answer)'
    lines = [prototype.declaration, "{", f'    static const char entry[] = "{prototype.name}";']
    lines += [f"    {line}" for line in before]
    lines += [f"    int status = {tests[0]};"]
    for test in tests[1:]:
        lines += ["    if (status == BRIDGE_OK)", f"        status = {test};"]
    if prototype.name != "frame_boot_":
        lines += ["    if (status == BRIDGE_OK) {", "        struct guard guard;"]
        lines += [f"        {line}" for line in fill]
        lines += ["        guard_open(&guard);"]
        if again:
            lines += ["        int answer = ENTRY_DONE;", f"        if (!{again})"]
            lines += [f"            answer = entry_bodies.{call};"]
            lines += ["        status = entry_result(entry, answer);"]
        else:
            lines += [f"        status = entry_result(entry, entry_bodies.{call});"]
        lines += ["        guard_close(&guard);", "    }"]
    lines += [f"    entry_close(status, {prototype.ierr});", "}", ""]
    return "\n".join(lines)


def alias(prototype: Prototype) -> str:
    """The name that gfortran -fsecond-underscore asks for."""
    double = Prototype(prototype.result, prototype.name + "_", prototype.arguments).declaration
    double = f'__attribute__((visibility("default"))) {double}'
    if prototype.name not in ANSWERED_IN_C:
        return f'{double}\n    __attribute__((alias("{prototype.name}")));\n'
    values = ", ".join(argument.name for argument in prototype.arguments)
    answer = "" if prototype.result == "void" else "return "
    return f"{double}\n{{\n    {answer}{prototype.name}({values});\n}}\n"


def bodies(entries: list[Prototype]) -> list[str]:
    """Declarations of the Python bodies, in C."""
    declarations = [
        "int python_stripe(struct entry_stripe*, int, int)",
        "int python_composite(int, int)",
        "int python_run_failed(const char*, const char*, const int*, int, int, int)",
        "int python_launch_failed(const char*)",
    ]
    for entry in entries:
        if STRIPE.match(entry.name) or COMPOSITE.match(entry.name):
            continue
        if entry.name in ANSWERED_IN_C or entry.name == "frame_boot_":
            continue
        arguments = ", ".join(a.python_type for a in entry.body_arguments) or "void"
        declarations.append(f"int {entry.body}({arguments})")
        if entry.name in COLLECTIVE:
            declarations.append(f"int {entry.body}_check({arguments})")
    return declarations


# What Python calls of libbridge.so, through the table that it gave.
MODULE = """\
#include "interpreter.h"
#include "python_side.h"

static void failure_from_python(int code, const char* kind, const char* message,
                                const char* details)
{
    entry_host->failure_from_python(code, kind, message, details);
}

static int failure_returns(void)
{
    return entry_host->failure_returns();
}

static void host_forget_communicator(void)
{
    entry_host->host_forget_communicator();
}

static void host_flush(void)
{
    entry_host->host_flush();
}

static int host_has_module(void)
{
    return entry_host->host_has_module();
}

static int startup_is_ours(void)
{
    return entry_host->startup_is_ours();
}

static const char* startup_chosen(void)
{
    return entry_host->startup_chosen();
}

static int64_t startup_began(void)
{
    return entry_host->startup_began();
}

static void* runs_keep(const char* set, const char* name, const int* boxes, int n_boxes,
                       int colour, const struct entry_run* as)
{
    return entry_host->runs_keep(set, name, boxes, n_boxes, colour, as);
}

static int runs_begun(void* run)
{
    return entry_host->runs_begun(run);
}

static void runs_allow(void* run, int64_t most)
{
    entry_host->runs_allow(run, most);
}

static int64_t runs_taken(void* run, struct entry_count* counts)
{
    return entry_host->runs_taken(run, counts);
}

static int64_t runs_drop(void* run, struct entry_count* counts)
{
    return entry_host->runs_drop(run, counts);
}

static void runs_pause(int pause)
{
    entry_host->runs_pause(pause);
}

static int constants_keep(const char* names, const struct entry_constant* constants, int n,
                          int single, const struct entry_run* as)
{
    return entry_host->constants_keep(names, constants, n, single, as);
}

static int tables_keep(const char* name, struct entry_table* table, int rank,
                       const struct entry_run* as)
{
    return entry_host->tables_keep(name, table, rank, as);
}

static void constants_drop(void)
{
    entry_host->constants_drop();
}

static int64_t views_take(void)
{
    return entry_host->views_take();
}

static void views_give(void)
{
    entry_host->views_give();
}

static int64_t views_stamp(void)
{
    return entry_host->views_stamp();
}

static void* views_keep_launch(const char* name, const struct entry_launch* launch, int64_t call,
                               int64_t writer, const int64_t* state)
{
    return entry_host->views_keep_launch(name, launch, call, writer, state);
}

static void* views_keep_stripe(const struct entry_stripe* stripe, const struct entry_copy* copy,
                               int64_t call, int64_t writer)
{
    return entry_host->views_keep_stripe(stripe, copy, call, writer);
}

static void views_taken(void* record, struct entry_count* count)
{
    entry_host->views_taken(record, count);
}

static void views_drop(void* record, struct entry_count* count)
{
    entry_host->views_drop(record, count);
}

static const void* host_environment(void)
{
    return entry_host->host_environment();
}
"""

# What Python sees of C besides its own bodies and the structs of interpreter.h.
PYTHON_SIDE = """\
#define ENTRY_DONE ...
#define RUNS_WHOLE ...
#define RUNS_BOXES ...
#define RUNS_SEVERAL ...
#define MOVES_PACK ...
#define MOVES_UNPACK ...
#define MOVES_UPDATE_DEVICE ...
#define MOVES_UPDATE_HOST ...
#define REDUCES ...
#define EXCHANGES ...
#define SEQUENCES ...
#define REDUCED_CONSTANTS ...
#define CONSTANT_VALUES ...
void* runs_keep(const char*, const char*, const int*, int, int, const struct entry_run*);
int runs_begun(void*);
void runs_allow(void*, int64_t);
int64_t runs_taken(void*, struct entry_count*);
int64_t runs_drop(void*, struct entry_count*);
void runs_pause(int);
int constants_keep(const char*, const struct entry_constant*, int, int, const struct entry_run*);
int tables_keep(const char*, struct entry_table*, int, const struct entry_run*);
void constants_drop(void);
int64_t views_take(void);
void views_give(void);
int64_t views_stamp(void);
void* views_keep_launch(const char*, const struct entry_launch*, int64_t, int64_t, const int64_t*);
void* views_keep_stripe(const struct entry_stripe*, const struct entry_copy*, int64_t, int64_t);
void views_taken(void*, struct entry_count*);
void views_drop(void*, struct entry_count*);
void failure_from_python(int, const char*, const char*, const char*);
int failure_returns(void);
void host_forget_communicator(void);
void host_flush(void);
int host_has_module(void);
int startup_is_ours(void);
const char* startup_chosen(void);
const void* host_environment(void);
int64_t startup_began(void);
extern const char* const entry_composites;
"""


def table(declared: list[str], contract: str) -> str:
    """The header with the table of bodies; contract: what two libraries must have in common."""
    members = [re.sub(r"^int (\w+)\(", r"int (*\1)(", line) for line in declared]
    lines = ["/* Written by build_entry.py. */", f'#define ENTRY_CONTRACT "{contract}"', ""]
    lines += ["struct entry_bodies {"]
    lines += [*(f"    {line};" for line in members), "};", ""]
    return "\n".join(lines)


def module(entries: list[Prototype], declared: list[str]) -> str:
    """The C that cffi's module begins with."""
    composites = [match[1] for entry in entries if (match := COMPOSITE.match(entry.name))]
    names = [re.sub(r"^int (\w+)\(.*", r"\1", line) for line in declared]
    text = [MODULE, *(f"static {line};" for line in declared)]
    text += [f'static const char* const entry_composites = "{" ".join(composites)}";', ""]
    text += ["const struct entry_bodies* python_side_bodies(void)", "{"]
    text += ["    static const struct entry_bodies bodies = {"]
    text += [*(f"        {name}," for name in names), "    };", "    return &bodies;", "}"]
    return "\n".join(text)


def trampolines(entries: list[Prototype], contract: list[Prototype]) -> str:
    """The C of libbridge.so."""
    composites = [match[1] for entry in entries if (match := COMPOSITE.match(entry.name))]
    headers = ("entry", "constants", "runs", "viewcalls")
    text = ["".join(f'#include "{name}.h"\n' for name in headers)]
    text += [trampoline(e, composites) for e in entries if e.name not in ANSWERED_IN_C]
    text += [alias(prototype) for prototype in contract]
    return "\n".join(text)


def generate(
    header: Path, internal: Path, source: Path, cffi_module: Path, bodies_header: Path, map_: Path
) -> None:
    import cffi

    contract = prototypes(header.read_text())
    entries = contract + prototypes(internal.read_text())
    declared = bodies(entries)
    shared = header.with_name("interpreter.h").read_text()
    shared = shared.partition("/* begin shared")[2].partition("*/")[2]
    shared = shared.partition("/* end shared")[0]
    common = "\n".join([*declared, MODULE, PYTHON_SIDE, shared])
    digest = hashlib.sha256(common.encode()).hexdigest()[:16]
    source.write_text(trampolines(entries, contract))
    bodies_header.write_text(table(declared, digest))

    builder = cffi.FFI()
    builder.cdef(shared + PYTHON_SIDE)
    builder.cdef('extern "Python" {' + "".join(f"{line};" for line in declared) + "}")
    builder.set_source("_bridge_entry", module(entries, declared))
    builder.emit_c_code(str(cffi_module))

    names = [entry.name for entry in entries] + [entry.name + "_" for entry in contract]
    exported = "".join(f"        {name};\n" for name in sorted(names))
    map_.write_text(f"{{\n    global:\n{exported}    local: *;\n}};\n")


if __name__ == "__main__":
    generate(*(Path(argument) for argument in sys.argv[1:7]))
