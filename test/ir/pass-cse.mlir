// Equal pure ops, also with regions; loads only while nothing is written.
// run: neso opt --pass=cse --no-loc %s
module {
  // CHECK-LABEL: @f
  // CHECK: %[[A:.*]] = arith.addi %x, %y
  // CHECK-NOT: arith.addi
  // CHECK: %[[L:.*]] = tt.load %p :
  // CHECK-NEXT: tt.store %p, %[[A]]
  // CHECK-NEXT: %[[M:.*]] = tt.load %p :
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: tt.store %p, %[[A]]
  // CHECK: tt.print {{.*}}%[[L]], %[[L]], %[[M]]
  tt.func public @f(%p: !tt.ptr<i32>, %x: i32, %y: i32, %c: i1) {
    %0 = arith.addi %x, %y : i32
    %1 = tt.load %p : !tt.ptr<i32>
    %2 = tt.load %p : !tt.ptr<i32>
    tt.store %p, %0 : !tt.ptr<i32>
    %3 = tt.load %p : !tt.ptr<i32>
    scf.if %c {
      %4 = arith.addi %y, %x : i32
      tt.store %p, %4 : !tt.ptr<i32>
    }
    tt.print "a" {hex = false, isSigned = array<i32: 1, 1, 1>} : %1, %2, %3 : i32, i32, i32
    tt.return
  }
  // Loads of what others change are each done, used or not.
  // CHECK-LABEL: @polled
  // CHECK-COUNT-4: tt.load
  tt.func public @polled(%p: !tt.ptr<i32>) {
    %0 = tt.load %p cacheModifier = cv : !tt.ptr<i32>
    %1 = tt.load %p cacheModifier = cv : !tt.ptr<i32>
    %2 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    %3 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: @regions
  // CHECK-COUNT-2: "tt.reduce"
  // CHECK-NOT: "tt.reduce"
  tt.func public @regions(%t: tensor<8xi32>) {
    %0 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<8xi32>) -> i32
    %1 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %b, %a : i32
      tt.reduce.return %s : i32
    }) : (tensor<8xi32>) -> i32
    %2 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.maxsi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<8xi32>) -> i32
    tt.print "a" {hex = false, isSigned = array<i32: 1, 1, 1>} : %0, %1, %2 : i32, i32, i32
    tt.return
  }
  // What one branch computes is not there in the other, nor after it.
  // CHECK-LABEL: @scopes
  // CHECK-COUNT-3: arith.muli
  tt.func public @scopes(%p: !tt.ptr<i32>, %x: i32, %c: i1) {
    scf.if %c {
      %0 = arith.muli %x, %x : i32
      tt.store %p, %0 : !tt.ptr<i32>
    } else {
      %0 = arith.muli %x, %x : i32
      tt.store %p, %0 : !tt.ptr<i32>
    }
    %1 = arith.muli %x, %x : i32
    tt.store %p, %1 : !tt.ptr<i32>
    tt.return
  }
}
