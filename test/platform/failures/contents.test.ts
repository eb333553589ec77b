import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { controlAccountOperations } from '../../../src/contract/control/controlAccounts.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { operations } from '../../../src/contract/operations.ts';
import { OWNER_ACCOUNT_ID } from '../../../src/platform/domain/account.ts';
import type { Call, FailureWorld } from './failureWorld.ts';
import { sweep } from './sweep.ts';

const idOf = async (world: FailureWorld, call: Call): Promise<string> =>
  (await world.succeeds<{ id: string }>(call)).id;

/** Waits for the response to a call that removes a directory, which other threads do. */
async function answered(world: FailureWorld, call: Call): Promise<Call> {
  await world.until('the call has a response', () => call.answer !== undefined);
  return call;
}

describe('Accounts on a full disk', () => {
  const { createUser, createTeam, addTeamMember, removeTeamMember } = controlAccountOperations;
  const { createApiKey, revokeApiKey } = controlAccountOperations;
  const user = (world: FailureWorld) => idOf(world, world.call(createUser, { body: { name: 'user' } }));
  const team = (world: FailureWorld) => idOf(world, world.call(createTeam, { body: { name: 'team' } }));

  sweep({
    name: 'creating a user',
    arrange: () => undefined,
    act: (world) => world.call(createUser, { body: { name: 'user' } }),
  });
  sweep({
    name: 'creating a team',
    arrange: () => undefined,
    act: (world) => world.call(createTeam, { body: { name: 'team' } }),
  });
  sweep({
    name: 'adding a member',
    arrange: async (world) => ({ userId: await user(world), teamId: await team(world) }),
    act: (world, parameters) => world.call(addTeamMember, { parameters }),
  });
  sweep({
    name: 'removing a member',
    arrange: async (world) => {
      const parameters = { userId: await user(world), teamId: await team(world) };
      await world.succeeds(world.call(addTeamMember, { parameters }));
      return parameters;
    },
    act: (world, parameters) => world.call(removeTeamMember, { parameters }),
  });
  sweep({
    name: 'creating a key',
    arrange: user,
    act: (world, accountId) => world.call(createApiKey, { body: { name: 'key', accountId } }),
  });
  sweep({
    name: 'revoking a key',
    arrange: async (world) => idOf(world, world.call(createApiKey, { body: { name: 'key' } })),
    act: (world, id) => world.call(revokeApiKey, { parameters: { id } }),
  });
  sweep({
    name: 'seeding data',
    arrange: () => undefined,
    act: (world) => world.call(controlOperations.seed, { body: SEED }),
    verify: (world) => assert.equal(world.store.jobs.count('seeded').COMPLETED, 1),
  });
});

describe('Resources on a full disk', () => {
  const { createTemplate, updateTemplate, deleteTemplate, createRegistry, deleteRegistry } = operations;
  const REGISTRY = { name: 'registry', username: 'user', password: 'secret' };
  const TEMPLATE = { name: 'template', image: 'image', serverless: true };
  const VOLUME = { name: 'volume', size: 10, dataCenter: 'EU-RO-1' };
  const template = (world: FailureWorld, more: object = {}) =>
    idOf(world, world.call(createTemplate, { body: { ...TEMPLATE, ...more } }));
  const registry = (world: FailureWorld) => idOf(world, world.call(createRegistry, { body: REGISTRY }));
  const networkVolume = (world: FailureWorld) =>
    idOf(world, world.call(operations.createNetworkVolume, { body: VOLUME }));
  const directoryOf = (world: FailureWorld, volumeId: string): string => {
    const mounts = { network: [{ volumeId, path: '/volume' }], global: [] };
    const [mount] = world.services.resources.mountsOf({ accountId: OWNER_ACCOUNT_ID, mounts });
    assert.ok(mount);
    return mount.directory;
  };
  const globalVolume = (world: FailureWorld) =>
    idOf(world, world.call(operations.createGlobalVolume, { body: { name: 'volume' } }));

  sweep({
    name: 'creating a template',
    arrange: () => undefined,
    act: (world) => world.call(createTemplate, { body: TEMPLATE }),
  });
  sweep({
    name: 'updating a template',
    arrange: (world) => template(world),
    act: (world, id) => world.call(updateTemplate, { parameters: { id }, body: { name: 'renamed' } }),
  });
  sweep({
    name: 'deleting a template',
    arrange: (world) => template(world),
    act: (world, id) => world.call(deleteTemplate, { parameters: { id } }),
  });
  sweep({
    name: 'creating a registry credential',
    arrange: () => undefined,
    act: (world) => world.call(createRegistry, { body: REGISTRY }),
  });
  sweep({
    name: 'deleting a registry credential that templates refer to',
    arrange: async (world) => {
      const id = await registry(world);
      for (const name of ['one', 'two']) await template(world, { name, registry: id });
      return id;
    },
    act: (world, id) => world.call(deleteRegistry, { parameters: { id } }),
    verify: ({ store }) => {
      const { templates } = store.resources.of(OWNER_ACCOUNT_ID);
      assert.deepEqual(
        templates.list().map(({ registry: referred }) => referred),
        [null, null],
      );
    },
  });
  sweep({
    name: 'creating a network volume',
    arrange: () => undefined,
    act: (world) => world.call(operations.createNetworkVolume, { body: VOLUME }),
  });
  sweep({
    name: 'enlarging a network volume',
    arrange: networkVolume,
    act: (world, id) => world.call(operations.updateNetworkVolume, { parameters: { id }, body: { size: 20 } }),
  });
  sweep({
    name: 'deleting a network volume',
    arrange: async (world) => {
      const id = await networkVolume(world);
      const file = path.join(directoryOf(world, id), 'model.bin');
      writeFileSync(file, 'weights');
      return { id, file };
    },
    act: async (world, { id, file }) => {
      const call = await answered(world, world.call(operations.deleteNetworkVolume, { parameters: { id } }));
      assert.equal(
        existsSync(file),
        (call.answer?.status ?? 0) >= 500,
        'files remain only if the deletion was refused',
      );
      return call;
    },
  });
  sweep({
    name: 'creating a global volume',
    arrange: () => undefined,
    act: (world) => world.call(operations.createGlobalVolume, { body: { name: 'volume' } }),
  });
  sweep({
    name: 'deleting a global volume',
    arrange: globalVolume,
    act: (world, id) => answered(world, world.call(operations.deleteGlobalVolume, { parameters: { id } })),
  });
});

const SEED = {
  templates: [{ name: 'template', image: 'image', serverless: true }],
  registries: [{ name: 'registry', username: 'user', password: 'secret' }],
  networkVolumes: [{ name: 'volume', size: 10, dataCenter: 'EU-RO-1' }],
  endpoints: [
    {
      ...{ id: 'seeded', name: 'seeded', type: 'QUEUE', image: 'process:/', cmd: ['none'] },
      ...{ cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5, scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      workers: { min: 1, max: 1, idleTimeout: 3600 },
    },
  ],
  users: [{ name: 'user' }],
  teams: [{ name: 'team', memberIds: ['user'] }],
  keys: [{ name: 'key', accountId: 'user' }],
  jobs: [
    { endpoint: 'seeded', status: 'COMPLETED', output: 1 },
    { endpoint: 'seeded', status: 'IN_QUEUE' },
  ],
  usage: [{ kind: 'podGpu', resource: 'pod', usd: 1, at: '-3h', until: '-1h' }],
};
