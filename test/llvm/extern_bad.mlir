// A library that is not there.
// options: --emit llir
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: f32) {
    %a = tt.extern_elementwise %x {libname = "theirs", libpath = "no/such/library.bc", pure = true, symbol = "their_function"} : (f32) -> f32  // error: 10: 'their_function' is a function of the device library, and 'no/such/library.bc' cannot be read
    tt.return
  }
}
