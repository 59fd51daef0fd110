// SPDX-License-Identifier: Apache-2.0
// A small plot of a few lines over time.
import { percent } from "../model/quantity";
import { clock } from "../model/time";

export interface Line {
  name: string;
  look: string;
  values: number[];
}

const width = 600;
const height = 120;

export function path(values: number[], most: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, at) => `${at === 0 ? "M" : "L"}${(at * step).toFixed(1)} ${(height - (height * value) / most).toFixed(1)}`)
    .join("");
}

export function Plot({ lines, times }: { lines: Line[]; times: number[] }) {
  if (times.length < 2) return <p class="note">The plot begins when the page has seen two moments.</p>;
  const most = Math.max(0.01, ...lines.flatMap((line) => line.values)) * 1.05;
  const told = lines
    .map((line) => `${line.name} ${percent(line.values[line.values.length - 1])}`)
    .join(", ");
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Now: ${told}`} preserveAspectRatio="none">
        {lines.map((line) => (
          <path key={line.name} class={line.look} d={path(line.values, most)} />
        ))}
      </svg>
      <figcaption>
        {lines.map((line) => (
          <span key={line.name} class={`legend ${line.look}`}>
            {line.name} {percent(line.values[line.values.length - 1])}
          </span>
        ))}
        <span class="note">
          {clock(times[0])} to {clock(times[times.length - 1])}, since this page is open
        </span>
      </figcaption>
    </figure>
  );
}
