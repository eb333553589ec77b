import type { Client } from '../../../../client/client.ts';
import { readWorkerLogTail } from '../../../../client/workerLogTail.ts';
import type { LogEvent } from '../../../../contract/workerLogs.ts';

/** Maximum number of lines that are read, and that are returned. Other jobs on the same worker can have written lines in between. */
const MAX_READ_LINES = 500;
const MAX_JOB_LOG_LINES = 50;

export interface JobLogQuery {
  readonly endpointId: string;
  readonly workerId: string;
  /** Time of the submission, in ms since the epoch of the platform's clock. Earlier lines are omitted. Default: all lines. */
  readonly since?: number;
  readonly signal?: AbortSignal;
}

/** Returns the last lines that a worker has written since a time. Returns no lines if the log cannot be read, because a report is possible without it. */
export async function readJobLog(client: Client, query: JobLogQuery): Promise<readonly LogEvent[]> {
  const { endpointId, workerId, since = 0, signal } = query;
  const options = { id: endpointId, workerId, tail: MAX_READ_LINES, ...(signal && { signal }) };
  const events = await readWorkerLogTail(client.context, options).catch(() => []);
  return events.filter(({ ts }) => !(Date.parse(ts) < since)).slice(-MAX_JOB_LOG_LINES);
}
