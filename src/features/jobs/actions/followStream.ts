import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { JobAddress } from '../../../client/followJob.ts';
import { GRACE_MS } from '../../../client/operationTimes.ts';
import { pause } from '../../../client/retry.ts';
import { isTerminal } from '../../../contract/job.ts';

/** Chunks of a job's output in order, or an interruption in which chunks may have been lost. */
export type StreamEvent =
  { readonly kind: 'chunks'; readonly outputs: readonly unknown[] } | { readonly kind: 'interrupted' };

export interface StreamOptions {
  readonly client: Client;
  readonly address: JobAddress;
  readonly signal: AbortSignal;
  /** Returns false once the job has ended. A failure then ends the stream. */
  readonly lives: () => boolean;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Time that the platform holds a request without chunks, in ms. */
const WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 10_000;

/**
 * Reads the stream of a job, one request at a time, until the job has ended and all chunks are read. Each chunk is returned by one request
 * only, so a response that is cut can lose chunks. Resolves also if the stream cannot be read.
 */
export async function followStream(options: StreamOptions): Promise<void> {
  const { client, address, signal, lives, onEvent } = options;
  /** Failed or empty requests in a row. */
  let failures = 0;
  let empty = 0;
  for (;;) {
    try {
      const startedAt = client.context.clock.now();
      const { status, stream } = await client.streamJob(
        { ...address, query: { wait: WAIT_MS } },
        { signal, retries: 0, timeout: WAIT_MS + GRACE_MS },
      );
      failures = 0;
      if (stream.length > 0) onEvent({ kind: 'chunks', outputs: stream.map(({ output }) => output) });
      else if (isTerminal(status)) return;
      const hasWaited = client.context.clock.now() - startedAt >= WAIT_MS / 2;
      empty = stream.length > 0 || hasWaited ? 0 : empty + 1;
      // A platform that does not hold the request would otherwise receive requests without a break.
      if (empty > 0) await pause(client.context, 'streamJob', pauseMs(empty), signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (signal.aborted || !isPassing(error) || !lives()) return;
      if (failures++ === 0 && mayLose(error)) onEvent({ kind: 'interrupted' });
      const ms = Math.max(pauseMs(failures), error.retryAfterMs ?? 0);
      if (!(await hasPaused(client, ms, signal))) return;
    }
  }
}

/** Resolves with false if the signal ends the pause. */
function hasPaused({ context }: Client, ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(context, 'streamJob', ms, signal).then(
    () => true,
    () => false,
  );
}

function pauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LAST_PAUSE_MS);
}

function isPassing({ kind }: ApiError): boolean {
  return kind === 'network' || kind === 'timeout' || kind === 'server' || kind === 'rateLimited';
}

/** Returns whether the platform may have sent chunks that were not received. */
function mayLose({ kind }: ApiError): boolean {
  return kind === 'network' || kind === 'timeout';
}
