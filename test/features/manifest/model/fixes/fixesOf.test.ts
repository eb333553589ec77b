import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { fieldError, formatPath, type FieldError } from '../../../../../src/contract/violation.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { fixesOf } from '../../../../../src/features/manifest/model/fixes/fixesOf.ts';
import { fixableCodes } from '../../../../../src/features/manifest/model/fixes/proposals.ts';
import { readManifestFile, type ReadOptions } from '../../../../../src/features/manifest/model/manifestFile.ts';
import { problemOfViolation } from '../../../../../src/features/manifest/model/problem.ts';
import { catalog, changed, fixCases } from './cases.ts';

const languages = ['yaml', 'json'] as const;
type Language = (typeof languages)[number];

const read = (text: string, language: Language, target: ReadOptions['target'] = 'hosted') =>
  readManifestFile(text, { language, target, catalog });
const textOf = (manifest: object, language: Language) =>
  language === 'json' ? JSON.stringify(manifest, null, 2) : stringify(manifest);
const keysOf = (problems: readonly { violation?: FieldError }[]) =>
  problems.flatMap(({ violation }) => (violation ? [`${violation.code} at ${formatPath(violation.path)}`] : []));

/** Returns the fixes of the first problem with a code. */
function firstFixes(text: string, language: Language, code: string) {
  const file = read(text, language);
  const problem = file.problems.find((one) => one.code === code);
  assert.ok(problem, `the manifest has the problem ${code}`);
  return fixesOf(file, problem).map(({ title, changes }) => ({ title, text: applyChanges(text, changes) }));
}

/** Returns the values after the fixes of a violation that the service reported. */
function valuesAfter(manifest: object, violation: FieldError, language: Language): unknown[] {
  const text = textOf(manifest, language);
  const file = read(text, language);
  const [part] = file.parts;
  assert.ok(part);
  const fixes = fixesOf(file, problemOfViolation({ text: file.text, root: part.root, index: part.index }, violation));
  return fixes.map(({ changes }) => read(applyChanges(text, changes), language).parts[0]?.value);
}

