import { JOB_STATUSES } from '../../../src/contract/job.ts';
import { USAGE_KINDS, type Charge } from '../../../src/platform/domain/metering.ts';
import { imageQueue } from '../../../src/platform/domain/imageQueue.ts';
import type { JobRecord } from '../../../src/platform/domain/job.ts';
import type { Store } from '../../../src/platform/store/store.ts';
import type { FailureWorld } from './failureWorld.ts';

/* Contents of the store without values that differ from run to run: IDs, times, and values that depend on the duration of a run. */

export function jobsOf({ jobs }: Store, queue: string): JobRecord[] {
  const ids = JOB_STATUSES.flatMap((status) => jobs.ids(queue, status, {}));
  return ids.flatMap((id) => jobs.get(queue, id) ?? []);
}

export function contentsOf({ store }: FailureWorld) {
  const { accounts, endpoints, resources, jobs } = store;
  const records = accounts.list();
  const nameOf = (id: string): string => records.find((account) => account.id === id)?.name ?? id;
  return {
    endpoints: endpoints.list().map(({ id, name, version, workers, env }) => ({
      ...{ name, version, workers, env },
      releases: endpoints.releases(id).map((release) => release.version),
      image: endpoints.pinnedImage(id, version),
      jobs: jobsOf(store, id).map(describeJob).sort(),
      counts: { ...jobs.count(id), retries: undefined },
    })),
    accounts: records.map(({ id, kind, name }) => ({
      ...{ kind, name },
      members: kind === 'team' ? accounts.members(id).map(nameOf) : [],
      keys: accounts.apiKeys(id).map((key) => key.name),
      edits: jobsOf(store, imageQueue(id)).map(describeJob).sort(),
      charges: chargesOf(store, id),
      templates: resources
        .of(id)
        .templates.list()
        .map(({ name, image, registry }) => [name, image, Boolean(registry)]),
      registries: resources
        .of(id)
        .registries.list()
        .map(({ name }) => name),
      networkVolumes: resources
        .of(id)
        .networkVolumes.list()
        .map(({ name, size }) => [name, size]),
      globalVolumes: resources
        .of(id)
        .globalVolumes.list()
        .map(({ name }) => name),
    })),
    webhooks: store.webhooks.next() === undefined ? 'delivered' : 'waiting',
    runs: store.runs.listOpen().length,
  };
}

function describeJob({ status, lostWorkers, output, error, ttl }: JobRecord): string {
  const made = typeof output === 'object' && output !== null && 'image_url' in output ? 'an image' : output;
  return JSON.stringify({ status, lostWorkers, output: made, error, ttl });
}

/** Returns one-time charges by kind. Unlike usage, they do not grow with time. */
function chargesOf(store: Store, accountId: string): Record<string, string> {
  const sums = [...store.usage.sums({ ...ALL, accountId, of: 'account', kinds: ['endpoint', 'podGpu'] }, 0)];
  return totals(sums, ({ kind }) => kind);
}

/** Returns the cost of each resource in the next hour, in nano-dollars, by kind. */
export function ratesOf({ store, clock }: FailureWorld): Record<string, string> {
  const now = Math.ceil(clock.now() / 1000) * 1000;
  const usageAt = (at: number) => [...store.usage.sums({ ...ALL, of: 'eachResource', kinds: USAGE_KINDS }, at)];
  const before = usageAt(now).map((charge) => ({ ...charge, nanoUsd: -charge.nanoUsd }));
  return totals([...usageAt(now + HOUR_MS), ...before], ({ kind, resourceId }) => `${resourceId} ${kind}`);
}

export const HOUR_MS = 3_600_000;

const ALL = { grain: 'day', from: 0, to: Number.MAX_SAFE_INTEGER } as const;

function totals(charges: readonly Charge[], by: (charge: Charge) => string): Record<string, string> {
  const sums: Record<string, bigint> = {};
  for (const charge of charges) sums[by(charge)] = (sums[by(charge)] ?? 0n) + charge.nanoUsd;
  return Object.fromEntries(
    Object.entries(sums)
      .filter(([, sum]) => sum !== 0n)
      .map(([key, sum]) => [key, String(sum)] as const)
      .sort(([one], [other]) => one.localeCompare(other)),
  );
}
