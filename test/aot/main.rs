// Launches a kernel that neso aot compiled, and looks at what arrived at the driver.
use std::ffi::{c_char, c_int, c_void, CStr};

extern "C" {
    fn kernels_load(abi: u32) -> c_int;
    fn kernels_unload() -> c_int;
    fn kernels_error(status: c_int) -> *const c_char;
    fn scale(stream: *mut c_void, x: u32, y: u32, z: u32, x_ptr: *const c_void, out_ptr: *const c_void, n: i64, factor: f32, block: i64) -> c_int;
    // look.c
    fn look_begin() -> c_int;
    fn look_argument(index: c_int) -> u64;
    fn look_grid(axis: c_int) -> u32;
}

fn main() {
    unsafe {
        assert_eq!(look_begin(), 0);
        assert_eq!(kernels_load(7), -9);
        assert!(CStr::from_ptr(kernels_error(-9)).to_str().unwrap().contains("version"));
        assert_eq!(kernels_load(1), 0);
        assert_eq!(scale(std::ptr::null_mut(), 3, 2, 1, 0x1230 as *const c_void, 0x4560 as *const c_void, 77, 2.5, 128), 0);
        assert_eq!([look_argument(0), look_argument(1), look_argument(2), look_argument(3)], [0x1230, 0x4560, 77, 2.5f32.to_bits() as u64]);
        assert_eq!([look_grid(0), look_grid(1), look_grid(2)], [3, 2, 1]);
        assert_eq!(kernels_unload(), 0);
    }
    println!("launched");
}
