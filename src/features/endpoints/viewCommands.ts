import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import * as z from 'zod';
import { shown } from '../../text/shownText.ts';
import { UserError } from '../../kit/userError.ts';
import { createBox, pick } from '../../kit/quickInput.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { GROUPINGS, SORTS, type Grouping, type Sort } from '../../account/endpoints/arrangement.ts';
import { chosenEndpoints } from '../../account/endpoints/chosenEndpoints.ts';
import type { ViewOptionsStore } from './viewOptionsStore.ts';

const sortLabels: Readonly<Record<Sort, string>> = {
  name: l10n.t('By Name'),
  state: l10n.t('By State (most urgent first)'),
  newest: l10n.t('By Age (newest first)'),
};

const groupLabels: Readonly<Record<Grouping, string>> = {
  none: l10n.t('No Groups'),
  state: l10n.t('By State'),
  type: l10n.t('By Type (queue, load-balanced)'),
  hardware: l10n.t('By Hardware'),
};

/** Adds the chosen endpoints to the favorites, or removes them. */
export async function setFavorite(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  options: ViewOptionsStore,
  favorite: boolean,
  args: readonly unknown[],
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const chosen = await chosenEndpoints(
    services,
    args,
    favorite ? l10n.t('Endpoint to add to favorites') : l10n.t('Endpoint to remove from favorites'),
  );
  await options.setFavorite(
    profile.id,
    chosen.map(({ endpoint }) => endpoint.id),
    favorite,
  );
}

/** An arrangement that is an argument of the command. */
const Asked = z
  .object({ filter: z.string(), sort: z.enum(SORTS), group: z.enum(GROUPINGS) })
  .partial()
  .catch({});

/** Filters, sorts, or groups the endpoints. Asks for what the argument does not contain. */
export async function arrange(
  services: Pick<AccountServices, 'endpoints'>,
  options: ViewOptionsStore,
  argument: unknown,
): Promise<void> {
  const { filter, sort, group } = Asked.parse(argument);
  if (filter !== undefined) await options.setFilter(filter);
  if (sort !== undefined) await options.setOrder({ sort });
  if (group !== undefined) await options.setOrder({ group });
  if ([filter, sort, group].some((one) => one !== undefined)) return;
  const { arrangement } = options;
  const rows = [
    {
      label: shown`$(filter) Filter…`,
      description: arrangement.filter,
      detail: l10n.t('Shows only matching endpoints.'),
      ask: () => askFilter(services, options),
    },
    ...(arrangement.filter === ''
      ? []
      : [
          {
            label: shown`$(clear-all) Clear Filter`,
            detail: l10n.t('Shows all endpoints again.'),
            ask: () => options.setFilter(''),
          },
        ]),
    {
      label: shown`$(sort-precedence) Sort…`,
      description: sortLabels[arrangement.sort],
      detail: l10n.t('Changes the order of the endpoints.'),
      ask: async () => {
        const chosen = await choose(SORTS, sortLabels, arrangement.sort, l10n.t('Order'));
        if (chosen) await options.setOrder({ sort: chosen });
      },
    },
    {
      label: shown`$(group-by-ref-type) Group…`,
      description: groupLabels[arrangement.group],
      detail: l10n.t('Shows the endpoints in groups.'),
      ask: async () => {
        const chosen = await choose(GROUPINGS, groupLabels, arrangement.group, l10n.t('Groups'));
        if (chosen) await options.setOrder({ group: chosen });
      },
    },
  ];
  const row = await pick(rows, { title: l10n.t('Arrange Endpoints') });
  await row?.ask();
}

/** Asks for a filter and previews it in the tree. Restores the previous filter if the user cancels. */
async function askFilter({ endpoints }: Pick<AccountServices, 'endpoints'>, options: ViewOptionsStore): Promise<void> {
  if (endpoints.endpoints.length === 0) throw new UserError(l10n.t('there are no endpoints to filter'));
  const before = options.arrangement.filter;
  const input = createBox({
    title: l10n.t('Filter Endpoints'),
    prompt: l10n.t('Words from the name, ID, image, type, or state. An endpoint must match all of them.'),
    placeholder: l10n.t('hello idle'),
  });
  input.value = before;
  const accepted = await new Promise<boolean>((resolve) => {
    const subscriptions = [
      input.onDidChangeValue((text) => options.previewFilter(text)),
      input.onDidAccept(() => {
        resolve(true);
        input.hide();
      }),
      input.onDidHide(() => {
        resolve(false);
        vscode.Disposable.from(...subscriptions, input).dispose();
      }),
    ];
    input.show();
  });
  await options.setFilter(accepted ? input.value : before);
}

async function choose<Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
  current: Value,
  title: string,
): Promise<Value | undefined> {
  const items = values.map((value) => ({
    label: labels[value],
    ...(value === current ? { description: l10n.t('current') } : {}),
    value,
  }));
  return (await pick(items, { title: l10n.t`Endpoints: ${title}` }))?.value;
}
