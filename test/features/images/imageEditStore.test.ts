import assert from 'node:assert/strict';
import { systemClock } from '../../../src/client/clock.ts';
import { createClient, type Client } from '../../../src/client/client.ts';
import { IMAGE_EDIT_ENDPOINT_ID, IMAGE_URL_LIFETIME_MS } from '../../../src/contract/imageModel.ts';
import { EditFailedError } from '../../../src/features/images/actions/editImage.ts';
import { FetchImageError } from '../../../src/features/images/actions/fetchImage.ts';
import { readImageFile, SourceError } from '../../../src/features/images/actions/readSource.ts';
import { failureOf } from '../../../src/features/images/imageEditFailures.ts';
import { ImageEditStore, type ImageEditState } from '../../../src/features/images/imageEditStore.ts';
import { imageEditView } from '../../../src/features/images/imageEditView.ts';
import type { EditParameters, FinishedEdit } from '../../../src/features/images/model/imageEdit.ts';
import { NotConnectedError } from '../../../src/account/connections/requireConnection.ts';
import type { Platform } from '../../../src/platform/daemon/start.ts';
import { Emitter } from '../../../src/kit/emitter.ts';
import { json, startScriptedServer } from '../../client/scriptedServer.ts';
import { gradient, imageServer, pngOf } from '../../platform/images/support.ts';
import { cleanUp, platformForTest } from '../../platform/support.ts';

const parameters: EditParameters = {
  ...{ prompt: 'rotate it left', negativePrompt: '', seed: 7, format: 'png', safetyChecker: true },
};
const photo = readImageFile(pngOf(gradient(60, 40)), 'photos/a.png');

