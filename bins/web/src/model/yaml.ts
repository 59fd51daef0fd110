// SPDX-License-Identifier: Apache-2.0
// Writes values as YAML that every reader takes back as the same values.
import type { Json } from "../api/types";

/// Texts that would be read as something else, or not at all, stand in quotation marks.
export function scalar(text: string): string {
  const plain =
    /^[A-Za-z_/][\w./@:+=-]*(?: [\w./@+=-]+)*$/.test(text) &&
    !text.endsWith(":") &&
    !/^(?:y|n|yes|no|on|off|true|false|null|~|\.inf|\.nan)$/i.test(text) &&
    !text.includes(": ");
  return plain ? text : JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").replaceAll("\u0085", "\\u0085");
}

function isBlock(value: Json): value is Json[] | { [key: string]: Json } {
  return (
    typeof value === "object" &&
    value !== null &&
    (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0)
  );
}

function lines(value: Json, indent: string): string[] {
  if (!isBlock(value)) return [`${indent}${inline(value)}`];
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const [first = "", ...rest] = lines(item, `${indent}  `);
      return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
    });
  return Object.entries(value).flatMap(([key, inner]) =>
    isBlock(inner)
      ? [`${indent}${scalar(key)}:`, ...lines(inner, `${indent}  `)]
      : [`${indent}${scalar(key)}: ${inline(inner)}`],
  );
}

function inline(value: Json): string {
  if (Array.isArray(value)) return "[]";
  if (typeof value === "object" && value !== null) return "{}";
  return typeof value === "string" ? scalar(value) : String(value);
}

export const print = (value: Json): string => `${lines(value, "").join("\n")}\n`;

const itemFields = ["priority", "namespace", "clientId", "labels", "annotations", "podSpec", "ingress", "services", "scheduler"];

/// A file that submits the same job again. What the server added to the job is left out.
export function submitFile(spec: { [key: string]: Json }): string {
  const item: { [key: string]: Json } = {};
  for (const field of itemFields) {
    const value = spec[field];
    if (value !== undefined && field !== "clientId") item[field] = value;
  }
  const specs = spec.podSpecs;
  if (item.podSpec === undefined && Array.isArray(specs) && specs.length > 0) item.podSpec = specs[0]!;
  return print({ queue: spec.queue ?? "", jobSetId: spec.jobSetId ?? "", jobs: [item] });
}
