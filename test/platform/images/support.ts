import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { encode } from '../../../src/platform/images/codecs/encode.ts';
import type { Picture } from '../../../src/platform/images/pixels/picture.ts';
import { afterwards } from '../support.ts';

export type Pixel = readonly [red: number, green: number, blue: number, alpha?: number];

/** A small picture from its rows of pixels. */
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

/** Every pixel another colour, smooth enough for a JPEG. */
export function gradient(width: number, height: number): Picture {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    data.set([((at % width) * 255) / width, (Math.floor(at / width) * 255) / height, 128, 255], at * 4);
  }
  return { width, height, data };
}

export const pngOf = (picture: Picture): Buffer => Buffer.from(encode(picture, 'png'));
export const jpegOf = (picture: Picture): Buffer => Buffer.from(encode(picture, 'jpeg'));

/** A real server, closed by `cleanUp`; returns its origin. */
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
