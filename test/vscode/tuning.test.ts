import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AccountServices } from '../../src/account/accountServices.ts';
import { systemClock } from '../../src/client/clock.ts';
import { planTuning, type TuningPlan } from '../../src/features/tuning/actions/tune.ts';
import { subjectOfEndpoint, subjectOfManifest } from '../../src/features/tuning/model/subjects.ts';
import { givenTime } from '../../src/features/tuning/model/times.ts';
import { loadOfPattern } from '../../src/features/tuning/model/tunedLoad.ts';
import { tuningToKeep, type KeptTuning } from '../../src/features/tuning/openedTuning.ts';
import { restoreTuning } from '../../src/features/tuning/tuningCommand.ts';
import { TuningPanel } from '../../src/features/tuning/tuningPanel.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import type { ScalingTarget } from '../../src/features/manifest/index.ts';
import type { TuningToHost, TuningToWebview } from '../../src/webviews/tuning/messages.ts';
import { inputs } from './inputs.ts';
import { JobWorld } from './jobWorld.ts';
import { extension, waitFor, workspaceFolder } from './support.ts';

const TUNE = 'cloudCompute.endpoints.tune';
const { executeCommand } = vscode.commands;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
const window = vscode.window as Mutable<typeof vscode.window>;
const { signal } = new AbortController();

const name = `tuned-${Date.now()}`;
const manifest = `# A worker of the shop.
name: ${name}
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 } # seconds
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 1, max: 5, idleTimeout: 300 }
image: example/shop:1
disk: 5
`;

const RATE = { kind: 'rate', rate: 0.2, rampTo: 0.2, seconds: 600, arrivals: 'poisson', seed: 1 } as const;

/** Answers the list with the item that has this label, and each input box with the next text. */
function answering(label: string | undefined, ...answers: (string | undefined)[]) {
  const { showInputBox, showQuickPick } = vscode.window;
  const prompts: string[] = [];
  const labels: string[] = [];
  Object.assign(window, {
    showQuickPick: async (items: Promise<vscode.QuickPickItem[]> | vscode.QuickPickItem[]) => {
      const all = await items;
      labels.push(...all.map((item) => item.label));
      return all.find((item) => label !== undefined && item.label.includes(label));
    },
    showInputBox: (options?: vscode.InputBoxOptions) => {
      prompts.push(options?.prompt ?? '');
      return Promise.resolve(answers.shift());
    },
  });
  return { labels, prompts, [Symbol.dispose]: () => void Object.assign(window, { showInputBox, showQuickPick }) };
}

const tabsChanged = [vscode.window.tabGroups.onDidChangeTabs] as vscode.Event<never>[];
const tabs = () =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('cloudCompute.tuning'));

