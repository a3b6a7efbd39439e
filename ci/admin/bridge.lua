-- A module file for Lmod: copy it to MODULEPATH as bridge/0.1.0.lua and mend the first line.
local prefix = "/opt/bridge/0.1.0" -- the virtual environment that holds the package

help([[Loops of legacy Fortran as kernels on SIMD CPU code or a GPU. bridge doctor; bridge-config --libs]])
whatis("Name: bridge")
whatis("Version: 0.1.0")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("PKG_CONFIG_PATH", capture(pathJoin(prefix, "bin/bridge-config") .. " --pkgconfigdir"))
setenv("BRIDGE_PYTHON", pathJoin(prefix, "bin/python3"))
