import * as z from 'zod';
import { DocumentAddresses } from '../../../kit/documents/address.ts';
import { RESPONSE_SCHEME } from '../requestShells.ts';

/** A request that was sent, and the connection that it belongs to. */
export interface ResponseAddress {
  readonly connectionId: string;
  readonly requestId: string;
}

/** Content of a document: the response, the log of a WebSocket, or the exact bytes of a body. */
export type ResponseContent = 'response' | 'log' | 'body';

const Address = z.object({
  connectionId: z.string(),
  requestId: z.string(),
  content: z.enum(['response', 'log', 'body']),
  /** Extension of a body's file. */
  extension: z
    .string()
    .regex(/^[a-z0-9]+$/)
    .optional(),
});

export type ResponseDocument = z.infer<typeof Address>;

const suffixes: Readonly<Record<ResponseContent, string>> = {
  response: '.response.http',
  log: '.websocket.log',
  body: '.body',
};

export const responseAddresses = new DocumentAddresses(
  RESPONSE_SCHEME,
  Address,
  ({ content, extension }) => suffixes[content] + (extension === undefined ? '' : `.${extension}`),
);

/** Returns the title of a request's documents, such as `GET v1-models`. */
export function titleOf({
  name,
  method,
  path,
}: {
  readonly name?: string | undefined;
  readonly method: string;
  readonly path: string;
}): string {
  return name ?? `${method} ${path.replace(/\?.*$/s, '').replace(/^\/+/, '')}`.trimEnd();
}