describe('Tune Scaling', () => {
  const world = new JobWorld();
  const files: vscode.Uri[] = [];

  before(() => world.start());
  after(() => world.stop());
  afterEach(async () => {
    await executeCommand('workbench.action.revertAndCloseActiveEditor');
    await world.reset();
    for (const uri of files.splice(0)) await vscode.workspace.fs.delete(uri);
  });

  const opened = async (text: string): Promise<vscode.TextDocument> => {
    const uri = vscode.Uri.joinPath(workspaceFolder(), `${name}-${files.length}-${Math.random()}.endpoint.yaml`);
    files.push(uri);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    return document;
  };

  it('asks for the load of a manifest and for the times that nothing measured, and opens the page', async () => {
    const document = await opened(manifest);
    using asked = answering('Rate', '0.2 random', '2', '5', '');
    await executeCommand(TUNE, document.uri, 0);
    await waitFor(tabsChanged, () => tabs().length === 1);
    assert.deepEqual(asked.labels, ['$(graph-line) Rate…', '$(file) Recorded Arrivals…']);
    assert.equal(asked.prompts.length, 4);
    assert.match(asked.prompts[1] ?? '', /It was not measured, and the result says that it is assumed\./);
    assert.deepEqual(world.messages, []);
  });

  it('takes the measured load of an endpoint, without questions about times', async () => {
    const endpointId = await world.endpoint('measured');
    await world.client.runJobSync({ endpointId, body: { input: { do: 'echo', value: 1 } } });
    await executeCommand('cloudCompute.endpoints.refresh');
    using asked = answering('Measured Load', '');
    await executeCommand(TUNE, { kind: 'endpoint', endpointId });
    await waitFor(tabsChanged, () => tabs().length === 1);
    assert.equal(asked.prompts.length, 1);
    assert.deepEqual(world.messages, []);
  });

  it('does nothing if the user leaves a question', async () => {
    const document = await opened(manifest);
    {
      using asked = answering(undefined);
      await executeCommand(TUNE, document.uri, 0);
      assert.deepEqual([asked.labels.length, asked.prompts], [2, []]);
    }
    using asked = answering('Rate', '1', undefined);
    await executeCommand(TUNE, document.uri, 0);
    assert.deepEqual([asked.prompts.length, tabs().length, world.messages], [2, 0, []]);
  });

  it('names the error of a manifest', async () => {
    const document = await opened(manifest.replace('QUEUE\n', 'QEUE\n'));
    await executeCommand(TUNE, document.uri, 0);
    assert.match(world.messages.join(), /^Could not tune the scaling: .*line 3: type/);
  });

  it('says that a paused endpoint has nothing to simulate', async () => {
    const document = await opened(manifest.replace('min: 1, max: 5', 'min: 0, max: 0'));
    using asked = answering('Rate', '1', '1', '1', '');
    await executeCommand(TUNE, document.uri, 0);
    assert.equal(asked.prompts.length, 4);
    assert.match(world.messages.join(), /the endpoint is paused: workers\.max is 0/);
  });

  /** Returns a panel with a webview that has no browser, and what it receives. */
  function fakePanel() {
    const received: TuningToWebview[] = [];
    const receivedOne = new vscode.EventEmitter<TuningToWebview>();
    const sent = new vscode.EventEmitter<TuningToHost>();
    const closed = new vscode.EventEmitter<void>();
    const panel = {
      webview: {
        ...{ html: '', options: {}, cspSource: '', asWebviewUri: (uri: vscode.Uri) => uri },
        onDidReceiveMessage: sent.event,
        postMessage: (message: TuningToWebview) => {
          received.push(message);
          receivedOne.fire(message);
          return Promise.resolve(true);
        },
      },
      onDidDispose: closed.event,
    } as unknown as vscode.WebviewPanel;
    return {
      panel,
      send: (message: TuningToHost) => sent.fire(message),
      last: <Type extends TuningToWebview['type']>(type: Type) =>
        received.findLast((message): message is Extract<TuningToWebview, { type: Type }> => message.type === type),
      until: (condition: () => unknown) => waitFor([receivedOne.event as vscode.Event<never>], condition),
      close: () => closed.fire(),
    };
  }

  const connectionChanged = new vscode.EventEmitter<void>();

  function servicesOf(connected: { isConnected: boolean }): AccountServices {
    const { extensionPath, extensionUri } = extension();
    const profile = { id: 'local', kind: 'local', name: 'Local Platform' };
    const workspaceState = { get: () => undefined, keys: () => [], update: () => Promise.resolve() };
    return {
      clock: systemClock,
      log: { warn: (message: string) => assert.fail(message), error: (message: string) => assert.fail(message) },
      context: { extensionUri, workspaceState, asAbsolutePath: (file: string) => `${extensionPath}/${file}` },
      connections: {
        get client() {
          return connected.isConnected ? world.client : undefined;
        },
        ...{ profile, find: () => profile, load: () => Promise.resolve(), onDidChange: connectionChanged.event },
      },
      endpoints: { endpoints: [], refresh: () => Promise.resolve() },
    } as unknown as AccountServices;
  }

  const answers = { source: { kind: 'pattern', value: '0.2 random' }, execution: 2, coldStart: 5 } as const;

  /** Opens the page of a plan, and returns what it receives. */
  function page(plan: TuningPlan, { place, endpoint }: Partial<Pick<ScalingTarget, 'place' | 'endpoint'>>) {
    const shownPage = fakePanel();
    const services = servicesOf({ isConnected: true });
    const target = { name, manifest: undefined, endpoint, place };
    const opened = { target, plan, connection: 'Local Platform' };
    const kept: KeptTuning = { name, connectionId: 'local', answers };
    const host = new TuningPanel(shownPage.panel, { services, kept, open: () => Promise.resolve(opened) });
    return { host, ...shownPage };
  }

  const planned = async (): Promise<TuningPlan> => {
    const part = readManifestFile(manifest, { language: 'yaml', target: 'local' }).parts[0]?.manifest;
    assert.ok(part);
    const load = { ...loadOfPattern(RATE), executions: givenTime(2), coldStarts: givenTime(5) };
    const plan = await planTuning(world.client, subjectOfManifest(part), load, { signal });
    assert.ok('candidates' in plan);
    return plan;
  };

  it('simulates in a process, and writes the chosen setting into the manifest, as an edit that can be undone', async () => {
    const document = await opened(manifest);
    const plan = await planned();
    const { until, last, send, host } = page(plan, { place: { uri: document.uri, part: 0 } });
    await until(() => last('view')?.view.state === 'done');
    assert.equal(last('view')?.view.done, plan.candidates.length);
    const { cheapest, rows = [] } = last('result')?.result ?? {};
    const row = rows.find(({ id }) => id === cheapest);
    assert.ok(row, JSON.stringify(rows));
    send({ type: 'apply', id: row.id });
    await waitFor([vscode.workspace.onDidChangeTextDocument as vscode.Event<never>], () => document.isDirty);
    const text = document.getText();
    assert.match(text, /^# A worker of the shop\.\n/);
    assert.match(text, /# seconds\n/);
    const { workers } = readManifestFile(text, { language: 'yaml', target: 'local' }).parts[0]?.manifest ?? {};
    assert.equal(`${workers?.min ?? 0}–${workers?.max ?? 3}`, row.workers);
    await executeCommand('undo');
    assert.equal(document.getText(), manifest);
    host.dispose();
  });

  it('stops the simulation when the user cancels, and repeats it', async () => {
    const plan = await planned();
    const { until, last, send, host } = page(plan, {});
    send({ type: 'cancel' });
    await until(() => last('view')?.view.state === 'canceled');
    assert.equal(last('view')?.view.applies, 'endpoint');
    send({ type: 'repeat' });
    await until(() => last('view')?.view.state === 'done');
    host.dispose();
  });

  it('updates an endpoint without a manifest after a question', async () => {
    const id = await world.endpoint('direct', { workers: { min: 1, max: 2, idleTimeout: 100 } });
    const endpoint = await world.client.getEndpoint({ id });
    const subject = subjectOfEndpoint(endpoint);
    assert.ok(subject);
    const load = { ...loadOfPattern(RATE), executions: givenTime(2), coldStarts: givenTime(5) };
    const plan = await planTuning(world.client, subject, load, { signal });
    assert.ok('candidates' in plan);
    const { until, last, send, host } = page(plan, { endpoint: { endpoint } as ScalingTarget['endpoint'] });
    await until(() => last('view')?.view.state === 'done');
    const row = last('result')?.result.rows.find(({ isPresent }) => !isPresent);
    assert.ok(row);
    const refused = inputs();
    send({ type: 'apply', id: row.id });
    while (refused.asked.length === 0) await world.client.getEndpoint({ id });
    refused.done();
    assert.equal(refused.asked[0], `Update “direct” on “Local Platform”? ${row.changes}`);
    assert.equal((await world.client.getEndpoint({ id })).workers.idleTimeout, 100);
    const agreed = inputs({ confirm: 'Update Endpoint' });
    send({ type: 'apply', id: row.id });
    const workers = async () => {
      const { min, max } = (await world.client.getEndpoint({ id })).workers;
      return `${min}–${max}`;
    };
    while ((await workers()) !== row.workers) assert.ok(agreed.asked.length <= 1);
    agreed.done();
    host.dispose();
  });

  it('returns after a reload of the window, once its connection can be used', async () => {
    const document = await opened(manifest);
    const part = readManifestFile(manifest, { language: 'yaml', target: 'local' }).parts[0]?.manifest;
    const place = { uri: document.uri, part: 0 };
    const kept = tuningToKeep({ name, manifest: part, endpoint: undefined, place }, 'local', answers);
    const stored: unknown = JSON.parse(JSON.stringify({ reopen: kept, chosen: '1' }));
    const connected = { isConnected: false };
    const { panel, until, last, send, close } = fakePanel();
    restoreTuning(servicesOf(connected), () => Promise.resolve([]), panel, stored);
    await until(() => last('view')?.view.state === 'failed');
    assert.equal(last('view')?.view.failure, 'Could not tune the scaling: the local platform is not running');
    connected.isConnected = true;
    connectionChanged.fire();
    await until(() => last('view')?.view.state === 'done');
    send({ type: 'ready' });
    assert.deepEqual(last('keep')?.reopen, kept);
    assert.equal(last('view')?.view.applies, 'manifest');
    assert.match(last('view')?.view.notes[0] ?? '', /^The load is an assumed pattern: /);
    assert.ok((last('result')?.result.rows.length ?? 0) > 1);
    close();
  });

  it('closes a page that kept nothing after a reload', () => {
    let isClosed = false;
    const panel = { dispose: () => (isClosed = true) } as unknown as vscode.WebviewPanel;
    restoreTuning(servicesOf({ isConnected: true }), () => Promise.resolve([]), panel, { reopen: { name } });
    assert.ok(isClosed);
  });
});
