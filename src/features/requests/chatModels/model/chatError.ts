/**
 * Reason why a chat has no complete answer, although the platform responded.
 *
 * - `paused`: the endpoint allows no worker.
 * - `worker`: the worker sent an error. The detail is its message.
 * - `toolArguments`: the arguments of a tool call are not a JSON object. The detail is the name of the tool.
 * - `length`: the answer reached the maximum number of tokens.
 * - `filtered`: the worker withheld content.
 * - `empty`: the answer has no content.
 * - `notChat`: the response is not an answer of an OpenAI-compatible server.
 * - `images`: a message contains an image, and the model does not accept any. The detail is the type of the image.
 */
export type ChatErrorCode =
  'paused' | 'worker' | 'toolArguments' | 'length' | 'filtered' | 'empty' | 'notChat' | 'images';

export class ChatError extends Error {
  readonly code: ChatErrorCode;
  readonly detail: string;

  constructor(code: ChatErrorCode, detail = '') {
    super(detail === '' ? code : `${code}: ${detail}`);
    this.name = 'ChatError';
    this.code = code;
    this.detail = detail;
  }
}
