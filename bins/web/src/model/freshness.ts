// SPDX-License-Identifier: Apache-2.0
// Which position of the server's log the page knows of, and what it shows has. The page may get an
// answer that was made for another reader, if that is not behind what it knows; and what it shows is
// loaded again only if it is behind. The server may say in which queues and job sets jobs have
// changed, so that a list of others is not loaded again.
import { clauses } from "./where";

/// The queues and job sets in which a list has jobs, as far as its conditions name them. Names stand
/// as `printOf` makes them.
export interface Concern {
  queues?: number[];
  jobSets?: number[];
}

/// FNV-1a of the bytes of a name in 32 bits, as the server tells names.
export function printOf(name: string): number {
  let out = 2_166_136_261;
  for (const byte of new TextEncoder().encode(name)) out = Math.imul(out ^ byte, 16_777_619);
  return out >>> 0;
}

const plainNames = /^(queue|jobset):([\w./@+-]+(?:,[\w./@+-]+)*)$/;
const ofTime = /^-?(age|changed|submitted)\b/i;

/// Finds what the conditions of a search concern; nothing if any change may concern it, or time alone.
export function concernOf(where: string): Concern | undefined {
  const out: Concern = {};
  for (const one of clauses(where)) {
    if (ofTime.test(one)) return undefined;
    const found = plainNames.exec(one);
    if (!found) continue;
    const names = found[2]!.split(",").map(printOf);
    if (found[1] === "queue") out.queues ??= names;
    else out.jobSets ??= names;
  }
  return out.queues || out.jobSets ? out : undefined;
}

const namesMax = 10_000;

/// Remembers where names of one kind have changed last.
class Names {
  /// Up to here any name may have changed.
  private any = 0;
  private readonly last = new Map<number, number>();

  told(position: number, names: number[] | undefined): void {
    if (names) for (const name of names) this.last.set(name, Math.max(position, this.last.get(name) ?? 0));
    if (names && this.last.size <= namesMax) return;
    this.any = Math.max(position, this.any);
    this.last.clear();
  }

  changedBehind(position: number, names: number[]): boolean {
    return this.any > position || names.some((name) => (this.last.get(name) ?? 0) > position);
  }
}

/// What is shown of jobs may change without any of them, as the reason why they wait. So a list that
/// no change has concerned is loaded again all the same when it is so old.
export const unconcernedFor = 30_000;

interface Answer {
  position: number;
  at: number;
}

export class Freshness {
  private least = 0;
  private readonly answers = new WeakMap<object, Answer>();
  private queues = new Names();
  private jobSets = new Names();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /// The position that an answer has to have.
  get wanted(): number {
    return this.least;
  }

  /// The server has told of a position, and maybe of what changed since the one before. Those of
  /// another process may be lower.
  told(position: number, another: boolean, changed: Concern = {}): void {
    if (another) {
      this.queues = new Names();
      this.jobSets = new Names();
    }
    this.queues.told(position, changed.queues);
    this.jobSets.told(position, changed.jobSets);
    this.least = another ? position : Math.max(this.least, position);
  }

  /// An answer has told its position; null: it has told none, so that nothing is known of what is
  /// shown of it.
  answered(load: object | undefined, position: number | null): void {
    if (position !== null) this.least = Math.max(this.least, position);
    if (!load) return;
    const before = this.answers.get(load);
    const lower = Math.min(before?.position ?? Infinity, position ?? -1);
    this.answers.set(load, { position: lower, at: before?.at ?? this.now() });
  }

  /// The reader has changed something, and the position has it.
  changed(position: number): void {
    this.told(Math.max(position, this.least), false);
  }

  /// The least position of all answers that this load has got; -1 if that is not known.
  of(load: object): number {
    return this.answers.get(load)?.position ?? -1;
  }

  /// Whether what this load has got may have changed since.
  isBehind(load: object, concern?: Concern): boolean {
    const { position, at } = this.answers.get(load) ?? { position: -1, at: 0 };
    if (position >= this.least) return false;
    if (!concern || position < 0 || this.now() - at > unconcernedFor) return true;
    const { queues, jobSets } = concern;
    return (!queues || this.queues.changedBehind(position, queues)) && (!jobSets || this.jobSets.changedBehind(position, jobSets));
  }
}
