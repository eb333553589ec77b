import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createClient, type Client } from '../../src/client/client.ts';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { temporaryFolder } from './children.ts';
import { startNode } from './node.ts';

/** Prefix of each printed line, of typical length. The number of the line follows. */
export const LINE = 'a line of usual length, such as a worker prints for each step of its work: step';

/** A platform whose workers print lines. */
export interface LogPlatform {
  readonly client: Client;
  readonly announcement: PlatformAnnouncement;
  readonly folder: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export async function startLogPlatform(): Promise<LogPlatform> {
  const folder = temporaryFolder();
  const data = path.join(folder, 'data');
  const platform = startNode(['dist/platform.js', '--json', '--stop-with-stdin', '--data-dir', data]);
  const announcement = PlatformAnnouncement.parse(JSON.parse(await platform.firstLine));
  const client = createClient({ connection: announcement, fetch });
  return { client, announcement, folder, pid: platform.pid, stop: platform.stop };
}

export interface Printer {
  readonly endpointId: string;
  readonly workerId: string;
  /** Starts the output. */
  readonly go: () => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
}

/** Starts a worker that prints numbered lines after a call of `go`. */
export async function startPrinter({ client, folder }: LogPlatform, lines: number): Promise<Printer> {
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

/** Returns the code of a worker that prints numbered lines with backpressure once a file exists, and then stays idle. */
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

export interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function logRequest(
  { announcement }: LogPlatform,
  worker: Printer,
  query: Record<string, string | number>,
): StreamRequest {
  const { endpointId: id, workerId } = worker;
  const url = new URL(announcement.baseUrl + fillPath(operations.getWorkerLogs.path, { id, workerId }));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return { url: url.href, headers: authorization(announcement) };
}

export function authorization({ apiKey }: PlatformAnnouncement): Record<string, string> {
  return { Authorization: `Bearer ${apiKey}` };
}
