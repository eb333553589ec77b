/* Decompresses GIF data (LZW with variable-width codes). */

const MAX_CODES = 4096;
const MAX_CODE_WIDTH = 12;

/**
 * Unpacks at most `size` values, or fewer if the data ends early. Each code adds at least one value and refers to an earlier code. This
 * bounds the work by the length of the data and `size`, even for hostile data.
 *
 * @param literalWidth bits of a value, 1 to 8
 * @throws Error for an undefined code
 */
export function unpackLzw(data: Uint8Array, literalWidth: number, size: number): Uint8Array {
  if (literalWidth < 1 || literalWidth > 8) throw new Error('invalid code width');
  const clear = 1 << literalWidth;
  const end = clear + 1;
  const codes = new CodeTable(clear);
  const values = new Uint8Array(size);
  let written = 0;
  let next = end + 1;
  let width = literalWidth + 1;
  let previous: number | undefined;
  let bits = 0;
  let bitCount = 0;
  for (const byte of data) {
    bits |= byte << bitCount;
    bitCount += 8;
    while (bitCount >= width) {
      const code = bits & ((1 << width) - 1);
      bits >>>= width;
      bitCount -= width;
      if (code === end) return values.subarray(0, written);
      if (code === clear) {
        [next, width, previous] = [end + 1, literalWidth + 1, undefined];
        continue;
      }
      if (previous !== undefined && next < MAX_CODES) {
        codes.add(next, previous, code);
        next++;
        if (next === 1 << width && width < MAX_CODE_WIDTH) width++;
      }
      if (code >= (previous === undefined ? clear : next)) throw new Error('undefined code');
      written += codes.write(code, values, written);
      if (written >= size) return values;
      previous = code;
    }
  }
  return values.subarray(0, written);
}

/** Dictionary of codes. Each code stands for the values of an earlier code, plus one more. */
class CodeTable {
  readonly #prefix = new Uint16Array(MAX_CODES);
  readonly #last = new Uint8Array(MAX_CODES);
  readonly #first = new Uint8Array(MAX_CODES);
  readonly #length = new Uint16Array(MAX_CODES);

  constructor(literals: number) {
    for (let value = 0; value < literals; value++) {
      this.#last[value] = value;
      this.#first[value] = value;
      this.#length[value] = 1;
    }
  }

  /** Defines a code as the values of `prefix` plus the first value of `following`, which may be this code itself. */
  add(code: number, prefix: number, following: number): void {
    this.#prefix[code] = prefix;
    this.#first[code] = this.#first[prefix] ?? 0;
    this.#length[code] = (this.#length[prefix] ?? 0) + 1;
    this.#last[code] = this.#first[following] ?? 0;
  }

  /** Writes the values of a code, from last to first. Drops values past the end of the target. @returns the number of values of the code */
  write(code: number, target: Uint8Array, start: number): number {
    const length = this.#length[code] ?? 0;
    let from = code;
    for (let at = start + length - 1; at >= start; at--) {
      target[at] = this.#last[from] ?? 0;
      from = this.#prefix[from] ?? 0;
    }
    return length;
  }
}
