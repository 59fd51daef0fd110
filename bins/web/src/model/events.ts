// SPDX-License-Identifier: Apache-2.0
// Reads server-sent events from a text that comes in pieces.

export interface ServerEvent {
  name: string;
  data: string;
  /// The last id that the stream has told, which a reader shows when he comes back.
  id: string;
}

export class EventReader {
  private rest = "";
  private name = "";
  private data: string[] = [];

  constructor(private id = "") {}

  /// The events that this piece completes.
  feed(piece: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    // A "\r" at the end may be half of a line's end.
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop()!;
    for (const line of lines) {
      if (line === "") this.end(out);
      else this.read(line);
    }
    return out;
  }

  private read(line: string): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }

  private end(out: ServerEvent[]): void {
    if (this.data.length > 0) out.push({ name: this.name || "message", data: this.data.join("\n"), id: this.id });
    this.name = "";
    this.data = [];
  }
}
