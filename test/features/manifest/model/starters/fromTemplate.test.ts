import assert from 'node:assert/strict';
import { operations } from '../../../../../src/contract/operations.ts';
import { manifestText } from '../../../../../src/features/manifest/model/starters/section.ts';
import { templateSections } from '../../../../../src/features/manifest/model/starters/fromTemplate.ts';
import { cleanUp, fixtures, platformForTest } from '../../../../platform/support.ts';
import { LANGUAGES, localBody, manifestOf, problemsOf, TARGETS } from './starters.ts';

const template = { id: 'abc', name: 'Base', serverless: true, image: 'example/base:1' } as const;

describe('templateSections', () => {
  after(cleanUp);

  it('has no problems on any platform, in YAML and JSON', () => {
    for (const category of ['CPU', 'NVIDIA', 'AMD', 'FUTURE', undefined])
      for (const ports of [[], ['80/http']])
        for (const language of LANGUAGES)
          for (const target of TARGETS) {
            const sections = templateSections({ ...template, category, ports }, 'made');
            assert.deepEqual(problemsOf(sections, { language, target }), []);
          }
  });

  it('derives the type from the ports and the variables, and the hardware from the category', () => {
    const made = (changes: object) => manifestOf(templateSections({ ...template, ...changes }, 'made')) as never;
    const facts = ({ type, cpu, templateId }: { type: string; cpu?: object; templateId: string }) => [
      type,
      cpu === undefined ? 'gpu' : 'cpu',
      templateId,
    ];
    assert.deepEqual(facts(made({})), ['QUEUE', 'gpu', 'abc']);
    assert.deepEqual(facts(made({ category: 'CPU', ports: ['22/tcp'] })), ['QUEUE', 'cpu', 'abc']);
    assert.deepEqual(facts(made({ ports: ['80/http'] })), ['LOAD_BALANCER', 'gpu', 'abc']);
    assert.deepEqual(facts(made({ env: { PORT: '80' } })), ['LOAD_BALANCER', 'gpu', 'abc']);
  });

  it('names the template in a comment that cannot end early or become a directive', () => {
    const name = 'yaml-language-server: $schema=https://example.com\nimage: other\u2028image: third';
    for (const language of LANGUAGES) {
      const sections = templateSections({ ...template, name, image: 'a\nb' }, 'made');
      assert.match(
        manifestText(sections, language),
        /(#|\/\/) The template is “yaml-language-server: .* image: third”/,
      );
      assert.deepEqual(problemsOf(sections, { language, target: 'hosted' }), []);
      assert.ok(!('image' in manifestOf(sections)));
    }
  });

  it('creates an endpoint from every serverless template of the catalog', async () => {
    const { api } = await platformForTest();
    for (const source of ['official', 'verified', 'community']) {
      const { templates } = await api.call(operations.listPublicTemplates, { query: { source } });
      const serverless = templates.filter((template) => template.serverless);
      assert.ok(serverless.length > 0, source);
      for (const found of serverless) {
        const body = await localBody(templateSections(found, 'made'), fixtures);
        const endpoint = await api.call(operations.createEndpoint, { body });
        assert.equal(endpoint.image, found.image);
      }
    }
  });
});
