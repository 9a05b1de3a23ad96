# 10 MB of bytes that are no Python: refused in bounded time and memory.
# run: awk 'BEGIN { srand(1); for (i = 0; i < 1000; i++) { s = ""; for (k = 0; k < 64; k++) s = s sprintf("%c", 33 + int(rand() * 94)); print s } }' >%t/part; i=0; while [ $i -lt 156 ]; do cat %t/part; i=$((i + 1)); done > %t/garbage.py; neso list %t/garbage.py 2>%t/err; s=$?; grep -c error %t/err | awk '{ print ($1 > 0 && $1 < 30) ? "some errors" : $1 }'; exit $s
# limit: 2 500
# exit: 1
# CHECK: some errors
