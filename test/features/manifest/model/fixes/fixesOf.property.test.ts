import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatPath } from '../../../../../src/contract/violation.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { fixesOf } from '../../../../../src/features/manifest/model/fixes/fixesOf.ts';
import { readManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';
import { styledText } from '../editing/styledText.ts';
import { catalog, fixCases } from './cases.ts';

const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    3,
    1.5,
    -1,
    1e9,
    '',
    'a',
    '3',
    '80',
    'QUEUE',
    'a, b',
    [],
    {},
    ['a'],
    [1],
    [null],
  ),
  fc.constantFrom<unknown>({ type: 'QUEUE' }, { min: 1 }, [{ id: 'a' }], { A: 1 }, { network: ['a'] }, ['A=1']),
);

/** Valid fields and invalid ones. */
const manifest = fc
  .tuple(
    fc.constantFrom(...fixCases.map((one) => one.manifest)),
    fc.constantFrom(...fixCases.map((one) => one.manifest)),
    fc.dictionary(
      fc.constantFrom(
        'name',
        'type',
        'scaling',
        'workers',
        'gpu',
        'cpu',
        'env',
        'mounts',
        'args',
        'ports',
        'x-local',
        'nam',
      ),
      value,
      { maxKeys: 3, noNullPrototype: true },
    ),
  )
  .map((parts): object => Object.assign({}, ...parts) as object);

describe('fixesOf for random manifests', () => {
  it('removes the violation, or the item that has it', () => {
    let count = 0;
    fc.assert(
      fc.property(manifest.chain(styledText), ({ text, language }) => {
        const read = (changed: string) => readManifestFile(changed, { language, target: 'hosted', catalog });
        const file = read(text);
        for (const problem of file.problems) {
          const { violation } = problem;
          if (!violation) continue;
          const place = formatPath(violation.path);
          for (const { title, changes } of fixesOf(file, problem)) {
            count++;
            const { problems } = read(applyChanges(text, changes));
            const same = problems.filter(
              ({ code, violation: other }) => code === violation.code && other && formatPath(other.path) === place,
            );
            // After an item was removed, the next one has its index.
            const isSame = same.some(
              ({ violation: other }) => JSON.stringify(other?.data) === JSON.stringify(violation.data),
            );
            assert.ok(!isSame || title.startsWith('Remove'), `${title} at ${place}`);
            assert.ok(
              problems.every(({ violation: other }) => other),
              'the text is valid',
            );
          }
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(count > 100);
  });
});
