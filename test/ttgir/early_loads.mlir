// A load for the next iteration alone starts where the iteration does; behind a store,
// an order, or assembly that is not pure, it stays, and so does a volatile one and one that this iteration needs too.
// options: --pass=convert-ttir-to-ttgir,early-loads --verify-each --stress --no-loc --num-warps 4 --target sm_90a
module {
  // CHECK-LABEL: @ahead
  // CHECK: scf.for %{{.*}} iter_args(%[[X:[a-z0-9_]*]] =
  // CHECK-NOT: tt.reduce
  // CHECK: tt.load
  // CHECK: "tt.reduce"(%[[X]])
  // CHECK: scf.yield
  tt.func public @ahead(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %q = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:3 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at, %sum = %zero) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>, f32) : i32 {
      %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        tt.reduce.return %w : f32
      }) : (tensor<1024xf32>) -> f32
      %t = arith.addf %sum, %s : f32
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n, %t : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>, f32
    }
    tt.store %o, %r#2 : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: @stored
  // CHECK: scf.for
  // CHECK: tt.store
  // CHECK: tt.load
  // CHECK: scf.yield
  tt.func public @stored(%p: !tt.ptr<f32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %q = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %s = arith.addf %x, %x : tensor<1024xf32>
      tt.store %n, %s : tensor<1024x!tt.ptr<f32>>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.return
  }
  // CHECK-LABEL: @behind_assembly
  // CHECK: scf.for
  // CHECK: tt.elementwise_inline_asm
  // CHECK: tt.load
  // CHECK: scf.yield
  tt.func public @behind_assembly(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %q0 = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      %s = tt.elementwise_inline_asm "other $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : tensor<1024xf32> -> tensor<1024xf32>
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.store %at, %r#0 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @in_front_of_pure_assembly
  // CHECK: scf.for
  // CHECK: tt.load
  // CHECK: tt.elementwise_inline_asm
  // CHECK: scf.yield
  tt.func public @in_front_of_pure_assembly(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %q0 = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      %s = tt.elementwise_inline_asm "other $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<1024xf32> -> tensor<1024xf32>
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.store %at, %r#0 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @behind_an_order
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK: tt.load
  // CHECK: scf.yield
  tt.func public @behind_an_order(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %q0 = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      gpu.barrier
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.store %at, %r#0 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @behind_an_atomic
  // CHECK: scf.for
  // CHECK: tt.atomic_rmw
  // CHECK: tt.load
  // CHECK: scf.yield
  tt.func public @behind_an_atomic(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %q0 = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      %o = tt.atomic_rmw add, acq_rel, gpu, %q, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.store %at, %r#0 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @behind_a_branch
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: tt.load
  // CHECK: scf.yield
  tt.func public @behind_a_branch(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %q0 = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      %f = arith.cmpi slt, %i, %c1 : i32
      scf.if %f {
        tt.store %q, %i : !tt.ptr<i32>
      }
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.store %at, %r#0 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
  // CHECK-LABEL: @not_volatile
  // CHECK: scf.for
  // CHECK: math.exp
  // CHECK: tt.load
  // CHECK: scf.yield
  tt.func public @not_volatile(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %to: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %q0 = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
    %step = arith.constant dense<1024> : tensor<1024xi32>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %at = tt.addptr %sp, %q0 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x0 = tt.load %at : tensor<1024x!tt.ptr<f32>>
    %r:2 = scf.for %i = %c0 to %to step %c1 iter_args(%x = %x0, %a = %at) -> (tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>) : i32 {
      %s = math.exp %x : tensor<1024xf32>
      %n = tt.addptr %a, %step : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
      %y = tt.load %n {isVolatile = true} : tensor<1024x!tt.ptr<f32>>
      scf.yield %y, %n : tensor<1024xf32>, tensor<1024x!tt.ptr<f32>>
    }
    tt.store %at, %r#0 : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
