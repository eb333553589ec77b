import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HardwareNeeds } from '../../../account/hardware/hardwareNeeds.ts';
import { SORTS, sortedOffers, type HardwareOffer, type Sort } from '../../../account/hardware/hardwareOffers.ts';
import {
  centerWords,
  excludedWords,
  jobCostWords,
  memoryWords,
  nothingFitsWords,
  priceWords,
  reasonWords,
  stockWords,
  modelNames,
  offerName,
} from '../../../account/hardware/hardwareWords.ts';
import { hardwareKey } from '../../../account/hardware/runTimes.ts';
import { createPick, rowOf, type Row, type ShownItem } from '../../../kit/quickInput.ts';
import { joined, safe, shown, type ShownText } from '../../../text/shownText.ts';

export interface HardwareQuestion {
  readonly title: ShownText;
  readonly needs: HardwareNeeds;
  readonly offers: readonly HardwareOffer[];
  /** First view of the list. Default: the present choice, sorted by cost. */
  readonly view?: HardwareView | undefined;
  /** Whether the user can choose the other kind. A deployed endpoint keeps its kind. */
  readonly canSwitch: boolean;
}

/** The kind, order, and selection that the list of hardware shows. */
export interface HardwareView {
  readonly kind: HardwareOffer['kind'];
  readonly sort: Sort;
  /** Keys of the selected offers in the order of preference. */
  readonly order: readonly string[];
}

/** The chosen hardware in the order of preference, or another condition that the user asks for. */
export type HardwareAnswer =
  { readonly offers: readonly HardwareOffer[] } | { readonly change: 'memory'; readonly view: HardwareView };

interface HardwareItem extends ShownItem {
  /** Undefined for the row that counts the hidden hardware. */
  readonly offer?: HardwareOffer;
}

const sortNames: Readonly<Record<Sort, string>> = {
  cost: l10n.t('Cost'),
  memory: l10n.t('Memory'),
  stock: l10n.t('Stock'),
};

function button(icon: string, tooltip: ShownText): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip: safe(tooltip) };
}

/**
 * Shows hardware with checkboxes. The present choice is selected first. Hardware that does not satisfy the endpoint is hidden until the user
 * selects the last row. Returns undefined if the user dismissed the list.
 */
export function pickHardware(question: HardwareQuestion): Promise<HardwareAnswer | undefined> {
  const { title, needs, offers, canSwitch } = question;
  let { kind, sort, order } = question.view ?? firstView(needs);
  let showsHidden = false;
  const list = createPick<HardwareItem>({ title });
  list.canSelectMany = true;
  list.ignoreFocusOut = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  const actions = new Map<vscode.QuickInputButton, () => void>();

  const showSelection = (selected: readonly Row<HardwareItem>[]) => {
    const checked = new Set(selected.map(({ item }) => item.offer));
    const names = selectedOf()
      .filter((offer) => checked.has(offer))
      .map(offerName);
    // One choice has no order.
    list.title = safe(names.length > 1 ? shown`${title}: ${names.join(' → ')}` : title);
  };
  const selectedOf = () => {
    const ofKind = new Map(offers.filter((offer) => offer.kind === kind).map((offer) => [hardwareKey(offer), offer]));
    return order.flatMap((key) => ofKind.get(key) ?? []);
  };
  const render = () => {
    const all = sortedOffers(
      offers.filter((offer) => offer.kind === kind),
      sort,
    );
    const isShown = (offer: HardwareOffer) =>
      showsHidden || offer.reasons.length === 0 || order.includes(hardwareKey(offer));
    const hidden = all.filter((offer) => !isShown(offer));
    const items = all.filter(isShown).map((offer) => itemOf(offer, needs));
    const rows = [...items, ...(hidden.length > 0 ? [hiddenItem(hidden)] : [])].map(rowOf);
    list.items = rows;
    list.selectedItems = rows.filter(({ item: { offer } }) => offer && order.includes(hardwareKey(offer)));
    const fits = all.some(({ reasons }) => reasons.length === 0);
    list.placeholder = safe(
      fits
        ? shown`Select hardware, in the order of preference. Sorted by ${sortNames[sort].toLowerCase()}.`
        : nothingFitsWords(all),
    );
    actions.clear();
    const next = SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'cost';
    actions.set(button('list-ordered', shown`Sort by ${sortNames[next]}`), () => (sort = next));
    if (canSwitch)
      actions.set(
        kind === 'gpu' ? button('server', shown`Show CPUs`) : button('circuit-board', shown`Show GPUs`),
        () => (kind = kind === 'gpu' ? 'cpu' : 'gpu'),
      );
    actions.set(
      showsHidden ? button('eye-closed', shown`Hide Unsuitable Options`) : button('eye', shown`Show All Hardware`),
      () => (showsHidden = !showsHidden),
    );
    actions.set(memoryButton, () => undefined);
    list.buttons = [...actions.keys()];
    showSelection(list.selectedItems);
  };

  return new Promise((resolve) => {
    const settle = (answer: HardwareAnswer | undefined) => {
      resolve(answer);
      list.dispose();
    };
    list.onDidTriggerButton((pressed) => {
      if (pressed === memoryButton) {
        settle({ change: 'memory', view: { kind, sort, order } });
        return;
      }
      actions.get(pressed)?.();
      render();
    });
    list.onDidChangeSelection((selected) => {
      if (selected.some(({ item }) => !item.offer)) {
        showsHidden = true;
        order = orderOf(order, selected, kind, offers);
        render();
        return;
      }
      // The editor clears the selection before it shows new rows, and the order of preference must outlive that.
      if (selected.length > 0) order = orderOf(order, selected, kind, offers);
      showSelection(selected);
    });
    list.onDidAccept(() => {
      const { selectedItems, activeItems } = list;
      const [active] = activeItems;
      if (selectedItems.length === 0 && active && !active.item.offer) {
        showsHidden = true;
        render();
        return;
      }
      const checked = new Set(selectedItems.flatMap(({ item: { offer } }) => offer ?? []));
      const chosen = selectedOf().filter((offer) => checked.has(offer));
      // Enter on a row of a list without selections chooses the row.
      const single = checked.size === 0 && active?.item.offer ? [active.item.offer] : [];
      const answer = chosen.length > 0 ? chosen : single;
      if (answer.length > 0) settle({ offers: answer });
    });
    list.onDidHide(() => settle(undefined));
    render();
    list.show();
  });
}

