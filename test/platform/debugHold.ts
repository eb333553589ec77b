import assert from 'node:assert/strict';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { DebugBody, DebugEvent } from '../../src/contract/control/controlWorkers.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { afterwards, type Api, eventually } from './support.ts';

const { debugWorker } = controlOperations;

/** A request that holds a worker. */
export class Hold {
  readonly events: DebugEvent[] = [];
  readonly #abort = new AbortController();
  /** Resolves once the stream has ended. */
  readonly over: Promise<void>;

  constructor(api: Api, endpoint: Endpoint, body: DebugBody = {}) {
    this.over = this.#read(api, endpoint, body).catch(() => undefined);
    afterwards(() => this.close());
  }

  async #read(api: Api, { id }: Endpoint, body: DebugBody): Promise<void> {
    const init = { signal: this.#abort.signal };
    const response = await api.fetch(debugWorker, { parameters: { endpointId: id }, body }, init);
    assert.equal(response.status, 200);
    let rest = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += chunk;
      const messages = rest.split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        if (message.startsWith('data: '))
          this.events.push(debugWorker.success.body.parse(JSON.parse(message.slice(6))));
      }
    }
  }

  /** Resolves with the event of this kind, once there are `count` of them. */
  event(kind: string, count = 1): Promise<DebugEvent> {
    return eventually(`${count} events ${kind}`, () => {
      const failure = this.events.find(({ event }) => event === 'failed');
      if (failure && kind !== 'failed') assert.fail(failure.reason);
      return this.events.filter(({ event }) => event === kind)[count - 1];
    });
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.over;
  }
}
