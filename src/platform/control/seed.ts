import { EARLIEST_MOMENT, LATEST_MOMENT, MAX_SEEDED_HOURS, MAX_TIME_SPAN_MS } from '../../contract/bounds.ts';
import type { Seed, SeedResult } from '../../contract/control/control.ts';
import type { JobRequest } from '../../contract/job.ts';
import type { Violation } from '../../contract/violation.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { createNetworkVolume } from '../domain/networkVolume.ts';
import { Refusal, refuseViolations } from '../domain/refusal.ts';
import { createSeededJob, hoursBegun, moment, usageCharges } from '../domain/seed.ts';
import { newEndpointId, newJobId, newNetworkVolumeId } from '../ids.ts';
import type { Services } from '../routes/services.ts';
import { seedAccounts } from './seedAccounts.ts';
import { at } from './seedPart.ts';

/**
 * Fills the platform. When a part is refused, what was made before it is taken back.
 *
 * @throws Refusal of that part, whose errors begin with where it stands in the seed
 */
export async function seed(body: Seed, services: Services): Promise<SeedResult> {
  const undo: (() => unknown)[] = [];
  try {
    return fill(body, services, undo);
  } catch (error) {
    for (const takeBack of undo.reverse()) await takeBack();
    throw error;
  }
}

function fill(body: Seed, services: Services, undo: (() => unknown)[]): SeedResult {
  const { engine, resources, store, clock } = services;
  const { templates, registries, networkVolumes: volumes } = resources.of(OWNER_ACCOUNT_ID);
  const now = clock.now();
  checkTimes(body, now);
  checkIds(body, (id) => engine.endpoints().some(({ endpoint }) => endpoint.id === id));
  const made = {
    templates: each(
      'templates',
      body.templates,
      (template) => templates.create(template).id,
      (id) => templates.delete(id),
    ),
    registries: each(
      'registries',
      body.registries,
      (registry) => registries.create(registry).id,
      (id) => registries.delete(id),
    ),
    networkVolumes: each(
      'networkVolumes',
      body.networkVolumes,
      (volume) => volumes.add(createNetworkVolume(volume, { id: newNetworkVolumeId(), now })).id,
      (id) => volumes.delete(id),
    ),
    endpoints: each(
      'endpoints',
      body.endpoints,
      ({ id = newEndpointId(), ...endpoint }) => engine.createEndpoint(endpoint, { id }).endpoint.id,
      (id) => engine.deleteEndpoint(id),
    ),
  };
  const endpointOf = (name: string) =>
    engine.endpoints().find(({ endpoint }) => endpoint.id === name || endpoint.name === name)?.endpoint.id;
  const jobs = body.jobs.map((job, index) =>
    at(['jobs', index], () => {
      const endpointId = endpointOf(job.endpoint);
      if (endpointId === undefined) throw noEndpoint(job.endpoint);
      engine.queue(endpointId);
      const id = job.id ?? newJobId('run');
      const record = createSeededJob(job, { id, endpointId, now });
      const { input = {}, webhook, policy, s3Config } = job;
      return { record, request: JSON.parse(JSON.stringify({ input, webhook, policy, s3Config })) as JobRequest };
    }),
  );
  const accounts = store.transaction(() => {
    const added = seedAccounts(body, services, endpointOf);
    engine.jobs.adopt(jobs);
    return added;
  });
  store.transaction(() => {
    for (const { kind, resource, usd, at: begin, until } of body.usage) {
      const resourceId = endpointOf(resource) ?? resource;
      const from = moment(begin, now);
      const to = until === undefined ? undefined : moment(until, now);
      for (const charge of usageCharges({ kind, resourceId, usd, from, to })) store.recordCharge(charge);
    }
  });
  return { ...made, ...accounts, jobs: jobs.map(({ record }) => record.id) };

  function each<T>(
    name: string,
    items: readonly T[],
    make: (item: T) => string,
    remove: (id: string) => unknown,
  ): string[] {
    return items.map((item, index) =>
      at([name, index], () => {
        const id = make(item);
        undo.push(() => remove(id));
        return id;
      }),
    );
  }
}

/** @throws Refusal 422 for times that no bill and no answer could tell, and for usage that is spread over too many hours */
function checkTimes({ jobs, usage }: Seed, now: number): void {
  const violations: Violation[] = [];
  const check = (path: Violation['path'], text: string | undefined): void => {
    if (text === undefined || isTold(moment(text, now))) return;
    violations.push({ path, message: 'must be in the years 1 to 9999', status: 422 });
  };
  for (const [index, { at: submitted }] of jobs.entries()) check(['jobs', index, 'at'], submitted);
  let hours = 0;
  for (const [index, { at: begin, until }] of usage.entries()) {
    check(['usage', index, 'at'], begin);
    check(['usage', index, 'until'], until);
    const from = moment(begin, now);
    const to = until === undefined ? from : moment(until, now);
    hours += hoursBegun(from, to);
    const path = ['usage', index, 'until'];
    if (to - from > MAX_TIME_SPAN_MS) {
      violations.push({ path, message: 'must be at most ten years after at', status: 422 });
    } else if (hours > MAX_SEEDED_HOURS) {
      const message = `the usage up to here is spread over more than ${MAX_SEEDED_HOURS} hours`;
      violations.push({ path, message, status: 422 });
      break;
    }
  }
  if (violations.length > 0) throw refuseViolations(violations);
}

const isTold = (ms: number): boolean => ms >= EARLIEST_MOMENT && ms <= LATEST_MOMENT;

/** @throws Refusal 409 for an id that is there twice, or already */
function checkIds({ endpoints }: Seed, taken: (id: string) => boolean): void {
  const seen = new Set<string>();
  for (const [index, { id }] of endpoints.entries()) {
    if (id === undefined) continue;
    if (seen.has(id) || taken(id)) {
      throw new Refusal(409, `there is an endpoint '${id}' already`, [`$.endpoints[${index}].id: is taken`]);
    }
    seen.add(id);
  }
}

function noEndpoint(name: string): Refusal {
  return refuseViolations([{ path: ['endpoint'], message: `there is no endpoint '${name}'`, status: 404 }]);
}
