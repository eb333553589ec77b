import assert from 'node:assert/strict';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import type { WorkerStartTrace, XRayEvent } from '../../../src/contract/control/controlTraces.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { afterwards, eventually, type Api } from '../support.ts';

const { xRayStart } = controlOperations;

/** A request that measures the start of a worker. */
export class XRay {
  readonly events: XRayEvent[] = [];
  readonly #abort = new AbortController();
  /** Resolves once the stream has ended. */
  readonly over: Promise<void>;

  constructor(api: Api, endpoint: Endpoint) {
    this.over = this.#read(api, endpoint).catch(() => undefined);
    afterwards(() => this.close());
  }

  async #read(api: Api, { id: endpointId }: Endpoint): Promise<void> {
    const init = { signal: this.#abort.signal };
    const response = await api.fetch(xRayStart, { parameters: { endpointId } }, init);
    assert.equal(response.status, 200);
    let rest = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const messages = (rest + chunk).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages)
        if (message.startsWith('data: ')) this.events.push(xRayStart.success.body.parse(JSON.parse(message.slice(6))));
    }
  }

  event(kind: string): Promise<XRayEvent> {
    return eventually(`event ${kind}`, () => {
      const failure = this.events.find(({ event }) => event === 'failed');
      if (failure && kind !== 'failed') assert.fail(failure.reason);
      return this.events.find(({ event }) => event === kind);
    });
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.over;
  }
}

/** Measures the start of a worker of an endpoint. */
export async function measuredStart(api: Api, endpoint: Endpoint): Promise<WorkerStartTrace> {
  const { start } = await new XRay(api, endpoint).event('ready');
  assert.ok(start);
  return start;
}
