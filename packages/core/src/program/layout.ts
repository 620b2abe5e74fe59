/**
 * Byte layouts shared by both sides of the WebAssembly boundary. Compiled by tsc and by asc, so it
 * holds nothing but integer constants.
 *
 * The operand block is the calling convention of every numeric kernel: `kernel(at)` reads its
 * operands from the block at byte address `at`. In lane direction a run is `laneBytes` long; a
 * uniform payload stores one splatted vector per element and has lane mask 0, so that the address
 * of element e, lane offset b is always `base + e * step + (b & laneMask)`.
 */

// Operand block: u32 fields, byte offsets.
export const BLOCK_Z: i32 = 0; // primal of the result
export const BLOCK_Z_STEP: i32 = 4; // bytes from one element of z to the next
export const BLOCK_Z_MASK: i32 = 8; // lane mask of z: 0 uniform, -1 per lane
export const BLOCK_X: i32 = 12;
export const BLOCK_X_STEP: i32 = 16; // 0 broadcasts a scalar over the elements of z
export const BLOCK_X_MASK: i32 = 20;
export const BLOCK_Y: i32 = 24;
export const BLOCK_Y_STEP: i32 = 28;
export const BLOCK_Y_MASK: i32 = 32;
export const BLOCK_GZ: i32 = 36; // adjoints: always one value per lane, also of a uniform primal
export const BLOCK_GX: i32 = 40; // 0: x is inactive, no adjoint work
export const BLOCK_GX_STEP: i32 = 44;
export const BLOCK_GY: i32 = 48;
export const BLOCK_GY_STEP: i32 = 52;
export const BLOCK_COUNT: i32 = 56; // elements of z (element-wise kernels)
export const BLOCK_RUN: i32 = 60; // bytes of one full run of lanes (adjoint loops, gz step)
export const BLOCK_Z_RUN: i32 = 64; // bytes to compute forward: 16 where z is uniform, else RUN
export const BLOCK_ROWS: i32 = 68; // dimensions for structured kernels: x is [rows, inner],
export const BLOCK_INNER: i32 = 72; // y is [inner, cols] (a vector counts as one column)
export const BLOCK_COLS: i32 = 76;
export const BLOCK_SCRATCH: i32 = 80; // scratch memory for kernels that declare some
export const BLOCK_AUX: i32 = 84; // element offset, integer exponent, … as the kernel says
export const BLOCK_BYTES: i32 = 96;
