import * as z from 'zod';
import { parseJson } from '../../../contract/parsedJson.ts';
import type { HttpHeader, ResolvedRequest } from '../model/httpFile.ts';
import { hasSecret, isSecretHeader, withoutSecretValues } from '../../../text/secretText.ts';

/** Maximum size of a stored response body, in bytes. */
export const MAX_STORED_BODY_BYTES = 256 * 1024;
/** Maximum size of the headers and the body of a stored request, in UTF-16 code units. */
const MAX_STORED_REQUEST_LENGTH = 16 * 1024;
/** Maximum size of all stored files of a connection, in bytes. */
export const MAX_STORED_TOTAL_BYTES = 16 * 1_048_576;

/** A folder of files. */
export interface Folder {
  /** Resolves with undefined if there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  write(name: string, content: Uint8Array): Promise<void>;
  /** Does nothing if there is no such file. */
  remove(name: string): Promise<void>;
  list(): Promise<readonly { readonly name: string; readonly size: number; readonly mtime: number }[]>;
}

const Header = z.object({ name: z.string(), value: z.string() });

const Stored = z.object({
  statusText: z.string(),
  headers: z.array(Header),
  hasBody: z.boolean(),
  /** Headers and body of the request. Omitted if they are large or contain a value that looks like a secret. */
  request: z
    .object({
      headers: z.array(Header),
      body: z
        .discriminatedUnion('kind', [
          z.object({ kind: z.literal('text'), text: z.string() }),
          z.object({ kind: z.literal('file'), path: z.string() }),
        ])
        .optional(),
    })
    .optional(),
});

/** Stored parts of a request and its response, beside the entry of the history. */
export interface StoredExchange {
  readonly statusText: string;
  readonly headers: readonly HttpHeader[];
  /** Undefined if the body was too large or contains a value that looks like a secret. */
  readonly body: Uint8Array | undefined;
  readonly request: Pick<ResolvedRequest, 'headers' | 'body'> | undefined;
}

interface NewExchange {
  readonly request: ResolvedRequest;
  readonly head: { readonly statusText: string; readonly headers: readonly HttpHeader[] } | undefined;
  readonly body: Uint8Array;
}

const headName = (id: string) => `${id}.json`;
const bodyName = (id: string) => `${id}.body`;

/** Stores requests and responses of one connection as files. Values that look like secrets are not stored. */
export class ExchangeFiles {
  readonly #folder: Folder;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  async put(id: string, { request, head, body }: NewExchange): Promise<void> {
    const hasBody = body.length <= MAX_STORED_BODY_BYTES && !hasSecret(new TextDecoder('latin1').decode(body));
    const stored: z.input<typeof Stored> = {
      statusText: head?.statusText ?? '',
      headers: (head?.headers ?? []).filter((header) => !isSecretHeader(header)),
      hasBody,
      request: storable(request),
    };
    if (hasBody) await this.#folder.write(bodyName(id), body);
    await this.#folder.write(headName(id), new TextEncoder().encode(JSON.stringify(stored)));
    await this.#trim();
  }

  async read(id: string): Promise<StoredExchange | undefined> {
    const bytes = await this.#folder.read(headName(id));
    const parsed = bytes && Stored.safeParse(parseJson(new TextDecoder().decode(bytes)));
    if (!parsed?.success) return undefined;
    const { statusText, headers, hasBody, request } = parsed.data;
    const body = hasBody ? await this.#folder.read(bodyName(id)) : undefined;
    return { statusText, headers, body, request: request && { headers: request.headers, body: request.body } };
  }

  async remove(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.flatMap((id) => [headName(id), bodyName(id)]).map((name) => this.#folder.remove(name)));
  }

  /** Removes the oldest files until the others are small enough together. */
  async #trim(): Promise<void> {
    const files = [...(await this.#folder.list())].sort((a, b) => b.mtime - a.mtime);
    let total = 0;
    for (const { name, size } of files) {
      total += size;
      if (total > MAX_STORED_TOTAL_BYTES) await this.#folder.remove(name);
    }
  }
}

/** Returns the parts of a request that may be stored, or undefined if it could not be sent again with them. */
function storable({ path, headers, body }: ResolvedRequest): Pick<z.input<typeof Stored>, 'request'>['request'] {
  const own = headers.filter(({ name }) => name.toLowerCase() !== 'authorization');
  const text = body?.kind === 'text' ? body.text : '';
  const length = own.reduce((sum, { name, value }) => sum + name.length + value.length, text.length);
  const isSecret = own.some(isSecretHeader) || hasSecret(text) || withoutSecretValues(path) !== path;
  if (isSecret || length > MAX_STORED_REQUEST_LENGTH) return undefined;
  return { headers: own, ...(body && { body }) };
}
