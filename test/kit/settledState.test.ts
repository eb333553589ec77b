import assert from 'node:assert/strict';
import type { StateStorage } from '../../src/kit/keyedState.ts';
import { SettledState } from '../../src/kit/settledState.ts';

const IDS = Array.from({ length: 50 }, (_, id) => id);

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

/** Adds 50 numbers to one value, with steps of the event loop between them. */
async function flood(storage: StateStorage): Promise<unknown> {
  const add = async (id: number) => {
    for (let steps = 0; steps < id; steps++) await new Promise((resolve) => setImmediate(resolve));
    await storage.update('ids', [...((storage.get('ids') as number[] | undefined) ?? []), id]);
  };
  await Promise.all(IDS.map(add));
  return storage.get('ids');
}

describe('Settled state', () => {
  it('keeps each change in a flood of writes, which the state of the editor loses', async () => {
    assert.notDeepEqual(await flood(editorState().storage), IDS);
    const { storage, stored } = editorState();
    assert.deepEqual(await flood(new SettledState(storage)), IDS);
    assert.deepEqual(stored(), { ids: IDS });
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
