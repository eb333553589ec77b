/* Encodes GIF files, including malformed ones. */

interface Frame {
  /** Pixels row by row, as palette indices. */
  readonly indices?: ArrayLike<number>;
  /** Compressed data to use instead of the packed indices. */
  readonly packed?: readonly number[];
  readonly literalWidth?: number;
  readonly transparent?: number;
  readonly interlaced?: boolean;
}

/** A GIF of one frame. The number of colors in the palette must be a power of 2, at least 4. */
export function gifOf(palette: readonly (readonly number[])[], width: number, height: number, frame: Frame): Buffer {
  const size = Math.log2(palette.length);
  const { indices = [], literalWidth = size, transparent, interlaced = false } = frame;
  const packed = frame.packed ?? packLzw(indices, literalWidth);
  const control = transparent === undefined ? [] : [0x21, 0xf9, 4, 1, 0, 0, transparent, 0];
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([...word(width), ...word(height), 0x80 | (size - 1), 0, 0, ...palette.flat(), ...control]),
    Buffer.from([0x2c, 0, 0, 0, 0, ...word(width), ...word(height), interlaced ? 0x40 : 0, literalWidth]),
    ...blocksOf(packed),
    Buffer.from([0, 0x3b]),
  ]);
}

const word = (value: number): number[] => [value & 255, value >> 8];

function blocksOf(data: readonly number[]): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.slice(at, at + 255);
    blocks.push(Buffer.from([block.length, ...block]));
  }
  return blocks;
}

/** Packs codes of the given widths, least significant bit first. */
export function packCodes(codes: readonly number[], widths: readonly number[]): number[] {
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  codes.forEach((code, at) => {
    bits |= code << count;
    count += widths[at] ?? 0;
    for (; count >= 8; count -= 8, bits >>>= 8) bytes.push(bits & 255);
  });
  return count > 0 ? [...bytes, bits & 255] : bytes;
}

function packLzw(indices: ArrayLike<number>, literalWidth: number): number[] {
  const clear = 2 ** literalWidth;
  const [codes, widths]: [number[], number[]] = [[], []];
  let table = new Map<string, number>();
  let width = literalWidth + 1;
  const put = (code: number): void => void (codes.push(code), widths.push(width));
  const codeOf = (text: string): number => table.get(text) ?? Number(text);
  put(clear);
  let text = '';
  for (const index of Array.from(indices)) {
    const longer = text === '' ? String(index) : `${text},${index}`;
    if (text === '' || table.has(longer)) {
      text = longer;
      continue;
    }
    put(codeOf(text));
    const next = clear + 2 + table.size;
    if (next < 4096) {
      table.set(longer, next);
      if (next === 2 ** width && width < 12) width++;
    } else {
      put(clear);
      table = new Map();
      width = literalWidth + 1;
    }
    text = String(index);
  }
  if (text !== '') put(codeOf(text));
  put(clear + 1);
  return packCodes(codes, widths);
}
