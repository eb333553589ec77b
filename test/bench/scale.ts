import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '../../src/client/client.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../src/contract/route.ts';
import { answerTimesDuring, type Question } from './askers.ts';
import { startChild, temporaryFolder } from './children.ts';
import { report } from './compare.ts';
import { requestsPerSecond } from './load.ts';
import { startNode } from './node.ts';
import { fillLargeDatabase, FINISHED_ENDPOINT, QUEUED_ENDPOINT } from './scaleData.ts';

const WORKER_ENDPOINTS = 10;
const WORKERS_PER_ENDPOINT = 100;
/** Lines that each worker prints, one per second. */
const LINES = 5;
const WAITING_REQUESTS = 5_000;
const LARGE_BODIES = 5;
const LARGE_INPUT = 9_000_000;
const QUIET_MS = 6_000;
/** Limits of this benchmark. */
const LONGEST_WAIT_MS = 50;
const MEMORY_MB = 300;

/**
 * Measures how long a small question waits while another caller's work is large: 1,000,000 jobs, 1,000,000 rows of usage, 10,000 endpoints,
 * and 1,000 workers. The alternative is a bare server that is asked at the same time, so that it shows the delays of the machine.
 *
 * @param part name of one of the `parts`; default: all of them
 */
export async function run(part?: string): Promise<void> {
  const folder = temporaryFolder();
  fillLargeDatabase(path.join(folder, 'platform.sqlite'));
  const bare = startNode(['--input-type=module', '--eval', BARE_SERVER]);
  const start = performance.now();
  const platform = startNode([
    ...['dist/platform.js', '--json', '--stop-with-stdin', '--data-dir', folder],
    ...['--max-workers', String(WORKER_ENDPOINTS * WORKERS_PER_ENDPOINT + 10)],
  ]);
  try {
    const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    report({ name: 'start to first response', unit: 'ms', ours: [performance.now() - start] });
    const scale = new Scale(announcement, { pid: platform.pid, bareUrl: await bare.firstLine, folder });
    for (const [name, measure] of Object.entries(scale.parts)) if (part === undefined || part === name) await measure();
    report({ name: 'most memory', unit: 'MB', ours: [await scale.mostMemory()], note: `limit ${MEMORY_MB} MB` });
  } finally {
    await Promise.all([platform.stop(), bare.stop()]);
  }
}

