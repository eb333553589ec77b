import assert from 'node:assert/strict';
import { EXAMPLES, exampleSections } from '../../../../../src/features/manifest/model/starters/examples.ts';
import { cleanUp, fixtures, platformForTest } from '../../../../platform/support.ts';
import { operations } from '../../../../../src/contract/operations.ts';
import { LANGUAGES, localBody, manifestOf, problemsOf, TARGETS } from './starters.ts';

describe('Examples of manifests', () => {
  after(cleanUp);

  for (const example of EXAMPLES) {
    const sections = exampleSections(example, 'made');

    it(`${example.title}: has no problems on any platform, in YAML and JSON`, () => {
      for (const language of LANGUAGES)
        for (const target of TARGETS) assert.deepEqual(problemsOf(sections, { language, target }), []);
    });

    it(`${example.title}: has the same content in both formats, and a comment on every section`, () => {
      const manifest = manifestOf(sections) as Record<string, unknown>;
      assert.deepEqual([manifest['name'], manifest['type']], ['made', example.type]);
      assert.ok(example.hardware in manifest);
      assert.ok(sections.every(({ comment = [] }) => comment.length > 0));
    });

    for (const language of LANGUAGES)
      it(`${example.title}: creates an endpoint on the local platform from ${language}`, async () => {
        const { api } = await platformForTest();
        const body = await localBody(sections, fixtures, language);
        const endpoint = await api.call(operations.createEndpoint, { body });
        assert.deepEqual([endpoint.name, endpoint.type], ['made', example.type]);
      });
  }
});
