import assert from 'node:assert/strict';
import {
  checkManifest,
  hostedCreateBody,
  localCreateBody,
  Manifest,
  manifestJsonSchema,
} from '../../src/contract/manifest.ts';
import { checkShape } from '../../src/contract/shapeCheck.ts';
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

interface Schema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}

/** Returns each field of a schema with its path, such as `mounts.network[].path`. */
function fieldsOf({ properties = {}, items, oneOf = [] }: Schema, prefix = ''): [path: string, Schema][] {
  const own = Object.entries(properties).flatMap(([name, field]): [string, Schema][] => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [[path, field], ...fieldsOf(field, path)];
  });
  return [...own, ...(items ? fieldsOf(items, `${prefix}[]`) : []), ...oneOf.flatMap((one) => fieldsOf(one, prefix))];
}

/** Wraps a value in the object, or the list of objects, that a segment of a path names. */
function nested(segment: string, value: unknown): unknown {
  return segment.endsWith('[]') ? { [segment.slice(0, -2)]: [value] } : { [segment]: value };
}

describe('a manifest', () => {
  it('can run an image without GPUs on the local platform, which alone gets this setting', () => {
    const gpu = {
      ...{ name: 'g', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
      image: 'example/g:1',
    };
    const value = { ...gpu, gpu: { pools: ['ADA_24'] }, 'x-local': { gpu: 'ignore' } };
    const { manifest, violations } = checkManifest(value);
    assert.deepEqual(violations, []);
    assert.ok(manifest);
    const local = localCreateBody(manifest, () => assert.fail('there is no directory'));
    assert.deepEqual([local.image, local['x-local']], ['example/g:1', { gpu: 'ignore' }]);
    assert.equal(hostedCreateBody(manifest)['x-local'], undefined);
    const half = checkManifest({ ...value, 'x-local': { directory: 'd' } });
    assert.deepEqual(
      half.violations.map(({ code }) => code),
      ['localCommandIncomplete'],
    );
  });

  it('accepts a create body with x-local', () => {
    assert.deepEqual(violations(manifest), []);
  });

  it('reports each invalid field at its path', () => {
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
      '$.cpu: gpu and cpu cannot be combined',
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

  it('lists each accepted type of a field with alternatives', () => {
    assert.deepEqual(violations({ ...manifest, 'x-local': { directory: 'x', command: 5 } }), [
      '$.x-local.command: expected array, received number, or expected string, received number',
    ]);
  });

  it('reports missing fields', () => {
    assert.deepEqual(violations({}).sort(), [
      '$.gpu: missing: set gpu or cpu',
      '$.image: missing: set image or templateId',
      '$.name: missing: expected string',
      '$.scaling: missing: expected object',
      '$.type: missing: expected one of QUEUE, LOAD_BALANCER',
    ]);
    assert.deepEqual(violations({ ...manifest, scaling: { queueDelay: 1 } }), [
      '$.scaling.type: missing: expected one of QUEUE_DELAY, REQUEST_COUNT',
    ]);
  });

  for (const value of [null, 'text', 7, []]) {
    it(`rejects ${JSON.stringify(value)}`, () => assert.equal(violations(value).length, 1));
  }

  it('requires no image with x-local, but applies the other rules', () => {
    const { image, ...local } = manifest;
    assert.ok(image);
    assert.deepEqual(violations(local), []);
    assert.deepEqual(violations({ ...local, cpu: undefined }), ['$.gpu: missing: set gpu or cpu']);
  });

  it('is checked as the create body for its target', () => {
    const checked = (changes: object, target: 'local' | 'hosted') =>
      checkManifest({ ...manifest, ...changes }, { target }).violations.map(formatViolation);
    const openQuotation = { 'x-local': { directory: 'hello', command: 'node "handler.mjs' } };
    assert.deepEqual(checked(openQuotation, 'hosted'), []);
    assert.deepEqual(checked(openQuotation, 'local'), ['$.x-local.command: the quote " is not closed']);
    const conflict = { args: 'serve', cmd: ['start'] };
    assert.deepEqual(checked(conflict, 'hosted'), ['$.args: must be the same command as entrypoint and cmd']);
    assert.deepEqual(checked(conflict, 'local'), []);
    assert.deepEqual(checked({ image: undefined, workers: { min: 4 } }, 'hosted'), [
      '$.image: missing: set image or templateId',
      '$.workers.min: must be at most max, which is 3 by default',
    ]);
  });

  it('is sent without x-build and x-verify to any platform', () => {
    const sections = {
      'x-build': { repository: 'registry.example.com/team/hello' },
      'x-verify': { input: { name: 'Ada' }, expect: { output: { greeting: 'Hello, Ada!' } }, timeout: 60 },
    };
    const checked = checkManifest({ ...manifest, ...sections });
    assert.deepEqual(checked.violations, []);
    assert.ok(checked.manifest);
    for (const body of [
      hostedCreateBody(checked.manifest),
      localCreateBody(checked.manifest, (directory) => directory),
    ])
      for (const section of Object.keys(sections)) assert.ok(!(section in body), section);
  });

  it('has one job with a JSON form, or one request file, in x-verify, which fits the type', () => {
    const found = (verify: object, changes: object = {}) => violations({ ...manifest, ...changes, 'x-verify': verify });
    const unclear =
      '$.x-verify: needs one of job (the path of a job file), input, and request (the path of a request file)';
    assert.deepEqual(found({ job: 'hello.job.json' }), []);
    assert.deepEqual(found({ input: {}, expect: { error: 'no name', schema: { type: 'object' } } }), []);
    assert.deepEqual(found({}), [unclear]);
    assert.deepEqual(found({ job: 'hello.job.json', input: {} }), [unclear]);
    const twice = '$.x-verify.expect: the expectations are those of the file. Move them there';
    assert.deepEqual(found({ job: 'hello.job.json', expect: {} }), [twice]);
    assert.deepEqual(found({ input: 'Ada' }), ['$.x-verify.input: must be an object']);
    assert.deepEqual(found({ input: {}, expect: { output: 1, outputs: 2 } }), [
      "$.x-verify.expect.outputs: unknown property 'outputs'",
    ]);
    const noJson = '$.x-verify: must be a JSON value, and JSON has no infinite numbers';
    for (const value of [Infinity, [{ deep: NaN }]]) {
      assert.deepEqual(found({ input: { value } }), [noJson]);
      assert.deepEqual(found({ input: {}, expect: { output: value } }), [noJson]);
    }
    const balanced = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } };
    assert.deepEqual(found({ request: 'hello.http', timeout: 60 }, balanced), []);
    assert.deepEqual(found({ request: 'hello.http', expect: {} }, balanced), [twice]);
    for (const job of [{ input: {} }, { job: 'hello.job.json' }])
      assert.deepEqual(found(job, balanced), [
        '$.x-verify: runs a job, and a load-balanced endpoint takes no jobs. Use request instead',
      ]);
    assert.deepEqual(found({ request: 'hello.http' }), [
      '$.x-verify: sends requests, and a queue endpoint takes jobs. Use job or input instead',
    ]);
  });

  it('reports an image that is not built, or that only this machine has', () => {
    const { image, 'x-local': local, ...rest } = manifest;
    assert.ok(image && local);
    const codes = (changes: object, target: 'local' | 'hosted') =>
      checkManifest({ ...rest, ...changes }, { target }).violations.map(({ code }) => code);
    for (const target of ['local', 'hosted'] as const) {
      assert.deepEqual(codes({ 'x-build': {} }, target), ['imageNotBuilt']);
      assert.deepEqual(codes({ 'x-build': {}, templateId: 'xkhgg72fuo' }, target), []);
    }
    assert.deepEqual(codes({ 'x-build': {}, 'x-local': local }, 'local'), []);
    assert.deepEqual(codes({ 'x-build': {}, image: 'localhost/hello:1' }, 'local'), []);
    assert.deepEqual(codes({ 'x-build': {}, image: 'localhost/hello:1' }, 'hosted'), ['imageOnlyLocal']);
    assert.deepEqual(codes({ image: 'localhost:5000/hello:1' }, 'hosted'), []);
  });

  it('has no NUL character in the directory and the command of x-local', () => {
    assert.deepEqual(violations({ ...manifest, 'x-local': { directory: '\0', command: ['node', '\0'] } }), [
      '$.x-local.directory: must not contain the NUL character',
      '$.x-local.command[1]: must not contain the NUL character',
    ]);
  });

  it('is sent to a hosted platform without x-local', () => {
    const checked = checkManifest(manifest);
    assert.ok(checked.manifest);
    const { 'x-local': local, ...hosted } = manifest;
    assert.ok(local);
    assert.deepEqual(hostedCreateBody(checked.manifest), hosted);
  });

  it('is sent to the local platform with the directory and command of x-local', () => {
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

  it('has a JSON Schema without the bounds of safe integers', () => {
    const schema = JSON.stringify(manifestJsonSchema());
    assert.match(schema, /"x-local"/);
    assert.doesNotMatch(schema, /9007199254740991/);
  });

  it('has a description and an example for each field', () => {
    const fields = fieldsOf(manifestJsonSchema());
    const paths = fields.map(([path]) => path);
    for (const path of ['scaling.type', 'mounts.global[].path', 'cpu[].vcpuCount', 'x-local.command'])
      assert.ok(paths.includes(path), path);
    const incomplete = fields.filter(
      ([, { description, examples }]) => !description?.endsWith('.') || !examples?.length,
    );
    assert.deepEqual(incomplete, []);
  });

  it('has examples that its schema accepts', () => {
    for (const [path, { examples = [] }] of fieldsOf(manifestJsonSchema())) {
      for (const example of examples) {
        const value = path.split('.').reduceRight<unknown>((inner, name) => nested(name, inner), example);
        const shape = checkShape(Manifest, value).violations.map(formatViolation);
        const atPath = shape.filter((line) => line.startsWith(`$.${path.replaceAll('[]', '[0]')}`));
        assert.deepEqual(atPath, [], `${path}: ${JSON.stringify(example)}`);
      }
    }
  });
});
