import pMap from 'p-map';
import { ApiError } from '../../../client/apiError.ts';
import type { Clock } from '../../../client/clock.ts';
import { ConnectedPoller, type Connected, type ConnectedPlatform } from '../../../account/connectedPoller.ts';
import type { Subscription } from '../../../kit/emitter.ts';
import type { LogSubject } from '../model/logSubject.ts';
import type { FollowedLogs } from './followedLogs.ts';

/** Delay between two rounds, in ms. */
const INTERVAL_MS = 3_000;
const MAX_INTERVAL_MS = 30_000;
/** Maximum number of endpoints that are read at the same time. */
const CONCURRENCY = 4;

/** Reads the workers of the endpoints whose logs are followed, so that the logs follow new workers and end with those that are gone. */
export class WorkerWatch {
  readonly #followed: FollowedLogs;
  readonly #poller: ConnectedPoller;
  readonly #subscription: Subscription;
  #failures = 0;
  #known = '';

  constructor(followed: FollowedLogs, { connections, clock }: { connections: Connected; clock: Clock }) {
    this.#followed = followed;
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: (platform) => this.#poll(platform),
      interval: () => Math.min(INTERVAL_MS * 2 ** this.#failures, MAX_INTERVAL_MS),
      onConnection: () => (this.#failures = 0),
    });
    this.#subscription = followed.onDidChange(() => this.#onChange());
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#poller.dispose();
  }

  /** Reads the workers at once when another log is followed. */
  #onChange(): void {
    const endpoints = endpointsOf(this.#followed.awake);
    this.#poller.setVisible(endpoints.size > 0);
    const known = [...endpoints.keys()].join('\n');
    if (known !== this.#known && known !== '') this.#poller.wake();
    this.#known = known;
  }

  async #poll({ client, signal }: ConnectedPlatform): Promise<void> {
    const failures: unknown[] = [];
    const read = async (endpointId: string, subjects: readonly LogSubject[]): Promise<void> => {
      let workerIds: readonly string[] = [];
      try {
        const { workers } = await client.listEndpointWorkers({ id: endpointId }, { signal, retries: 0, waits: 0 });
        workerIds = workers.map(({ id }) => id);
      } catch (error) {
        // A deleted endpoint has no workers. The streams report other failures, which must not affect other endpoints.
        if (!(error instanceof ApiError) || error.kind !== 'notFound') {
          failures.push(error);
          return;
        }
      }
      if (!signal.aborted) for (const subject of subjects) this.#followed.takeWorkers(subject, workerIds);
    };
    await pMap(endpointsOf(this.#followed.awake), ([id, subjects]) => read(id, subjects), { concurrency: CONCURRENCY });
    if (!signal.aborted) this.#failures = failures.length > 0 ? this.#failures + 1 : 0;
  }
}

function endpointsOf(subjects: readonly LogSubject[]): Map<string, LogSubject[]> {
  return Map.groupBy(subjects, ({ endpointId }) => endpointId);
}
