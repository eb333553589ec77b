import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LazyListener } from '../../../src/platform/http/lazyListener.ts';

describe('LazyListener', () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  async function listen(listener: LazyListener): Promise<string> {
    const server = createServer((incoming, outgoing) => listener.handle(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const echo: RequestListener = (incoming, outgoing) => void incoming.pipe(outgoing);

  it('loads once, with the first request, and answers the requests that arrive during the load', async () => {
    const loads: PromiseWithResolvers<RequestListener>[] = [];
    const started = Promise.withResolvers<undefined>();
    const address = await listen(
      new LazyListener(
        () => {
          const load = Promise.withResolvers<RequestListener>();
          loads.push(load);
          started.resolve(undefined);
          return load.promise;
        },
        () => undefined,
      ),
    );
    assert.equal(loads.length, 0);
    const post = async (body: string): Promise<string> => (await fetch(address, { method: 'POST', body })).text();
    const answers = [post('one'), post('two')];
    await started.promise;
    loads[0]?.resolve(echo);
    assert.deepEqual(await Promise.all(answers), ['one', 'two']);
    assert.equal(await post('three'), 'three');
    assert.equal(loads.length, 1);
  });

  it('closes the connection and reports the error if the load fails', async () => {
    const failures: unknown[] = [];
    const missing = new Error('the file is not there');
    const address = await listen(
      new LazyListener(
        () => Promise.reject(missing),
        (error) => failures.push(error),
      ),
    );
    await assert.rejects(fetch(address));
    assert.ok(failures.length > 0 && failures.every((failure) => failure === missing));
  });
});
