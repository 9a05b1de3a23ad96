// A load of a program's own place that stands behind a reduction is issued with the load in front of that; not where its address or mask comes from
// the reduction or from another load, where something may have written between them, where all programs load the same, or where it is volatile.
// options: --pass=reorder-instructions --verify-each --stress --no-loc --target sm_90a
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @own
  // CHECK: tt.load
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  // CHECK: "tt.reduce"
  tt.func public @own(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %at = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @behind_a_store
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @behind_a_store(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    tt.store %o, %s : !tt.ptr<f32>
    %at = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @behind_an_atomic
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @behind_an_atomic(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %o, %s, %true : (!tt.ptr<f32>, f32, i1) -> f32
    %at = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @behind_assembly
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @behind_assembly(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %0 = tt.elementwise_inline_asm "other $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %n : i32 -> i32
    %at = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @behind_a_branch
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @behind_a_branch(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %0 = arith.cmpi slt, %n, %c1 : i32
    scf.if %0 {
      tt.store %o, %s : !tt.ptr<f32>
    }
    %at = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @of_all
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @of_all(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %at = tt.addptr %q, %n : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @of_the_sum
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @of_the_sum(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %0 = arith.fptosi %s : f32 to i32
    %1 = arith.addi %0, %pid : i32
    %at = tt.addptr %q, %1 : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @of_a_load
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @of_a_load(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %0 = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %1 = tt.load %0 : !tt.ptr<f32>
    %2 = arith.fptosi %1 : f32 to i32
    %3 = arith.addi %2, %pid : i32
    %at = tt.addptr %q, %3 : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y, %m : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
  // CHECK-LABEL: @volatile
  // CHECK: "tt.reduce"
  // CHECK: tt.load %{{.*}} : tensor<512x!tt.ptr<f32>
  tt.func public @volatile(%p: tensor<512x!tt.ptr<f16>, #l>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: tensor<512xi32, #l>, %n: i32) {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %m = arith.constant dense<true> : tensor<512xi1, #l>
    %pid = tt.get_program_id x : i32
    %x = tt.load %p : tensor<512x!tt.ptr<f16>, #l>
    %f = arith.extf %x : tensor<512xf16, #l> to tensor<512xf32, #l>
    %s = "tt.reduce"(%f) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<512xf32, #l>) -> f32
    %at = tt.addptr %q, %pid : !tt.ptr<f32>, i32
    %sp = tt.splat %at : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %y = tt.addptr %sp, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %y {isVolatile = true} : tensor<512x!tt.ptr<f32>, #l>
    %t = tt.splat %s : f32 -> tensor<512xf32, #l>
    %z = arith.addf %v, %t : tensor<512xf32, #l>
    %w = tt.splat %o : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %u = tt.addptr %w, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    tt.store %u, %z : tensor<512x!tt.ptr<f32>, #l>
    tt.return
  }
}
