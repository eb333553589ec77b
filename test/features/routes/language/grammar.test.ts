import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

interface Rule {
  readonly include?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly while?: string;
  readonly patterns?: readonly Rule[];
  readonly captures?: Readonly<Record<string, Rule>>;
  readonly beginCaptures?: Readonly<Record<string, Rule>>;
}
interface Grammar extends Rule {
  readonly scopeName: string;
  readonly repository: Readonly<Record<string, Rule>>;
  readonly injections: Readonly<Record<string, Rule>>;
}

const languages = path.join(import.meta.dirname, '../../../../media/languages');
const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(path.join(languages, name), 'utf8'));

describe('the grammar of HTTP files', () => {
  let grammar: Grammar;
  before(async () => {
    grammar = (await read('http.tmLanguage.json')) as Grammar;
  });

  function rulesIn(rule: Rule): Rule[] {
    const captures = [...Object.values(rule.captures ?? {}), ...Object.values(rule.beginCaptures ?? {})];
    return [rule, ...[...(rule.patterns ?? []), ...captures].flatMap(rulesIn)];
  }
  const all = () =>
    [grammar, ...Object.values(grammar.repository), ...Object.values(grammar.injections)].flatMap(rulesIn);
  const pattern = (name: string): RegExp => {
    const rule = grammar.repository[name];
    return new RegExp(rule?.match ?? rule?.begin ?? '(?!)');
  };

  it('includes only existing rules, and embeds JSON', () => {
    const included = all().flatMap(({ include }) => include ?? []);
    for (const name of included.filter((one) => one.startsWith('#')))
      assert.ok(grammar.repository[name.slice(1)], name);
    assert.ok(included.includes('source.json'));
  });

  it('has valid patterns', () => {
    for (const { match, begin, end, while: condition } of all())
      for (const one of [match, begin, end, condition]) if (one !== undefined) new RegExp(one);
  });

  it('recognizes request lines', () => {
    const parts = (line: string) => pattern('request').exec(line)?.slice(1);
    assert.deepEqual(parts('POST {{endpoint:a}}/b?c=d HTTP/1.1'), [
      'POST',
      undefined,
      '{{endpoint:a}}/b?c=d',
      'HTTP/1.1',
    ]);
    assert.deepEqual(parts('get /a b'), ['get', undefined, '/a b', undefined]);
    assert.deepEqual(parts('/a'), [undefined, undefined, '/a', undefined]);
    assert.deepEqual(parts('GRAPHQL /a'), [undefined, 'GRAPHQL', '/a', undefined]);
  });

  it('recognizes the other lines', () => {
    assert.deepEqual(pattern('separator').exec('### Name of it')?.slice(1), ['###', 'Name of it']);
    assert.deepEqual(pattern('header').exec('Content-Type: a:b')?.slice(1), ['Content-Type', ':', 'a:b']);
    assert.deepEqual(pattern('definition').exec('@a.b = {{c}}')?.slice(1), ['@', 'a.b', '=', '{{c}}']);
    assert.deepEqual(pattern('comment').exec('# @name login')?.slice(1), ['@name', 'login']);
    assert.deepEqual(pattern('comment').exec('// text')?.slice(1), [undefined, undefined]);
    assert.deepEqual(pattern('file').exec('<@ ./a b.json')?.slice(1), ['<@', './a b.json']);
    assert.equal(pattern('variable').exec('{{endpoint: hello }}')?.[4], ' hello ');
    assert.equal(pattern('variable').exec('{{$randomInt 1 2}}')?.[5], '$randomInt');
  });

  it('embeds JSON unless the text begins with a variable', () => {
    for (const line of ['{', '  [1]', '{"a": {{b}}}']) assert.ok(pattern('json').test(line), line);
    for (const line of ['{{a}}', 'a{', '']) assert.ok(!pattern('json').test(line), line);
  });

  it('has a configuration with comments, brackets, and markers of folding', async () => {
    const configuration = (await read('http.language-configuration.json')) as {
      readonly comments: unknown;
      readonly wordPattern: string;
      readonly folding: { readonly markers: { readonly start: string; readonly end: string } };
    };
    assert.deepEqual(configuration.comments, { lineComment: '#' });
    assert.ok(new RegExp(configuration.folding.markers.start).test('### Name'));
    assert.deepEqual('Content-Type: text/plain'.match(new RegExp(configuration.wordPattern, 'g')), [
      'Content-Type',
      'text',
      'plain',
    ]);
  });
});
