import assert from 'node:assert/strict';
import { formatPath } from '../../../src/contract/violation.ts';
import { applyChanges } from '../../../src/features/manifest/model/editing/textChanges.ts';
import { fixAll } from '../../../src/features/manifest/model/fixes/fixAll.ts';
import { fixesOf, type ManifestFix } from '../../../src/features/manifest/model/fixes/fixesOf.ts';
import { readManifestFile, type ManifestFile } from '../../../src/features/manifest/model/manifestFile.ts';
import type { ManifestProblem } from '../../../src/features/manifest/model/problem.ts';
import { HARDWARE_CATALOG } from '../../../src/platform/domain/hardwareCatalog.ts';
import { corpus, targets, type Target } from './corpus.ts';

/** Errors that can follow the correction of an error. They were hidden, or depend on the chosen value. */
const FOLLOWING: Partial<Readonly<Record<ManifestProblem['code'], readonly ManifestProblem['code'][]>>> = {
  // A load-balanced endpoint needs another scaler.
  missingField: ['scalerNeedsQueue'],
  notOneOf: ['scalerNeedsQueue'],
  // Only values that the schema accepts are compared with the catalog.
  tooBig: ['gpuCount', 'vcpuCount'],
  unknownPool: ['gpuCount'],
  wrongFormat: ['foreignExclusion'],
  // The only hardware of an endpoint can be removed, to set the other kind.
  tooSmall: ['hardwareMissing'],
  noAlternative: ['localCommandIncomplete'],
  // Only members of valid types are compared with each other.
  wrongType: ['hardwareMissing', 'localCommandIncomplete', 'cudaConstraintsConflict', 'gpuAndCpu'],
  // Only valid configurations are compared with each other.
  notAPowerOfTwo: ['repeatedCpu'],
  duplicateProperty: ['repeatedCpu'],
  // A misspelt field can have a wrong value too.
  unknownField: ['wrongType', 'localCommandIncomplete'],
};

describe('The corrections of the corpus', () => {
  for (const manifest of corpus)
    it(`correct their problem and cause no other: ${manifest.name}`, () => {
      for (const target of targets) {
        const file = manifest.check(target);
        for (const problem of file.problems)
          for (const fix of fixesOf(file, problem)) assertCorrects(file, target, problem, fix);
      }
    });

  for (const manifest of corpus)
    it(`leave at most problems without a preferred correction: ${manifest.name}`, () => {
      for (const target of targets) {
        const file = manifest.check(target);
        const fixed = read(applyChanges(file.text, fixAll(file, { target, catalog: HARDWARE_CATALOG })), file, target);
        const left = fixed.problems.filter(
          (problem) =>
            problem.severity !== 'information' && fixesOf(fixed, problem).some(({ isPreferred }) => isPreferred),
        );
        assert.deepEqual(left.map(keyOf), [], fixed.text);
      }
    });
});

function read(text: string, { language }: Pick<ManifestFile, 'language'>, target: Target): ManifestFile {
  return readManifestFile(text, { language, target, catalog: HARDWARE_CATALOG });
}

function assertCorrects(file: ManifestFile, target: Target, problem: ManifestProblem, fix: ManifestFix): void {
  const fixed = read(applyChanges(file.text, fix.changes), file, target);
  const about = `${fix.title}\n${fixed.text}\n${fixed.problems.map(({ code, message }) => `${code} ${message}`).join('\n')}`;
  const count = ({ problems }: ManifestFile) => problems.filter(({ code }) => code === problem.code).length;
  // The next item of a list can have the same problem at the same path.
  const isCorrected = !fixed.problems.map(keyOf).includes(keyOf(problem)) || count(fixed) < count(file);
  assert.ok(isCorrected, `the problem is still there after ${about}`);
  const before = new Set(file.problems.map(({ code }) => code));
  const caused = fixed.problems.filter(
    ({ code, severity }) => severity === 'error' && !before.has(code) && !FOLLOWING[problem.code]?.includes(code),
  );
  assert.deepEqual(caused.map(keyOf), [], `another problem is there after ${about}`);
}

function keyOf({ code, part, violation, message }: ManifestProblem): string {
  return `${part} ${code} ${violation ? formatPath(violation.path) : message}`;
}
