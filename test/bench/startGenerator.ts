import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startChild } from './children.ts';
import { processorTime } from './processorTime.ts';

/** A load of POST requests. A status other than 200 is an error. */
export interface GeneratedLoad {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The same body for each request. */
  readonly body: string;
  /** Number of keep-alive connections, each with one request at a time. */
  readonly concurrency: number;
}

/** Times of a round, in seconds. */
export interface GeneratedRound {
  readonly duration: number;
  /** Processor time of the generator. */
  readonly processorTime: number;
}

/** Measurements of a server. */
export interface Measured {
  readonly requestsPerSecond: number;
  /** Processor time of the server per request, in µs. It depends less on other processes than the rate. */
  readonly microseconds: number;
}

/** Share of a processor that the generator may use. With a larger share, it would limit the rate. */
const MAX_GENERATOR_SHARE = 0.6;

/** Starts a load generator in a process of its own. @param pids processes of the server */
export function startGenerator(load: GeneratedLoad, pids: readonly number[]) {
  const program = path.join(import.meta.dirname, 'generator.ts');
  const child = startChild(process.execPath, ['--disable-warning=ExperimentalWarning', program], { errors: 'inherit' });
  const lines = createInterface({ input: child.process.stdout })[Symbol.asyncIterator]();
  child.process.stdin.write(`${JSON.stringify(load)}\n`);
  return {
    /** Sends a number of requests. @throws Error if the generator limits the rate */
    async measure(requests: number): Promise<Measured> {
      const before = processorTime(pids);
      child.process.stdin.write(`${requests}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error('The load generator ended early.');
      const round = JSON.parse(line.value) as GeneratedRound;
      const microseconds = (1e6 * (processorTime(pids) - before)) / requests;
      const share = round.processorTime / round.duration;
      if (share > MAX_GENERATOR_SHARE) {
        throw new Error(`The load generator was busy for ${(100 * share).toFixed(0)}% of the time.`);
      }
      return { requestsPerSecond: requests / round.duration, microseconds };
    },
    stop: child.stop,
  };
}
