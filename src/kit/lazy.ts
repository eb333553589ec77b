/** A value that is created, with its code, on first use. */
export class Lazy<Value> {
  readonly #create: () => Promise<Value>;
  #created: Promise<Value> | undefined;
  #value: Value | undefined;

  /** @param create loads the code with `import()` */
  constructor(create: () => Promise<Value>) {
    this.#create = create;
  }

  /** The value, if it has been created. */
  get value(): Value | undefined {
    return this.#value;
  }

  /** Resolves with the value. Creates it again after a failure. */
  async get(): Promise<Value> {
    this.#created ??= this.#create();
    try {
      return (this.#value = await this.#created);
    } catch (error) {
      this.#created = undefined;
      throw error;
    }
  }
}
