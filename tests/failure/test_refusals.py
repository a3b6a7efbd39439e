"""Rules 2 and 7: what cannot be done is refused before anything is touched, and named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hosts import Host, Outcome, build

HERE = Path(__file__).parent
ARGUMENT, STATE, MPI = -3, -4, -6

REFUSED = {
    "policy-before-boot": (ARGUMENT, "argument policy: got loudly"),
    "launch-before-boot": (STATE, "before the bridge has started"),
    "launch-before-initialize": (STATE, "call frame_initialize first"),
    "run-before-initialize": (STATE, "call frame_initialize first"),
    "stripe-before-initialize": (STATE, "call frame_initialize first"),
    "finalize-before-initialize": (STATE, "call frame_initialize first"),
    "report-before-initialize": (STATE, "call frame_initialize first"),
    "unknown-option": (ARGUMENT, "specis"),
    "bad-backend": (ARGUMENT, "abacus"),
    "no-species-count": (ARGUMENT, "argument ns: got -1"),
    "no-points": (ARGUMENT, "argument nGridPoints: got 0"),
    "negative-device": (ARGUMENT, "argument device_id: got -1"),
    "unknown-species": (ARGUMENT, "XX"),
    "species-twice": (ARGUMENT, "argument species: got 'O2' 2 times"),
    "wrong-species-count": (ARGUMENT, "argument ns: got 2"),
    "communicator-without-mpi": (MPI, "no MPI library in this process"),
    "initialize-twice": (STATE, "already"),
    "set-after-initialize": (STATE, "after initialize"),
    "unknown-kernel": (ARGUMENT, "noSuchKernel"),
    "too-many-points": (ARGUMENT, "argument nActivePoints: got 101"),
    "negative-points": (ARGUMENT, "argument nActivePoints: got -1"),
    "unknown-set": (ARGUMENT, "argument set: got 'cells'"),
    "few-constants": (ARGUMENT, "argument Tc: got shape (1), wanted shape (2)"),
    "nasa7-turned": (ARGUMENT, "argument nasa7: got shape (2, 17), wanted shape (17, 2)"),
    "kij-shape": (ARGUMENT, "argument kij: got shape (17, 2), wanted shape (2, 2)"),
    "few-volumes": (ARGUMENT, "argument Vc: got shape (1), wanted shape (2)"),
    "unknown-view": (ARGUMENT, "Que"),
    "wrong-width": (ARGUMENT, "EptData"),
    "fringe-below": (ARGUMENT, "SptX"),
    "fringe-above": (ARGUMENT, "EptY"),
    "fringe-crossed": (ARGUMENT, "stripeEnd"),
    "stripe-below": (ARGUMENT, "stripeStart"),
    "stripe-above": (ARGUMENT, "stripeEnd"),
    "stripe-too-long": (ARGUMENT, "stripe"),
    "not-contiguous": (ARGUMENT, "data of T: got an array that is not contiguous"),
    "not-contiguous-in": (ARGUMENT, "data of Q: got an array that is not contiguous"),
    "long-name": (ARGUMENT, "argument name"),
    "bad-intent": (ARGUMENT, "argument intent: got 'sideways'"),
    "bind-unknown": (ARGUMENT, "Tee"),
    "bind-not-contiguous": (ARGUMENT, "data of T: got an array that is not contiguous"),
    "bind-no-scale": (ARGUMENT, "scale"),
    "unknown-composite": (ARGUMENT, "eosThermalPropertys"),
    "input-not-bound": (STATE, "needs 'P'"),
    "unbind-unknown": (ARGUMENT, "'P'"),
    "finalize-twice": (STATE, "call frame_initialize first"),
    "stripe-after-finalize": (STATE, "call frame_initialize first"),
    "launch-after-finalize": (STATE, "call frame_initialize first"),
}


@pytest.fixture(scope="module")
def refusals(host: Host) -> Outcome:
    outcome = host.run("refusals")
    assert outcome.status == 0, outcome.err
    return outcome


@pytest.mark.parametrize("label", REFUSED)
def test_refused(refusals: Outcome, label: str) -> None:
    wanted, piece = REFUSED[label]
    status, *words = refusals.words(label)
    assert int(status) == wanted, " ".join(words)
    assert piece in " ".join(words)


@pytest.mark.parametrize(
    "label", ["initialize", "bind", "stripe", "finalize", "initialize-again", "work-again"]
)
def test_work_goes_on_between_refusals(refusals: Outcome, label: str) -> None:
    assert refusals.words(label)[0] == "0"


def test_refused_output_leaves_the_array(refusals: Outcome) -> None:
    assert refusals.words("untouched") == ["T"]


def test_constants_as_text(host: Host) -> None:
    """es25.17 writes what is accepted; a number that did not fit is named, and nothing else."""
    outcome = host.run("constants")
    assert outcome.words("written")[0] == "0", outcome.out
    status, *words = outcome.words("overflown")
    assert int(status) == ARGUMENT
    wanted = "wanted name=number, with blanks between them"
    assert " ".join(words) == f"argument constants: got 'last=**********', {wanted}"


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("raw")
    host = build(folder, [HERE / "raw.c"], with_compiler="gcc", module=None)
    outcome = host.run()
    assert outcome.status == 0, outcome.err
    return outcome


@pytest.mark.parametrize(
    ("label", "argument"),
    [
        ("key", "key"),
        ("value", "value"),
        ("name", "name"),
        ("data", "data"),
        ("out", "data"),
        ("bounds", "bounds"),
        ("bound-data", "data"),
        ("intent", "intent"),
        ("kernel", "kernel"),
        ("composite", "composite"),
        *((name, name) for name in ("W", "Tc", "Pc", "omega", "nasa7", "Vc", "dipole", "kappa")),
        ("policy", "policy"),
        ("buffer", "buffer"),
    ],
)
def test_null_pointer(raw: Outcome, label: str, argument: str) -> None:
    status, *words = raw.words(label)
    assert int(status) == ARGUMENT
    assert " ".join(words).startswith(f"argument {argument}: got a null pointer")


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("negative", "argument nx: got -1, wanted 0 or more points along x"),
        ("negative-null", "argument data: got a null pointer"),
        ("negative-stripe", "argument ny: got -1, wanted 0 or more points along y"),
    ],
)
def test_negative_extent(raw: Outcome, label: str, message: str) -> None:
    status, *words = raw.words(label)
    assert int(status) == ARGUMENT
    assert " ".join(words).startswith(message)


BEYOND = "argument nx, ny, nz: got 2147483647 x 2147483647 x 2147483647 points of 1 components"


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("least-int", "argument nData: got -2147483648, wanted at most 2147483647 components"),
        ("too-many", BEYOND),
        ("twice-too-many", "argument nx, ny, nz: got 32768 x 32768 x 16384 points of 2 comp"),
        ("too-many-in-stripes", BEYOND),
    ],
)
def test_array_that_no_memory_can_hold(raw: Outcome, label: str, message: str) -> None:
    status, *words = raw.words(label)
    assert int(status) == ARGUMENT
    assert " ".join(words).startswith(message)
    assert raw.words("just-enough")[0] == "0"


@pytest.mark.parametrize("label", ["empty", "empty-wild", "empty-in", "empty-out", "empty-unbind"])
def test_address_of_an_array_without_elements(raw: Outcome, label: str) -> None:
    assert raw.words(label)[0] == "0"


def test_string_without_an_end(raw: Outcome) -> None:
    status, *words = raw.words("endless")
    assert (int(status), "no NUL" in " ".join(words)) == (ARGUMENT, True)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("key", "argument key: got 'speciesO2 CH4', wanted .*begins with 'species': "),
        ("value", "argument value: got 'cpuspecies', wanted .*begins with 'cpu': "),
        ("view", "argument name: got 'Qrho', wanted .*begins with 'Q': "),
        ("name", "argument name: got 'rho_Tout', wanted .*begins with 'rho_T': "),
        ("intent", "argument intent: got 'inoutcells', wanted .*begins with 'inout': "),
        ("set", "argument set: got 'setT', wanted .*begins with 'set': "),
        ("bound", "argument name: got 'Prho', wanted .*begins with 'P': "),
        ("composite", "argument composite: got 'eosThermalPropertiesQ', wanted .*begins with "),
        ("kernel", "argument kernel: got 'prEOSDensityrho', wanted .*begins with 'prEOS"),
    ],
)
def test_string_that_runs_into_the_next(raw: Outcome, label: str, message: str) -> None:
    """A host that ends its strings itself learns what a longer name may come from."""
    status, *words = raw.words(f"unended-{label}")
    assert int(status) == ARGUMENT
    assert re.match(message, " ".join(words)), words
    assert "a string without its final NUL, char(0), runs into what follows it" in " ".join(words)


def test_other_names_get_no_hint_of_strings(raw: Outcome, refusals: Outcome) -> None:
    """Not what begins with no known name, nor a host that uses the module, which adds the NUL."""
    assert "NUL" not in " ".join(raw.words("ended-kernel"))
    assert "NUL" not in " ".join(refusals.words("bind-unknown"))  # Tee, and T is known


def test_null_ierr_is_a_caller_that_does_not_ask(raw: Outcome) -> None:
    assert int(raw.words("null-ierr")[0]) == STATE
    assert "frame_set_ failed" in raw.err
    assert raw.err.count("frame_launch_ failed") == 1
