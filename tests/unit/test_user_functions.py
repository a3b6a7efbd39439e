"""Functions of the user on the arrays of a set: what they get, what they change, how they fail."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unit.blocks import FRINGES, INTERIOR, SHAPE, SPECIES
from unit.test_reductions import bound

from bridge.errors import ArgumentError, BridgeError, StateError
from bridge.settings import Settings
from bridge.tvproperties import TVProperties

pytestmark = pytest.mark.usefixtures("backend", "as_numpy")

Make = Callable[..., Any]


@pytest.fixture
def code(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Write a module of the user, whose name nobody else has; its folder."""
    before, path = set(sys.modules), list(sys.path)

    def write(name: str, text: str, folder: str = "own") -> str:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / f"{name}.py").write_text(text)
        return str(place)

    yield write
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def with_rho(make: Make, resident: bool = False, **settings: Any) -> Any:
    """Set 'cells' on Q and rho, Q(nx, ny, nz, nq), rho(1, nx, ny, nz)."""
    tv, Q = bound(make, **settings)
    rho = np.asfortranarray(np.random.default_rng(3).random((1, *SHAPE)))
    tv.bind_array("cells", "rho", "out", rho, component_first=True, scale=2.0, **FRINGES)
    if resident:
        for name in ("Q", "rho"):
            tv.enter_data("cells", name, "copyin")
    return tv, Q, rho


@pytest.mark.parametrize("resident", [False, True])
def test_arrays_lie_where_the_host_has_them(
    make_frame: Make, as_numpy: Any, resident: bool
) -> None:
    tv, Q, rho = with_rho(make_frame, resident)
    before = rho.copy()
    seen: list[np.ndarray] = []

    def look(cells: Any) -> None:
        seen.extend(as_numpy(one).copy() for one in (cells.T, cells["Y"], cells.whole("Q")))
        assert cells.shape == (5, 4, 3) and cells.rho.shape == (5, 4, 3)
        assert cells.whole("rho").shape == SHAPE and cells.scale("rho") == 2.0
        assert "rho" in cells and "h" not in cells and list(cells) == ["Q", "rho"]
        cells.rho[...] = 2.0 * cells.T
        cells.whole("rho")[0, 0, 0] = -1.0

    tv.python("cells", look)
    np.testing.assert_array_equal(seen[0], Q[INTERIOR][..., 4])
    np.testing.assert_array_equal(seen[1], Q[INTERIOR][..., 5:])
    np.testing.assert_array_equal(seen[2], Q)
    if resident and bridge_has_copies(tv):
        np.testing.assert_array_equal(rho, before, err_msg="the host's, which is older now")
        tv.update_host("cells", "rho")
    wanted = before[0]
    wanted[INTERIOR], wanted[0, 0, 0] = 2.0 * Q[INTERIOR][..., 4], -1.0
    np.testing.assert_array_equal(rho[0], wanted)


def bridge_has_copies(tv: TVProperties) -> bool:
    return tv.impl.backend.device_copies is not None


def test_what_was_written_on_the_device_is_newer(make_frame: Make) -> None:
    tv, *_ = with_rho(make_frame, True)
    if not bridge_has_copies(tv):
        pytest.skip("kernels read the caller's memory")
    tv.python("cells", lambda cells: cells.read("rho").sum())
    assert not tv.impl.residency.newer()
    tv.python("cells", lambda cells: cells.rho.sum())
    assert "rho" in str(tv.impl.residency.newer())
    with tv.arrays("cells") as cells:
        if not isinstance(cells.rho, np.ndarray):  # as on a stand-in
            assert cells.xp.__name__ == "cupy"


def test_what_is_read_cannot_be_written(make_frame: Make) -> None:
    tv, Q, _ = with_rho(make_frame)
    before = Q.copy()
    for name in ("Q", "T", "Y"):
        with pytest.raises(BridgeError, match="ValueError.*read-only"):
            tv.python("cells", lambda cells, name=name: cells[name].fill(0.0))
    with pytest.raises(BridgeError, match="ValueError.*read-only"):
        tv.python("cells", lambda cells: cells.read("rho").fill(0.0))
    np.testing.assert_array_equal(Q, before)


