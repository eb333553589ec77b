import assert from 'node:assert/strict';
import { Agreements } from '../../../src/agents/model/agreements.ts';

describe('Agreements about calls of tools', () => {
  const question = (title: string) => ({ title, detail: '' });

  it('are found by the tool and its arguments', () => {
    const agreements = new Agreements();
    agreements.put('run_job', { endpoint: 'a' }, question('a'));
    agreements.put('run_job', { endpoint: 'b' }, question('b'));
    assert.equal(agreements.take('run_job', { endpoint: 'a' })?.title, 'a');
    assert.equal(agreements.take('cancel_job', { endpoint: 'a' }), undefined);
    assert.equal(agreements.take('run_job', { endpoint: 'c' }), undefined);
  });

  it('end when the same call has no question any more', () => {
    const agreements = new Agreements();
    agreements.put('run_job', {}, question('asked'));
    agreements.put('run_job', {}, undefined);
    assert.equal(agreements.take('run_job', {}), undefined);
  });

  it('end with the call', () => {
    const agreements = new Agreements();
    agreements.put('run_job', {}, question('asked'));
    assert.equal(agreements.take('run_job', {})?.title, 'asked');
    assert.equal(agreements.take('run_job', {}), undefined);
  });

  it('count for each of several calls with the same question', () => {
    const agreements = new Agreements();
    for (let call = 0; call < 2; call++) agreements.put('run_job', {}, question('same'));
    const titles = [1, 2, 3].map(() => agreements.take('run_job', {})?.title);
    assert.deepEqual(titles, ['same', 'same', undefined]);
  });

  it('do not exist while calls with the same arguments have different questions', () => {
    const agreements = new Agreements();
    for (let call = 0; call < 2; call++) agreements.put('deploy_endpoint', { file: 'a' }, question('disk: 5 → 6'));
    agreements.put('deploy_endpoint', { file: 'a' }, question('disk: 5 → 600'));
    assert.equal(agreements.take('deploy_endpoint', { file: 'a' }), undefined);
    agreements.put('deploy_endpoint', { file: 'a' }, question('disk: 5 → 600'));
    assert.equal(agreements.take('deploy_endpoint', { file: 'a' })?.title, 'disk: 5 → 600');
  });

  it('are kept for a limited number of calls', () => {
    const full = new Agreements();
    for (let call = 0; call < 100; call++) full.put('run_job', { call }, question(String(call)));
    assert.equal(full.take('run_job', { call: 0 })?.title, '0');
    const agreements = new Agreements();
    for (let call = 0; call <= 100; call++) agreements.put('run_job', { call }, question(String(call)));
    assert.equal(agreements.take('run_job', { call: 0 }), undefined);
    assert.equal(agreements.take('run_job', { call: 100 })?.title, '100');
  });

  it('stay if the call was announced again lately', () => {
    const agreements = new Agreements();
    for (let call = 0; call < 100; call++) agreements.put('run_job', { call }, question(String(call)));
    agreements.put('run_job', { call: 0 }, question('0'));
    agreements.put('run_job', { call: 100 }, question('100'));
    assert.equal(agreements.take('run_job', { call: 0 })?.title, '0');
    assert.equal(agreements.take('run_job', { call: 1 }), undefined);
  });
});
