import { writeFile } from 'node:fs/promises';
import gifenc from 'gifenc';
import { PNG } from 'pngjs';

const { GIFEncoder, applyPalette, quantize } = gifenc;

/** Last of the 256 colors of a frame. It is transparent. */
const UNCHANGED = 255;
/** GIF disposal method that leaves the frame in place. */
const KEEP = 1;

/** One picture of an animation. */
interface Frame {
  readonly png: Uint8Array;
  /** Time that the frame is shown, in ms. */
  readonly ms: number;
}

/** Collects screenshots and writes them as an animated GIF. */
export class Animation {
  readonly #frames: Frame[] = [];

  /** Adds a frame. All frames have the size of the first one. */
  add(png: Uint8Array, ms: number): void {
    this.#frames.push({ png, ms });
  }

  async write(file: string): Promise<void> {
    const frames = this.#frames.map(({ png, ms }) => ({ ...PNG.sync.read(Buffer.from(png)), ms }));
    const format = 'rgb565';
    // All frames share a palette. With a palette for each frame, changed pixels differ slightly from unchanged ones of the same color.
    const palette = quantize(new Uint8Array(Buffer.concat(frames.map(({ data }) => data))), UNCHANGED, { format });
    const padding = Array.from({ length: UNCHANGED + 1 - palette.length }, () => [0, 0, 0]);
    const gif = GIFEncoder();
    let before: Uint32Array | undefined;
    for (const { data, width, height, ms } of frames) {
      const rgba = new Uint8Array(data);
      const pixels = new Uint32Array(rgba.buffer);
      const indexes = applyPalette(rgba, palette, format);
      if (before) markUnchanged(indexes, pixels, before);
      gif.writeFrame(indexes, width, height, {
        palette: [...palette, ...padding],
        delay: ms,
        transparent: before !== undefined,
        transparentIndex: UNCHANGED,
        dispose: KEEP,
      });
      before = pixels;
    }
    gif.finish();
    await writeFile(file, gif.bytes());
  }
}

/** Shows the previous frame through unchanged pixels. Long runs of one index compress well. */
function markUnchanged(indexes: Uint8Array, pixels: Uint32Array, before: Uint32Array): void {
  for (let index = 0; index < pixels.length; index++) if (pixels[index] === before[index]) indexes[index] = UNCHANGED;
}
