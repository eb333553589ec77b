import assert from 'node:assert/strict';
import { productionOf, type PlacedEndpoint } from '../../../../../src/features/manifest/actions/findProduction.ts';

const connection = { isLocal: false, name: 'Cloud', host: 'api.example.com' };
const files = (...texts: readonly string[]) =>
  texts.map((text) => ({ language: 'yaml' as const, content: { text: `type: QUEUE\n${text}` } }));

const production = (texts: readonly string[], place: Partial<PlacedEndpoint> = {}) =>
  productionOf(files(...texts), { name: 'hello', connection, journaled: undefined, ...place })?.name;

describe('The environment of production that an endpoint is in', () => {
  const hello = (environments: string) => `name: hello\nx-environments: ${environments}\n`;
  const both = hello('{ staging: { patch: { name: hello-staging } }, eu: { production: true } }');

  it('is that of its manifest, with the name that a patch gives it', () => {
    assert.equal(production([both]), 'eu');
    assert.equal(production([both], { name: 'hello-staging' }), undefined);
    assert.equal(production([hello('{ production: {} }')]), 'production');
    assert.equal(production(['name: hello\n']), undefined);
    assert.equal(production([]), undefined);
  });

  it('does not count if its connection is another one', () => {
    const elsewhere = hello(
      '{ staging: { connection: api.example.com }, eu: { connection: other, production: true } }',
    );
    assert.equal(production([elsewhere]), undefined);
    assert.equal(production([elsewhere], { connection: { ...connection, name: 'other' } }), 'eu');
  });

  it('is the one that the journal names if its name is the same in several', () => {
    const same = hello('{ staging: {}, eu: { production: true } }');
    assert.equal(production([same]), 'eu');
    assert.equal(production([same], { journaled: 'staging' }), undefined);
    assert.equal(production([same], { journaled: 'eu' }), 'eu');
  });

  it('follows from the journal, or else from the connection, without a manifest', () => {
    const other = ['name: other\nx-environments: { eu: { connection: api.example.com, production: true }, dev: {} }\n'];
    assert.equal(production(other), 'eu');
    assert.equal(production(other, { journaled: 'dev' }), undefined);
    assert.equal(production(other, { connection: { ...connection, host: 'localhost' } }), undefined);
    assert.equal(production([], { journaled: 'production' }), 'production');
    assert.equal(production([], { journaled: 'gone' }), undefined);
    assert.equal(production(['name: other\nx-environments: { eu: { production: true } }\n']), undefined);
  });
});
