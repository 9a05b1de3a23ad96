tt.func @f(%a: i32) {
  "scf.while"() ({}, {}) : () -> ()
  tt.return
}
