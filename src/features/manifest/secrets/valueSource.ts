import type { ValueSource } from '../actions/resolveBody.ts';
import { requireTrust } from '../../trust/workspaceTrust.ts';
import type { SecretStore } from './secretStore.ts';

/** Returns the source of values for requests: the environment of the extension host, and the stored secrets. */
export function valueSource({ secrets }: { readonly secrets: SecretStore }): ValueSource {
  // A second check, in addition to that of each act, so that no value is read for an untrusted workspace.
  const check = (kind: 'env' | 'secret', name: string) =>
    requireTrust({
      source: 'typed',
      process: undefined,
      references: [{ kind, name }],
      deed: 'sending environment variables and secrets',
    });
  return {
    variable: (name) => {
      check('env', name);
      return Object.hasOwn(process.env, name) ? process.env[name] : undefined;
    },
    secret: (name) => {
      check('secret', name);
      return secrets.get(name);
    },
  };
}
