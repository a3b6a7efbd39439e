"""Rule 6: nothing is lost, the order is right, and exit functions run once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hosts import TIME_LIMIT, Host, breaks

#: Streams that take nothing: a full disk, a pipe that nobody reads (with the signal as a shell
#: leaves it), a file at its limit, and none at all.
_NOBODY_READS = (
    "import os, signal, sys; read, write = os.pipe(); os.close(read); "
    "signal.signal(signal.SIGPIPE, signal.SIG_DFL); "
    "[os.dup2(write, one) for one in (1, 2)]; os.execv(sys.argv[1], sys.argv[1:])"
)
_AT_LIMIT = (
    'trap - XFSZ; f=$RECORDING.full; printf "%2048s" "" >"$f"; ulimit -f 1; '
    'exec "$0" "$@" >>"$f" 2>&1'
)
NOWHERE = {
    "full": ("sh", "-c", 'exec "$0" "$@" >/dev/full 2>&1'),
    "unread": (sys.executable, "-c", _NOBODY_READS),
    "at its limit": ("sh", "-c", _AT_LIMIT),
    "closed": ("sh", "-c", 'exec "$0" "$@" >&- 2>&-'),
}


def test_order_in_a_redirected_file(host: Host) -> None:
    """Both sides buffer; neither PYTHONUNBUFFERED nor a terminal helps."""
    outcome = host.run("order", environment=breaks("shout"))
    assert outcome.status == 0, outcome.err
    lines = [line for line in outcome.out.splitlines() if line.startswith(("fortran", "python"))]
    assert lines == [
        "fortran one",
        "fortran two",
        "python line",
        "python partfortran three",
        "python line",
        "python partfortran four",
    ]


def test_program_without_finalize(host: Host) -> None:
    outcome = host.run("silent-end", environment=breaks("linger"))
    assert outcome.status == 0, outcome.err
    assert outcome.out.count("last") == 1
    assert outcome.out.count("thread done") == 1
    assert outcome.out.count("goodbye") == 1
    assert outcome.out.index("last") < outcome.out.index("thread done")


def test_lines_survive_a_crash(host: Host) -> None:
    outcome = host.run("report", environment=breaks("die"))
    assert outcome.status == 4
    assert "python line\n" in outcome.out


def everything(folder: Path) -> dict[str, str | None]:
    """Environment of a run that writes all that there is, where nothing can be written."""
    (folder / "states.0.npz").symlink_to("/dev/full")
    return {
        "RECORDING": str(folder / "states"),
        "BRIDGE_TIMERS": "/dev/full",
        "BRIDGE_TRACE": "/dev/full",
        "BRIDGE_BAKEND": "told",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.parametrize("launcher", NOWHERE.values(), ids=NOWHERE)
def test_what_cannot_be_written_ends_no_run(
    host: Host, tmp_path: Path, launcher: tuple[str, ...]
) -> None:
    """Results are there, and the status is the host's, which writes nothing itself: it would
    end by the signals."""
    outcome = host.run("every-line", launcher=launcher, environment=everything(tmp_path))
    assert outcome.status == 7
    assert Path("/dev/full").is_char_device()


def test_what_cannot_be_written_is_told(host: Host, tmp_path: Path) -> None:
    """Lost lines once on stderr; files by their names in the log."""
    environment = everything(tmp_path)
    launcher = ("sh", "-c", 'exec "$0" "$@" >/dev/full')
    outcome = host.run("every-line", "print", launcher=launcher, environment=environment)
    assert outcome.status == 7
    why = "No space left on device"
    assert outcome.err.count("are dropped") == 1
    assert f"bridge: warning: lines for stdout are dropped: {why}; the run goes on" in outcome.err
    outcome = host.run("every-line", environment=environment)
    assert outcome.status == 7
    lines = [line for line in outcome.out.splitlines() if "warning: " in line and why in line]
    for file, times in (("states.0.npz", 2), ("'/dev/full'", 1), ("/dev/full cannot", 2)):
        assert sum(file in line for line in lines) == times, lines


def test_a_python_program_whose_stdout_takes_nothing(tmp_path: Path) -> None:
    """Its own status too: Python would end with 120 if our lines were left in its buffer."""
    code = (
        "import bridge, signal, sys\n"
        "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
        "with bridge.Frame(8, species='O2', backend='cpu') as frame:\n"
        "    frame.report()\n"
        "stdout, sys.stdout = sys.stdout, None\n"
        "with bridge.Frame(8, species='O2', backend='cpu') as frame:\n"
        "    pass\n"
        "sys.stdout = stdout\n"
        "print('end', file=sys.stderr)\n"
    )
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -P -c "$1" >/dev/full', sys.executable, code],
        cwd=tmp_path, env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        capture_output=True, text=True, timeout=TIME_LIMIT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    dropped, end = done.stderr.splitlines()
    assert "lines for stdout are dropped: No space left" in dropped and end == "end"


def test_error_stop(host: Host) -> None:
    outcome = host.run("stop", environment=breaks("linger"))
    assert outcome.status == 3
    assert outcome.out.count("goodbye") == 1


def test_output_before_a_failure_is_not_lost(host: Host) -> None:
    """What the host printed, what Python printed, then the block: all of it, in this order."""
    outcome = host.run("print-and-fail", environment=breaks("shout_and_fail"))
    assert outcome.status == 1
    lines = [line for line in outcome.out.splitlines() if line.startswith(("fortran", "python"))]
    assert lines == ["fortran line", "python part"]
    assert "the job ends here" in outcome.err.splitlines()[-1]
