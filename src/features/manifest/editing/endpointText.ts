import * as l10n from '@vscode/l10n';
import { stringify } from 'yaml';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { oneLine } from '../../../text/shownText.ts';
import { manifestOf } from '../model/deployment/endpointManifest.ts';
import { withReferences, type HiddenValue } from '../../../account/secrets/hiddenValues.ts';

const options = { lineWidth: 0 } as const;

/** Returns an endpoint as the platform reports it, in YAML, with references in place of hidden values. */
export function endpointYaml(endpoint: Endpoint, hidden: readonly HiddenValue[]): string {
  // Editors would load a schema from this address.
  const { $schema: _, ...shown } = endpoint;
  const { env } = shown;
  return stringify(env ? { ...shown, env: withReferences(env, hidden, (text) => text) } : shown, options);
}

/** Returns the editable manifest of an endpoint, with a comment that explains what saving does. */
export function editableYaml(endpoint: Endpoint, platform: string, hidden: readonly HiddenValue[]): string {
  const head = [
    // Fixed words come first. A comment that starts with a name could be a directive, such as `# yaml-language-server: $schema=…`.
    l10n.t`# Endpoint ${oneLine(endpoint.name)} (${oneLine(endpoint.id)}) on ${oneLine(platform)}.`,
    l10n.t(
      '# Saving shows the differences and asks before it updates the endpoint. The type and hardware family cannot change.',
    ),
  ];
  const manifest = manifestOf(endpoint);
  const { env } = manifest;
  const written = env ? { ...manifest, env: withReferences(env, hidden) } : manifest;
  return `${head.join('\n')}\n${stringify(written, options)}`;
}
