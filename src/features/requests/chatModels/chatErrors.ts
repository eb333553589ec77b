import { ApiError, type ErrorKind } from '../../../client/apiError.ts';
import { explain } from '../../../kit/explain.ts';
import { modelError, type ModelErrorKind } from '../../../kit/languageModels.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { NotConnectedError } from '../../../account/connections/requireConnection.ts';
import { ChatError, type ChatErrorCode } from './model/chatError.ts';

/* The message of each error of a chat, and its kind for the extension that asked. */

const explanations: Readonly<Record<ChatErrorCode, (detail: string) => ShownText>> = {
  paused: () => shown`the endpoint is paused: it allows no workers. Run “Scale…” on it to allow one`,
  worker: (detail) => shown`the worker reported an error (${detail})`,
  toolArguments: (detail) =>
    shown`the model called the tool “${detail}” with arguments that are not a JSON object. Try again, or use a model that supports tools`,
  length: () =>
    shown`the answer reached the maximum number of tokens and is not complete. Ask for a shorter answer, or shorten the chat`,
  filtered: () => shown`the worker withheld the answer because of its content`,
  empty: () => shown`the model gave an empty answer`,
  notChat: () =>
    shown`the response is not an answer of an OpenAI-compatible worker. The worker log can show the reason`,
  images: (detail) =>
    shown`the model does not accept images (${detail}). Run “Use Endpoint as Chat Model…” again if it does`,
};

const kinds: Readonly<Partial<Record<ErrorKind, ModelErrorKind>>> = {
  notFound: 'notFound',
  unauthorized: 'noPermissions',
  forbidden: 'noPermissions',
  rateLimited: 'blocked',
};

/** Returns the error that the chat shows. */
export function errorForChat(error: unknown, modelName: string): Error {
  const attempt = shown`“${modelName}” could not answer`;
  if (error instanceof ChatError) {
    const kind = error.code === 'filtered' ? 'blocked' : 'other';
    return modelError(kind, shown`${attempt}: ${explanations[error.code](error.detail)}.`);
  }
  const kind =
    error instanceof ApiError ? kinds[error.kind] : error instanceof NotConnectedError ? 'notFound' : undefined;
  return modelError(kind ?? 'other', explain(error, attempt));
}
