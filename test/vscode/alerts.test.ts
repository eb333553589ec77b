import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import type { EndpointMetrics } from '../../src/contract/control/controlMetrics.ts';
import { FiringAlerts } from '../../src/account/endpoints/firingAlerts.ts';
import { createAlerts, type AlertServices } from '../../src/features/alerts/alertNotices.ts';
import type { StateStorage } from '../../src/kit/keyedState.ts';
import { endpoint } from '../features/endpoints/sample.ts';
import { activated, workspaceFolder } from './support.ts';

const MINUTE_MS = 60_000;
const START = 1_800_000_000_000;
const MANIFEST = {
  ...{ name: 'alerted', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, image: 'a/b:1' },
  ...{ cpu: [{ id: 'cpu3c', vcpuCount: 2 }], 'x-alerts': { failuresInARow: 2 } },
};

function memory(): StateStorage {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key) => values.get(key),
    update: (key, value) => Promise.resolve(void values.set(key, value)),
  };
}

/** A platform that measures what the test says, and windows of one workspace that share their state. */
function world() {
  const [globalState, workspaceState] = [memory(), memory()];
  let now = START;
  const points: EndpointMetrics['points'] = [];
  const rounds: (() => void)[] = [];
  const clock = {
    now: () => now,
    /** Only a pause between two looks waits for the test. */
    sleep: (ms: number) => (ms < MINUTE_MS ? Promise.resolve() : new Promise<void>((resolve) => rounds.push(resolve))),
  };
  const answers = (address: string): object => {
    if (address.includes('/metrics')) return { step: 10, points, total: {}, markers: [] };
    if (address.includes('/clock')) return { now: new Date(now).toISOString(), aheadMs: 0, frozen: true };
    const endpoints = [
      { ...endpoint, id: 'e0', name: 'broken', type: 'QUEUE' },
      { ...endpoint, id: 'e1', name: 'alerted', type: 'QUEUE' },
    ];
    return { endpoints };
  };
  const client = createClient({
    connection: {
      baseUrl: 'http://p',
      restUrl: 'http://p',
      queueUrl: 'http://p',
      endpointHost: 'http://p',
      apiKey: 'k',
    },
    fetch: (input) => {
      const address = String(input instanceof Request ? input.url : input);
      // Every request about this endpoint fails.
      if (address.includes('/e0')) return Promise.resolve(Response.json({}, { status: 500 }));
      return Promise.resolve(Response.json(answers(address)));
    },
  });
  const open = () => {
    const firingAlerts = new FiringAlerts();
    const alerts = createAlerts({
      ...{ clock, globalState, firingAlerts, context: { workspaceState } },
      connections: {
        client,
        profile: { id: 'c1', kind: 'local', name: 'Local', baseUrl: 'http://p' },
        onDidChange: () => ({ dispose: () => undefined }),
      },
      log: { warn: (words: string, error: unknown) => assert.fail(`${words} ${String(error)}`), info: () => undefined },
    } as unknown as AlertServices);
    return { firingAlerts, [Symbol.dispose]: () => void alerts.dispose() };
  };
  /** Measures ten seconds, and lets all windows look. */
  const look = async (outcomes: Readonly<Record<string, number>>) => {
    points.push({ at: new Date(now).toISOString(), outcomes });
    now += 10_000;
    await looked();
    for (const next of rounds.splice(0)) next();
    await looked();
  };
  /** Resolves once each window waits for its next look. */
  const looked = async () => {
    for (let turns = 0; rounds.length === 0 || turns < 20; turns++) await new Promise((next) => setTimeout(next, 5));
  };
  return { open, look };
}

describe('The alerts of manifests', () => {
  const window = vscode.window as unknown as Record<'showWarningMessage' | 'showQuickPick', unknown>;
  const originals = { ...{ showWarningMessage: window.showWarningMessage, showQuickPick: window.showQuickPick } };
  const file = () => vscode.Uri.joinPath(workspaceFolder(), 'alerted.endpoint.json');
  let shown: string[] = [];
  let choose: (buttons: readonly string[]) => string | undefined = () => undefined;

  before(async () => {
    await activated();
    await vscode.workspace.fs.writeFile(file(), Buffer.from(JSON.stringify(MANIFEST)));
  });
  after(() => vscode.workspace.fs.delete(file()));
  beforeEach(() => {
    shown = [];
    choose = () => undefined;
    window.showWarningMessage = (message: string, ...buttons: string[]) => {
      shown.push([message, ...buttons].join(' | '));
      return Promise.resolve(choose(buttons));
    };
  });
  afterEach(() => void Object.assign(window, originals));

  const NOTICE = '“alerted” failed 2 times in a row. | Explain | Silence…';

  it('appear once per firing in one of two windows, and mark the row until they are over', async () => {
    const { open, look } = world();
    using one = open();
    using other = open();
    await look({ COMPLETED: 1 });
    assert.deepEqual(shown, []);
    await look({ FAILED: 2 });
    await look({ FAILED: 2 });
    assert.deepEqual(shown, [NOTICE]);
    for (const { firingAlerts } of [one, other]) assert.equal(firingAlerts.of('e1').length, 1);
    await look({ COMPLETED: 1 });
    assert.deepEqual(one.firingAlerts.of('e1'), []);
    await look({ FAILED: 2 });
    assert.deepEqual(shown, [NOTICE, NOTICE]);
  });

  it('are not repeated by a window that is opened again', async () => {
    const { open, look } = world();
    {
      using first = open();
      await look({ COMPLETED: 1 });
      await look({ FAILED: 2 });
      assert.equal(first.firingAlerts.of('e1').length, 1);
    }
    using again = open();
    await look({ FAILED: 1 });
    assert.equal(again.firingAlerts.of('e1').length, 1);
    assert.deepEqual(shown, [NOTICE]);
  });

  it('appear although an earlier endpoint cannot be read', async () => {
    const broken = vscode.Uri.joinPath(workspaceFolder(), 'a-broken.endpoint.json');
    await vscode.workspace.fs.writeFile(broken, Buffer.from(JSON.stringify({ ...MANIFEST, name: 'broken' })));
    try {
      const { open, look } = world();
      using one = open();
      await look({ COMPLETED: 1 });
      await look({ FAILED: 2 });
      assert.deepEqual(shown, [NOTICE]);
      assert.equal(one.firingAlerts.of('e1').length, 1);
    } finally {
      await vscode.workspace.fs.delete(broken);
    }
  });

  it('do not appear for a silenced endpoint, whose row keeps its mark', async () => {
    const { open, look } = world();
    using one = open();
    choose = (buttons) => buttons[1];
    window.showQuickPick = (rows: readonly unknown[]) => Promise.resolve(rows[1]);
    await look({ FAILED: 2 });
    assert.equal(shown.length, 1);
    await look({ COMPLETED: 1 });
    await look({ FAILED: 2 });
    assert.equal(shown.length, 1);
    assert.equal(one.firingAlerts.of('e1').length, 1);
  });
});
