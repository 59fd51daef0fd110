// SPDX-License-Identifier: Apache-2.0
// The nodes as blocks on a canvas. Arrow keys move from block to block, and what the block under the
// pointer or the keys is stands below.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { NodeSummary } from "../../api/types";
import { blockAt, layout, neighbour, use, type Layout } from "../../model/fleet";
import { amountOf, percent, quantity, several } from "../../model/quantity";

interface Paint {
  text: string;
  ground: string;
  line: string;
  none: string;
  bad: string;
  odd: string;
  good: string;
  scale: string[];
}

/// The colours of the theme, which the styles define.
function paint(element: HTMLElement): Paint {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: of("--text"),
    ground: of("--ground"),
    line: of("--accent"),
    none: of("--line"),
    bad: of("--bad"),
    odd: of("--odd"),
    good: of("--good"),
    scale: [0, 1, 2, 3, 4, 5].map((n) => of(`--heat-${n}`)),
  };
}

function colour(node: NodeSummary, by: string, with_: Paint): string {
  if (by === "health") return node.state === "ready" ? with_.good : node.state === "cordoned" ? with_.odd : with_.bad;
  const part = use(node, by);
  return part === null ? with_.none : with_.scale[Math.min(5, Math.ceil(part * 5))]!;
}

function draw(canvas: HTMLCanvasElement, map: Layout, by: string, here: number, chosen: NodeSummary | undefined): void {
  const sharp = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (canvas.width !== width * sharp || canvas.height !== map.height * sharp) {
    canvas.width = width * sharp;
    canvas.height = map.height * sharp;
  }
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const colours = paint(canvas);
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, width, map.height);
  pen.font = "13px system-ui, sans-serif";
  pen.fillStyle = colours.text;
  for (const label of map.labels) pen.fillText(label.text, 0, label.y);
  map.blocks.forEach((block, at) => {
    pen.fillStyle = colour(block.node, by, colours);
    pen.fillRect(block.x, block.y, map.side, map.side);
    // A cross marks what takes no work, so that it is not told by its colour alone.
    if (block.node.state !== "ready") {
      const part = by === "health" ? 0 : (use(block.node, by) ?? 0);
      pen.strokeStyle = part > 0.4 ? colours.ground : colours.text;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(block.x + 1, block.y + 1);
      pen.lineTo(block.x + map.side - 1, block.y + map.side - 1);
      pen.moveTo(block.x + map.side - 1, block.y + 1);
      pen.lineTo(block.x + 1, block.y + map.side - 1);
      pen.stroke();
    }
    if (at === here || block.node === chosen) {
      pen.strokeStyle = colours.line;
      pen.lineWidth = 2;
      pen.strokeRect(block.x - 1, block.y - 1, map.side + 2, map.side + 2);
    }
  });
}

function words(node: NodeSummary, by: string): string {
  const part = by === "health" ? null : use(node, by);
  const used = part === null ? "" : `, ${by} ${quantity(by, amountOf(node.used, by))} of ${quantity(by, amountOf(node.total, by))} (${percent(part)})`;
  return `${node.cluster}/${node.name}: ${node.state ?? "?"}${used}, ${several(node.runs, "run")}${node.reason ? `, ${node.reason}` : ""}`;
}

export function NodeMap({ nodes, by, chosen, open }: { nodes: NodeSummary[]; by: string; chosen: NodeSummary | undefined; open: (node: NodeSummary) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(600);
  const [here, setHere] = useState(-1);
  // Keys may come faster than the page is drawn.
  const place = useRef(-1);
  const move = (to: number): void => {
    place.current = to;
    setHere(to);
  };
  const [theme, setTheme] = useState(0);
  const map = useMemo(() => layout(nodes, width), [nodes, width]);
  useEffect(() => {
    const watch = new ResizeObserver(() => setWidth(canvas.current?.clientWidth ?? 600));
    if (canvas.current) watch.observe(canvas.current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const turn = (): void => setTheme((n) => n + 1);
    dark.addEventListener("change", turn);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", turn);
    };
  }, []);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, map, by, here, chosen);
  }, [map, by, here, chosen, theme]);

  const at = (event: MouseEvent): number => blockAt(map, event.offsetX, event.offsetY);
  const press = (event: KeyboardEvent): void => {
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      move(neighbour(map, place.current, event.key));
    } else if (event.key === "Enter" && map.blocks[place.current]) open(map.blocks[place.current]!.node);
  };
  const now = map.blocks[here]?.node;
  return (
    <>
      <p class="legend-row note">
        {by === "health" ? (
          <>■ ready · <span aria-hidden="true">⊠</span> cordoned, quarantined or silent</>
        ) : (
          <>
            {["0", "20", "40", "60", "80", "100 %"].map((text, n) => (
              <span key={text} class="legend">
                <span class={`heat heat-${n}`} aria-hidden="true" /> {n === 0 ? "free" : `≤ ${text}`}
              </span>
            ))}
            <span class="legend"><span aria-hidden="true">⊠</span> takes no work</span>
          </>
        )}
      </p>
      <canvas
        ref={canvas}
        role="application"
        aria-label="Map of nodes. Arrow keys move, Enter opens."
        aria-describedby="node-here"
        tabIndex={0}
        style={{ height: `${map.height}px` }}
        onMouseMove={(event) => move(at(event))}
        onClick={(event) => {
          const found = map.blocks[at(event)];
          if (found) open(found.node);
        }}
        onKeyDown={press}
      />
      <p id="node-here" class="node-here" role="status">
        {now ? words(now, by) : "Point at a node, or press an arrow key on the map."}
      </p>
    </>
  );
}
