import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { decode, encode } from '../../../src/platform/images/codecs.ts';
import { EditError } from '../../../src/platform/images/picture.ts';
import { gradient, jpegOf, pictureOf, pixelAt, png, pngOf } from './support.ts';

const text = (content: string): Uint8Array => Buffer.from(content, 'latin1');

/** Adds an Exif block with this orientation to a JPEG. */
function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from(
    `457869660000 49492a0008000000 0100 1201 0300 01000000 0${orientation}000000 00000000`.replaceAll(' ', ''),
    'hex',
  );
  const length = Buffer.alloc(2);
  length.writeUInt16BE(exif.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, exif, jpeg.subarray(2)]);
}

/** A progressive JPEG of one block, with `scans` empty scans. */
function jpegWithScans(scans: number): Buffer {
  const quantization = [0xff, 0xdb, 0, 67, 0, ...Array<number>(64).fill(1)];
  const frame = [0xff, 0xc2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0];
  // The only code has one bit: end of block.
  const codes = [0xff, 0xc4, 0, 20, 0x10, 1, ...Array<number>(15).fill(0), 0];
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0x7f];
  const all = Array.from({ length: scans }, () => scan).flat();
  return Buffer.from([0xff, 0xd8, ...quantization, ...frame, ...codes, ...all, 0xff, 0xd9]);
}

describe('Image codecs', () => {
  it('encode and decode PNG without loss', () => {
    const picture = pictureOf(
      [
        [1, 2, 3, 4],
        [250, 128, 0, 255],
      ],
      [
        [0, 0, 0, 0],
        [9, 9, 9, 200],
      ],
    );
    assert.deepEqual(decode(pngOf(picture)), picture);
  });

  it('encode and decode JPEG with small errors, on a white background', () => {
    const back = decode(jpegOf(gradient(40, 30)));
    assert.deepEqual([back.width, back.height], [40, 30]);
    const [red = 0, green = 0, blue = 0] = pixelAt(back, 20, 15);
    assert.ok(
      Math.abs(red - 127) < 12 && Math.abs(green - 127) < 12 && Math.abs(blue - 128) < 12,
      `${red} ${green} ${blue}`,
    );
    assert.ok((pixelAt(decode(Buffer.from(encode(pictureOf([[0, 0, 0, 0]]), 'jpeg'))), 0, 0)[0] ?? 0) > 250);
  });

  it('apply the orientation in the Exif block', () => {
    const jpeg = jpegOf(gradient(16, 8));
    for (const [orientation, size] of [
      [1, [16, 8]],
      [3, [16, 8]],
      [6, [8, 16]],
      [8, [8, 16]],
    ] as const) {
      const { width, height } = decode(withOrientation(jpeg, orientation));
      assert.deepEqual([width, height], size, `orientation ${orientation}`);
    }
    // The red of the gradient grows to the right, and downward after the rotation.
    const turned = decode(withOrientation(jpeg, 6));
    assert.ok((pixelAt(turned, 4, 14)[0] ?? 0) > (pixelAt(turned, 4, 1)[0] ?? 0) + 100);
  });

  it('name the format of an unsupported file', () => {
    const kinds: readonly (readonly [bytes: Uint8Array, kind: RegExp])[] = [
      [text('RIFF\0\0\0\0WEBPVP8 '), /it is WebP/],
      [text('\0\0\0\x20ftypavif'), /it is AVIF/],
      [text('\0\0\0\x20ftypheic'), /it is HEIC/],
      [text('BM\x10\0\0\0\0\0\0\0'), /it is BMP/],
      [text('GIF89a'), /it is GIF/],
      [text('II*\0'), /it is TIFF/],
      [text('%PDF-1.7'), /it is PDF/],
      [text('<?xml version="1.0"?><svg xmlns="x">'), /it is SVG/],
      [text('\n<!DOCTYPE html><html>'), /it is an HTML page/],
      [text('{"error": 1}'), /it is JSON/],
      [text('hello'), /its format is unknown/],
      [text(''), /it is empty/],
    ];
    for (const [bytes, message] of kinds) assert.throws(() => decode(bytes), message);
  });

  it('refuse damaged files', () => {
    for (const [file, kind] of [
      [pngOf(gradient(8, 8)), 'PNG'],
      [jpegOf(gradient(8, 8)), 'JPEG'],
    ] as const) {
      for (const cut of [20, 30]) {
        assert.throws(() => decode(file.subarray(0, cut)), EditError, `${kind} cut at ${cut}`);
      }
    }
    assert.throws(() => decode(png(0, 5, deflateSync(''))), /no pixels|damaged/);
  });

  it('refuse a JPEG with too many scans', () => {
    assert.equal(decode(jpegWithScans(10)).width, 8);
    assert.throws(() => decode(jpegWithScans(1_000)), /damaged/);
  });

  it('refuse files that decompress to more than their declared size', () => {
    assert.throws(() => decode(png(60_000, 60_000, deflateSync('x'))), /too large: 60000x60000/);
    const bomb = deflateSync(Buffer.alloc(50_000_000));
    assert.throws(() => decode(png(1, 1, bomb, { interlaced: true })), /damaged/);
    assert.throws(() => decode(png(4, 4, deflateSync(Buffer.alloc(68)), { headers: 2 })), /damaged/);
    const before = process.memoryUsage().arrayBuffers;
    try {
      decode(png(1, 1, bomb));
    } catch (error) {
      assert.ok(error instanceof EditError);
    }
    assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000, 'decompresses at most the declared pixels');
  });
});
