import assert from 'node:assert/strict';
import { contractTexts } from '../../scripts/l10n/contractTexts.ts';
import { wordsOf } from '../../src/contract/violation.ts';
import { Words } from '../../src/contract/words.ts';
import { readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { corpus, targets } from '../features/manifest/corpus.ts';
import { catalog, fixCases } from '../features/manifest/model/fixes/cases.ts';

describe('contractTexts', () => {
  const texts = contractTexts();

  it('lists the titles and descriptions of fields, and the messages of formats, each once', () => {
    for (const text of [
      'Serverless endpoint',
      'Display name. Several endpoints can have the same name.',
      'Text that the error contains. Default: any error.',
      'must be an absolute path',
      'must be port/protocol, such as 8000/http',
      'must be an http or https URL',
    ])
      assert.ok(texts.includes(text), text);
    assert.equal(new Set(texts).size, texts.length);
  });

  it('contains the message of each wrong format in a manifest, and all other messages are words', () => {
    const files = [
      ...corpus.flatMap((manifest) => targets.map((target) => manifest.check(target))),
      ...fixCases.map(({ manifest, target }) =>
        readManifestFile(JSON.stringify(manifest), { language: 'json', target: target ?? 'hosted', catalog }),
      ),
    ];
    const violations = files.flatMap(({ problems }) => problems.flatMap(({ violation }) => violation ?? []));
    assert.ok(new Set(violations.map(({ code }) => code)).size > 30, 'the manifests break many rules');
    for (const violation of violations) {
      const message = wordsOf(violation);
      assert.ok(message instanceof Words && message.template !== '{0}', `${violation.code}: ${violation.message}`);
      if (violation.code === 'wrongFormat') assert.ok(texts.includes(message.template), message.template);
    }
  });
});
