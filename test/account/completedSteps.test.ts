import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CompletedSteps, FIRST_STEPS } from '../../src/account/completedSteps.ts';
import { repository } from '../platform/support.ts';
import { memento } from '../features/jobs/memento.ts';

const fail = (error: unknown): never => assert.fail(String(error));

interface Manifest {
  readonly contributes: {
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly id: string; readonly completionEvents: readonly string[] }[];
    }[];
  };
}

describe('CompletedSteps', () => {
  it('keeps completed steps, and reports each one once', () => {
    const storage = memento();
    const steps = new CompletedSteps(storage, fail);
    const reported: string[] = [];
    steps.onDidComplete((step) => reported.push(step));
    steps.complete('logs');
    steps.complete('platform');
    steps.complete('logs');
    assert.deepEqual(reported, ['logs', 'platform']);
    const restored = new CompletedSteps(storage, fail);
    assert.deepEqual(
      FIRST_STEPS.filter((step) => restored.has(step)),
      ['platform', 'logs'],
    );
  });

  it('keeps the steps that another window completed', () => {
    const storage = memento();
    const [one, other] = [new CompletedSteps(storage, fail), new CompletedSteps(storage, fail)];
    one.complete('job');
    other.complete('billing');
    const restored = new CompletedSteps(storage, fail);
    assert.deepEqual(
      FIRST_STEPS.filter((step) => restored.has(step)),
      ['job', 'billing'],
    );
  });

  it('ignores unknown and damaged entries', () => {
    const storage = memento();
    for (const stored of [['later', 'job'], 'job', { job: true }]) {
      void storage.update('cloudCompute.firstSteps.completed', stored);
      const steps = new CompletedSteps(storage, fail);
      assert.deepEqual(
        FIRST_STEPS.filter((step) => steps.has(step)),
        Array.isArray(stored) ? ['job'] : [],
      );
    }
  });

  it('keeps the steps of another version', async () => {
    const storage = memento();
    const key = 'cloudCompute.firstSteps.completed';
    await storage.update(key, ['logs', 'later', 7]);
    new CompletedSteps(storage, fail).complete('job');
    assert.deepEqual(storage.get(key), ['logs', 'later', 'job']);
  });

  it('reports a failure of the storage, and keeps the step until the window closes', async () => {
    const failed = Promise.withResolvers<unknown>();
    const broken = { ...memento(), update: () => Promise.reject(new Error('disk full')) };
    const steps = new CompletedSteps(broken, failed.resolve);
    steps.complete('job');
    assert.match(String(await failed.promise), /disk full/);
    assert.equal(steps.has('job'), true);
  });

  it('has the steps of the walkthrough, each of which is completed by its context key', async () => {
    const text = await readFile(path.join(repository, 'package.json'), 'utf8');
    const [walkthrough] = (JSON.parse(text) as Manifest).contributes.walkthroughs;
    assert.deepEqual(
      walkthrough?.steps.map(({ id, completionEvents }) => [id, completionEvents]),
      FIRST_STEPS.map((step) => [step, [`onContext:cloudCompute.completed.${step}`]]),
    );
  });
});
