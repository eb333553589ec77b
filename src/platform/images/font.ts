import { readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import type { Font } from './pixels/caption.ts';

let font: Font | undefined;

/** Returns the font of captions, which is read on first use. The build copies the font folder next to the bundle. */
export function captionFont(): Font {
  font ??= readFont();
  return font;
}

function readFont(): Font {
  const folder = new URL('./font/', import.meta.url);
  const { width, height, data } = PNG.sync.read(readFileSync(new URL('openSans.png', folder)));
  const coverage = Uint8Array.from({ length: width * height }, (_, at) => data[at * 4] ?? 0);
  const measures = JSON.parse(readFileSync(new URL('openSans.json', folder), 'utf8')) as Pick<
    Font,
    'lineHeight' | 'glyphs'
  >;
  return { ...measures, width, coverage };
}
