/** Returns whether a GIF or PNG file has several frames. A damaged file counts as not animated. */
export function isAnimated(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return file.toString('latin1', 0, 3) === 'GIF' ? hasSeveralFrames(file) : hasAnimationChunk(file);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const IMAGE = 0x2c;
const EXTENSION = 0x21;

/** Walks over the blocks of a GIF up to its second frame. */
function hasSeveralFrames(file: Buffer): boolean {
  let frames = 0;
  for (let at = 13 + colorTableBytes(file.readUInt8(10)); at < file.length;) {
    const block = file.readUInt8(at);
    if (block === IMAGE) {
      if (++frames > 1) return true;
      at = afterSubBlocks(file, at + 11 + colorTableBytes(file.readUInt8(at + 9)));
    } else if (block === EXTENSION) at = afterSubBlocks(file, at + 2);
    else return false;
  }
  return false;
}

/** @param flags byte with the flag of the table in its highest bit, and its size in the lowest three bits */
function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function afterSubBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let length = file.readUInt8(at); length > 0; length = file.readUInt8(at)) at += length + 1;
  return at + 1;
}

const PNG_SIGNATURE_BYTES = 8;

/** Looks for the chunk `acTL`, which is before the pixels of an animated PNG. */
function hasAnimationChunk(file: Buffer): boolean {
  if (file.toString('latin1', 1, 4) !== 'PNG') return false;
  for (let at = PNG_SIGNATURE_BYTES; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
  }
  return false;
}
