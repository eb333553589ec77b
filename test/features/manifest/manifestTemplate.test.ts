import assert from 'node:assert/strict';
import { createTarget, lensTitle } from '../../../src/features/manifest/createTarget.ts';
import { readManifest } from '../../../src/features/manifest/manifestDocument.ts';
import { manifestTemplate, newManifestName } from '../../../src/features/manifest/manifestTemplate.ts';

describe('a new manifest', () => {
  it('has nothing wrong with it where it runs first', () => {
    assert.deepEqual(readManifest(manifestTemplate, { language: 'yaml', report: 'all', target: 'local' }).problems, []);
  });

  it('is complete for a hosted platform once its image is named', () => {
    const text = manifestTemplate.replace('# image:', 'image:');
    assert.deepEqual(readManifest(text, { language: 'yaml', report: 'all', target: 'hosted' }).problems, []);
  });

  it('does not take the name of another', () => {
    assert.equal(newManifestName([]), 'hello.endpoint.yaml');
    assert.equal(newManifestName(['hello.endpoint.yaml', 'hello-2.endpoint.yaml']), 'hello-3.endpoint.yaml');
  });
});

describe('the CodeLens of a manifest', () => {
  const title = (connections: Parameters<typeof createTarget>[0]) => lensTitle(createTarget(connections)).text;

  it('names where the endpoint will be', () => {
    const profile = { kind: 'hosted', name: 'api.example.com' } as const;
    assert.equal(title({ client: {}, profile }), '$(cloud-upload)\u00a0Create Endpoint on api.example.com');
  });

  it('names a hosted platform also while nobody is signed in there: nothing is created elsewhere', () => {
    const profile = { kind: 'hosted', name: 'api.example.com' } as const;
    assert.equal(title({ client: undefined, profile }), '$(cloud-upload)\u00a0Create Endpoint on api.example.com');
  });

  it('offers to start the local platform when nothing can be called', () => {
    const start = '$(cloud-upload)\u00a0Start Local Platform and Create Endpoint';
    assert.equal(title({ client: undefined, profile: undefined }), start);
    assert.equal(title({ client: undefined, profile: { kind: 'local', name: 'Local Platform' } }), start);
  });
});
