import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { EventSource } from 'eventsource';
import { createClient, type Client } from '../../src/client/client.ts';
import { systemClock } from '../../src/client/clock.ts';
import type { Connection } from '../../src/client/connection.ts';
import { fillPath } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { LogArchive } from '../../src/features/logs/archive/logArchive.ts';
import { LogChannel } from '../../src/features/logs/channels/logChannel.ts';
import { WorkerLog } from '../../src/features/logs/follow/workerLog.ts';
import { TroubleWatch } from '../../src/features/logs/model/trouble.ts';
import { EVENTS, FLOOD, FLOODING_WORKER, startBareServer } from './bareServer.ts';
import { temporaryFolder } from './children.ts';
import { measureInTurns, report } from './compare.ts';

const ROUNDS = 11;
const MEGABYTE = 1024 * 1024;
/** Resolution of the measured stalls, in ms. */
const RESOLUTION_MS = 1;

/**
 * Compares the way of a log line from the socket to the panel with a bare reader: stored on disk, searched for troubles, and formatted. Then
 * reads a million lines at full speed.
 */
export async function run(): Promise<void> {
  const { connection, stop } = await startBareServer();
  try {
    const client = createClient({ connection, fetch });
    const contest = {
      bare: () => rate(EVENTS, (onLines) => bareReader(connection, onLines)),
      own: () => rate(EVENTS, (onLines) => logView(client, 'w', onLines)),
    };
    // The first rounds are a warm-up.
    await measureInTurns(contest, 2);
    const rates = await measureInTurns(contest, ROUNDS);
    report({ name: 'socket to panel / eventsource', unit: 'lines/s', ours: rates.own, alternative: rates.bare });
    await measureFlood(client);
  } finally {
    await stop();
  }
}

async function measureFlood(client: Client): Promise<void> {
  const memoryBefore = process.memoryUsage.rss();
  const stalls = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let shown = { lines: 0 };
  let stored = 0;
  stalls.enable();
  const linesPerSecond = await rate(FLOOD, async (onLines) => {
    const view = await logView(client, FLOODING_WORKER, onLines);
    shown = view;
    return {
      close: async () => {
        stored = view.archive.count;
        await view.close();
      },
    };
  });
  stalls.disable();
  if (stored !== FLOOD) throw new Error(`the archive has ${stored} of ${FLOOD} lines`);
  const grown = Math.round((process.memoryUsage.rss() - memoryBefore) / MEGABYTE);
  const note = `complete in the archive; ${Math.round((100 * shown.lines) / FLOOD)} % in the panel; memory grew by ${grown} MB`;
  report({ name: 'a million lines at full speed', unit: 'lines/s', ours: [linesPerSecond], note });
  report({ name: 'the longest stall meanwhile', unit: 'ms', ours: [stalls.max / 1e6] });
}

interface Reader {
  close(): unknown;
}

/** Measures the rate from the first line to the last, without the connection time. */
async function rate(
  lines: number,
  open: (onLines: (count: number) => void) => Promise<Reader> | Reader,
): Promise<number> {
  const done = Promise.withResolvers<void>();
  let [count, start] = [0, 0];
  const reader = await open((more) => {
    if (count === 0) start = performance.now();
    count += more;
    if (count >= lines) done.resolve();
  });
  await done.promise;
  const seconds = (performance.now() - start) / 1000;
  await reader.close();
  return lines / seconds;
}

/** Follows a log as the extension does. The output channel is replaced by a counter of lines. */
async function logView(client: Client, workerId: string, onLines: (count: number) => void) {
  const worker = { connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerId };
  const folder = path.join(temporaryFolder(), 'archive');
  const archive = await LogArchive.open(folder, worker, { maxBytes: 1024 * MEGABYTE });
  if (!archive) throw new Error('the archive is locked');
  const view = { archive, lines: 0 };
  const channel = new LogChannel({
    subject: { connectionId: 'c', endpointId: 'e', endpointName: 'hello', workerIds: [workerId] },
    output: {
      append: (text) => (view.lines += text.split('\n').length - 1),
      replace: () => undefined,
      clear: () => undefined,
    },
    clock: systemClock,
    options: () => ({
      ...{ source: 'both', timestamps: 'local', minimumLevel: 'trace' },
    }),
    onText: () => undefined,
  });
  const troubles = new TroubleWatch();
  const log = new WorkerLog(archive, {
    lines: (entries) => {
      for (const { event, at } of entries) troubles.take(event, at);
      channel.add(entries.map((entry) => ({ kind: 'line', worker, at: entry.at, entry })));
      onLines(entries.length);
    },
    state: (state) => {
      if (state.kind === 'refused') throw state.error;
    },
    status: () => undefined,
  });
  await log.follow(client.context, { since: 0 });
  const close = async (): Promise<void> => {
    log.stop();
    channel.write();
    channel.dispose();
    await archive.close();
  };
  return Object.assign(view, { close });
}

function bareReader({ baseUrl }: Connection, onLines: (count: number) => void): Reader {
  const url = baseUrl + fillPath(operations.getWorkerLogs.path, { id: 'e', workerId: 'w' });
  const stream = new EventSource(url);
  stream.addEventListener('message', ({ data }) => {
    // Parses the event, because the client does so too.
    const { line } = JSON.parse(data as string) as { line?: string };
    if (line !== undefined) onLines(1);
  });
  return stream;
}
