import * as vscode from 'vscode';
import { ENDPOINT_ID_PLACEHOLDER } from '../../contract/route.ts';

/**
 * Returns the address of an endpoint's page in the web console of a hosted platform, from the setting `consoleAddresses`. Returns undefined
 * without an entry for the platform. The local platform has no web console.
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
