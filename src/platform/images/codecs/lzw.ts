/* The compression of GIF files (LZW with codes of a growing width). */

const MOST_CODES = 4096;
const WIDEST_CODE = 12;

/**
 * Unpacks at most `size` values, fewer when the data ends before. Each code adds at least one value and refers to a code before it, so
 * the work is bounded by the length of the data and `size`, whatever the data says.
 *
 * @param literalWidth bits of a value, 1 to 8
 * @throws Error for a code that stands for nothing
 */
export function unpackLzw(data: Uint8Array, literalWidth: number, size: number): Uint8Array {
  if (literalWidth < 1 || literalWidth > 8) throw new Error('a code width that GIF does not have');
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
      if (previous !== undefined && next < MOST_CODES) {
        codes.add(next, previous, code);
        next++;
        if (next === 1 << width && width < WIDEST_CODE) width++;
      }
      if (code >= (previous === undefined ? clear : next)) throw new Error('a code that stands for nothing');
      written += codes.write(code, values, written);
      if (written >= size) return values;
      previous = code;
    }
  }
  return values.subarray(0, written);
}

/** What each code stands for: the values of an earlier code, and one more. */
class CodeTable {
  readonly #prefix = new Uint16Array(MOST_CODES);
  readonly #last = new Uint8Array(MOST_CODES);
  readonly #first = new Uint8Array(MOST_CODES);
  readonly #length = new Uint16Array(MOST_CODES);

  constructor(literals: number) {
    for (let value = 0; value < literals; value++) {
      this.#last[value] = value;
      this.#first[value] = value;
      this.#length[value] = 1;
    }
  }

  /** The code stands for what `prefix` does, and the first value of `following`, which may be this code itself. */
  add(code: number, prefix: number, following: number): void {
    this.#prefix[code] = prefix;
    this.#first[code] = this.#first[prefix] ?? 0;
    this.#length[code] = (this.#length[prefix] ?? 0) + 1;
    this.#last[code] = this.#first[following] ?? 0;
  }

  /** Writes what the code stands for, from its end. Values beyond the end of the target are lost. @returns how many there are */
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
