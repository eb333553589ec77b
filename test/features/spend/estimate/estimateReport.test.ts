import assert from 'node:assert/strict';
import { estimateReport, type EstimateReport } from '../../../../src/features/spend/estimate/estimateReport.ts';
import { estimateCosts } from '../../../../src/features/spend/model/estimate.ts';
import type { Hardware, Prices } from '../../../../src/account/prices/workerPrice.ts';
import { prices as known } from '../sample.ts';

const load = { secondsPerJob: 2, jobsPerDay: 100, coldStartSeconds: 5, idleTimeoutSeconds: 10, minWorkers: 0 };
const history = { kind: 'history', seconds: 2, jobs: 4, coldStart: { seconds: 5, jobs: 1 } } as const;
const meter = { kind: 'meter', seconds: 2, jobs: 10, billedSeconds: 20 } as const;

/** Returns the report as people read it, without the backslashes of Markdown. */
function textOf(
  changes: Partial<EstimateReport> = {},
  hardware: Hardware = { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
  prices: Prices = known,
): string {
  const input = changes.input ?? load;
  const report = estimateReport({
    subject: { kind: 'manifest', name: 'hello' },
    connection: { name: 'Acme', kind: 'hosted' },
    input,
    estimate: estimateCosts({ ...input, hardware, prices }),
    measurement: history,
    ...changes,
  });
  return report.source.replaceAll('\\', '');
}

describe('The report of an estimate', () => {
  it('begins with the cost of a month on the chosen hardware', () => {
    assert.match(
      textOf(),
      /^# Cost estimate of “hello”\n\n\*\*\$1\.02 a month\*\* on cpu3c with 2 vCPU, for 100 jobs a day of 2 s each\./,
    );
    const several = textOf({}, { gpu: { pools: ['TINY', 'LARGE'] } });
    assert.match(several, /\*\*\$5\.10 to \$28\.33 a month\*\*, on 1 GPU of TINY to 1 GPU of LARGE/);
  });

  it('states each term of a day, and the formula with its numbers', () => {
    const text = textOf();
    assert.match(text, /Each job starts a worker/);
    assert.ok(text.includes('| Jobs | 100 × 2 s | 200 s | $0.004 |'), text);
    assert.ok(text.includes('| Cold starts | 100 × 5 s | 500 s | $0.01 |'), text);
    assert.ok(text.includes('| Idle time | 100 × 10 s | 1,000 s | $0.02 |'), text);
    assert.ok(text.includes('| Day | sum | 1,700 s | $0.034 |'), text);
    assert.ok(text.includes('| A job | 2 × $0.072/h ÷ 3,600 | $0.00004 |'), text);
    assert.ok(text.includes('| A month | 30 × 1,700 × $0.072/h ÷ 3,600 | $1.02 |'), text);
  });

  it('has no term for starts of workers that are always up', () => {
    const text = textOf({ input: { ...load, minWorkers: 2 } });
    assert.match(text, /workers\.min keeps 2 workers up all day/);
    assert.doesNotMatch(text, /[Cc]old start/);
  });

  it('names the source of the time of a job and of a cold start', () => {
    assert.match(textOf(), /Job time: mean of 4 completed jobs\./);
    assert.match(textOf(), /Cold start: the only wait of at least 1 s/);
    assert.match(textOf({ measurement: undefined }), /You entered the job time\./);
    assert.match(
      textOf({ measurement: { ...history, coldStart: undefined } }),
      /No cold start was measured, so it counts as 0 s/,
    );
  });

  it('has no terms for starts and idle time if the metered time includes them', () => {
    const input = { ...load, coldStartSeconds: 0, idleTimeoutSeconds: 0 };
    const text = textOf({ measurement: meter, input });
    assert.match(text, /Metered: 20 s of workers for 10 jobs/);
    assert.doesNotMatch(text, /Cold starts/);
    assert.match(text, /Metered time per job changes with the number of jobs/);
  });

  it('marks the choice, and lists its kind of hardware first', () => {
    const cpu = textOf();
    assert.ok(cpu.includes('| **cpu3c** ← this manifest | CPU3C, 2 vCPU | $0.072/h |'), cpu);
    assert.ok(cpu.indexOf('## CPU flavors') < cpu.indexOf('## GPU pools'));
    const gpu = textOf({ subject: { kind: 'endpoint', name: 'x' } }, { gpu: { pools: ['SMALL'] } });
    assert.ok(gpu.includes('| **SMALL** ← this endpoint | 1 × A, B | $0.75/h |'), gpu);
    assert.ok(gpu.indexOf('## GPU pools') < gpu.indexOf('## CPU flavors'));
  });

  it('says that the local platform is free', () => {
    const text = textOf({ connection: { name: 'Local Platform', kind: 'local' } });
    assert.match(text, /The local platform is free: these are hosted prices\./);
  });

  it('reports missing prices', () => {
    assert.match(textOf({}, undefined, {}), /“Acme” lists no prices/);
    assert.match(textOf({}, { gpu: { pools: ['OTHER'] } }), /The price of this hardware is unknown/);
  });

  it('escapes names of the platform', () => {
    const name = '[x](command:evil) | $(zap)';
    const { source } = estimateReport({
      subject: { kind: 'endpoint', name },
      connection: { name, kind: 'hosted' },
      input: load,
      estimate: estimateCosts({ ...load, hardware: {}, prices: {} }),
      measurement: undefined,
    });
    assert.doesNotMatch(source, /(?<!\\)\]\(command|(?<!\\)\$\(/);
  });
});
