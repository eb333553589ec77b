import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { Registry } from '../../../contract/registry.ts';
import { isCanceled } from '../../../kit/errors.ts';
import { explain } from '../../../kit/explain.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { askText, BACK, type Place } from '../../../kit/steps.ts';
import { shown } from '../../../text/shownText.ts';
import { createCredential } from '../../../account/credentials.ts';
import type { ResourceStore } from './resourceStore.ts';

const TITLE = l10n.t('Add Registry Credential');

/** Asks for a name, user name, and password until the platform accepts them. */
export async function askAndCreateCredential(store: ResourceStore, client: Client): Promise<void> {
  const answers = ['', ''];
  let step = 0;
  for (;;) {
    const answer = step < 2 ? await askPlainText(step, answers[step] ?? '', store) : await askPassword(client, answers);
    if (answer === undefined) return;
    if (answer === BACK) step--;
    else if (typeof answer !== 'string') {
      showStatusBarMessage(shown`$(check) Registry credential “${answer.name}” added`, 5_000);
      await store.refresh();
      return;
    } else answers[step++] = answer;
  }
}

const place = (step: number): Place => ({ title: TITLE, step: step + 1, totalSteps: 3, back: step > 0 });

async function askPlainText(
  step: number,
  value: string,
  store: ResourceStore,
): Promise<string | typeof BACK | undefined> {
  const names = new Set(store.listings.registries.items.map(({ name }) => name));
  const question =
    step === 0
      ? {
          prompt: l10n.t('Name of the credential'),
          placeholder: 'ghcr',
          problem: (text: string) =>
            required(l10n.t('A name'), text) ??
            (names.has(text.trim()) ? l10n.t('A credential with this name already exists.') : undefined),
        }
      : {
          prompt: l10n.t('User name on the registry'),
          problem: (text: string) => required(l10n.t('A user name'), text),
        };
  const answer = await askText({ place: place(step), value, ...question });
  return typeof answer === 'string' ? answer.trim() : answer === BACK ? BACK : undefined;
}

/** Asks for the password and creates the credential. The input stays open until the platform accepts the answers. */
async function askPassword(client: Client, [name = '', username = '']: readonly string[]) {
  let created: Registry | undefined;
  const answer = await askText({
    place: place(2),
    prompt: l10n.t('Password or access token. It is sent to the platform and not stored in the editor.'),
    password: true,
    problem: (text) => required(l10n.t('A password'), text),
    attempt: async (password, signal) => {
      try {
        created = await createCredential(client, { name, username, password }, { signal });
        return undefined;
      } catch (error) {
        return isCanceled(error) ? undefined : explain(error, l10n.t('Could not add the credential'));
      }
    },
  });
  return answer === BACK ? BACK : created;
}

function required(what: string, text: string): string | undefined {
  return text.trim() === '' ? l10n.t`${what} is required.` : undefined;
}
