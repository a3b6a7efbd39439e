# ruff: noqa: F403, F405  (what a recipe uses comes from Spack)
# A recipe for Spack: copy this folder to packages/py_fortran_bridge of a repository of yours.

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyFortranBridge(PythonPackage):
    """A library that legacy Fortran CFD codes link: loops as kernels on SIMD CPU code or a GPU."""

    homepage = "https://example.org/bridge"  # of your mirror of the sources
    git = "https://example.org/bridge.git"

    license("BSD-3-Clause", checked_by="bridge")

    version("main", branch="main")

    variant("mpi", default=True, description="Communicators of the host's MPI, by mpi4py")
    variant("plot", default=False, description="Pictures of benchmarks, by matplotlib")

    depends_on("c", type="build")
    depends_on("cxx", type=("build", "run"))  # builds kernel packs
    depends_on("fortran", type=("build", "run"))  # compiles module bridge, and ports' originals

    # libbridge.so opens the shared libpython.
    depends_on("python@3.11: +shared", type=("build", "link", "run"))
    depends_on("py-meson-python@0.16:", type="build")
    depends_on("meson@1.3:", type="build")
    depends_on("py-cffi@1.16:", type=("build", "run"))
    depends_on("py-pyyaml@6:", type=("build", "run"))
    depends_on("py-numpy@1.26:", type=("build", "run"))
    depends_on("py-tabulate@0.9:", type=("build", "run"))

    with when("+mpi"):
        depends_on("mpi", type=("build", "link", "run"))
        depends_on("py-mpi4py@4:", type=("build", "run"))
    depends_on("py-matplotlib@3.7:", when="+plot", type=("build", "run"))

    def setup_run_environment(self, env):
        # The interpreter of this installation, whatever Python comes first on PATH.
        env.set("BRIDGE_PYTHON", self.spec["python"].command.path)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_link_line(self):
        """The library is found, and has its entry points."""
        bridge_config = Executable(join_path(self.prefix.bin, "bridge-config"))
        bridge_config("--libs")
