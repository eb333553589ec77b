import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createClient, type Client } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { LAST_EVENT_ID_HEADER } from '../../src/contract/workerLogs.ts';
import { median } from './load.ts';
import { startNode } from './node.ts';

const ROUNDS = 3;
const READERS = 100;
const FAN_OUT_LINES = 10_000;
const FLOOD_LINES = 1_000_000;
const LINE = 'a line of usual length, such as a worker prints for each step of its work: step';
/** A cursor before every line. */
const BEGINNING = '1970-01-01T00:00:00Z';

interface Bench {
  readonly client: Client;
  readonly announcement: PlatformAnnouncement;
  readonly folder: string;
}

/** How fast logs go out, beside a bare writer of the same events; and what a flood of them does to the rest. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-bench-'));
  const platform = startNode([
    'dist/platform.js',
    '--json',
    '--stop-with-stdin',
    '--data-dir',
    path.join(folder, 'data'),
  ]);
  try {
    const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
    const bench = { client: createClient({ connection: announcement, fetch }), announcement, folder };
    await fanOut(bench);
    await flood(bench, platform.pid);
  } finally {
    await platform.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fanOut(bench: Bench): Promise<void> {
  const rates = { platform: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const bare = startNode(['--input-type=module', '--eval', bareWriter()]);
    const url = await bare.firstLine;
    rates.bare.push(await eventsPerSecond({ url, headers: {} }, () => fetch(`${url}go`)));
    await bare.stop();
    const worker = await startPrinter(bench, FAN_OUT_LINES);
    const request = logRequest(bench, worker, { source: 'container', tail: 0 });
    rates.platform.push(await eventsPerSecond(request, worker.go));
    await worker.stop();
  }
  const [ours, bare] = [median(rates.platform), median(rates.bare)];
  console.log(`  live lines to ${READERS} readers, stored       ${Math.round(ours)} events/s`);
  console.log(`  bare node:http, the same events      ${Math.round(bare)} events/s`);
  console.log(`  ratio                                ${(ours / bare).toFixed(2)}`);
}

/** Twice a million lines: is each there once and in order, do requests go on, and does memory stay? */
async function flood(bench: Bench, pid: number): Promise<void> {
  const quiet = await answerTimes(bench, new Promise((resolve) => setTimeout(resolve, 1_000)));
  console.log(`  a request in quiet                   ${describe(quiet)}`);
  for (const round of ['first', 'second']) {
    const before = await residentMegabytes(pid);
    const worker = await startPrinter(bench, FLOOD_LINES);
    const start = performance.now();
    await worker.go();
    const reading = readAll(bench, worker, FLOOD_LINES);
    const busy = await answerTimes(bench, reading);
    const rate = FLOOD_LINES / ((performance.now() - start) / 1000);
    const after = await residentMegabytes(pid);
    console.log(`  ${round} million lines, all read in order  ${Math.round(rate)} lines/s`);
    console.log(`  a request meanwhile                  ${describe(busy)}`);
    console.log(`  resident memory before, after        ${before} MB, ${after} MB`);
    await worker.stop();
  }
}

interface Printer {
  readonly endpointId: string;
  readonly workerId: string;
  /** Lets it print. */
  readonly go: () => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
}

/** A worker that prints so many numbered lines, as fast as they are taken, once it is told to. */
async function startPrinter({ client, folder }: Bench, lines: number): Promise<Printer> {
  const name = `printer-${Math.random().toString(36).slice(2)}`;
  const { id } = await client.createEndpoint({
    body: {
      name,
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      workers: { min: 1, max: 1 },
      image: `process:${folder}`,
      cmd: [process.execPath, '--eval', printer(path.join(folder, name), lines)],
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    },
  });
  const { workers } = await client.listEndpointWorkers({ id });
  const workerId = workers[0]?.id ?? '';
  return {
    endpointId: id,
    workerId,
    go: () => writeFile(path.join(folder, name), ''),
    stop: () => client.deleteEndpoint({ id }),
  };
}

