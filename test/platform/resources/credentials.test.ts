import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../src/platform/time/clock.ts';
import { openResources } from '../../../src/platform/resources/resources.ts';
import { secretBox } from '../../../src/platform/secrets/secretBox.ts';
import { openSqliteStore } from '../../../src/platform/store/sqlite/sqlite.ts';
import { cleanUp, dataDirectory } from '../support.ts';

describe('Stored secrets', () => {
  afterEach(cleanUp);

  it('are encrypted in the store, and decrypted to pull an image', () => {
    const store = openSqliteStore(':memory:');
    const { registries } = openResources(store, systemClock).of('owner');
    const { id } = registries.create({ name: 'r', username: 'größe', password: 'p"ß' });
    assert.deepEqual(registries.credentials(id), { username: 'größe', password: 'p"ß' });
    assert.ok(!JSON.stringify(store.resources.of('owner').registries.list()).includes('größe'));
    assert.throws(() => registries.credentials('other'), /not found/);
    store.close();
  });

  it('can be decrypted only with the same key file', async () => {
    const file = path.join(await dataDirectory(), 'secrets.key');
    const sealed = secretBox(file).seal('secret', 'owner');
    assert.equal(secretBox(file).open(sealed, 'owner'), 'secret');
    assert.throws(() => secretBox().open(sealed, 'owner'));
  });

  it('have a key identifier that does not reveal the key', async () => {
    const file = path.join(await dataDirectory(), 'secrets.key');
    const identifier = secretBox(file).identify('purpose');
    assert.match(identifier, /^[0-9a-f]{32}$/);
    assert.equal(secretBox(file).identify('purpose'), identifier, 'after a restart');
    assert.notEqual(secretBox(file).identify('another'), identifier);
    assert.notEqual(secretBox().identify('purpose'), identifier, 'for other data');
    assert.ok(!(await readFile(file)).toString('hex').includes(identifier));
  });

  it('cannot be decrypted for another record or after a modification', () => {
    const box = secretBox();
    const sealed = box.seal('secret', 'owner');
    assert.throws(() => box.open(sealed, 'other'));
    const bytes = Buffer.from(sealed, 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    assert.throws(() => box.open(bytes.toString('base64'), 'owner'));
    assert.throws(() => box.open('', 'owner'));
    assert.notEqual(box.seal('secret', 'owner'), sealed, 'the same secret is sealed differently each time');
  });

  it('are not encrypted with an invalid key file', async () => {
    const file = path.join(await dataDirectory(), 'secrets.key');
    await writeFile(file, 'short');
    assert.throws(() => secretBox(file).seal('secret', 'owner'), /is not a key: it must have 32 bytes/);
  });
});
