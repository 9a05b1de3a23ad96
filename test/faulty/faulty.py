"""The simulator held against faulty kernels (kernels.py): each must be found, with the right code, at the faulty line.

    faulty.py [--build build/release] [--only WORD] [--jobs N] [--table]

A row of KERNELS is a kernel, its mode, its grid and arguments, and what is expected: a diagnostic's code, or `missed` with
the reason. Its line is the one with `# FAULT`; for a kernel whose TTGIR or LLIR is edited (EDITS), one that holds a text. The
finding or one of its notes must name it. A kernel that is edited must be clean without the edit.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS_FILE = os.path.join(HERE, "kernels.py")
CHECK = "--check"
#: What a launch of many programs would run, also where there is one: its roles move registers.
os.environ.setdefault("NESO_PERSIST", "0")
Row = collections.namedtuple("Row", "kernel fault code arguments mode target edit at grid stage")


def row(kernel, fault, code, grid, arguments, mode=CHECK, target="sm_90a", edit=None, at="# FAULT", stage="ttgir"):
    return Row(kernel, fault, code, arguments.split(), mode.split(), target, edit, at, grid, stage)


def staged(name, fault, code, edit, at):
    return row(f"staged:{name}", fault, code, "1", "rand:64x256:fp16 rand:256x64:fp16 zeros:64x64:fp32 256 64 32", target="sm_80",
               edit=edit, at=at)


def boxed(name, fault, code, edit, at):
    return row(f"boxed:{name}", fault, code, "1", "rand:64x320:fp16 rand:320x64:fp16 zeros:64x64:fp32 320 64 32", edit=edit, at=at)


ROLED_ARRAYS = "rand:128x128:fp16 rand:128x128:fp16 zeros:128x128:fp16 128 128 128 64 64"


def roled(name, fault, code, edit, at):
    return row(f"roled:{name}", fault, code, "1", ROLED_ARRAYS, edit=edit, at=at)


def moved(name, fault, code, edit, at):
    return row(f"moved:{name}", fault, code, "1,1", "rand:128x384:fp16 rand:384x128:fp16 zeros:128x128:fp16 128 128 384 128 128 64", edit=edit, at=at,
               stage="llir")


def in_llir(kernel, name, fault, code, arguments, edit, at, grid="1", mode=CHECK):
    return row(f"{kernel}:{name}", fault, code, grid, arguments, mode=mode, edit=edit, at=at, stage="llir")


BOUNDS, RACE, PROGRAMS, UNDEFINED, WAIT, BARRIER = "RUN_OUT_OF_BOUNDS", "SIM_RACE", "SIM_PROGRAM_RACE", "SIM_UNDEFINED", "SIM_WAIT", "SIM_MBARRIER"
STUCK, PROMISE, ORDER, PROXY = "RUN_DEADLOCK", "SIM_PROMISE", "SIM_ORDER", "SIM_PROXY"
DOT, LOADS, STORE, LOOP = "acc = tl.dot(", "tl.load(", "c.store(", "for start"

KERNELS = [
    row("mask_lets_one_more_load", "a mask lets one element too many through", BOUNDS, "4", "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("mask_lets_one_more_store", "the same of a store", BOUNDS, "4", "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("mask_forgotten", "no mask where the size is no multiple of the block", BOUNDS, "4", "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("mask_of_rows_alone", "columns are not masked", RACE, "2", "rand:30x50:fp32 zeros:30x50:fp32 30 50 16 64"),
    row("mask_of_the_whole_not_the_row", "a mask of the array's size, not of the row's", RACE, "2",
        "rand:30x50:fp32 zeros:30x50:fp32 30 50 16 64"),
    row("left_neighbour_of_the_first", "the first element has no left neighbour", BOUNDS, "4", "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("one_turn_too_many", "the loop's bound is one too large", BOUNDS, "1", "rand:1024:fp32 zeros:256:fp32 1024 256"),
    row("advances_too_far", "a pointer advances by two blocks", BOUNDS, "1", "rand:1024:fp32 zeros:256:fp32 1024 256"),
    row("row_stride_of_the_other_axis", "rows lie by the number of rows apart", RACE, "1", "rand:20x60:fp32 zeros:20x60:fp32 20 60 32 64"),
    row("strides_swapped", "the strides of the axes are swapped", BOUNDS, "1", "rand:20x60:fp32 zeros:20x60:fp32 20 60 32 64"),
    row("index_beyond_the_table", "an index from memory is beyond the table", BOUNDS, "1",
        "rand:50x32:fp32 rand:64:i32 zeros:64x32:fp32 64 32"),
    row("gathers_beyond_the_tile", "tl.gather takes an index beyond the tile", BOUNDS, "1", "rand:64:fp32 rand:64:i32 zeros:64:fp32 64"),
    row("offset_overflows_in_a_load", "an offset of 32 bits overflows", BOUNDS, "5",
        "rand:8192:fp32 zeros:1280:fp32 1073741824 256"),
    row("offset_overflows_in_a_store", "the same of a store", BOUNDS, "5", "rand:1280:fp32 zeros:8192:fp32 1073741824 256"),
    row("box_larger_than_the_array", "a descriptor is of more rows than the array", BOUNDS, "2", "rand:48x64:fp16 zeros:48x64:fp16 48 32"),
    row("block_without_boundary_check", "a block pointer's load has no boundary check", BOUNDS, "4",
        "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("accumulates_onto_nothing", "an output that nobody has set is added to", UNDEFINED, "4",
        "rand:1000:fp32 uninit:1000:fp32 1000 256"),
    row("adds_atomically_onto_nothing", "atomic sums onto memory that nobody has set", UNDEFINED, "4",
        "rand:1000:fp32 uninit:1:fp32 1000 256"),
    row("sums_padding", "a sum takes what a masked load leaves without other=", UNDEFINED, "1", "rand:200:fp32 zeros:1:fp32 200 256", mode="--portable"),
    row("maximum_over_padding", "zeros of the padding take part in a maximum", "missed", "1", "full:200:fp32:-3.0 zeros:1:fp32 200 256"),
    row("unwritten_tail_is_read", "what a mask left unwritten is read", UNDEFINED, "1",
        "rand:200:fp32 uninit:256:fp32 zeros:256:fp32 199 256"),
    row("divides_by_zero", "a division by a count that is 0", "SIM_DIVISION", "1", "rand:256:fp32 zeros:256:fp32 0 256"),
    row("shifts_by_the_width", "a shift by 32 and more", UNDEFINED, "1", "rand:256:i32 zeros:256:i32 256"),
    row("exponential_without_the_maximum", "exp of large numbers is infinite", "SIM_NAN", "1", "full:200:fp32:100.0 zeros:200:fp32 200 256",
        "--nan"),
    row("root_of_a_negative", "the square root of a negative number", "SIM_NAN", "1", "rand:200:fp32 zeros:1:fp32 200 256", "--nan"),
    row("multiple_that_is_none", "tl.multiple_of of what is none", PROMISE, "4", "rand:512:fp32 zeros:1024:fp32 12 256"),
    row("contiguous_that_is_not", "tl.max_contiguous of what is not contiguous", "RUN_MISALIGNED", "1",
        "rand:512:fp32 rand:256:i32 zeros:256:fp32 256"),
    row("assumes_what_is_not", "tl.assume of what does not hold", PROMISE, "1", "rand:64:fp32 zeros:64:fp32 64 128"),
    row("stores_to_a_const", "a store to a pointer that is tl.const", "TILE_STORE_CONST", "1", "rand:64:fp32 zeros:64:fp32 64"),
    row("neighbours_without_a_barrier", "a neighbour's store is read without a barrier", RACE, "1",
        "rand:256:fp32 zeros:256:fp32 zeros:256:fp32 256"),
    row("barrier_before_but_not_behind", "the next turn stores while others still read", RACE, "1",
        "rand:1024:fp32 zeros:256:fp32 zeros:1024:fp32 4 256", mode="--portable"),
    row("histogram_without_atomics", "lanes count in the same word", RACE, "1", "rand:256:i32 zeros:16:i32 256"),
    row("scatters_onto_one_place", "lanes store different values to one place", RACE, "1",
        "rand:256:fp32 rand:256:i32 zeros:8:fp32 256"),
    row("shifts_in_place", "an array is shifted in place", PROGRAMS, "4", "rand:1000:fp32 1000 256"),
    row("blocks_overlap", "blocks of programs overlap by one", PROGRAMS, "4", "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("every_program_does_all", "the loop does not start at the program's own block", "SIM_SAME_STORE", "4",
        "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("counts_without_atomics", "programs add to one word without atomics", PROGRAMS, "4", "rand:1024:i32 zeros:1:i32 256"),
    row("splits_k_without_atomics", "partial products are stored to one place", PROGRAMS, "4",
        "rand:32x128:fp16 rand:128x32:fp16 zeros:32x32:fp32 128 32"),
    row("stencil_in_place", "a neighbour's block may be new or old", PROGRAMS, "4", "rand:1000:i32 1000 256"),
    row("counter_cleared_by_one", "one program clears what others count in", PROGRAMS, "4", "zeros:1:i32 zeros:4:i32"),
    row("places_by_ticket", "the order of programs decides the places of results", ORDER, "4",
        "rand:1024:fp32 zeros:1:i32 zeros:1024:fp32 256"),
    row("lock_never_released", "a lock is never released", STUCK, "4", "zeros:1:i32 zeros:1:i32 rand:4:i32"),
    row("lock_released_too_early", "a lock is released before the work", PROGRAMS, "4", "zeros:1:i32 zeros:256:i32 rand:1024:i32 256"),
    row("lock_released_without_a_barrier", "a thread releases before the others have stored", PROGRAMS, "4",
        "zeros:1:i32 zeros:256:i32 rand:1024:i32 256", mode="--portable"),
    row("lock_taken_relaxed", "a lock is taken by a relaxed operation", PROGRAMS, "4", "zeros:1:i32 zeros:256:i32 rand:1024:i32 256"),
    row("lock_of_a_block_scope", "a lock of the scope cta among programs", PROGRAMS, "4", "zeros:1:i32 zeros:256:i32 rand:1024:i32 256"),
    row("flag_by_a_plain_store", "a flag is set by a plain store", PROGRAMS, "2",
        "rand:256:fp32 zeros:256:fp32 zeros:1:i32 zeros:256:fp32 256"),
    row("flag_before_the_data", "a flag is set before the data are there", PROGRAMS, "2",
        "rand:256:fp32 zeros:256:fp32 zeros:1:i32 zeros:256:fp32 256"),
    row("last_one_without_a_barrier", "a thread counts before the others have stored", PROGRAMS, "4",
        "rand:1024:fp32 zeros:1024:fp32 zeros:1:i32 zeros:256:fp32 256 4", mode="--portable"),
    row("last_one_relaxed", "the last one's count is relaxed", PROGRAMS, "4",
        "rand:1024:fp32 zeros:1024:fp32 zeros:1:i32 zeros:256:fp32 256 4"),
    row("all_wait_for_all", "a barrier of more programs than are resident", STUCK, "300", "zeros:1:i32 zeros:300:i32 300",
        mode="--check --num-warps 32"),
    row("waits_for_who_comes_later_and_waits", "two programs wait for each other", STUCK, "2", "zeros:2:i32 zeros:2:i32"),
    row("offset_wraps_into_the_array", "an offset of 32 bits overflows, to one that the array has", "SIM_WRAP", "4",
        "rand:8192:fp32 zeros:1280:fp32 1073741824 256"),
    row("index_of_16_bits", "an index of 16 bits overflows", BOUNDS, "1", "rand:80000:fp32 zeros:256:fp32 256"),
    row("rows_by_ticket_beyond_the_end", "a ticket beyond the last is worked on", BOUNDS, "3", "rand:10x64:fp32 zeros:1:i32 zeros:10x64:fp32 10 64"),
    row("assumes_of_each_turn", "tl.assume does not hold in the last turn", PROMISE, "1", "rand:1000:fp32 zeros:256:fp32 1000 256"),
    row("multiple_of_a_pointer", "tl.multiple_of of a pointer that is none", PROMISE, "1", "rand:300:fp32 zeros:256:fp32 3 256"),
    row("staging_reused", "the second half is staged while the first one is read", RACE, "2",
        "rand:1024:fp32 zeros:512:fp32 zeros:1024:fp32 256", mode="--portable"),
    row("smoothed_in_place", "neighbours are read that other warps have stored", RACE, "1", "rand:256:fp32 3 256"),
    row("places_by_lane", "the order of lanes decides the places of results", ORDER, "1", "randn:32:fp32 zeros:1:i32 zeros:32:fp32 32",
        mode="--check --num-warps 1"),
    row("reversed_in_place", "an array is reversed in place", PROGRAMS, "4", "rand:1000:fp32 1000 256"),
    row("transposed_in_place", "a matrix is transposed in place", PROGRAMS, "2,2", "rand:64x64:fp32 64 32"),
    row("staging_shared_by_programs", "programs stage in one place", PROGRAMS, "4", "rand:1024:fp32 zeros:256:fp32 zeros:1024:fp32 256"),
    row("half_sums_read_too_early", "a sum of 16 bits is read while others add", PROGRAMS, "4", "rand:1024:fp16 zeros:1:fp16 zeros:4:fp16 256"),
    row("half_neighbour_is_stored", "a plain store beside an atomic sum of the same 16 bits", PROGRAMS, "4",
        "rand:1024:fp16 zeros:4:fp16 4 256"),
    row("flag_polled_by_a_plain_load", "a flag is polled by a plain load", PROGRAMS, "2",
        "rand:256:fp32 zeros:256:fp32 zeros:1:i32 zeros:256:fp32 256"),
    row("flag_published_relaxed", "a flag is set by a relaxed operation", PROGRAMS, "2",
        "rand:256:fp32 zeros:256:fp32 zeros:1:i32 zeros:256:fp32 256"),
    row("flag_of_the_wrong_word", "a program waits for its own flag, not the neighbour's", PROGRAMS, "3",
        "rand:768:fp32 zeros:3:i32 zeros:768:fp32 zeros:768:fp32 256"),
    row("counts_of_a_block_scope", "programs count by operations of the scope cta", PROGRAMS, "4", "rand:1024:i32 zeros:16:i32 256"),
    row("locks_of_programs_not_of_tiles", "two programs of a tile take a lock each", PROGRAMS, "4", "rand:1024:fp32 zeros:4:i32 zeros:512:fp32 256"),
    row("looks_back_at_itself", "a program waits for what it sets itself behind", STUCK, "4", "rand:1024:i32 zeros:4:i32 zeros:4:i32 256"),
    row("two_locks_in_two_orders", "two programs take two locks in two orders", STUCK, "2", "zeros:2:i32 zeros:1:i32 zeros:1:i32"),
    row("reduces_onto_nothing", "a box is added to an array that nobody has set", UNDEFINED, "4", "rand:128x64:fp32 uninit:32x64:fp32 32"),
    row("first_one_stores_others_reduce", "one program stores the box that others add to", PROGRAMS, "4", "rand:128x64:fp32 zeros:32x64:fp32 32"),
    row("stored_by_tma_read_by_a_neighbour", "a neighbour's box is read without waiting", PROGRAMS, "4",
        "rand:128x64:fp32 zeros:128x64:fp32 zeros:128x64:fp32 32"),
    row("rows_overlap_in_a_store", "rows of a descriptor that is stored overlap", RACE, "1", "rand:32x64:fp16 zeros:32x64:fp16 32 32"),
    row("unsigned_left", "an unsigned index goes below 0", BOUNDS, "1", "rand:200:fp32 zeros:200:fp32 200 256"),
    row("pointer_of_32_bits", "an address is cut to 32 bits", BOUNDS, "1", "rand:256:fp32 zeros:256:fp32 256"),
    row("remainder_of_nothing", "a remainder by a count that is 0", "SIM_DIVISION", "1", "rand:256:fp32 zeros:256:fp32 500 256"),
    row("mean_of_a_mask", "the last program has no elements, by whose number it divides", "SIM_DIVISION", "5", "rand:1000:fp32 zeros:5:i32 1000 256"),
    row("count_of_bits", "a shift by a computed width", UNDEFINED, "1", "rand:200:i32 zeros:256:i32 200 256"),
    row("index_from_padding", "an index is the greatest of what a mask has left out as well", UNDEFINED, "1", "rand:200:i32 rand:128:fp32 zeros:1:fp32 200 256",
        mode="--portable"),
    row("partial_sums_of_skipped_programs", "a program without work stores no sum", UNDEFINED, "4", "rand:1000:fp32 uninit:4:fp32 zeros:1:i32 zeros:1:fp32 1000 4 256"),
    row("half_of_a_table", "every second element is stored, and all are read", UNDEFINED, "1", "rand:256:fp32 uninit:512:fp32 256 256"),
    row("assumes_a_multiple", "tl.assume of a multiple that is none", PROMISE, "1", "rand:200:fp32 zeros:200:fp32 200 256"),
    row("scan_by_doubling", "steps of a scan in place without barriers", RACE, "1", "rand:200:i32 200 256"),
    row("scan_by_doubling", "the same in one warp", RACE, "1", "rand:30:i32 30 32", mode="--check --num-warps 1"),
    row("odd_and_even_rows", "rows are read back mirrored without a barrier", RACE, "1", "rand:32x64:fp32 32 64"),
    row("greatest_of_a_block_scope", "a maximum of all programs has the scope cta", PROGRAMS, "4", "rand:1024:i32 zeros:1:i32 256"),
    row("tiles_twice", "a grouped order of tiles takes some of them twice", PROGRAMS, "12", "rand:96x128:fp32 zeros:96x128:fp32 96 128 2 32"),
    row("tail_is_stored_by_two", "the last block is moved back and accumulates twice", PROGRAMS, "4", "rand:1000:fp32 zeros:1000:fp32 1000 256"),
    row("sum_read_while_added", "a sum is read while others add", PROGRAMS, "4", "rand:1024:fp32 zeros:1:fp32 zeros:1024:fp32 256"),
    row("lock_freed_by_a_store", "a lock is released by a plain store", PROGRAMS, "4", "zeros:1:i32 zeros:256:fp32 rand:1024:fp32 256"),
    row("scratch_of_the_group", "what a lock guards is stored behind its release", PROGRAMS, "6", "rand:6x64:fp32 zeros:2x64:fp32 zeros:4:i32 zeros:64:fp32 2 64"),
    row("cumulative_across_programs", "a carry is stored behind its flag", PROGRAMS, "4", "rand:1024:i32 zeros:4:i32 zeros:4:i32 zeros:1024:i32 256"),
    row("second_grid_barrier_does_not_count_on", "the second barrier of the grid is open already", PROGRAMS, "3",
        "rand:768:fp32 zeros:768:fp32 zeros:1:i32 zeros:768:fp32 768 256"),
    row("producer_runs_ahead", "a ring's slot is filled before it is free", PROGRAMS, "2", "rand:1536:fp32 zeros:512:fp32 zeros:1:i32 zeros:1536:fp32 6 256"),
    row("waits_for_too_few_parts", "the last part of a tile waits for one part too few", PROGRAMS, "6",
        "rand:6x64:fp32 zeros:6x64:fp32 zeros:6:i32 zeros:2x64:fp32 3 64"),
    row("last_one_counts_too", "the last one takes what all have counted, by relaxed operations", PROGRAMS, "4",
        "rand:256:i32 zeros:17:i32 zeros:16:i32 64"),
    row("passes_its_turn_on_first", "a turn is passed on before the sum is stored", PROGRAMS, "4", "zeros:1:i32 zeros:64:fp32 rand:4x64:fp32 64"),
    row("two_rounds_in_one_scratch", "a second round overwrites parts that others still read", PROGRAMS, "4",
        "rand:4x64:fp32 zeros:4:fp32 zeros:1:i32 zeros:8:fp32 4 64"),
    row("rotates_halves_behind_its_store", "the other half is loaded behind the store that changes it", RACE, "3",
        "rand:3x64:fp32 rand:32:fp32 rand:32:fp32 32"),
    row("takes_from_a_queue_without_atomics", "two programs may take one item of a queue", PROGRAMS, "3",
        "arange:10:i32 zeros:1:i32 rand:10x64:fp32 zeros:10x64:fp32 10 64"),
    row("boxes_overlap_by_a_row", "boxes of a descriptor made on the device overlap by a row", PROGRAMS, "2",
        "rand:64x32:fp32 zeros:64x32:fp32 64 32 4 16 32"),
    row("waits_for_the_next_program", "each program waits for one that is not resident", STUCK, "5000", "zeros:5000:i32 zeros:5000:i32"),
    staged("waits_for_too_few", "one group too many is in flight", WAIT, (r"(async_wait \{num = )1", r"\g<1>2"), LOADS),
    staged("no_barrier_behind_the_wait", "threads read what others have copied", WAIT, (r"(async_wait \{num = 1(?:.|\n)*?)\n\s*gpu\.barrier[^\n]*",
                                                                                       r"\1"), LOADS),
    staged("reads_the_wrong_slot", "a slot is read that is written", RACE, (r"(memdesc_index %a\[)(%arg\d+)(\][^\n]*\n(?:[^\n]*\n)*?[^\n]*"
                                                                           r"memdesc_index %a\[)%arg\d+", r"\g<1>\2\3\2"), LOADS),
    staged("one_slot_too_few", "copies run ahead by more slots than there are", BOUNDS, (r"<3x64x32xf16", "<2x64x32xf16", 0), LOADS),
    staged("commits_too_late", "a group is not committed", WAIT, (r"\n[^\n]*async_commit_group[^\n]*", ""), LOADS),
    boxed("waits_for_the_other_phase", "the wait is for the wrong phase", WAIT, (r"(wait_barrier %\w+, )%\w+", r"\g<1>%c1_i32"), DOT),
    boxed("phase_never_flips", "the phase stays, as slots come round", WAIT, (r"arith\.xori (%\w+), %\w+", r"arith.xori \1, %c0_i32"),
          DOT),
    boxed("expects_half_the_bytes", "fewer bytes are announced than come", WAIT, (r"size = 8192", "size = 4096", 0), DOT),
    boxed("expects_twice_the_bytes", "more bytes are announced than come", STUCK, (r"size = 8192", "size = 16384", 0), LOOP),
    boxed("counts_two_arrivals", "a barrier is for one more thread than arrives", STUCK, (r"count = 1 ", "count = 2 ", 0), LOOP),
    boxed("never_made", "a barrier is not initialised", BARRIER, (r"\n[^\n]*init_barrier[^\n]*", ""), LOOP),
    boxed("no_wait", "what is copied is read without a wait", WAIT, (r"\n[^\n]*wait_barrier[^\n]*", ""), DOT),
    boxed("products_not_waited_for", "accumulators are read while products run", WAIT, (r"pendings = 0 : i32\} : tensor", "pendings = 1 : i32} : tensor"),
          "c.store("),
    boxed("copies_into_the_slot_in_use", "a slot is filled that is being read", WAIT,
          (r"(iter_args\([^\n]*?, (%arg\d+) = %c0_i32, (%arg\d+) = (?:.|\n)*?memdesc_index %a\w*\[)\3", r"\g<1>\2"), DOT),
    boxed("no_fence", "TMA stores what threads have written without a fence", "SIM_PROXY", (r"\n[^\n]*fence_async_shared[^\n]*", ""), STORE),
    boxed("no_barrier_before_the_store", "TMA stores what other threads still write", RACE,
          (r"(fence_async_shared[^\n]*)\n[^\n]*gpu\.barrier[^\n]*", r"\1"), STORE),
    boxed("store_not_waited_for", "a program ends while its copies run", WAIT, (r"\n[^\n]*async_tma_store_wait[^\n]*", ""), STORE),
    roled("slot_not_waited_for", "a warp copies into a slot that is not free", RACE, (r"\n[^\n]*wait_free[^\n]*", ""), "acc = tl.dot("),
    roled("slot_freed_too_early", "a slot is freed while products read it", RACE,
          (r"(\n[^\n]*pendings = 0 : i32\} : tensor[^\n]*)((?:\n[^\n]*)*?arrive_barrier[^\n]*)", r"\2\1"), "acc = tl.dot("),
    roled("last_slot_not_freed", "a tile's last slot is not freed", STUCK, (r"(arrive_barrier(?:.|\n)*?)\n[^\n]*arrive_barrier[^\n]*", r"\1"),
          "for tile"),
    roled("one_copy_too_few", "the warp that copies does so once less", STUCK, (r"(partition0(?:.|\n)*scf\.for %\w+ = )%c0\w*( to)", r"\g<1>%c1_i32_11\2"),
          "for tile"),
    roled("staging_at_the_end", "a program ends while TMA reads the tile", WAIT, (r"\n[^\n]*async_tma_store_wait[^\n]*", ""), STORE),
    moved("asks_for_more_registers", "setmaxnreg asks for more than the others have given", STUCK, (r"inc\.216", "inc.224", 0), "for k"),
    moved("no_limit_of_registers", "setmaxnreg in a kernel without a limit", "SIM_REGISTERS", (r'"nvvm.maxnreg"="\d+"', ""), "def moved("),
    moved("roles_meet_with_half", "a barrier among all is for half of the threads", RACE,
          (r"named_barrier\(i32 1, i32 256\)", "named_barrier(i32 1, i32 128)", 0), "for k"),
    moved("registers_not_fenced", "accumulators are not fenced before a product", PROXY, (r"\n[^\n]*call void @neso\.wgmma_fence[^\n]*", ""), DOT),
    moved("slot_freed_by_three_of_four", "a slot is free when three of four warps have read it", RACE,
          (r"(mbarrier_init\([^\n]*), i32 4\)", r"\1, i32 3)"), DOT),
    moved("arrives_twice", "a warp frees a slot twice", STUCK, (r"(\n[^\n]*call void @neso\.mbarrier_arrive\([^\n]*)", r"\1\1"), "for k"),
    moved("makings_not_fenced", "copies count on barriers whose making is not fenced", PROXY, (r"\n[^\n]*call void @neso\.fence_async\(\)[^\n]*", "", 0),
          DOT),
    moved("one_box_is_forgotten", "a box that is announced is not copied", STUCK,
          (r"(call void @neso\.tensor_load(?:.|\n)*?call void @neso\.tensor_load(?:.|\n)*?)\n[^\n]*call void @neso\.tensor_load[^\n]*", r"\1"), "for k"),
    in_llir("roled", "store_not_committed", "a store of a box is waited for and was not committed", WAIT,
            ROLED_ARRAYS, (r"\n[^\n]*call void @neso\.bulk_commit[^\n]*", ""), STORE),
    in_llir("roled", "staging_reused_too_early", "nobody waits until TMA has read the tile before", WAIT, ROLED_ARRAYS,
            (r"\n[^\n]*call void @neso\.bulk_wait\.read\.0[^\n]*", ""), STORE),
    in_llir("roled", "staged_without_who_waited", "a tile is staged before the thread has come that waits for TMA", RACE, ROLED_ARRAYS,
            (r"\n[^\n]*call void @neso\.named_barrier\(i32 12[^\n]*", ""), STORE),
    in_llir("roled", "copied_before_all_have_staged", "TMA copies rows that others still write", RACE, ROLED_ARRAYS,
            (r"(call void @neso\.named_barrier\(i32 12(?:.|\n)*?)\n[^\n]*call void @neso\.named_barrier\(i32 12[^\n]*", r"\1"), STORE),
    in_llir("roled", "meets_at_the_others_barrier", "warps of a role meet at the barrier of all", "SIM_NAMED",
            ROLED_ARRAYS, (r"named_barrier\(i32 2, i32 128\)", "named_barrier(i32 1, i32 128)"), "for tile"),
    in_llir("handed_on", "read_and_not_written", "a flag is set when TMA has read, and not written", WAIT,
            "rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32", (r"bulk_wait\.0", "bulk_wait.read.0", 0), "tmp.store(", grid="2"),
    in_llir("overtaken", "not_written_yet", "TMA stores a tile where the one of the iteration before is on its way", WAIT,
            "rand:96x64:fp16 zeros:32x64:fp16 3 32", (r"(call void @neso\.bulk_wait\.)0", r"\1read.0"), "o.store("),
    in_llir("copied_back", "no_fence_of_global_memory", "TMA copies what threads have written without a fence", PROXY,
            "rand:32x64:fp16 zeros:32x64:fp16 zeros:32x64:fp16 32", (r"\n[^\n]*call void @neso\.fence_async_all[^\n]*", ""), "tmp.load("),
    in_llir("clustered", "reads_too_early", "another CTA's sums are read before they are there", RACE, "rand:64x64:fp32 zeros:128:fp32",
            (r"\n[^\n]*call void @neso\.cluster_barrier[^\n]*", ""), "tl.sum(x, ", mode="--check --num-ctas 2"),
    in_llir("clustered", "ends_too_early", "a CTA ends while another one reads its memory", RACE, "rand:64x64:fp32 zeros:128:fp32",
            (r"(call void @neso\.cluster_barrier(?:.|\n)*)\n[^\n]*call void @neso\.cluster_barrier[^\n]*", r"\1"), "tl.sum(x, ",
            mode="--check --num-ctas 2"),
]


def lines_of(kernel, at):
    """The numbers of its lines that hold the text."""
    lines = open(KERNELS_FILE).read().split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith(f"def {kernel}("))
    end = next((n for n in range(first + 1, len(lines)) if lines[n].startswith("@")), len(lines))
    return [n + 1 for n in range(first, end) if at in lines[n]]


def signature(kernel, arguments):
    names = re.search(rf"def {kernel}\((.*?)\):", open(KERNELS_FILE).read(), re.S)[1].split(", ")
    types = []
    for name, value in zip(names, arguments):
        types.append(value if "constexpr" in name else f"*{value.split(':')[2]}:16" if ":" in value else "i32:16" if int(value) % 16 == 0 else "i32")
    return ",".join(types)


def edited(neso, r, folder):
    """The file of the kernel's TTGIR, or of another stage, with the row's edit."""
    kernel = r.kernel.split(":")[0]
    options = [f"{m} {r.mode[n + 1]}".split() for n, m in enumerate(r.mode) if m in ("--num-ctas", "--num-warps")]
    done = subprocess.run([neso, "compile", f"{KERNELS_FILE}:{kernel}", "--target", r.target, "--signature", signature(kernel, r.arguments),
                           "--emit", r.stage, *sum(options, [])], capture_output=True, text=True, env=dict(os.environ, NESO_CACHE_POSITION="1"))
    pattern, new, count = (*r.edit, 1)[:3]
    text, changed = re.subn(pattern, new, done.stdout, count=count)
    if not changed or text == done.stdout:
        raise SystemExit(f"{r.kernel}: the edit changes nothing\n{done.stderr}")
    path = os.path.join(folder, f"{kernel}.{r.stage}")
    with open(path, "w") as f:
        f.write(text)
    return path


def command(neso, r, target=None, mode=None):
    return [neso, "run", f"{KERNELS_FILE}:{r.kernel.split(':')[0]}", "-q", "-g", r.grid, "--target", target or f"sim:{r.target}", "--timeout", "300",
            *(r.mode if mode is None else mode), *r.arguments]


def environment(neso, r, folder):
    return dict(os.environ, NESO_QUIET="1", **({"TRITON_KERNEL_OVERRIDE": edited(neso, r, folder)} if r.edit else {}))


def run(neso, r, mode=None):
    """The finished process."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*command(neso, r, mode=mode), "--json"], env=environment(neso, r, folder), capture_output=True, text=True)


