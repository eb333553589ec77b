import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint, Linter } from 'eslint';
import * as parser from '@typescript-eslint/parser';
import { repository } from '../platform/support.ts';

const NAME = 'no-restricted-syntax';

describe('lint rule about effects inside transactions', () => {
  const file = 'src/platform/queue/jobChanges.ts';
  let rule: Linter.RuleEntry;

  before(async () => {
    const config = (await new ESLint().calculateConfigForFile(file)) as { readonly rules?: Linter.RulesRecord };
    const entry = config.rules?.[NAME];
    assert.ok(entry, `${file} is checked`);
    rule = entry;
  });

  const problems = (code: string): string[] => {
    const options = { languageOptions: { parser }, rules: { [NAME]: rule } };
    return new Linter().verify(code, options).map(({ message }) => message);
  };

  /** Returns a source file of the platform with one passage replaced. The original must pass the rule. */
  function mutant(source: string, from: string, to: string): string {
    const text = readFileSync(path.join(repository, source), 'utf8');
    assert.deepEqual(problems(text), [], `${source} without the change`);
    const mutated = text.replace(from, () => to);
    assert.notEqual(mutated, text, `${source} contains the passage`);
    return mutated;
  }

  it('forbids changes of jobs that notify their listeners inside the transaction', () => {
    const from = 'transaction.afterCommit(() => this.notifyAll(changed));';
    assert.equal(problems(mutant(file, from, 'this.notifyAll(changed);')).length, 1);
  });

  it('forbids a lease that is released inside the transaction', () => {
    const from = 'transaction.afterCommit(() => {\n      // After retries on a full disk';
    const to = 'void (() => {\n      // After retries on a full disk';
    assert.equal(problems(mutant('src/platform/queue/queueEndpoint.ts', from, to)).length, 1);
  });

  it('forbids an image model that resolves a response inside the transaction', () => {
    const from = 'store.images.insert(image);';
    const to = `${from} this.#answers.get(job.id)?.resolve(job);`;
    assert.equal(problems(mutant('src/platform/images/imageModel.ts', from, to)).length, 1);
  });

  const forbidden = [
    'this.#listeners.get(id)?.changed()',
    'this.#events.onExpired(job)',
    'onLost(worker)',
    'this.#webhooks.wake()',
    "this.emit('changed')",
    'this.#running.delete(id)',
    'this.#nextSweep = Infinity',
    'this.#counts.waiting = 0',
    'this.#count++',
    'clock.after(0, callback)',
    'setImmediate(callback)',
    "log.info('stored')",
    'runtime.start(spec)',
  ];
  for (const code of forbidden) {
    it(`forbids ${code}`, () => {
      const call = `class A { b(store) { store.transaction((tx) => { ${code}; }); } }`;
      assert.equal(problems(call).length, 1, 'in a transaction');
      const receiving = `class A { b(id: string, tx: Transaction) { if (id) { ${code}; } } }`;
      assert.equal(problems(receiving).length, 1, 'in a function with a transaction parameter');
      const deferred = `class A { b(store) { store.transaction((tx) => { tx.afterCommit(() => { ${code}; }); }); } }`;
      assert.deepEqual(problems(deferred), [], 'after its commit');
      assert.deepEqual(problems(`class A { b() { ${code}; } }`), [], 'elsewhere');
    });
  }

  it('allows calls of the store', () => {
    const calls =
      'store.jobs.update(before, after); store.usage.start(usage); store.runs.end(id, now); records.delete(id);';
    assert.deepEqual(problems(`store.transaction((tx) => { ${calls} })`), []);
  });
});
