import * as l10n from '@vscode/l10n';
import type { ValueSource } from './envReferences.ts';
import type { AccountServices } from '../accountServices.ts';
import { requireTrust } from '../consent/workspaceTrust.ts';
import { rememberSent, variableOf } from './hiddenValues.ts';

/** Returns the source of values for comparisons in this process: the environment of the extension host, and the stored secrets. */
export function comparedValues({ secrets }: Pick<AccountServices, 'secrets'>): ValueSource {
  return { variable: variableOf, secret: (name) => secrets.get(name) };
}

/** Returns the source of values for requests. It supplies no value in an untrusted workspace. */
export function valueSource({ globalState, secrets }: Pick<AccountServices, 'globalState' | 'secrets'>): ValueSource {
  // A second check, in addition to that of each act.
  const check = (kind: 'env' | 'secret', name: string) =>
    requireTrust({
      source: 'typed',
      process: undefined,
      references: [{ kind, name }],
      deed: l10n.t('sending environment variables and secrets'),
    });
  return {
    variable: async (name) => {
      check('env', name);
      await rememberSent(globalState, name);
      return variableOf(name);
    },
    secret: (name) => {
      check('secret', name);
      return secrets.get(name);
    },
  };
}
