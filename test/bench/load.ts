import { Agent, request } from 'node:http';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly requests: number;
  readonly concurrency: number;
}

/** POSTs that many times over kept connections and returns requests per second. Any status but 200 is an error. */
export async function requestsPerSecond({ url, headers, body, requests, concurrency }: Load): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  let left = requests;
  const post = () =>
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
  const lane = async () => {
    while (left-- > 0) await post();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return requests / seconds;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
