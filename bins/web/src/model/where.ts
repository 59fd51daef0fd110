// SPDX-License-Identifier: Apache-2.0
// The conditions as a person writes them, "state:failed queue:research age<2h", which the server
// reads. The page only takes clauses apart far enough to add, find and remove one.

/// The clauses of a text. Blanks within quotation marks divide nothing.
export function clauses(where: string): string[] {
  const out: string[] = [];
  let now = "";
  let quoted = false;
  for (const letter of where) {
    if (letter === '"') quoted = !quoted;
    if (/\s/.test(letter) && !quoted) {
      if (now !== "") out.push(now);
      now = "";
    } else {
      now += letter;
    }
  }
  if (now !== "") out.push(now);
  return out;
}

/// A value as it stands in a clause. Quotation marks keep what would mean something else.
export function quoted(value: string): string | null {
  if (value.includes('"') || /[\r\n]/.test(value)) return null;
  return /^[\w./@+-]+$/.test(value) ? value : `"${value}"`;
}

/// "queue:research", or nothing if the value cannot be written so.
export function clause(field: string, value: string, without = false): string | null {
  const text = quoted(value);
  return text === null ? null : `${without ? "-" : ""}${field}:${text}`;
}

export function has(where: string, one: string): boolean {
  return clauses(where).includes(one);
}

export function adding(where: string, one: string): string {
  return has(where, one) ? where : [...clauses(where), one].join(" ");
}

export function removing(where: string, one: string): string {
  return clauses(where)
    .filter((known) => known !== one)
    .join(" ");
}

const stateClause = /^state:([a-z,]+)$/i;

/// The states that the text asks for, in small letters; none if it asks for no state.
export function statesOf(where: string): string[] {
  const found = clauses(where).find((one) => stateClause.test(one));
  return found ? stateClause.exec(found)![1]!.toLowerCase().split(",") : [];
}

export function withStates(where: string, states: string[]): string {
  const others = clauses(where).filter((one) => !stateClause.test(one));
  return (states.length > 0 ? [...others, `state:${states.join(",")}`] : others).join(" ");
}

export function toggledState(where: string, state: string): string {
  const now = statesOf(where);
  return withStates(
    where,
    now.includes(state) ? now.filter((one) => one !== state) : [...now, state],
  );
}

/// A word for a shell.
export function shellWord(text: string): string {
  return /^[\w./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
