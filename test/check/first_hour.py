"""The first hour by README.md alone: its commands up to "## The library", those that install and build too, as one script; and whether
what they print is what stands there. scripts/bare runs the script in a bare root.

    first_hour.py script              prints the script
    first_hour.py check LOG           LOG: what the script printed; says what differs, status 1 then

Left out is what needs a GPU."""

import pathlib
import re
import sys

from pages import MARK, ROOT, blocks, same

END_OF_HOUR = "\n## The library\n"


def steps():
    """(name, command, what it prints or None) in the order of the page."""
    text = (ROOT / "README.md").read_text()
    found, faults = blocks(text[:text.index(END_OF_HOUR)])
    assert not faults, faults
    for block in found:
        if "gpu" in block.words or block.language not in ("sh", "console"):
            continue
        if block.language == "sh":
            yield str(block.line), block.text, None
            continue
        for n, piece in enumerate(re.split(r"^\$ ", block.text, flags=re.M)[1:]):
            command, _, wanted = piece.partition("\n")
            yield f"{block.line}.{n}", command, wanted


def script():
    # No settings of the shell's own: a command that fails is told and the next one is tried, as a reader would.
    lines = ["exec 2>&1 </dev/null"]
    for name, command, wanted in steps():
        lines += [f"echo '{MARK} {name}'", command.rstrip()]
        if wanted is None:
            lines.append(f"[ $? -eq 0 ] || echo '{MARK}-failed {name}'")
    return "\n".join([*lines, f"echo '{MARK} end'"]) + "\n"


def check(said):
    parts = re.split(rf"^{MARK} (\S+)\n", said, flags=re.M)
    printed = dict(zip(parts[1::2], parts[2::2]))
    faults = [f"README.md:{name}: a command fails" for name in re.findall(rf"^{MARK}-failed (\S+)$", said, flags=re.M)]
    for name, command, wanted in steps():
        if name not in printed:
            faults.append(f"README.md:{name}: was not reached")
        elif wanted is not None and not same(wanted, printed[name]):
            faults.append(f"README.md:{name}: $ {command}\n  prints\n{printed[name]}  and the page says\n{wanted}")
        elif wanted is None and re.search(r"^\S*(: command not found|: not found)", printed[name], re.M):
            faults.append(f"README.md:{name}: a program is missing:\n{printed[name][-500:]}")
    if "end" not in printed:
        faults.append("README.md: the end was not reached")
    return faults


def main():
    if sys.argv[1:] == ["script"]:
        sys.stdout.write(script())
        return 0
    faults = check(pathlib.Path(sys.argv[2]).read_text(errors="replace"))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