@pytest.mark.parametrize("resident", [False, True])
def test_an_assignment_writes_the_array(make_frame: Make, resident: bool) -> None:
    """And leaves nothing behind that later calls find in place of it."""
    tv, _, rho = with_rho(make_frame, resident)
    before = rho[0].copy()

    def add(cells: Any) -> None:
        cells.rho += 1.0
        cells["rho"] *= 2.0

    for _ in range(2):
        tv.python("cells", add)
        if resident and bridge_has_copies(tv):
            assert "rho" in str(tv.impl.residency.newer())
            tv.update_host("cells", "rho")
    np.testing.assert_allclose(rho[0][INTERIOR], 4.0 * before[INTERIOR] + 6.0, rtol=1e-14)

    def put(cells: Any) -> None:
        cells.rho = 3.0 * cells.read("rho")

    tv.python("cells", put)
    other = np.ones((1, *SHAPE), order="F")
    tv.bind_array("cells", "rho", "out", other, component_first=True, **FRINGES)
    tv.python("cells", put)
    wanted = np.ones(SHAPE)
    wanted[INTERIOR] = 3.0
    np.testing.assert_array_equal(other[0], wanted)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("T", "'T' of set 'cells', which is only read"),
        ("roh", "got 'roh'"),
        ("rank", "got 'rank'"),
    ],
)
def test_assignments_that_are_refused(make_frame: Make, name: str, words: str) -> None:
    tv, Q, _ = with_rho(make_frame, True)
    before = Q.copy()
    for use in (lambda cells: setattr(cells, name, 1.0), lambda cells: cells.__setitem__(name, 1)):
        with pytest.raises(BridgeError, match=words):
            tv.python("cells", use)
    tv.python("cells", lambda cells: cells.shape)
    np.testing.assert_array_equal(Q, before)


def test_what_else_there_is(make_frame: Make) -> None:
    frame = make_frame(13)
    tv = frame.tvproperties
    tv.bind_array("cells", "T", "in", np.ones(SHAPE, order="F"), **FRINGES)
    with frame.set("cells") as cells:
        i, j, k = cells.positions
        assert (i.shape, j.shape, k.shape) == ((5, 1, 1), (1, 4, 1), (1, 1, 3))
        assert (i[0, 0, 0], j[0, 0, 0], k[0, 0, 0]) == (3, 2, 1) and i[-1, 0, 0] == 7
        assert cells.species.names == SPECIES and cells.rank == 0 and cells.constants == {}
        assert cells.values.size == 0 and cells.text == "" and cells.name == "cells"
        assert cells.blocks == (cells,)
        with pytest.raises(StateError, match="set.comm.*no communicator.*with comm"):
            _ = cells.comm
    tv.position("cells", 11, 12, 13)
    with frame.set("cells") as cells:
        assert [int(one.flat[0]) for one in cells.positions] == [11, 12, 13]


def test_values_and_text(make_frame: Make) -> None:
    tv, *_ = with_rho(make_frame)
    given = [1.0, 2.5]

    def look(cells: Any) -> None:
        assert cells.values.tolist() == given and cells.text == "and so on"
        assert not cells.values.flags.writeable

    tv.python("cells", look, given, "and so on")


def test_nothing_is_left_open(make_frame: Make) -> None:
    """The host may move its arrays; a bind makes new ones."""
    tv, *_ = with_rho(make_frame)
    kept: list[Any] = []
    tv.python("cells", kept.append)
    for name in ("rho", "blocks", "xp"):
        with pytest.raises(StateError, match="outside of the call"):
            getattr(kept[0], name)

    def fill(cells: Any) -> None:
        cells.rho.fill(3.0)

    tv.python("cells", fill)
    other = np.zeros((1, *SHAPE), order="F")
    tv.bind_array("cells", "rho", "out", other, component_first=True, **FRINGES)
    tv.python("cells", fill)
    assert (other[0][INTERIOR] == 3.0).all() and other.sum() == 3.0 * 60

    def again(cells: Any) -> None:
        tv.python("cells", again)

    with pytest.raises(BridgeError, match="in already"):
        tv.python("cells", again)
    tv.python("cells", lambda cells: cells.rho.fill(4.0))
    assert (other[0][INTERIOR] == 4.0).all()


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda cells: cells["rhoo"], "name: got 'rhoo', wanted an array of set 'cells'.*Q, rho"),
        (lambda cells: cells.rhoo, "AttributeError.*'rhoo'"),
        (lambda cells: cells.block, None),
    ],
)
def test_names_that_are_none(make_frame: Make, use: Any, words: str | None) -> None:
    tv, *_ = with_rho(make_frame)
    if words is None:
        tv.python("cells", use)
    else:
        with pytest.raises(BridgeError, match=words):
            tv.python("cells", use)
    with pytest.raises(ArgumentError, match="set: got 'cell', wanted"):
        tv.python("cell", use)


