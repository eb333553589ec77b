import net from 'node:net';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  /** undefined if the connection was closed without a response. */
  readonly status: number | undefined;
  readonly type: string;
  readonly body: string;
}

/** Maximum time until the response, in ms. Some operations are documented to wait. */
const LIMIT_MS = 15_000;

/** Writes the request to a socket, because HTTP clients reject most malformed requests. */
export function exchange(port: number, key: string, request: FuzzRequest): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no response within ${LIMIT_MS} ms`));
    }, LIMIT_MS);
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseAnswer(Buffer.concat(chunks).toString('utf8')));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // An event stream never ends, so its first chunk is enough.
      if (chunk.includes('text/event-stream') || chunk.includes('100 Continue')) finish();
    });
    socket.on('error', () => undefined);
    socket.on('close', finish);
    socket.write(wire(port, key, request), () => undefined);
  });
}

const CLEAN = /[\0\r\n]/g;

function wire(port: number, key: string, { method, target, headers, body, brokenChunks }: FuzzRequest): Buffer {
  const fields = new Map<string, string>([
    ['Host', `127.0.0.1:${port}`],
    ['Authorization', `Bearer ${key}`],
    ['Connection', 'close'],
  ]);
  if (body !== undefined && !brokenChunks)
    fields.set('Content-Type', 'application/json').set('Content-Length', String(body.length));
  if (brokenChunks) fields.set('Transfer-Encoding', 'chunked');
  for (const [name, value] of headers) fields.set(name === 'X-Fuzz-Host' ? 'Host' : name, value.replace(CLEAN, ''));
  const head = [...fields].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const line = `${method} ${target.replace(/[\0\r\n ]/g, '+')} HTTP/1.1\r\n`;
  const content = brokenChunks ? Buffer.concat([Buffer.from('5\r\n{"a":\r\nzz\r\n'), body ?? Buffer.alloc(0)]) : body;
  return Buffer.concat([Buffer.from(`${line}${head}\r\n`, 'utf8'), content ?? Buffer.alloc(0)]);
}

function parseAnswer(text: string): FuzzAnswer {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const type = /^content-type: *([^;\r\n]*)/im.exec(head)?.[1] ?? '';
  const chunked = /^transfer-encoding: *chunked/im.test(head);
  const body = text.slice(end + 4);
  return { status: status === undefined ? undefined : Number(status), type, body: chunked ? unchunked(body) : body };
}

function unchunked(body: string): string {
  return body.replace(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n(\r\n)?/gi, '');
}
