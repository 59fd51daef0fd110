// SPDX-License-Identifier: Apache-2.0
// Where the blocks of nodes stand on the map, and how full nodes are.
import type { NodeSummary } from "../api/types";
import { amountOf } from "./quantity";

/// Rows keep their places, whatever order the server has.
export function byName<T extends { name: string }>(list: T[]): T[] {
  return [...list].sort((a, b) => a.name.localeCompare(b.name));
}

export interface Block {
  node: NodeSummary;
  x: number;
  y: number;
}

export interface Label {
  text: string;
  y: number;
}

export interface Layout {
  blocks: Block[];
  labels: Label[];
  height: number;
  /// The sides of a block, without the gap beside it.
  side: number;
}

const heading = 22;

/// Blocks get smaller the more there are, so that thousands fit.
export function sideFor(nodes: number): number {
  if (nodes <= 200) return 28;
  if (nodes <= 1_000) return 18;
  return nodes <= 4_000 ? 11 : 7;
}

/// Clusters stand below each other, each with its nodes in rows.
export function layout(nodes: NodeSummary[], width: number): Layout {
  const side = sideFor(nodes.length);
  const step = side + (side > 10 ? 3 : 1);
  const inRow = Math.max(1, Math.floor(width / step));
  const byCluster = new Map<string, NodeSummary[]>();
  for (const node of nodes) {
    const list = byCluster.get(node.cluster);
    if (list) list.push(node);
    else byCluster.set(node.cluster, [node]);
  }
  const blocks: Block[] = [];
  const labels: Label[] = [];
  let top = 0;
  for (const [cluster, members] of byCluster) {
    labels.push({ text: `${cluster} · ${members.length}`, y: top + 15 });
    top += heading;
    members.forEach((node, at) => {
      blocks.push({ node, x: (at % inRow) * step, y: top + Math.floor(at / inRow) * step });
    });
    top += Math.ceil(members.length / inRow) * step + 10;
  }
  return { blocks, labels, height: Math.max(top, heading), side };
}

export function blockAt(map: Layout, x: number, y: number): number {
  return map.blocks.findIndex(
    (one) => x >= one.x && x < one.x + map.side && y >= one.y && y < one.y + map.side,
  );
}

/// Which block the arrow keys lead to.
export function neighbour(map: Layout, from: number, key: string): number {
  const here = map.blocks[from];
  if (!here) return map.blocks.length > 0 ? 0 : -1;
  if (key === "ArrowRight") return Math.min(from + 1, map.blocks.length - 1);
  if (key === "ArrowLeft") return Math.max(from - 1, 0);
  const down = key === "ArrowDown";
  let best = from;
  let distance = Infinity;
  map.blocks.forEach((one, at) => {
    if (down ? one.y <= here.y : one.y >= here.y) return;
    const away = Math.abs(one.y - here.y) * 10_000 + Math.abs(one.x - here.x);
    if (away < distance) {
      distance = away;
      best = at;
    }
  });
  return best;
}

/// The used part of a resource, 0 to 1; null if the node has none of it.
export function use(node: NodeSummary, resource: string): number | null {
  const total = amountOf(node.total, resource);
  return total > 0 ? Math.min(1, amountOf(node.used, resource) / total) : null;
}

export function resourcesOf(nodes: NodeSummary[]): string[] {
  const names = new Set(nodes.flatMap((node) => (node.total ?? []).map((one) => one.resource)));
  return [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

const usual = ["cpu", "memory", "nvidia.com/gpu"];
const rank = (name: string): number => (usual.includes(name) ? usual.indexOf(name) : usual.length);
