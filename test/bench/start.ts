import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { measureInTurns, report } from './compare.ts';
import { median } from './load.ts';
import { startNode } from './node.ts';

const ROUNDS = 7;
/** Time, in ms, after which garbage from the startup has been collected. */
const SETTLE_MS = 2_000;

/** Compares the startup time of the platform with an empty Node process, and measures its memory when idle. */
export async function run(): Promise<void> {
  const resident: number[] = [];
  const times = await measureInTurns(
    {
      nothing: () => timeOf(() => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close')),
      answered: async () => {
        const platform = startNode(['dist/platform.js', '--json', '--stop-with-stdin', '--in-memory']);
        try {
          const time = await timeOf(async () => firstAnswer(await platform.firstLine));
          if (resident.length === 0) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
          resident.push(await residentMegabytes(platform.pid));
          return time;
        } finally {
          await platform.stop();
        }
      },
    },
    ROUNDS,
  );
  const [first = Number.NaN] = resident;
  report({
    name: 'start to first response / node -e 0',
    unit: 'ms',
    ours: times.answered,
    alternative: times.nothing,
    note: `limit ${(2 * median(times.nothing) + 100).toFixed(0)} ms`,
  });
  report({ name: 'memory when idle', unit: 'MB', ours: [first], note: 'limit 120 MB' });
}

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

async function firstAnswer(line: string): Promise<void> {
  const { baseUrl, apiKey } = PlatformAnnouncement.parse(JSON.parse(line));
  const url = baseUrl + fillPath(operations.listEndpoints.path, {});
  const response = await fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
}

async function residentMegabytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
