import type { EngineApi } from '../../../../src/machine/engine/engineApi.ts';
import type { Engine } from '../../../../src/machine/engine/engine.ts';

/** Returns an engine whose API is a server of the test. */
export function engineAt(api: EngineApi, name: Engine['name'] = 'Docker'): Engine {
  const source = { kind: 'setting' } as const;
  const route = { connection: api.connection, address: 'unix:///test.sock', source, remoteHost: undefined };
  return { route, api, name, version: '1.0.0', architecture: 'amd64', prefix: '/v1.41' };
}
