// A step's address that comes from what is known in its branch alone cannot be in front of the steps before it, whichever load asks first: of
// these two, whose addresses lie on one way round the loop, neither is batched.
// options: --pass=convert-ttir-to-ttgir,coalesce,batch-steps --num-warps 1 --verify-each --stress --no-loc --target sm_90a
// CHECK: scf.for
// CHECK-COUNT-2: tt.load
// CHECK-NOT: tt.load
// CHECK-NOT: scf.for
module {
  tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %T: i32) attributes {noinline = false} {
    %state = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %s = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %x = arith.constant 2 : i32
    %w = arith.constant 3 : i32
    %a = arith.constant 63 : i32
    %a_0 = arith.constant 32 : i32
    %state_1 = arith.constant dense<5.000000e-01> : tensor<32xf32>
    %s_2 = arith.constant 1023 : i32
    %w_3 = arith.constant 6 : i32
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %0:2 = scf.for %i = %c0_i32 to %T step %s iter_args(%state_4 = %state, %s_5 = %s) -> (tensor<32xf32>, i32)  : i32 {
      %x_6 = arith.muli %s_5, %x : i32
      %w_7 = arith.muli %s_5, %w_3 : i32
      %a_8 = arith.andi %x_6, %a : i32
      %a_9 = arith.muli %a_8, %a_0 : i32
      %a_10 = tt.addptr %p, %a_9 : !tt.ptr<f32>, i32
      %a_11 = tt.splat %a_10 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %a_12 = tt.addptr %a_11, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %a_13 = tt.load %a_12 : tensor<32x!tt.ptr<f32>>
      %b = arith.andi %w_7, %a : i32
      %b_14 = arith.muli %b, %a_0 : i32
      %b_15 = tt.addptr %q, %b_14 : !tt.ptr<f32>, i32
      %b_16 = tt.splat %b_15 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %b_17 = tt.addptr %b_16, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %b_18 = tt.load %b_17 : tensor<32x!tt.ptr<f32>>
      %state_19 = arith.mulf %state_4, %state_1 : tensor<32xf32>
      %state_20 = arith.mulf %a_13, %b_18 : tensor<32xf32>
      %state_21 = arith.addf %state_19, %state_20 : tensor<32xf32>
      %1 = arith.muli %i, %a_0 : i32
      %2 = tt.addptr %o, %1 : !tt.ptr<f32>, i32
      %3 = tt.splat %2 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %4 = tt.addptr %3, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      tt.store %4, %state_21 : tensor<32x!tt.ptr<f32>>
      %5 = arith.remsi %i, %w : i32
      %6 = arith.cmpi eq, %5, %c0_i32 : i32
      %7 = scf.if %6 -> (i32) {
        %t = arith.addi %s_5, %s : i32
        scf.yield %t : i32
      } else {
        %t = arith.addi %x_6, %i : i32
        scf.yield %t : i32
      }
      %s_22 = arith.addi %w_7, %7 : i32
      %s_23 = arith.andi %s_22, %s_2 : i32
      scf.yield %state_21, %s_23 : tensor<32xf32>, i32
    } {neso.disjoint}
    tt.return
  }
}
