// Private functions that nobody calls go, also those that only one another call; what a kernel reaches stays.
// run: neso opt --pass=symbol-dce --no-loc %s
// CHECK-NOT: @alone
// CHECK-NOT: @first_of_two
// CHECK: tt.func public @kernel
// CHECK: tt.func private @called
// CHECK-NOT: @second_of_two
module {
  tt.func private @alone() attributes {noinline = true} {
    tt.return
  }
  tt.func private @first_of_two() attributes {noinline = true} {
    tt.call @second_of_two() : () -> ()
    tt.return
  }
  tt.func public @kernel() {
    tt.call @called() : () -> ()
    tt.return
  }
  tt.func private @called() attributes {noinline = true} {
    tt.return
  }
  tt.func private @second_of_two() attributes {noinline = true} {
    tt.call @first_of_two() : () -> ()
    tt.return
  }
}
