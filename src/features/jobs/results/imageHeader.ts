/* Formats and dimensions of images, read from the first bytes of their files. */

export interface ImageHeader {
  readonly format: 'PNG' | 'JPEG' | 'GIF' | 'WebP';
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** Returns the format and the dimensions of an image. Undefined if the bytes are in none of the known formats. */
export function imageHeader(bytes: Buffer): ImageHeader | undefined {
  const ascii = (start: number, end: number) => bytes.toString('latin1', start, end);
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n')
    return { format: 'PNG', ...size(bytes, 24, (b) => [b.readUInt32BE(16), b.readUInt32BE(20)]) };
  if (/^GIF8[79]a$/.test(ascii(0, 6)))
    return { format: 'GIF', ...size(bytes, 10, (b) => [b.readUInt16LE(6), b.readUInt16LE(8)]) };
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return { format: 'WebP', ...webpSize(bytes, ascii(12, 16)) };
  if (ascii(0, 3) === '\xff\xd8\xff') return { format: 'JPEG', ...jpegSize(bytes) };
  return undefined;
}

type Size = Pick<ImageHeader, 'width' | 'height'>;
const NO_SIZE: Size = { width: undefined, height: undefined };

/** @param length number of bytes that `read` requires */
function size(bytes: Buffer, length: number, read: (bytes: Buffer) => readonly [number, number]): Size {
  if (bytes.length < length) return NO_SIZE;
  const [width, height] = read(bytes);
  return { width, height };
}

function webpSize(bytes: Buffer, kind: string): Size {
  switch (kind) {
    case 'VP8 ':
      return size(bytes, 30, (b) => [b.readUInt16LE(26) & 0x3fff, b.readUInt16LE(28) & 0x3fff]);
    case 'VP8L':
      return size(bytes, 25, (b) => {
        const bits = b.readUInt32LE(21);
        return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
      });
    case 'VP8X':
      return size(bytes, 30, (b) => [b.readUIntLE(24, 3) + 1, b.readUIntLE(27, 3) + 1]);
    default:
      return NO_SIZE;
  }
}

/** Skips the segments of a JPEG file up to the frame header, which has the dimensions. */
function jpegSize(bytes: Buffer): Size {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return NO_SIZE;
}
