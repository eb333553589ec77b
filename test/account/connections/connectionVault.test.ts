import assert from 'node:assert/strict';
import {
  edit,
  put,
  select,
  serializeDocument,
  signOut,
  type ConnectionDocument,
} from '../../../src/account/connections/connectionDocument.ts';
import { ConnectionVault } from '../../../src/account/connections/connectionVault.ts';
import { hosted, SharedSecrets } from './support.ts';

const SECRET = 'cloudCompute.connections';

/** Opens the vault of one window. `seen` contains the document after each change event. */
async function open(secrets: SharedSecrets) {
  const seen: ConnectionDocument[] = [];
  const vault = new ConnectionVault({
    secrets: secrets.window(),
    changed: () => void seen.push(vault.document),
  });
  await vault.load();
  return { vault, seen };
}

const ids = ({ document }: ConnectionVault) => document.connections.map(({ id }) => id);

describe('ConnectionVault', () => {
  it('restores the stored document', async () => {
    const secrets = new SharedSecrets();
    const { vault } = await open(secrets);
    await vault.change(put(hosted('a')));
    await vault.change(select('a'));
    const again = await open(secrets);
    assert.deepEqual(again.vault.document, vault.document);
    assert.equal(again.vault.document.current, 'a');
  });

  it('applies a change before it is stored', async () => {
    const secrets = new SharedSecrets();
    const { vault } = await open(secrets);
    const stored = vault.change(put(hosted('a')));
    assert.deepEqual(ids(vault), ['a']);
    assert.equal(secrets.texts.size, 0);
    await stored;
    assert.deepEqual([...secrets.texts.keys()], [SECRET]);
  });

  it('fires no event for a change that has no effect', async () => {
    const { vault, seen } = await open(new SharedSecrets());
    await vault.change(put(hosted('a')));
    const before = seen.length;
    await vault.change(put(hosted('a')));
    assert.equal(seen.length, before);
  });

  it('updates the other windows, and keeps the changes of all windows', async () => {
    const secrets = new SharedSecrets();
    const [one, two] = [await open(secrets), await open(secrets)];
    await one.vault.change(put(hosted('a')));
    await two.vault.change(put(hosted('b')));
    await one.vault.change(select('b'));
    await two.vault.change(edit('a', { name: 'renamed' }));
    await one.vault.retry();
    assert.deepEqual(new Set(ids(one.vault)), new Set(['a', 'b']));
    assert.equal(serializeDocument(one.vault.document), serializeDocument(two.vault.document));
    assert.equal(one.vault.document.current, 'b');
  });

  it('ignores changes of other windows after it is disposed', async () => {
    const secrets = new SharedSecrets();
    const [one, two] = [await open(secrets), await open(secrets)];
    one.vault.dispose();
    await two.vault.change(put(hosted('a')));
    assert.deepEqual(ids(one.vault), []);
  });

  it('deletes all stored connections, including unreadable ones', async () => {
    const secrets = new SharedSecrets();
    const { vault } = await open(secrets);
    await vault.change(put(hosted('a')));
    const cleared = vault.clear();
    const added = vault.change(put(hosted('b')));
    await cleared;
    await added;
    assert.deepEqual(ids(vault), ['b']);
    await vault.clear();
    assert.equal(secrets.texts.size, 0);
  });

  it('keeps a damaged document until the user forgets all connections', async () => {
    const secrets = new SharedSecrets();
    secrets.texts.set(SECRET, '{');
    const { vault } = await open(secrets);
    assert.match(
      vault.problem?.message ?? '',
      /damaged/,
      'features do not delete the data of connections that are not known',
    );
    await vault.change(put(hosted('a')));
    assert.deepEqual([ids(vault), secrets.texts.get(SECRET)], [['a'], '{']);
    await vault.clear();
    await vault.change(put(hosted('b')));
    assert.deepEqual([vault.problem, ids((await open(secrets)).vault)], [undefined, ['b']]);
  });

  it('does not overwrite the document of a newer version', async () => {
    const secrets = new SharedSecrets();
    const newer = '{"version":3}';
    secrets.texts.set(SECRET, newer);
    const { vault } = await open(secrets);
    await vault.change(put(hosted('a')));
    assert.match(vault.problem?.message ?? '', /newer version/);
    assert.deepEqual(ids(vault), ['a']);
    assert.equal(secrets.texts.get(SECRET), newer);
  });
});

describe('ConnectionVault with a broken keyring', () => {
  it('keeps connections until the window closes', async () => {
    const secrets = new SharedSecrets();
    secrets.broken = new Error('no keyring daemon');
    const { vault, seen } = await open(secrets);
    assert.equal(vault.problem, secrets.broken);
    assert.equal(seen.length, 1, 'the vault reports the problem');
    await vault.change(put(hosted('a')));
    await vault.change(select('a'));
    assert.deepEqual([vault.document.current, ids(vault)], ['a', ['a']]);
    assert.equal(secrets.texts.size, 0);
  });

  it('stores the changes on top of the stored document once the keyring works again', async () => {
    const secrets = new SharedSecrets();
    await (await open(secrets)).vault.change(put(hosted('stored')));
    const { vault } = await open(secrets);
    secrets.broken = new Error('locked');
    await vault.change(put(hosted('a')));
    await vault.change(signOut('a'));
    assert.equal(vault.problem, secrets.broken);
    secrets.broken = undefined;
    await vault.retry();
    assert.equal(vault.problem, undefined);
    const { document } = (await open(secrets)).vault;
    assert.deepEqual(
      document.connections.map(({ id, apiKey }) => [id, apiKey]),
      [
        ['stored', 'key-of-stored'],
        ['a', undefined],
      ],
    );
  });

  it('clears the connections of this window at once and the stored ones later', async () => {
    const secrets = new SharedSecrets();
    const { vault } = await open(secrets);
    await vault.change(put(hosted('a')));
    secrets.broken = new Error('locked');
    await vault.clear();
    assert.deepEqual(ids(vault), []);
    assert.equal(vault.problem, secrets.broken);
    secrets.broken = undefined;
    await vault.retry();
    assert.deepEqual(ids((await open(secrets)).vault), [], 'the retry clears the stored connections');
  });
});
