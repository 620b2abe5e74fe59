/** The plot of data and fit that goes to the terminal. */

import { agreement, type Picture } from "@ndvm/report";
import { fitPlotText, type Points } from "../plot.js";

/** More dots than this hide the line. */
const DOTS_MOST = 150;

const fewer = (points: Points): Points => {
  const step = points.length / DOTS_MOST;
  return step <= 1 ? points : points.filter((_, index) => index % step < 1);
};

const pairs = (x: ArrayLike<number>, y: ArrayLike<number>): [number, number][] =>
  Array.from(x, (value, index) => [value, y[index] ?? Number.NaN]);

export function terminalPlot(picture: Picture, hasChosenX: boolean): string {
  const { label, x, observed, predicted, curves } = picture;
  const heldOut = picture.heldOut ? pairs(picture.heldOut.x, picture.heldOut.y) : [];
  if (curves.length > 0) {
    return fitPlotText({
      title: `${label} over ${x.name}: ● data, ━ fit`,
      points: fewer([...pairs(x.values, observed), ...heldOut]),
      lines: curves.map((curve) => pairs(curve.x, curve.prediction.values)),
    });
  }
  if (hasChosenX || x.name === "row") {
    return fitPlotText({
      title: `${label} over ${x.name}: ● data, ━ fit`,
      points: fewer([...pairs(x.values, observed), ...heldOut]),
      lines: [pairs(x.values, predicted)],
    });
  }
  return fitPlotText({
    title: `${label} against its prediction: ● data, ━ where they agree`,
    points: fewer(pairs(predicted, observed)),
    lines: [agreement(observed, predicted)],
  });
}
