import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { encode } from '../../../src/platform/images/codecs.ts';
import type { Picture } from '../../../src/platform/images/picture.ts';
import { understand } from '../../../src/platform/images/prompt.ts';
import { afterwards } from '../support.ts';

export type Pixel = readonly [red: number, green: number, blue: number, alpha?: number];

/** Builds a picture from rows of pixels. */
export function pictureOf(...rows: readonly (readonly Pixel[])[]): Picture {
  const pixels = rows.flat().map(([red, green, blue, alpha = 255]) => [red, green, blue, alpha]);
  return { width: rows[0]?.length ?? 0, height: rows.length, data: Uint8ClampedArray.from(pixels.flat()) };
}

export function pixelsOf({ width, height, data }: Picture): number[][][] {
  return Array.from({ length: height }, (_row, y) =>
    Array.from({ length: width }, (_pixel, x) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]),
  );
}

export function pixelAt({ width, data }: Picture, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** Applies a prompt to a picture. */
export function edited(picture: Picture, prompt: string, seed = 1): Picture {
  return understand(prompt).reduce((before, apply) => apply(before, seed), picture);
}

/** Returns a gradient in which every pixel has its own color. It is smooth enough for JPEG. */
export function gradient(width: number, height: number): Picture {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    data.set([((at % width) * 255) / width, (Math.floor(at / width) * 255) / height, 128, 255], at * 4);
  }
  return { width, height, data };
}

export const pngOf = (picture: Picture): Buffer => Buffer.from(encode(picture, 'png'));
export const jpegOf = (picture: Picture): Buffer => Buffer.from(encode(picture, 'jpeg'));

/** Builds a PNG from parts that may be inconsistent. */
export function png(width: number, height: number, packed: Buffer, { interlaced = false, headers = 1 } = {}): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, interlaced ? 1 : 0], 8);
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const first = Array.from({ length: headers }, () => chunk('IHDR', header));
  return Buffer.concat([start, ...first, chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

/** Starts an HTTP server, which `cleanUp` closes. @returns its origin */
export async function imageServer(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  afterwards(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
