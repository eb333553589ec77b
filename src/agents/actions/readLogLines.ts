import pMap from 'p-map';
import { ApiError } from '../../client/apiError.ts';
import { readWorkerLogTail } from '../../client/workerLogTail.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { LogEvent, LogSource } from '../../contract/workerLogs.ts';
import { counted } from '../model/boundedOutput.ts';
import type { CallContext, ToolConnection } from './agentTool.ts';

/* Lines of the logs of several workers. */

/** Maximum number of workers whose logs one call reads. */
const MAX_WORKERS = 8;

/**
 * Returns the workers whose logs a call reads: the given one, which can have ended, or the present ones.
 *
 * @throws ApiError
 */
export async function workersToRead(
  context: CallContext,
  { id }: Endpoint,
  workerId: string | undefined,
): Promise<{ readonly ids: readonly string[]; readonly leftOut: number }> {
  if (workerId !== undefined) return { ids: [workerId], leftOut: 0 };
  const { workers } = await context.connection().client.listEndpointWorkers({ id }, { signal: context.signal });
  const ids = workers.map((worker) => worker.id);
  return { ids: ids.slice(0, MAX_WORKERS), leftOut: Math.max(0, ids.length - MAX_WORKERS) };
}

export interface LogQuery {
  readonly endpointId: string;
  readonly workerIds: readonly string[];
  /** Maximum number of lines of each worker. */
  readonly tail: number;
  /** Milliseconds since the epoch. Default: the end of the log. */
  readonly since?: number | undefined;
  readonly source?: LogSource | undefined;
  readonly signal: AbortSignal;
}

export interface LogLine {
  readonly workerId: string;
  readonly ts: string;
  readonly source: string;
  readonly line: string;
}

export interface LogLines {
  /** In the order of their times. */
  readonly lines: readonly LogLine[];
  /** Workers without a log. */
  readonly withoutLog: readonly string[];
}

/** Maximum number of logs that are read at the same time. */
const CONCURRENCY = 4;

/** Reads the newest lines of logs. A worker whose log is gone does not affect the others. @throws ApiError */
export async function readLogLines({ client }: Pick<ToolConnection, 'client'>, query: LogQuery): Promise<LogLines> {
  const { endpointId: id, workerIds, tail, since, source, signal } = query;
  const withoutLog: string[] = [];
  const read = async (workerId: string): Promise<readonly LogLine[]> => {
    const between = since === undefined ? {} : { between: { from: since, to: Infinity } };
    try {
      const events = await readWorkerLogTail(client.context, { id, workerId, tail, source, signal, ...between });
      return events.map((event) => lineOf(event, workerId));
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
      withoutLog.push(workerId);
      return [];
    }
  };
  const logs = await pMap(workerIds, read, { concurrency: CONCURRENCY });
  signal.throwIfAborted();
  const lines = logs.flat();
  return { lines: workerIds.length > 1 ? lines.sort(byTime) : lines, withoutLog };
}

function lineOf({ ts, source, line }: LogEvent, workerId: string): LogLine {
  return { workerId, ts, source, line };
}

function byTime(one: LogLine, other: LogLine): number {
  return Date.parse(one.ts) - Date.parse(other.ts);
}

/** Maximum size of the lines of a result, in UTF-16 code units. */
const MAX_TEXT = 20_000;
const MAX_LINE = 2_000;

/** Returns the newest lines that fit a result, and the number of older ones that are left out. */
export function newestThatFit(lines: readonly LogLine[]): {
  readonly lines: readonly string[];
  readonly leftOut: number;
} {
  const kept: string[] = [];
  let size = 0;
  const isSeveral = new Set(lines.map(({ workerId }) => workerId)).size > 1;
  for (const line of lines.toReversed()) {
    const text = textOf(line, isSeveral);
    size += text.length + 3;
    if (size > MAX_TEXT) break;
    kept.push(text);
  }
  return { lines: kept.reverse(), leftOut: lines.length - kept.length };
}

/** Returns a line as text: its time, its worker if there are several, a mark for lines of the host, and the line. */
function textOf({ ts, workerId, source, line }: LogLine, isSeveral: boolean): string {
  const cut =
    line.length > MAX_LINE
      ? `${line.slice(0, MAX_LINE)} … ${counted(line.length - MAX_LINE, 'character')} left out`
      : line;
  const host = source === 'system' ? ' [system]' : '';
  return `${ts}${isSeveral ? ` ${workerId}` : ''}${host} ${cut}`;
}
