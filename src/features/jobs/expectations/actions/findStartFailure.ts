import * as l10n from '@vscode/l10n';
import type { Client } from '../../../../client/client.ts';
import { readSystemLine } from '../../../../contract/systemLines.ts';
import type { LogEvent } from '../../../../contract/workerLogs.ts';
import { findReason, type LogFinding } from '../../../../account/diagnosis/logFindings.ts';
import { readWorkerLogSince } from '../../actions/workerLogSince.ts';

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
        const log = await readWorkerLogSince(client, { endpointId, workerId: failing.id, signal });
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

/** Describes why a worker cannot start, as a clause. The reasons are foreign text. */
export function startFailureWords(finding: LogFinding | undefined): string {
  switch (finding?.kind) {
    case undefined:
      return l10n.t('the worker cannot start, and its log contains no reason');
    case 'notStarted':
      return l10n.t`the worker cannot be started: ${finding.reason}`;
    case 'engineUnreachable':
      return l10n.t`the engine that runs the worker cannot be reached: ${finding.reason}`;
    case 'imageUnavailable':
      return l10n.t`the image of the worker is not available: ${finding.reason}`;
    case 'notReady':
      return l10n.t`the worker is not ready: ${finding.reason}`;
    case 'crash': {
      const { code, signal, outOfMemory, outOfDisk } = finding.exit ?? {};
      const how = signal !== undefined ? l10n.t`signal ${signal}` : l10n.t`exit code ${code ?? 'unknown'}`;
      const cause = outOfMemory ? l10n.t(', out of memory') : outOfDisk ? l10n.t(', out of disk space') : '';
      const last = finding.lastLines.findLast((line) => line.trim() !== '');
      return l10n.t`the worker exited at its start (${how}${cause})${last === undefined ? '' : `: ${last.trim()}`}`;
    }
  }
}
