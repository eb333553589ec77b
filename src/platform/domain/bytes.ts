/* Numbers in few bytes. Small integers, which are the most frequent ones, take one byte. */

const CONTINUED = 0x80;
const PAYLOAD = 0x7f;

/** Writes numbers to bytes. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  /** Writes an integer from 0 to 2 ** 53 - 1. */
  count(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#reserve(8);
    let left = value;
    while (left > PAYLOAD) {
      this.#bytes[this.#length++] = (left % CONTINUED) | CONTINUED;
      left = Math.floor(left / CONTINUED);
    }
    this.#bytes[this.#length++] = left;
  }

  /** Writes an integer of either sign. */
  integer(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Writes any number exactly. */
  float(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** Writes what another writer has written. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns a copy of the written bytes, and begins again. */
  take(): Uint8Array {
    const bytes = Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** Reads numbers that a `ByteWriter` has written. Its methods throw a RangeError if the bytes end early. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether all bytes are read. */
  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  count(): number {
    let value = 0;
    for (let factor = 1; ; factor *= CONTINUED) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('the bytes end early');
      value += (byte & PAYLOAD) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a number is too large');
      if (byte < CONTINUED) return value;
    }
  }

  integer(): number {
    const count = this.count();
    return count % 2 === 1 ? -(count + 1) / 2 : count / 2;
  }

  float(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }
}
