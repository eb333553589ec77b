import assert from 'node:assert/strict';
import { templatePages, type TemplatePage } from '../../../../src/features/manifest/actions/templatePages.ts';
import { cleanUp } from '../../../platform/support.ts';
import { storeOnPlatform } from '../../storeOnPlatform.ts';

const { signal } = new AbortController();

async function all(pages: AsyncIterable<TemplatePage>): Promise<TemplatePage[]> {
  const read: TemplatePage[] = [];
  for await (const page of pages) read.push(page);
  return read;
}

const described = ({ items, more }: TemplatePage) => [
  ...items.map(({ template, source }) => `${source}: ${template.name}`),
  more,
];

describe('templatePages', () => {
  afterEach(cleanUp);

  it('lists serverless templates of the account before those of the catalog', async () => {
    const { client } = await storeOnPlatform();
    await client.createTemplate({ body: { name: 'mine', image: 'example/mine:1', serverless: true } });
    await client.createTemplate({ body: { name: 'for pods', image: 'example/pod:1', serverless: false } });
    const pages = await all(templatePages(client, signal));
    assert.equal(pages.length, 1);
    const [first, ...others] = pages[0]?.items ?? [];
    assert.deepEqual([first?.template.name, first?.source], ['mine', 'account']);
    assert.deepEqual(new Set(others.map(({ source }) => source)), new Set(['official', 'verified', 'community']));
    assert.ok(pages[0]?.items.every(({ template }) => template.serverless));
    assert.equal(pages[0]?.more, false);
  });

  it('reads no further than the requested page', async () => {
    const { client } = await storeOnPlatform();
    for (const name of ['a', 'b', 'c'])
      await client.createTemplate({ body: { name, image: 'example/a:1', serverless: true } });
    const calls: string[] = [];
    const counted: Parameters<typeof templatePages>[0] = {
      listTemplates: (args, options) => (calls.push('account'), client.listTemplates(args, options)),
      listPublicTemplates: (args, options) => (calls.push('public'), client.listPublicTemplates(args, options)),
    };
    const pages = templatePages(counted, signal, { pageSize: 2, enough: 2 });
    const first = (await pages.next()).value;
    assert.ok(first);
    assert.equal(first.items.length, 2);
    assert.deepEqual([first.more, calls], [true, ['account']]);
    const rest = await all(pages);
    assert.equal(rest.flatMap(({ items }) => items).filter(({ source }) => source === 'account').length, 1);
    assert.equal(rest.at(-1)?.more, false);
  });

  it('ends a list whose cursor repeats', async () => {
    const page = () => Promise.resolve({ templates: [], pagination: { nextCursor: 'same' } });
    const pages = await all(templatePages({ listTemplates: page, listPublicTemplates: page }, signal));
    assert.deepEqual(pages.map(described), [[false]]);
  });
});
