import assert from 'node:assert/strict';
import type { SentReference, ProcessCommand } from '../../../src/account/consent/trustDecision.ts';
import { valuesQuestion, processQuestion } from '../../../src/account/consent/consentQuestions.ts';

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

const local = { name: 'Test', baseUrl: 'http://127.0.0.1:8080' };
const process: ProcessCommand = { directory: '/work', command: 'python3 handler.py', environment: [] };
const lines = (change: Partial<ProcessCommand>) =>
  processQuestion(local, { ...process, ...change }).detail.text.split('\n');

describe('the question before a command runs on the machine of a platform', () => {
  it('names the command, its directory, and the platform', () => {
    assert.equal(processQuestion(local, process).message.text, 'Run a command on the machine of “Test”?');
    assert.deepEqual(lines({}).slice(0, 4), [
      'Command: python3 handler.py',
      'Directory: /work',
      'Platform: 127.0.0.1:8080',
      '',
    ]);
  });

  it('lists the environment variables of the command, because they can name files to load', () => {
    assert.equal(lines({ environment: ['LD_PRELOAD', 'A\nB'] })[2], 'Environment variables: LD_PRELOAD, A B');
    const many = Array.from({ length: 100 }, (_, index) => `V${index}`);
    assert.match(lines({ environment: many })[2] ?? '', /V49, and 50 more$/);
  });

  it('shows the beginning of a long command and its total length', () => {
    const [command, warning] = lines({ command: `${'x'.repeat(4_000)}; evil` });
    assert.equal(command?.length, 'Command: '.length + 4_000);
    assert.equal(warning, 'Shortened from 4,006 characters.');
  });

  it('names the endpoint’s own command when the text contains none', () => {
    assert.equal(lines({ command: '' })[0], 'Command: the endpoint’s own command');
  });
});
