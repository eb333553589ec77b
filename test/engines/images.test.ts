import assert from 'node:assert/strict';
import type { StartProblem } from '../../src/contract/startProblem.ts';
import type { StartProgress } from '../../src/platform/domain/startProgress.ts';
import type { RegistryCredentials } from '../../src/platform/domain/registry.ts';
import { openEngine, type Engine } from '../../src/machine/engine/engine.ts';
import { engineImages, type EngineImages } from '../../src/platform/runtimes/container/engineImages.ts';
import { findEngine } from '../../src/machine/engine/engineRoute.ts';
import { deleteImage } from '../../src/platform/runtimes/container/engineRequests.ts';
import { inspectImage } from '../../src/machine/engine/engineImage.ts';
import type { RunSpec } from '../../src/platform/runtimes/runSpec.ts';
import { StartError } from '../../src/platform/runtimes/runtime.ts';
import { cleanUp } from '../platform/support.ts';
import { importFile, startRegistry, type TestRegistry } from './registry.ts';
import { onEngines } from './world.ts';

type Part = Pick<RunSpec, 'image' | 'pinned' | 'registry'>;

const runSpec = (part: Part): RunSpec => ({
  ...part,
  labels: { owner: 'images', endpointId: 'endpoint1', workerId: 'worker1', runId: 'run1' },
  protocol: { url: 'http://127.0.0.1:1/worker/v2', token: 'token' },
  ...{ entrypoint: [], cmd: [], env: {}, mounts: [], ports: [], resources: { gpus: 0 } },
});

