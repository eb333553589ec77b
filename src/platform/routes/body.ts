import { Refusal } from '../domain/refusal.ts';
import type { RequestContext } from './app.ts';

/** The body as text. @throws Refusal 413 when it is larger than that many bytes; no more than that is ever held */
export async function readBody(context: RequestContext, maxBytes: number): Promise<string> {
  const tooLarge = (): Refusal => new Refusal(413, `the body is larger than ${maxBytes} bytes`);
  if (Number(context.req.header('Content-Length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body = context.req.raw.body as AsyncIterable<Uint8Array> | null;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