def findings(done):
    """Diagnostics, each with its notes."""
    for line in (done.stdout + done.stderr).split("\n"):
        if line.startswith("["):
            yield from json.loads(line)


def names(finding, lines):
    return any(os.path.basename(d["path"] or "") == "kernels.py" and d["line"] in lines for d in (finding, *finding["notes"]))


def judge(neso, r):
    """"" where what is expected is found, else what is wrong; and the codes of what names the line."""
    done = run(neso, r)
    lines = lines_of(r.kernel.split(":")[0], r.at)
    said = list(findings(done))
    codes = sorted({f["code"] for f in said if names(f, lines)})
    if done.returncode < 0:
        return f"ends by signal {-done.returncode}", codes
    if r.code == "missed":
        return "is found now, by " + " ".join(codes) if codes else "", codes
    if r.code not in codes:
        return f"{r.code} is not found at {lines}, but {[(f['code'], f['line']) for f in said]}\n{done.stderr[:2000]}", codes
    return "", codes


def is_clean(neso, r):
    """Of a row with an edit: without it."""
    done = run(neso, r._replace(edit=None))
    return not done.returncode and not list(findings(done))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--only", default="", help="kernels whose name holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--table", action="store_true", help="print each kernel and what is found")
    parser.add_argument("--unedited", action="store_true", help="kernels that are edited run without the edit")
    options = parser.parse_args()
    neso = os.path.join(os.path.abspath(options.build), "neso")
    rows = [r._replace(edit=None) if options.unedited else r for r in KERNELS if options.only in r.kernel]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        judged = list(pool.map(lambda r: judge(neso, r), rows))
        edited_ones = {r.kernel.split(":")[0]: r for r in rows if r.edit}
        clean = dict(zip(edited_ones, pool.map(lambda r: is_clean(neso, r), edited_ones.values())))
    bad = [f"{r.kernel}: {wrong}" for r, (wrong, _) in zip(rows, judged) if wrong]
    bad += [f"{name}: not clean without an edit" for name, good in clean.items() if not good]
    for r, (_, codes) in zip(rows, judged):
        if options.table:
            print(f"{r.kernel:40} {' '.join(m for m in r.mode):12} {' '.join(codes) or '-':40} {r.fault}")
    found = sum(r.code != "missed" and not wrong for r, (wrong, _) in zip(rows, judged))
    by_check = sum(r.code != "missed" and not wrong and CHECK in r.mode for r, (wrong, _) in zip(rows, judged))
    print(f"{len(rows)} faulty kernels, {found} found, {by_check} of them by --check alone")
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
