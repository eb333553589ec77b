import type * as vscode from 'vscode';
import type { Clock } from '../../client/clock.ts';
import type { Markdown } from '../../text/markdown.ts';
import { integer, object, oneOf, type ValueOf } from '../smallSchema.ts';
import { DocumentAddresses } from './address.ts';
import { Documents } from './documents.ts';

/** Maximum number of reports in memory. The oldest ones are removed first. */
const MAX_REPORTS = 20;

const Address = object({ number: integer, extension: oneOf('md', 'txt') });

export interface ReportOptions {
  readonly scheme: string;
  /** Content of a report that no longer exists, because the editor opens reports of earlier windows again. */
  readonly gone: Markdown;
  readonly whyReadonly: Markdown;
  readonly clock: Clock;
}

/** Read-only documents of texts that are shown once. They exist until the window closes. */
export class Reports {
  readonly #clock: Clock;
  readonly #documents: Documents<ValueOf<typeof Address>>;
  #last = 0;

  constructor({ scheme, gone, whyReadonly, clock }: ReportOptions) {
    this.#clock = clock;
    this.#documents = new Documents<ValueOf<typeof Address>>({
      addresses: new DocumentAddresses(scheme, Address, ({ extension }) => `.${extension}`),
      clock,
      read: () => ({ text: `${gone.source}\n` }),
      whyReadonly,
      maxHidden: MAX_REPORTS,
    });
  }

  /** Adds a report and returns its address. @param name name of its tab, without the extension */
  add(name: string, report: string | Markdown): vscode.Uri {
    // Reports of earlier windows have other numbers.
    this.#last = Math.max(this.#clock.now(), this.#last + 1);
    const [extension, text] =
      typeof report === 'string' ? (['txt', report] as const) : (['md', report.source] as const);
    const uri = this.#documents.uriOf({ number: this.#last, extension }, name);
    this.#documents.put(uri, { text: `${text}\n` });
    return uri;
  }

  register(): vscode.Disposable {
    return this.#documents.register();
  }
}
