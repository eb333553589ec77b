import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { listObjects } from '../../../src/platform/files/listing.ts';
import { holdDirectory } from '../../../src/platform/files/heldDirectory.ts';
import { compareKeys, parseKey } from '../../../src/platform/files/objectKey.ts';
import { VolumeFiles } from '../../../src/platform/files/volumeFiles.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Names with characters around the ones that order and split keys. */
const name = fc
  .string({
    unit: fc.constantFrom('a', 'b', '-', '.', '!', '0', ' ', 'é', '\uff5e', '😀', '~'),
    minLength: 1,
    maxLength: 3,
  })
  .filter((text) => text !== '.' && text !== '..');
const key = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const text = fc.oneof(
  fc.constant(''),
  key,
  key.map((one) => `${one}/`),
  name,
);

/** Leaves out keys that would need a file in the place of a directory. */
function withoutConflicts(keys: readonly string[]): string[] {
  const found: string[] = [];
  for (const one of keys) {
    const isBlocked = found.some(
      (other) => other === one || other.startsWith(`${one}/`) || one.startsWith(`${other}/`),
    );
    if (!isBlocked) found.push(one);
  }
  return found;
}

interface Query {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
}

/** The whole listing of a model: keys, and the prefixes that stand for keys. */
function expected(keys: readonly string[], { prefix, delimiter, after }: Query): string[] {
  const entries = keys
    .filter((one) => one.startsWith(prefix) && byBytes(one, after) > 0)
    .map((one) => {
      const at = delimiter === '' ? -1 : one.indexOf(delimiter, prefix.length);
      return at === -1 ? one : `prefix ${one.slice(0, at + delimiter.length)}`;
    })
    .filter((one) => !one.startsWith('prefix ') || byBytes(one.slice(7), after) > 0);
  return [...new Set(entries)].sort((one, other) => byBytes(one.replace('prefix ', ''), other.replace('prefix ', '')));
}

async function pages(files: VolumeFiles, query: Query, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let after = query.after; ;) {
    const { objects, prefixes, next } = await listObjects(files, { ...query, after, limit });
    assert.ok(objects.length + prefixes.length <= limit);
    const page = [...objects.map((one) => one.key), ...prefixes.map((one) => `prefix ${one}`)];
    found.push(...page.sort((one, other) => byBytes(one.replace('prefix ', ''), other.replace('prefix ', ''))));
    if (next === undefined) return found;
    assert.ok(byBytes(next, after) > 0);
    after = next;
  }
}

describe('listings of objects', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-listing-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('order keys by their bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        assert.equal(Math.sign(compareKeys(one, other)), Math.sign(byBytes(one, other)));
      }),
    );
  });

  it('agree with a model for all prefixes, delimiters, starts, and page sizes', async function () {
    if (process.platform === 'win32') this.skip();
    let round = 0;
    const queries = fc.array(
      fc.record({
        prefix: text,
        delimiter: fc.constantFrom('', '/', '/', '-', 'a', 'é'),
        after: text,
        limit: fc.integer({ min: 1, max: 5 }),
      }),
      { minLength: 8, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { maxLength: 14 }),
        fc.array(key, { maxLength: 3 }),
        queries,
        async (some, empty, all) => {
          const root = path.join(directory, String(round++));
          await mkdir(root);
          const paths = withoutConflicts([...some, ...empty]);
          const markers = new Set(empty);
          const keys = paths.map((one) => (markers.has(one) ? `${one}/` : one));
          for (const one of keys) {
            const { names, isDirectory } = parseKey(one);
            const target = path.join(root, ...names);
            await mkdir(isDirectory ? target : path.dirname(target), { recursive: true });
            if (!isDirectory) await writeFile(target, one);
          }
          const files = new VolumeFiles(root, `${root}-state`);
          for (const { limit, ...query } of all)
            assert.deepEqual(await pages(files, query, limit), expected(keys, query));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('read a large directory once for all pages, and again after a change', async () => {
    await Promise.all(Array.from({ length: 2_500 }, (_, index) => writeFile(path.join(directory, `f${index}`), '')));
    // A change just before a read could have the same time as a later one.
    const settle = () => utimes(directory, new Date(0), new Date(0));
    await settle();
    const files = new VolumeFiles(directory, `${directory}-state`, systemClock);
    const query = { prefix: '', delimiter: '/', limit: 1_000 };
    const first = await listObjects(files, { ...query, after: '' });
    const held = (await holdDirectory(await files.root(), [])) ?? assert.fail();
    const names = await files.directories.read(held);
    const second = await listObjects(files, { ...query, after: first.next ?? '' });
    assert.equal(await files.directories.read(held), names);
    assert.deepEqual(
      [...first.objects, ...second.objects].map((one) => one.key),
      Array.from({ length: 2_500 }, (_, index) => `f${index}`)
        .sort(byBytes)
        .slice(0, 2_000),
    );
    await rm(path.join(directory, 'f999'));
    await writeFile(path.join(directory, 'f999-new'), '');
    const { objects } = await listObjects(files, { ...query, after: second.next ?? '' });
    assert.deepEqual([objects.length, objects.at(-1)?.key], [500, 'f999-new']);
    assert.notEqual(await files.directories.read(held), names);
    await held.close();
    files.directories.forget();
  });
});
