import assert from 'node:assert/strict';
import { invocationStatus } from '../../../src/platform/domain/refusal.ts';
import { routeSettings } from '../../../src/platform/domain/routeSettings.ts';

describe('A load-balanced endpoint', () => {
  it('is probed on both ports if only the port of its server is set', () => {
    const portsOf = (env: Record<string, string>) => routeSettings({ env, timeout: 1 }).healthPorts;
    const [standard = 0, ...others] = portsOf({});
    assert.deepEqual(others, []);
    assert.deepEqual(portsOf({ PORT: '5000' }), [standard, 5000]);
    assert.deepEqual(portsOf({ PORT: '5000', PORT_HEALTH: '5001' }), [5001]);
  });

  it('refuses requests with the statuses of invocations', () => {
    assert.deepEqual(([401, 405, 413, 422, 429, 503, 507] as const).map(invocationStatus), [
      ...[401, 404, 400, 400, 429, 500, 500],
    ]);
  });
});
