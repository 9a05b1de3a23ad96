// Descriptors whose parts are arguments become tensor maps: parameters that the launch makes, whose plan is in the facts. One elected
// thread issues copies behind what announces their bytes; all wait for the barrier; stores and reductions are fenced for.
// options: --emit ptx --target sm_90a
// CHECK: // neso: kernel=copies args=p888814p44ttt threads=128 {{.*}} maps=0,5,6,128,2,1,1,2,1,3,1,4,1,32,64;7,-1,7,128,2,8,1,-1,96,9,4,-1,1,32,32,1;7,-1,7,64,2,8,1,-1,96,9,4,-1,1,32,16,1
module {
  // CHECK-LABEL: .visible .entry copies(
  // CHECK: .param .align 64 .b8 copies_param_10[128]
  // CHECK: mbarrier.init.shared::cta.b64
  // CHECK: fence.proxy.async.shared::cta;
  // CHECK: elect.sync
  // CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [{{%r[0-9]+}}], {{%r[0-9]+}};
  // CHECK-NOT: elect.sync
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
  // CHECK: bar.sync 0;
  // CHECK: mbarrier.try_wait.parity.shared::cta.b64
  // CHECK: st.shared
  // CHECK: fence.proxy.async.shared::cta;
  // CHECK: bar.sync 0;
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
  // CHECK: cp.async.bulk.commit_group;
  // CHECK: cp.async.bulk.wait_group
  // CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
  // CHECK: ret;
  tt.func public @copies(%a: !tt.tensordesc<tensor<32x64xf16>>, %i: i32, %p: !tt.ptr<f32>, %m: i32, %s: i32) {
    %c0 = arith.constant 0 : i32
    %c96 = arith.constant 96 : i32
    %one = arith.constant 1 : i64
    %four = arith.constant 4 : i64
    %wide = arith.extsi %s : i32 to i64
    %stride = arith.muli %wide, %four : i64
    %x = tt.descriptor_load %a[%i, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %y = arith.extf %x : tensor<32x64xf16> to tensor<32x64xf32>
    %d = tt.make_tensor_descriptor %p, [%m, %c96], [%stride, %one] : <f32>, <tensor<32x64xf32>>
    tt.descriptor_store %d[%i, %c0], %y : !tt.tensordesc<tensor<32x64xf32>>, tensor<32x64xf32>
    %e = tt.make_tensor_descriptor %p, [%m, %c96], [%stride, %one] : <f32>, <tensor<32x16xf32>>
    %z = arith.constant dense<1.0> : tensor<32x16xf32>
    tt.descriptor_reduce add, %e[%i, %c0], %z : !tt.tensordesc<tensor<32x16xf32>>, tensor<32x16xf32>
    tt.return
  }
}
