import { MAX_HTTP_FILE } from '../../../../src/features/manifest/model/testFiles.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { HttpFile, ParsedBlock } from '../../../../src/features/requests/model/httpFile.ts';
import { blockAt } from '../../../../src/features/requests/model/httpFile.ts';
import { MAX_HEADERS, MAX_REQUESTS, parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import { lines, problemsIn, textAt } from './support.ts';

/** Describes a request in one value. */
function summary({ name, method, url, headers, body }: ParsedBlock) {
  return {
    ...(name !== undefined && { name }),
    line: `${method} ${url}`,
    ...(headers.length > 0 && { headers: headers.map((one) => `${one.name}: ${one.value}`) }),
    ...(body && { body: body.kind === 'text' ? body.text : body }),
  };
}

interface Case {
  readonly text: string;
  readonly blocks: readonly ReturnType<typeof summary>[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly problems?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  'an empty file': { text: '', blocks: [] },
  'a file of comments': { text: '# a\n// b\n\n### c\n# d', blocks: [] },
  'a path without a method': { text: '/ping', blocks: [{ line: 'GET /ping' }] },
  'a URL without a method': { text: 'https://example.com/a b', blocks: [{ line: 'GET https://example.com/a b' }] },
  'a variable without a method': { text: '{{base}}/ping', blocks: [{ line: 'GET {{base}}/ping' }] },
  'a method, a URL, and a version': { text: 'POST /a HTTP/1.1', blocks: [{ line: 'POST /a' }] },
  'the version HTTP/2': { text: 'GET /a HTTP/2', blocks: [{ line: 'GET /a' }] },
  'a method in lower case': { text: 'patch /a', blocks: [{ line: 'PATCH /a' }] },
  'a WebSocket': { text: 'WEBSOCKET /ws', blocks: [{ line: 'WEBSOCKET /ws' }] },
  'names of requests': {
    text: lines(
      '### First one',
      'GET /1',
      '###',
      '# @name second',
      'GET /2',
      '####  third ',
      '// @name=3',
      'GET /3',
      '###',
      'GET /4',
    ),
    blocks: [
      { name: 'First one', line: 'GET /1' },
      { name: 'second', line: 'GET /2' },
      { name: '3', line: 'GET /3' },
      { line: 'GET /4' },
    ],
  },
  'a query over several lines': {
    text: lines('GET /search', '    ?q=a', '    &page={{page}}', 'Accept: */*'),
    blocks: [{ line: 'GET /search?q=a&page={{page}}', headers: ['Accept: */*'] }],
  },
  'headers with comments between them': {
    text: lines('POST /a', 'Accept: a:b', '# comment', '// comment', 'X-Empty:', '', '{}'),
    blocks: [{ line: 'POST /a', headers: ['Accept: a:b', 'X-Empty: '], body: '{}' }],
  },
  'a body without headers': {
    text: 'POST /a\n\n\nhello\n\nworld\n\n',
    blocks: [{ line: 'POST /a', body: 'hello\n\nworld' }],
  },
  'a body with the line breaks of Windows': {
    text: 'POST /a\r\nA: b\r\n\r\none\r\ntwo\r\n',
    blocks: [{ line: 'POST /a', headers: ['A: b'], body: 'one\r\ntwo' }],
  },
  'comments in JSON, which are removed': {
    text: lines('POST /a', '', '// first', '{', '  # no', '  "a": 1', '  // no', '}', '### next', 'GET /b'),
    blocks: [
      { line: 'POST /a', body: '{\n  "a": 1\n}' },
      { name: 'next', line: 'GET /b' },
    ],
  },
  'lines with # in text, which stay': {
    text: lines('POST /a', '', '# title', '', 'text # more', '# end'),
    blocks: [{ line: 'POST /a', body: '# title\n\ntext # more\n# end' }],
  },
  'a body of # lines only': { text: 'POST /a\n\n# title', blocks: [{ line: 'POST /a', body: '# title' }] },
  XML: { text: 'POST /a\n\n<a>\n</a>', blocks: [{ line: 'POST /a', body: '<a>\n</a>' }] },
  'the body from a file': {
    text: 'PUT /a\n\n< ./my image.png\n',
    blocks: [{ line: 'PUT /a', body: { kind: 'file', path: './my image.png' } }],
  },
  'the body from a file with variables': {
    text: 'PUT /a\n\n<@ ./a.json\n',
    blocks: [{ line: 'PUT /a', body: { kind: 'file', path: './a.json', isTemplate: true } }],
  },
  'the body from a file in another encoding': {
    text: 'PUT /a\n\n<@latin1 ./a.json\n',
    blocks: [{ line: 'PUT /a', body: { kind: 'file', path: './a.json', isTemplate: true } }],
    problems: ['error unsupportedEncoding: <@latin1 ./a.json'],
  },
  'text after a file': {
    text: 'PUT /a\n\n< ./a.json\n{}\n',
    blocks: [{ line: 'PUT /a', body: { kind: 'file', path: './a.json' } }],
    problems: ['error mixedBody: {}'],
  },
  'a file after text': {
    text: 'PUT /a\n\n--x\n< ./a.json\n',
    blocks: [{ line: 'PUT /a', body: '--x\n< ./a.json' }],
    problems: ['error mixedBody: < ./a.json'],
  },
  variables: {
    text: lines('@a = 1', '@b=x={{a}} ', '@empty =', '', 'GET /a', '###', '  @c.d-e_f = 2', 'GET /b'),
    blocks: [{ line: 'GET /a' }, { line: 'GET /b' }],
    variables: { a: '1', b: 'x={{a}}', empty: '', 'c.d-e_f': '2' },
  },
  'a variable with two values': {
    text: lines('@a = 1', '@a = 2'),
    blocks: [],
    variables: { a: '2' },
    problems: ['warning duplicateVariable: a'],
  },
  'invalid definitions': {
    text: lines('@a', '@ = 1', '@a b = 1', 'GET /a'),
    blocks: [{ line: 'GET /a' }],
    problems: ['error invalidVariable: @a', 'error invalidVariable: @ = 1', 'error invalidVariable: @a b = 1'],
  },
  'scripts, which are not run': {
    text: lines(
      '< {%',
      'GET /no',
      '%}',
      '< ./before.js',
      'POST /a',
      'A: b',
      '',
      '{}',
      '> {% client.log(1) %}',
      '> ./after.js',
      '>> out.json',
      '<> old.json',
    ),
    blocks: [{ line: 'POST /a', headers: ['A: b'], body: '{}' }],
    problems: [
      'information notRun: < {%',
      'information notRun: < ./before.js',
      'information notRun: > {% client.log(1) %}',
      'information notRun: > ./after.js',
      'information notRun: >> out.json',
      'information notRun: <> old.json',
    ],
  },
  'a script directly after headers': {
    text: lines('GET /a', 'A: b', '> {%', 'x: y', '%}', '### b', 'GET /b'),
    blocks: [
      { line: 'GET /a', headers: ['A: b'] },
      { name: 'b', line: 'GET /b' },
    ],
    problems: ['information notRun: > {%'],
  },
  'a script without an end': {
    text: lines('GET /a', '', '> {%', 'x', '### b', 'GET /b'),
    blocks: [{ line: 'GET /a' }, { name: 'b', line: 'GET /b' }],
    problems: ['information notRun: > {%', 'error unclosedScript: > {%'],
  },
  'quoted text, which is not a script': { text: 'POST /a\n\n> quote', blocks: [{ line: 'POST /a', body: '> quote' }] },
  'an unknown method': {
    text: 'GRAPHQL /graphql',
    blocks: [{ line: 'GET /graphql' }],
    problems: ['error unknownMethod: GRAPHQL'],
  },
  'a method without a URL': { text: '  GET  ', blocks: [{ line: 'GET ' }], problems: ['error missingUrl: GET'] },
  'a method with only a version': {
    text: 'GET HTTP/1.1',
    blocks: [{ line: 'GET ' }],
    problems: ['error missingUrl: GET'],
  },
  'a word': { text: 'hello', blocks: [{ line: 'GET ' }], problems: ['error unknownMethod: hello'] },
  'broken headers': {
    text: lines('GET /a', 'nonsense', 'Bad Name: x', ': y', 'Good: z'),
    blocks: [{ line: 'GET /a', headers: ['Good: z'] }],
    problems: ['error invalidHeader: nonsense', 'error invalidHeaderName: Bad Name', 'error invalidHeaderName: : y'],
  },
  'a body without an empty line before it': {
    text: lines('POST /a', '{', '}'),
    blocks: [{ line: 'POST /a' }],
    problems: ['error invalidHeader: {', 'error invalidHeader: }'],
  },
  'references without an end': {
    text: lines('@a = {{b', 'GET /{{c', 'X: {{d', '', 'body {{e'),
    blocks: [{ line: 'GET /{{c', headers: ['X: {{d'], body: 'body {{e' }],
    variables: { a: '{{b' },
    problems: ['error unclosedVariable: {{b', 'error unclosedVariable: {{c', 'error unclosedVariable: {{d'],
  },
};

const variablesOf = ({ variables }: HttpFile) =>
  Object.fromEntries(variables.map(({ name, value }) => [name, value.text]));

describe('parseHttpFile', () => {
  for (const [name, { text, blocks, variables, problems = [] }] of Object.entries(cases))
    it(`reads ${name}`, () => {
      const file = parseHttpFile(text);
      assert.deepEqual(file.blocks.map(summary), blocks);
      if (variables) assert.deepEqual(variablesOf(file), variables);
      assert.deepEqual(problemsIn(text, file.problems), problems);
    });

  it('returns the places of all parts', () => {
    const text = lines(
      '### one',
      'POST  /a/{{x}}  HTTP/1.1',
      '  ?q=1',
      'Content-Type : text/plain ',
      '',
      '// c',
      '[1,',
      '# c',
      '2]',
      '',
      '###',
      '@x = 5',
    );
    const file = parseHttpFile(text);
    const [block] = file.blocks;
    assert.ok(block?.methodSpan);
    assert.equal(textAt(text, block), text.slice(0, text.indexOf('\n\n###')));
    assert.equal(textAt(text, block.requestLine), 'POST  /a/{{x}}  HTTP/1.1');
    assert.equal(textAt(text, block.methodSpan), 'POST');
    const pieces = [...block.urlPieces, ...block.bodyPieces, ...file.variables.map(({ value }) => value)];
    for (const piece of pieces) assert.equal(text.slice(piece.start, piece.start + piece.text.length), piece.text);
    assert.deepEqual(
      block.urlPieces.map((piece) => piece.text),
      ['/a/{{x}}', '?q=1'],
    );
    assert.deepEqual(
      block.bodyPieces.map((piece) => piece.text),
      ['[1,\n', '2]'],
    );
    const [header] = block.headers;
    assert.ok(header);
    assert.deepEqual(
      [header, header.nameSpan, header.valueSpan].map((span) => textAt(text, span)),
      ['Content-Type : text/plain', 'Content-Type', 'text/plain'],
    );
    assert.equal(text.slice(0, block.headersEnd).split('\n').at(-1), 'Content-Type : text/plain ');
    assert.equal(textAt(text, file.variables[0]?.nameSpan ?? block), 'x');
  });

  it('finds the request at an offset', () => {
    const text = lines('GET /1', '', 'body', '', '### 2', 'GET /2', '', '###', '# only a comment');
    const file = parseHttpFile(text);
    assert.equal(blockAt(file, 0)?.url, '/1');
    assert.equal(blockAt(file, text.indexOf('### 2') - 1)?.url, '/1');
    assert.equal(blockAt(file, text.indexOf('### 2'))?.url, '/2');
    assert.equal(blockAt(file, text.length)?.url, '/2');
  });

  it('marks requests with errors', () => {
    const { blocks } = parseHttpFile(lines('GET /1', 'wrong', '###', 'GET /2', '', '> {% x %}'));
    assert.deepEqual(
      blocks.map(({ isValid }) => isValid),
      [false, true],
    );
  });

  it('marks requests with errors after the limit of listed problems', () => {
    const text = `${lines('###', 'GET /a', 'wrong', '').repeat(300)}###\n${'@x\n'.repeat(2000)}GET /a\nwrong`;
    const { blocks, problems } = parseHttpFile(text);
    assert.equal(problems.length, 1000);
    assert.equal(blocks.at(-1)?.isValid, false);
  });

  it('refuses a file over the limit', () => {
    const text = `GET /a\n\n${'x'.repeat(MAX_HTTP_FILE)}`;
    const { blocks, problems } = parseHttpFile(text);
    assert.equal(blocks.length, 0);
    assert.deepEqual(problemsIn(text, problems), ['error tooLarge: GET /a']);
  });

  it('stops at the limit of requests', () => {
    const { blocks, problems } = parseHttpFile('###\nGET /a\n'.repeat(MAX_REQUESTS + 2));
    assert.equal(blocks.length, MAX_REQUESTS);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['tooManyRequests'],
    );
  });

  it('limits the headers of a request', () => {
    const { blocks, problems } = parseHttpFile(`GET /a\n${'A: b\n'.repeat(MAX_HEADERS + 5)}`);
    assert.equal(blocks[0]?.headers.length, MAX_HEADERS);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['tooManyHeaders'],
    );
  });

  it('never throws, and all places are inside of the text', () => {
    const token = fc.constantFrom(
      ...[
        '\n',
        '\r\n',
        '\r',
        ' ',
        '###',
        '#',
        '//',
        '@',
        'a',
        '=',
        '{{',
        '}}',
        ':',
        'GET ',
        'POST ',
        '/x',
        '?',
        '&',
        '< ',
        '<@ ',
      ],
      ...[
        '> {%',
        '%}',
        '{',
        '}',
        '[',
        '"',
        '$guid',
        'endpoint:',
        '>> ',
        '\u2028',
        '\ud800',
        '\t',
        '# @name ',
        'HTTP/1.1',
      ],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        const text = tokens.join('');
        const { blocks, variables, problems } = parseHttpFile(text);
        const spans = [
          ...problems,
          ...blocks.flatMap((block) => [
            ...[block, block.requestLine, ...(block.methodSpan ? [block.methodSpan] : [])],
            ...block.headers.flatMap((header) => [header, header.nameSpan, header.valueSpan]),
          ]),
          ...variables.flatMap((variable) => [variable, variable.nameSpan]),
        ];
        for (const { start, end } of spans) assert.ok(start >= 0 && start <= end && end <= text.length);
        for (const { start, end } of problems) assert.ok(end > start, 'a problem is visible');
        const pieces = [
          ...blocks.flatMap((block) => [...block.urlPieces, ...block.bodyPieces]),
          ...variables.map((one) => one.value),
        ];
        for (const piece of pieces) assert.equal(text.slice(piece.start, piece.start + piece.text.length), piece.text);
      }),
      { numRuns: 2000 },
    );
  });
});
