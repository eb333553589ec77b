import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkCreateEndpoint } from '../../../../../src/contract/endpointRules.ts';
import { bodyOf } from '../../../../../src/features/manifest/actions/compareWithDeployed.ts';
import { pullManifest } from '../../../../../src/features/manifest/actions/pullManifest.ts';
import { compareWithEndpoint } from '../../../../../src/features/manifest/model/deployment/compare.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { readManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';
import { styledText } from '../editing/styledText.ts';
import { answerOf, changed, created, pairs } from './generated.ts';

const literal = (text: string) => text;
describe('Any two manifests', () => {
  it('are in sync after an update of the endpoint of one from the other, with a valid body', () => {
    fc.assert(
      fc.property(pairs, ([file, other, target]) => {
        const wanted = bodyOf(file, { target, folder: '/srv' });
        fc.pre(checkCreateEndpoint(wanted).length === 0);
        const { record, endpoint } = created(bodyOf(other, { target, folder: '/srv' }));
        const { body, refused } = compareWithEndpoint(wanted, endpoint, literal);
        assert.deepEqual(refused, []);
        const after = answerOf(changed(record, body).endpoint);
        assert.deepEqual(compareWithEndpoint(wanted, after, literal).changes, []);
        assert.deepEqual(compareWithEndpoint(wanted, after, literal).body, {});
      }),
      { numRuns: 500 },
    );
  });

  it('are in sync with their own endpoints', () => {
    fc.assert(
      fc.property(pairs, ([file, , target]) => {
        const body = bodyOf(file, { target, folder: '/srv' });
        assert.deepEqual(compareWithEndpoint(body, created(body).endpoint, literal).changes, []);
      }),
      { numRuns: 300 },
    );
  });

  it('are in sync after a pull of the endpoint of one into the text of the other', () => {
    const styled = pairs.chain(([file, other, target]) =>
      fc.tuple(styledText(file), fc.constant(other), fc.constant(target)),
    );
    fc.assert(
      fc.property(styled, ([{ text, language }, other, target]) => {
        const file = readManifestFile(text, { language, target });
        const manifest = file.parts[0]?.manifest;
        fc.pre(manifest !== undefined);
        const surroundings = { target, folder: '/srv' };
        const { endpoint } = created(bodyOf(other, surroundings));
        const comparison = compareWithEndpoint(bodyOf(manifest, surroundings), endpoint, literal);
        const pulled = applyChanges(
          text,
          pullManifest({ file, part: 0, comparison, hidden: [], ...surroundings }).changes,
        );
        const after = readManifestFile(pulled, { language, target });
        const written = after.parts[0]?.manifest;
        assert.ok(written, `${pulled}\n${JSON.stringify(after.problems)}`);
        assert.deepEqual(compareWithEndpoint(bodyOf(written, surroundings), endpoint, literal).changes, []);
      }),
      { numRuns: 100 },
    );
  });
});
