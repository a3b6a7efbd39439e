#!/usr/bin/env bash
# What ci/bare runs within a bare root, where /opt/bridge holds wheels and a host program.
set -euo pipefail
cd /opt/bridge
for tool in gcc cc g++ gfortran ld make mpirun; do
  ! command -v "$tool" || { echo "this system is not bare: $tool" >&2; exit 1; }
done
! ls /usr/lib/*/libgomp.so.1 2>/dev/null || { echo "this system has libgomp" >&2; exit 1; }

python3 -m venv environment
environment/bin/python -m pip install -q --disable-pip-version-check --no-index --find-links wheels fortran-bridge
library=$(dirname "$(find environment -name libbridge.so)")
export LD_LIBRARY_PATH=$PWD/$library

environment/bin/python -P - <<'PY'
import bridge
result = bridge.evaluate("O2 CH4", T=[300.0, 800.0], P=1e7, Y=[0.5, 0.5], outputs=("rho", "cp"))
print("evaluate: rho", *result["rho"], "cp", *result["cp"])
assert (result["status"] >= 0).all() and abs(result["rho"][0] - 98.0449) < 1e-3
PY
./host started

# /usr/bin/python3 holds its own libpython; a program of Fortran needs the shared one beside it.
mkdir away
mv /usr/lib/*/libpython3*.so* away/
trap 'mv away/libpython3* /usr/lib/x86_64-linux-gnu/' EXIT
environment/bin/python -P -c 'import bridge; print("bridge", bridge.__version__, "without libpython.so")'
./host absent | tee told
grep -q libpython told || { echo "nobody says that libpython is missing" >&2; exit 1; }
mv away/libpython3* /usr/lib/x86_64-linux-gnu/
trap - EXIT

environment/bin/bridge doctor # its status is not 0 where something would stop a run

mkdir alone
cp "$library/libbridge.so" alone/
rm -rf environment
LD_LIBRARY_PATH=$PWD/alone ./host absent
