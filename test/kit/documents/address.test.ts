import assert from 'node:assert/strict';
import * as z from 'zod';
import { DocumentAddresses } from '../../../src/kit/documents/address.ts';

const addresses = new DocumentAddresses(
  'sample',
  z.object({
    kind: z.enum(['a', 'b']),
    id: z.string(),
    number: z.int().min(0).optional(),
    names: z.array(z.string()).optional(),
  }),
  ({ kind }) => (kind === 'a' ? '.yaml' : '.log'),
);
const address = { kind: 'a', id: 'e1' } as const;
const parse = (path: string, query = 'a/e1') => addresses.parse({ scheme: 'sample', path, query });

describe('The address of a document', () => {
  it('is a path with only the name of the file, and a query with the fields of the address', () => {
    assert.deepEqual(addresses.uri(address, 'hello'), { scheme: 'sample', path: '/hello.yaml', query: 'a/e1' });
    const { path, query } = addresses.uri({ ...address, kind: 'b', names: ['x'] }, 'hello');
    assert.deepEqual([path, query], ['/hello.log', 'b/e1/~/~%5B%22x%22%5D']);
  });

  it('is parsed to the same address, whatever its fields and its name contain', () => {
    const texts = ['a/b', '.vscode', '~', '~1', 'ü %2F', '..', '[x](command:y)\n', '', '\u202e', 'a#b?c'];
    for (const text of texts) {
      for (const more of [{}, { number: 0 }, { names: [text] }, { number: 7, names: [] }]) {
        const full = { ...address, id: text, ...more };
        const uri = addresses.uri(full, text);
        assert.match(uri.path, /^\/[^/]+\.yaml$/);
        assert.match(uri.query, /^a\/[\w%~().-]+/);
        assert.deepEqual(addresses.parse(uri), full, `${uri.path}?${uri.query}`);
      }
    }
  });

  it('has a file name without hidden characters, links, icons, and a leading dot', () => {
    const name = (text: string) => addresses.uri(address, text).path.replace('/', '');
    assert.equal(name('a\u202eb\u200b $(flame) [x](y)'), 'ab $ (flame) [x] (y).yaml');
    assert.equal(name('../x:y'), '-.-x-y.yaml');
    assert.equal(name(''), '-.yaml');
    assert.equal(name('x'.repeat(1_000)).length, 160 + '.yaml'.length);
  });

  it('is not that of another file in its folder', () => {
    for (const file of ['settings.json', '.yaml', '.editorconfig', '.hidden.yaml', 'hello.yml', 'hello.yaml/', ''])
      assert.equal(parse(`/${file}`), undefined, file);
    for (const path of ['/.vscode/hello.yaml', 'hello.yaml', '', '/']) assert.equal(parse(path), undefined, path);
    assert.deepEqual(parse('/hello.yaml'), address);
  });

  it('is refused in any form that this extension does not write', () => {
    for (const query of [
      'c/e1',
      'a',
      '',
      'a/e1/',
      'a/%65%31',
      'a/%',
      'a/~%22e1%22',
      'a/~%7B',
      'a/e1/~',
      'a/e1/~-1',
      'a/e1/~01',
      'a/e1/~1.0',
      'a/e1/1',
      'a/e1/~1/~%5B%5D/~1',
    ])
      assert.equal(parse('/hello.yaml', query), undefined, query);
    for (const path of ['/hello.log', '/a\\b.yaml', '/a\u202eb.yaml']) assert.equal(parse(path), undefined, path);
  });

  it('has the scheme of its documents and no authority', () => {
    const { scheme: _, ...uri } = addresses.uri(address, 'hello');
    assert.equal(addresses.parse({ ...uri, scheme: 'other' }), undefined);
    assert.equal(addresses.parse({ ...uri, scheme: 'sample', authority: 'host' }), undefined);
    assert.deepEqual(addresses.parse({ ...uri, scheme: 'sample', authority: '' }), address);
  });

  it('leads to another document with the same name', () => {
    const uri = addresses.uri(address, 'a.b');
    assert.deepEqual(addresses.sibling(uri, { kind: 'b' }), { scheme: 'sample', path: '/a.b.log', query: 'b/e1' });
    assert.equal(addresses.sibling({ scheme: 'sample', path: '/x', query: '' }, { kind: 'b' }), undefined);
  });
});
