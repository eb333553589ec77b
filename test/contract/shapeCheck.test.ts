import assert from 'node:assert/strict';
import * as z from 'zod';
import { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { Fault } from '../../src/contract/control/control.ts';
import { Manifest } from '../../src/contract/manifest.ts';
import { checkShape } from '../../src/contract/shapeCheck.ts';

const valid = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  image: 'example/hello:1',
  cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
};

/** Returns the only violation of a value, without its status. */
function only(schema: z.ZodType, value: unknown) {
  const { violations } = checkShape(schema, value);
  assert.equal(violations.length, 1, JSON.stringify(violations));
  const [{ status, ...violation }] = violations as [(typeof violations)[number] & { status: number }];
  assert.equal(status, 400);
  return violation;
}

/** Returns the only violation of a manifest with these fields. */
const broken = (changes: Record<string, unknown>) => only(Manifest, { ...valid, ...changes });

describe('checking a shape', () => {
  it('returns the data of a valid value', () => {
    const { data, violations } = checkShape(CreateEndpointBody, valid);
    assert.deepEqual([data?.name, violations], ['hello', []]);
  });

  it('reports violations with the given status', () => {
    assert.deepEqual(
      checkShape(Manifest, { ...valid, name: 7 }, 422).violations.map(({ status }) => status),
      [422],
    );
  });

  it('reports an unknown field with the known ones', () => {
    const { path, code, data } = broken({ workers: { minimum: 1 } });
    assert.deepEqual([path, code], [['workers', 'minimum'], 'unknownField']);
    assert.deepEqual(data, { name: 'minimum', known: ['min', 'max', 'idleTimeout'] });
  });

  it('lists the known fields of list items', () => {
    const { path, data } = broken({ cpu: [valid.cpu[0], { id: 'cpu3c', vcpuCount: 4, vcpus: 4 }] });
    assert.deepEqual(path, ['cpu', 1, 'vcpus']);
    assert.deepEqual(data, { name: 'vcpus', known: ['id', 'vcpuCount'] });
  });

  it('lists only the known fields of the selected shape', () => {
    const { data } = broken({ scaling: { type: 'REQUEST_COUNT', requestCount: 1, queueDelay: 4 } });
    assert.deepEqual(data, { name: 'queueDelay', known: ['type', 'requestCount'] });
  });

  it('distinguishes a missing field from one of a wrong type', () => {
    assert.deepEqual(broken({ name: undefined }), {
      path: ['name'],
      code: 'missingField',
      data: { expected: 'string' },
      message: 'missing: expected string',
    });
    assert.deepEqual(broken({ name: 7 }), {
      path: ['name'],
      code: 'wrongType',
      data: { expected: 'string', received: 'number' },
      message: 'expected string, received number',
    });
  });

  it('lists the allowed values of an invalid or missing field', () => {
    const values = ['QUEUE', 'LOAD_BALANCER'];
    const { code, data } = broken({ type: undefined });
    assert.deepEqual([code, data], ['missingField', { expected: 'string', values }]);
    assert.deepEqual([broken({ type: 'CUE' }).code, broken({ type: 'CUE' }).data], ['notOneOf', { values }]);
    assert.deepEqual(broken({ scaling: { type: 'DELAY' } }).data, { values: ['QUEUE_DELAY', 'REQUEST_COUNT'] });
  });

  it('reports the bound of a number, a string, and a list', () => {
    assert.deepEqual(broken({ disk: 0 }).data, { origin: 'number', minimum: 1, inclusive: true });
    assert.deepEqual(broken({ name: '' }).data, { origin: 'string', minimum: 1, inclusive: true });
    const { code, data, message } = broken({ ports: Array(101).fill('80/http') });
    assert.deepEqual([code, data], ['tooBig', { origin: 'array', maximum: 100, inclusive: true }]);
    assert.equal(message, 'must have at most 100 items');
  });

  it('reports only the tightest bound', () => {
    assert.deepEqual(broken({ disk: 1e20 }).message, 'must be at most 65536');
  });

  it('reports an exclusive bound as exclusive', () => {
    assert.equal(only(Fault, { operation: '*', drop: true, rate: 0 }).message, 'must be greater than 0');
  });

  it('reports the format of a string', () => {
    const { code, data, message } = broken({ cpu: undefined, gpu: { pools: ['a'], minCudaVersion: '12' } });
    assert.equal(code, 'wrongFormat');
    assert.equal(message, 'must be a CUDA version such as 12.4');
    assert.deepEqual(data, { format: 'regex', pattern: '/^\\d+\\.\\d+$/', wanted: message });
  });

  it('reports the code of a rule in the schema', () => {
    const { code, data } = broken({ ports: ['0/http'] });
    assert.deepEqual([code, data], ['portOutOfRange', { maximum: 65535 }]);
    assert.equal(broken({ cpu: [{ id: 'c', vcpuCount: 3 }] }).code, 'notAPowerOfTwo');
    assert.deepEqual(broken({ env: { A: 'a\0b' } }).data, { part: 'value' });
  });

  it('reports the violation of each alternative', () => {
    const reasons = [
      ['array', 'expected array, received number'],
      ['string', 'expected string, received number'],
    ].map(([expected, message]) => ({ code: 'wrongType', data: { expected, received: 'number' }, message }));
    assert.deepEqual(broken({ 'x-local': { directory: '.', command: 5 } }), {
      path: ['x-local', 'command'],
      code: 'noAlternative',
      data: { reasons },
      message: 'expected array, received number, or expected string, received number',
    });
  });

  it('reports violations inside the only matching alternative', () => {
    const schema = z.strictObject({ of: z.union([z.string(), z.array(z.strictObject({ a: z.number() }))]) });
    assert.deepEqual(only(schema, { of: [{ a: 1, b: 2 }] }), {
      path: ['of', 0, 'b'],
      code: 'unknownField',
      data: { name: 'b', known: ['a'] },
      message: "unknown property 'b'",
    });
  });

  it('keeps the message of a rule without a code', () => {
    const schema = z.string().refine(() => false, 'never');
    assert.deepEqual(only(schema, 'x'), { path: [], code: 'otherShape', data: { message: 'never' }, message: 'never' });
  });
});
