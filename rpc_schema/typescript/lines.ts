const NEWLINE = 0x0a
const LONE_SURROGATE = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g

/** Writes a message as one line; half a character, which JSON cannot carry in UTF-8, becomes U+FFFD. */
export function line(message: object): string {
  // JSON.stringify escapes a surrogate only where it is alone; an escaped backslash is skipped whole.
  const text = JSON.stringify(message).replace(LONE_SURROGATE, (found) => (found === "\\\\" ? found : "\\ufffd"))
  return text + "\n"
}

/** Cuts a byte stream into lines of text; a line over the limit is dropped, and the stream goes on. */
export class Lines {
  private parts: Uint8Array[] = []
  private size = 0
  private dropping = false

  constructor(private readonly maxBytes: number) {}

  /** Return the lines that are complete with this chunk, without their ends. */
  feed(chunk: Uint8Array): string[] {
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end))
      if (!this.dropping) lines.push(Buffer.concat(this.parts).toString("utf8").trimEnd())
      this.clear()
      start = end + 1
    }
    this.keep(chunk.subarray(start))
    return lines
  }

  private keep(part: Uint8Array): void {
    this.size += part.length
    if (this.size > this.maxBytes) this.dropping = true
    if (this.dropping) this.parts = []
    else if (part.length > 0) this.parts.push(part)
  }

  private clear(): void {
    this.parts = []
    this.size = 0
    this.dropping = false
  }
}
