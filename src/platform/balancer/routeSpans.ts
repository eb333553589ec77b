import type { IncomingMessage } from 'node:http';
import { TRACE_PARENT_HEADER } from '../../contract/headers.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import {
  attributesOf,
  type SpanFailure,
  type SpanRecord,
  type SpanSink,
  newSpanId,
  newTraceId,
  readTraceParent,
  SAMPLED,
  traceParent,
  type TraceContext,
} from '../domain/traceContext.ts';
import type { Address } from '../runtimes/runtime.ts';
import type { Clock } from '../time/clock.ts';
import type { BalancerRefusal } from './refusals.ts';

/** Trace headers that replace those of the caller. */
export interface ForwardedTrace {
  readonly traceParent: string;
  /** Whether the trace is that of the caller, whose `tracestate` belongs to it. */
  readonly isOfCaller: boolean;
}

/** The worker to which a request is forwarded. */
interface Receiver {
  readonly workerId: string;
  readonly address: Address;
}

/** The spans of a load-balanced request: one of the server that received it, and one of the client that forwards it to a worker. */
export class RouteSpans {
  readonly #sink: SpanSink;
  readonly #clock: Clock;
  readonly #method: string;
  readonly #path: string;
  readonly #endpoint: EndpointRecord;
  readonly #caller: TraceContext | undefined;
  readonly #server: TraceContext;
  readonly #clientId = newSpanId();
  readonly #start: number;
  readonly #spans: SpanRecord[] = [];
  #receiver: Receiver | undefined;
  #forwardedAt = 0;
  #ended = false;

  /** @param path path for the worker, with its query, which no span contains */
  constructor(
    { sink, clock }: { readonly sink: SpanSink; readonly clock: Clock },
    { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
    { endpoint, path }: { readonly endpoint: EndpointRecord; readonly path: string },
  ) {
    this.#sink = sink;
    this.#clock = clock;
    this.#method = method;
    this.#path = path.split('?', 1)[0] ?? '';
    this.#endpoint = endpoint;
    const header = headers[TRACE_PARENT_HEADER];
    this.#caller = readTraceParent(typeof header === 'string' ? header : undefined);
    const { traceId, traceFlags } = this.#caller ?? { traceId: newTraceId(), traceFlags: SAMPLED };
    this.#server = { traceId, traceFlags, spanId: newSpanId() };
    this.#start = clock.now();
  }

  /** Begins the client's span. Returns the headers with which the worker continues the trace. */
  forward(receiver: Receiver): ForwardedTrace {
    this.#receiver = receiver;
    this.#forwardedAt = this.#clock.now();
    const context = { ...this.#server, spanId: this.#clientId };
    return { traceParent: traceParent(context), isOfCaller: this.#caller !== undefined };
  }

  /** Ends the client's span. @param status status of the worker. Undefined if it sent none */
  responded(status: number | undefined, refusal?: BalancerRefusal): void {
    if (!this.#receiver) return;
    const { workerId, address } = this.#receiver;
    this.#receiver = undefined;
    this.#add(
      { spanId: this.#clientId, parentSpanId: this.#server.spanId, kind: 'client', start: this.#forwardedAt },
      {
        'http.response.status_code': status,
        'server.address': address.host,
        'server.port': address.port,
        'cloud_compute.worker.id': workerId,
      },
      refusal ? refused(refusal) : failureOf(status, 400),
    );
  }

  /** Ends the spans. @param status status of the response. Undefined if the caller disconnected before its end */
  end(status: number | undefined, refusal?: BalancerRefusal): void {
    if (this.#ended) return;
    this.#ended = true;
    this.responded(undefined);
    this.#add(
      { spanId: this.#server.spanId, parentSpanId: this.#caller?.spanId, kind: 'server', start: this.#start },
      { 'http.response.status_code': status, 'url.scheme': 'http' },
      refusal && refusal.status >= 500 ? refused(refusal) : failureOf(status, 500),
    );
    this.#sink.add(this.#spans);
  }

  #add(
    own: Pick<SpanRecord, 'spanId' | 'parentSpanId' | 'kind' | 'start'>,
    attributes: Readonly<Record<string, string | number | undefined>>,
    failure: SpanFailure | undefined,
  ): void {
    const { id, name } = this.#endpoint;
    this.#spans.push({
      ...{ ...this.#server, ...own, end: Math.max(own.start, this.#clock.now()), failure },
      hasRemoteParent: own.kind === 'server' && own.parentSpanId !== undefined,
      name: own.kind === 'server' ? `${this.#method} ${name}` : this.#method,
      attributes: attributesOf({
        'http.request.method': this.#method,
        'url.path': this.#path,
        'cloud_compute.endpoint.id': id,
        'cloud_compute.endpoint.name': name,
        ...attributes,
      }),
    });
  }
}

const DISCONNECTED: SpanFailure = { type: 'disconnected' };

const failureOf = (status: number | undefined, from: number): SpanFailure | undefined =>
  status === undefined ? DISCONNECTED : status >= from ? { type: String(status) } : undefined;

const refused = ({ status, message }: BalancerRefusal): SpanFailure => ({ type: String(status), message });
