import type { Client } from '../../../client/client.ts';
import { readWorkerLogTail } from '../../../client/workerLogTail.ts';
import type { LogEvent } from '../../../contract/workerLogs.ts';
import { oneLine } from '../../../text/shownText.ts';

/** Maximum number of lines that are read, and that are returned. Other jobs on the same worker can have written lines in between. */
const MAX_READ_LINES = 500;
const MAX_LINES = 50;

interface WorkerLogQuery {
  readonly endpointId: string;
  readonly workerId: string;
  /** Time of the submission, in ms since the epoch of the platform's clock. Earlier lines are omitted. Default: all lines. */
  readonly since?: number;
  readonly signal?: AbortSignal;
}

/** Returns the last lines that a worker has written since a time. Returns no lines if the log cannot be read, because a report is possible without it. */
export async function readWorkerLogSince(client: Client, query: WorkerLogQuery): Promise<readonly LogEvent[]> {
  const { endpointId, workerId, since = 0, signal } = query;
  const options = { id: endpointId, workerId, tail: MAX_READ_LINES, ...(signal && { signal }) };
  const events = await readWorkerLogTail(client.context, options).catch(() => []);
  return events.filter(({ ts }) => !(Date.parse(ts) < since)).slice(-MAX_LINES);
}

const MAX_LINE_LENGTH = 1_000;

/** Returns foreign text on one line, without control characters. */
export function plainLine(text: string): string {
  const line = oneLine(text.slice(0, 4 * MAX_LINE_LENGTH)).trimEnd();
  return line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH - 1)}…`;
}

/** Formats lines of a worker's log. Lines of the platform are marked. */
export function logLines(events: readonly LogEvent[]): readonly string[] {
  return events.map(({ source, line }) => plainLine(source === 'system' ? `[platform] ${line}` : line));
}
