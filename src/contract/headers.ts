/* Request headers. Those of W3C Trace Context connect the traces of a caller with those of the platform and of its workers. */

/** Request header that names the trace and the span of the caller. */
export const TRACE_PARENT_HEADER = 'traceparent';

/** Request header with values of tracing systems. Only load-balanced routes pass it on. */
export const TRACE_STATE_HEADER = 'tracestate';

/** Member of a job for its worker, next to `input`, with a value in the form of the header. */
export const TRACE_PARENT_MEMBER = 'traceparent';

/** Request header with the ID of the team that a console session acts for. */
export const TEAM_HEADER = 'X-Team-Id';
