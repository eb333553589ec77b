import { EARLIEST_MOMENT, LATEST_MOMENT, MAX_SEEDED_HOURS, MAX_TIME_SPAN_MS } from '../../contract/bounds.ts';
import type { Seed, SeedResult } from '../../contract/control/control.ts';
import type { JobRequest } from '../../contract/job.ts';
import { fieldError, formatViolation, violation, type Path, type Violation } from '../../contract/violation.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { createNetworkVolume } from '../domain/networkVolume.ts';
import { noQueue, Refusal, refuseViolations } from '../domain/refusal.ts';
import { createSeededJob, hoursBegun, moment, usageCharges } from '../domain/seed.ts';
import { newEndpointId, newJobId, newNetworkVolumeId } from '../ids.ts';
import type { ControlledServices } from './controlServices.ts';
import { createKey } from './accountRoutes.ts';

/**
 * Adds the contents of a seed in one transaction. Endpoints start after the commit.
 *
 * @throws Refusal for the first invalid part. Its errors begin with the path of that part in the seed.
 */
export function seed(body: Seed, services: ControlledServices): SeedResult {
  const { engine, contents, clock } = services;
  const now = clock.now();
  checkTimes(body, now);
  checkIds(body, (id) => engine.endpoints().some(({ endpoint }) => endpoint.id === id));
  return contents.transaction(() => addAll(body, services, now));
}

function addAll(body: Seed, services: ControlledServices, now: number): SeedResult {
  const { engine, resources, contents } = services;
  const { templates, registries, networkVolumes: volumes } = resources.of(OWNER_ACCOUNT_ID);
  const made = {
    templates: each('templates', body.templates, (template) => templates.create(template).id),
    registries: each('registries', body.registries, (registry) => registries.create(registry).id),
    networkVolumes: each(
      'networkVolumes',
      body.networkVolumes,
      (volume) => volumes.add(createNetworkVolume(volume, { id: newNetworkVolumeId(), now })).id,
    ),
  };
  const created = each('endpoints', body.endpoints, ({ id = newEndpointId(), ...endpoint }) =>
    engine.createEndpoint(endpoint, { id }),
  );
  const endpoints = [...engine.endpoints().map(({ endpoint }) => endpoint), ...created];
  const find = (name: string) => endpoints.find((endpoint) => endpoint.id === name || endpoint.name === name);
  const jobs = each('jobs', body.jobs, (job) => {
    const endpoint = find(job.endpoint);
    if (!endpoint) throw noEndpoint(job.endpoint);
    if (endpoint.type !== 'QUEUE') throw noQueue(endpoint.id);
    const id = job.id ?? newJobId('run');
    const record = createSeededJob(job, { id, endpointId: endpoint.id, now });
    const { input = {}, webhook, policy, s3Config } = job;
    return { record, request: JSON.parse(JSON.stringify({ input, webhook, policy, s3Config })) as JobRequest };
  });
  const accounts = seedAccounts(body, services, (name) => find(name)?.id);
  engine.jobs.importJobs(jobs);
  for (const { kind, resource, usd, at: begin, until } of body.usage) {
    const resourceId = find(resource)?.id ?? resource;
    const from = moment(begin, now);
    const to = until === undefined ? undefined : moment(until, now);
    for (const charge of usageCharges({ kind, resourceId, usd, from, to })) contents.charge(charge);
  }
  return { ...made, endpoints: created.map(({ id }) => id), ...accounts, jobs: jobs.map(({ record }) => record.id) };
}

/** Creates the items of a part. The errors of a refusal contain the path of the item. */
function each<Item, Made>(part: string, items: readonly Item[], make: (item: Item) => Made): Made[] {
  return items.map((item, index) => inPart([part, index], () => make(item)));
}

/** @throws Refusal 422 for times that responses cannot represent, and for usage that spans too many hours */
function checkTimes({ jobs, usage }: Seed, now: number): void {
  const violations: Violation[] = [];
  const check = (path: Path, text: string | undefined): void => {
    if (text === undefined || isInRange(moment(text, now))) return;
    violations.push(violation(path, 'yearOutOfRange', {}, 422));
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
      violations.push(violation(path, 'usageTooLong', {}, 422));
    } else if (hours > MAX_SEEDED_HOURS) {
      violations.push(violation(path, 'usageTooSpread', { maximum: MAX_SEEDED_HOURS }, 422));
      break;
    }
  }
  if (violations.length > 0) throw refuseViolations(violations);
}

const isInRange = (ms: number): boolean => ms >= EARLIEST_MOMENT && ms <= LATEST_MOMENT;

/** @throws Refusal 409 for an ID that occurs twice in the seed, or is already in use */
function checkIds({ endpoints }: Seed, taken: (id: string) => boolean): void {
  const seen = new Set<string>();
  for (const [index, { id }] of endpoints.entries()) {
    if (id === undefined) continue;
    if (seen.has(id) || taken(id)) {
      const taken = formatViolation(fieldError(['endpoints', index, 'id'], 'idTaken', { id }));
      throw new Refusal(409, `an endpoint with the ID '${id}' already exists`, [taken]);
    }
    seen.add(id);
  }
}

function noEndpoint(name: string): Refusal {
  return refuseViolations([violation(['endpoint'], 'unknownReference', { kind: 'endpoint', id: name }, 404)]);
}

/** Runs the work, and prefixes the errors of its refusal with a path in the seed. */
function inPart<T>(path: readonly (string | number)[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const where = path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`)).join('');
    const errors =
      error.errors.length > 0
        ? error.errors.map((line) => line.replace(/^\$/, `$$${where}`))
        : [`$${where}: ${error.message}`];
    throw new Refusal(error.status, error.message, errors);
  }
}

/**
 * Adds users, teams, and keys. They are only rows of the store, so a rollback removes them completely.
 *
 * @throws Refusal
 */
function seedAccounts(
  body: Seed,
  services: ControlledServices,
  endpointOf: (name: string) => string | undefined,
): Pick<SeedResult, 'users' | 'teams' | 'keys'> {
  const { accounts } = services;
  const named = (name: string) => accounts.list().find((account) => account.id === name || account.name === name)?.id;
  const users = body.users.map((user) => accounts.createUser(user).id);
  const teams = body.teams.map(({ ownerId, memberIds, ...team }, index) =>
    inPart(['teams', index], () => {
      const { id } = accounts.createTeam({ ...team, ownerId: ownerId && (named(ownerId) ?? ownerId) });
      for (const [memberIndex, member] of memberIds.entries()) {
        const userId = named(member);
        if (userId === undefined) throw noMember(member, memberIndex);
        accounts.addMember(id, userId);
      }
      return id;
    }),
  );
  const keys = body.keys.map(({ accountId, endpointIds, ...key }, index) =>
    inPart(['keys', index], () => {
      const of = {
        accountId: accountId && (named(accountId) ?? accountId),
        endpointIds: endpointIds?.map((id) => endpointOf(id) ?? id),
      };
      return createKey({ ...key, ...of }, services).key;
    }),
  );
  return { users, teams, keys };
}

function noMember(name: string, index: number) {
  return refuseViolations([violation(['memberIds', index], 'unknownReference', { kind: 'user', id: name }, 404)]);
}
