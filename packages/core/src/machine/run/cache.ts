/**
 * The share of a core's second-level cache that a machine counts on. Primals and adjoints of a chunk
 * should stay in it, so it decides how wide chunks are; results do not depend on that.
 */

export interface CacheShare {
  readonly bytes: number;
  /** Chunks are multiples of so many lanes, or halves of it, and halves of these. */
  readonly blockLanes: number;
}

export const OWN_CACHE: CacheShare = { bytes: 1536 * 1024, blockLanes: 8 };

/**
 * Workers of a pool share cores: on most computers two threads go on one, with one cache. Their blocks
 * are multiples of 128 lanes, and chunks that divide them leave no lanes over, which would cost as much
 * as a whole chunk.
 */
export const POOL_CACHE: CacheShare = { bytes: 1024 * 1024, blockLanes: 128 };
