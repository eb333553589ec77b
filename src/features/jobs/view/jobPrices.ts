import type { Subscription } from '../../../kit/emitter.ts';
import type { Log } from '../../../kit/log.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { rateOf, type PriceSource } from '../../../account/prices/workerCost.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import { itemById } from '../../../kit/cachePerList.ts';
import type { JobHistoryStore } from '../actions/jobHistoryStore.ts';
import type { StoredJob } from '../model/storedJob.ts';

/** Returns a job with a better price: that of its worker, or that of its endpoint if none was known. Undefined if there is none. */
export function repriced(job: StoredJob, snapshot: EndpointSnapshot, source: PriceSource): StoredJob | undefined {
  if (job.isWorkerPrice) return undefined;
  const worker = job.workerId === undefined ? undefined : itemById(snapshot.workers?.workers ?? [], job.workerId);
  const rate = worker && rateOf(worker, snapshot.endpoint, source);
  if (rate && !rate.isUpperBound) return { ...job, pricePerHour: rate.usdPerHour, isWorkerPrice: true };
  if (job.pricePerHour !== undefined) return undefined;
  const highest = workerPrice(snapshot.endpoint, source.prices);
  return highest === undefined ? undefined : { ...job, pricePerHour: highest };
}

export interface JobPriceSources {
  readonly connections: { readonly profile: Pick<Profile, 'id' | 'kind'> | undefined };
  readonly history: JobHistoryStore;
  readonly endpoints: {
    readonly find: (endpointId: string) => EndpointSnapshot | undefined;
    readonly onDidChange: (listener: () => void) => Subscription;
  };
  readonly liveValues: {
    readonly current: PriceSource['prices'];
    readonly onDidChange: (listener: () => void) => Subscription;
  };
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Stores the better prices of the jobs of the current connection after each change of the jobs, the endpoints, or the prices. A worker and
 * its price are known only while it exists.
 */
export class JobPrices implements Subscription {
  readonly #sources: JobPriceSources;
  readonly #subscriptions: readonly Subscription[];

  constructor(sources: JobPriceSources) {
    this.#sources = sources;
    const update = coalesced(() =>
      this.#update().catch((error: unknown) => sources.log.warn('Could not store the prices of jobs', error)),
    );
    const { history, endpoints, liveValues } = sources;
    this.#subscriptions = [history, endpoints, liveValues].map(({ onDidChange }) => onDidChange(update));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #update(): Promise<void> {
    const { connections, history, endpoints, liveValues } = this.#sources;
    const { profile } = connections;
    if (!profile) return;
    const source = { prices: liveValues.current, takesFirst: profile.kind === 'local' };
    for (const job of history.recent(profile.id)) {
      const snapshot = job.isWorkerPrice ? undefined : endpoints.find(job.endpointId);
      const priced = snapshot && repriced(job, snapshot, source);
      // The job can have changed while an earlier one was stored.
      if (priced && isSame(history.find(profile.id, job.id), job)) await history.put(profile.id, priced);
    }
  }
}

function isSame(stored: StoredJob | undefined, job: StoredJob): boolean {
  return JSON.stringify(stored) === JSON.stringify(job);
}

/**
 * Returns a function that runs an update, one run at a time. Calls during a run cause one more run afterwards, because the run may already
 * have read what the call is about.
 *
 * @param update must not reject
 */
function coalesced(update: () => Promise<void>): () => void {
  let isRunning = false;
  let isOutdated = false;
  const run = async () => {
    isRunning = true;
    // A function, because the value changes during the run.
    const isDue = () => isOutdated;
    do {
      isOutdated = false;
      await update();
    } while (isDue());
    isRunning = false;
  };
  return () => {
    isOutdated = true;
    if (!isRunning) void run();
  };
}
