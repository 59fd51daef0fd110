// SPDX-License-Identifier: Apache-2.0
// A value that tells who listens when it changes.
import { useEffect, useState } from "preact/hooks";

export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of [...this.listeners]) listener(value);
  }

  listen(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useSignal<T>(signal: Signal<T>): T {
  const [value, setValue] = useState(signal.value);
  useEffect(() => {
    setValue(() => signal.value);
    return signal.listen((next) => setValue(() => next));
  }, [signal]);
  return value;
}
