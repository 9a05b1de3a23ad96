# 10 MB of zero bytes.
# run: head -c 10000000 /dev/zero > %t/zero.py; neso list %t/zero.py
# limit: 2 500
# error: @zero.py:1:1: null bytes