describe('fixesOf', () => {
  for (const language of languages)
    describe(`in ${language.toUpperCase()}`, () => {
      for (const { code, manifest, titles, target } of fixCases)
        it(`corrects ${code}: ${titles.join(', ')}`, () => {
          const text = textOf(manifest, language);
          const file = read(text, language, target);
          const problem = file.problems.find((one) => one.code === code);
          assert.ok(problem, `the manifest has the problem; it has ${keysOf(file.problems).join(', ')}`);
          const fixes = fixesOf(file, problem);
          assert.deepEqual(
            fixes.map(({ title, isPreferred }) => (isPreferred ? '*' : '') + title),
            titles,
          );
          for (const { title, changes } of fixes) {
            const fixed = read(applyChanges(text, changes), language, target);
            const [own] = keysOf([problem]);
            assert.ok(!keysOf(fixed.problems).includes(own ?? ''), `${title} corrects the problem:\n${fixed.text}`);
            assert.equal(
              fixed.problems.find(({ violation }) => !violation),
              undefined,
              `${title} leaves a valid text`,
            );
          }
        });

      it('corrects violations that only the service reports', () => {
        const manifest = changed({ workers: { max: 1 }, gpu: { excludedTypes: ['a'] } });
        const max = fieldError(['workers', 'max'], 'maxBelowMin', { min: 2, max: 1 });
        assert.deepEqual(valuesAfter(manifest, max, language), [
          { ...manifest, workers: { max: 1, min: 1 } },
          { ...manifest, workers: { max: 2 } },
        ]);
        const family = fieldError(['cpu'], 'hardwareFamilyFixed', { family: 'GPU' });
        const { cpu, ...withoutCpu } = manifest as { cpu: unknown };
        assert.ok(cpu);
        assert.deepEqual(valuesAfter(manifest, family, language), [withoutCpu]);
        const exclusions = fieldError(['gpu', 'excludedTypes'], 'exclusionsNeedPools', {});
        assert.deepEqual(valuesAfter(manifest, exclusions, language), [{ ...manifest, gpu: {} }]);
        const removed = fieldError(['disk'], 'fieldRemoved', { field: 'disk', before: 5 });
        assert.deepEqual(valuesAfter(manifest, removed, language), [{ ...manifest, disk: 5 }]);
      });
    });

  it('has a case for each code with corrections', () => {
    const reported = ['maxBelowMin', 'hardwareFamilyFixed', 'exclusionsNeedPools', 'fieldRemoved'];
    const tested = new Set([...fixCases.map(({ code }) => code), ...reported]);
    assert.deepEqual(
      fixableCodes.filter((code) => !tested.has(code)),
      [],
    );
  });

  it('has no corrections for a violation without a known code', () => {
    const told = fieldError(['name'], 'serviceMessage', { message: 'must be one of a, b' });
    assert.deepEqual(valuesAfter(changed({}), told, 'yaml'), []);
  });

  it('quotes a number as it is written', () => {
    const text = stringify(changed({ env: { A: 0 } })).replace('A: 0', 'A: 1.50 # version');
    assert.match(firstFixes(text, 'yaml', 'wrongType')[0]?.text ?? '', /A: "1.50" # version\n/);
  });

  it('moves networkVolumes and keeps the volumes that are mounted', () => {
    const mounts = { network: [{ volumeId: 'a', path: '/data' }] };
    const text = stringify(changed({ networkVolumes: ['b', 'a'], mounts }));
    const [first] = firstFixes(text, 'yaml', 'networkVolumesWithMounts');
    const network = [...mounts.network, { volumeId: 'b', path: '/data-2' }];
    assert.deepEqual(read(first?.text ?? '', 'yaml').parts[0]?.value, changed({ mounts: { network } }));
  });

  it('splits args in both forms', () => {
    const split = (args: string, fields: object) => {
      const [first] = firstFixes(textOf(changed({ args, ...fields }), 'json'), 'json', 'argsConflict');
      return read(first?.text ?? '', 'json').parts[0]?.value;
    };
    assert.deepEqual(
      split("python -u 'a b'", { cmd: ['x'], entrypoint: ['y'] }),
      changed({ cmd: ['python', '-u', 'a b'] }),
    );
    assert.deepEqual(split('{"entrypoint": ["a"]}', { cmd: ['x'] }), changed({ entrypoint: ['a'] }));
  });

  it('does not remove the command of a local worker', () => {
    const local = { directory: '.', command: 'node "a' };
    const file = read(stringify(changed({ 'x-local': local })), 'yaml', 'local');
    const [problem] = file.problems;
    assert.equal(problem?.code, 'argsUnreadable');
    const values = fixesOf(file, problem).map(
      ({ changes }) => read(applyChanges(file.text, changes), 'yaml', 'local').parts[0]?.manifest?.['x-local']?.command,
    );
    assert.deepEqual(values, ['node "a"']);
  });

  it('removes only the dashes of a GPU type', () => {
    const text = stringify(changed({ cpu: undefined, gpu: { pools: ['ADA_24'], excludedTypes: ['-NVIDIA L4'] } }));
    assert.equal(firstFixes(text, 'yaml', 'wrongFormat')[0]?.title, "Change to 'NVIDIA L4'");
  });

  it('moves a list of mounts to the network volumes', () => {
    const mounts = [{ volumeId: 'a', path: '/data' }];
    const [first] = firstFixes(stringify(changed({ mounts })), 'yaml', 'wrongType');
    assert.deepEqual(read(first?.text ?? '', 'yaml').parts[0]?.value, changed({ mounts: { network: mounts } }));
  });

  it('does not move network volumes beside a global volume', () => {
    const global = [{ volumeId: 'g', path: '/data' }];
    const manifest = changed({ cpu: undefined, gpu: { pools: ['ADA_24'] }, networkVolumes: ['a'], mounts: { global } });
    assert.deepEqual(firstFixes(stringify(manifest), 'yaml', 'deprecatedField'), []);
    assert.equal(firstFixes(stringify(manifest), 'yaml', 'networkVolumesWithGlobalMount').length, 2);
  });

  it('fills an empty file', () => {
    for (const language of languages) {
      const [fix] = firstFixes('', language, 'emptyFile');
      assert.deepEqual(read(fix?.text ?? '', language).problems, []);
    }
  });

  it('removes one of two equal names', () => {
    const yaml = `name: a # one\nname: b # two\n`;
    assert.deepEqual(
      firstFixes(yaml, 'yaml', 'duplicateProperty').map(({ text }) => text),
      ['name: a # one\n', 'name: b # two\n'],
    );
    const json = '{\n  "env": { "A": "b", "A": "c" }\n}';
    assert.deepEqual(
      firstFixes(json, 'json', 'duplicateProperty').map(({ text }) => text),
      ['{\n  "env": { "A": "b" }\n}', '{\n  "env": { "A": "c" }\n}'],
    );
  });

  it('changes valid spans of any half-typed text', () => {
    const manifest = changed({ nam: 'a', networkVolumes: ['a'], env: { A: 1 }, workers: { min: 9, max: 1 } });
    for (const language of languages) {
      const whole = textOf(manifest, language);
      for (let length = 0; length < whole.length; length++) {
        const text = whole.slice(0, length);
        const file = read(text, language);
        const changes = file.problems.flatMap((problem) => fixesOf(file, problem)).flatMap((fix) => fix.changes);
        assert.ok(changes.every(({ start, end }) => start >= 0 && start <= end && end <= text.length));
      }
    }
  });

  it('has no corrections for a value at an anchor', () => {
    const text = stringify(changed({})).replace('scaling:\n', 'scaling: &s\n').replace('cpu:', 'workers: *s\ncpu:');
    assert.deepEqual(firstFixes(text, 'yaml', 'unknownField'), []);
  });
});
