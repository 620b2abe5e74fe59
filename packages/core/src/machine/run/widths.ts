/**
 * How many lanes a chunk has: as many as keep its working set in a core's cache.
 */

/** Lanes of the first walk of a program whose working set is not known yet. */
export const FIRST_WIDTH = 128;
/** The widest chunk there is. */
export const WIDTH_MAX = 1024;
/** The most lanes that a fit takes into the machine at once, as one chunk of its own. */
export const LANES_INSIDE = 65536;
/**
 * Such a chunk may take so many caches: what does not stay in the cache still costs less than values and
 * gradients that go out to the optimiser and back.
 */
export const CACHES_INSIDE = 4;
/** Narrower chunks do not pay, whatever they take. */
export const WIDTH_LEAST = 8;
/** A chunk is too wide that takes so many times what it should. */
export const ROOMY = 1.25;

/** The width at which lanes that take so many bytes each fill the cache. */
export function fittingWidth(
  { bytes, blockLanes }: { readonly bytes: number; readonly blockLanes: number },
  bytesPerLane: number,
): number {
  const fitting = Math.floor(bytes / Math.max(bytesPerLane, 1));
  const even =
    fitting >= blockLanes ? fitting - (fitting % blockLanes) : halved(blockLanes, fitting);
  return Math.min(WIDTH_MAX, Math.max(WIDTH_LEAST, even));
}

/** Half of a width, or half of that, and so on, until no more than `most` are left. */
function halved(width: number, most: number): number {
  let half = width;
  while (half > most && half > WIDTH_LEAST) half /= 2;
  return half;
}

/** A width at which lanes make chunks of about the same size, near the one that suits them. */
export function evenWidth(lanes: number, width: number): number {
  const chunks = Math.ceil(lanes / (ROOMY * width));
  return WIDTH_LEAST * Math.ceil(lanes / chunks / WIDTH_LEAST);
}
