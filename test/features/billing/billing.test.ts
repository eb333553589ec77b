import assert from 'node:assert/strict';
import { ApiError, type ErrorKind } from '../../../src/client/apiError.ts';
import type { BillingState } from '../../../src/features/billing/billingStore.ts';
import { billingCsv } from '../../../src/features/billing/billingCsv.ts';
import { billingPage } from '../../../src/features/billing/billingPage.ts';
import { billingView } from '../../../src/features/billing/billingView.ts';
import { ToWebview } from '../../../src/webviews/billing/received.ts';
import { response } from '../../webviews/billing/sample.ts';

const idle: BillingState = { range: 'week', busy: false, report: undefined, error: undefined };
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
const failed = (kind: ErrorKind): BillingState => ({
  ...idle,
  error: new ApiError(kind, 'the service’s message', { operation: 'listBilling' }),
});

describe('billingView', () => {
  it('returns a view that the page accepts and that contains no secret', () => {
    const state = { ...idle, report: { response: response('day', '2025-11-15', [{}]), updatedAt: 0 } };
    const view = billingView(state, connected);
    const message = { type: 'view', view } as const;
    assert.deepEqual(ToWebview.parse(structuredClone(message)), message);
    assert.equal(view.connection, 'Local Platform');
    assert.equal(view.report?.updatedAt, '1970-01-01T00:00:00.000Z');
    assert.doesNotMatch(JSON.stringify(view), /secret-key/);
  });

  it('reports a key without access and offers to replace it', () => {
    const { failure } = billingView(failed('forbidden'), connected);
    assert.equal(failure?.message, 'The API key has no access to billing (the service’s message).');
    assert.equal(failure.remedy?.action, 'replaceKey');
  });

  it('includes the service’s message in each failure', () => {
    for (const kind of ['unauthorized', 'rateLimited', 'network', 'timeout', 'server', 'validation'] as const) {
      const { failure } = billingView(failed(kind), connected);
      assert.match(failure?.message ?? '', /the service’s message/);
      assert.equal(failure?.retry, true);
    }
  });

  it('offers to start the local platform when no platform can be called', () => {
    const { failure } = billingView(idle, { client: undefined, profile: local });
    assert.match(failure?.message ?? '', /local platform is not running/);
    assert.equal(failure?.remedy?.action, 'startLocalPlatform');
    assert.equal(failure.retry, false);
    assert.equal(
      billingView(idle, { client: undefined, profile: undefined }).failure?.message,
      'No platform is connected.',
    );
  });

  it('offers to sign in when the connection has no key', () => {
    const profile = { kind: 'hosted', name: 'Work' } as const;
    assert.deepEqual(billingView(idle, { client: undefined, profile }).failure, {
      message: 'You are signed out of “Work”.',
      retry: false,
      remedy: { label: 'Sign In', action: 'replaceKey' },
    });
  });
});

describe('billingCsv', () => {
  it('writes the names of the API, and a row of plain decimals for each bucket', () => {
    const csv = billingCsv(
      response('day', '2025-11-15', [{ serverlessCpuAmount: 0.0000004 }, { podGpuAmount: 0.1 + 0.2 }]),
    );
    const [heading, first, second, end] = csv.split('\r\n');
    assert.equal(
      heading,
      'startTime,endTime,totalAmount,podGpuAmount,podCpuAmount,podDiskAmount,serverlessGpuAmount,serverlessCpuAmount,' +
        'serverlessDiskAmount,serverlessFeeAmount,storageStandardAmount,storageHighPerformanceAmount,endpointAmount,' +
        'clusterGpuAmount,clusterDiskAmount,clusterNetworkingAmount',
    );
    assert.equal(
      first,
      '2025-11-15T00:00:00.000Z,2025-11-16T00:00:00.000Z,0.0000004,0,0,0,0,0.0000004,0,0,0,0,0,0,0,0',
    );
    assert.match(second ?? '', /^2025-11-16T00:00:00\.000Z,2025-11-17T00:00:00\.000Z,0\.3,0\.3,0/);
    assert.equal(end, '');
  });

  it('keeps the trailing zeros of whole amounts', () => {
    assert.match(billingCsv(response('day', '2025-11-15', [{ podGpuAmount: 100 }])), /Z,100,100,0,/);
  });
});

describe('billingPage', () => {
  it('allows only its own script and style sheet', () => {
    const html = billingPage({ script: 's.js', style: 's.css', source: 'https://webview.test', nonce: 'n1' });
    assert.match(html, /content="default-src 'none'; script-src 'nonce-n1'; style-src https:\/\/webview\.test"/);
    assert.doesNotMatch(html, /unsafe|style=|<style|onload/);
  });
});
