import { badFlag } from './flags.ts';

/**
 * Returns the address to which traces are exported, or undefined if they are not: that of the flag, or else that of the environment
 * variables of OpenTelemetry.
 *
 * @param flag value of `--otlp-endpoint`
 * @throws StartFailure badFlag for an invalid flag. Invalid variables are ignored, as OpenTelemetry specifies
 */
export function otlpTracesUrl(flag: string | undefined, environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
  if (flag !== undefined) {
    const url = httpUrl(flag);
    if (url?.username !== '' || url.password !== '' || url.search !== '')
      throw badFlag('--otlp-endpoint must be an address such as http://127.0.0.1:4318, without credentials or a query');
    return ofTraces(url);
  }
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  const own = httpUrl(environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
  if (own) return own.href;
  const shared = httpUrl(environment['OTEL_EXPORTER_OTLP_ENDPOINT']);
  return shared && ofTraces(shared);
}

/** Returns the address for traces below the address of a collector. */
function ofTraces(base: URL): string {
  return new URL('v1/traces', base.href.endsWith('/') ? base : `${base.href}/`).href;
}

function httpUrl(text: string | undefined): URL | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
