import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  hasReference,
  isSecretName,
  literalText,
  malformedIn,
  referencesIn,
  referencesOf,
  referenceText,
  resolveEnv,
  type Lookup,
} from '../../../src/account/secrets/envReferences.ts';

const values: Readonly<Record<string, string>> = { 'env:HOME': '/home/me', 'secret:TOKEN': 's3cret', 'env:EMPTY': '' };
const lookup: Lookup = ({ kind, name }) => values[`${kind}:${name}`];
const resolved = (text: string) => resolveEnv({ A: text }, lookup).env['A'];

describe('references in values of env', () => {
  it('have a kind, a name, and a span', () => {
    const text = 'Bearer ${secret:TOKEN} from ${env:HOME}';
    assert.deepEqual(
      referencesIn(text).map(({ kind, name, start, end }) => [kind, name, text.slice(start, end)]),
      [
        ['secret', 'TOKEN', '${secret:TOKEN}'],
        ['env', 'HOME', '${env:HOME}'],
      ],
    );
  });

  it('can have the variable names of Windows', () => {
    assert.equal(referencesIn('${env:ProgramFiles(x86)}')[0]?.name, 'ProgramFiles(x86)');
  });

  it('are replaced inside the text around them', () => {
    assert.equal(resolved('Bearer ${secret:TOKEN}'), 'Bearer s3cret');
    assert.equal(resolved('${env:HOME}${env:EMPTY}/${secret:TOKEN}/x'), '/home/me/s3cret/x');
  });

  it('keep any other text', () => {
    for (const text of [
      '',
      '$',
      '${',
      '${}',
      '${HOME}',
      '${HOME:-/root}',
      '${ENV:-none}',
      '${workspaceFolder}',
      '$env:HOME',
    ])
      assert.deepEqual([resolved(text), malformedIn(text)], [text, []]);
  });

  it('are literal after another dollar sign', () => {
    assert.equal(resolved('$${env:HOME}'), '${env:HOME}');
    assert.equal(resolved('$$${env:HOME}'), '$${env:HOME}');
    assert.equal(resolved('$${X} ${env:HOME}'), '${X} /home/me');
    assert.equal(hasReference('$${env:HOME}'), false);
  });

  it('are not replaced in a value that a reference supplies', () => {
    const { env } = resolveEnv({ A: '${env:B}' }, () => '${secret:TOKEN} $${');
    assert.equal(env['A'], '${secret:TOKEN} $${');
  });

  it('stay in the text and are listed once if they have no value', () => {
    const { env, missing } = resolveEnv({ A: '${env:NO} ${env:NO}', B: '${secret:NO}' }, lookup);
    assert.deepEqual(env, { A: '${env:NO} ${env:NO}', B: '${secret:NO}' });
    assert.deepEqual(missing, [
      { kind: 'env', name: 'NO' },
      { kind: 'secret', name: 'NO' },
    ]);
  });

  it('can be in a variable named __proto__', () => {
    const env = JSON.parse('{"__proto__": "${env:HOME}"}') as Record<string, string>;
    assert.deepEqual(Object.entries(resolveEnv(env, lookup).env), [['__proto__', '/home/me']]);
  });

  it('are listed once for an environment', () => {
    const found = referencesOf({ A: '${env:X}${secret:Y}', B: '${env:X}', C: 'plain' });
    assert.deepEqual(found.map(referenceText), ['${env:X}', '${secret:Y}']);
    assert.deepEqual(referencesOf(undefined), []);
  });
});

describe('malformed references', () => {
  for (const [text, written, problem, instead] of [
    ['${env:}', '${env:}', 'name', undefined],
    ['${secret:}', '${secret:}', 'name', undefined],
    ['${env: HOME }', '${env: HOME }', 'name', '${env:HOME}'],
    ['${secret:my key}', '${secret:my key}', 'name', undefined],
    ['${secret:1ST}', '${secret:1ST}', 'name', undefined],
    ['a ${env:HOME', '${env:HOME', 'unclosed', '${env:HOME}'],
    ['${env:${env:HOME}', '${env:', 'unclosed', undefined],
    ['${sceret:TOKEN}', '${sceret:TOKEN}', 'kind', '${secret:TOKEN}'],
    ['${secrets:TOKEN}', '${secrets:TOKEN}', 'kind', '${secret:TOKEN}'],
    ['${ENV:HOME}', '${ENV:HOME}', 'kind', '${env:HOME}'],
    ['${evn:HOME}', '${evn:HOME}', 'kind', '${env:HOME}'],
  ] as const)
    it(`include ${text}`, () => {
      const [found] = malformedIn(text);
      assert.deepEqual([found?.written, found?.problem, found?.instead], [written, problem, instead]);
      assert.equal(text.slice(found?.start, found?.end), written);
    });

  it('are sent literally', () => {
    assert.equal(resolved('${sceret:TOKEN} ${secret:TOKEN}'), '${sceret:TOKEN} s3cret');
  });
});

describe('a literal value', () => {
  it('resolves to itself once it is escaped', () => {
    assert.equal(literalText('${secret:TOKEN}'), '$${secret:TOKEN}');
    assert.equal(literalText('${HOME}'), '${HOME}');
    const text = fc
      .array(fc.constantFrom('$', '${', '}', 'env:', 'secret:', 'sceret:', 'A', ' '))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, (value) => assert.equal(resolveEnv({ A: literalText(value) }, () => 'x').env['A'], value)),
    );
  });
});

describe('isSecretName', () => {
  it('accepts names that a reference can have', () => {
    for (const name of ['A', '_a', 'OPENAI_API_KEY', 'db.password-2']) {
      assert.ok(isSecretName(name), name);
      assert.equal(referencesIn(referenceText({ kind: 'secret', name }))[0]?.name, name);
    }
    for (const name of ['', '1A', 'a b', 'a}', 'ä', 'a'.repeat(129), '-a']) assert.ok(!isSecretName(name), name);
  });
});