describe('the store of the image editor', () => {
  let platform: Platform;
  let client: Client;
  let slow: string;

  before(async () => {
    slow = await imageServer(() => undefined);
    ({ platform } = await platformForTest({ imageSources: { trustedOrigins: [slow] } }));
    client = createClient({ connection: platform.announcement, fetch: globalThis.fetch });
  });
  after(cleanUp);

  interface Options {
    readonly kind?: 'local' | 'hosted';
    readonly isConnected?: boolean;
    readonly mayRun?: boolean;
    readonly now?: () => number;
    readonly client?: Client;
  }

  const create = ({
    kind = 'local',
    isConnected = true,
    mayRun = true,
    now = Date.now,
    client: own = client,
  }: Options = {}) => {
    const changed = new Emitter<void>();
    const connections = {
      client: isConnected ? own : undefined,
      profile: { id: 'one', name: 'One', kind, ...platform.announcement },
      onDidChange: changed.event,
    };
    const kept: FinishedEdit[] = [];
    const reported: unknown[] = [];
    let saves = 0;
    const store = new ImageEditStore({
      connections,
      clock: { ...systemClock, now },
      fetch: globalThis.fetch,
      storage: {
        history: { keep: (edit) => Promise.resolve(void kept.push(edit)) },
        save: () => Promise.resolve(`file:///folder/photos/a-edited-${++saves}.png`),
      },
      mayRun: () => Promise.resolve(mayRun),
      report: (error) => reported.push(error),
    });
    const phases: string[] = [];
    store.onDidChange(() => {
      const phase = store.state.run?.phase ?? 'idle';
      if (phases.at(-1) !== phase) phases.push(phase);
    });
    /** Resolves with the first state that fulfills a condition. */
    const state = (condition: (state: ImageEditState) => boolean) =>
      new Promise<ImageEditState>((resolve) => {
        const look = () => {
          if (condition(store.state)) resolve(store.state);
        };
        store.onDidChange(look);
        look();
      });
    return { store, connections, kept, reported, phases, state };
  };

  it('edits a file, loads the result, and keeps it', async () => {
    const { store, kept, phases } = create();
    store.setFile(photo, 'file:///folder/photos/a.png');
    await store.run(parameters);
    const { result, error, run } = store.state;
    assert.deepEqual([error, run], [undefined, undefined]);
    assert.deepEqual([result?.image?.width, result?.image?.height], [40, 60]);
    assert.deepEqual(kept, [result?.edit]);
    assert.deepEqual([phases[0], phases.at(-2), phases.at(-1)], ['idle', 'loading', 'idle']);
    assert.equal(result?.savedAs, undefined);
    // A double click.
    await Promise.all([store.save(), store.save()]);
    assert.equal(store.state.result?.savedAs, 'file:///folder/photos/a-edited-1.png');
  });

  it('edits the result again at its address, and by its bytes once the address has expired', async () => {
    let now = Date.now();
    const { store } = create({ now: () => now });
    store.setFile(photo, undefined);
    await store.run(parameters);
    store.editAgain();
    assert.equal(store.state.source?.source.kind, 'result');
    await store.run(parameters);
    assert.deepEqual([store.state.error, store.state.result?.image?.width], [undefined, 60]);
    store.editAgain();
    now += IMAGE_URL_LIFETIME_MS;
    await store.run(parameters);
    assert.deepEqual([store.state.error, store.state.result?.image?.width], [undefined, 40]);
  });

  it('runs one edit at a time, and cancels it on the platform', async () => {
    const { store, state, kept } = create();
    store.setUrl(`${slow}/a.png`);
    const run = store.run(parameters);
    await state((now) => now.run?.phase === 'running');
    await store.run(parameters);
    assert.equal(store.state.run?.phase, 'running');
    store.cancel();
    assert.equal(store.state.run.phase, 'canceling');
    await run;
    assert.deepEqual(
      [store.state.run, store.state.error, store.state.result, kept],
      [undefined, undefined, undefined, []],
    );
    const { jobs } = await client.getEndpointHealth({ endpointId: IMAGE_EDIT_ENDPOINT_ID });
    assert.deepEqual([jobs.inProgress, jobs.inQueue], [0, 0]);
  });

  it('loads a result again after the load was canceled', async () => {
    const { store, kept } = create();
    store.setFile(photo, undefined);
    const subscription = store.onDidChange(() => {
      if (store.state.run?.phase === 'loading') store.cancel();
    });
    await store.run(parameters);
    subscription.dispose();
    const { result } = store.state;
    assert.deepEqual([result?.image, kept], [undefined, []]);
    assert.deepEqual(failureOf(result?.error), {
      ...{ message: 'The result was not loaded.', advice: [], fields: [], retry: true },
    });
    await store.loadResult();
    assert.equal(store.state.result?.image?.width, 40);
    assert.equal(kept.length, 1);
  });

  it('keeps an edit that has completed when it is disposed, because it is billed', async () => {
    const { store, kept } = create();
    store.setFile(photo, undefined);
    store.onDidChange(() => {
      if (store.state.run?.phase === 'loading') store.dispose();
    });
    await store.run(parameters);
    assert.equal(kept.length, 1);
  });

  it('does not identify an address with a secret after a reload', () => {
    const { store } = create();
    store.setUrl('https://example.com/a.png?width=2');
    assert.deepEqual(store.state.source?.kept, { kind: 'url', url: 'https://example.com/a.png?width=2' });
    store.setUrl('https://example.com/a.png?sig=abc');
    assert.equal(store.state.source.kept, undefined);
  });

  it('says when it waits for a rate limit', async () => {
    await using server = await startScriptedServer((_, response) => {
      response.setHeader('Retry-After', '60');
      json(response, 429, { error: 'rate limit exceeded for the minute window' });
    });
    const { store, state } = create({ client: server.client });
    store.setUrl('https://example.com/a.png');
    const run = store.run(parameters);
    await state((now) => now.run?.phase === 'waiting');
    store.cancel();
    await run;
    assert.deepEqual([store.state.run, store.state.error], [undefined, undefined]);
  });

  it('cancels the edit when it is disposed', async () => {
    const { store, state } = create();
    store.setUrl(`${slow}/a.png`);
    const run = store.run(parameters);
    await state((now) => now.run?.phase === 'running');
    store.dispose();
    await run;
    const { jobs } = await client.getEndpointHealth({ endpointId: IMAGE_EDIT_ENDPOINT_ID });
    assert.deepEqual([jobs.inProgress, jobs.inQueue], [0, 0]);
  });

  it('sends nothing without an image, a connection, or consent, and no file to a hosted platform', async () => {
    const { store } = create();
    await store.run(parameters);
    assert.ok(store.state.error instanceof SourceError && store.state.error.code === 'missing');
    const offline = create({ isConnected: false }).store;
    offline.setFile(photo, undefined);
    await offline.run(parameters);
    assert.ok(offline.state.error instanceof NotConnectedError);
    const refused = create({ kind: 'hosted', mayRun: false }).store;
    refused.setUrl('https://example.com/a.png');
    await refused.run(parameters);
    assert.deepEqual([refused.state.error, refused.state.result], [undefined, undefined]);
    refused.setFile(photo, undefined);
    await refused.run(parameters);
    assert.ok(refused.state.error instanceof SourceError && refused.state.error.code === 'needsAddress');
    assert.match(failureOf(refused.state.error).message, /Upload the file and use its URL, or connect to a local/);
  });

  it('names both remedies if a hosted platform cannot read the result of another platform', async () => {
    const { store, connections } = create();
    store.setFile(photo, undefined);
    await store.run(parameters);
    store.editAgain();
    connections.profile = { ...connections.profile, id: 'two', kind: 'hosted' };
    await store.run(parameters);
    assert.ok(store.state.error instanceof SourceError && store.state.error.code === 'needsAddress');
    const { message, remedy } = failureOf(store.state.error);
    assert.match(message, /Save and upload it, and use its URL, or connect to a local platform\.$/);
    assert.equal(remedy?.action, 'switchConnection');
  });

  it('shows why an edit failed, until another image is chosen', async () => {
    const { store } = create();
    store.setFile(photo, undefined);
    await store.run({ ...parameters, prompt: 'do something' });
    assert.ok(store.state.error instanceof EditFailedError);
    const failure = failureOf(store.state.error);
    assert.match(failure.message, /^The edit failed: the prompt contains no known instruction/);
    assert.deepEqual(failure.fields, [], 'the reason has no code');
    store.setFile(photo, undefined);
    assert.equal(store.state.error, undefined);
  });

  it('keeps the source when a file or an address is refused', () => {
    const { store } = create();
    store.setFile(photo, undefined);
    store.setUrl('file:///etc/passwd');
    assert.ok(store.state.sourceError instanceof SourceError);
    assert.equal(store.state.source?.name, 'photos/a.png');
    store.removeSource();
    assert.deepEqual([store.state.source, store.state.sourceError], [undefined, undefined]);
  });

  it('reads an address only on request, and only from public servers', async () => {
    const { store } = create();
    store.setUrl(' http://127.0.0.1:9/a.png ');
    assert.equal(store.state.source?.image, undefined);
    await store.loadSource();
    const { source } = store.state;
    assert.ok(source?.error instanceof FetchImageError && source.error.code === 'insecure');
    assert.equal(source.isLoading, false);
  });

  it('loads the image of an address for the comparison with its result', async () => {
    const { store } = create();
    store.setFile(photo, undefined);
    await store.run(parameters);
    const url = store.state.result?.edit.url ?? '';
    store.setUrl(url);
    await store.run(parameters);
    const beforeLoad = store.state.result;
    assert.equal(beforeLoad?.source.image, undefined);
    await store.loadSource();
    assert.equal(store.state.result?.source.image?.width, 40);
    const idOf = () => 'id';
    const view = imageEditView(store.state, { client, profile: undefined }, { history: [], idOf, now: 0 });
    assert.deepEqual([view.result?.before?.width, view.result?.after?.width], [40, 60]);
  });

  it('shows a stored edit with its source', () => {
    const { store } = create();
    const edit = {
      ...{ id: 'x', parameters, url: 'https://example.com/x.png', expiresAt: 0 },
      cost: undefined,
    } as FinishedEdit;
    const image = { bytes: photo.source.bytes, mediaType: 'image/png', width: 60, height: 40 } as const;
    store.show({ edit, image, source: photo.source });
    assert.equal(store.state.source?.image?.width, 60);
    store.show({ edit, image, source: undefined });
    assert.deepEqual([store.state.source, store.state.result?.edit], [undefined, edit]);
  });
});
