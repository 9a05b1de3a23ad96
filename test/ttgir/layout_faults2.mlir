// neso layout: a conversion needs two layouts of one tile; an encoding needs a type.
// run: neso layout '{register = [[1]], lane = [[2]], warp = [], block = []} -> {dim0 = 4}' '{register = [], lane = [[1]], warp = [], block = []} -> {dim0 = 2}'; neso layout '#ttg.blocked<{order = [0]}>'
// error: @layout:1:1: the two must be layouts of one tile
// error: @layout:1:1: an encoding wants a type: --type 16x32xf16
