import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { askForText } from '../../../kit/quickInput.ts';
import { UserError } from '../../../kit/userError.ts';
import { findInLog, MAX_HITS, type FoundLine } from './actions/findInLog.ts';
import { ExpressionTooSlow } from './actions/timedMatcher.ts';
import type { FullLogStore } from './fullLogStore.ts';
import type { FullLogView, ShowOptions } from './fullLogView.ts';
import { HitList } from './hitList.ts';
import { subjectKey, type LogSubject } from '../model/logSubject.ts';
import { tagsOf, type LineFormat } from './model/pageText.ts';
import { parseSearch } from './model/searchPattern.ts';

interface Search {
  readonly subject: LogSubject;
  readonly text: string;
  /** The lines that were found, oldest first. */
  hits: FoundLine[];
  /** Index of the hit that was shown last. */
  shown: number;
}

export interface FullLogSearchOptions {
  readonly store: FullLogStore;
  readonly view: FullLogView;
  readonly clock: Clock;
  readonly format: () => LineFormat;
}

const MESSAGE_MS = 5_000;

/** Searches all lines of a log, and remembers the last search. */
export class FullLogSearch {
  readonly #options: FullLogSearchOptions;
  #last: Search | undefined;

  constructor(options: FullLogSearchOptions) {
    this.#options = options;
  }

  /** Like `find`, with the selected text of the active editor. */
  findSelected(subject: LogSubject, options: ShowOptions): Promise<void> {
    return this.find(subject, selectedText(vscode.window.activeTextEditor), options);
  }

  /** Asks for a search, lists the matching lines, and shows the chosen one. @param proposal initial text of the input */
  async find(subject: LogSubject, proposal: string | undefined, options: ShowOptions): Promise<void> {
    for (let value = proposal ?? this.#last?.text ?? ''; ;) {
      const text = await askForSearch(value);
      if (text === undefined) return;
      const search: Search = { subject, text, hits: [], shown: -1 };
      this.#last = search;
      const choice = await this.#list(search);
      if (choice !== 'searchAgain') {
        if (choice) await this.#show(search, search.hits.indexOf(choice.hit), options);
        return;
      }
      value = text;
    }
  }

  /** Shows the next hit of the last search, or the previous one. Asks for a search if there is none. @param step 1 or -1 */
  async step(subject: LogSubject, step: 1 | -1, options: ShowOptions): Promise<void> {
    const search = this.#last;
    if (search?.hits.length && subjectKey(search.subject) === subjectKey(subject)) {
      const next = search.shown + step;
      if (next >= 0 && next < search.hits.length) await this.#show(search, next, options);
      else
        showStatusBarMessage(
          step > 0 ? l10n.t('No later line matches') : l10n.t('No earlier line matches'),
          MESSAGE_MS,
        );
      return;
    }
    await this.find(subject, undefined, options);
  }

  async #show(search: Search, index: number, options: ShowOptions): Promise<void> {
    const hit = search.hits[index];
    if (!hit) return;
    search.shown = index;
    await this.#options.view.showLine(search.subject, hit, hit, options);
  }

  async #list(search: Search): Promise<Awaited<HitList['choice']>> {
    const { clock, format, store } = this.#options;
    const tags = await store.use(search.subject, ({ logs }) => Promise.resolve(tagsOf(logs)));
    const list = new HitList({
      search: search.text,
      clock,
      format: format(),
      workerOf: ({ log }) => tags[log]?.text,
      maxHits: MAX_HITS,
    });
    const [choice] = await Promise.all([
      list.choice.finally(() => list.hide()),
      this.#run(search, list).catch((error: unknown) => {
        list.hide();
        throw error instanceof ExpressionTooSlow ? tooSlow() : error;
      }),
    ]);
    return choice;
  }

  /** Searches until the end of the log, or until the user leaves the list. */
  async #run(search: Search, list: HitList): Promise<void> {
    const parsed = parseSearch(search.text);
    if ('problem' in parsed) return;
    const { signal } = list;
    try {
      await this.#options.store.use(search.subject, async ({ logs }) => {
        search.hits = [];
        list.clear();
        const onProgress = list.report.bind(list);
        for await (const hit of findInLog(logs, parsed.expression, { signal, onProgress })) {
          search.hits.push(hit);
          list.add(hit);
        }
      });
      list.finish();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function askForSearch(value: string): Thenable<string | undefined> {
  return askForText({
    title: l10n.t('Find in Log'),
    prompt: l10n.t('Text, ignoring case, or /a regular expression/ with flags such as i. Searches all pages.'),
    value,
    validate: (text) => {
      const parsed = parseSearch(text);
      return 'problem' in parsed ? parsed.problem : undefined;
    },
  });
}

function tooSlow(): UserError {
  return new UserError(l10n.t('the expression takes too long; avoid nested repetitions such as (a+)+'));
}

/** Returns the selected text if it is a part of one line. */
function selectedText(editor: vscode.TextEditor | undefined): string | undefined {
  if (!editor || editor.selection.isEmpty || !editor.selection.isSingleLine) return undefined;
  return editor.document.getText(editor.selection);
}