def test_not_while_a_run_is_pending(make_frame: Make) -> None:
    tv, *_ = with_rho(make_frame)
    tv.run_begin("cells", "eosRhohFromTPprop")
    with pytest.raises(StateError, match="frame_python.*while eosRhohFromTPprop is pending"):
        tv.python("cells", lambda cells: None)
    tv.wait("cells")
    tv.python("cells", lambda cells: None)


def test_a_module_in_the_folder(make_frame: Make, code: Any) -> None:
    """With a module beside it; imported once."""
    code("userhelp", "FACTOR = 3.0\n")
    folder = code(
        "userclosures",
        "from userhelp import FACTOR\ncalls = []\nclass Closures:\n    @staticmethod\n"
        "    def fill(cells):\n        calls.append(cells.text)\n        cells.rho[...] = FACTOR\n"
        "def subgrid(cells):\n    Closures.fill(cells)\n",
    )
    tv, _, rho = with_rho(make_frame, python_path=folder)
    for text in ("a", "b"):
        tv.python("cells", "userclosures:subgrid", text=text)
    tv.python("cells", "userclosures:Closures.fill", text="c")
    assert (rho[0][INTERIOR] == 3.0).all()
    assert sys.modules["userclosures"].calls == ["a", "b", "c"]


def test_a_changed_module_is_imported_anew(make_frame: Make, code: Any) -> None:
    folder = code("userchanged", "def fill(cells):\n    cells.rho[...] = 1.0\n")
    tv, _, rho = with_rho(make_frame, python_path=folder, python_reload=True)
    tv.python("cells", "userchanged:fill")
    code("userchanged", "def fill(cells):\n    cells.rho[...] = 20.0\n")
    file = Path(folder) / "userchanged.py"
    os.utime(file, ns=(file.stat().st_mtime_ns + 10**9,) * 2)
    tv.python("cells", "userchanged:fill")
    assert (rho[0][INTERIOR] == 20.0).all()


