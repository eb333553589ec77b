import type { Client } from '../../../../client/client.ts';
import { readSystemLine } from '../../../../contract/systemLines.ts';
import type { LogEvent } from '../../../../contract/workerLogs.ts';
import { findReason, type LogFinding } from '../../../../account/diagnosis/logFindings.ts';
import { readJobLog } from './readJobLog.ts';

/** A worker that cannot run, and its log. */
export interface StartFailure {
  readonly workerId: string;
  /** Undefined if the log contains no known reason. */
  readonly finding: LogFinding | undefined;
  readonly log: readonly LogEvent[];
}

const INTERVAL_MS = 500;

/**
 * Resolves once a worker of an endpoint has become ready, or with the failure of a worker that cannot start while no other one is ready.
 * Resolves with undefined when the signal is aborted.
 *
 * @throws ApiError if the workers cannot be read
 */
export async function findStartFailure(
  client: Client,
  endpointId: string,
  signal: AbortSignal,
): Promise<StartFailure | undefined> {
  const { clock } = client.context;
  try {
    for (;;) {
      const { workers, summary } = await client.listEndpointWorkers({ id: endpointId }, { signal });
      if (summary.running + summary.idle > 0) return undefined;
      const failing = workers.find(({ status }) => status === 'UNHEALTHY');
      if (failing) {
        const log = await readJobLog(client, { endpointId, workerId: failing.id, signal });
        // A worker that was ready crashed during a job, and not at its start.
        if (log.some(isReady)) return undefined;
        return { workerId: failing.id, finding: findReason(log), log };
      }
      await clock.sleep(INTERVAL_MS, signal);
    }
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function isReady({ source, line }: LogEvent): boolean {
  return source === 'system' && readSystemLine(line)?.kind === 'ready';
}
