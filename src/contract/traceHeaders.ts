/* W3C Trace Context, with which a caller connects its traces with those of the platform and of its workers. */

/** Request header that names the trace and the span of the caller. */
export const TRACE_PARENT_HEADER = 'traceparent';

/** Request header with values of tracing systems. Only load-balanced routes pass it on. */
export const TRACE_STATE_HEADER = 'tracestate';

/** Member of a job for its worker, next to `input`, with a value in the form of the header. */
export const TRACE_PARENT_MEMBER = 'traceparent';
