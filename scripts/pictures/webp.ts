import gifenc from 'gifenc';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';

const { applyPalette, quantize } = gifenc;

const FORMAT = { format: 'rgb565' } as const;
const BYTES_PER_PIXEL = 4;

export interface WebpOptions {
  /** Number of different colors. Few colors make a screenshot of text small, and keep it sharp. */
  readonly colors: number;
  /** Width of the result in pixels. The height follows. */
  readonly width: number;
}

/** Rows of pixels: `from` and those below it, before `to`. */
export interface Rows {
  readonly from: number;
  readonly to: number;
}

/** Returns a PNG without some of its rows. */
export function withoutRows(png: Buffer, rows: Rows): Buffer {
  const { width, height, data } = PNG.sync.read(png);
  const [from, to] = [Math.round(rows.from), Math.round(rows.to)];
  const rest = new PNG({ width, height: height - (to - from) });
  const rowBytes = width * BYTES_PER_PIXEL;
  data.copy(rest.data, 0, 0, from * rowBytes);
  data.copy(rest.data, from * rowBytes, to * rowBytes);
  return PNG.sync.write(rest);
}

/** Converts a PNG to lossless WebP in the browser of a page, because the screenshots of the browser are PNG or JPEG. */
export async function webpOf(page: Page, png: Buffer, { colors, width }: WebpOptions): Promise<Buffer> {
  // A page of its own, because the content security policy of the editor rejects the conversion.
  const own = await page.context().newPage();
  const convert = async (source: Buffer, type: string): Promise<Buffer> => {
    const to = { source: `data:image/png;base64,${source.toString('base64')}`, type, width };
    return Buffer.from(await own.evaluate<string>(`(${convertInBrowser})(${JSON.stringify(to)})`), 'base64');
  };
  try {
    return await convert(withPalette(await convert(png, 'image/png'), colors), 'image/webp');
  } finally {
    await own.close();
  }
}

/** Reduces the colors of a PNG. */
function withPalette(png: Buffer, colors: number): Buffer {
  const picture = PNG.sync.read(png);
  const palette = quantize(new Uint8Array(picture.data), colors, FORMAT);
  const indexes = applyPalette(new Uint8Array(picture.data), palette, FORMAT.format);
  for (const [pixel, index] of indexes.entries()) {
    const [red = 0, green = 0, blue = 0] = palette[index] ?? [];
    picture.data.set([red, green, blue], pixel * BYTES_PER_PIXEL);
  }
  return PNG.sync.write(picture);
}

/** Function that runs in the browser, as text. It returns the picture in Base64. */
const convertInBrowser = `async ({ source, type, width }) => {
  const image = await createImageBitmap(await (await fetch(source)).blob());
  const canvas = new OffscreenCanvas(width, Math.round((image.height * width) / image.width));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  // Chromium writes lossless WebP at the quality 1.
  const blob = await canvas.convertToBlob({ type, quality: 1 });
  let text = '';
  for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}`;
