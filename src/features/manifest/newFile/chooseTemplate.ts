import * as l10n from '@vscode/l10n';
import { askPaged } from '../../../kit/pagedPick.ts';
import { BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { templatePages, type FoundTemplate, type TemplateSource } from '../actions/templatePages.ts';
import { templateSections } from '../model/starters/fromTemplate.ts';
import { connectedStep, type ConnectedTo, STARTER_PLACE, type Answer, type Starter } from './starter.ts';

const SOURCES: Readonly<Record<TemplateSource, string>> = {
  account: l10n.t('your account'),
  official: l10n.t('public catalog, official'),
  verified: l10n.t('public catalog, verified'),
  community: l10n.t('public catalog, community'),
};

/** Asks for a serverless template of the account or of the public catalog. */
export async function chooseTemplate(services: AccountServices): Promise<Answer<Starter>> {
  const connected = await connectedStep(services);
  if (connected === undefined || connected === BACK) return connected;
  const chosen = await askPaged({
    place: STARTER_PLACE,
    placeholder: l10n.t('Template to start from. Type to filter by name, image, or category'),
    empty: shown`“${connected.platform}” has no serverless templates.`,
    pages: (signal) => itemPages(connected, signal),
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  const { template } = chosen.found;
  return { name: template.name, sections: (name) => templateSections(template, name) };
}

async function* itemPages({ client }: ConnectedTo, signal: AbortSignal) {
  for await (const { items, more } of templatePages(client, signal)) yield { items: items.map(itemOf), more };
}

function itemOf(found: FoundTemplate) {
  const { template, source } = found;
  const category = template.category === undefined ? '' : shown`${template.category} · `;
  return {
    label: shown`$(file-code) ${template.name}`,
    ...(template.image !== undefined && { description: template.image }),
    detail: shown`${category}${SOURCES[source]}`,
    found,
  };
}
