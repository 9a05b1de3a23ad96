// neso layout: what is no layout, or not of one tile.
// run: neso layout --type 4x8xf16 '#ttg.blocked<{sizePerThread = [1, 3]}>'
// error: @layout:1:1: a blocked layout needs sizePerThread, threadsPerWarp, warpsPerCTA and order of its rank
