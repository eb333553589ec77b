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
const parse = (path: string) => addresses.parse({ scheme: 'sample', path });

describe('The address of a document', () => {
  it('is a path with the fields of the address and the name of the file', () => {
    assert.deepEqual(addresses.uri(address, 'hello'), { scheme: 'sample', path: '/a/e1/hello.yaml' });
    assert.equal(
      addresses.uri({ ...address, kind: 'b', names: ['x'] }, 'hello').path,
      '/b/e1/~/~%5B%22x%22%5D/hello.log',
    );
  });

  it('is parsed to the same address, whatever its fields and its name contain', () => {
    const texts = ['a/b', '.vscode', '~', '~1', 'ü %2F', '..', '[x](command:y)\n', '', '\u202e', 'a#b?c'];
    for (const text of texts) {
      for (const more of [{}, { number: 0 }, { names: [text] }, { number: 7, names: [] }]) {
        const full = { ...address, id: text, ...more };
        const uri = addresses.uri(full, text);
        assert.match(uri.path, /^\/a\/[\w%~().-]+\/.+\.yaml$/);
        assert.deepEqual(addresses.parse(uri), full, uri.path);
      }
    }
  });

  it('has a file name without hidden characters, links, icons, and a leading dot', () => {
    const name = (text: string) => addresses.uri(address, text).path.replace('/a/e1/', '');
    assert.equal(name('a\u202eb\u200b $(flame) [x](y)'), 'ab $ (flame) [x] (y).yaml');
    assert.equal(name('../x:y'), '-.-x-y.yaml');
    assert.equal(name(''), '-.yaml');
    assert.equal(name('x'.repeat(1_000)).length, 160 + '.yaml'.length);
  });

  it('is not that of another file in its folder', () => {
    for (const file of ['settings.json', '.yaml', '.editorconfig', '.hidden.yaml', 'hello.yml', 'hello.yaml/', ''])
      assert.equal(parse(`/a/e1/${file}`), undefined, file);
    for (const path of ['/a/e1/.vscode/hello.yaml', '/a/hello.yaml', '/hello.yaml', 'a/e1/hello.yaml', '', '/'])
      assert.equal(parse(path), undefined, path);
    assert.deepEqual(parse('/a/e1/hello.yaml'), address);
  });

  it('is refused in any form that this extension does not write', () => {
    for (const path of [
      '/c/e1/hello.yaml',
      '/a/e1/hello.log',
      '/a/%65%31/hello.yaml',
      '/a/%/hello.yaml',
      '/a/.e1/hello.yaml',
      '/a/~%22e1%22/hello.yaml',
      '/a/~%7B/hello.yaml',
      '/a/e1/~/hello.yaml',
      '/a/e1/~-1/hello.yaml',
      '/a/e1/~01/hello.yaml',
      '/a/e1/~1.0/hello.yaml',
      '/a/e1/1/hello.yaml',
      '/a/e1/~1/~%5B%5D/~1/hello.yaml',
      '/a/e1/a\\b.yaml',
      '/a/e1/a\u202eb.yaml',
    ])
      assert.equal(parse(path), undefined, path);
  });

  it('has the scheme of its documents and no authority', () => {
    const { path } = addresses.uri(address, 'hello');
    assert.equal(addresses.parse({ scheme: 'other', path }), undefined);
    assert.equal(addresses.parse({ scheme: 'sample', authority: 'host', path }), undefined);
    assert.deepEqual(addresses.parse({ scheme: 'sample', authority: '', path }), address);
  });

  it('leads to another document with the same name', () => {
    const uri = addresses.uri(address, 'a.b');
    assert.equal(addresses.sibling(uri, { kind: 'b' })?.path, '/b/e1/a.b.log');
    assert.equal(addresses.sibling({ scheme: 'sample', path: '/x' }, { kind: 'b' }), undefined);
  });
});
