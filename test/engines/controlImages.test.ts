import assert from 'node:assert/strict';
import type { PlatformImage, PullEvent } from '../../src/contract/control/controlImages.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { operations } from '../../src/contract/operations.ts';
import type { Platform, PlatformOptions } from '../../src/platform/daemon/start.ts';
import { containerRuntime } from '../../src/platform/runtimes/container/containerRuntime.ts';
import { byImage } from '../../src/platform/runtimes/imageRuntimes.ts';
import { processRuntime } from '../../src/platform/runtimes/process/process.ts';
import { cleanUp, dataDirectory, eventually, platformForTest, type Api } from '../platform/support.ts';
import { importFile, startRegistry, type TestRegistry } from './registry.ts';
import { onEngines } from './world.ts';

describe('Images in the control API', () => {
  onEngines(({ name, running }) => {
    let registry: TestRegistry;
    let api: Api;
    let platform: Platform;

    const options = (dataDir?: string): PlatformOptions => ({
      dataDir,
      apiKey: 'key-of-the-owner',
      createRuntime: ({ clock, owner, gate, environment }) => {
        const containers = containerRuntime({ clock, owner, gate, address: running().address, environment });
        return byImage(processRuntime(clock), containers);
      },
    });

    beforeEach(async function () {
      registry = await startRegistry();
      ({ api, platform } = await platformForTest(options()));
    });
    afterEach(cleanUp);

    async function createCredential(password = registry.credentials.password): Promise<string> {
      const body = { name: `credential of ${password.length}`, username: registry.credentials.username, password };
      return (await api.call(operations.createRegistry, { body })).id;
    }

    const list = async (): Promise<PlatformImage[]> => (await api.call(controlOperations.listImages)).images;
    const find = async (image: string): Promise<PlatformImage | undefined> =>
      (await list()).find(({ references }) => references.includes(image));

    /** Pulls an image. Resolves with all events. */
    async function pull(body: object): Promise<PullEvent[]> {
      const { path } = controlOperations.pullImage;
      const response = await fetch(api.addresses.baseUrl + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${api.addresses.apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 200);
      const { body: schema } = controlOperations.pullImage.success;
      const frames = (await response.text()).split('\n\n').filter(Boolean);
      return frames.map((frame) => schema.parse(JSON.parse(frame.slice('data: '.length))));
    }

    it('show the engine', async () => {
      const { runtime, engine, gpus } = await api.call(controlOperations.getEngine);
      assert.equal(runtime, 'container');
      const { version, ...shown } = engine ?? {};
      assert.match(version ?? '', /^\d+\./);
      assert.deepEqual(shown, { name, address: running().address, source: 'the setting', reachable: true });
      assert.deepEqual(gpus, []);
    });

    it('are pulled with progress, listed with their size, and removed', async () => {
      await registry.push(running().api, 'team/tool:1', 1_000_000);
      const image = `${registry.address}/team/tool:1`;
      const events = await pull({ image, registryId: await createCredential() });
      assert.equal(events[0]?.event, 'progress');
      const last = events.at(-1);
      assert.equal(last?.event, 'done', JSON.stringify(last));
      assert.match(last.digest ?? '', /^sha256:/);
      const found = await find(image);
      assert.ok(found);
      const { id, sizeBytes, createdAt, ...rest } = found;
      assert.ok(sizeBytes >= 1_000_000);
      assert.ok(Date.parse(createdAt) > 0);
      assert.deepEqual(rest, { references: [image], inUse: false, usedBy: [], removable: true });
      await api.call(controlOperations.removeImage, { parameters: { id } });
      assert.equal(await find(image), undefined);
      await api.refused(404, controlOperations.removeImage, { parameters: { id } });
    });

    it('report why a pull failed', async () => {
      await registry.push(running().api, 'team/tool:1');
      const image = `${registry.address}/team/tool:1`;
      const failures = [
        await pull({ image }),
        await pull({ image, registryId: await createCredential('wrong') }),
        await pull({ image: `${registry.address}/team/tool:9`, registryId: await createCredential() }),
        await pull({ image: 'No Reference' }),
      ].map((events) => events.at(-1));
      assert.deepEqual(
        failures.map((event) => [event?.event, event?.problem]),
        [
          ['failed', 'credentialsMissing'],
          ['failed', 'credentialsRefused'],
          ['failed', 'imageNotFound'],
          ['failed', 'imageNotFound'],
        ],
      );
      assert.ok(failures.every((event) => event?.reason !== undefined));
      await api.refused(404, controlOperations.pullImage, { body: { image, registryId: 'unknown' } });
    });

    it('of other programs are neither listed nor removed', async () => {
      const image = `${registry.address}/other/program:1`;
      await importFile(running().api, image);
      assert.equal(await find(image), undefined);
      const { Id: id } = await running().api.json<{ Id: string }>({ path: `/v1.41/images/${image}/json` });
      await api.refused(404, controlOperations.removeImage, { parameters: { id } });
      await running().api.json({ method: 'DELETE', path: `/v1.41/images/${image}` });
    });

    it('of an endpoint stay the same after a restart of the platform, although the tag has moved', async () => {
      await platform.close();
      const dataDir = await dataDirectory();
      const first = await platformForTest(options(dataDir));
      api = first.api;
      await registry.push(running().api, 'team/worker:1');
      const image = `${registry.address}/team/worker:1`;
      const { id: endpointId } = await api.createEndpoint({
        ...{ image, args: undefined, cmd: ['/no-such-program'], registry: await createCredential() },
        workers: { min: 1, max: 1 },
      });
      const used = (): Promise<PlatformImage | undefined> =>
        list().then((images) => images.find(({ usedBy }) => usedBy.some((user) => user.endpointId === endpointId)));
      const pinned = await eventually('the image is pinned', used);
      assert.deepEqual([pinned.inUse, pinned.removable], [true, false]);
      // Before the pull ends, the engine has the image by its name, and it is not one of this platform.
      const removal = { parameters: { id: pinned.id } };
      const refusal = async () => (await api.fetch(controlOperations.removeImage, removal)).status === 409;
      await eventually('the image of the platform cannot be removed', refusal);
      await first.platform.close();

      await registry.push(running().api, 'team/worker:1');
      ({ api, platform } = await platformForTest(options(dataDir)));
      const body = { workers: { min: 0, max: 0 } };
      await api.call(operations.updateEndpoint, { parameters: { id: endpointId }, body });
      assert.equal((await used())?.id, pinned.id, 'a release that keeps the workers keeps the image');
      await api.call(operations.deleteEndpoint, { parameters: { id: endpointId } });
      // The engine can still be creating or removing the last container of the crashing worker.
      await eventually('the free image is removed', async () => {
        const left = (await list()).find(({ id }) => id === pinned.id);
        if (left?.inUse !== false) return false;
        assert.equal(left.removable, true);
        const answer = await api.fetch(controlOperations.removeImage, { parameters: { id: left.id } });
        assert.ok([204, 409].includes(answer.status), `status ${answer.status}`);
        return answer.status === 204;
      });
    });

    it('cannot be listed while the engine does not respond, which the engine shows', async function () {
      const { power } = running();
      if (!power) this.skip();
      await api.call(controlOperations.getEngine);
      await power.kill();
      try {
        const { engine } = await api.call(controlOperations.getEngine);
        assert.equal(engine?.reachable, false);
        assert.match(engine.problem ?? '', /cannot be reached/);
        assert.equal(engine.address, running().address);
        await api.refused(503, controlOperations.listImages, {});
      } finally {
        await power.start();
      }
      assert.equal((await api.call(controlOperations.getEngine)).engine?.reachable, true);
    });
  });
});
