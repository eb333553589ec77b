/** A record of a log: a line, or a part of a long line. */
export interface LogRecord {
  /** As in the log, such as `2026-01-02T03:04:05.678901234Z`. */
  readonly timestamp: string;
  readonly content: Buffer;
  /** False for a record that was cut off by the end of the stream. */
  readonly complete: boolean;
}

const NEWLINE = 0x0a;
/**
 * Engines split long lines into records of 16,384 or 8,192 bytes. Nodes before Kubernetes 1.26 write a timestamp before each of them, without
 * a newline in between.
 */
const PART_BYTES = 8_192;
/** Length of the longest timestamp with the space after it: nanoseconds, and an offset such as +01:00. */
const STAMP_BYTES = 36;
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) /;
/** Anywhere in a long line, because the last record of a stream can be short. */
const STAMP_INSIDE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) /;
/** An error of the node after the last record of a removed container, which can follow a line without a newline. */
const NODE_ERROR = /rpc error: code = \w+ desc = .*$/s;

/**
 * Splits the response of a log request with timestamps into records. Text without a timestamp at the start of a line is a message of the
 * node, and is omitted.
 */
export class LogRecords {
  #rest: Buffer = Buffer.alloc(0);
  /** Position of `#rest`. A timestamp can follow the start of a line, and a part of a long line. */
  #position: 'line' | 'part' | 'inside' = 'line';
  /** Timestamp of the record at `#rest`; undefined in a line of the node. */
  #timestamp: string | undefined;
  /** Whether the current line has timestamps between its parts. */
  #hasStampsInside = false;

  /** Returns the records that are complete after this chunk. */
  push(chunk: Uint8Array): LogRecord[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    return this.#records(false);
  }

  /** Returns the remaining records. The last one may lack its end. */
  end(): LogRecord[] {
    this.#rest = Buffer.from(this.#rest.toString('latin1').replace(NODE_ERROR, ''), 'latin1');
    return this.#records(true);
  }

  #records(isEnd: boolean): LogRecord[] {
    const records: LogRecord[] = [];
    while (this.#rest.length > 0) {
      const line = this.#rest.indexOf(NEWLINE) + 1;
      if (!isEnd && line === 0 && this.#rest.length < this.#needed()) break;
      this.#readTimestamp();
      const record = this.#takeRecord(isEnd);
      if (record) records.push(record);
    }
    return records;
  }

  /** Number of bytes without a newline that suffice for the next step. */
  #needed(): number {
    if (this.#position !== 'inside') return STAMP_BYTES;
    return this.#timestamp === undefined ? Infinity : PART_BYTES + STAMP_BYTES;
  }

  #readTimestamp(): void {
    if (this.#position === 'inside') return;
    const stamp = STAMP.exec(this.#rest.subarray(0, STAMP_BYTES).toString('latin1'))?.[0];
    if (stamp !== undefined) {
      this.#take(stamp.length);
      this.#timestamp = stamp.trimEnd();
      this.#hasStampsInside = this.#position === 'part';
    } else if (this.#position === 'line') this.#timestamp = undefined;
    this.#position = 'inside';
  }

  /** Returns the rest of a line, or a part of it; undefined for a line of the node, and if more bytes are needed. */
  #takeRecord(isEnd: boolean): LogRecord | undefined {
    const line = this.#rest.indexOf(NEWLINE) + 1;
    const timestamp = this.#timestamp;
    const longest = line > 0 && (timestamp === undefined || line <= PART_BYTES) ? line : PART_BYTES;
    const length = this.#hasStampsInside ? Math.min(longest, this.#nextStamp(longest + STAMP_BYTES)) : longest;
    if (length > this.#rest.length && !isEnd) return undefined;
    const complete = length <= this.#rest.length;
    const content = this.#take(length);
    this.#position = length === line ? 'line' : 'part';
    return timestamp === undefined || content.length === 0 ? undefined : { timestamp, content, complete };
  }

  /** Returns the position of the next timestamp that ends within the first `limit` bytes. */
  #nextStamp(limit: number): number {
    return STAMP_INSIDE.exec(this.#rest.subarray(0, limit).toString('latin1'))?.index ?? Infinity;
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
