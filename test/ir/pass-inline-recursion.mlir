// run: neso opt --pass=inline %s
module {
  tt.func private @f(%x: i32) -> i32 {
    %0 = tt.call @f(%x) : (i32) -> i32  // error: 10: recursive call of 'f'
    tt.return %0 : i32
  }
}
