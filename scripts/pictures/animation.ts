import { writeFile } from 'node:fs/promises';
import gifenc from 'gifenc';
import { PNG } from 'pngjs';

const { GIFEncoder, applyPalette, quantize } = gifenc;

/** Maximum number of colors of a GIF. All frames share them. */
const MAX_COLORS = 256;
const FORMAT = { format: 'rgb565' } as const;

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
    const frames = this.#frames.map(({ png, ms }) => {
      const { data, width, height } = PNG.sync.read(Buffer.from(png));
      return { data, width, height, ms };
    });
    const palette = quantize(new Uint8Array(Buffer.concat(frames.map(({ data }) => data))), MAX_COLORS, FORMAT);
    const gif = GIFEncoder();
    for (const { data, width, height, ms } of frames) {
      gif.writeFrame(applyPalette(new Uint8Array(data), palette, FORMAT.format), width, height, { palette, delay: ms });
    }
    gif.finish();
    await writeFile(file, gif.bytes());
  }
}
