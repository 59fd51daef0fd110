// SPDX-License-Identifier: Apache-2.0
// A load that is done again when what it gave is behind. A slow answer makes the next question come
// later: it rests four times as long as it took.

function afterwards(then: () => void, time: number): () => void {
  const timer = setTimeout(then, time);
  return () => clearTimeout(timer);
}

export class Repeated {
  private busy = false;
  private again = false;
  private forced = false;
  private failed = false;
  private ended = false;
  private stop = (): void => undefined;

  /// `load` fails if it could not load all. It is told whether the reader has asked for nothing new,
  /// so that an answer will do that was made for another one.
  constructor(
    private readonly load: (shared: boolean) => Promise<void>,
    private readonly isBehind: () => boolean,
    private readonly later = afterwards,
  ) {}

  async run(shared: boolean): Promise<void> {
    this.busy = true;
    this.again = this.forced = false;
    const begun = performance.now();
    this.failed = await this.load(shared).then(
      () => false,
      () => true,
    );
    if (this.ended) return;
    this.stop = this.later(
      () => {
        this.busy = false;
        if (this.again) this.look(this.forced);
      },
      Math.min(15_000, 4 * (performance.now() - begun)),
    );
  }

  /// Loads if what there is is behind, could not be loaded, or if `forced`; as soon as it has rested.
  look(forced = false): void {
    if (this.busy) {
      this.again = true;
      this.forced ||= forced;
    } else if (forced || this.failed || this.isBehind()) void this.run(!forced);
  }

  /// What could not be loaded may be there now.
  retry(): void {
    if (this.failed) this.look();
  }

  end(): void {
    this.ended = true;
    this.stop();
  }
}