/** Prints numbered lines once the file is there, no faster than they are taken, and stays. */
function printer(file: string, lines: number): string {
  return `
    const { existsSync, unlinkSync } = require('node:fs');
    const waiting = setInterval(() => {
      if (!existsSync(${JSON.stringify(file)})) return;
      clearInterval(waiting);
      let next = 1;
      const print = () => {
        while (next <= ${lines}) {
          let text = '';
          for (const end = Math.min(next + 500, ${lines + 1}); next < end; next++) text += '${LINE} ' + next + '\\n';
          if (!process.stdout.write(text)) return process.stdout.once('drain', print);
        }
      };
      print();
    }, 20);
    setInterval(() => undefined, 60_000);
  `;
}

/** Once it is told to, writes to each who has connected the same events, no faster than they are taken. */
function bareWriter(): string {
  return `
    import { createServer } from 'node:http';
    const responses = [];
    const writeAll = (response, from) => {
      while (from <= ${FAN_OUT_LINES}) {
        const page = pages[(from - 1) / 500];
        from += 500;
        if (!response.write(page)) return response.once('drain', () => writeAll(response, from));
      }
    };
    const pages = [];
    const server = createServer((request, response) => {
      if (request.url !== '/go') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.flushHeaders();
        responses.push(response);
        return;
      }
      for (let line = 1; line <= ${FAN_OUT_LINES}; line += 500) {
        let page = '';
        for (let index = line; index < line + 500; index++) {
          const ts = new Date().toISOString().slice(0, -1) + '000000Z';
          page += 'id: ' + ts + '\\ndata: ' + JSON.stringify({ source: 'container', line: '${LINE} ' + index, ts }) + '\\n\\n';
        }
        pages.push(Buffer.from(page));
      }
      for (const response of responses) writeAll(response, 1);
      response.end();
    });
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/'));
    process.stdin.on('end', () => process.exit()).resume();
  `;
}

interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function logRequest({ announcement }: Bench, worker: Printer, query: Record<string, string | number>): StreamRequest {
  const { endpointId: id, workerId } = worker;
  const url = new URL(announcement.baseUrl + fillPath(operations.getWorkerLogs.path, { id, workerId }));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return { url: url.href, headers: authorization(announcement) };
}

function authorization({ apiKey }: PlatformAnnouncement): Record<string, string> {
  return { Authorization: `Bearer ${apiKey}` };
}

/** Events that all readers together receive per second, from the first on. */
async function eventsPerSecond(request: StreamRequest, go: () => Promise<unknown>): Promise<number> {
  const script = path.join(import.meta.dirname, 'logReaders.mjs');
  const child = spawn(process.execPath, [script, String(READERS), String(FAN_OUT_LINES)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  child.stdin.write(JSON.stringify(request));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === 'connected') await go();
  }
  await ended;
  const seconds = Number(lines[1]);
  if (!(seconds > 0)) throw new Error('the readers did not get all events');
  return (READERS * FAN_OUT_LINES) / seconds;
}

/** Reads until the last line, hanging up in the middle and resuming; throws unless each line is there once, in order. */
async function readAll(bench: Bench, worker: Printer, lines: number): Promise<void> {
  const request = logRequest(bench, worker, { source: 'container' });
  let next = 1;
  let lastId = BEGINNING;
  for (const until of [lines / 2, lines]) {
    const response = await fetch(request.url, { headers: { ...request.headers, [LAST_EVENT_ID_HEADER]: lastId } });
    for await (const [id, data] of frames(response)) {
      const { line } = JSON.parse(data) as { line: string };
      if (line !== `${LINE} ${next}`) throw new Error(`instead of line ${next} came: ${line}`);
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

/** How long requests take, one after the other, until something has happened; in ms, sorted. */
async function answerTimes({ announcement }: Bench, until: Promise<unknown>): Promise<number[]> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'answerTimes.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const url = announcement.baseUrl + operations.listEndpoints.path;
  child.stdin.write(JSON.stringify({ url, headers: authorization(announcement) }));
  const output = text(child.stdout);
  await until;
  child.stdin.end();
  return (JSON.parse(await output) as number[]).toSorted((left, right) => left - right);
}

function describe(times: readonly number[]): string {
  const at = (part: number): string => (times[Math.floor((times.length - 1) * part)] ?? Number.NaN).toFixed(1);
  return `${at(0.5)} ms, 99th percentile ${at(0.99)} ms, longest ${at(1)} ms`;
}

/** Resident memory of a process; NaN where there is no ps. */
async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({
    stdout: 'NaN',
  }));
  return Math.round(Number(stdout) / 1024);
}
