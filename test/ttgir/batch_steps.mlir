// A recurrence does four steps at once: their loads in front, then step by step what is computed and stored; the loop as it was does what
// is left over. Where stores may reach what is loaded, it stays as it is.
// options: --pass=convert-ttir-to-ttgir,coalesce,cse,version-loops,batch-steps,cse,dce --num-warps 1 --verify-each --stress --no-loc --target sm_90a
// CHECK-LABEL: @steps
// CHECK: scf.if
// CHECK: %[[WHOLE:.*]] = arith.divui {{.*}}, %c4_i64
// CHECK: arith.muli %[[WHOLE]], %c4_i64
// CHECK: %[[END:.*]] = arith.select {{.*}} : i32
// CHECK: %[[BATCHES:.*]] = scf.for {{.*}} to %[[END]] step %c4_i32
// CHECK-COUNT-4: tt.load
// CHECK-NOT: tt.load
// CHECK-COUNT-4: tt.store
// CHECK: scf.for {{.*}} = %[[END]] to %T step %c1_i32 iter_args({{.*}} = %[[BATCHES]])
// CHECK: tt.load
// CHECK: tt.store
// CHECK: else
// CHECK: scf.for {{.*}} = %c0_i32 to %T step %c1_i32
// CHECK-COUNT-1: tt.load
// CHECK-COUNT-1: tt.store
// CHECK-NOT: tt.load
module {
  tt.func public @steps(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %T: i32) attributes {noinline = false} {
    %state = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %state_0 = arith.constant dense<5.000000e-01> : tensor<32xf32>
    %state_1 = arith.constant 32 : i32
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %0 = scf.for %i = %c0_i32 to %T step %c1_i32 iter_args(%state_2 = %state) -> (tensor<32xf32>)  : i32 {
      %state_3 = arith.mulf %state_2, %state_0 : tensor<32xf32>
      %state_4 = arith.muli %i, %state_1 : i32
      %state_5 = tt.addptr %x, %state_4 : !tt.ptr<f32>, i32
      %state_6 = tt.splat %state_5 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %state_7 = tt.addptr %state_6, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %state_8 = tt.load %state_7 : tensor<32x!tt.ptr<f32>>
      %state_9 = arith.addf %state_3, %state_8 : tensor<32xf32>
      %1 = tt.addptr %o, %state_4 : !tt.ptr<f32>, i32
      %2 = tt.splat %1 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %3 = tt.addptr %2, %c : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      tt.store %3, %state_9 : tensor<32x!tt.ptr<f32>>
      scf.yield %state_9 : tensor<32xf32>
    }
    tt.return
  }
}
