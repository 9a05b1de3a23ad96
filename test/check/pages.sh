# What README.md and the pages of docs/ and src/ show is true: their commands are run in order and print
# what stands there, their programs run, the commands and options that their text names exist, and their
# links lead somewhere (test/check/pages.py has the rules). PAGES="docs/why.md ..." runs some of them.
set -eu
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "not under sanitizers: Python does not load them"; exit 77; }
# A page with one fault of each kind: all are noticed.
cat >"$TMP/bad.md" <<'END'
A [link](nowhere.md), a [section](#nowhere), `neso compile --nothing`, `neso nothing`, `make nothing`, `src/nothing.c`, `NESO_NOTHING=1`.

    indented

```
no language
```

```sh gqu
true
```

```sh network
echo "never closed
```

```console
$ echo two
one
```

```python fragment
x = = 1
```

```python
raise SystemExit(3)
```

```c
int f(void) { return g(); }
```

```sh
false
```
END
if "$python" -B test/check/pages.py --build "$NESO_BUILD" --folder "$TMP/faults" "$TMP/bad.md" >"$TMP/said"; then echo "a page of faults passes"; exit 1; fi
while read -r line fault; do
	grep -q "bad.md:$line: .*$fault" "$TMP/said" || { echo "not noticed: line $line, $fault"; cat "$TMP/said"; exit 1; }
done <<'END'
1 a link to nowhere.md
1 a link to #nowhere
1 no option --nothing
1 no command 'neso nothing'
1 no 'make nothing'
1 no src/nothing.c
1 no setting NESO_NOTHING
3 only indented
5 a block of ''
9 'gqu' means nothing
13 bash
17 echo two
22 invalid syntax
26 status 3
30 status 1
34 a command fails
END
# shellcheck disable=SC2086
exec "$python" -B test/check/pages.py --build "$NESO_BUILD" --folder "$TMP/pages" ${PAGES:-}
