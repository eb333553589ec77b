import assert from 'node:assert/strict';
import { createTarget, lensTitle } from '../../../../src/features/manifest/create/createTarget.ts';

describe('CodeLens of a manifest', () => {
  const title = (connections: Parameters<typeof createTarget>[0]) => lensTitle(createTarget(connections)).text;

  it('names the platform of the connection', () => {
    const profile = { kind: 'hosted', name: 'api.example.com' } as const;
    assert.equal(title({ client: {}, profile }), '$(cloud-upload) Create Endpoint on api.example.com');
  });

  it('names a hosted platform even if the user is signed out', () => {
    const profile = { kind: 'hosted', name: 'api.example.com' } as const;
    assert.equal(title({ client: undefined, profile }), '$(cloud-upload) Create Endpoint on api.example.com');
  });

  it('offers to start the local platform if it is stopped or if there is no connection', () => {
    const start = '$(cloud-upload) Start Local Platform and Create Endpoint';
    assert.equal(title({ client: undefined, profile: undefined }), start);
    assert.equal(title({ client: undefined, profile: { kind: 'local', name: 'Local Platform' } }), start);
  });
});
