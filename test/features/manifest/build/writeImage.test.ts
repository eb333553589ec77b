import assert from 'node:assert/strict';
import { imageChanges } from '../../../../src/features/manifest/build/actions/writeImage.ts';
import { applyChanges } from '../../../../src/features/manifest/model/editing/textChanges.ts';
import { parseManifestFile } from '../../../../src/features/manifest/model/text/parse.ts';

describe('The image of a manifest', () => {
  const written = (text: string, language: 'yaml' | 'json' = 'yaml', part = 0) => {
    const changes = imageChanges(parseManifestFile(text, language), part, 'registry.example.com/hello:1@sha256:0a');
    return changes && applyChanges(text, changes);
  };

  it('is replaced, and comments stay', () => {
    assert.equal(
      written('# worker\nname: hello\nimage: "old:1" # built\nx-build: {}\n'),
      '# worker\nname: hello\nimage: "registry.example.com/hello:1@sha256:0a" # built\nx-build: {}\n',
    );
  });

  it('is added if there is none, to its own endpoint of the file', () => {
    const text = 'name: a\n---\nname: b # second\nx-build: {}\n';
    const [first, second = ''] = (written(text, 'yaml', 1) ?? '').split('---');
    assert.equal(first, 'name: a\n');
    assert.match(second, /^image: registry\.example\.com\/hello:1@sha256:0a$/m);
    assert.match(second, /^name: b # second$/m);
    const json = written('{\n  "name": "hello"\n}\n', 'json') ?? '';
    assert.deepEqual(JSON.parse(json), { name: 'hello', image: 'registry.example.com/hello:1@sha256:0a' });
  });

  it('is not written if that would change another endpoint', () => {
    assert.equal(written('a: &i {image: x}\n<<: *i\n<<: *j\n'), undefined);
  });
});
