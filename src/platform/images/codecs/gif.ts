import { blank, type Picture } from '../pixels/picture.ts';
import { unpackLzw } from './lzw.ts';

/* Decodes the first frame of a GIF and ignores the rest. */

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;

/** Passes of an interlaced frame: the first row of each pass, and the step between its rows. */
const PASSES: readonly (readonly [start: number, step: number])[] = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
];

/** @throws RangeError if the file is truncated; Error if its parts are inconsistent */
export function decodeGif(bytes: Uint8Array): Picture {
  const reader = new Reader(bytes);
  reader.skip(6);
  const [width, height] = [reader.word(), reader.word()];
  const flags = reader.byte();
  reader.skip(2);
  const globalPalette = reader.palette(flags);
  const transparent = transparentColor(reader);
  const frame = { x: reader.word(), y: reader.word(), width: reader.word(), height: reader.word() };
  if (frame.x + frame.width > width || frame.y + frame.height > height) throw new Error('frame exceeds the canvas');
  const frameFlags = reader.byte();
  const palette = reader.palette(frameFlags) ?? globalPalette;
  if (!palette) throw new Error('no palette');
  const literalWidth = reader.byte();
  const indices = unpackLzw(reader.blocks(), literalWidth, frame.width * frame.height);

  const picture = blank(width, height);
  const rows = (frameFlags & 0x40) === 0 ? undefined : interlacedRows(frame.height);
  indices.forEach((index, at) => {
    const color = index * 3;
    // Missing pixels, and pixels whose color is not in the palette, stay transparent.
    if (index === transparent || color + 3 > palette.length) return;
    const row = Math.floor(at / frame.width);
    const target = ((frame.y + (rows?.[row] ?? row)) * width + frame.x + (at % frame.width)) * 4;
    picture.data[target] = palette[color] ?? 0;
    picture.data[target + 1] = palette[color + 1] ?? 0;
    picture.data[target + 2] = palette[color + 2] ?? 0;
    picture.data[target + 3] = 255;
  });
  return picture;
}

/** Reads the blocks before the first frame. @returns the palette index of the transparent color */
function transparentColor(reader: Reader): number | undefined {
  let transparent: number | undefined;
  for (let kind = reader.byte(); kind !== IMAGE; kind = reader.byte()) {
    if (kind !== EXTENSION) throw new Error('neither an extension nor a frame');
    const isControl = reader.byte() === GRAPHIC_CONTROL;
    const [flags = 0, , , index] = reader.blocks();
    if (isControl) transparent = (flags & 1) === 1 ? index : undefined;
  }
  return transparent;
}

const interlacedRows = (height: number): number[] =>
  PASSES.flatMap(([start, step]) =>
    Array.from({ length: Math.max(0, Math.ceil((height - start) / step)) }, (_, index) => start + index * step),
  );

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#take(1)[0] ?? 0;
  }

  word(): number {
    return this.byte() | (this.byte() << 8);
  }

  skip(length: number): void {
    this.#take(length);
  }

  /** Reads the palette. The flags contain its size, and state whether it exists. */
  palette(flags: number): Uint8Array | undefined {
    return (flags & 0x80) === 0 ? undefined : this.#take(3 * 2 ** ((flags & 7) + 1));
  }

  /** Reads length-prefixed blocks up to an empty one, and returns their contents. */
  blocks(): Uint8Array {
    const blocks: Uint8Array[] = [];
    for (let length = this.byte(); length > 0; length = this.byte()) blocks.push(this.#take(length));
    return Buffer.concat(blocks);
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('the file ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
