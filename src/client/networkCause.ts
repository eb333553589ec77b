/** Why no answer came, in the distinctions that have remedies of their own. */
export type NetworkCause = 'dns' | 'refused' | 'tls' | 'proxy' | 'timeout' | 'unreachable';

/** Codes of Node's sockets and of undici, and those of Chromium's network, which a desktop editor may use instead. */
const causes: readonly (readonly [NetworkCause, RegExp])[] = [
  // A proxy that cannot be reached is refused or not found like any other: what names the proxy is told first.
  ['proxy', /PROXY|TUNNEL|proxy response/i],
  ['dns', /^(ENOTFOUND|EAI_\w+|ENODATA)$|ERR_NAME_|ERR_DNS_/],
  ['tls', /CERT|^ERR_(SSL|TLS)_|^EPROTO$|SELF_SIGNED|UNABLE_TO_|ERR_SSL_|SSL routines/],
  ['timeout', /^ETIMEDOUT$|TIMEOUT$|ERR_(CONNECTION_)?TIMED_OUT/],
  ['refused', /^ECONNREFUSED$|ERR_CONNECTION_REFUSED/],
  ['unreachable', /./],
];

/**
 * Sorts out a failure to reach a service, by the codes in its chain of causes.
 *
 * @param failure what `fetch` rejected with, or an error whose cause that is
 */
export function networkCauseOf(failure: unknown): NetworkCause {
  const signs = [...signsOf(failure)];
  return causes.find(([, pattern]) => signs.some((sign) => pattern.test(sign)))?.[0] ?? 'unreachable';
}

/** Codes, and messages that are one or that hold one, of an error, its causes and, where several addresses were tried, each of theirs. */
function* signsOf(failure: unknown, depth = 0): Generator<string> {
  // Causes can be a circle.
  if (!(failure instanceof Error) || depth > 8) return;
  const { code } = failure as { code?: unknown };
  if (typeof code === 'string') yield code;
  const named = /net::(ERR_\w+)|\bSSL routines\b|\bproxy response\b/i.exec(failure.message);
  if (named) yield named[1] ?? named[0];
  if (failure instanceof AggregateError) for (const one of failure.errors) yield* signsOf(one, depth + 1);
  yield* signsOf(failure.cause, depth + 1);
}
