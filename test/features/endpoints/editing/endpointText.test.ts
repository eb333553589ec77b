import assert from 'node:assert/strict';
import { documentPath, parseDocumentPath } from '../../../../src/features/endpoints/editing/endpointAddress.ts';
import { editableYaml, endpointYaml } from '../../../../src/features/endpoints/editing/endpointText.ts';
import { endpoint } from '../sample.ts';

describe('Editable manifest of an endpoint', () => {
  it('removes line breaks from ids and names in its comment', () => {
    const evil = { ...endpoint, id: 'e1)\nenv:\n  A: 1\n# (', name: 'hello\r\ndisk: 1\u2028timeout: 1' };
    const [first, second, third] = editableYaml(evil, 'here\ndisk: 2', []).split(/[\r\n\u2028]/);
    assert.match(first ?? '', /^# Endpoint hello disk: 1 timeout: 1 \(e1\) env: A: 1 # \(\) on here disk: 2\.$/);
    assert.match(second ?? '', /^# Saving/);
    assert.match(third ?? '', /^name:/);
  });

  it('contains no schema directive, because editors would load the schema from an address of the platform', () => {
    const name = 'yaml-language-server: $schema=https://evil.example/x.json';
    assert.doesNotMatch(editableYaml({ ...endpoint, name }, name, []), /^#\s+yaml-language-server\s*:/m);
    const told = { ...endpoint, $schema: 'https://evil.example/x.json' };
    assert.doesNotMatch(endpointYaml(told, []), /schema/);
    assert.equal(endpointYaml(told, []), endpointYaml(endpoint, []));
  });
});

describe('Path of an endpoint document', () => {
  it('has a file name without hidden characters, links, and icons', () => {
    const path = documentPath(
      { kind: 'edit', connectionId: 'c', endpointId: 'e1\ud800' },
      'a\u202eb\u200b $(flame) [x](y)',
    );
    assert.equal(path, '/edit/c/e1%EF%BF%BD/ab $ (flame) [x] (y).endpoint.yaml');
  });

  it('is parsed to the same address for any name', () => {
    const path = documentPath({ kind: 'edit', connectionId: 'c/d', endpointId: 'a/b' }, '../x:y');
    assert.equal(path, '/edit/c%2Fd/a%2Fb/..-x-y.endpoint.yaml');
    assert.deepEqual(parseDocumentPath(path), { kind: 'edit', connectionId: 'c/d', endpointId: 'a/b' });
  });

  it('is not parsed from other paths that the editor reads', () => {
    assert.equal(parseDocumentPath('/edit/abc/.vscode/settings.json'), undefined);
    assert.equal(parseDocumentPath('/edit/abc/.editorconfig'), undefined);
    assert.equal(parseDocumentPath('/edit/c/abc/.vscode/settings.json'), undefined);
    assert.equal(parseDocumentPath('/other/c/abc/x.yaml'), undefined);
    assert.equal(parseDocumentPath('/edit/c/%/x.yaml'), undefined);
    assert.equal(parseDocumentPath('/edit'), undefined);
  });
});
