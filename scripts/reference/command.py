"""The command, its settings, and the remarks of --why: what the command itself prints, and a table."""

import json
import os
import subprocess

from tables import cell, rows


def _run(build, *words):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NESO_", "TRITON_", "MLIR_", "LLVM_", "CUDA_", "XDG_"))}
    env["HOME"] = "/home/you"
    return subprocess.run([str(build / "neso"), *words], env=env, capture_output=True, text=True, check=True).stdout


def command_page(root, build):
    pages = [_run(build, "manual", "--format", "markdown")]
    pages[0] = pages[0].split("Environment:")[0].rstrip() + "\n\nThe environment: [settings](settings.md).\n"
    names = [line.split()[0] for line in _run(build, "--help").split("\n") if line.startswith("  ") and line[2].islower()]
    for name in names:
        if name != "neso":
            pages.append(_run(build, "manual", name, "--format", "markdown").rstrip() + "\n")
    return "\n".join(pages)


def settings_page(root, build):
    settings = json.loads(_run(build, "config", "--json"))
    out = ["# Settings of the environment", "",
           "From the table `src/base/option/option.def`; [settings.md](../settings.md) says how they are read.",
           "*key*: kernels that were compiled under another value are others. `neso.knobs` has the names on",
           "the left.", ""]
    for used in (True, False):
        group = None
        if not used:
            out += ["## Without effect", "", "Known, so that programs which set them run.", "", "| variable | |", "|---|---|"]
        for s in settings:
            if s["used"] != used:
                continue
            name, _, short = s["name"].partition(".")
            if used and name != group:
                group = name
                out += ["", f"## {name}", "", "| name | variable | type | preset | |", "|---|---|---|---|---|"]
            doc = cell(s["doc"].removeprefix("without effect: "))
            variables = "`" + "`, `".join(v for v in (s["variable"], s["other_variable"]) if v) + "`"
            if used:
                preset = f"`{s['preset']}`" if s["preset"] else ""
                out.append(f"| {short.replace('_', chr(92) + '_')} | {variables} | {s['type']} | {preset} | {doc}{' *key*' if s['in_key'] else ''} |")
            else:
                out.append(f"| {variables} | {doc} |")
        out.append("")
    text = "\n".join(out)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip() + "\n"


OUTCOMES = {"DONE": "+", "MISSED": "-", "FACT": ""}


def remarks_page(root, build):
    out = ["# Remarks of --why", "",
           "From the table `src/base/diag/remark.def`; [why.md](../why.md) says how to read them. `+` is what one would",
           "wish, `-` what is slower. `%u` and its like stand for numbers, `%s` for names.", ""]
    kind = None
    for _, (code, of, outcome, rule, text, advice) in rows(root / "src/base/diag/remark.def", "REMARK"):
        if of != kind:
            kind = of
            out += ["", f"## {kind}", "", "| rule | | what it says | what helps |", "|---|---|---|---|"]
        out.append(f"| `{rule}` | {OUTCOMES[outcome]} | {cell(text)} | {cell(advice)} |")
    return "\n".join(out).replace("\n\n\n", "\n\n") + "\n"
