import assert from 'node:assert/strict';
import { Agreements } from '../../../../src/features/agents/model/agreements.ts';

describe('Agreements about calls of tools', () => {
  const question = (title: string) => ({ title, detail: '' });

  it('are found by the tool and its arguments', () => {
    const agreements = new Agreements();
    agreements.put('run_job', { endpoint: 'a' }, question('a'));
    agreements.put('run_job', { endpoint: 'b' }, question('b'));
    assert.equal(agreements.find('run_job', { endpoint: 'a' })?.title, 'a');
    assert.equal(agreements.find('retry_job', { endpoint: 'a' }), undefined);
    assert.equal(agreements.find('run_job', { endpoint: 'c' }), undefined);
  });

  it('end when the same call has no question any more', () => {
    const agreements = new Agreements();
    agreements.put('run_job', {}, question('asked'));
    agreements.put('run_job', {}, undefined);
    assert.equal(agreements.find('run_job', {}), undefined);
  });

  it('are kept for a limited number of calls', () => {
    const agreements = new Agreements();
    for (let call = 0; call <= 100; call++) agreements.put('run_job', { call }, question(String(call)));
    assert.equal(agreements.find('run_job', { call: 0 }), undefined);
    assert.equal(agreements.find('run_job', { call: 100 })?.title, '100');
  });
});
