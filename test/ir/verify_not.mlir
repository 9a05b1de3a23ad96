// --no-verify prints what the verifier would refuse, but passes do not get it.
// run: neso opt --no-verify %s
// run: neso opt --no-verify --pass=canonicalize,cse %s
// exit: 1
// CHECK: scf.while
tt.func @f() {
  "scf.while"() ({}, {}) : () -> ()  // error: 3: scf.while: region 0 is empty  // error: 3: scf.while: region 1 is empty
  tt.return
}
