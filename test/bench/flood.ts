import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { operations } from '../../src/contract/operations.ts';
import { LAST_EVENT_ID_HEADER } from '../../src/contract/workerLogs.ts';
import { answerTimesDuring } from './askers.ts';
import { report } from './compare.ts';
import {
  authorization,
  LINE,
  logRequest,
  startLogPlatform,
  startPrinter,
  type LogPlatform,
  type Printer,
} from './logPrinter.ts';

const LINES = 1_000_000;
const QUIET_MS = 2_000;
/** A cursor that precedes all lines. */
const BEGINNING = '1970-01-01T00:00:00Z';

/** Reads a million log lines twice. Checks that no line is lost or reordered, and measures request latency and memory. */
export async function run(): Promise<void> {
  const platform = await startLogPlatform();
  try {
    const quiet = await answerTimes(platform, () => new Promise((resolve) => setTimeout(resolve, QUIET_MS)));
    for (const round of ['first', 'second']) {
      const before = await residentMegabytes(platform.pid);
      const worker = await startPrinter(platform, LINES);
      const start = performance.now();
      const busy = await answerTimes(platform, async () => {
        await worker.go();
        await readAll(platform, worker, LINES);
      });
      const rate = LINES / ((performance.now() - start) / 1000);
      const memory = `${before} MB before, ${await residentMegabytes(platform.pid)} MB after`;
      report({ name: `${round} million lines, read in order`, unit: 'lines/s', ours: [rate], note: memory });
      for (const [name, part] of [
        ['median', 0.5],
        ['99th percentile', 0.99],
        ['longest', 1],
      ] as const) {
        report({
          name: `request under load / when idle, ${name}`,
          unit: 'ms',
          ours: [at(busy, part)],
          alternative: [at(quiet, part)],
        });
      }
      await worker.stop();
    }
  } finally {
    await platform.stop();
  }
}

/** Reads all lines, and reconnects once in the middle. @throws Error if a line is missing, duplicated, or out of order */
async function readAll(platform: LogPlatform, worker: Printer, lines: number): Promise<void> {
  const request = logRequest(platform, worker, { source: 'container' });
  let next = 1;
  let lastId = BEGINNING;
  for (const until of [lines / 2, lines]) {
    const response = await fetch(request.url, { headers: { ...request.headers, [LAST_EVENT_ID_HEADER]: lastId } });
    for await (const [id, data] of frames(response)) {
      const { line } = JSON.parse(data) as { line: string };
      if (line !== `${LINE} ${next}`) throw new Error(`expected line ${next}, received: ${line}`);
      lastId = id;
      if (next++ === until) break;
    }
  }
}

async function* frames(response: Response): AsyncGenerator<[id: string, data: string]> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      if (part.startsWith('id: ')) yield part.slice('id: '.length).split('\ndata: ') as [string, string];
    }
  }
}

/** Resolves with the sorted durations of requests while `work` runs, in ms. */
async function answerTimes({ announcement }: LogPlatform, work: () => Promise<unknown>): Promise<number[]> {
  const url = announcement.baseUrl + operations.listEndpoints.path;
  const [times = []] = await answerTimesDuring(work, { url, headers: authorization(announcement) });
  return times;
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

/** Resolves with the resident memory of a process, in MB. NaN if ps is not available. */
async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({
    stdout: 'NaN',
  }));
  return Math.round(Number(stdout) / 1024);
}
