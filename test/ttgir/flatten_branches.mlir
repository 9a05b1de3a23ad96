// Branches of a short loop whose only effects are loads become masked loads and selects, and the loop is to be unrolled; not where an
// iteration writes, where the loop is long, or where all iterations would load more than registers hold.
// run: neso opt --pass=flatten-branches --verify-each --no-loc --target sm_90a %s
module attributes {} {
  // CHECK-LABEL: @parts
  // CHECK: scf.for
  // CHECK: %[[TAKEN:.+]] = arith.cmpi
  // CHECK-NOT: {{scf.if|xori}}
  // CHECK: %[[WEIGHT:.+]] = tt.load %{{.+}}, %[[TAKEN]] : !tt.ptr<f32>
  // CHECK: %[[ALL:.+]] = tt.splat %[[TAKEN]] : i1 -> tensor<128xi1>
  // CHECK: %[[BOTH:.+]] = arith.andi %{{.+}}, %[[ALL]]
  // CHECK: tt.load %{{.+}}, %[[BOTH]], %{{.+}} : tensor<128x!tt.ptr<f32>>
  // CHECK: arith.select %[[TAKEN]], %{{.+}}, %{{.+}} : f32
  // CHECK: arith.select %[[TAKEN]], %{{.+}}, %{{.+}} : tensor<128xf32>
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: {tt.loop_unroll_factor = 8 : i32}
  tt.func public @parts(%p: !tt.ptr<f32>, %q: tensor<128x!tt.ptr<f32>>, %m: tensor<128xi1>, %n: i32, %o: tensor<128x!tt.ptr<f32>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %f = arith.constant 0.0 : f32
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %f, %b = %zero) -> (f32, tensor<128xf32>) : i32 {
      %taken = arith.cmpi slt, %i, %n : i32
      %s:2 = scf.if %taken -> (f32, tensor<128xf32>) {
        %half = arith.divsi %i, %c2 : i32
        %at = tt.addptr %p, %half : !tt.ptr<f32>, i32
        %w = tt.load %at : !tt.ptr<f32>
        %x = tt.load %q, %m, %zero : tensor<128x!tt.ptr<f32>>
        %sum = arith.addf %a, %w : f32
        %all = tt.splat %w : f32 -> tensor<128xf32>
        %y = arith.mulf %x, %all : tensor<128xf32>
        %z = arith.addf %b, %y : tensor<128xf32>
        scf.yield %sum, %z : f32, tensor<128xf32>
      } else {
        scf.yield %a, %b : f32, tensor<128xf32>
      }
      scf.yield %s#0, %s#1 : f32, tensor<128xf32>
    }
    tt.store %o, %r#1 : tensor<128x!tt.ptr<f32>>
    tt.store %p, %r#0 : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: @writes
  // CHECK: scf.if
  tt.func public @writes(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %f = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %f) -> (f32) : i32 {
      %taken = arith.cmpi slt, %i, %n : i32
      %at = tt.addptr %p, %i : !tt.ptr<f32>, i32
      %s = scf.if %taken -> (f32) {
        %w = tt.load %at : !tt.ptr<f32>
        scf.yield %w : f32
      } else {
        scf.yield %a : f32
      }
      tt.store %at, %s : !tt.ptr<f32>
      scf.yield %s : f32
    }
    tt.return
  }
  // CHECK-LABEL: @long
  // CHECK: scf.if
  tt.func public @long(%p: !tt.ptr<f32>, %n: i32, %m: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %f = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %m step %c1 iter_args(%a = %f) -> (f32) : i32 {
      %taken = arith.cmpi slt, %i, %n : i32
      %at = tt.addptr %p, %i : !tt.ptr<f32>, i32
      %s = scf.if %taken -> (f32) {
        %w = tt.load %at : !tt.ptr<f32>
        scf.yield %w : f32
      } else {
        scf.yield %a : f32
      }
      scf.yield %s : f32
    }
    tt.store %p, %r : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: @large
  // CHECK: scf.if
  tt.func public @large(%q: tensor<4096x!tt.ptr<f32>>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (tensor<4096xf32>) : i32 {
      %taken = arith.cmpi slt, %i, %n : i32
      %s = scf.if %taken -> (tensor<4096xf32>) {
        %x = tt.load %q : tensor<4096x!tt.ptr<f32>>
        %z = arith.addf %a, %x : tensor<4096xf32>
        scf.yield %z : tensor<4096xf32>
      } else {
        scf.yield %a : tensor<4096xf32>
      }
      scf.yield %s : tensor<4096xf32>
    }
    tt.store %q, %r : tensor<4096x!tt.ptr<f32>>
    tt.return
  }
}
