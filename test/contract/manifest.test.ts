import assert from 'node:assert/strict';
import { checkManifest, hostedCreateBody, localCreateBody, manifestJsonSchema } from '../../src/contract/manifest.ts';
import { formatViolation } from '../../src/contract/violation.ts';

const manifest = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
  image: 'example/hello:1',
  args: 'serve',
  'x-local': { directory: 'hello', command: ['node', 'handler.mjs'] },
};

function violations(value: unknown): string[] {
  return checkManifest(value).violations.map(formatViolation);
}

describe('a manifest', () => {
  it('is a create body with a local part', () => {
    assert.deepEqual(violations(manifest), []);
  });

  it('names every wrong member where it stands', () => {
    const wrong = {
      ...manifest,
      name: '',
      typ: 'QUEUE',
      workers: { min: -1, maximum: 3, idleTimeout: 9000 },
      scaling: { type: 'DELAY' },
      gpu: { pools: [] },
      env: { PORT: 80 },
    };
    assert.deepEqual(violations(wrong).sort(), [
      '$.env.PORT: expected string, received number',
      '$.gpu.pools: must not be empty',
      '$.name: must not be empty',
      '$.scaling.type: must be one of QUEUE_DELAY, REQUEST_COUNT',
      "$.typ: unknown property 'typ'",
      '$.workers.idleTimeout: must be at most 3600',
      "$.workers.maximum: unknown property 'maximum'",
      '$.workers.min: must be at least 0',
    ]);
  });

  it('names all it expected where there is a choice', () => {
    assert.deepEqual(violations({ ...manifest, 'x-local': { directory: 'x', command: 5 } }), [
      '$.x-local.command: expected array, received number, or expected string, received number',
    ]);
  });

  it('says what is missing', () => {
    assert.deepEqual(violations({}).sort(), [
      '$.name: missing: expected string',
      '$.scaling: missing: expected object',
      '$.type: missing: expected one of QUEUE, LOAD_BALANCER',
    ]);
  });

  for (const value of [null, 'text', 7, []]) {
    it(`is not ${JSON.stringify(value)}`, () => assert.equal(violations(value).length, 1));
  }

  it('needs no image when it runs locally, but the rules still hold', () => {
    const { image, ...local } = manifest;
    assert.ok(image);
    assert.deepEqual(violations(local), []);
    assert.deepEqual(violations({ ...local, cpu: undefined }), ['$.gpu: missing: give gpu or cpu']);
  });

  it('goes to a hosted platform without its local part', () => {
    const checked = checkManifest(manifest);
    assert.ok(checked.manifest);
    const { 'x-local': local, ...hosted } = manifest;
    assert.ok(local);
    assert.deepEqual(hostedCreateBody(checked.manifest), hosted);
  });

  it('becomes a process of its directory on the local platform', () => {
    const checked = checkManifest(manifest);
    assert.ok(checked.manifest);
    const { 'x-local': local, args, ...rest } = manifest;
    assert.ok(local);
    assert.ok(args);
    assert.deepEqual(
      localCreateBody(checked.manifest, (directory) => `/home/me/${directory}`),
      { ...rest, image: 'process:/home/me/hello', cmd: ['node', 'handler.mjs'] },
    );
  });

  it('has a JSON Schema with the descriptions and without absurd bounds', () => {
    const schema = JSON.stringify(manifestJsonSchema());
    assert.match(schema, /"x-local"/);
    assert.match(schema, /Ephemeral|wiped on restart/);
    assert.doesNotMatch(schema, /9007199254740991/);
  });
});
