import { parentPort } from 'node:worker_threads';
import type { ImageFormat } from '../../contract/imageEdit.ts';
import { decode, encode } from './codecs.ts';
import { EditError } from './picture.ts';
import { understand } from './prompt.ts';

/* Entry point of the image-editing thread. It handles one request at a time, and keeps the main thread free for other requests. */

/** One edit of one image. */
export interface EditRequest {
  readonly image: Uint8Array;
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly seed: number;
  readonly format: ImageFormat;
}

export type EditAnswer =
  { readonly image: Uint8Array } | { readonly editError: string } | { readonly unexpectedError: string };

parentPort?.on('message', (request: EditRequest) => {
  parentPort?.postMessage(answerTo(request));
});

function answerTo(request: EditRequest): EditAnswer {
  try {
    return { image: edit(request) };
  } catch (error) {
    if (error instanceof EditError) return { editError: error.message };
    return { unexpectedError: (error as Error).stack ?? String(error) };
  }
}

/** Returns the edited image as a file. Equal requests return equal bytes. @throws EditError */
export function edit({ image, prompt, negativePrompt, seed, format }: EditRequest): Uint8Array {
  const edits = understand(prompt, negativePrompt);
  return encode(
    edits.reduce((picture, apply) => apply(picture, seed), decode(image)),
    format,
  );
}
