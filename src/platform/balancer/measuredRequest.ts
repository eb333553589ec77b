import type { ServerResponse } from 'node:http';
import type { ResponseClass } from '../domain/measured.ts';
import type { EndpointMeter } from '../metrics/endpointMeter.ts';

/** Measures a load-balanced request from its arrival to the end of its response. */
export class MeasuredRequest {
  /** Worker that received the request. */
  workerId: string | undefined;
  #refused = false;

  constructor(meter: EndpointMeter, response: ServerResponse) {
    // Avoids `performance.now`, which would load the global `performance` for this purpose only.
    const began = process.hrtime.bigint();
    meter.arrived();
    response.once('close', () => {
      const ms = Number(process.hrtime.bigint() - began) / 1_000_000;
      meter.responded(this.workerId, this.#classOf(response), ms);
    });
  }

  /** Records that the platform has refused the request. */
  refuse(): void {
    this.#refused = true;
  }

  #classOf({ writableFinished, statusCode }: ServerResponse): ResponseClass {
    if (!writableFinished) return 'disconnected';
    if (this.#refused) return 'refused';
    return CLASSES[Math.floor(statusCode / 100)] ?? '5xx';
  }
}

const CLASSES: Readonly<Partial<Record<number, ResponseClass>>> = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' };
