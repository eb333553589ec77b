import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/apiError.ts';
import { openWorkerLogStream } from '../../client/workerLogStream.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { LogEvent, LogSource } from '../../contract/workerLogs.ts';
import { readLogLines } from '../../agents/actions/readLogLines.ts';
import { explain } from '../../kit/explain.ts';
import { withoutControls } from '../../text/shownText.ts';
import { endpointNamed } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface LogsFlags extends ConnectionOptions {
  readonly endpoint: string;
  /** ID of a worker, which can have ended. Undefined: all present workers. */
  readonly worker?: string | undefined;
  /** Number of past lines of each worker. */
  readonly tail: number;
  readonly source?: LogSource | undefined;
  readonly follow?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Prints log lines of workers. With `follow`, prints new lines of all workers, later ones included, until an interruption. */
export function logsCommand(flags: LogsFlags, surroundings: Surroundings): Promise<number> {
  const { write, tell, signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { client } = session;
    const endpoint = await endpointNamed(session, flags.endpoint, signal);
    const print = (workerId: string, { ts, source, line }: LogEvent): void => {
      if (flags.json) write(`${session.hide(JSON.stringify({ ts, workerId, source, line }))}\n`);
      else
        write(
          `${session.hide(withoutControls(`${ts} ${workerId}${source === 'system' ? ' [platform]' : ''} ${line}`))}\n`,
        );
    };
    if (flags.follow) {
      await follow(client, endpoint, flags, { print, tell, signal });
      return EXIT_CODES.done;
    }
    const workerIds = flags.worker === undefined ? await workersOf(client, endpoint, signal) : [flags.worker];
    const { tail, source } = flags;
    const { lines, withoutLog } = await readLogLines(session, {
      endpointId: endpoint.id,
      workerIds,
      tail,
      source,
      signal,
    });
    for (const { workerId, ...line } of lines) print(workerId, line);
    for (const id of withoutLog) tell(`worker ${id} has no log`);
    if (workerIds.length === 0) tell(`${endpoint.name} has no workers; one starts with the first job or request`);
    return withoutLog.length > 0 && withoutLog.length === workerIds.length ? EXIT_CODES.failed : EXIT_CODES.done;
  });
}

async function workersOf(client: Client, { id }: Endpoint, signal: AbortSignal): Promise<readonly string[]> {
  const { workers } = await client.listEndpointWorkers({ id }, { signal });
  return workers.map((worker) => worker.id);
}

/** Time between two looks for new workers, in ms. */
const POLL_MS = 2_000;

interface Follower {
  readonly print: (workerId: string, event: LogEvent) => void;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Follows the logs of workers until the signal is aborted, or until no stream of a given worker is left. */
async function follow(
  client: Client,
  endpoint: Endpoint,
  { worker, tail, source }: LogsFlags,
  { print, tell, signal }: Follower,
): Promise<void> {
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const streams = new Map<string, () => void>();
  const open = (workerId: string): void => {
    const close = openWorkerLogStream(client.context, {
      ...{ id: endpoint.id, workerId, tail, ...(source && { source }) },
      onLine: (event) => print(workerId, event),
      onReconnecting: () => tell(`worker ${workerId}: the connection was lost, reconnecting…`),
      onError: (error) => {
        if (error.kind !== 'notFound') tell(explain(error, `worker ${workerId}`).text);
        if (worker !== undefined) ended.abort();
      },
    });
    streams.set(workerId, close);
  };
  try {
    while (!over.aborted) {
      const found = worker === undefined ? await workersOf(client, endpoint, over) : [worker];
      for (const id of found) if (!streams.has(id)) open(id);
      await client.context.clock.sleep(POLL_MS, over);
    }
  } catch (error) {
    if (!over.aborted && !(error instanceof ApiError && error.kind === 'canceled')) throw error;
  } finally {
    for (const close of streams.values()) close();
  }
}
