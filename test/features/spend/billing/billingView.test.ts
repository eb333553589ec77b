import assert from 'node:assert/strict';
import { ApiError, type ErrorKind } from '../../../../src/client/apiError.ts';
import { billingChart, billingView } from '../../../../src/features/spend/billing/billingView.ts';
import { MAX_PICTURE_BYTES, ToHost, ToWebview } from '../../../../src/webviews/billing/messages.ts';
import { IDLE, LOCAL, response, selection } from '../../../webviews/billing/sample.ts';
import { byEndpoint, hostedMonth, localDay, NOW } from '../../../webviews/billing/states.ts';

const local = {
  kind: 'local',
  name: 'Local Platform',
  apiKey: 'secret-key',
  baseUrl: 'http://127.0.0.1:1',
  restUrl: 'http://127.0.0.1:1',
  queueUrl: 'http://127.0.0.1:1/queue/v2',
  endpointHost: 'http://127.0.0.1:1/endpoints/{endpoint_id}',
} as const;
const connected = { client: {}, profile: local };
const errorOf = (kind: ErrorKind) => new ApiError(kind, 'the service’s message', { operation: 'listBilling' });
const failed = (kind: ErrorKind) => billingView({ ...IDLE, account: { error: errorOf(kind) } }, connected, NOW);

describe('billingView', () => {
  it('returns messages that the page accepts and that contain no secret', () => {
    for (const change of [{}, localDay, hostedMonth, byEndpoint]) {
      const state = { ...IDLE, ...change };
      const view = { type: 'view', view: billingView(state, connected, NOW) } as const;
      const chart = { type: 'chart', chart: billingChart(state, NOW) } as const;
      assert.deepEqual(ToWebview.parse(structuredClone(view)), view);
      assert.deepEqual(ToWebview.parse(structuredClone(chart)), chart);
      assert.equal(view.view.connection, 'Local Platform');
      assert.doesNotMatch(JSON.stringify([view, chart]), /secret-key/);
    }
  });

  it('names the team of the connection', () => {
    const profile = { kind: 'hosted', name: 'Work', teamId: 'team_42' } as const;
    assert.equal(billingView(IDLE, { client: {}, profile }, NOW).team, 'team_42');
  });

  it('marks the bucket that is not over by the time of the service', () => {
    assert.equal(billingChart({ ...IDLE, ...hostedMonth }, NOW)?.running, 29);
    assert.equal(billingChart({ ...IDLE, ...hostedMonth }, NOW + 86_400_000)?.running, undefined);
  });

  it('reports a key without access and offers to replace it', () => {
    const { failure } = failed('forbidden');
    assert.equal(failure?.message, 'The API key has no access to billing (the service’s message).');
    assert.equal(failure.remedy?.action, 'replaceKey');
  });

  it('includes the service’s message in each failure', () => {
    for (const kind of ['unauthorized', 'rateLimited', 'network', 'timeout', 'server', 'validation'] as const) {
      const { failure } = failed(kind);
      assert.match(failure?.message ?? '', /the service’s message/);
      assert.equal(failure?.retry, true);
    }
  });

  it('reports a forbidden report without hiding the total and the forecast', () => {
    const view = billingView({ ...IDLE, ...byEndpoint, groups: { error: errorOf('forbidden') } }, connected, NOW);
    assert.equal(view.failure, undefined);
    assert.match(view.chartFailure?.message ?? '', /no access to the spend by endpoint/);
    assert.ok(view.total !== undefined && view.forecast);
  });

  it('reports a forbidden forecast without hiding the total', () => {
    const view = billingView({ ...IDLE, ...localDay, month: { error: errorOf('rateLimited') } }, connected, NOW);
    assert.equal(view.failure, undefined);
    assert.match(view.forecastFailure?.message ?? '', /Too many requests for the forecast/);
    assert.equal(view.total, localDay.account?.value?.metadata.totals.totalAmount);
  });

  it('shows IDs and a remark when the names cannot be read', () => {
    const state = { ...IDLE, ...byEndpoint, resources: { error: errorOf('forbidden') } };
    assert.match(billingView(state, connected, NOW).notes.join(), /names could not be read/);
    assert.equal(billingChart(state, NOW)?.series[0]?.label, 'endpoint0');
  });

  it('cannot show GPU types without the endpoints, and says so', () => {
    const report = byEndpoint.groups?.value?.report;
    assert.ok(report && 'uniqueServerlessCount' in report.metadata);
    const state = {
      ...IDLE,
      ...byEndpoint,
      selection: selection({ grouping: 'gpu' }),
      groups: { value: { grouping: 'gpu', report: report as never } as const },
      resources: { error: errorOf('forbidden') },
    };
    assert.equal(billingChart(state, NOW), undefined);
    assert.match(billingView(state, connected, NOW).chartFailure?.message ?? '', /list of endpoints/);
  });

  it('shows no change when no bucket is over', () => {
    const account = { value: response('year', '2025-01-01', [{ podGpuAmount: 1 }]) };
    assert.equal(billingView({ ...IDLE, account, before: account }, LOCAL, NOW).change, undefined);
  });

  it('offers to start the local platform when no platform can be called', () => {
    const { failure } = billingView(IDLE, { client: undefined, profile: local }, NOW);
    assert.match(failure?.message ?? '', /local platform is not running/);
    assert.equal(failure?.remedy?.action, 'startLocalPlatform');
    assert.equal(failure.retry, false);
    assert.equal(
      billingView(IDLE, { client: undefined, profile: undefined }, NOW).failure?.message,
      'No platform is connected.',
    );
  });

  it('offers to sign in when the connection has no key', () => {
    const profile = { kind: 'hosted', name: 'Work' } as const;
    assert.deepEqual(billingView(IDLE, { client: undefined, profile }, NOW).failure, {
      message: 'You are signed out of “Work”.',
      retry: false,
      remedy: { label: 'Sign In', action: 'replaceKey' },
    });
  });
});

describe('messages of the billing page', () => {
  const png = (length: number) => {
    const bytes = new Uint8Array(length);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a].slice(0, length));
    return bytes;
  };
  const accepts = (bytes: unknown) => ToHost.safeParse({ type: 'exportPicture', bytes }).success;

  it('contain only pictures of the PNG format with a limited size', () => {
    assert.equal(accepts(png(100)), true);
    assert.equal(accepts(png(MAX_PICTURE_BYTES + 1)), false);
    assert.equal(accepts(png(4)), false);
    assert.equal(accepts(new Uint8Array(100)), false);
    assert.equal(accepts('iVBORw0KGgo='), false);
  });
});
