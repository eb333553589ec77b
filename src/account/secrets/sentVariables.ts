import type { HiddenValue } from './hiddenValues.ts';
import type { NameStorage, SecretStore } from './secretStore.ts';

/** Global-state key of the names of environment variables whose values were sent. Their values are hidden like secrets. */
const SENT = 'cloudCompute.manifest.sentVariables';
const MAX_NAMES = 200;

interface Sources {
  readonly globalState: NameStorage;
  readonly secrets: Pick<SecretStore, 'values'>;
}

/** Remembers that the value of a variable is sent, so that documents of endpoints hide it. */
export async function rememberSent(globalState: NameStorage, name: string): Promise<void> {
  const names = sentNames(globalState);
  if (!names.includes(name)) await globalState.update(SENT, [...names, name].slice(-MAX_NAMES));
}

/** Returns the values that documents of endpoints hide: those of all secrets, and those of sent variables. */
export async function hiddenValues({ globalState, secrets }: Sources): Promise<readonly HiddenValue[]> {
  const hidden: HiddenValue[] = [...(await secrets.values())].map(([name, value]) => ({
    reference: { kind: 'secret', name },
    value,
  }));
  for (const name of sentNames(globalState)) {
    const value = variableOf(name);
    if (value !== undefined) hidden.push({ reference: { kind: 'env', name }, value });
  }
  return hidden;
}

/** Returns the value of a variable in the environment of the extension host. */
export function variableOf(name: string): string | undefined {
  return Object.hasOwn(process.env, name) ? process.env[name] : undefined;
}

function sentNames(storage: NameStorage): readonly string[] {
  const stored = storage.get(SENT);
  return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
}
