// neso layout: the layout behind an encoding, who holds what, and how a tile gets to another.
// run: neso layout --type 4x8xf16 '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>'
// run: neso layout --type 'tensor<4x8xf16>' '#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>'
// run: neso layout '{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []} -> {dim0 = 64}' '{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []} -> {dim0 = 64}'
// CHECK: {register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = []} -> {dim0 = 4, dim1 = 8}
// CHECK: [1, :] w0.l4:r0|w0.l20:r0 w0.l4:r1|w0.l20:r1
// CHECK: {offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]} -> {dim0 = 4, dim1 = 8}
// CHECK: shuffle:
