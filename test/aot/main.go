// Launches a kernel that neso aot compiled, and looks at what arrived at the driver.
package main

// #cgo LDFLAGS: -L. -lkernels -llook -ldl -lpthread
// #include "kernels.h"
// #include "look.h"
import "C"

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"unsafe"
)

func want(good bool, what string) {
	if !good {
		fmt.Println("not so:", what)
		os.Exit(1)
	}
}

func main() {
	runtime.LockOSThread() // contexts are current in threads
	want(C.look_begin() == 0, "begin")
	want(C.kernels_load(C.NESO_AOT_ABI) == C.NESO_AOT_OK, "load")
	x, out := unsafe.Pointer(uintptr(0x1230)), unsafe.Pointer(uintptr(0x4560))
	status := C.scale(nil, 3, 2, 1, x, out, 77, 2.5, 128)
	want(status == C.NESO_AOT_OK, C.GoString(C.kernels_error(status)))
	want(C.look_argument(0) == 0x1230 && C.look_argument(1) == 0x4560 && C.look_argument(2) == 77, "arguments")
	want(uint32(C.look_argument(3)) == math.Float32bits(2.5), "factor")
	want(C.look_grid(0) == 3 && C.look_grid(1) == 2, "grid")
	fmt.Println("launched")
}
