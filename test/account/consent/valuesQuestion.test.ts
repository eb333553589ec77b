import assert from 'node:assert/strict';
import type { SentReference } from '../../../src/account/consent/trustDecision.ts';
import { valuesQuestion } from '../../../src/account/consent/consentQuestions.ts';

const platform = { name: 'Test', baseUrl: 'https://api.example.com/v2' };
const secret = (name: string): SentReference => ({ kind: 'secret', name });
const variable = (name: string): SentReference => ({ kind: 'env', name });

describe('the question before values are sent to a platform', () => {
  it('names the connection, the platform, and the references', () => {
    const { message, detail } = valuesQuestion(platform, [secret('TOKEN'), variable('HOME'), secret('KEY')]);
    assert.equal(message.text, 'Send secrets and environment variables to “Test”?');
    assert.deepEqual(detail.text.split('\n').slice(0, 4), [
      'Secrets: TOKEN, KEY',
      'Environment variables: HOME',
      'Platform: api.example.com',
      '',
    ]);
  });

  it('names only the kinds that are sent', () => {
    assert.equal(valuesQuestion(platform, [secret('A')]).message.text, 'Send secrets to “Test”?');
    const { message, detail } = valuesQuestion(platform, [variable('A')]);
    assert.equal(message.text, 'Send environment variables to “Test”?');
    assert.doesNotMatch(detail.text, /Secrets/);
  });

  it('shortens a long list', () => {
    const many = Array.from({ length: 60 }, (_, index) => secret(`S${index}`));
    assert.match(valuesQuestion(platform, many).detail.text, /S49, and 10 more$/m);
  });
});
