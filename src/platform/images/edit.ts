import type { ImageFormat } from '../../contract/imageEdit.ts';
import { decode } from './codecs/decode.ts';
import { encode } from './codecs/encode.ts';
import type { Font } from './pixels/caption.ts';
import { randomOf } from './pixels/random.ts';
import { understand } from './prompt/understand.ts';

/** One edit of one image. It can be sent to a worker thread. */
export interface EditRequest {
  readonly image: Uint8Array;
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly seed: number;
  readonly format: ImageFormat;
}

/** Returns the edited image as a file. Equal requests return equal bytes. @throws EditError */
export function edit({ image, prompt, negativePrompt, seed, format }: EditRequest, font: () => Font): Uint8Array {
  const steps = understand(prompt, negativePrompt);
  const tools = { random: randomOf(seed), font };
  return encode(
    steps.reduce((picture, step) => step.edit(picture, tools), decode(image)),
    format,
  );
}
