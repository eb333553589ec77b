import assert from 'node:assert/strict';
import type { KnownNames } from '../../../../../src/features/manifest/model/environment/envProblems.ts';
import { readManifestFile, type ManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';

const names: KnownNames = { secrets: new Set(['API_TOKEN']), variables: new Set(['HOME']) };
const KEY = 'ghp_' + 'a8Kd3ZqP0vR7mX2tLw9YbC5nHs4GfJ6eUu1o';

const yaml = (env: string, type = 'QUEUE'): string => `name: hello
type: ${type}
image: example/hello:1
scaling: { type: REQUEST_COUNT, requestCount: 4 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
env:${env}
`;

function read(text: string, language: 'yaml' | 'json' = 'yaml', known: KnownNames | undefined = names): ManifestFile {
  return readManifestFile(text, { language, target: 'hosted', names: known });
}

/** Returns the underlined text, the code, and the severity of each problem. */
function marked({ text, problems }: ManifestFile): [string, string, string][] {
  return problems.map(({ start, end, code, severity }) => [text.slice(start, end), code, severity]);
}

describe('problems of references in env', () => {
  it('are absent for known names', () => {
    const file = read(yaml('\n  A: ${env:HOME}\n  B: "x ${secret:API_TOKEN}"'));
    assert.deepEqual(marked(file), []);
    assert.equal(file.parts[0]?.manifest?.env?.['B'], 'x ${secret:API_TOKEN}');
  });

  it('mark the exact reference of an unknown name, in every style', () => {
    for (const value of [
      'at ${env:NOPE} and ${env:HOME}',
      '"at ${env:HOME} ${env:NOPE}"',
      "'at ${env:NOPE}'",
      '|\n    first\n    ${env:HOME}\n    ${env:NOPE}\n',
      '>-\n    $${env:NOPE} ${env:NOPE}',
    ]) {
      const file = read(yaml(`\n  A: ${value}`));
      assert.deepEqual(marked(file), [['${env:NOPE}', 'unresolvedVariable', 'error']], value);
      assert.equal(file.parts[0]?.manifest, undefined);
      assert.notEqual(file.text[(file.problems[0]?.start ?? 0) - 1], '$', 'the escaped reference is not marked');
    }
  });

  it('mark the same places in JSON and with Windows line ends', () => {
    const json = '{"name":"a","type":"QUEUE",\n"env": {"A": "x ${secret:NOPE}"}, // comment\n}';
    assert.deepEqual(
      marked(read(json, 'json')).filter(([, code]) => code === 'unresolvedSecret'),
      [['${secret:NOPE}', 'unresolvedSecret', 'error']],
    );
    const crlf = yaml('\n  A: |\n    one\n    ${secret:NOPE}\n').replaceAll('\n', '\r\n');
    assert.deepEqual(marked(read(crlf)), [['${secret:NOPE}', 'unresolvedSecret', 'error']]);
  });

  it('mark the whole value if escapes hide the reference', () => {
    assert.deepEqual(marked(read(yaml('\n  A: "\\x24{env:NOPE}"'))), [
      ['"\\x24{env:NOPE}"', 'unresolvedVariable', 'error'],
    ]);
  });

  it('mark references of aliases and merged maps', () => {
    const text = yaml('\n  <<: &base { A: "${env:NOPE}" }\n  B: &b ${secret:NOPE}\n  C: *b');
    assert.deepEqual(
      marked(read(text)).map(([source, code]) => [source, code]),
      [
        ['${env:NOPE}', 'unresolvedVariable'],
        ['${secret:NOPE}', 'unresolvedSecret'],
        ['*b', 'unresolvedSecret'],
      ],
    );
  });

  it('suggest a similar secret and name it in the data', () => {
    const [problem] = read(yaml('\n  A: ${secret:API_TOKN}')).problems;
    assert.equal(problem?.message, "A: there is no secret 'API_TOKN'; did you mean 'API_TOKEN'?");
    assert.deepEqual(problem.violation?.data, { name: 'API_TOKN', known: ['API_TOKEN'] });
  });

  it('are shown together with the errors of other fields', () => {
    const codes = read(`${yaml('\n  A: ${secret:NOPE}')}color: red\n`).problems.map(({ code }) => code);
    assert.deepEqual(codes.toSorted(), ['unknownField', 'unresolvedSecret']);
  });

  it('do not include unknown names if the names are not known', () => {
    const file = readManifestFile(yaml('\n  A: ${secret:NOPE} ${env:}'), { language: 'yaml', target: 'hosted' });
    assert.deepEqual(marked(file), [['${env:}', 'malformedReference', 'error']]);
  });

  it('ignore the case of variables where the system does', () => {
    const known: KnownNames = { secrets: new Set(), variables: new Set(['PATH']), ignoreCase: true };
    assert.deepEqual(marked(read(yaml('\n  A: ${env:Path}'), 'yaml', known)), []);
    assert.equal(read(yaml('\n  A: ${env:Path}'), 'yaml', { ...known, ignoreCase: false }).problems.length, 1);
  });

  it('warn about a misspelled kind and suggest the reference', () => {
    const file = read(yaml('\n  A: ${sceret:API_TOKEN}'));
    assert.deepEqual(marked(file), [['${sceret:API_TOKEN}', 'malformedReference', 'warning']]);
    assert.match(file.problems[0]?.message ?? '', /did you mean '\$\{secret:API_TOKEN\}'\?$/);
    assert.ok(file.parts[0]?.manifest);
  });

  it('are limited in number', () => {
    const many = Array.from({ length: 500 }, (_, index) => `\n  A${index}: \${env:NO}`).join('');
    const { problems } = read(yaml(many));
    assert.equal(problems.at(-1)?.code, 'more');
    assert.ok(problems.length <= 101);
  });

  it('apply to each document of a file', () => {
    const text = `${yaml('\n  A: ${env:HOME}')}---\n${yaml('\n  A: ${env:NOPE}')}`;
    assert.deepEqual(
      read(text).problems.map(({ part, code }) => [part, code]),
      [[1, 'unresolvedVariable']],
    );
  });
});

describe('values that are known only when the manifest is sent', () => {
  const balanced = (env: string) => read(yaml(env, 'LOAD_BALANCER')).problems.map(({ code }) => code);

  it('are exempt from the rules of load-balanced endpoints', () => {
    assert.deepEqual(balanced('\n  PORT: ${env:HOME}\n  HEALTH_CHECK_PATH: ${env:HOME}'), []);
    assert.deepEqual(balanced('\n  PORT: $${env:HOME}'), ['notAPort']);
  });
});

describe('problems of literal keys', () => {
  it('warn without repeating the value', () => {
    const file = read(yaml(`\n  A: ${KEY}`));
    assert.deepEqual(marked(file), [[KEY, 'literalKey', 'warning']]);
    assert.ok(!JSON.stringify(file.problems).includes(KEY));
    assert.equal(file.problems[0]?.message, 'A: the value looks like a GitHub token. Move it to a secret');
    assert.ok(file.parts[0]?.manifest);
  });

  it('are absent for references', () => {
    assert.deepEqual(marked(read(yaml('\n  API_KEY: x${secret:API_TOKEN}a8Kd3ZqP0vR7mX2tLw9Y'))), []);
  });
});
