import { parentPort } from 'node:worker_threads';
import { edit, type EditRequest } from './edit.ts';
import { captionFont } from './font.ts';
import { EditError } from './pixels/picture.ts';

/* Entry point of the image-editing thread. It handles one request at a time, and keeps the main thread free for other requests. */

export type EditAnswer =
  { readonly image: Uint8Array } | { readonly editError: string } | { readonly unexpectedError: string };

parentPort?.on('message', (request: EditRequest) => {
  parentPort?.postMessage(answerTo(request));
});

function answerTo(request: EditRequest): EditAnswer {
  try {
    return { image: edit(request, captionFont) };
  } catch (error) {
    if (error instanceof EditError) return { editError: error.message };
    return { unexpectedError: (error as Error).stack ?? String(error) };
  }
}
