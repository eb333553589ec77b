import assert from 'node:assert/strict';
import { openEngine } from '../../src/machine/engine/engine.ts';
import { findEngine } from '../../src/machine/engine/engineRoute.ts';
import { EngineError } from '../../src/machine/engine/engineApi.ts';
import { cleanUp, dataDirectory } from '../platform/support.ts';
import { onEngines } from './world.ts';

describe('The client of the engine', () => {
  afterEach(cleanUp);

  onEngines(({ name, running }) => {
    it('finds the engine, and asks for its name and version', async () => {
      const machine = { environment: {}, home: await dataDirectory(), platform: process.platform };
      const route = await findEngine(running().address, machine);
      assert.ok(route);
      const engine = await openEngine(route);
      assert.equal(engine.name, name);
      assert.match(engine.version, /^\d+\.\d+/);
      assert.match(engine.prefix, /^\/v1\.\d+$/);
    });

    it('reports an engine that was killed as unreachable, and works once it is back', async function () {
      const { power, api } = running();
      if (!power) this.skip();
      await power.kill();
      try {
        await assert.rejects(api.json({ path: '/version' }), (error) => {
          assert.ok(error instanceof EngineError && error.unreachable);
          return true;
        });
      } finally {
        await power.start();
      }
      assert.ok(await api.json({ path: '/version' }));
    });
  });
});
