import assert from 'node:assert/strict';
import type { AlertsPart } from '../../../src/contract/alerts.ts';
import { evaluate, NO_STATE } from '../../../src/features/alerts/model/evaluate.ts';
import { MAX_USD_PER_HOUR, ordinaryDay } from './ordinaryLoad.ts';

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

const CONDITIONS: Readonly<Record<string, AlertsPart>> = {
  'failures in a row': { failuresInARow: 5 },
  'a slow percentile, from the submission': { p99: { over: 90 } },
  'a slow percentile of the execution': { p99: { of: 'execution', over: 45 } },
  'a slow percentile of the starts': { p99: { of: 'coldStart', over: 30 } },
  'a stuck queue': { queueStuck: 180 },
  'a crash loop': { crashLoop: 3 },
  'the spend': { spendPerHour: MAX_USD_PER_HOUR },
};

describe('24 hours of ordinary load', () => {
  const days = SEEDS.map(ordinaryDay);

  it('have many jobs, failures, crashes, cold starts, and idle nights', () => {
    for (const day of days) {
      const sum = (read: (bucket: (typeof day)[number]) => number) => day.reduce((all, one) => all + read(one), 0);
      assert.ok(sum(({ succeeded = 0 }) => succeeded) > 4_000);
      assert.ok(sum(({ failed = 0 }) => failed) > 100);
      assert.ok(sum(({ crashes = 0 }) => crashes) >= 1);
      assert.ok(day.filter(({ p99 }) => p99?.coldStart !== undefined).length > 20);
      assert.ok(day.filter(({ spendUsd }) => spendUsd === 0).length > 1_500);
    }
  });

  for (const [name, alerts] of Object.entries(CONDITIONS))
    it(`do not fire ${name}`, () => {
      for (const [index, day] of days.entries())
        assert.deepEqual(evaluate(NO_STATE, { alerts, isQueue: true }, day).events, [], `seed ${SEEDS[index]}`);
    });
});
