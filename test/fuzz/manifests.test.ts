import assert from 'node:assert/strict';
import process from 'node:process';
import * as fc from 'fast-check';
import { LONGEST_MANIFEST, MAX_PROBLEMS } from '../../src/features/manifest/model/text/bounds.ts';
import { readManifestFile, type ManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import type { ManifestLanguage } from '../../src/features/manifest/model/text/parsed.ts';
import type { ManifestNode } from '../../src/features/manifest/model/text/node.ts';
import type { Span } from '../../src/text/span.ts';
import { HARDWARE_CATALOG } from '../../src/platform/domain/hardwareCatalog.ts';
import { corpus, targets } from '../features/manifest/corpus.ts';
import { seed } from '../support/seed.ts';
import { hostileStrings } from './requests.ts';

/*
 * Reads half-typed and damaged manifests. The editor reads a manifest after each keystroke, so it must never throw, and every problem and
 * node must be in the text. `npm run test:fuzz` is the long form. CLOUD_COMPUTE_SEED sets the seed and reproduces a failure.
 */

const IS_SHORT = process.env['CLOUD_COMPUTE_FAULTS'] === 'short';
const languages: readonly ManifestLanguage[] = ['yaml', 'json'];

/** Maximum number of members and items in a tree, with merged members. Aliases expand to at most this number of values. */
const MAX_VALUES = 50_000;

describe('A damaged manifest', function () {
  this.timeout(300_000);
  // Mocha removes the limit of stack traces, so errors at each level of a deep recursion would cost quadratic time.
  const { stackTraceLimit } = Error;
  before(() => {
    Error.stackTraceLimit = 10;
  });
  after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  const samples = corpus.filter((_, index) => index % (IS_SHORT ? 12 : 4) === 0);
  const typed = samples.filter(({ text }) => text.length < 1_500);

  it('is read at every prefix', () => {
    assert.ok(typed.length > 0);
    for (const { text, parsed } of typed)
      for (let end = 0; end <= text.length; end++) check(text.slice(0, end), parsed.language);
  });

  it('is read without any token', () => {
    assert.ok(typed.length > 0);
    for (const { text, parsed } of typed)
      for (const { index, 0: token } of text.matchAll(/[\w.-]+|[ \t]+|\r?\n|[^\w\s]/g))
        check(text.slice(0, index) + text.slice(index + token.length), parsed.language);
  });

  it('is read with a foreign text at every line and after every token', () => {
    const foreign = [
      '\t',
      '"',
      '{',
      '- ',
      '<<: *a\n',
      '*a',
      '&a ',
      '# ',
      ': ',
      '\0',
      '\ud800',
      '\u2028',
      '\uFEFF',
      '}',
    ];
    for (const { text, parsed } of typed.filter((_, index) => index % 4 === 0))
      for (const { index } of text.matchAll(/\b|^/gm))
        for (const insertion of foreign) check(text.slice(0, index) + insertion + text.slice(index), parsed.language);
  });

  it('is read in the other format', () => {
    for (const { text, parsed } of corpus) check(text, parsed.language === 'json' ? 'yaml' : 'json');
  });

  it('is read after random changes', () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.nat(12),
      inserted: fc.oneof(hostileStrings, fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 6 })),
    });
    const manifest = fc.constantFrom(...corpus.filter(({ text }) => text.length < 4_000));
    const changed = fc.tuple(manifest, fc.array(change, { minLength: 1, maxLength: 6 }));
    fc.assert(
      fc.property(changed, ([{ text, parsed }, changes]) => {
        const result = changes.reduce((before, { at, removed, inserted }) => {
          const start = Math.floor(at * before.length);
          return before.slice(0, start) + inserted + before.slice(start + removed);
        }, text);
        check(result, parsed.language);
      }),
      { numRuns: IS_SHORT ? 2_000 : 12_000 },
    );
  });

  it('is read if it consists of random pieces', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 });
    fc.assert(
      fc.property(pieces, fc.constantFrom(...languages), (parts, language) => void check(parts.join(''), language)),
      { numRuns: IS_SHORT ? 2_000 : 12_000 },
    );
  });

  it('is read if it consists of random bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 400 });
    fc.assert(
      fc.property(bytes, fc.constantFrom(...languages), (content, language) => {
        check(Buffer.from(content).toString('utf8'), language);
      }),
      { numRuns: IS_SHORT ? 1_000 : 10_000 },
    );
  });

  for (const [what, text] of Object.entries(excessiveTexts()))
    it(`is read within bounds: ${what}`, () => {
      for (const language of languages) check(text, language);
    });

  it('is refused if it has a megabyte', () => {
    for (const body of ['a: 1\n', '[', '- *a\n', '\0', '{"a":'])
      for (const language of languages) {
        const text = body.repeat(2 ** 20 / body.length);
        const { parts, problems } = check(text, language);
        assert.deepEqual(
          problems.map(({ code }) => code),
          ['tooLong'],
        );
        assert.equal(parts[0]?.root, undefined);
      }
  });
});

