import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../vscode/commands.ts';
import { UserError } from '../../vscode/userError.ts';
import { createBox, pick } from '../../vscode/quickInput.ts';
import { requireConnection } from '../connections/requireConnection.ts';
import type { Services } from '../services.ts';
import { GROUPINGS, SORTS, type Grouping, type Sort } from './arrangement.ts';
import { chosenEndpoints } from './chosenEndpoints.ts';
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

/** Registers the commands that filter, sort, and group the endpoints, and that change favorites. */
export function registerViewCommands(services: Services, options: ViewOptionsStore): vscode.Disposable {
  const { log } = services;
  const setFavorite =
    (favorite: boolean) =>
    async (...args: unknown[]) => {
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
    };
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.endpoints.filter', l10n.t('Could not filter'), (argument) =>
      typeof argument === 'string' ? options.setFilter(argument) : askFilter(services, options),
    ),
    registerCommand(log, 'cloudCompute.endpoints.clearFilter', l10n.t('Could not clear the filter'), () =>
      options.setFilter(''),
    ),
    registerCommand(log, 'cloudCompute.endpoints.sort', l10n.t('Could not sort'), async (argument) => {
      const sort =
        chosenOf(SORTS, argument) ?? (await choose(SORTS, sortLabels, options.arrangement.sort, l10n.t('Order')));
      if (sort) await options.setOrder({ sort });
    }),
    registerCommand(log, 'cloudCompute.endpoints.group', l10n.t('Could not group'), async (argument) => {
      const { group: current } = options.arrangement;
      const group = chosenOf(GROUPINGS, argument) ?? (await choose(GROUPINGS, groupLabels, current, l10n.t('Groups')));
      if (group) await options.setOrder({ group });
    }),
    registerCommand(log, 'cloudCompute.endpoints.addFavorite', l10n.t('Could not add the favorite'), setFavorite(true)),
    registerCommand(
      log,
      'cloudCompute.endpoints.removeFavorite',
      l10n.t('Could not remove the favorite'),
      setFavorite(false),
    ),
  );
}

/** Asks for a filter and previews it in the tree. Restores the previous filter if the user cancels. */
async function askFilter({ endpoints }: Services, options: ViewOptionsStore): Promise<void> {
  if (endpoints.endpoints.length === 0) throw new UserError(l10n.t('there are no endpoints to filter'));
  const before = options.arrangement.filter;
  const input = createBox({
    title: l10n.t('Filter Endpoints'),
    prompt: l10n.t('Words from the name, ID, image, type, or state. An endpoint must contain all of them.'),
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

function chosenOf<Value extends string>(values: readonly Value[], argument: unknown): Value | undefined {
  return values.find((value) => value === argument);
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
