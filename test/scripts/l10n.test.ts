import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { extensionTexts } from '../../scripts/l10n/extensionTexts.ts';
import { messagesIn } from '../../scripts/l10n/messages.ts';
import { readManifest, readPackageTexts, referencesIn } from '../../scripts/l10n/packageTexts.ts';

type Texts = Readonly<Record<string, string>>;

const BUNDLES = path.join(repository, 'l10n');

describe('localization', () => {
  let languages: readonly string[];

  before(async () => {
    languages = (await readdir(BUNDLES)).map((name) => /^bundle\.l10n\.([\w-]+)\.json$/.exec(name)?.[1] ?? name);
  });

  it('has simplified Chinese', () => {
    assert.deepEqual(languages, ['zh-cn']);
  });

  it('translates only texts of the extension', async () => {
    const source = Object.fromEntries((await extensionTexts()).map((text) => [text, text]));
    for (const language of languages) assertTranslated(source, await bundle(language), language);
  });

  it('translates only texts of package.json', async () => {
    const source = await readPackageTexts();
    for (const language of languages) assertTranslated(source, await readPackageTexts(language), language);
  });

  it('refers in package.json to each of its texts, and to no other', async () => {
    const manifest: unknown = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8'));
    const references = new Set(referencesIn(manifest));
    assert.deepEqual([...references].sort(), Object.keys(await readPackageTexts()).sort());
    assert.deepEqual(referencesIn(await readManifest()), []);
  });

  it('has no text in package.json itself that a person reads', async () => {
    const { contributes } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as {
      contributes: { commands: Text[]; views: Record<string, Text[]>; viewsWelcome: Text[]; walkthroughs?: Text[] };
    };
    const texts = [
      ...contributes.commands.map(({ title }) => title),
      ...Object.values(contributes.views).flatMap((views) => views.map(({ name }) => name)),
      ...contributes.viewsWelcome.map(({ contents }) => contents),
      ...(contributes.walkthroughs ?? []).map(({ title }) => title),
    ];
    assert.deepEqual(
      texts.filter((text) => !/^%[\w.-]+%$/.test(text ?? '%none%')),
      [],
    );
  });
});

interface Text {
  readonly title?: string;
  readonly name?: string;
  readonly contents?: string;
}

describe('the texts of a source file', () => {
  const cases: readonly (readonly [what: string, source: string, texts: readonly string[]])[] = [
    ['plain text', `l10n.t('Could not start')`, ['Could not start']],
    ['a template with values in their order', 'l10n.t`Delete “${a.b}” of ${c()}?`', ['Delete “{0}” of {1}?']],
    ['a template inside another one', 'shown`${l10n.t`up to ${n}`} jobs`', ['{0} jobs', 'up to {0}']],
    [
      'the tags for safe text and Markdown',
      'shown`$(add) Add`; formatted`**${x}** of it`',
      ['$(add) Add', '**{0}** of it'],
    ],
    ['plain text with a comment', `l10n.t({ message: 'Image', comment: 'A picture' })`, ['Image/A picture']],
    ['a template of the contract', 'words`must be at least ${minimum}`', ['must be at least {0}']],
    ['both forms of a number with a noun', `count(n, 'waiting job')`, ['{0} waiting job', '{0} waiting jobs']],
    ['no template without words', 'shown`$(sync~spin) ${name}`; formatted`**${name}**`', []],
    ['no text of other functions', `t('x'); log.warn('Could not start')`, []],
  ];
  for (const [what, source, texts] of cases) {
    it(`are ${what}`, () => assert.deepEqual(messagesIn(source), texts));
  }
});

/**
 * Checks that the translations have the same values, icons, commands, and code as English, and that there are no others. A missing
 * translation appears in English, and the check of a release lists it.
 */
function assertTranslated(source: Texts, translation: Texts, language: string): void {
  const unknown = Object.keys(translation).filter((key) => !(key in source));
  assert.deepEqual(unknown, [], `${language} has texts that do not exist; run "npm run generate"`);
  for (const [key, translated] of Object.entries(translation)) {
    const text = source[key] ?? '';
    assert.notEqual(translated.trim(), '', `${language}: the translation of “${text}” is empty`);
    assert.deepEqual(
      marksIn(translated),
      marksIn(text),
      `${language}: “${translated}” has other values than “${text}”`,
    );
  }
}

/** Returns the parts that are the same in all languages: values, icons, targets of links, and names in code. */
function marksIn(text: string): readonly string[] {
  return (text.match(/\{\d+\}|\$\([\w~-]+\)|\]\([^)]*\)|`[^`]+`|\n/g) ?? []).sort();
}

async function bundle(language: string): Promise<Texts> {
  return JSON.parse(await readFile(path.join(BUNDLES, `bundle.l10n.${language}.json`), 'utf8')) as Texts;
}
