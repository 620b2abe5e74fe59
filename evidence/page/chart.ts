/**
 * Figures as SVG: lines over two axes, each linear or logarithmic. A pure function of its points.
 */

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly isDashed?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly isLogX?: boolean;
  readonly isLogY?: boolean;
  readonly lines: readonly Line[];
}

const WIDTH = 840;
const HEIGHT = 400;
const LEFT = 90;
const RIGHT = 260;
const TOP = 40;
const BOTTOM = 56;
const COLOURS = [
  "#2563eb",
  "#dc2626",
  "#059669",
  "#d97706",
  "#7c3aed",
  "#0891b2",
  "#4b5563",
  "#db2777",
  "#65a30d",
  "#92400e",
  "#0f172a",
  "#a855f7",
];

interface Axis {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  at(value: number): number;
}

const fixed = (value: number): string => value.toFixed(1);

function axisOf(values: readonly number[], isLog: boolean): Axis {
  const used = isLog ? values.filter((value) => value > 0) : values;
  const least = Math.min(...used);
  const most = Math.max(...used);
  if (isLog) {
    const low = Math.floor(Math.log10(least));
    const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
    return { low, high, ticks, at: (value) => (Math.log10(value) - low) / (high - low) };
  }
  const low = Math.min(0, least);
  const high = most > low ? most : low + 1;
  const step = niceStep((high - low) / 5);
  const top = Math.ceil(high / step) * step;
  const ticks = Array.from(
    { length: Math.round((top - low) / step) + 1 },
    (_, i) => low + i * step,
  );
  return { low, high: top, ticks, at: (value) => (value - low) / (top - low) };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
}

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const label = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 6 });

export function chartSvg(chart: Chart): string {
  const lines = chart.lines.filter(({ points }) => points.length > 0);
  const all = lines.flatMap(({ points }) => points);
  const parts: string[] = [];
  const write = (at: string, words: string, more = "") =>
    parts.push(`<text ${at}${more}>${escaped(words)}</text>`);
  if (all.length > 0) {
    const x = axisOf(
      all.map(([each]) => each),
      chart.isLogX ?? false,
    );
    const y = axisOf(
      all.map(([, each]) => each),
      chart.isLogY ?? false,
    );
    const px = (value: number) => LEFT + x.at(value) * (WIDTH - LEFT - RIGHT);
    const py = (value: number) => HEIGHT - BOTTOM - y.at(value) * (HEIGHT - TOP - BOTTOM);
    for (const tick of x.ticks) {
      parts.push(`<path class="grid" d="M${fixed(px(tick))} ${TOP}V${HEIGHT - BOTTOM}"/>`);
      write(
        `x="${fixed(px(tick))}" y="${HEIGHT - BOTTOM + 18}"`,
        label(tick),
        ' text-anchor="middle"',
      );
    }
    for (const tick of y.ticks) {
      parts.push(`<path class="grid" d="M${LEFT} ${fixed(py(tick))}H${WIDTH - RIGHT}"/>`);
      write(`x="${LEFT - 8}" y="${fixed(py(tick) + 4)}"`, label(tick), ' text-anchor="end"');
    }
    lines.forEach(({ name, points, isDashed }, i) => {
      const colour = COLOURS[i % COLOURS.length] as string;
      const path = points.map(([a, b]) => `${fixed(px(a))},${fixed(py(b))}`).join(" ");
      const dash = isDashed ? ' stroke-dasharray="6 4"' : "";
      parts.push(
        `<polyline fill="none" stroke="${colour}" stroke-width="2"${dash} points="${path}"/>`,
      );
      for (const [a, b] of isDashed ? [] : points)
        parts.push(`<circle cx="${fixed(px(a))}" cy="${fixed(py(b))}" r="3" fill="${colour}"/>`);
      const at = TOP + 14 + 20 * i;
      parts.push(
        `<path stroke="${colour}" stroke-width="3"${dash} d="M${WIDTH - RIGHT + 14} ${at}h22"/>`,
      );
      write(`x="${WIDTH - RIGHT + 42}" y="${at + 4}"`, name);
    });
  } else
    write(`x="${WIDTH / 2}" y="${HEIGHT / 2}"`, "nothing was measured", ' text-anchor="middle"');
  write(`x="${LEFT}" y="22"`, chart.title, ' class="title"');
  const middle = LEFT + (WIDTH - LEFT - RIGHT) / 2;
  write(`x="${middle}" y="${HEIGHT - 14}"`, chart.x, ' text-anchor="middle"');
  const turn = `transform="translate(16 ${HEIGHT / 2}) rotate(-90)"`;
  write(turn, chart.y, ' text-anchor="middle"');
  const style = "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.grid{stroke:#e5e5e5}";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<style>${style}</style><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}
