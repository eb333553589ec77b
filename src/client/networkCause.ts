/** Cause of a network failure. Each cause has its own remedy. */
export type NetworkCause = 'dns' | 'refused' | 'tls' | 'proxy' | 'timeout' | 'unreachable';

/** Patterns for error codes of Node.js sockets and undici, and of Chromium, which desktop editors can use instead. */
const causes: readonly (readonly [NetworkCause, RegExp])[] = [
  // A failure to reach the proxy also has a code of the other causes, so this pattern comes first.
  ['proxy', /PROXY|TUNNEL|proxy response/i],
  ['dns', /^(ENOTFOUND|EAI_\w+|ENODATA)$|ERR_NAME_|ERR_DNS_/],
  ['tls', /CERT|^ERR_(SSL|TLS)_|^EPROTO$|SELF_SIGNED|UNABLE_TO_|ERR_SSL_|SSL routines/],
  ['timeout', /^ETIMEDOUT$|TIMEOUT$|ERR_(CONNECTION_)?TIMED_OUT/],
  ['refused', /^ECONNREFUSED$|ERR_CONNECTION_REFUSED/],
  ['unreachable', /./],
];

/**
 * Classifies a network failure by the codes in its chain of causes.
 *
 * @param failure rejection of `fetch`, or an error that it caused
 */
export function networkCauseOf(failure: unknown): NetworkCause {
  const signs = [...signsOf(failure)];
  return causes.find(([, pattern]) => signs.some((sign) => pattern.test(sign)))?.[0] ?? 'unreachable';
}

/** Yields the codes of an error, of its causes, and of the errors of each address that was tried, including codes in messages. */
function* signsOf(failure: unknown, depth = 0): Generator<string> {
  // Causes can form a cycle.
  if (!(failure instanceof Error) || depth > 8) return;
  const { code } = failure as { code?: unknown };
  if (typeof code === 'string') yield code;
  const named = /net::(ERR_\w+)|\bSSL routines\b|\bproxy response\b/i.exec(failure.message);
  if (named) yield named[1] ?? named[0];
  if (failure instanceof AggregateError) for (const one of failure.errors) yield* signsOf(one, depth + 1);
  yield* signsOf(failure.cause, depth + 1);
}
