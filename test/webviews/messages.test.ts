import assert from 'node:assert/strict';
import { BILLING_PAGE } from '../../src/features/spend/billing/billingView.ts';
import { METRICS_PAGE } from '../../src/features/endpoints/metrics/metricsView.ts';
import { IMAGE_EDIT_PAGE } from '../../src/features/images/imageEditFailures.ts';
import { JOB_FORM_PAGE } from '../../src/features/jobs/form/formView.ts';
import { ToWebview as ToBilling, type BillingView } from '../../src/webviews/billing/messages.ts';
import { ToWebview as ToImageEdit } from '../../src/webviews/imageEdit/messages.ts';
import { ToWebview as ToMetrics } from '../../src/webviews/metrics/messages.ts';
import { pngBytes } from '../../src/webviews/schema.ts';
import { sentFor } from './billing/sample.ts';
import { byEndpoint, hostedMonth, NOW } from './billing/states.ts';
import { busyHour, comparedDay, sentFor as metricsSentFor } from './metrics/sample.ts';
import { edited, history, sender } from './imageEdit/sample.ts';

describe('the messages of a page', () => {
  it('reach it with all their members', async () => {
    for (const state of [hostedMonth, byEndpoint]) {
      const { view, chart } = sentFor(state, NOW);
      for (const message of [
        { type: 'view', view },
        { type: 'chart', chart },
      ])
        assert.deepEqual(ToBilling.parse(structuredClone(message)), message);
    }
    for (const state of [busyHour, comparedDay]) {
      const { view, chart } = metricsSentFor(state);
      for (const message of [
        { type: 'view', view },
        { type: 'chart', chart },
      ])
        assert.deepEqual(ToMetrics.parse(structuredClone(message)), message);
    }
    const received: unknown[] = [];
    const receive = (message: unknown) => {
      assert.deepEqual(ToImageEdit.parse(structuredClone(message)), message);
      return Promise.resolve(void received.push(message));
    };
    await sender({ receive })({ state: edited, history, form: { prompt: 'blur it' } });
    assert.deepEqual(received.map((message) => (message as { type: string }).type), ['setup', 'form', 'picture', 'picture', 'view']); // prettier-ignore
  });

  it('cannot have a member that the page would drop', () => {
    const { view } = sentFor(hostedMonth, NOW);
    // @ts-expect-error The schema has no such member.
    const extended: BillingView = { ...view, other: 1 };
    const { data } = ToBilling.safeParse({ type: 'view', view: extended });
    assert.ok(data?.type === 'view' && !('other' in data.view));
  });

  it('are rejected by the editor if they have another form', () => {
    const invalid = [undefined, null, 'ready', {}, { type: 'other' }, { type: 'act', action: 'deleteEverything' }];
    for (const page of [BILLING_PAGE, IMAGE_EDIT_PAGE, JOB_FORM_PAGE, METRICS_PAGE]) {
      assert.deepEqual(page.messages.safeParse({ type: 'ready' }).data, { type: 'ready' });
      for (const message of invalid)
        assert.equal(page.messages.safeParse(message).data, undefined, `${page.name}: ${JSON.stringify(message)}`);
    }
    const tooLong = { type: 'sourceUrl', url: `https://example.com/${'x'.repeat(8_000)}` };
    assert.equal(IMAGE_EDIT_PAGE.messages.safeParse(tooLong).data, undefined);
  });

  it('contain only PNG files of a limited size as pictures', () => {
    const png = (length: number) => Uint8Array.from({ length }, (_, index) => '\x89PNG\r\n\x1a\n'.charCodeAt(index));
    assert.deepEqual(
      [png(8), png(100), png(101), png(7), new Uint8Array(100), [...png(8)]].map(
        (one) => pngBytes(100).safeParse(one).success,
      ),
      [true, true, false, false, false, false],
    );
  });
});
