import assert from 'node:assert/strict';
import { endpointAddresses } from '../../../../src/account/endpoints/endpointAddress.ts';
import { editableYaml, endpointYaml } from '../../../../src/features/manifest/editing/endpointText.ts';
import { endpoint } from '../../endpoints/sample.ts';

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
  const address = { kind: 'edit', connectionId: 'c', endpointId: 'a/b' } as const;

  it('ends with the name of the endpoint, and with the suffix of a manifest while it is edited', () => {
    assert.equal(endpointAddresses.uri(address, 'hello').path, '/hello.endpoint.yaml');
    assert.equal(endpointAddresses.uri({ ...address, kind: 'yaml' }, 'hello').path, '/hello.yaml');
    assert.equal(endpointAddresses.uri({ ...address, kind: 'explain' }, 'x').path, '/x.md');
    assert.equal(endpointAddresses.uri(address, 'hello').query, 'edit/c/a%2Fb');
  });

  it('is parsed to the same address', () => {
    assert.deepEqual(endpointAddresses.parse(endpointAddresses.uri(address, 'hello')), address);
  });
});
