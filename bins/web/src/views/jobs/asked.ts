// SPDX-License-Identifier: Apache-2.0
// What the address says of the table of jobs.
import { chosen, usual, type Column } from "../../model/columns";
import { list } from "../../model/route";
import type { Asked, GroupField } from "./tree";

export const groupFields: [string, string][] = [
  ["queue", "queue"],
  ["jobSet", "job set"],
  ["state", "state"],
  ["owner", "owner"],
  ["namespace", "namespace"],
  ["priorityClass", "priority class"],
  ["cluster", "cluster"],
  ["node", "node"],
  ["pool", "pool"],
  ["reason", "reason"],
  ["gang", "gang"],
];

const orders = ["jobId", "queue", "jobSet", "state", "submitted", "changed"];

/// "@team" groups by the annotation "team".
export function groupField(word: string): GroupField | null {
  if (word.startsWith("@") && word.length > 1) return { field: "annotation", key: word.slice(1) };
  return groupFields.some(([field]) => field === word) ? { field: word } : null;
}

export function asked(words: Record<string, string>): Asked {
  const order = words.order ?? "";
  return {
    where: words.where ?? "",
    activeSets: words.sets === "active",
    groupBy: list(words.group)
      .map(groupField)
      .filter((field): field is GroupField => field !== null),
    order: orders.includes(order) ? order : "jobId",
    ascending: words.dir === "up",
  };
}

export const columnsOf = (words: Record<string, string>): Column[] =>
  chosen(words.cols ? list(words.cols) : usual);