class Scale {
  /** Measurements by name. Each one also runs alone. */
  readonly parts: Readonly<Record<string, () => Promise<void>>> = {
    nothing: () => this.#measure('nothing else', () => setTimeout(QUIET_MS)),
    jobs: () => this.#measure('accepted jobs', () => this.#acceptJobs()),
    large: () => this.#measure('jobs with large inputs', () => this.#acceptLargeJobs()),
    purge: () => this.#measure('purging 100,000 jobs', () => this.client.purgeQueue({ endpointId: QUEUED_ENDPOINT })),
    snapshot: () => this.#measure('an exported snapshot', () => this.#exportSnapshot()),
    waiting: () => this.#measureWaiting(`${WAITING_REQUESTS.toLocaleString('en')} requests that wait`),
    workers: async () => {
      await this.#measure('1,000 workers that start', () => this.#startWorkers());
      await this.#measure('1,000 workers that print', () => this.#print());
    },
    delete: () =>
      this.#measure('deleting 550,000 jobs', async () => {
        await this.client.deleteEndpoint({ id: FINISHED_ENDPOINT });
        await setTimeout(QUIET_MS);
      }),
  };
  readonly client: ReturnType<typeof createClient>;
  readonly #announcement: PlatformAnnouncement;
  readonly #about: { readonly pid: number; readonly bareUrl: string; readonly folder: string };
  readonly #headers: Readonly<Record<string, string>>;

  constructor(announcement: PlatformAnnouncement, about: { pid: number; bareUrl: string; folder: string }) {
    this.#announcement = announcement;
    this.#about = about;
    this.client = createClient({ connection: announcement, fetch });
    this.#headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${announcement.apiKey}` };
  }

  /** Reports the longest wait of a small question while other work runs. */
  async #measure(name: string, work: () => Promise<unknown>): Promise<void> {
    let took = Number.NaN;
    const times = await answerTimesDuring(
      async () => {
        const start = performance.now();
        await work();
        took = performance.now() - start;
      },
      this.#question(),
      this.#bareQuestion(),
    );
    const [longest = Number.NaN, bare = Number.NaN] = times.map((each) => each.at(-1));
    this.#report(name, longest, bare, `took ${(took / 1000).toFixed(1)} s`);
  }

  /**
   * Sends the same requests first to the platform, and then to the bare server, which holds them too. They all leave in one turn of the event
   * loop, faster than a server on the same machine can parse them, so the last question waits for all of them there as well.
   */
  async #measureWaiting(name: string): Promise<void> {
    const { id } = await this.client.createEndpoint({ body: balanced() });
    const url = this.#announcement.endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, id);
    const [ours = []] = await answerTimesDuring(() => holdRequests(url, this.#headers), this.#question());
    await this.client.deleteEndpoint({ id });
    const bareUrl = this.#about.bareUrl + HELD_PATH;
    const [bare = []] = await answerTimesDuring(() => holdRequests(bareUrl, this.#headers), this.#bareQuestion());
    this.#report(name, ours.at(-1) ?? Number.NaN, bare.at(-1) ?? Number.NaN, 'the bare server holds them too');
  }

  #question(): Question {
    const path_ = fillPath(operations.getEndpointHealth.path, { endpointId: 'endpoint1' });
    return { url: this.#announcement.queueUrl + path_, headers: this.#headers };
  }

  #bareQuestion(): Question {
    return { url: this.#about.bareUrl, headers: {} };
  }

  #report(name: string, ours: number, bare: number, note: string): void {
    report({
      name: `longest wait beside ${name} / a bare server`,
      unit: 'ms',
      ours: [ours],
      alternative: [bare],
      note: `limit ${LONGEST_WAIT_MS} ms; ${note}`,
    });
  }

  async #acceptJobs(): Promise<void> {
    const body = JSON.stringify({ input: { text: 'hello' } });
    await requestsPerSecond({ ...this.#runOf('endpoint2'), body, requests: 10_000, concurrency: 32 });
  }

  async #acceptLargeJobs(): Promise<void> {
    const body = JSON.stringify({ input: { text: 'x'.repeat(LARGE_INPUT) } });
    await requestsPerSecond({ ...this.#runOf('endpoint3'), body, requests: LARGE_BODIES, concurrency: 1 });
  }

  async #exportSnapshot(): Promise<void> {
    const url = this.#announcement.baseUrl + controlOperations.exportSnapshot.path;
    const response = await fetch(url, { headers: this.#headers });
    await response.body?.pipeTo(new WritableStream());
  }

  /** Resolves once all workers run. Each one creates a file, and then prints the lines that are added to another. */
  async #startWorkers(): Promise<void> {
    const { folder } = this.#about;
    await mkdir(path.join(folder, 'running'));
    await writeFile(path.join(folder, 'lines'), '');
    for (let index = 0; index < WORKER_ENDPOINTS; index++)
      await this.client.createEndpoint({ body: printing(`printing${index}`, folder) });
    while ((await readdir(path.join(folder, 'running'))).length < WORKER_ENDPOINTS * WORKERS_PER_ENDPOINT)
      await setTimeout(100);
  }

  async #print(): Promise<void> {
    for (let step = 0; step < LINES; step++) {
      const line = `a line of usual length, such as a worker prints for each step of its work: step ${step}\n`;
      await appendFile(path.join(this.#about.folder, 'lines'), line);
      await setTimeout(1_000);
    }
  }

  /** Resolves with the largest resident memory of the platform so far, in MB. NaN on systems without it. */
  async mostMemory(): Promise<number> {
    if (process.platform !== 'linux') return Number.NaN;
    const status = await readFile(`/proc/${this.#about.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  #runOf(endpointId: string) {
    return {
      url: this.#announcement.queueUrl + fillPath(operations.runJob.path, { endpointId }),
      headers: this.#headers,
    };
  }
}

/** Sends requests that nobody answers, and then cancels them. */
async function holdRequests(url: string, headers: Question['headers']): Promise<void> {
  const program = path.join(import.meta.dirname, 'waitingRequests.mjs');
  const waiting = startChild(process.execPath, [program], { errors: 'inherit' });
  waiting.process.stdin.write(JSON.stringify({ url, headers, count: WAITING_REQUESTS }));
  await setTimeout(QUIET_MS);
  await waiting.stop();
}

const base = {
  scaling: { type: 'REQUEST_COUNT' as const, requestCount: 1 },
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
};

function balanced() {
  return {
    ...{ ...base, name: 'waiting', type: 'LOAD_BALANCER' as const },
    ...{ workers: { min: 0, max: 0 }, image: 'process:/', cmd: ['true'] },
  };
}

function printing(name: string, folder: string) {
  return {
    ...{ ...base, name, type: 'QUEUE' as const },
    ...{ workers: { min: WORKERS_PER_ENDPOINT, max: WORKERS_PER_ENDPOINT } },
    ...{ image: `process:${folder}`, cmd: ['sh', '-c', ': > running/$$; exec tail -n 0 -F lines'] },
  };
}

/** Path of the bare server whose requests it never answers. */
const HELD_PATH = '/held';
const BARE_SERVER = `
import { createServer } from 'node:http';
const server = createServer((incoming, response) => {
  if (incoming.url !== '${HELD_PATH}') response.end('{}');
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
process.stdin.on('end', () => process.exit()).resume();
`;
