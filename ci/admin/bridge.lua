-- A module file for Lmod: copy it to MODULEPATH as bridge/0.1.0.lua and mend the first line.
local prefix = "/opt/bridge/0.1.0" -- the virtual environment that holds the package

help([[Loops of legacy Fortran as kernels on SIMD CPU code or a GPU. bridge doctor; bridge-config --libs]])
whatis("Name: bridge")
whatis("Version: 0.1.0")
prepend_path("PATH", pathJoin(prefix, "bin"))
-- In parentheses: capture gives a second value, and what a program prints ends with a newline.
local folder = (capture(pathJoin(prefix, "bin/bridge-config") .. " --pkgconfigdir"):gsub("%s+$", ""))
prepend_path("PKG_CONFIG_PATH", folder)
setenv("BRIDGE_PYTHON", pathJoin(prefix, "bin/python3"))
