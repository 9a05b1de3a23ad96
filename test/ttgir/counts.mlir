// Warps and CTAs that no kernel can have.
// run: neso opt --pass=convert-ttir-to-ttgir --num-warps 3 %s
// run: neso opt --pass=convert-ttir-to-ttgir --num-warps 64 %s
// run: neso opt --pass=convert-ttir-to-ttgir --num-ctas 6 %s
module {  // error: 1: num_warps is 3, but must be a power of two up to 32  // error: 1: num_warps is 64, but must be a power of two up to 32  // error: 1: num_ctas is 6, but must be a power of two up to 16
}
