"""The section of kernel packs: found, built for this machine, checked against their originals."""

from __future__ import annotations

from bridge.doctor.findings import Section
from bridge.errors import ArgumentError, BridgeError
from bridge.plan import packs, verified
from bridge.plan.catalogue import Catalogue


def section(target: str | None) -> Section:
    """target: what kernels run on, v2, v3, v4 or cuda; None where nothing does."""
    found = Section("packs")
    try:
        known = packs.found()
        Catalogue.installed()
    except (ArgumentError, BridgeError) as error:
        remedy = "export BRIDGE_PACKS=FOLDER:FOLDER, each with a catalogue.toml"
        found.problem(str(error), f"{remedy}; bridge packs list shows them", stops=True)
        return found
    if not known:
        found.facts["found"] = "none"
    for pack in known:
        states = verified.states(target or "", [pack])
        found.facts[pack.name] = f"{pack.folder}, by {pack.origin}, digest {pack.digest[:16]}"
        if target in packs.TARGETS and pack.kernels:
            state = pack.state(target)
            found.facts[pack.name] += f", {state} for x86-64-{target}"
            if state != "built":
                found.problem(
                    f"pack {pack.name} is {state} for x86-64-{target}", pack.command, stops=True
                )
        for kernel, state in states.items():
            found.facts[kernel] = state
        bad = [f"{name} ({state})" for name, state in states.items() if "unverified" in state]
        if bad:
            found.problem(
                f"kernels of pack {pack.name} are not known to do what their originals do: "
                + ", ".join(bad),
                f"bridge port --check {pack.folder}",
            )
    return found
