import assert from 'node:assert/strict';
import {
  fieldAt,
  fieldsOf,
  manifestSchema,
  type Field,
} from '../../../../../src/features/manifest/model/fields/fieldSchema.ts';
import { fieldMarkdown } from '../../../../../src/features/manifest/model/fields/fieldMarkdown.ts';
import type { Path } from '../../../../../src/contract/violation.ts';

function field(path: Path, value: unknown = {}): Field {
  const found = fieldAt(path, value);
  assert.ok(found, `${path.join('.')} is a field`);
  return found;
}

describe('fieldAt', () => {
  it('finds fields of maps and of items', () => {
    assert.equal(field(['workers', 'idleTimeout']).schema['x-unit'], 's');
    assert.equal(field(['cpu', 3, 'id']).schema['x-refers-to'], 'cpuFlavor');
    assert.equal(field(['gpu', 'allowedCudaVersions', 0]).schema['x-refers-to'], 'cudaVersion');
    assert.equal(field(['env', 'ANY']).schema.type, 'string');
    assert.equal(field(['x-local', 'command', 0]).schema.type, 'string');
  });

  it('follows the value of the discriminator', () => {
    const scaling = (type: string) => ({ scaling: { type } });
    assert.equal(field(['scaling', 'queueDelay'], scaling('QUEUE_DELAY')).required, true);
    assert.equal(fieldAt(['scaling', 'requestCount'], scaling('QUEUE_DELAY')), undefined);
    assert.deepEqual(field(['scaling', 'type'], scaling('QUEUE_DELAY')).schema.enum, ['QUEUE_DELAY', 'REQUEST_COUNT']);
    assert.equal(field(['scaling', 'requestCount'], scaling('OTHER')).alternative, 'REQUEST_COUNT');
  });

  it('finds nothing outside the contract', () => {
    for (const path of [['unknown'], ['name', 'x'], ['cpu', 'id'], ['toString'], ['__proto__'], ['env', 'A', 'B']])
      assert.equal(fieldAt(path, {}), undefined, path.join('.'));
  });

  it('knows the kind of object that an ID refers to', () => {
    const references = fieldsOf(manifestSchema()).flatMap(({ schema }) => schema['x-refers-to'] ?? []);
    assert.deepEqual(references, ['registry', 'template']);
  });
});

describe('the documentation of a field', () => {
  const text = (path: Path, value?: unknown): string => fieldMarkdown(field(path, value), path).source;

  it('has its type, unit, meaning, range, default, and example', () => {
    assert.equal(
      text(['timeout']),
      [
        '**timeout** · integer · ms',
        'Maximum execution time of a request\\, in milliseconds\\. Default\\: 300000\\.',
        'Range: at least 1  \nDefault: `300000 ms` = 5 min  \nExample: `600000 ms` = 10 min',
      ].join('\n\n'),
    );
  });

  it('says whether it is required or deprecated', () => {
    assert.match(text(['name']), /^\*\*name\*\* · string · required\n/);
    assert.match(text(['networkVolumes']), /^\*\*networkVolumes\*\* · list of strings · deprecated\n/);
    assert.match(text(['scaling', 'queueDelay']), /required with QUEUE\\_DELAY/);
  });

  it('has the allowed values and the rules', () => {
    assert.match(text(['flashboot']), /OFF\\, FLASHBOOT\\, PRIORITY\\_FLASHBOOT/);
    assert.match(text(['gpu', 'minCudaVersion']), /Cannot be combined with allowedCudaVersions/);
    assert.match(text(['workers', 'min']), /at most max/);
    assert.match(text(['args']), /must be the same command/);
  });
});
