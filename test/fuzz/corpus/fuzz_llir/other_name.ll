define ptx_kernel void @other(ptr addrspace(1) %out) "neso"="kernel=k args=p threads=32 shared=0 cluster=1 scratch=0 scratch_align=0 print=0 assert=0" {
  ret void
}
