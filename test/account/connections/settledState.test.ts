import assert from 'node:assert/strict';
import type { StateStorage } from '../../../src/account/connections/connectionState.ts';
import { SettledState } from '../../../src/account/connections/settledState.ts';
import { JobHistoryStore } from '../../../src/features/jobs/actions/jobHistoryStore.ts';

type State = Readonly<Record<string, unknown>>;

/**
 * Creates a storage with the timing of the editor's global state: a timer sends the whole state to the main process, which returns it as an
 * event. The event replaces the state of the extension, and the write resolves after it.
 */
function editorState() {
  let state: State = {};
  let main = '{}';
  let sending: Promise<void> | undefined;
  const hop = () => new Promise<void>((resolve) => setImmediate(resolve));
  const send = async () => {
    await hop();
    sending = undefined;
    const sent = JSON.stringify(state);
    await hop();
    main = sent;
    await hop();
    state = JSON.parse(sent) as State;
  };
  const storage: StateStorage = {
    keys: () => Object.keys(state),
    get: (key) => state[key],
    update: (key, value) => {
      state = { ...state, [key]: value };
      return (sending ??= send());
    },
  };
  /** Another window writes a value. */
  const writeElsewhere = (key: string, value: unknown) => {
    main = JSON.stringify({ ...(JSON.parse(main) as State), [key]: value });
    state = JSON.parse(main) as State;
  };
  return { storage, writeElsewhere, stored: () => JSON.parse(main) as State };
}

const job = (id: number, status: string) => ({
  ...{ id: `${id}`, endpointId: 'e', endpointName: 'hello', submittedAt: id, status },
});

/** Records the end of 50 jobs, with steps of the event loop between them. */
async function flood(storage: StateStorage): Promise<readonly string[]> {
  const history = new JobHistoryStore(storage);
  const ids = Array.from({ length: 50 }, (_, id) => id);
  const run = async (id: number) => {
    for (let steps = 0; steps < id; steps++) await new Promise((resolve) => setImmediate(resolve));
    await history.put('c', job(id, 'IN_PROGRESS'));
    await history.put('c', job(id, 'COMPLETED'));
  };
  await Promise.all(ids.map(run));
  return history.recent('c').map(({ status }) => status);
}

describe('Settled state', () => {
  it('keeps the end of each job in a flood of writes, which the state of the editor loses', async () => {
    const lossy = await flood(editorState().storage);
    assert.ok(lossy.length < 50 || lossy.includes('IN_PROGRESS'), 'this test has the timing of the editor');
    const { storage, stored } = editorState();
    const statuses = await flood(new SettledState(storage));
    assert.deepEqual([statuses.length, new Set(statuses)], [50, new Set(['COMPLETED'])]);
    const [onDisk] = Object.values(stored());
    assert.equal(JSON.stringify(onDisk).match(/COMPLETED/g)?.length, 50);
  });

  it('returns a value before its write completes, and the values of other windows afterwards', async () => {
    const { storage, writeElsewhere } = editorState();
    const settled = new SettledState(storage);
    const written = settled.update('a', [1]);
    assert.deepEqual([settled.get('a'), settled.keys()], [[1], ['a']]);
    await written;
    writeElsewhere('a', [2]);
    assert.deepEqual(settled.get('a'), [2]);
    await settled.update('a', undefined);
    assert.deepEqual([settled.get('a'), settled.keys()], [undefined, []]);
  });

  it('writes a value again that the event of another window removed', async () => {
    const { storage, writeElsewhere, stored } = editorState();
    const settled = new SettledState(storage);
    const written = settled.update('a', 1);
    await Promise.resolve();
    writeElsewhere('b', 2);
    await written;
    assert.deepEqual(stored(), { a: 1, b: 2 });
  });

  it('rejects a failed write, and completes later ones', async () => {
    const { storage } = editorState();
    let fails = true;
    const update = (key: string, value: unknown) =>
      fails ? Promise.reject(new Error('full')) : storage.update(key, value);
    const settled = new SettledState({ keys: () => storage.keys(), get: (key) => storage.get(key), update });
    await assert.rejects(settled.update('a', 1), /full/);
    assert.equal(settled.get('a'), undefined);
    fails = false;
    await settled.update('a', 2);
    assert.equal(settled.get('a'), 2);
  });
});
