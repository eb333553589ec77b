import http from 'node:http';
import { duplexPair } from 'node:stream';

export interface Received {
  readonly status: number;
  /** Parsed JSON; undefined for a response without a body. */
  readonly body: unknown;
}

/** A request that has been sent. */
export interface Sent {
  /** Rejects if the connection ends without a response. */
  readonly received: Promise<Received>;
  readonly hangUp: () => void;
}

/** An HTTP server without a network. Its connections are pairs of streams, so that everything happens within turns of the event loop. */
export class LocalServer {
  readonly #server: http.Server;

  constructor(listener: http.RequestListener) {
    this.#server = http.createServer(listener);
  }

  send(method: string, path: string, { body, headers }: { body?: unknown; headers: Record<string, string> }): Sent {
    const [near, far] = duplexPair();
    this.#server.emit('connection', far);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const request = http.request({
      ...{ method, path, createConnection: () => near },
      headers: { ...headers, ...length },
    });
    request.end(text);
    const received = new Promise<Received>((resolve, reject) => {
      request.once('error', reject);
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: answer === '' ? undefined : JSON.parse(answer) });
        });
      });
    });
    received.catch(() => undefined);
    const hangUp = (): void => {
      request.destroy();
      far.destroy();
    };
    return { received, hangUp };
  }
}
