import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/kit/emitter.ts';
import type { StateStorage } from '../../src/kit/keyedState.ts';
import type { EndpointSnapshot } from '../../src/account/endpoints/endpointSnapshot.ts';
import { registerUnhealthyNotice, type UnhealthyNoticeServices } from '../../src/features/endpoints/unhealthyNotice.ts';
import { ClaimedFailures } from '../../src/account/diagnosis/claimedFailures.ts';
import { endpoint, snapshot, workers } from '../features/endpoints/sample.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

/** A platform whose endpoints a test changes, and the storage that all windows share. */
function world() {
  const values = new Map<string, unknown>();
  const storage: StateStorage = {
    keys: () => [...values.keys()],
    get: (key) => values.get(key),
    update: (key, value) => Promise.resolve(void values.set(key, value)),
  };
  const changed = new Emitter<undefined>();
  let listed: readonly EndpointSnapshot[] = [];
  const claimedFailures = new ClaimedFailures();
  /** Timers of the notices that wait for other endpoints. */
  const timers: (() => void)[] = [];
  const endpoints = {
    get endpoints() {
      return listed;
    },
    find: (id: string) => listed.find((one) => one.endpoint.id === id),
    refreshOne: () => Promise.resolve(),
    onDidChange: changed.event,
  };
  const services = {
    endpoints,
    connections: { client: undefined, profile: { id: 'c1', kind: 'local' } },
    claimedFailures,
    clock: { now: () => 0, sleep: () => new Promise<void>((resolve) => timers.push(resolve)) },
    globalState: storage,
    log: { warn: (message: string) => assert.fail(message) },
  } as unknown as UnhealthyNoticeServices;
  return {
    claimedFailures,
    open: () => registerUnhealthyNotice(services),
    list: (names: readonly string[], ...statuses: string[]) => {
      listed = names.map((name) =>
        snapshot(workers(...statuses), { endpoint: { ...endpoint, id: `id-${name}`, name } }),
      );
      changed.fire(undefined);
    },
    /** Lets the time pass in which a notice waits for other endpoints. */
    settle: async () => {
      for (const resolve of timers.splice(0)) resolve();
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

describe('The notice about workers that cannot run', () => {
  const { showWarningMessage } = vscode.window;
  const window = vscode.window as { showWarningMessage: unknown };
  let shown: string[] = [];

  beforeEach(() => {
    shown = [];
    window.showWarningMessage = (message: string, ...buttons: string[]) => {
      shown.push([message, ...buttons].join(' | '));
      return Promise.resolve(undefined);
    };
  });

  afterEach(() => {
    window.showWarningMessage = showWarningMessage;
  });

  it('is one for five endpoints that fail one after the other', async () => {
    const { open, list, settle } = world();
    open();
    for (let failed = 1; failed <= NAMES.length; failed++) list(NAMES.slice(0, failed), 'UNHEALTHY');
    await settle();
    list(NAMES, 'UNHEALTHY');
    await settle();
    assert.deepEqual(shown, ['Workers of 5 endpoints cannot run: “a”, “b”, “c”, “d”, “e”. | Explain']);
  });

  it('is not repeated when the platform restarts', async () => {
    const { open, list, settle } = world();
    open();
    for (const statuses of [['UNHEALTHY'], [], ['INITIALIZING'], ['UNHEALTHY']]) {
      list(['a'], ...statuses);
      await settle();
    }
    assert.deepEqual(shown, ['A worker of “a” cannot run. The log shows the reason. | Explain | Show Logs']);
  });

  it('is not repeated in a window that opens later', async () => {
    const { open, list, settle } = world();
    const first = open();
    list(NAMES, 'UNHEALTHY');
    await settle();
    first.dispose();
    open();
    list([], 'UNHEALTHY');
    list(NAMES, 'UNHEALTHY');
    await settle();
    assert.equal(shown.length, 1);
  });

  it('is not repeated after a lost connection, during which no workers are known', async () => {
    const { open, list, settle } = world();
    open();
    list(['a'], 'UNHEALTHY');
    await settle();
    list(['a']);
    list(['a'], 'UNHEALTHY');
    await settle();
    assert.equal(shown.length, 1);
  });

  it('is not shown for an endpoint whose deployment reports the failure', async () => {
    const { open, list, settle, claimedFailures } = world();
    open();
    const release = claimedFailures.claim('id-a');
    list(['a', 'b'], 'UNHEALTHY');
    release();
    await settle();
    list(['a', 'b'], 'UNHEALTHY');
    await settle();
    assert.deepEqual(shown, ['A worker of “b” cannot run. The log shows the reason. | Explain | Show Logs']);
  });

  it('is shown again for an endpoint that has recovered in the meantime', async () => {
    const { open, list, settle } = world();
    open();
    for (const status of ['UNHEALTHY', 'IDLE', 'UNHEALTHY']) {
      list(['a'], status);
      await settle();
    }
    assert.equal(shown.length, 2);
  });
});
