import assert from 'node:assert/strict';
import { controlWords } from '../../../src/contract/violations/controlWords.ts';
import { endpointWords } from '../../../src/contract/violations/endpointWords.ts';
import { manifestWords } from '../../../src/contract/violations/manifestWords.ts';
import { requestWords } from '../../../src/contract/violations/requestWords.ts';
import { ruleWords } from '../../../src/contract/violations/ruleWords.ts';
import { shapeWords } from '../../../src/contract/violations/shapeWords.ts';
import type { TextCode } from '../../../src/features/manifest/model/problem.ts';
import { corpus, describeProblem, linesOf, targets } from './corpus.ts';

/** Violations that a create body cannot have, with the reason. */
const ELSEWHERE = {
  'only with the names of an editor, see envProblems.test.ts': ['unresolvedVariable', 'unresolvedSecret'],
  'in no create body, because no field has such a rule': [
    'notADateTime',
    'notAnObject',
    'nothingChanged',
    'exclusiveFields',
    'otherShape',
  ],
  'only with the stock of a platform, see hardware.test.ts': ['pinnedWithoutStock'],
  'only in changes of an endpoint': [
    'maxBelowMin',
    'hardwareFamilyFixed',
    'exclusionsNeedPools',
    'typeChanged',
    'hardwareFamilyChanged',
    'fieldRemoved',
  ],
  'only with the files of a build, see buildProblems.test.ts': [
    'buildFolderMissing',
    'dockerfileMissing',
    'dockerfileWithoutStage',
    'imageWithoutCommand',
  ],
  'only with the file of a verification, see test/vscode/manifestBuild.test.ts': [
    'jobFileMissing',
    'requestFileMissing',
  ],
  'only with a built image, see test/engines/builder.test.ts': [
    'imageForOtherPlatform',
    'imageLargerThanDisk',
    'imageProgramMissing',
    'imageProgramNotExecutable',
    'imagePortDiffers',
    'imageForOtherType',
  ],
  'only in the answer of a service': Object.keys(requestWords),
  'only in requests of the control API': Object.keys(controlWords),
};

/** Codes of text problems. The value is true if the corpus has an example. */
const TEXT_CODES: Readonly<Record<TextCode, boolean>> = {
  syntax: true,
  emptyFile: true,
  notAMap: true,
  more: true,
  // A manifest of this length is in the tests of the bounds.
  tooLong: false,
  tooManyParts: true,
  tooDeep: true,
  tooManyAliases: true,
  tooManyValues: true,
  invalidAlias: true,
  invalidMerge: true,
  duplicateProperty: true,
  invalidPropertyName: true,
};

describe('The corpus of manifests', () => {
  for (const manifest of corpus) {
    it(`has the expected problems: ${manifest.name}`, () => {
      const actual = linesOf((target) => {
        const file = manifest.check(target);
        return file.problems.map((problem) => describeProblem(file, problem));
      }, 'no problems');
      assert.deepEqual(actual, manifest.expected('problems', actual));
    });
  }

  const found = new Set(
    corpus.flatMap((manifest) => targets.flatMap((target) => manifest.check(target).problems.map(({ code }) => code))),
  );

  it('shows each violation that a create body can have', () => {
    const words = { ...shapeWords, ...ruleWords, ...endpointWords, ...requestWords, ...controlWords, ...manifestWords };
    const elsewhere = new Set<string>(Object.values(ELSEWHERE).flat());
    const wanted = Object.keys(words).filter((code) => !elsewhere.has(code));
    assert.deepEqual(
      wanted.filter((code) => !(found as ReadonlySet<string>).has(code)),
      [],
    );
  });

  it('shows each problem of the text', () => {
    const wanted = Object.entries(TEXT_CODES).flatMap(([code, isShown]) => (isShown ? [code as TextCode] : []));
    assert.deepEqual(
      wanted.filter((code) => !found.has(code)),
      [],
    );
  });

  it('has manifests in both formats, with and without errors', () => {
    for (const language of ['yaml', 'json']) {
      const own = corpus.filter(({ parsed }) => parsed.language === language);
      const valid = own.filter((manifest) => manifest.check('hosted').parts.every((part) => part.manifest));
      assert.ok(own.length >= 60, `${own.length} manifests in ${language}`);
      assert.ok(valid.length >= 10, `${valid.length} valid manifests in ${language}`);
    }
  });
});
