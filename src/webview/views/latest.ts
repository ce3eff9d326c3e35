/** Only the answer to the last question counts: the scope may change while one is on its way. */
export class Latest {
  #asked = 0;

  take<T>(answer: Promise<T>, use: (value: T) => void, fail: (message: string) => void): void {
    const asked = ++this.#asked;
    answer.then(
      (value) => {
        if (asked === this.#asked) use(value);
      },
      (error: unknown) => {
        if (asked === this.#asked) fail(error instanceof Error ? error.message : String(error));
      },
    );
  }
}
