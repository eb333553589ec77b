import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import type { HttpProblem } from '../../../../src/features/requests/model/problem.ts';
import {
  checkHttpFile,
  resolveRequest,
  resolveTemplate,
  type ResolveContext,
} from '../../../../src/features/requests/model/resolveRequest.ts';
import { context, lines, parsed, problemsIn, textAt } from './support.ts';

function resolve(text: string, more: Partial<ResolveContext> = {}) {
  const file = parseHttpFile(text);
  const block = file.blocks.at(-1);
  assert.ok(block);
  return resolveRequest(file, block, { ...context, ...more });
}

/** Returns the request of a text that has one. */
function requestOf(text: string, more: Partial<ResolveContext> = {}) {
  const { request, problems } = resolve(text, more);
  assert.ok(request, problems.map(({ message }) => message).join('; '));
  return request;
}

/** Returns the endpoint and path of a request, as `id /path`. */
function targetOf(text: string, more: Partial<ResolveContext> = {}): string {
  const { endpointId, path } = requestOf(text, more);
  return `${endpointId} ${path}`;
}

const problemsOf = (text: string, more: Partial<ResolveContext> = {}) =>
  problemsIn(text, checkHttpFile(parseHttpFile(text), { ...context, ...more }));

const HELLO = '{{endpoint:hello-balanced}}';

