import * as vscode from 'vscode';
import { ENDPOINT_ID_PLACEHOLDER } from '../../contract/route.ts';

/**
 * Where the platform's own web console shows an endpoint, from the machine's settings; undefined when nobody said so. The local
 * platform has none.
 */
export function consoleUrl(
  profile: { readonly kind: 'local' | 'hosted'; readonly baseUrl: string } | undefined,
  endpointId: string,
): string | undefined {
  if (profile?.kind !== 'hosted') return undefined;
  const addresses = vscode.workspace
    .getConfiguration('cloudCompute')
    .get<Record<string, unknown>>('consoleAddresses', {});
  const template = addresses[new URL(profile.baseUrl).host];
  if (typeof template !== 'string') return undefined;
  const url = URL.parse(template.replaceAll(ENDPOINT_ID_PLACEHOLDER, () => encodeURIComponent(endpointId)));
  return url && ['https:', 'http:'].includes(url.protocol) ? url.href : undefined;
}
