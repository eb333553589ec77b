import { stringify } from 'yaml';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { oneLine } from '../../../vscode/text/shownText.ts';
import { manifestOf } from '../../manifest/model/endpointManifest.ts';

const options = { lineWidth: 0 } as const;

/** Returns an endpoint as the platform reports it, in YAML. */
export function endpointYaml(endpoint: Endpoint): string {
  // Editors would load a schema from this address.
  const { $schema: _, ...shown } = endpoint;
  return stringify(shown, options);
}

/** Returns the editable manifest of an endpoint, with a comment that explains what saving does. */
export function editableYaml(endpoint: Endpoint, platform: string): string {
  const head = [
    // Fixed words come first. A comment that starts with a name could be a directive, such as `# yaml-language-server: $schema=…`.
    `# Endpoint ${oneLine(endpoint.name)} (${oneLine(endpoint.id)}) on ${oneLine(platform)}.`,
    '# Saving shows the differences and asks before it updates the endpoint. The type and hardware family cannot change.',
  ];
  return `${head.join('\n')}\n${stringify(manifestOf(endpoint), options)}`;
}