describe('resolveRequest', () => {
  describe('finds the endpoint', () => {
    const balanced = { defaultEndpoint: 'hello-balanced' };
    const targets: readonly (readonly [string, string, Partial<ResolveContext>?])[] = [
      [`GET ${HELLO}/greet?a=1`, 'ep1 /greet?a=1'],
      [HELLO, 'ep1 /'],
      [`${HELLO}?a=1`, 'ep1 /?a=1'],
      ['GET {{ endpoint:ep1 }}/x', 'ep1 /x'],
      ['GET {{endpoint:ep3}}/x', 'ep3 /x'],
      ['POST {{endpoint:hello-queue}}/openai/v1/chat/completions', 'ep2 /openai/v1/chat/completions'],
      [lines('@base = {{endpoint:hello-balanced}}', 'GET {{base}}/x'), 'ep1 /x'],
      [lines('@endpoint = hello-balanced', 'GET /x'), 'ep1 /x'],
      [lines('@endpoint = {{endpoint:ep3}}', 'GET /x'), 'ep3 /x'],
      [lines('@endpoint = ep4', 'GET /x'), 'ep4 /x', balanced],
      ['/x', 'ep1 /x', balanced],
      ['GET https://ep1.api.example.com/x?y', 'ep1 /x?y'],
      ['GET https://EP1.api.example.com:443/x', 'ep1 /x'],
      ['GET http://127.0.0.1:8000/endpoints/ep3/a/b', 'ep3 /a/b'],
      ['GET http://127.0.0.1:8000/endpoints/ep3', 'ep3 /'],
      ['WEBSOCKET wss://ep1.api.example.com/ws', 'ep1 /ws'],
      ['WEBSOCKET ws://127.0.0.1:8000/endpoints/ep3/ws', 'ep3 /ws'],
      [`GET ${HELLO}/a b?c=d e`, 'ep1 /a%20b?c=d%20e'],
      [`GET ${HELLO}/a/../b#part`, 'ep1 /b'],
      [lines(`GET ${HELLO}/search`, '  ?q=a', '  &n=1'), 'ep1 /search?q=a&n=1'],
    ];
    for (const [text, target, more] of targets)
      it(`of ${JSON.stringify(text)}`, () => assert.equal(targetOf(text, more), target));
  });

  it('describes the request completely', () => {
    const text = lines(
      '@who = you',
      '### Greet',
      `POST ${HELLO}/greet`,
      'Accept: */*',
      'X-Who: {{who}}',
      '',
      '{"name": "{{who}}"}',
    );
    assert.deepEqual(requestOf(text), {
      ...{ name: 'Greet', endpointId: 'ep1', endpointName: 'hello-balanced', endpointType: 'LOAD_BALANCER' },
      ...{ method: 'POST', path: '/greet', body: { kind: 'text', text: '{"name": "you"}' } },
      headers: [
        { name: 'Accept', value: '*/*' },
        { name: 'X-Who', value: 'you' },
        { name: 'Content-Type', value: 'application/json' },
      ],
    });
  });

  it('replaces variables, also those that are defined later', () => {
    const text = lines('@b = {{c}}2', `POST ${HELLO}/{{b}}`, '', '{{b}}-{{ c }}', '###', '@c = 1');
    const file = parseHttpFile(text);
    const [block] = file.blocks;
    assert.ok(block);
    const { request } = resolveRequest(file, block, context);
    assert.deepEqual([request?.path, request?.body], ['/12', { kind: 'text', text: '12-1' }]);
  });

  it('generates the values of system variables', () => {
    const names = [
      '$guid',
      '$uuid',
      '$timestamp',
      '$isoTimestamp',
      '$randomInt',
      '$randomInt 5 10',
      '$randomInt -3 -1',
    ];
    const text = lines(`POST ${HELLO}/a`, '', ...names.map((name) => `{{${name}}}`));
    const { body } = requestOf(text);
    assert.ok(body?.kind === 'text');
    assert.deepEqual(body.text.split('\n'), [
      '88888888-8888-4888-a888-888888888888',
      '88888888-8888-4888-a888-888888888888',
      '1893553445',
      '2030-01-02T03:04:05.678Z',
      '500',
      '7',
      '-2',
    ]);
  });

  it('keeps the value of a variable in the whole request', () => {
    let calls = 0;
    const random = () => (calls++ % 16) / 16;
    const { headers, body } = requestOf(
      lines('@id = {{$guid}}', `POST ${HELLO}/a`, 'X-Id: {{id}}', '', '{{id}} {{$guid}}'),
      { random },
    );
    const id = headers[0]?.value ?? '';
    assert.ok(body?.kind === 'text');
    const [same, other] = body.text.split(' ');
    assert.equal(same, id);
    assert.notEqual(other, id);
  });

  it('sends a file as the body', () => {
    assert.deepEqual(requestOf(lines('@n = 1', `PUT ${HELLO}/a`, '', '< ./{{n}}.png')).body, {
      kind: 'file',
      path: './1.png',
    });
    assert.deepEqual(requestOf(lines(`PUT ${HELLO}/a`, '', '<@ ./a.json')).body, {
      kind: 'file',
      path: './a.json',
      isTemplate: true,
    });
  });

  it('replaces the variables of a file that is the body', () => {
    const file = parsed('@n = 1');
    assert.deepEqual(resolveTemplate(file, '{"n": {{n}}}', context), { text: '{"n": 1}' });
    const failed = resolveTemplate(file, '{"n": {{m}}}', context);
    assert.ok('problems' in failed);
    assert.deepEqual(
      failed.problems.map(({ code }) => code),
      ['unknownVariable'],
    );
  });

  it('joins the lines of a form', () => {
    const text = lines(
      `POST ${HELLO}/a`,
      'Content-Type: application/x-www-form-urlencoded',
      '',
      'a=1',
      '  &b=2',
      '&c=3',
    );
    assert.deepEqual(requestOf(text).body, { kind: 'text', text: 'a=1&b=2&c=3' });
  });

  it('never sends headers that the editor or the transport sets', () => {
    const names = [
      'Authorization',
      'authorization',
      'Host',
      'Connection',
      'Content-Length',
      'Transfer-Encoding',
      'Upgrade',
      'X-Team-Id',
    ];
    const text = lines(`GET ${HELLO}/a`, ...names.map((name) => `${name}: x`), 'Accept: a');
    assert.deepEqual(requestOf(text).headers, [{ name: 'Accept', value: 'a' }]);
  });

  it('sends repeated headers, and the last content type', () => {
    const text = lines(
      `POST ${HELLO}/a`,
      'X-A: 1',
      'X-A: 2',
      'Content-Type: text/plain',
      'content-type: text/html',
      '',
      'x',
    );
    assert.deepEqual(
      requestOf(text).headers.map(({ value }) => value),
      ['1', '2', 'text/html'],
    );
  });

  it('sends no body with GET, and returns a warning', () => {
    const { request, problems } = resolve(lines(`GET ${HELLO}/a`, '', '{"a": 1}'));
    assert.equal(request?.body, undefined);
    assert.deepEqual(request?.headers, []);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['bodyOnGet'],
    );
  });

  it('returns only the problems of the request, errors first', () => {
    const text = lines('###', 'FOO /', '###', `GET ${HELLO}/{{no}}`, 'Authorization: x', 'nonsense', '###', 'BAR /');
    const file = parseHttpFile(text);
    const block = file.blocks[1];
    assert.ok(block);
    const { problems } = resolveRequest(file, block, context);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['unknownVariable', 'invalidHeader', 'authorizationHeader'],
    );
  });

  it('refuses a request with an error in its syntax', () => {
    for (const line of ['FOO /a', 'GET', `GET ${HELLO}/{{x`]) assert.equal(resolve(line).request, undefined, line);
  });

  it('refuses a request while the endpoints are not known', () => {
    const none = { endpoints: undefined };
    for (const line of [`GET ${HELLO}/a`, 'GET https://example.com/a', '@endpoint = a\nGET /a']) {
      const { request, problems } = resolve(line, none);
      assert.equal(request, undefined);
      assert.deepEqual(
        problems.map(({ code, severity }) => [code, severity]),
        [['endpointsNotRead', 'error']],
      );
      assert.deepEqual(problemsOf(line, none), [], 'and reports no problem in the editor');
    }
  });
});

