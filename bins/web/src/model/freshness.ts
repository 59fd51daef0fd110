// SPDX-License-Identifier: Apache-2.0
// Which position of the server's log the page knows of, and what it shows has. The page may get an
// answer that was made for another reader, if that is not behind what it knows; and what it shows is
// loaded again only if it is behind.

export class Freshness {
  private least = 0;
  private readonly answers = new WeakMap<object, number>();

  /// The position that an answer has to have.
  get wanted(): number {
    return this.least;
  }

  /// The server has told of a position. Those of another process may be lower.
  told(position: number, another: boolean): void {
    this.least = another ? position : Math.max(this.least, position);
  }

  /// An answer has told its position; null: it has told none, so that nothing is known of what is
  /// shown of it.
  answered(load: object | undefined, position: number | null): void {
    if (position !== null) this.least = Math.max(this.least, position);
    if (load) this.answers.set(load, Math.min(this.answers.get(load) ?? Infinity, position ?? -1));
  }

  /// The least position of all answers that this load has got; -1 if that is not known.
  of(load: object): number {
    return this.answers.get(load) ?? -1;
  }
}
