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

  it('is written into the patch of an environment only if the patch has another image or another build', () => {
    const image = 'registry.example.com/hello:2';
    const inEnvironment = (patch: string) => {
      const text = `name: hello\nimage: old:1\nx-environments:\n  staging:\n    patch: ${patch}\n`;
      const changes = imageChanges(parseManifestFile(text, 'yaml'), 0, image, 'staging');
      return changes && applyChanges(text, changes);
    };
    assert.match(inEnvironment('{ timeout: 5000 }') ?? '', /^image: registry\.example\.com\/hello:2$/m);
    for (const patch of ['{ image: old:2 }', '{ x-build: { target: slim } }']) {
      const text = inEnvironment(patch) ?? '';
      assert.match(text, /^image: old:1$/m);
      assert.match(text, /patch: \{.*image: registry\.example\.com\/hello:2.*\}/);
    }
  });

  it('is not written if that would change another endpoint', () => {
    assert.equal(written('a: &i {image: x}\n<<: *i\n<<: *j\n'), undefined);
  });
});