describe('checkHttpFile', () => {
  /** Texts and their problems: severity, code, and the text at the place. */
  const problems: Readonly<Record<string, readonly [string, readonly string[]]>> = {
    'an unknown variable': [
      `GET ${HELLO}/{{ nme }}?{{nme}}`,
      ['error unknownVariable: nme', 'error unknownVariable: nme'],
    ],
    'an empty reference': [`GET ${HELLO}/{{}}`, ['error unknownVariable: {{}}']],
    'an unknown variable in a header and a body': [
      lines(`POST ${HELLO}/`, 'X-A: {{a}}', '', 'x {{b}} y'),
      ['error unknownVariable: a', 'error unknownVariable: b'],
    ],
    'an unknown variable in an unused definition': ['@a = {{b}}', ['error unknownVariable: b']],
    'an unknown system variable': [`GET ${HELLO}/{{$gid}}`, ['error unknownSystemVariable: $gid']],
    'a system variable with arguments that it does not have': [
      `GET ${HELLO}/{{$guid 1}}`,
      ['error unknownSystemVariable: $guid 1'],
    ],
    'wrong arguments': [
      `GET ${HELLO}/{{$randomInt 5}}{{$randomInt b c}}{{$randomInt 5 5}}`,
      [
        'error invalidArguments: $randomInt 5',
        'error invalidArguments: $randomInt b c',
        'error invalidArguments: $randomInt 5 5',
      ],
    ],
    'the environment': [
      lines(`GET ${HELLO}/`, 'X-A: {{$processEnv HOME}}', 'X-B: {{$dotenv KEY}}', 'X-C: {{$env.HOME}}'),
      [
        'error environmentVariable: $processEnv HOME',
        'error environmentVariable: $dotenv KEY',
        'error environmentVariable: $env.HOME',
      ],
    ],
    'the response of another request': [
      `GET ${HELLO}/{{login.response.body.id}}`,
      ['error responseVariable: login.response.body.id'],
    ],
    'variables that refer to each other': [
      lines('@a = {{b}}', '@b = {{c}}', '@c = {{a}}', `GET ${HELLO}/{{a}}`),
      ['error cyclicVariable: a'],
    ],
    'a variable that refers to itself': ['@a = 1{{a}}', ['error cyclicVariable: a']],
    'a request without an endpoint': ['GET /a', ['error endpointNotNamed: /a']],
    'an empty name of the endpoint': [lines('@endpoint =', 'GET /a'), ['error endpointNotNamed: @endpoint =']],
    'an unknown endpoint': ['GET {{endpoint:helo-balanced}}/a', ['error unknownEndpoint: helo-balanced']],
    'a reference without the name of the endpoint': ['GET {{endpoint:}}/a', ['error unknownEndpoint: {{endpoint:}}']],
    'an unknown endpoint in its variable': [lines('@endpoint = no', 'GET /a'), ['error unknownEndpoint: no']],
    'endpoints with the same name': ['GET {{endpoint:twin}}/a', ['error ambiguousEndpoint: twin']],
    'a URL of another service': ['GET https://example.com/a', ['error foreignUrl: https://example.com/a']],
    'a URL of another port': [
      'GET https://ep1.api.example.com:444/a',
      ['error foreignUrl: https://ep1.api.example.com:444/a'],
    ],
    'a URL without encryption': [
      'GET http://ep1.api.example.com/a',
      ['error foreignUrl: http://ep1.api.example.com/a'],
    ],
    'a URL with a password': [
      'GET https://a:b@ep1.api.example.com/a',
      ['error foreignUrl: https://a:b@ep1.api.example.com/a'],
    ],
    'a URL that begins like an endpoint': [
      'GET https://ep1.api.example.com.evil.org/',
      ['error foreignUrl: https://ep1.api.example.com.evil.org/'],
    ],
    'a path that begins like an endpoint': [
      'GET http://127.0.0.1:8000/endpoints/ep33/a',
      ['error foreignUrl: http://127.0.0.1:8000/endpoints/ep33/a'],
    ],
    'an absolute URL that leaves its endpoint': [
      'GET http://127.0.0.1:8000/endpoints/ep3/../../v2',
      ['error foreignUrl: http://127.0.0.1:8000/endpoints/ep3/../../v2'],
    ],
    'an absolute URL that leaves its endpoint with encoded slashes': [
      'GET http://127.0.0.1:8000/endpoints/ep3/..%2fep4/a',
      ['error foreignUrl: http://127.0.0.1:8000/endpoints/ep3/..%2fep4/a'],
    ],
    'an address without a scheme': ['GET //example.com/a', ['error foreignUrl: //example.com/a']],
    'an address with a port only': ['GET localhost:8000/a', ['error foreignUrl: localhost:8000/a']],
    'a WebSocket URL with another method': [
      'GET wss://ep1.api.example.com/ws',
      ['error foreignUrl: wss://ep1.api.example.com/ws'],
    ],
    'a relative path': ['GET ping/a', ['error invalidPath: ping/a']],
    'a path without a slash after the endpoint': [`GET ${HELLO}ping`, [`error invalidPath: ${HELLO}ping`]],
    'a host after the endpoint': [`GET ${HELLO}.evil.org/`, [`error invalidPath: ${HELLO}.evil.org/`]],
    'a user name after the endpoint': [`GET ${HELLO}@evil.org/`, [`error invalidPath: ${HELLO}@evil.org/`]],
    'a host after the endpoint in a variable': [
      lines(`@b = ${HELLO}`, 'GET {{b}}.evil.org/'),
      ['error foreignUrl: {{b}}.evil.org/'],
    ],
    'a path that leaves the endpoint': [
      'GET {{endpoint:ep3}}/../ep4/a',
      ['error pathOutside: {{endpoint:ep3}}/../ep4/a'],
    ],
    'an encoded path that leaves the endpoint': [
      'GET {{endpoint:ep3}}/%2e%2e/ep4',
      ['error pathOutside: {{endpoint:ep3}}/%2e%2e/ep4'],
    ],
    'encoded slashes that leave the endpoint': [
      'GET {{endpoint:ep3}}/a/..%2F..%5cep4',
      ['error pathOutside: {{endpoint:ep3}}/a/..%2F..%5cep4'],
    ],
    'backslashes that leave the endpoint': [
      'GET {{endpoint:ep3}}/..\\ep4',
      ['error pathOutside: {{endpoint:ep3}}/..\\ep4'],
    ],
    'a WebSocket of a queue': ['WEBSOCKET {{endpoint:hello-queue}}/ws', ['error queueWebSocket: WEBSOCKET']],
    'a key in the file': [
      lines(`GET ${HELLO}/`, 'authorization: Bearer abc'),
      ['warning authorizationHeader: authorization: Bearer abc'],
    ],
    'a header of the connection': [
      lines(`GET ${HELLO}/`, 'X-Team-Id: abc'),
      ['warning suppliedHeader: X-Team-Id: abc'],
    ],
    'headers of the transport': [
      lines(`GET ${HELLO}/`, 'Host: example.com', 'Content-Length: 5'),
      ['warning unsettableHeader: Host: example.com', 'warning unsettableHeader: Content-Length: 5'],
    ],
    'two content types': [
      lines(`POST ${HELLO}/`, 'Content-Type: a/b', 'content-type: c/d'),
      ['warning duplicateHeader: Content-Type: a/b'],
    ],
    'a control character in a header': [
      lines(`GET ${HELLO}/`, 'X-A: a\u0000b'),
      ['error invalidHeaderValue: a\u0000b'],
    ],
    'a character above Latin-1 in a header': [lines(`GET ${HELLO}/`, 'X-A: 日'), ['error invalidHeaderValue: 日']],
    'a body of GET': [lines(`GET ${HELLO}/`, '', 'some', 'text'), ['warning bodyOnGet: some']],
    'JSON without a content type': [lines(`POST ${HELLO}/`, '', '{"a": 1}'), ['hint contentTypeAdded: {']],
    'JSON with a mistake': [
      lines(`POST ${HELLO}/`, 'Content-Type: application/json', '', '{"a": 1', '  "b": 2}'),
      ['warning invalidJson: "'],
    ],
    'JSON with a mistake after a comment': [
      lines(
        `POST ${HELLO}/`,
        'Content-Type: application/problem+json; charset=utf-8',
        '',
        '{',
        '# comment',
        '  "a": x}',
      ),
      ['warning invalidJson: x'],
    ],
    'JSON without an end': [
      lines(`POST ${HELLO}/`, 'Content-Type: application/json', '', '{"a": 1'),
      ['warning invalidJson: 1'],
    ],
    'JSON with variables': [
      lines(
        '@n = 1',
        `POST ${HELLO}/`,
        'Content-Type: application/json',
        '',
        '{"a": {{n}}, "b": "{{n}} {{$guid}}", "c": [{{ n }}]}',
      ),
      [],
    ],
    'text with braces': [lines(`POST ${HELLO}/`, 'Content-Type: text/plain', '', '{a}'), []],
    'a WebSocket message': [lines(`WEBSOCKET ${HELLO}/`, '', '{a'), []],
  };
  for (const [name, [text, expected]] of Object.entries(problems))
    it(`reports ${name}`, () => assert.deepEqual(problemsOf(text), expected));

  const one = (text: string): HttpProblem => {
    const [found] = checkHttpFile(parseHttpFile(text), context);
    assert.ok(found);
    return found;
  };

  it('offers the nearest names', () => {
    const endpoint = one('GET {{endpoint:helo-balanced}}/a');
    assert.ok(endpoint.code === 'unknownEndpoint');
    assert.deepEqual(endpoint.data, {
      name: 'helo-balanced',
      known: ['hello-balanced', 'hello-queue', 'twin', 'twin'],
    });
    assert.match(endpoint.message, /did you mean 'hello-balanced'\?/);
    assert.match(one(lines('@name = 1', `GET ${HELLO}/{{nme}}`)).message, /did you mean 'name'\?/);
    assert.match(one(`GET ${HELLO}/{{$gid}}`).message, /did you mean '\$guid'\?/);
    assert.match(one('GTE /a').message, /did you mean 'GET'\?/);
  });

  it('lists the IDs of endpoints with the same name', () => {
    const found = one('GET {{endpoint:twin}}/a');
    assert.deepEqual(found.data, { name: 'twin', ids: ['ep3', 'ep4'] });
  });

  it('reports a problem of a shared definition once', () => {
    const text = lines('@a = {{no}}', `GET ${HELLO}/{{a}}`, '###', `GET ${HELLO}/{{a}}`);
    assert.deepEqual(problemsOf(text), ['error unknownVariable: no']);
    assert.equal(resolve(text).request, undefined);
  });

  it('limits the length of values that grow exponentially', () => {
    const text = lines(
      '@v0 = 0123456789',
      ...Array.from({ length: 60 }, (_, n) => `@v${n + 1} = {{v${n}}}{{v${n}}}`),
      `POST ${HELLO}/`,
      '',
      '{{v60}}',
    );
    assert.deepEqual([...new Set(checkHttpFile(parseHttpFile(text), context).map(({ code }) => code))], ['tooLong']);
    assert.equal(resolve(text).request, undefined);
  });

  it('limits the length of URLs and headers', () => {
    const long = 'x'.repeat(40_000);
    assert.deepEqual(problemsOf(lines(`@l = ${long}`, `GET ${HELLO}/{{l}}`)), ['error tooLong: /{{l}}']);
    assert.deepEqual(problemsOf(lines(`@l = ${long}`, `GET ${HELLO}/`, 'A: {{l}}', 'B: {{l}}')), [
      'error tooLong: {{l}}',
    ]);
  });

  it('limits the nesting of variables', () => {
    const text = lines(...Array.from({ length: 5000 }, (_, n) => `@v${n} = {{v${n + 1}}}`), '@v5000 = 1');
    assert.deepEqual(checkHttpFile(parseHttpFile(text), context)[0]?.code, 'nestedTooDeep');
  });

  it('never throws, and all places are inside of the text', () => {
    const token = fc.constantFrom(
      ...[
        '\n',
        '\n\n',
        ' ',
        '###\n',
        '@a = ',
        '@b = ',
        '@endpoint = ',
        '{{a}}',
        '{{b}}',
        '{{',
        '}}',
        'GET ',
        'POST ',
        'WEBSOCKET ',
        '/x',
        '..',
        '?',
      ],
      ...[
        '{{endpoint:ep1}}',
        '{{endpoint:twin}}',
        '{{$guid}}',
        '{{$randomInt 1 2}}',
        '{{$processEnv X}}',
        'https://ep1.api.example.com',
        '%2f',
        '\\',
      ],
      ...[
        'Content-Type: ',
        'application/json',
        'Authorization: x\n',
        '{',
        '}',
        '"a"',
        ':',
        ',',
        '1',
        '\ud800',
        '< ./x',
        '日',
        '@',
        '#',
      ],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const text = tokens.join('');
        const file = parseHttpFile(text);
        const found = [
          ...checkHttpFile(file, context),
          ...file.blocks.flatMap((block) => {
            const { request, problems: own } = resolveRequest(file, block, context);
            if (!request) assert.equal(own[0].severity, 'error', 'a refusal has an error');
            if (request) {
              const base = context.endpoints?.find(({ id }) => id === request.endpointId)?.base ?? '';
              assert.ok(
                new URL(base + request.path).href.startsWith(`${base}/`),
                `${request.path} stays below ${base}`,
              );
            }
            return own;
          }),
        ];
        for (const { start, end } of found)
          assert.ok(start >= 0 && start < end && end <= text.length, textAt(text, { start, end }));
      }),
      { numRuns: 3000 },
    );
  });
});
