import { stringify } from 'yaml';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { oneLine } from '../../../vscode/text/shownText.ts';
import { manifestOf } from './endpointManifest.ts';

const options = { lineWidth: 0 } as const;

/** An endpoint as the platform answered it, as YAML. */
export function endpointYaml(endpoint: Endpoint): string {
  // An editor would load a schema from the address that this member gives.
  const { $schema: _, ...shown } = endpoint;
  return stringify(shown, options);
}

/** Its manifest, with a word on what saving does. */
export function editableYaml(endpoint: Endpoint, platform: string): string {
  const head = [
    // A comment that begins with a name could be one that editors act on, such as `# yaml-language-server: $schema=…`.
    `# Endpoint ${oneLine(endpoint.name)} (${oneLine(endpoint.id)}) on ${oneLine(platform)}.`,
    '# Saving shows what is different, asks, and changes exactly that. type and the hardware family cannot be changed.',
  ];
  return `${head.join('\n')}\n${stringify(manifestOf(endpoint), options)}`;
}
