import * as l10n from '@vscode/l10n';
import type { EndpointType } from '../../../../contract/endpointSettings.ts';
import { variable } from '../../../../contract/environment.ts';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';
import type { Template } from '../../../../contract/template.ts';
import { oneLine } from '../../../../text/shownText.ts';
import { hardwareSection, headSection, scalingSection, workersSection, type Section } from './section.ts';

/** Returns the sections of an endpoint that uses a template. */
export function templateSections(template: Template, name: string): Section[] {
  const type = typeOf(template);
  const image = template.image === undefined ? '' : l10n.t` Its image is ${oneLine(template.image)}.`;
  return [
    headSection(l10n.t('An endpoint from a template.'), name, type),
    {
      // Fixed words come first. A comment that starts with a name could be a directive of an editor.
      comment: [
        l10n.t`The template is “${oneLine(template.name)}”.${image}`,
        l10n.t(
          'It supplies image, args, disk, ports, env, and registry. Fields of this file take precedence, and env is merged.',
        ),
      ],
      fields: { templateId: template.id },
    },
    scalingSection(type),
    workersSection(),
    hardwareSection(template.category === 'CPU' ? 'cpu' : 'gpu'),
  ];
}

/** Returns the type of endpoint that a template is made for. Only servers have an HTTP port. */
function typeOf({ ports = [], env = {} }: Template): EndpointType {
  const isServer = ports.some((port) => port.endsWith('/http')) || variable(env, ROUTE_ENVIRONMENT.port.name);
  return isServer ? 'LOAD_BALANCER' : 'QUEUE';
}