const memoryButton = button('filter', shown`Set the Memory of a Worker…`);

function firstView({ chosen: { gpus, cpus }, gpuCount }: HardwareNeeds): HardwareView {
  return {
    kind: gpus.length === 0 && cpus.length > 0 ? 'cpu' : 'gpu',
    sort: 'cost',
    order: [
      ...gpus.map((id) => hardwareKey({ kind: 'gpu', id, count: gpuCount })),
      ...cpus.map(({ id, vcpuCount }) => hardwareKey({ kind: 'cpu', id, count: vcpuCount })),
    ],
  };
}

/** Adds newly selected offers to the end, and removes the others of the same kind. */
function orderOf(
  before: readonly string[],
  selected: readonly { readonly item: HardwareItem }[],
  kind: HardwareOffer['kind'],
  offers: readonly HardwareOffer[],
): readonly string[] {
  const keys = selected.flatMap(({ item: { offer } }) => (offer ? [hardwareKey(offer)] : []));
  const ofKind = new Set(offers.filter((offer) => offer.kind === kind).map(hardwareKey));
  const kept = before.filter((key) => !ofKind.has(key) || keys.includes(key));
  return [...kept, ...keys.filter((key) => !kept.includes(key))];
}

function itemOf(offer: HardwareOffer, needs: HardwareNeeds): HardwareItem {
  const { reasons } = offer;
  const cost = jobCostWords(offer);
  const facts = [memoryWords(offer), priceWords(offer), ...(cost === undefined ? [] : [cost]), stockWords(offer)];
  const centers = centerWords(offer);
  const detail = joined([modelNames(offer), ...(centers === '' ? [] : [centers])], ' · ');
  const why = reasons.map((reason) => reasonWords(reason, offer, needs)).join('; ');
  return {
    label: joined([offerName(offer)], ''),
    description: joined(facts, ' · '),
    detail: reasons.length > 0 ? shown`$(circle-slash) ${why} · ${detail}` : detail,
    offer,
  };
}

function hiddenItem(hidden: readonly HardwareOffer[]): HardwareItem {
  return {
    label:
      hidden.length === 1
        ? shown`$(eye) Show 1 Unsuitable Option`
        : shown`$(eye) Show ${hidden.length} Unsuitable Options`,
    detail: excludedWords(hidden),
    alwaysShow: true,
  };
}
