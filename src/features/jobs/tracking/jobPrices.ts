import type { EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import { rateOf, type PriceSource } from '../../costs/model/workerCost.ts';
import { workerPrice } from '../../costs/model/workerPrice.ts';
import { itemById } from '../../itemById.ts';
import type { JobHistoryStore, StoredJob } from '../jobHistoryStore.ts';

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
  readonly history: JobHistoryStore;
  readonly find: (endpointId: string) => EndpointSnapshot | undefined;
  readonly source: PriceSource;
}

/** Stores the better prices of the jobs of a connection, because a worker and its price are known only while it exists. */
export async function updateJobPrices(connectionId: string, sources: JobPriceSources): Promise<void> {
  const { history, find, source } = sources;
  for (const job of history.recent(connectionId)) {
    const snapshot = job.isWorkerPrice ? undefined : find(job.endpointId);
    const priced = snapshot && repriced(job, snapshot, source);
    // The job can have changed while an earlier one was stored.
    if (priced && isSame(history.find(connectionId, job.id), job)) await history.put(connectionId, priced);
  }
}

function isSame(stored: StoredJob | undefined, job: StoredJob): boolean {
  return JSON.stringify(stored) === JSON.stringify(job);
}
