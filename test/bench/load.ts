import { Agent, request } from 'node:http';

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of keep-alive connections. */
  readonly concurrency: number;
}

export interface Load extends Target {
  readonly body: string;
  readonly requests: number;
}

/** Creates a client that sends POST requests over keep-alive connections. A status other than 200 is an error. */
export function poster({ url, headers, concurrency }: Target) {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const send = (body: string) =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } });
      outgoing.on('response', (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${url} answered ${response.statusCode ?? 'nothing'}`));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/** Sends a number of POST requests and resolves with the requests per second. */
export async function requestsPerSecond({ body, requests, ...target }: Load): Promise<number> {
  const { send, close } = poster(target);
  let left = requests;
  const lane = async () => {
    while (left-- > 0) await send(body);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: target.concurrency }, lane));
  const seconds = (performance.now() - start) / 1000;
  close();
  return requests / seconds;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
