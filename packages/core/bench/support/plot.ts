/**
 * A line over a logarithmic axis of lanes: as an SVG file, and small as text.
 */

interface Point {
  readonly lanes: number;
  readonly microseconds: number;
}

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 24;
const TOP = 40;
const BOTTOM = 56;

/** Powers of ten that enclose the numbers. */
function decades(numbers: readonly number[]): [number, number] {
  const low = Math.floor(Math.log10(Math.min(...numbers)));
  const high = Math.ceil(Math.log10(Math.max(...numbers)));
  return [low, Math.max(high, low + 1)];
}

export function plotSvg(points: readonly Point[]): string {
  const [x0, x1] = decades(points.map(({ lanes }) => lanes));
  const [y0, y1] = decades(points.map(({ microseconds }) => microseconds));
  const x = (lanes: number) =>
    LEFT + ((Math.log10(lanes) - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT);
  const y = (cost: number) =>
    HEIGHT - BOTTOM - ((Math.log10(cost) - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM);
  const text = (at: string, words: string, more = "") => `<text ${at}${more}>${words}</text>`;
  const parts: string[] = [];
  for (let power = x0; power <= x1; power++) {
    const at = x(10 ** power);
    parts.push(`<path class="grid" d="M${at} ${TOP}V${HEIGHT - BOTTOM}"/>`);
    const label = (10 ** power).toLocaleString("en-US");
    parts.push(text(`x="${at}" y="${HEIGHT - BOTTOM + 18}"`, label, ' text-anchor="middle"'));
  }
  for (let power = y0; power <= y1; power++) {
    const at = y(10 ** power);
    parts.push(`<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/>`);
    parts.push(text(`x="${LEFT - 8}" y="${at + 4}"`, `${10 ** power}`, ' text-anchor="end"'));
  }
  const line = points.map((p) => `${x(p.lanes).toFixed(1)},${y(p.microseconds).toFixed(1)}`);
  parts.push(`<polyline class="line" points="${line.join(" ")}"/>`);
  for (const p of points)
    parts.push(`<circle cx="${x(p.lanes)}" cy="${y(p.microseconds)}" r="4"/>`);
  const title = "Kalman T=80, forward and gradient: µs a lane over lanes";
  parts.push(text(`x="${LEFT}" y="22"`, title, ' class="title"'));
  parts.push(text(`x="${WIDTH / 2}" y="${HEIGHT - 14}"`, "lanes", ' text-anchor="middle"'));
  const style =
    "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.grid{stroke:#ddd}" +
    ".line{fill:none;stroke:#2563eb;stroke-width:2}circle{fill:#2563eb}";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<style>${style}</style><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

const BAR = 50;

/** One bar a size; its length is the logarithm of the cost above the cheapest size's half. */
export function plotText(points: readonly Point[]): string {
  const cheapest = Math.min(...points.map(({ microseconds }) => microseconds));
  const dearest = Math.max(...points.map(({ microseconds }) => microseconds));
  const scale = BAR / Math.log2((2 * dearest) / cheapest);
  return points
    .map(({ lanes, microseconds }) => {
      const bar = "#".repeat(Math.round(scale * Math.log2((2 * microseconds) / cheapest)));
      const label = lanes.toLocaleString("en-US").padStart(10);
      return `${label} ${bar} ${microseconds.toPrecision(3)} µs a lane`;
    })
    .join("\n");
}
