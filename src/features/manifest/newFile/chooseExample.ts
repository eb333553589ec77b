import * as l10n from '@vscode/l10n';
import { askItem, BACK } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { EXAMPLES, exampleSections, type Example } from '../model/starters/examples.ts';
import { pythonName } from './findHandlers.ts';
import { STARTER_PLACE, type Answer, type Starter } from './starter.ts';

const DETAILS: Readonly<Record<Example['type'], string>> = {
  QUEUE: l10n.t('Jobs wait in a durable queue until a worker takes them'),
  LOAD_BALANCER: l10n.t('HTTP requests go directly to a worker'),
};

/** Asks for one of the worked examples. */
export async function chooseExample(): Promise<Answer<Starter>> {
  const items = EXAMPLES.map((example) => ({
    label: shown`${example.type === 'QUEUE' ? shown`$(list-ordered)` : shown`$(globe)`} ${example.title}`,
    detail: DETAILS[example.type],
    example,
  }));
  const choice = await askItem({ place: STARTER_PLACE, placeholder: l10n.t('Example to start from'), items });
  if (choice === undefined || choice === BACK) return choice;
  const { example } = choice.item;
  return { name: 'hello', sections: (name) => exampleSections(example, name, pythonName()) };
}