/** Pieces of both formats, many of which need another piece. */
const PIECES = [
  ...[
    'name: hello\n',
    'type: QUEUE\n',
    'scaling:',
    'env:\n  ',
    'cpu:\n  - ',
    '"name": ',
    '"hello"',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    ',',
    ': ',
    '- ',
    '? ',
    '&a ',
    '*a',
    '*a ',
    '<<: ',
    '<<: *a\n',
    '<<: [*a, *b]\n',
    '&b {x: 1}',
    '|\n',
    '>-\n',
    '|9\n',
  ],
  ...[
    '"',
    "'",
    '#',
    '# a\n',
    '//',
    '/*',
    '*/',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '%TAG ! x\n',
    '!!binary ',
    '!!set ',
    '!x ',
  ],
  ...[
    '!<tag:yaml.org,2002:merge> ',
    '\n',
    '\r',
    '\r\n',
    '\t',
    '  ',
    '    ',
    '\0',
    '\u0085',
    '\u2028',
    '\uFEFF',
    '\ud800',
  ],
  ...[
    'null',
    '~',
    '.nan',
    '1e400',
    '0x',
    '-',
    '9'.repeat(30),
    '__proto__: ',
    '"__proto__": ',
    '\\u12',
    '\\x',
    '\udc00',
  ],
];

function excessiveTexts(): Readonly<Record<string, string>> {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('');
  const level = (index: number, body: string) => `k${index}: &k${index} ${index === 0 ? '{ x: 1 }' : body}\n`;
  const merges = (sources: number) =>
    lines(16, (index) => level(index, `{ <<: [${`*k${index - 1}, `.repeat(sources)}] }`));
  return {
    'aliases of aliases': lines(12, (index) => level(index, `[${`*k${index - 1}, `.repeat(9)}]`)),
    'merges of merges': merges(2),
    'merges of merges, after many duplicates': 'a: 1\n'.repeat(200) + merges(3),
    'merges of merges, with a syntax error': `${merges(3)}broken: [\n`,
    'many merges of a large map': `a: &a { ${lines(2_000, (index) => `k${index}: 1, `)} }\n${lines(150, (index) => `b${index}: { <<: *a }\n`)}`,
    'a chain of merges': lines(30, (index) => level(index, `{ <<: *k${index - 1}, y${index}: 1 }`)),
    'an alias as its own content': 'a: &a { b: *a, <<: *a, c: [*a] }\n',
    'deep lists': '['.repeat(30_000),
    'deep maps': '{"a":'.repeat(10_000),
    'deep block lists': '- '.repeat(20_000),
    'deep complex names': '? '.repeat(20_000),
    'deep comments in lists': '[/**/'.repeat(10_000),
    'closed deep lists': '['.repeat(20_000) + ']'.repeat(20_000),
    'only quotation marks': '"'.repeat(LONGEST_MANIFEST),
    'only tabs': '\t'.repeat(LONGEST_MANIFEST),
    'only line feeds': '\n'.repeat(LONGEST_MANIFEST),
    'only document marks': '---\n'.repeat(LONGEST_MANIFEST / 4),
    'only NUL characters': '\0'.repeat(LONGEST_MANIFEST),
    'only lone surrogates': '\ud800'.repeat(LONGEST_MANIFEST),
    'a name as long as the file': `${'n'.repeat(LONGEST_MANIFEST - 3)}: 1`,
    'many errors on one line': '} ] '.repeat(10_000),
    'many anchors with one name': lines(5_000, () => '- &a 1\n'),
  };
}

/** Reads a text for both targets, and checks the bounds of the result. */
function check(text: string, language: ManifestLanguage): ManifestFile {
  const [file] = targets.map((target) => {
    const read = readFile(text, { language, target });
    assert.ok(read.parts.length > 0);
    for (const { start, end, part, message } of read.problems) {
      assertInside({ start, end }, text, language);
      assert.ok(read.parts[part] && message.length > 0, describeText(text, language));
    }
    for (const part of read.parts) {
      assertInside(part, text, language);
      // Problems of the text, violations, and hints are limited separately, and each has a line that counts the rest.
      assert.ok(part.problems.length <= 2 * (MAX_PROBLEMS + 1) + 2, describeText(text, language));
      if (part.root) assertTree(part.root, text, language);
    }
    return read;
  });
  assert.ok(file);
  return file;
}

function readFile(
  text: string,
  { language, target }: { readonly language: ManifestLanguage; readonly target: (typeof targets)[number] },
): ManifestFile {
  try {
    return readManifestFile(text, { language, target, catalog: HARDWARE_CATALOG });
  } catch (error) {
    throw new Error(`${describeText(text, language)} throws`, { cause: error });
  }
}

function assertTree(root: ManifestNode, text: string, language: ManifestLanguage): void {
  const seen = new Set<ManifestNode>();
  let members = 0;
  const visit = (node: ManifestNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    assertInside(node, text, language);
    if (node.kind === 'list') node.items.forEach(visit);
    if (node.kind !== 'map') return;
    members += node.members.length + node.merged.length;
    for (const member of [...node.members, ...node.merged]) {
      assertInside(member, text, language);
      assertInside(member.keySpan, text, language);
      visit(member.value);
    }
  };
  visit(root);
  assert.ok(members <= MAX_VALUES + text.length, describeText(text, language));
}

function assertInside({ start, end }: Span, text: string, language: ManifestLanguage): void {
  if (start >= 0 && start <= end && end <= text.length) return;
  assert.fail(`the span ${start} to ${end} is not in the text of ${text.length}: ${describeText(text, language)}`);
}

function describeText(text: string, language: ManifestLanguage): string {
  return `seed ${seed}, ${language}: ${JSON.stringify(text.slice(0, 600))}`;
}
