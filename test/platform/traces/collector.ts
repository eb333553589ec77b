import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterwards, eventually } from '../support.ts';
import { validSpans, type OtlpSpan } from './otlpSchema.ts';

/** Responds to an export. */
type Respond = (response: ServerResponse) => void;

const accept: Respond = (response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');

/** Starts a receiver of OTLP/HTTP, which validates each request with the published schema, and accepts it by default. */
export async function collector(respond: (request: number) => Respond = () => accept) {
  const spans: OtlpSpan[] = [];
  const failures: unknown[] = [];
  const requests: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests.push({ path: request.url, headers: request.headers });
      try {
        const received = validSpans(Buffer.concat(parts).toString());
        response.on('finish', () => {
          if (response.statusCode === 200) spans.push(...received);
        });
        respond(requests.length)(response);
      } catch (error) {
        failures.push(error);
        response.writeHead(400).end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    url: `${base}/v1/traces`,
    spans,
    requests,
    /** Waits for a span. @throws the first violation of the schema */
    span: (what: string, matches: (span: OtlpSpan) => boolean): Promise<OtlpSpan> =>
      eventually(`the collector has ${what}`, () => {
        if (failures.length > 0) throw failures[0] as Error;
        return spans.find(matches);
      }),
  };
}

export const respondWith =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(status, headers).end();

export { accept };

/** Returns the attributes of a span. */
export const attributesOf = ({ attributes }: OtlpSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
