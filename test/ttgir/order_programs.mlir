// Programs with higher numbers along axis 0 that turn their loops more often start first; all others keep the order of their numbers.
// options: --pass=order-programs --verify-each --stress --no-loc --target sm_90a
module {
  // (x + 1) * 128 rounds, with a part that is the same for all.
  // CHECK-LABEL: @rises
  // CHECK: tt.get_program_id x {neso.last_first} : i32
  // CHECK: tt.get_program_id y : i32
  tt.func public @rises(%po: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %x1 = arith.addi %x, %c1 : i32
    %hi = arith.muli %x1, %c128 : i32
    %some = arith.minsi %hi, %n : i32
    %s = scf.for %i = %c0 to %some step %c128 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %o = tt.addptr %po, %x : !tt.ptr<i32>, i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }
  // From x to the end: the first turn it most often as it is.
  // CHECK-LABEL: @falls
  // CHECK: tt.get_program_id x : i32
  tt.func public @falls(%po: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %x = tt.get_program_id x : i32
    %lo = arith.muli %x, %c128 : i32
    %s = scf.for %i = %lo to %n step %c128 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %o = tt.addptr %po, %x : !tt.ptr<i32>, i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }
  // A window goes along with the program, and one loop more turns less often: nothing to gain for sure.
  // CHECK-LABEL: @window
  // CHECK: tt.get_program_id x : i32
  tt.func public @window(%po: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %x = tt.get_program_id x : i32
    %hi = arith.muli %x, %c128 : i32
    %lo = arith.subi %hi, %c64 : i32
    %s = scf.for %i = %lo to %hi step %c64 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %o = tt.addptr %po, %x : !tt.ptr<i32>, i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }
  // What an atomic operation returns tells who came first.
  // CHECK-LABEL: @counts
  // CHECK: tt.get_program_id x : i32
  tt.func public @counts(%po: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.get_program_id x : i32
    %s = scf.for %i = %c0 to %x step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %t = tt.atomic_rmw add, acq_rel, gpu, %po, %s : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }

  // A turned sign and a quotient by a constant: 7 - (-3 * x) / 2.
  // CHECK-LABEL: @turned
  // CHECK: tt.get_program_id x {neso.last_first} : i32
  tt.func public @turned(%po: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c7 = arith.constant 7 : i32
    %cm3 = arith.constant -3 : i32
    %x = tt.get_program_id x : i32
    %f = arith.muli %x, %cm3 : i32
    %h = arith.divsi %f, %c2 : i32
    %hi = arith.subi %c7, %h : i32
    %s = scf.for %i = %c0 to %hi step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %o = tt.addptr %po, %x : !tt.ptr<i32>, i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }

  // CHECK-LABEL: @lengths
  // CHECK: tt.get_program_id x : i32
  tt.func public @lengths(%pn: !tt.ptr<i32>, %po: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tt.get_program_id x : i32
    %np = tt.addptr %pn, %x : !tt.ptr<i32>, i32
    %n = tt.load %np : !tt.ptr<i32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %o = tt.addptr %po, %x : !tt.ptr<i32>, i32
    tt.store %o, %s : !tt.ptr<i32>
    tt.return
  }
}