def test_the_working_directory_is_not_searched(
    make_frame: Make, code: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(code("userhere", "def look(cells):\n    pass\n", folder="here"))
    for path in ({}, {"python_path": code("userthere", "") + os.pathsep + " "}):
        tv, *_ = with_rho(make_frame, **path)
        with pytest.raises(ArgumentError, match="function: got 'userhere:look'.*python_path") as e:
            tv.python("cells", "userhere:look")
        assert "the working directory is not searched" in str(e.value)


@pytest.mark.parametrize(
    ("text", "function", "words"),
    [
        ("", "look", "got 'look', wanted 'module:function'"),
        ("", "userbad:", "got 'userbad:', wanted 'module:function'"),
        ("", "../userbad:look", "wanted 'module:function'"),
        ("def other(cells): pass", "userbad:look", r"a function of .*userbad\.py \(other\)"),
        ("look = 3", "userbad:look", "'userbad:look', a int, wanted a function"),
        ("import nosuchthing", "userbad:look", r"userbad\.py:1 in <module>: ModuleNotFoundError"),
        ("def look(cells)\n  pass", "userbad:look", r"userbad\.py:1: SyntaxError"),
        ("def look(): pass", "userbad:look", "TypeError: look.. takes 0 positional"),
        (
            "def look(cells):\n    deeper(cells)\ndef deeper(cells):\n    1 / 0\n",
            "userbad:look",
            r"userbad:look' on set 'cells': .*userbad\.py:2 in look: ZeroDivisionError",
        ),
        (
            "import json\ndef look(cells):\n    json.loads('{')\n",
            "userbad:look",
            r"userbad\.py:3 in look \(raised in .*decoder\.py:\d+\): JSONDecodeError",
        ),
        (
            "def look(cells):\n    cells.rho[...] = [1.0, 2.0]\n",
            "userbad:look",
            r"userbad\.py:2 in look: ValueError",
        ),
    ],
)
def test_failures_name_file_and_line(
    make_frame: Make, code: Any, text: str, function: str, words: str
) -> None:
    tv, *_ = with_rho(make_frame, python_path=code("userbad", text))
    with pytest.raises(BridgeError, match=words) as caught:
        tv.python("cells", function)
    trace = caught.value.__cause__.__traceback__ if caught.value.__cause__ else None
    if trace is not None and "in look: " in str(caught.value):
        assert Path(trace.tb_frame.f_code.co_filename).name == "userbad.py"


def test_a_name_that_is_taken(make_frame: Make, code: Any) -> None:
    """Python's own module is imported already."""
    tv, *_ = with_rho(make_frame, python_path=code("json", "def look(cells):\n    pass\n"))
    import json  # noqa: F401

    with pytest.raises(ArgumentError, match="'json:look'.*json.__init__.py is imported and not"):
        tv.python("cells", "json:look")


def test_settings(tmp_path: Path) -> None:
    settings = Settings()
    with pytest.raises(ArgumentError, match="python_path: got.*nosuch.*a folder that exists"):
        settings.set("python_path", str(tmp_path / "nosuch"))
    with pytest.raises(ArgumentError, match="one of stream, device for 'python_sync'"):
        settings.set("python_sync", "never")
    settings.set("python_path", f"{tmp_path}{os.pathsep}")
    assert settings.functions() == ((str(tmp_path),), False, "stream")


def test_blocks(make_frame: Make, as_numpy: Any) -> None:
    """A set of many blocks has an array for each, those without points too."""
    tv = make_frame(13).tvproperties
    sizes = (4, 0, 6)
    memory = np.concatenate([np.full(n * 6, float(n)) for n in sizes])
    bounds = [(n, 3, 2, 1, n, 1, 3, 1, 2, 1, 1, 1) for n in sizes]
    tv.bind_blocks("many", "T", "inout", memory, bounds, np.cumsum([0, *sizes[:2]]) * 6)
    with tv.arrays("many") as many:
        assert [one.shape for one in many.blocks] == [(4, 3, 2), (0, 3, 2), (6, 3, 2)]
        assert [as_numpy(one.T).sum() for one in many.blocks] == [96.0, 0.0, 216.0]
        many.blocks[2].T[...] = 1.0
        with pytest.raises(ArgumentError, match="many blocks.*set.blocks"):
            _ = many["T"]
    assert memory[24:].sum() == 36.0 and memory[:24].sum() == 96.0


def test_a_change_of_what_is_read_is_found(make_frame: Make, as_numpy: Any) -> None:
    """On a device arrays cannot be made read-only: BRIDGE_VERIFY looks at them."""
    tv, *_ = with_rho(make_frame, True, verify="all")
    if not bridge_has_copies(tv):
        pytest.skip("kernels read the caller's memory")

    def change(cells: Any) -> None:
        array = cells["T"]
        if isinstance(array, np.ndarray):  # of a stand-in
            array.flags.writeable = True
        array[0, 0, 0] += 1.0

    tv.python("cells", lambda cells: cells["T"].sum())
    with pytest.raises(ArgumentError, match="'T' of set 'cells', changed by frame_python"):
        tv.python("cells", change)


def test_stale_arrays_are_told(
    make_frame: Make, capfd: pytest.CaptureFixture[str], backend: str
) -> None:
    if backend != "cpu":
        pytest.skip("a CPU keeps the copies that are compared")
    tv, Q, _ = with_rho(make_frame, True, check_residency=1)
    tv.python("cells", lambda cells: cells.T)
    assert "without frame_update_device" not in capfd.readouterr().out
    Q[INTERIOR] += 1.0
    tv.python("cells", lambda cells: cells.T)
    assert "frame_python" in capfd.readouterr().out


def test_pytorch_has_interiors_without_a_copy(make_frame: Make) -> None:
    torch = pytest.importorskip("torch")
    tv, *_, rho = with_rho(make_frame, True)

    def fill(cells: Any) -> None:
        array = torch.from_dlpack(cells.rho)
        assert array.shape == (5, 4, 3)
        array.fill_(7.0)

    tv.python("cells", fill)
    tv.update_host("cells", "rho")
    assert (rho[0][INTERIOR] == 7.0).all()


def test_timers_know_them(make_frame: Make, tmp_path: Path) -> None:
    tv, *_ = with_rho(make_frame)
    for _ in range(3):
        tv.python("cells", with_rho_named)
    assert tv.impl.timers["python with_rho_named"].calls == 3


def with_rho_named(cells: Any) -> None:
    cells.rho.fill(0.0)
