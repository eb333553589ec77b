import assert from 'node:assert/strict';
import { Grammar, readLanguageFile } from '../../../support/grammar.ts';

describe('the grammar of HTTP files', () => {
  let grammar: Grammar;
  before(async () => {
    grammar = await Grammar.read('http.tmLanguage.json');
  });
  const pattern = (name: string): RegExp => grammar.pattern(name);

  it('has valid rules, and embeds JSON', () => {
    grammar.assertValid();
    assert.ok(grammar.included.includes('source.json'));
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
    const configuration = (await readLanguageFile('http.language-configuration.json')) as {
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
