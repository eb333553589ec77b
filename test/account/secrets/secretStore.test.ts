import assert from 'node:assert/strict';
import { secretNames, SecretStore, type NameStorage } from '../../../src/account/secrets/secretStore.ts';
import { knownNames } from '../../../src/features/manifest/model/environment/envProblems.ts';
import { SharedSecrets } from '../connections/support.ts';

class Names implements NameStorage {
  readonly values = new Map<string, unknown>();
  get = (key: string): unknown => this.values.get(key);
  update = (key: string, value: unknown): Promise<void> => Promise.resolve(void this.values.set(key, value));
}

describe('SecretStore', () => {
  function setUp() {
    const [shared, names] = [new SharedSecrets(), new Names()];
    return { shared, names, store: new SecretStore(shared.window(), names) };
  }

  it('keeps values in secret storage and only names elsewhere', async () => {
    const { shared, names, store } = setUp();
    await store.set('TOKEN', 'value-of-token');
    assert.equal(await store.get('TOKEN'), 'value-of-token');
    assert.deepEqual([...shared.texts], [['cloudCompute.manifest.secret/TOKEN', 'value-of-token']]);
    assert.ok(!JSON.stringify([...names.values]).includes('value-of-token'));
    assert.deepEqual(secretNames(new SecretStore(shared.window(), names)), ['TOKEN']);
  });

  it('lists names in alphabetical order', async () => {
    const { store } = setUp();
    for (const name of ['b', 'A', 'c']) await store.set(name, 'x');
    assert.deepEqual(secretNames(store), ['A', 'b', 'c']);
  });

  it('reports each change of the names, but not of a value', async () => {
    const { store } = setUp();
    const seen: string[][] = [];
    store.onDidChange(() => seen.push([...store.names]));
    const before = store.names;
    await store.set('TOKEN', 'one');
    await store.set('TOKEN', 'two');
    await store.delete('TOKEN');
    assert.deepEqual(seen, [['TOKEN'], []]);
    assert.notEqual(store.names, before);
    assert.equal(await store.get('TOKEN'), undefined);
  });

  it('follows the changes of another window', async () => {
    const { shared, store } = setUp();
    const other = new SecretStore(shared.window(), new Names());
    const next = () => new Promise<void>((resolve) => void store.onDidChange(resolve));
    let changed = next();
    await other.set('THEIRS', 'x');
    await changed;
    assert.deepEqual(secretNames(store), ['THEIRS']);
    changed = next();
    await other.delete('THEIRS');
    await changed;
    assert.deepEqual(secretNames(store), []);
  });

  it('drops a name whose value the keyring has lost', async () => {
    const { shared, store } = setUp();
    await store.set('LOST', 'x');
    shared.texts.clear();
    assert.equal(await store.get('LOST'), undefined);
    assert.deepEqual(secretNames(store), []);
  });

  it('keeps the names if secret storage fails', async () => {
    const { shared, store } = setUp();
    await store.set('KEPT', 'x');
    shared.broken = new Error('locked');
    await assert.rejects(store.get('KEPT'), /locked/);
    await assert.rejects(store.set('NEW', 'x'), /locked/);
    await assert.rejects(store.delete('KEPT'), /locked/);
    assert.deepEqual(secretNames(store), ['KEPT']);
  });

  it('ignores a damaged list and refuses invalid names', async () => {
    const names = new Names();
    names.values.set('cloudCompute.manifest.secretNames', ['OK', 5, 'not a name', '${x}']);
    const store = new SecretStore(new SharedSecrets().window(), names);
    assert.deepEqual(secretNames(store), ['OK']);
    await assert.rejects(store.set('a/b', 'x'), RangeError);
    assert.equal(await store.get('a/b'), undefined);
    names.values.set('cloudCompute.manifest.secretNames', 'TOKEN');
    assert.deepEqual(secretNames(new SecretStore(new SharedSecrets().window(), names)), []);
  });

  it('returns all values by name', async () => {
    const { store } = setUp();
    await store.set('A', '1');
    await store.set('B', '2');
    assert.deepEqual(
      [...(await store.values())],
      [
        ['A', '1'],
        ['B', '2'],
      ],
    );
  });
});

describe('knownNames', () => {
  it('contains names in the environment, in upper case on Windows', () => {
    const secrets = new Set(['S']);
    assert.deepEqual(knownNames(secrets, { Path: 'x' }, 'linux'), {
      secrets,
      variables: new Set(['Path']),
      ignoreCase: false,
    });
    assert.deepEqual(knownNames(secrets, { Path: 'x' }, 'win32').variables, new Set(['PATH']));
  });
});