describe('Images of workers', () => {
  onEngines(({ name, running }) => {
    let registry: TestRegistry;
    let engine: Engine;
    let images: EngineImages;
    let created: string[];
    let count = 0;

    before(async () => {
      registry = await startRegistry();
      const route = await findEngine(running().address, { environment: {}, home: '/', platform: process.platform });
      assert.ok(route);
      engine = await openEngine(route);
    });
    after(cleanUp);

    beforeEach(() => {
      images = engineImages(engine, { now: () => Date.now() });
      created = [];
    });
    afterEach(async () => {
      for (const id of created) await deleteImage(engine, `${id}?force=true`, undefined).catch(() => undefined);
    });

    /** Returns a new name without a tag, so that tests do not share images. */
    const newName = (): string => `team/worker-${++count}`;

    interface Release {
      pinned?: string | undefined;
      readonly pulledIds: string[];
      readonly progress: StartProgress[];
    }

    const newRelease = (): Release => ({ pulledIds: [], progress: [] });

    /** Ensures the image like a worker of the release. Resolves with its ID. */
    async function ensure(
      image: string,
      {
        release = newRelease(),
        credentials = registry.credentials,
        signal = new AbortController().signal,
        wasPulled = false,
        onProgress = (progress: StartProgress): void => void release.progress.push(progress),
      }: {
        release?: Release;
        credentials?: RegistryCredentials | null;
        signal?: AbortSignal;
        wasPulled?: boolean;
        onProgress?: (progress: StartProgress) => void;
      } = {},
    ): Promise<string> {
      const access = credentials && { id: credentials.password, credentials: () => credentials };
      const spec = runSpec({ image, pinned: release.pinned, registry: access ?? undefined });
      const { id } = await images.ensure(spec, {
        signal,
        onProgress,
        onImage: (digest, pulledId) => {
          if (pulledId !== undefined) release.pulledIds.push(pulledId);
          return (release.pinned ??= digest);
        },
        wasPulled: () => wasPulled,
      });
      created.push(id);
      return id;
    }

    const removeFromEngine = (id: string): Promise<unknown> => deleteImage(engine, `${id}?force=true`, undefined);

    async function refused(problem: StartProblem, pull: Promise<string>): Promise<StartError> {
      const error = await pull.then(
        () => assert.fail('the pull succeeded'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof StartError, String(error));
      assert.equal(error.problem, problem, error.message);
      assert.match(error.message, /The engine reports: \S/);
      assert.ok(!error.message.includes(registry.credentials.password));
      return error;
    }

    const wrong = { username: 'puller', password: 'wrong' };

    it('are pulled with the right credential, and remembered as pulled', async () => {
      const image = `${registry.address}/${newName()}:1`;
      await registry.push(engine.api, image.slice(registry.address.length + 1));
      const release = newRelease();
      const id = await ensure(image, { release });
      assert.deepEqual(release.pulledIds, [id]);
      assert.match(release.pinned ?? '', /^sha256:[0-9a-f]{64}$/);
      assert.notEqual(release.pinned, id);
      assert.equal((await inspectImage(engine, image, undefined))?.Id, id);
      const again = newRelease();
      assert.equal(await ensure(image, { release: again }), id);
      assert.deepEqual([again.pulledIds, again.pinned], [[], release.pinned]);
    });

    it('are refused with wrong or missing credentials, even if the engine has a copy', async () => {
      const image = `${registry.address}/${newName()}:1`;
      await registry.push(engine.api, image.slice(registry.address.length + 1));
      const refusals = async (): Promise<void> => {
        await refused('credentialsRefused', ensure(image, { credentials: wrong }));
        await refused('credentialsMissing', ensure(image, { credentials: null }));
      };
      await refusals();
      await ensure(image);
      await refusals();
    });

    it('are refused if the tag does not exist', async () => {
      const { message } = await refused('imageNotFound', ensure(`${registry.address}/team/nothing:9`));
      assert.ok(message.includes(`${registry.address}/team/nothing:9`), message);
    });

    it('run from the copy on the engine if no registry has them, and the log says so', async () => {
      const image = `${registry.address}/${newName()}:local`;
      await importFile(engine.api, image);
      const release = newRelease();
      const id = await ensure(image, { release });
      assert.deepEqual(release.pulledIds, []);
      const last = release.progress.at(-1);
      assert.ok(last?.kind === 'placed' && last.localCopy?.includes('manifest unknown'), JSON.stringify(last));
      assert.equal(await ensure(image, { release }), id, 'later workers find it by its digest');
    });

    it('are those of the engine, and of no registry, below localhost', async () => {
      const image = `localhost/${newName()}:1`;
      await refused('imageNotFound', ensure(image, { credentials: null }));
      await importFile(engine.api, image);
      const release = newRelease();
      const id = await ensure(image, { release, credentials: null });
      assert.deepEqual([release.pulledIds, release.progress], [[], []]);
      assert.equal(await ensure(image, { release, credentials: null }), id, 'later workers find it by its digest');
    });

    it('stay those of the release when the tag moves, and are new for a new release', async () => {
      const named = `${newName()}:latest`;
      const image = `${registry.address}/${named}`;
      await registry.push(engine.api, named);
      const old = newRelease();
      const first = await ensure(image, { release: old });
      await registry.push(engine.api, named);
      const moved = newRelease();
      const second = await ensure(image, { release: moved });
      assert.notEqual(second, first);
      assert.notEqual(moved.pinned, old.pinned);
      assert.equal(await ensure(image, { release: old }), first);
      assert.equal(old.progress.filter(({ kind }) => kind === 'pulling').length > 0, true);
    });

    it('are pulled again by their digest if the engine has lost them, although the tag has moved', async () => {
      const named = `${newName()}:latest`;
      const image = `${registry.address}/${named}`;
      await registry.push(engine.api, named);
      const release = newRelease();
      const id = await ensure(image, { release });
      await registry.push(engine.api, named);
      await removeFromEngine(id);
      assert.equal(await ensure(image, { release }), id);
      assert.deepEqual(release.pulledIds, [id, id]);
    });

    it('are those of the worker that was stored first', async () => {
      const named = `${newName()}:latest`;
      const image = `${registry.address}/${named}`;
      await registry.push(engine.api, named);
      const stored = newRelease();
      const first = await ensure(image, { release: stored });
      await registry.push(engine.api, named);
      // This worker was told no digest, because it started before the other one was stored.
      const spec = runSpec({ image, registry: { id: 'r', credentials: () => registry.credentials } });
      const { id } = await images.ensure(spec, {
        ...{ signal: new AbortController().signal, onProgress: () => undefined },
        onImage: (digest) => {
          assert.notEqual(digest, stored.pinned);
          return stored.pinned ?? '';
        },
      });
      assert.equal(id, first);
    });

    it('share one pull between workers that start together', async () => {
      const named = `${newName()}:1`;
      const image = `${registry.address}/${named}`;
      await registry.push(engine.api, named, 2_000_000);
      const [first, second] = [newRelease(), newRelease()];
      const ids = await Promise.all([ensure(image, { release: first }), ensure(image, { release: second })]);
      assert.equal(ids[0], ids[1]);
      assert.deepEqual([first.pulledIds, second.pulledIds], [[ids[0]], [ids[0]]], 'the engine had it for neither');
    });

    it('report the progress of a pull', async () => {
      const named = `${newName()}:1`;
      await registry.push(engine.api, named, 8_000_000);
      const release = newRelease();
      await ensure(`${registry.address}/${named}`, { release });
      const percents = release.progress.map((progress) => (progress.kind === 'pulling' ? progress.percent : undefined));
      assert.equal(release.progress[0]?.kind, 'pulling');
      const known = percents.filter((percent) => percent !== undefined);
      assert.deepEqual(
        known,
        [...new Set(known)].sort((left, right) => left - right),
      );
      // Podman does not report sizes.
      if (name === 'Docker') assert.equal(known.at(-1), 100);
    });

    it('are not pulled any more once their only worker is stopped', async () => {
      const named = `${newName()}:1`;
      await registry.push(engine.api, named, 30_000_000);
      const image = `${registry.address}/${named}`;
      const abort = new AbortController();
      const release = newRelease();
      const onProgress = (): void => abort.abort(new Error('the worker is stopped'));
      await assert.rejects(ensure(image, { release, signal: abort.signal, onProgress }), /the worker is stopped/);
      assert.equal(release.pinned, undefined);
      assert.equal(await inspectImage(engine, image, undefined), undefined);
    });

    it('are reported as invalid if their reference is', async () => {
      await assert.rejects(ensure('Not A Reference'), /"Not A Reference" is not an image reference/);
    });

    it('run from the last copy while the registry is down, and fail without one', async () => {
      const named = `${newName()}:1`;
      const image = `${registry.address}/${named}`;
      await registry.push(engine.api, named);
      const id = await ensure(image);
      await registry.stop();
      try {
        const release = newRelease();
        assert.equal(await ensure(image, { release }), id);
        const last = release.progress.at(-1);
        assert.ok(last?.kind === 'placed' && last.localCopy?.includes('connection refused'), JSON.stringify(last));
        await refused('registryUnreachable', ensure(`${registry.address}/${newName()}:1`));
      } finally {
        await registry.start();
      }
    }).timeout(60_000);
  });
});
